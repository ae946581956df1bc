#include "sm/manager/trap_conditions.h"

#include <string>

#include "mad/format.h"

namespace sm {
namespace {

/// "H1 mlx5_0" (LID 2), or LID 99, which no port has.
std::string end_text(const Subnet& subnet, mad::Lid lid) {
  const PortIndex port = subnet.lids.owner(lid);
  if (port == kNoIndex) return fmt::format("LID {}, which no port has", lid);
  return fmt::format("\"{}\" (LID {})", subnet.fabric.description(subnet.fabric.ports[port].node),
                     lid);
}

/// "\"H1\" (LID 2) to \"H3\" (LID 4)"; LIDs of 0 are not known.
std::string ends_text(const Subnet& subnet, mad::Lid from, mad::Lid to) {
  return fmt::format("{} to {}", from == mad::Lid{} ? "an unknown sender" : end_text(subnet, from),
                     to == mad::Lid{} ? "an unknown receiver" : end_text(subnet, to));
}

/// The port of that number of the issuer's node; nothing if it has none.
std::optional<PortIndex> port_of_issuer(const Fabric& fabric, PortIndex issuer,
                                        mad::PortNum number) {
  const Node& node = fabric.owning_node(issuer);
  if (number.value > node.num_ports || (number.value == 0 && !node.is_switch()))
    return std::nullopt;
  return fabric.port(fabric.ports[issuer].node, number);
}

Condition key_condition(const Subnet& subnet, PortIndex issuer, const mad::BadKeyNotice& notice) {
  const Fabric& fabric = subnet.fabric;
  const bool is_p_key = notice.trap_number() == mad::TrapNumber::bad_p_key;
  const std::string key = is_p_key ? fmt::format("P_Key {:#06x}", notice.key() & 0xFFFFu)
                                   : fmt::format("Q_Key {:#010x}", notice.key());
  return {.id = is_p_key ? ConditionId::p_key_violation : ConditionId::q_key_violation,
          .text = fmt::format("{} violation: {}, {}, at {}", is_p_key ? "P_Key" : "Q_Key",
                              ends_text(subnet, notice.lid1(), notice.lid2()), key,
                              fabric.port_name(issuer)),
          .guid = fabric.ports[issuer].guid};
}

/// The switch names its port; a field that it has not set is 0.
Condition switch_condition(const Subnet& subnet, PortIndex issuer,
                           const mad::SwitchBadPKeyNotice& notice) {
  const Fabric& fabric = subnet.fabric;
  const PortIndex at = port_of_issuer(fabric, issuer, notice.port()).value_or(issuer);
  const std::string key =
      notice.p_key() == mad::PKey{} ? "" : fmt::format(", P_Key {:#06x}", notice.p_key().value);
  return {.id = ConditionId::p_key_violation,
          .text = fmt::format("P_Key violation: {}{}, at {}",
                              ends_text(subnet, notice.lid1(), notice.lid2()), key,
                              fabric.port_name(at)),
          .guid = fabric.ports[issuer].guid,
          .port = fabric.ports[at].number};
}

std::string_view error_text(mad::TrapNumber trap) {
  switch (trap) {
    case mad::TrapNumber::local_link_integrity:
      return "local link integrity errors";
    case mad::TrapNumber::excessive_buffer_overrun:
      return "excessive buffer overruns";
    default:
      return "the flow control watchdog has expired";
  }
}

Condition link_condition(const Subnet& subnet, PortIndex issuer,
                         const mad::LinkErrorNotice& notice) {
  const Fabric& fabric = subnet.fabric;
  const PortIndex at = port_of_issuer(fabric, issuer, notice.port()).value_or(issuer);
  const PortIndex peer = fabric.ports[at].peer;
  return {.id = ConditionId::link_integrity,
          .text = fmt::format(
              "link errors: {}: {} (trap {}){}", fabric.port_name(at),
              error_text(notice.trap_number()), static_cast<unsigned>(notice.trap_number()),
              peer == kNoIndex ? "" : "; the other end is " + fabric.port_name(peer)),
          .guid = fabric.ports[issuer].guid,
          .port = fabric.ports[at].number};
}

}  // namespace

std::optional<Condition> trap_condition(const Subnet& subnet, PortIndex issuer,
                                        const mad::Notice& notice) {
  if (const auto key = notice.as<mad::BadKeyNotice>()) return key_condition(subnet, issuer, *key);
  if (const auto key = notice.as<mad::SwitchBadPKeyNotice>())
    return switch_condition(subnet, issuer, *key);
  if (const auto error = notice.as<mad::LinkErrorNotice>())
    return link_condition(subnet, issuer, *error);
  return std::nullopt;
}

bool is_key_violation(const mad::Notice& notice) {
  return notice.as<mad::BadKeyNotice>() || notice.as<mad::SwitchBadPKeyNotice>();
}

}  // namespace sm
