#include "sim/world/agents/agents.h"

namespace sim {

Verdict serve_performance(const Place&, mad::MadView) { return mad::status::kMethodAttributeUnsupported; }

}  // namespace sim
