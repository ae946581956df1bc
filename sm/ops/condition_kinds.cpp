#include "sm/ops/condition_kinds.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "fabric/fabric_conditions.h"
#include "partitions/partition_conditions.h"
#include "routing/core/routing_conditions.h"
#include "sm/conditions/manager_conditions.h"
#include "sm/congestion/congestion_conditions.h"
#include "sm/election/election_conditions.h"
#include "sm/health/health_conditions.h"
#include "sm/keys/class_key_conditions.h"
#include "sm/ops/security.h"
#include "sm/performance/counter_conditions.h"
#include "sm/sa/sa_conditions.h"
#include "sm/store/replica/replica_conditions.h"
#include "sm/sweep/devices/sweep_conditions.h"
#include "virt/virt_conditions.h"
#include "virt/vnic/vnic_conditions.h"

namespace sm {
namespace {

/// A new set of a module is listed here.
constexpr auto kConditionSets = std::to_array<const ConditionSet*>(
    {&kFabricConditions,        &kSweepConditions,
     &kLidConditions,           &partitions::kPartitionConditions,
     &virt::kVirtConditions,    &routing::kRoutingConditions,
     &kWriteConditions,         &kManagerConditions,
     &kElectionConditions,      &sa::kSaConditions,
     &kMastershipConditions,    &kReplicaConditions,
     &kConfigurationConditions, &kCounterConditions,
     &kCongestionConditions,    &kAdaptiveConditions,
     &kRouterConditions,        &kHealthConditions,
     &kTopologyConditions,      &kNamedGuidConditions,
     &kOutputConditions,        &kClassKeyConditions,
     &kSecurityConditions,      &vnic::kVnicConditions});

constexpr auto kConditionKinds = [] {
  constexpr std::size_t kCount = [] {
    std::size_t count = 0;
    for (const ConditionSet* set : kConditionSets) count += set->ids().size();
    return count;
  }();
  std::array<ConditionId, kCount> all{};
  auto end = all.begin();
  for (const ConditionSet* set : kConditionSets) end = std::ranges::copy(set->ids(), end).out;
  return all;
}();

}  // namespace

std::span<const ConditionId> condition_kinds() { return kConditionKinds; }

std::optional<ConditionId> find_condition_kind(std::string_view name) {
  const auto upper = [](char c) { return std::toupper(static_cast<unsigned char>(c)); };
  const auto found = std::ranges::find_if(kConditionKinds, [&](ConditionId id) {
    return std::ranges::equal(id->name, name, {}, upper, upper);
  });
  return found == kConditionKinds.end() ? std::nullopt : std::optional(*found);
}

}  // namespace sm
