#pragma once
// A manager without periodic light sweeps, and traps that no agent would send.

#include <string>

#include "mad/attributes/notice.h"
#include "mad/format.h"
#include "sim/laboratory.h"
#include "sm/ctl/topology/generators.h"

namespace laboratory {

/// Two switches S0 and S1 with three hosts each: H0 to H2, H3 to H5.
inline topology::Topology two_switches() {
  return topology::row({.switches = 2, .cables = 1, .hosts_per_switch = 3});
}

/// From a host at S1 to the test's only manager, a host at S0.
inline mad::DirectedRoute route_from_s1(const Hardware& lab) {
  const sim::NodeModel& switch_node = lab.model.nodes[lab.model.find("S1")];
  for (unsigned number = 1; number <= switch_node.port_count(); ++number) {
    const sim::PortIndex port = lab.port("S1", number);
    if (lab.far(port) != sim::kNone && lab.neighbour(port) == lab.model.find("S0"))
      return *mad::DirectedRoute::of(
          {1, static_cast<std::uint8_t>(number), lab.model.ports[lab.far(lab.own())].number});
  }
  return {};
}
/// From the manager to the port of S1 before this host.
inline mad::DirectedRoute route_to(const Hardware& lab, const std::string& host) {
  const mad::DirectedRoute back = route_from_s1(lab);
  const sim::PortIndex trunk = lab.far(lab.port("S1", back.hops()[1]));
  return *mad::DirectedRoute::of(
      {1, lab.model.ports[trunk].number, lab.model.ports[lab.far(lab.port(host))].number});
}

/// A fabric without light sweeps and audits of its own, so that each SMP has a cause.
struct Quiet : Solo {
  explicit Quiet(const topology::Topology& topology = two_switches()) : Solo(topology) {
    options.sweep_interval = 0;
    options.audit_interval = 0;
  }
  mad::Lid lid(const std::string& name) {
    const sim::NodeModel& its = node(name);
    return info(its.is_switch() ? its.first_port : port(name)).lid();
  }
  /// As if the trap had arrived from this LID.
  void inject(const mad::Notice& notice, mad::Lid from) {
    mad::MadBytes bytes;
    mad::make_lid_smp(bytes, mad::Method::trap, mad::AttributeId::notice, 0, {}, ++trap_)
        .set_data(notice.bytes());
    heddle().tap().inject(bytes, from);
  }
  void inject_link_state(mad::Lid from) { inject(link_state(from), from); }
  static mad::Notice link_state(mad::Lid subject) {
    auto notice = generic<mad::LinkStateNotice>(mad::TrapNumber::link_state_change);
    notice.set_lid(subject);
    return mad::Notice::of(notice);
  }
  mad::Notice local_change(const std::string& name, std::uint16_t flags) {
    auto notice = generic<mad::LocalChangeNotice>(mad::TrapNumber::local_change);
    notice.set_lid(lid(name));
    notice.set_other_local_changes(true);
    notice.set_change_flags(flags);
    notice.set_capability_mask(info(port(name)).capability_mask());
    return mad::Notice::of(notice);
  }
  template <class Details>
  static Details generic(mad::TrapNumber number) {
    Details notice;
    notice.set_is_generic(true);
    notice.set_trap_number(number);
    return notice;
  }
  std::uint64_t all_sweeps() const { return status().sweeps + status().light_sweeps; }
  std::size_t lines() { return heddle().count("\n"); }
  mad::ConstSmpView last_response() {
    return mad::ConstSmpView{
        std::span<const std::uint8_t, mad::kMadSizeBytes>(heddle().tap().responses.back())};
  }
  bool knows(const std::string& host) const {
    return status().subnet->fabric.port_of_guid.contains(model.ports[port(host)].guid);
  }

 private:
  std::uint64_t trap_ = 0x7000;
};

}  // namespace laboratory
