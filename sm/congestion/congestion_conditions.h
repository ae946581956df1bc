#pragma once
// Conditions of congestion control.

#include "fabric/condition.h"

namespace sm {

struct CongestionConditions : ConditionSet {
  ConditionRow congestion_control_refused{
      {*this, "SM-CONGESTION-CONTROL-REFUSED", warning,
       "A device does not take the congestion control settings of the options.",
       "Its firmware rejects a value, or has no attribute for it; cc_cct has more entries than "
       "the CA's table; it has another CC_Key than cc_key; or its congestion control agent has "
       "stopped answering.",
       "What it rejects stays as it is, the rest is set; it is tried again after 10 seconds, then "
       "after growing pauses up to an hour. A warning for a switch, which marks no packets then; "
       "information for a CA port, whose own flows are not throttled.",
       "Look at `heddlectl congestion` and set the options to values that all devices take; for "
       "another CC_Key set cc_key to it, or remove the key (ibccconfig, or a restart of the "
       "device).",
       by_consequence}};
  ConditionRow congestion_control_missing{
      {*this, "SM-CONGESTION-CONTROL-MISSING", info,
       "Some devices have no congestion control, though congestion_control is TRUE.",
       "Their firmware has no agent for management class 0x21, or does not admit it; or this "
       "machine refuses an agent of that class.",
       "Those that reject the class are not queried again until they return or restart, silent "
       "ones after growing pauses. A warning if no switch marks packets, or no CA reacts to "
       "marks: congestion control has no effect then.",
       "Update or configure the firmware, or set congestion_control FALSE.", by_consequence}};
};
inline constexpr CongestionConditions kCongestionConditions;

}  // namespace sm
