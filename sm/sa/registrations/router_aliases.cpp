#include "sm/sa/registrations/router_aliases.h"

#include <algorithm>
#include <vector>

#include "sm/sa/registrations/registration_limits.h"

namespace sa {
namespace {

constexpr std::size_t kEndPortsAtOnce = 1'024;

/// Calls `act` with each entry of a port's GUID table; it may change the table.
template <class Act>
void for_each_alias(const AliasGuids& aliases, mad::Guid port_guid, Act act) {
  const AliasGuids::All& all = aliases.all();
  for (auto at = all.lower_bound({port_guid, 0});
       at != all.end() && at->first.port_guid == port_guid;) {
    const auto [place, alias] = *at++;
    act(place, alias);
  }
}

class Update {
 public:
  Update(AliasGuids& aliases, RouterAliasUpdate& update) : aliases_(aliases), update_(update) {}

  void set(AliasPlace place, mad::Guid alias) {
    aliases_.set(place, alias);
    update_.changed.insert({place.port_guid, place.index / mad::GuidInfo::kEntries});
  }
  /// Removes all router aliases of the port except `kept`.
  void take(mad::Guid port_guid, mad::Guid kept) {
    for_each_alias(aliases_, port_guid, [&](AliasPlace place, mad::Guid alias) {
      if (is_router_alias(alias) && alias != kept) set(place, {});
    });
  }
  void give(mad::Guid port_guid, mad::Guid alias, unsigned guid_cap) {
    take(port_guid, alias);
    const mad::Guid owner = aliases_.owner(alias);
    if (owner == port_guid) return;
    unsigned free = 1;
    for_each_alias(aliases_, port_guid, [&](AliasPlace place, mad::Guid) {
      if (place.index == free) ++free;
    });
    if (free >= guid_cap || aliases_.all().size() >= kAliases) {
      update_.without_entry.insert(port_guid);
      return;
    }
    if (owner != mad::Guid{})  // the LID was that of another port
      for_each_alias(aliases_, owner, [&](AliasPlace place, mad::Guid its) {
        if (its == alias) set(place, {});
      });
    set({port_guid, free}, alias);
  }

 private:
  AliasGuids& aliases_;
  RouterAliasUpdate& update_;
};

}  // namespace

std::optional<std::size_t> update_router_aliases(AliasGuids& aliases, const fabric::Subnet& subnet,
                                                 bool set, std::size_t first,
                                                 RouterAliasUpdate& update) {
  const fabric::Fabric& fabric = subnet.fabric;
  const std::size_t end = std::min(first + kEndPortsAtOnce, fabric.end_ports.size());
  Update ports(aliases, update);
  for (std::size_t number = first; number < end; ++number) {
    const fabric::PortIndex index = fabric.end_ports[fabric::EndPortIndex(number)];
    const fabric::Port& port = fabric.ports[index];
    if (aliases.is_changing(port.guid)) continue;
    const mad::Lid lid = subnet.lid_range(index).base;
    if (!set)
      ports.take(port.guid, {});
    else if (fabric.owning_node(index).type == mad::NodeType::ca && port.known && lid != mad::Lid{})
      ports.give(port.guid, make_router_alias(lid), port.info.guid_cap());
  }
  return end == fabric.end_ports.size() ? std::nullopt : std::optional(end);
}

void drop_router_aliases(AliasGuids& aliases, mad::Guid port_guid) {
  RouterAliasUpdate ignored;
  Update(aliases, ignored).take(port_guid, {});
}

}  // namespace sa
