#include "sim/world/agents/agents.h"

namespace sim {

Verdict serve_congestion_control(const Place&, mad::MadView) { return mad::status::kMethodAttributeUnsupported; }

}  // namespace sim
