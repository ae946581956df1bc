#pragma once
// Decisions of a sweep are pure functions of the survey, the state of devices and the
// configuration. They return conditions for what an operator should know.

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "fabric/subnet.h"
#include "partitions/kept_key.h"
#include "routing/multicast/multicast.h"
#include "routing/registry.h"
#include "sm/conditions/condition_log.h"
#include "sm/context/sweep_context.h"
#include "sm/store/ar_group_ids.h"
#include "sm/sweep/decide/kept_lids.h"
#include "sm/sweep/decide/lids.h"
#include "sm/sweep/decide/target.h"
#include "sm/sweep/devices/device_state.h"

namespace sm {

/// Holds all conditions that each source raises now.
using Findings = std::vector<std::pair<ConditionSource, std::vector<Condition>>>;

struct PartitionDecision {
  PartitionMap map;
  partitions::PKeyTargets p_keys;
};
/// `kept` (may be null): P_Keys of unknown origin that stay.
PartitionDecision decide_partitions(const SweepContext& context, const Fabric& fabric,
                                    const partitions::KeptKeys* kept = nullptr);

/// Holds the numbers of adaptive routing groups.
struct GroupNumbers {
  std::shared_ptr<const GroupIds> ids = {};  // in use; null: none
  GroupId limit = 4095;                      // the highest one that all switches can hold
};

/// Holds what routing starts from, as RoutingInput has it; if empty, it chooses all routes again.
struct RoutingStart {
  const ForwardingTables* previous = nullptr;
  std::optional<routing::PreviousRouting> before = {};
  bool adopt = false;
  std::string fallback_engine = {};  // see RoutingInput
  GroupNumbers numbers = {};
  routing::ConflictRemoval conflict_removal = routing::ConflictRemoval::none;
};

/// Says what `heddlectl rebalance` and the pass after bring-up do.
inline routing::ConflictRemoval conflict_removal_on_demand(const config::Options& options) {
  return options.rebalance ? routing::ConflictRemoval::always : routing::ConflictRemoval::none;
}

/// Returns the tables of the first engine of the options whose tables verify() accepts. If it
/// returns nullopt, nothing may be written. `lids`: of physical ports; `kept`: from placed().
std::optional<routing::ChainResult> decide_routing(const SweepContext& context,
                                                   const Fabric& fabric, const LidMap& lids,
                                                   const KeptLids& kept, const RoutingStart& start,
                                                   Findings& findings);

/// Finds options of virtual lanes that have no effect with this routing, or may stop traffic.
void check_vl_settings(const SweepContext& context, const Fabric& fabric,
                       const PublishedRouting& routing, Findings& findings);

/// Holds what trees start from.
struct TreeStart {
  struct Previous {
    const routing::MulticastRouter* router = nullptr;  // of `tables`; null: there is none
    std::span<const routing::MulticastGroup> groups = {};
    std::span<const routing::MulticastFinding> limits = {};  // of these groups
    bool is_loop_free = false;  // together with unicast, as it is routed now
  };
  MulticastTables tables;
  std::vector<mad::Guid> centres = {};  // of the previous router
  Previous previous = {};
};

/// Returns trees for all groups (as routing::joined_by_mlid() returns them). An engine that
/// promises no credit loops does so for unicast, and multicast on the same VLs must not add one. If
/// the trees do, this searches one tree for all groups that does not. `verified`: the state of
/// these tables. `limits`: what keeps groups from full service.
routing::MulticastRouter decide_multicast(const Subnet& subnet, const ForwardingTables& lfts,
                                          const routing::RoutingState& verified,
                                          const TreeStart& start,
                                          const std::vector<routing::MulticastGroup>& groups,
                                          std::vector<routing::MulticastFinding>& limits,
                                          Findings& findings);
/// Returns SM-MCAST-CREDIT-LOOP if these trees and unicast form a credit loop.
std::vector<Condition> multicast_loops(const Subnet& subnet, const ForwardingTables& lfts,
                                       const routing::RoutingState& verified,
                                       const routing::MulticastRouter& router,
                                       const std::vector<routing::MulticastGroup>& groups);

/// Returns conditions for groups whose SL some port drops.
std::vector<Condition> dropped_groups(const VlTables& vl_tables,
                                      const std::vector<routing::MulticastGroup>& groups);

/// Returns conditions for the first hundred limits that keep groups from full service.
std::vector<Condition> make_conditions(const std::vector<routing::MulticastFinding>& findings,
                                       const Fabric& fabric);

}  // namespace sm
