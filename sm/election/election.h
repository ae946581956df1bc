#pragma once
// Election of the master SM (IBTA Vol 1, 14.4.1). Until handover is built, Heddle does not write to
// a fabric that has another master, and becomes master only when that one has disappeared.

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "fabric/condition.h"
#include "fabric/subnet.h"
#include "mad/attributes/sm_info.h"

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
SmRank rank_of(const mad::SmInfo& info);

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
  // master: this SM leads. standby: another SM is master, or has higher rank.
  mad::SmState next = mad::SmState::master;
  std::optional<OtherSm> standby_of = {};  // with `standby` only
  std::string_view why = {};               // for the log
};

/// The decision after a discovery. `state`: of this SM (discovering or master). A starting SM
/// follows any master; a master follows only one of higher rank. Pure.
ElectionDecision elect(const SmRank& self, mad::SmState state, std::span<const OtherSm> others);

/// One condition for each of the SMs that is MASTER, too, while this one leads.
std::vector<Condition> other_masters(const Fabric& fabric, std::span<const OtherSm> others);

/// The state after a Set(SMInfo) (IBTA Vol 1, 14.4.1): after HANDOVER a standby enters DISCOVERING
/// and a master stays MASTER, DISABLE and DISCOVER are legal for a standby, STANDBY for an SM that
/// is not active. Nothing for an attribute modifier that is illegal in this state; ACKNOWLEDGE
/// changes nothing.
std::optional<mad::SmState> on_control(mad::SmState state, std::uint32_t control);

std::string_view state_text(mad::SmState state);  // "MASTER"

}  // namespace sm
