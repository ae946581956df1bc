#include "sm/election/election.h"

namespace sm {

SmRank rank_of(const mad::SmInfo& info) {
  return {.priority = info.priority(), .guid = info.guid()};
}

ElectionDecision elect(const SmRank& self, mad::SmState state,
                       std::span<const mad::SmInfo> others) {
  for (std::size_t i = 0; i < others.size(); ++i) {
    if (others[i].sm_state() == mad::SmState::master && others[i].guid() != self.guid)
      return {mad::SmState::standby, i, "another subnet manager is MASTER"};
  }
  if (state == mad::SmState::master)
    return {};  // handover to an SM of higher rank is not built yet
  for (std::size_t i = 0; i < others.size(); ++i) {
    const bool runs = others[i].sm_state() == mad::SmState::discovering ||
                      others[i].sm_state() == mad::SmState::standby;
    if (runs && others[i].guid() != self.guid && outranks(rank_of(others[i]), self)) {
      return {mad::SmState::standby, i,
              "a subnet manager of higher rank is about to become MASTER"};
    }
  }
  return {};
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
