#pragma once
// Says which nodes were replaced, and which files still name the old ones.

#include <map>
#include <string>
#include <vector>

#include "fabric/condition.h"
#include "sm/context/sweep_context.h"
#include "sm/sweep/decide/node_places.h"

namespace sm {

inline constexpr std::size_t kReplacedNamed = 10;

/// Returns what in the configuration names one of these GUIDs, of a node and of its ports:
/// "root_guid_file (/etc/opensm/roots)", "partition 0x8001 (storage) of the API". Pure.
std::vector<std::string> places_that_name(const SweepContext& context,
                                          const std::vector<mad::Guid>& guids);

/// Returns SM-NODE-REPLACED for each of these replacements, by lost node; beyond kReplacedNamed one
/// condition that counts the others. A CA or router that nothing names is an info. Pure.
std::vector<Condition> replaced_nodes(const SweepContext& context,
                                      const std::map<mad::Guid, Replacement>& replacements);

}  // namespace sm
