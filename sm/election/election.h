#pragma once
// Election of the master SM (IBTA Vol 1, 14.4.1): which SMs count, and what those that were found
// mean for this one.

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

/// Priority and port GUID, by which SMs are compared.
struct SmRank {
  std::uint8_t priority = 0;
  mad::Guid guid;
};
/// A higher priority wins; with equal priorities the lower GUID (IBTA Vol 1, 14.4.1).
constexpr bool outranks(const SmRank& a, const SmRank& b) {
  return a.priority != b.priority ? a.priority > b.priority : a.guid < b.guid;
}
SmRank find_rank(const mad::SmInfo& info);

/// The SMs of a survey that count in the election, and conditions about those that do not: SMs with
/// another SM_Key (as in OpenSM, an own key of 0 accepts every key), programs that answer with a
/// GUID that is not their port's, and SMs at ports that are not `allowed` (allowed_sm_guids, port
/// GUIDs; empty: all are). `fabric`: of the survey.
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

/// Decides what the SMs that were found mean for this one. `state`: DISCOVERING or MASTER. A
/// discovering SM follows the MASTER of highest rank, whatever its own rank, else the SM of highest
/// rank if that runs; a MASTER follows only a MASTER of higher rank, else hands over to the STANDBY
/// of highest rank. `passed_over`: SMs that have not done their part; as MASTER of higher rank they
/// count. Pure.
ElectionDecision elect(const SmRank& self, mad::SmState state, std::span<const OtherSm> others,
                       std::span<const mad::Guid> passed_over = {});

/// One condition for each of the SMs that is MASTER, too, while this one leads.
std::vector<Condition> other_masters(const Fabric& fabric, const SmRank& self,
                                     std::span<const OtherSm> others);

}  // namespace sm
