#pragma once
// This file has the SMInfo state machine as a table (IBTA Vol 1, 14.4.1), the only copy of its
// rules: the manager looks up a row, enters its state and does its action.

#include <cstdint>
#include <span>
#include <string_view>

#include "mad/attributes/sm_info.h"

namespace sm {

enum class SmEvent : std::uint8_t {
  // A Set(SMInfo) arrived from the SM that may send it (election.h). The values are those of
  // SmControl.
  got_handover = 1,
  got_acknowledge = 2,
  got_disable = 3,
  got_standby = 4,
  got_discover = 5,
  // A survey, or a later read of SMInfo, gave this result (elect()).
  found_no_other,      // no MASTER, and no running SM of higher rank
  found_master,        // another MASTER; for a MASTER: of higher rank
  found_higher,        // an SM of higher rank that runs and is not MASTER
  found_lower_master,  // another MASTER of lower rank, for a MASTER
  // Actions of the SM itself
  handover_accepted,  // a HANDOVER was answered with status 0, or was sent to a MASTER
  master_gone,        // polls did not find the master for too long
  // Events of the port and of the operator
  port_down,
  activated,    // sm_inactive became FALSE
  deactivated,  // sm_inactive became TRUE
};

enum class SmAction : std::uint8_t {
  none,
  survey,          // discover the subnet
  acknowledge,     // send ACKNOWLEDGE to the sender, then discover and program the subnet
  program,         // of the survey that ended
  poll,            // SMInfo of the SM that leads, or will
  hand_over,       // send HANDOVER
  await_handover,  // ask the other MASTER to hand over (trap 144), and wait for it
};

struct SmRule {
  mad::SmState from;
  SmEvent on;
  mad::SmState to;
  SmAction action;
  std::string_view source;  // clause of IBTA Vol 1, or where OpenSM or Heddle goes beyond it
};

/// Returns one row per legal pair of state and event. Any other pair changes nothing.
std::span<const SmRule> sm_rules();

/// Returns null if the event is illegal in this state.
const SmRule* find_rule(mad::SmState state, SmEvent event);

/// Finds the rule for the event of a received Set(SMInfo); returns null also for an attribute
/// modifier that is not a control.
const SmRule* rule_of_control(mad::SmState state, std::uint32_t control);

std::string_view state_text(mad::SmState state);  // "MASTER"

}  // namespace sm
