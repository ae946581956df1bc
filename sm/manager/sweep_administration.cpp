#include "sm/manager/sweep_administration.h"

namespace sm {

Registered SweepAdministration::prepare(const Subnet& draft, const SweepContext& context) {
  administrator_.prepare(draft, context);
  replication_.prepared();
  Registered all{.reregistration = administrator_.reregistration(),
                 .known_manager = administrator_.known_manager()};
  for (const sa::AliasWrite& write : administrator_.lost_aliases(draft))
    all.alias_guids.push_back({write.port_guid, write.block, write.guid_info});
  return all;
}

std::optional<mad::Mlid> SweepAdministration::append_groups(
    const Subnet& subnet, mad::Mlid first, std::vector<routing::MulticastGroup>& groups) {
  if (first == mad::Mlid{}) loop_.scheduler().take_groups();
  return administrator_.append_groups_for_routing(subnet, first, groups);
}

}  // namespace sm
