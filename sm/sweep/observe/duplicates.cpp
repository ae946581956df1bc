#include "sm/sweep/observe/duplicates.h"
#include "fabric/fabric_conditions.h"

#include <tuple>

namespace sm {

bool precedes(const GuidClaim& a, const GuidClaim& b) {
  const auto rank = [](const GuidClaim& claim) {
    return std::tuple(!claim.is_own, !claim.held_guid, !claim.was_here, !claim.guids_agree,
                      !claim.is_switch, claim.hops, claim.front);
  };
  return rank(a) < rank(b);
}

bool guids_agree(const mad::NodeInfo& info) {
  return info.port_guid().value - info.node_guid().value <= info.num_ports();
}

std::set<PortPlace> copy_places(const Fabric& surveyed) {
  std::set<PortPlace> places;
  for (const Condition& condition : surveyed.conditions)
    if (condition.id == kFabricConditions.guid_duplicate && condition.port)
      places.insert({.node = condition.guid, .port = *condition.port});
  return places;
}

}  // namespace sm
