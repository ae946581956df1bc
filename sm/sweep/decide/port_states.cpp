#include "sm/sweep/decide/port_states.h"

#include "mad/format.h"

namespace sm {
namespace {

using mad::PortPhysicalState;

std::string explain_port(const Fabric& fabric, PortIndex port) {
  return port == kNoIndex || !fabric.ports[port].known ? ""
                                                       : explain_state(fabric.ports[port].info);
}

bool is_disabled(const Fabric& fabric, PortIndex port) {
  return port != kNoIndex && fabric.ports[port].known &&
         fabric.ports[port].info.port_physical_state() == PortPhysicalState::disabled;
}

std::string port_text(const Fabric& fabric, PortIndex port) {
  const std::string reason = explain_port(fabric, port);
  if (reason.empty()) return "";
  return fmt::format("\"{}\" port {} is {}", fabric.description(fabric.ports[port].node),
                     fabric.ports[port].number, reason);
}

}  // namespace

std::string explain_state(const mad::PortInfo& info) {
  switch (info.port_physical_state()) {
    case PortPhysicalState::sleep:
      return "Sleep (no signal: no cable, or nothing at its other end)";
    case PortPhysicalState::polling:
      return "Polling (no signal: no cable, or nothing at its other end)";
    case PortPhysicalState::disabled:
      return "Disabled (by an administrator)";
    case PortPhysicalState::training:
      return "Training (the ends do not agree on a link)";
    case PortPhysicalState::link_up:
      return info.port_state() == mad::PortState::down
                 ? "LinkUp (the link trains, and its PortState stays Down)"
                 : fmt::format("LinkUp (PortState {})", mad::name(info.port_state()));
    case PortPhysicalState::error_recovery:
      return "ErrorRecovery (errors interrupt the link)";
    case PortPhysicalState::phy_test:
      return "PhyTest (by an administrator)";
    case PortPhysicalState::no_change:
      break;
  }
  return "";
}

std::string link_state_text(const Fabric& fabric, PortIndex a, PortIndex b) {
  const std::string here = explain_port(fabric, a), there = explain_port(fabric, b);
  if (here == there) return here.empty() ? "" : fmt::format("both ports are {}", here);
  // If one port is disabled, this explains why the other one has no signal.
  if (is_disabled(fabric, a)) return port_text(fabric, a);
  if (is_disabled(fabric, b)) return port_text(fabric, b);
  const std::string one = port_text(fabric, a), other = port_text(fabric, b);
  return one + (one.empty() || other.empty() ? "" : ", ") + other;
}

}  // namespace sm
