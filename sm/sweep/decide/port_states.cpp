#include "sm/sweep/decide/port_states.h"

#include "mad/format.h"

namespace sm {
namespace {

using mad::PortPhysicalState;

PortPhysicalState read_state(const Fabric& fabric, PortIndex port) {
  if (port == kNoIndex || !fabric.ports[port].known) return PortPhysicalState::no_change;
  return fabric.ports[port].info.port_physical_state();
}

std::string port_text(const Fabric& fabric, PortIndex port) {
  const std::string_view reason = explain_state(read_state(fabric, port));
  if (reason.empty()) return "";
  return fmt::format("\"{}\" port {} is {}", fabric.description(fabric.ports[port].node),
                     fabric.ports[port].number, reason);
}

}  // namespace

std::string_view explain_state(PortPhysicalState state) {
  switch (state) {
    case PortPhysicalState::sleep:
      return "Sleep (no signal: no cable, or nothing at its other end)";
    case PortPhysicalState::polling:
      return "Polling (no signal: no cable, or nothing at its other end)";
    case PortPhysicalState::disabled:
      return "Disabled (by an administrator)";
    case PortPhysicalState::training:
      return "Training (the ends do not agree on a link)";
    case PortPhysicalState::link_up:
      return "LinkUp (the link trains, and its PortState stays Down)";
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
  const PortPhysicalState here = read_state(fabric, a), there = read_state(fabric, b);
  if (here == there) {
    const std::string_view reason = explain_state(here);
    return reason.empty() ? "" : fmt::format("both ports are {}", reason);
  }
  // A disabled port is why the other one has no signal.
  if (here == PortPhysicalState::disabled) return port_text(fabric, a);
  if (there == PortPhysicalState::disabled) return port_text(fabric, b);
  const std::string one = port_text(fabric, a), other = port_text(fabric, b);
  return one + (one.empty() || other.empty() ? "" : ", ") + other;
}

}  // namespace sm
