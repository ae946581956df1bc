#pragma once
// Conditions about the other subnet managers.

#include "fabric/condition.h"

namespace sm {

struct ElectionConditions : ConditionSet {
  ConditionRow sm_key_mismatch{
      {*this, "SM-KEY-MISMATCH", critical, "Another subnet manager has another SM_Key.",
       "sm_key differs between the subnet managers of this subnet.",
       "It is treated as absent, as in OpenSM.",
       "Set the same sm_key everywhere, or remove the other subnet manager."}};
  ConditionRow sm_not_allowed{
      {*this, "SM-NOT-ALLOWED", error,
       "A subnet manager runs at a port that allowed_sm_guids does not name.",
       "A subnet manager was started on the wrong host, or the list lacks its port GUID.",
       "It is treated as absent; if it does the same, both are MASTER.",
       "Stop it, or add its port GUID to allowed_sm_guids."}};
  ConditionRow other_master{
      {*this, "SM-OTHER-MASTER", error,
       "Another subnet manager of lower rank is MASTER at the same time.",
       "Two subnets were joined, or the other subnet manager cannot see this one.",
       "This one stays MASTER.",
       "Stop the other subnet manager if it does not enter STANDBY by itself."}};
  ConditionRow master_unexpected{
      {*this, "SM-MASTER-UNEXPECTED", warning,
       "Another subnet manager took the subnet over from this one, which has never been its "
       "standby.",
       "A subnet manager was started without a plan, such as one in a switch or on a new host, "
       "with a higher priority or a lower GUID.",
       "This one is STANDBY. The condition is active until this one is MASTER again, or "
       "allowed_sm_guids names the other one.",
       "If the other one is wanted, name it in allowed_sm_guids; if not, stop it, or name those "
       "that are."}};
};
inline constexpr ElectionConditions kElectionConditions;

struct MastershipConditions : ConditionSet {
  ConditionRow handover_failed{
      {*this, "SM-HANDOVER-FAILED", warning,
       "A subnet manager of higher rank did not take the subnet over.",
       "It did not answer HANDOVER, refused it, or accepted it and did not become MASTER.",
       "This one stays MASTER, and offers the subnet again after a pause that grows.",
       "Check that subnet manager, or lower its priority.", occurrence}};
  ConditionRow mastership_lost{
      {*this, "SM-MASTERSHIP-LOST", warning,
       "Another subnet manager has taken the subnet over from this one.",
       "It was started or came back with a higher priority, or with the same one and a lower GUID.",
       "This one is STANDBY, and takes over when the other one ends.",
       "Nothing, if that was planned; otherwise stop the other one, or raise sm_priority here.",
       occurrence}};
  ConditionRow master_stalled{
      {*this, "SM-MASTER-STALLED", warning,
       "The master answers polls, but its ActCount does not grow.",
       "The master subnet manager hangs, or another program answers in its place.",
       "As long as it answers, no other manager takes over.",
       "Check the master; restart it if it hangs."}};
};
inline constexpr MastershipConditions kMastershipConditions;

}  // namespace sm
