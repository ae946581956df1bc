#pragma once
// Who may program this subnet. Until handover is built, Heddle answers SMInfo truthfully, never
// writes to a fabric on which another manager is master, and takes over only when that one is gone.

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "mad/attributes/sm_info.h"

namespace sm {

/// What managers are compared by.
struct SmRank {
  std::uint8_t priority = 0;
  mad::Guid guid;
};
/// A higher priority wins; with equal priorities the lower GUID (IBTA Vol 1, 14.4.1).
constexpr bool outranks(const SmRank& a, const SmRank& b) {
  return a.priority != b.priority ? a.priority > b.priority : a.guid < b.guid;
}
SmRank rank_of(const mad::SmInfo& info);

enum class Verdict : std::uint8_t {
  lead,    // nobody stands above us: program the fabric
  follow,  // another manager is master, or should become it: write nothing, watch it
};

struct Judgement {
  Verdict verdict = Verdict::lead;
  std::optional<std::size_t> whom;  // index into `others` when following
  std::string_view why;             // for the log
};

/// After a look at the fabric: `state` is ours (discovering or master), `others` what the other
/// managers answered. Pure.
Judgement judge(const SmRank& self, mad::SmState state, std::span<const mad::SmInfo> others);

/// Where a Set(SMInfo) leads (IBTA Vol 1, 14.4.1): HANDOVER makes a standby take over (by way of a
/// full discovery) and a master look again, DISABLE and DISCOVER are for a standby, STANDBY wakes
/// one that is not active. Nothing for what is not legal in this state; ACKNOWLEDGE changes
/// nothing.
std::optional<mad::SmState> on_control(mad::SmState state, std::uint32_t control);

std::string_view state_text(mad::SmState state);  // "MASTER"

}  // namespace sm
