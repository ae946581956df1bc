#pragma once
// The management agents of simulated nodes. Each writes the answer's data over that of the request.

#include <optional>

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

/// Subnet management (IBTA Vol 1, 14.2): Get and Set of every attribute, after the check of the
/// M_Key.
Verdict serve_smp(const Arrival& arrival, mad::SmpView smp, mad::Lid slid);

// Its parts, by attribute.
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
/// Vendor attributes: general information, adaptive routing, extended port information,
/// virtualization.
Verdict serve_vendor_attribute(const Arrival& arrival, mad::SmpView smp);
Verdict serve_virtualization(const Arrival& arrival, mad::SmpView smp);
Verdict serve_hierarchy_info(const Arrival& arrival, mad::SmpView smp);

/// True if the M_Key allows the request; else the violation has been counted and reported.
bool m_key_allows(const Arrival& arrival, mad::ConstSmpView smp, mad::Lid slid);

/// Performance management (IBTA Vol 1, 16.1) and congestion control (Annex A10), on QP1.
Verdict serve_performance(const Arrival& arrival, mad::MadView request);
Verdict serve_congestion_control(const Arrival& arrival, mad::MadView request);

}  // namespace sim
