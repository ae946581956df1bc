#include "sim/world/agents/agents.h"

namespace sim {

Verdict serve_vendor_attribute(const Place&, mad::SmpView) { return mad::status::kMethodAttributeUnsupported; }

}  // namespace sim
