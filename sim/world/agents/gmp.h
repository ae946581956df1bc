#pragma once
// What the agents on QP1 share.

#include "mad/attributes/class_port_info.h"
#include "sim/world/agents/agents.h"
#include "sim/world/counters.h"

namespace sim {

/// What an agent keeps of an attribute at the management port of `place`, as on the wire; zero at
/// first.
std::span<std::uint8_t, mad::kGmpDataBytes> kept_of(const Place& place, mad::MadView request,
                                                    std::uint32_t modifier = 0);
/// The same for a reader: nothing is made if nothing was written. Null then.
const std::array<std::uint8_t, mad::kGmpDataBytes>* find_kept(const Place& place, std::uint16_t key,
                                                              std::uint32_t modifier = 0);

/// Get and Set of ClassPortInfo. What a Set writes is where traps go; the rest is the agent's.
Verdict serve_class_port_info(const Place& place, mad::MadView request,
                              std::uint16_t capability_mask, std::uint32_t capability_mask2);

}  // namespace sim
