#pragma once
// Election of the master SM (IBTA Vol 1, 14.4.1): this file decides which SMs count, and what the
// SMs that a survey found mean for this one.

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "fabric/condition.h"
#include "fabric/subnet.h"
#include "mad/attributes/sm_info.h"
#include "sm/election/state_machine.h"

namespace sm {

/// Holds priority and port GUID, by which SMs are compared.
struct SmRank {
  std::uint8_t priority = 0;
  mad::Guid guid;
};
/// True if `a` has the higher priority, or with equal priorities the lower GUID (IBTA Vol 1,
/// 14.4.1).
constexpr bool outranks(const SmRank& a, const SmRank& b) {
  return a.priority != b.priority ? a.priority > b.priority : a.guid < b.guid;
}
SmRank find_rank(const mad::SmInfo& info);

/// Holds the SMs of a survey that count in the election, and conditions about the others. Three
/// kinds do not count: SMs with another SM_Key (as in OpenSM, an own key of 0 accepts every key),
/// programs that answer with a GUID that is not their port's, and SMs at ports that are not
/// `allowed` (allowed_sm_guids, port GUIDs; empty: all are). `fabric` is the one of the survey.
struct OtherManagers {
  std::vector<OtherSm> trusted;
  std::vector<Condition> conditions;
};
OtherManagers check_managers(const Fabric& fabric, std::span<const OtherSm> found,
                             std::uint64_t sm_key, std::span<const std::uint64_t> allowed);

struct ElectionDecision {
  SmEvent event = SmEvent::found_no_other;
  std::optional<OtherSm> other = {};  // the SM that it is about; none with found_no_other
  std::string_view why = {};          // for the log
};

/// Decides what the SMs that were found mean for this one, whose `state` is DISCOVERING or MASTER.
/// A discovering SM follows the MASTER of highest rank, whatever its own rank, else the SM of
/// highest rank if that runs. A MASTER follows only a MASTER of higher rank, else hands over to the
/// STANDBY of highest rank. `passed_over` has SMs that have not done their part; they count only as
/// MASTER of higher rank. Pure.
ElectionDecision elect(const SmRank& self, mad::SmState state, std::span<const OtherSm> others,
                       std::span<const mad::Guid> passed_over = {});

/// Returns SM-MASTERSHIP-LOST: `self`, the rank of this manager while it was MASTER, and `master`,
/// a port of `fabric`, which leads now. One that was found as STANDBY got HANDOVER. Pure.
Condition mastership_lost(const Fabric& fabric, const SmRank& self, const OtherSm& master);

/// Returns one condition for each other SM that is MASTER while this one is MASTER, too.
std::vector<Condition> other_masters(const Fabric& fabric, const SmRank& self,
                                     std::span<const OtherSm> others);

}  // namespace sm
