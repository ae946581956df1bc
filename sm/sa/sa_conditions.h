#pragma once
// Conditions of subnet administration.

#include "fabric/condition.h"

namespace sa {

struct SaConditions : fabric::ConditionSet {
  fabric::ConditionRow sa_key_mismatch{
      {*this, "SA-KEY-MISMATCH", error,
       "A host asked subnet administration with an SM_Key that is not sa_key.",
       "Another sa_key on that host, or an attempt to guess it.", "The request is not answered.",
       "Set the same sa_key where trusted requests come from.", occurrence}};
  fabric::ConditionRow sa_busy{
      {*this, "SA-BUSY", warning,
       "Subnet administration dropped requests: it had no room or no time for them.",
       "Many hosts start at once, or one host sends requests without pause.",
       "Hosts repeat requests that have no answer; a status would be final for them.",
       "If one host causes it, look at that host.", occurrence}};
  fabric::ConditionRow sa_requests_refused{
      {*this, "SA-REQUEST-REFUSED", error, "Subnet administration refused requests of a host.",
       "Requests that the standard or the partitions of the host do not allow.",
       "The requests change nothing, and are answered with a status that says so, or not at all.",
       "The message names the host, the request and the reason: correct it there, or the "
       "partitions of the host.",
       occurrence}};
  fabric::ConditionRow sa_reports_dropped{
      {*this, "SA-REPORT-DROPPED", warning,
       "Reports to subscribers were dropped: they did not acknowledge them.",
       "A subscriber is gone, or too slow.",
       "Other subscribers get theirs; the subscription ends with the host.",
       "Nothing, if that host is gone; else look at the subscriber.", occurrence}};
};
inline constexpr SaConditions kSaConditions;

}  // namespace sa
