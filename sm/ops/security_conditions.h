#pragma once
// Conditions of the keys that protect a manager.

#include "fabric/condition.h"

namespace sm {

struct SecurityConditions : ConditionSet {
  ConditionRow default_keys{
      {*this, "SM-DEFAULT-KEYS", info,
       "sm_key or sa_key has its default, which every program knows.", "The options were not set.",
       "Any host of the subnet can act as a subnet manager or as a trusted client of subnet "
       "administration.",
       "Set sm_key and sa_key to secret numbers, the same for all subnet managers. `heddlectl "
       "security` shows what else is open."}};
};
inline constexpr SecurityConditions kSecurityConditions;

}  // namespace sm
