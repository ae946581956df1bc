#pragma once
// Memberships in partitions of the API that changed: what they mean for ports and vports. Pure.

#include <unordered_map>
#include <vector>

#include "sm/context/sweep_context.h"
#include "sm/sweep/decide/target.h"
#include "sm/sweep/decide/vport_decision.h"
#include "sm/sweep/devices/device_state.h"

namespace sm {

/// Holds what is decided for the changed GUIDs.
struct MemberDecision {
  Subnet next;
  Target target;                 // p_keys, of `ports`; vports: those that changed, and index 0 of
                                 // ports that did
  std::vector<mad::Guid> ports;  // physical ports that were decided
  std::size_t decided = 0;       // ports and vports
  bool is_for_all = false;       // one of them needs a decision of all: there is nothing else here
  bool is_empty = false;         // nothing of it is in the fabric: there is nothing else here
  bool partitions_differ = false;
};
/// `kept` (may be null): P_Keys of unknown origin that stay.
MemberDecision decide_members(const SweepContext& context, const Subnet& before,
                              const DeviceState& devices, const std::vector<mad::Guid>& guids,
                              const partitions::KeptKeys* kept = nullptr);

}  // namespace sm
