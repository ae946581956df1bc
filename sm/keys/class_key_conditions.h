#pragma once
// Conditions of the keys of management classes.

#include "fabric/condition.h"

namespace sm {

struct ClassKeyConditions : ConditionSet {
  ConditionRow class_key_unknown{
      {*this, "SM-CLASS-KEY-UNKNOWN", error,
       "A device does not answer requests of a management class with any key that it may have.",
       "Another subnet manager set its key, and guid2vskey or guid2_m2n_key was not copied; "
       "key_mgr_seed was changed while no subnet manager ran; or its agent hangs.",
       "After three attempts it is not queried until it returns or restarts, or the configuration "
       "is read again. Its key of that class stays as it is.",
       "Add a line with PortGUID and key to the file of the class, and send SIGHUP; or restart "
       "the device."}};
  ConditionRow class_key_violation{
      {*this, "SM-CLASS-KEY-VIOLATION", error,
       "A device received a request of a management class with a wrong key (trap 0 of the class, "
       "or its counter of violations).",
       "A diagnostic program without the keys, another subnet manager, or an intruder on the host "
       "that the message names.",
       "The request had no effect.",
       "Check the host that the message names. Programs that need the keys read guid2vskey and "
       "guid2_m2n_key.",
       occurrence}};
};
inline constexpr ClassKeyConditions kClassKeyConditions;

}  // namespace sm
