#include "sm/manager/sweep_administration.h"

#include "sm/sa/registrations/router_aliases.h"

namespace sm {

Registered SweepAdministration::prepare(const Subnet& draft, const SweepContext& context) {
  administrator_.prepare(draft, context);
  replication_.prepared();
  Registered all{.reregistration = administrator_.reregistration(),
                 .known_manager = administrator_.known_manager(),
                 .unacknowledged = administrator_.unacknowledged(draft)};
  for (const sa::AliasWrite& write : administrator_.lost_aliases(draft))
    all.alias_guids.push_back({write.port_guid, write.block, write.guid_info});
  return all;
}

std::optional<std::size_t> SweepAdministration::update_router_aliases(const Subnet& draft,
                                                                      const SweepContext& context,
                                                                      std::size_t first,
                                                                      RouterAliasChange& change) {
  const std::uint8_t mode = context.options.rtr_aguid_enable;
  sa::AliasGuids& aliases = administrator_.registrations().alias_guids;
  if (mode != kSetRouterAliases && mode != kRemoveRouterAliases) {
    for (const auto& [port, block] : change.due) sa::drop_router_aliases(aliases, port);
    change = {};
    return std::nullopt;
  }
  sa::RouterAliasUpdate update;
  const auto next =
      sa::update_router_aliases(aliases, draft, mode == kSetRouterAliases, first, update);
  for (const auto& [port, block] : update.changed) change.due.emplace(port, block);
  change.without_entry.merge(update.without_entry);
  if (next) return next;
  for (const auto& [port, block] : change.due)
    change.blocks.push_back({port, block, aliases.block(port, block)});
  return std::nullopt;
}

std::optional<mad::Mlid> SweepAdministration::append_groups(
    const Subnet& subnet, mad::Mlid first, std::vector<routing::MulticastGroup>& groups) {
  if (first == mad::Mlid{}) loop_.scheduler().take_groups();
  return administrator_.append_groups_for_routing(subnet, first, groups);
}

}  // namespace sm
