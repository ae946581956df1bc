#pragma once
// Shared by the agents on QP1.

#include "mad/attributes/class_port_info.h"
#include "sim/world/agents/agents.h"
#include "sim/world/counters.h"

namespace sim {

/// The stored bytes of an attribute at the management port of `arrival`, as on the wire; initially
/// zero.
std::span<std::uint8_t, mad::kGmpDataBytes> kept_of(const Arrival& arrival, mad::MadView request,
                                                    std::uint32_t modifier = 0);
/// The same without allocation: null if no Set has stored it.
const std::array<std::uint8_t, mad::kGmpDataBytes>* find_kept(const Arrival& arrival,
                                                              std::uint16_t key,
                                                              std::uint32_t modifier = 0);

/// Get and Set of ClassPortInfo. A Set writes the trap destination; the other fields are the
/// agent's.
Verdict serve_class_port_info(const Arrival& arrival, mad::MadView request,
                              std::uint16_t capability_mask, std::uint32_t capability_mask2);

}  // namespace sim
