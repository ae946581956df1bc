#include "sm/election/election.h"

#include <algorithm>

#include "fabric/fabric_conditions.h"
#include "mad/format.h"
#include "sm/election/election_conditions.h"

namespace sm {

SmRank find_rank(const mad::SmInfo& info) {
  return {.priority = info.priority(), .guid = info.guid()};
}

OtherManagers check_managers(const Fabric& fabric, std::span<const OtherSm> found,
                             std::uint64_t sm_key, std::span<const std::uint64_t> allowed) {
  OtherManagers result;
  for (const OtherSm& sm : found) {
    if (sm.port == kNoIndex) continue;
    const mad::Guid guid = fabric.ports[sm.port].guid;
    const auto ignored = [&](ConditionId id, std::string text) {
      result.conditions.push_back({.id = id, .text = std::move(text), .guid = guid});
    };
    if (sm.info.guid() != guid) {
      ignored(kFabricConditions.response_malformed,
              fmt::format("SMInfo of {} carries GUID {}, which is not that port's; this subnet "
                          "manager is treated as absent",
                          fabric.port_name(sm.port), sm.info.guid()));
    } else if (sm.info.sm_state() > mad::SmState::master) {
      ignored(kFabricConditions.response_malformed,
              fmt::format("SMInfo of {} carries SMState {}, which does not exist; this subnet "
                          "manager is treated as absent",
                          fabric.port_name(sm.port), static_cast<unsigned>(sm.info.sm_state())));
    } else if (sm_key != 0 && sm.info.sm_key() != sm_key) {
      ignored(kElectionConditions.sm_key_mismatch,
              fmt::format("the subnet manager at {} has another SM_Key; it is treated as absent",
                          fabric.port_name(sm.port)));
    } else if (!allowed.empty() && std::ranges::find(allowed, guid.value) == allowed.end()) {
      ignored(kElectionConditions.sm_not_allowed,
              fmt::format("the subnet manager at {} is not in allowed_sm_guids; it is treated as "
                          "absent",
                          fabric.port_name(sm.port)));
    } else {
      result.trusted.push_back(sm);
    }
  }
  return result;
}

ElectionDecision elect(const SmRank& self, mad::SmState state, std::span<const OtherSm> others,
                       std::span<const mad::Guid> passed_over) {
  using mad::SmState;
  const auto highest = [&](auto counts) {
    const OtherSm* best = nullptr;
    for (const OtherSm& other : others) {
      if (other.info.guid() == self.guid || !counts(other)) continue;
      if (best == nullptr || outranks(find_rank(other.info), find_rank(best->info))) best = &other;
    }
    return best;
  };
  const auto above = [&](const OtherSm& sm) { return outranks(find_rank(sm.info), self); };
  const auto in_turn = [&](const OtherSm& sm) {
    return std::ranges::find(passed_over, sm.info.guid()) == passed_over.end();
  };
  const bool leads = state == SmState::master;

  if (const OtherSm* master = highest([&](const OtherSm& sm) {
        return sm.info.sm_state() == SmState::master && (!leads || above(sm));
      }))
    return {SmEvent::found_master, *master, "another subnet manager is MASTER"};
  if (const OtherSm* higher = highest([&](const OtherSm& sm) {
        // A MASTER waits until the other SM has ended its discovery, which finds this one.
        const bool runs = sm.info.sm_state() == SmState::standby ||
                          (!leads && sm.info.sm_state() == SmState::discovering);
        return runs && above(sm) && in_turn(sm);
      }))
    return {SmEvent::found_higher, *higher,
            leads ? "a subnet manager of higher rank is STANDBY"
                  : "a subnet manager of higher rank is about to become MASTER"};
  if (const OtherSm* lower = highest([&](const OtherSm& sm) {
        return leads && sm.info.sm_state() == SmState::master && in_turn(sm);
      }))
    return {SmEvent::found_lower_master, *lower, "a subnet manager of lower rank is MASTER"};
  return {};
}

Condition mastership_lost(const Fabric& fabric, const SmRank& self, const OtherSm& master) {
  const Port& port = fabric.ports[master.port];
  const std::string name =
      fmt::format("{} (PortGUID {}, LID {}, priority {})", fabric.port_name(master.port),
                  master.info.guid(), port.info.lid(), master.info.priority());
  const std::string own = fmt::format(
      "this one has priority {} and PortGUID {}, and is STANDBY now", self.priority, self.guid);
  const bool was_handed_over = master.info.sm_state() == mad::SmState::standby;
  return {.id = kMastershipConditions.mastership_lost,
          .text = was_handed_over
                      ? fmt::format("mastership lost: this manager handed the subnet over to the "
                                    "subnet manager at {}; {}",
                                    name, own)
                      : fmt::format("mastership lost: the subnet manager at {} has taken the "
                                    "subnet over; {}",
                                    name, own),
          .guid = master.info.guid()};
}

std::vector<Condition> other_masters(const Fabric& fabric, const SmRank& self,
                                     std::span<const OtherSm> others) {
  std::vector<Condition> result;
  for (const OtherSm& other : others) {
    if (other.info.sm_state() != mad::SmState::master || outranks(find_rank(other.info), self))
      continue;
    result.push_back({.id = kElectionConditions.other_master,
                      .text = fmt::format("the subnet manager at {} with priority {} is MASTER, "
                                          "too; this one has higher rank and stays MASTER",
                                          fabric.port_name(other.port), other.info.priority()),
                      .guid = other.info.guid()});
  }
  return result;
}

}  // namespace sm
