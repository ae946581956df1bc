#pragma once
// The management agents of simulated nodes. Each writes the answer's data over that of the request.

#include <optional>

#include "mad/attributes/class_port_info.h"
#include "sim/world/named_counters.h"
#include "sim/world/world.h"

namespace sim {

/// The node and port at which a request arrived.
struct Arrival {
  World& world;
  NodeIndex node;
  PortIndex
      entry;  // the port by which it came; for a switch that was reached from itself its port 0

  NodeModel& at() const { return world.model.nodes[node]; }
  PortIndex management_port() const { return world.model.management_port(entry); }
};

/// The status of the answer, or nothing if the agent does not answer at all.
using Verdict = std::optional<std::uint16_t>;

/// Serves Get and Set of every attribute of subnet management (IBTA Vol 1, 14.2), after the check
/// of the M_Key.
Verdict serve_smp(const Arrival& arrival, mad::SmpView smp, mad::Lid slid);

// These functions are its parts, by attribute.
Verdict serve_port_info(const Arrival& arrival, mad::SmpView smp);
Verdict serve_port_info_extended(const Arrival& arrival, mad::SmpView smp);
Verdict serve_switch_info(const Arrival& arrival, mad::SmpView smp);
Verdict serve_switch_port_states(const Arrival& arrival, mad::SmpView smp);
Verdict serve_p_keys(const Arrival& arrival, mad::SmpView smp);
Verdict serve_lft(const Arrival& arrival, mad::SmpView smp);
Verdict serve_mft(const Arrival& arrival, mad::SmpView smp);
Verdict serve_sl_to_vl(const Arrival& arrival, mad::SmpView smp);
Verdict serve_vl_arbitration(const Arrival& arrival, mad::SmpView smp);
Verdict serve_guid_info(const Arrival& arrival, mad::SmpView smp);
/// Serve vendor attributes: general, extended port information, routers, and those below.
Verdict serve_vendor_attribute(const Arrival& arrival, mad::SmpView smp);
Verdict serve_adaptive_routing(const Arrival& arrival, mad::SmpView smp);
Verdict serve_virtualization(const Arrival& arrival, mad::SmpView smp);
/// Returns the additional time that the answer to an SMP about vports takes; the firmware is busy
/// until then.
mad::Duration vport_firmware_time(const Arrival& arrival, mad::ConstSmpView smp);
Verdict serve_hierarchy_info(const Arrival& arrival, mad::SmpView smp);

/// True if the M_Key allows the request; otherwise counts and reports the violation.
bool m_key_allows(const Arrival& arrival, mad::ConstSmpView smp, mad::Lid slid);

/// Serve performance management (IBTA Vol 1, 16.1) and congestion control (Annex A10), on QP1.
Verdict serve_performance(const Arrival& arrival, mad::MadView request);
Verdict serve_congestion_control(const Arrival& arrival, mad::MadView request);

/// Serves the keys of NVIDIA's classes 0x0A and 0x0C. `from` is the sender of the request.
Verdict serve_keyed_class(const Arrival& arrival, mad::MadView request, mad::Lid from);

// Shared by the agents on QP1.

/// Returns the stored bytes of an attribute at the management port of `arrival`, as on the wire;
/// initially zero.
std::span<std::uint8_t, mad::kGmpDataBytes> kept_of(const Arrival& arrival, mad::MadView request,
                                                    std::uint32_t modifier = 0);
/// Returns the stored bytes without allocation: null if no Set has stored them.
const std::array<std::uint8_t, mad::kGmpDataBytes>* find_kept(const Arrival& arrival,
                                                              std::uint16_t key,
                                                              std::uint32_t modifier = 0);

/// Serves Get and Set of ClassPortInfo. A Set writes the trap destination; the other fields are the
/// agent's.
Verdict serve_class_port_info(const Arrival& arrival, mad::MadView request,
                              std::uint16_t capability_mask, std::uint32_t capability_mask2);

}  // namespace sim
