#pragma once
// Conditions of port counters.

#include "fabric/condition.h"

namespace sm {

struct CounterConditions : ConditionSet {
  ConditionRow port_errors{
      {*this, "SM-PORT-ERRORS", warning,
       "Error counters of a port grow by more than perfmgr_*_per_hour allow.",
       "A bad cable, connector or port (symbol errors, link recoveries, receive errors); "
       "congestion, or a receiver that takes no packets (discards).",
       "Nothing changes; the link is used as before. Cleared when the growth of an hour is below "
       "half of the limit.",
       "Look at the counters of both ends of the link; reseat or replace the cable.",
       has_figures | is_of_link}};
  ConditionRow port_congested{
      {*this, "SM-PORT-CONGESTED", info,
       "A port waited to send for more than perfmgr_xmit_wait_threshold ticks since the previous "
       "poll (perfmgr_xmit_wait_log TRUE).",
       "The receiver is slow, or more traffic than the link carries is routed over it.",
       "Nothing changes.", "Look at the loads of the links, and at the receiver."}};
  ConditionRow counter_saturated{
      {*this, "SM-COUNTER-SATURATED", warning,
       "A counter of a port is at its largest value and counts no further.",
       "A narrow counter (4 to 32 bits) that was not cleared for a long time.",
       "Growth of this counter is not known until it is cleared.",
       "Clear it (perfquery -R), or set perfmgr_clear_saturated TRUE."}};
  ConditionRow counters_unavailable{
      {*this, "SM-COUNTERS-UNAVAILABLE", info, "Counters of a node cannot be read.",
       "Its performance management agent rejects the query, does not answer, redirects without "
       "end, or answers wrongly; or this machine refuses an agent of that class.",
       "They are missing in metrics; the rest of the fabric is read. It is queried again at the "
       "next poll, and what it rejected after an hour.",
       "Update the firmware of the device, if its counters matter.", has_figures}};
};
inline constexpr CounterConditions kCounterConditions;

}  // namespace sm
