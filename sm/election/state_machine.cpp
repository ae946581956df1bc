#include "sm/election/state_machine.h"

#include <algorithm>
#include <array>

namespace sm {
namespace {

using enum mad::SmState;
using enum SmEvent;

constexpr std::array kRules{
    SmRule{not_active, got_standby, standby, SmAction::poll, "14.4.1, STANDBY"},
    SmRule{not_active, activated, discovering, SmAction::survey, "14.4.1, initialization"},

    SmRule{discovering, found_no_other, master, SmAction::program, "14.4.1, end of discovery"},
    SmRule{discovering, found_master, standby, SmAction::poll, "14.4.1, master SM found"},
    SmRule{discovering, found_higher, standby, SmAction::poll, "14.4.1, SM of higher rank found"},
    SmRule{discovering, got_handover, discovering, SmAction::survey, "as OpenSM: repeated"},
    SmRule{discovering, port_down, discovering, SmAction::survey, "until the port is up"},
    SmRule{discovering, deactivated, not_active, SmAction::none, "operator, as DISABLE"},

    SmRule{standby, got_handover, master, SmAction::acknowledge, "14.4.1, HANDOVER"},
    SmRule{standby, got_acknowledge, standby, SmAction::none, "14.4.1, of its own HANDOVER"},
    SmRule{standby, got_disable, not_active, SmAction::none, "14.4.1, DISABLE"},
    SmRule{standby, got_discover, discovering, SmAction::survey, "14.4.1, DISCOVER"},
    SmRule{standby, master_gone, discovering, SmAction::survey, "14.4.1, polling time-out"},
    SmRule{standby, deactivated, not_active, SmAction::none, "operator, as DISABLE"},

    SmRule{master, found_no_other, master, SmAction::program, "14.4.1, sweep of the master"},
    SmRule{master, found_higher, master, SmAction::hand_over, "14.4.1, HANDOVER"},
    SmRule{master, found_master, master, SmAction::hand_over, "14.4.1, subnets that were joined"},
    SmRule{master, found_lower_master, master, SmAction::await_handover,
           "14.4.1, subnets that were joined"},
    SmRule{master, handover_accepted, standby, SmAction::poll,
           "as OpenSM, which sends no ACKNOWLEDGE"},
    SmRule{master, got_acknowledge, standby, SmAction::poll, "14.4.1, ACKNOWLEDGE"},
    SmRule{master, got_handover, master, SmAction::acknowledge, "14.4.1, HANDOVER"},
    SmRule{master, port_down, discovering, SmAction::survey, "14.4.1, initialization"},
    SmRule{master, deactivated, not_active, SmAction::none, "operator, as DISABLE"},
};

}  // namespace

std::span<const SmRule> sm_rules() { return kRules; }

const SmRule* find_rule(mad::SmState state, SmEvent event) {
  const auto rule = std::ranges::find_if(
      kRules, [&](const SmRule& each) { return each.from == state && each.on == event; });
  return rule == kRules.end() ? nullptr : &*rule;
}

const SmRule* rule_of_control(mad::SmState state, std::uint32_t control) {
  const bool known = control >= mad::SmInfo::modifier(mad::SmControl::handover) &&
                     control <= mad::SmInfo::modifier(mad::SmControl::discover);
  return known ? find_rule(state, static_cast<SmEvent>(control)) : nullptr;
}

std::string_view state_text(mad::SmState state) {
  switch (state) {
    case not_active:
      return "NOTACTIVE";
    case discovering:
      return "DISCOVERING";
    case standby:
      return "STANDBY";
    case master:
      return "MASTER";
  }
  return "unknown";
}

}  // namespace sm
