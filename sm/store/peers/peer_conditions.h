#pragma once
// Conditions of a store that managers keep together.

#include "fabric/condition.h"

namespace sm {

struct PeerConditions : ConditionSet {
  ConditionRow changes_lost{
      {*this, "SM-STATE-CONFLICT", error,
       "Two managers led at the same time and changed the same records; the values of one of them "
       "were not kept.",
       "The fabric was divided, or the managers could not see each other, and partitions, "
       "isolation "
       "orders or registrations were changed in both halves.",
       "The values of the manager that kept mastership are in force; both values are in the file "
       "that the condition names. The condition ends with the daemon.",
       "Compare the file with what the site wants, make lost changes again, and remove the file."}};
};
inline constexpr PeerConditions kPeerConditions;

}  // namespace sm
