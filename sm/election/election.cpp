#include "sm/election/election.h"

#include <algorithm>

#include "mad/format.h"

namespace sm {

SmRank rank_of(const mad::SmInfo& info) {
  return {.priority = info.priority(), .guid = info.guid()};
}

OtherManagers check_managers(const Fabric& fabric, std::span<const OtherSm> found,
                             std::uint64_t sm_key, std::span<const std::uint64_t> allowed) {
  OtherManagers result;
  for (const OtherSm& sm : found) {
    if (sm.port == kNoIndex) continue;
    const mad::Guid guid = fabric.ports[sm.port].guid;
    const auto ignored = [&](ConditionId id, std::string text) {
      result.conditions.push_back({.id = id, .text = std::move(text), .guid = guid});
    };
    if (sm.info.guid() != guid) {
      ignored(ConditionId::response_malformed,
              fmt::format("SMInfo of {} carries GUID {}, which is not that port's; this subnet "
                          "manager is treated as absent",
                          fabric.port_name(sm.port), sm.info.guid()));
    } else if (sm_key != 0 && sm.info.sm_key() != sm_key) {
      ignored(ConditionId::sm_key_mismatch,
              fmt::format("the subnet manager at {} has another SM_Key; it is treated as absent",
                          fabric.port_name(sm.port)));
    } else if (!allowed.empty() && std::ranges::find(allowed, guid.value) == allowed.end()) {
      ignored(ConditionId::sm_not_allowed,
              fmt::format("the subnet manager at {} is not in allowed_sm_guids; it is treated as "
                          "absent",
                          fabric.port_name(sm.port)));
    } else {
      result.trusted.push_back(sm);
    }
  }
  return result;
}

ElectionDecision elect(const SmRank& self, mad::SmState state, std::span<const OtherSm> others) {
  for (const OtherSm& other : others) {
    const bool leads = other.info.sm_state() == mad::SmState::master;
    if (!leads || other.info.guid() == self.guid) continue;
    if (state == mad::SmState::master && !outranks(rank_of(other.info), self)) continue;
    return {mad::SmState::standby, other, "another subnet manager is MASTER"};
  }
  if (state == mad::SmState::master)
    return {};  // handover to an SM of higher rank is not built yet
  for (const OtherSm& other : others) {
    const bool runs = other.info.sm_state() == mad::SmState::discovering ||
                      other.info.sm_state() == mad::SmState::standby;
    if (runs && other.info.guid() != self.guid && outranks(rank_of(other.info), self)) {
      return {mad::SmState::standby, other,
              "a subnet manager of higher rank is about to become MASTER"};
    }
  }
  return {};
}

std::vector<Condition> other_masters(const Fabric& fabric, std::span<const OtherSm> others) {
  std::vector<Condition> result;
  for (const OtherSm& other : others) {
    if (other.info.sm_state() != mad::SmState::master) continue;
    result.push_back({.id = ConditionId::other_master,
                      .text = fmt::format("the subnet manager at {} with priority {} is MASTER, "
                                          "too; this one has higher rank and stays MASTER",
                                          fabric.port_name(other.port), other.info.priority()),
                      .guid = other.info.guid()});
  }
  return result;
}

std::optional<mad::SmState> on_control(mad::SmState state, std::uint32_t control) {
  struct Rule {
    mad::SmState from;
    mad::SmControl on;
    mad::SmState to;
  };
  using mad::SmControl;
  using mad::SmState;
  static constexpr Rule kRules[]{{SmState::discovering, SmControl::handover, SmState::discovering},
                                 {SmState::standby, SmControl::handover, SmState::discovering},
                                 {SmState::standby, SmControl::acknowledge, SmState::standby},
                                 {SmState::standby, SmControl::disable, SmState::not_active},
                                 {SmState::standby, SmControl::discover, SmState::discovering},
                                 {SmState::not_active, SmControl::standby, SmState::standby},
                                 {SmState::master, SmControl::handover, SmState::master}};
  for (const Rule& rule : kRules) {
    if (rule.from == state && static_cast<std::uint32_t>(rule.on) == control) return rule.to;
  }
  return std::nullopt;
}

std::string_view state_text(mad::SmState state) {
  switch (state) {
    case mad::SmState::not_active:
      return "NOTACTIVE";
    case mad::SmState::discovering:
      return "DISCOVERING";
    case mad::SmState::standby:
      return "STANDBY";
    case mad::SmState::master:
      return "MASTER";
  }
  return "unknown";
}

}  // namespace sm
