#pragma once
// What clients have registered with subnet administration. Used by the control thread only; kept
// across restarts (persistence.h).

#include "sm/sa/registrations/alias_guids.h"
#include "sm/sa/registrations/groups.h"
#include "sm/sa/registrations/services.h"
#include "sm/sa/registrations/subscriptions.h"

namespace sa {

struct Registrations {
  Groups groups;
  Services services;
  Subscriptions subscriptions;
  AliasGuids alias_guids;
};

}  // namespace sa
