#pragma once
// What clients have registered with subnet administration. The control thread's alone; survives a restart (see store.h).

#include "sm/sa/registrations/alias_guids.h"
#include "sm/sa/registrations/groups.h"

namespace sa {

struct Registrations {
  Groups groups;
  AliasGuids alias_guids;
};

}  // namespace sa
