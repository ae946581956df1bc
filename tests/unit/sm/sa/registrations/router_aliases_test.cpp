// Alias GUIDs that contain LIDs: where they are placed, and what becomes of those of other LIDs.
#include "sm/sa/registrations/router_aliases.h"

#include "fixture.h"

namespace sa::test {
namespace router_aliases_test {

class RouterAliases : public Clients {
 protected:
  RouterAliasUpdate update(bool set = true) {
    RouterAliasUpdate all;
    std::optional<std::size_t> next = 0;
    while (next) next = update_router_aliases(aliases(), subnet, set, *next, all);
    return all;
  }
  AliasGuids& aliases() { return registrations.alias_guids; }
  mad::Guid alias(unsigned host) const { return make_router_alias(lid(host)); }
};

TEST_F(RouterAliases, EachHostHasOneInItsFirstFreeEntry) {
  aliases().set({guid(1), 1}, {0xA0000000000001});
  aliases().set({guid(1), 2}, {0xA0000000000002});
  EXPECT_EQ(update().changed.size(), hosts.size());
  EXPECT_EQ(aliases().at({guid(0), 1}), alias(0));
  EXPECT_EQ(aliases().at({guid(1), 3}), alias(1)) << "what clients have set is kept";
  EXPECT_EQ(port_of(alias(1), subnet, aliases()), hosts[1]);
  EXPECT_EQ(aliases().all().size(), hosts.size() + 2) << "the switch has none";
  EXPECT_TRUE(update().changed.empty());
}

TEST_F(RouterAliases, PortsThatExchangeTheirLidsExchangeThem) {
  update();
  std::swap(subnet.lids.of_end_port[subnet.end_port_index[hosts[0]]],
            subnet.lids.of_end_port[subnet.end_port_index[hosts[4]]]);
  const RouterAliasUpdate changed = update();
  EXPECT_EQ(changed.changed, (std::set<AliasGuids::Block>{{guid(0), 0}, {guid(4), 0}}));
  for (const unsigned host : {0u, 4u}) {
    EXPECT_EQ(aliases().at({guid(host), 1}), make_router_alias(subnet.lid_range(hosts[host]).base));
    EXPECT_EQ(port_of(aliases().at({guid(host), 1}), subnet, aliases()), hosts[host]);
  }
  EXPECT_EQ(aliases().all().size(), hosts.size());
}

TEST_F(RouterAliases, AFullTableHasNone) {
  subnet.fabric.ports[hosts[0]].info.set_guid_cap(1);
  subnet.fabric.ports[hosts[1]].info.set_guid_cap(0);
  subnet.fabric.ports[hosts[2]].info.set_guid_cap(2);
  aliases().set({guid(2), 1}, {0xA0000000000001});
  EXPECT_EQ(update().without_entry, (std::set<mad::Guid>{guid(0), guid(1), guid(2)}));
  EXPECT_EQ(aliases().at({guid(2), 1}), mad::Guid{0xA0000000000001});
}

TEST_F(RouterAliases, TheyAreTakenAndOthersStay) {
  aliases().set({guid(1), 2}, {0xA0000000000002});
  update();
  EXPECT_EQ(update(false).changed.size(), hosts.size());
  EXPECT_EQ(aliases().all().size(), 1u);
}

TEST_F(RouterAliases, APortThatAClientIsChangingComesLater) {
  aliases().prepare(guid(0), {{1, {0xA0000000000001}}});
  update();
  EXPECT_EQ(aliases().owner(alias(0)), mad::Guid{});
  aliases().commit(guid(0));
  update();
  EXPECT_EQ(aliases().at({guid(0), 2}), alias(0));
}

}  // namespace router_aliases_test
}  // namespace sa::test
