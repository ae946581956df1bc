#include "partitions/qos_lanes.h"

#include <optional>

namespace partitions {
namespace {

std::optional<mad::Sl> lane_of(const config::QosPolicy& policy, std::uint16_t partition) {
  for (const config::QosRule& rule : policy.rules) {
    if (!rule.p_keys.contains(partition)) continue;
    const bool names_more = !rule.sources.empty() || !rule.destinations.empty() || !rule.qos_classes.empty() || !rule.service_ids.empty();
    if (!names_more) return mad::Sl{policy.levels[rule.level].sl};
  }
  return std::nullopt;
}

}  // namespace

void take_qos_lanes(const config::QosPolicy& policy, sm::PartitionMap& partitions) {
  for (sm::Partition& partition : partitions.partitions) partition.sl = lane_of(policy, partition.key).value_or(partition.sl);
  for (sm::WellKnownGroup& group : partitions.groups) group.sl = lane_of(policy, mad::partition_of(group.p_key)).value_or(group.sl);
}

}  // namespace partitions
