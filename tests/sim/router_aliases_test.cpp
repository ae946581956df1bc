// Alias GUIDs with LIDs (rtr_aguid_enable): routers that take the DLID from the DGID deliver to
// them, after restarts and changes of LIDs, too; ports that refuse them; how they end.

#include <gmock/gmock.h>

#include "mad/records/fabric_records.h"
#include "sim/joined_subnets.h"
#include "sm/sweep/devices/sweep_conditions.h"

namespace router_aliases_test {

using namespace laboratory;
namespace sa_status = mad::sa_status;

/// Two subnets with one router, which takes DLIDs from DGIDs.
struct Net : JoinedSubnets {
  Net() : JoinedSubnets(2) {
    routers.faults(join({0, 1})).dlid_from_dgid = true;
    for (config::Options& each : options) each.rtr_aguid_enable = 1;
  }
  sim::PortModel& port(std::size_t subnet, unsigned number) {
    return world(subnet).model.ports[host(subnet, number)];
  }
  /// The alias GID of a host by its LID now.
  mad::Gid alias(std::size_t subnet, unsigned number) {
    return {prefix(subnet), mad::Guid{port(subnet, number).info.lid().value}};
  }
  std::vector<mad::Guid> table(std::size_t subnet, unsigned number) {
    return world(subnet).model.extras(host(subnet, number)).alias_guids;
  }
  bool has_alias(std::size_t subnet, unsigned number) {
    const std::vector<mad::Guid> all = table(subnet, number);
    return std::ranges::count(all, alias(subnet, number).guid) == 1;
  }
  bool reaches_alias(std::size_t from, unsigned from_host, std::size_t to, unsigned to_host) {
    const sim::Journey journey = travel(from, from_host, alias(to, to_host));
    return journey.delivered() && journey.world == &world(to) && journey.end == host(to, to_host);
  }
  bool all_reach_all() {
    for (const unsigned from : {0u, 1u, 2u, 3u})
      for (const unsigned to : {0u, 1u, 2u, 3u})
        if (!reaches_alias(0, from, 1, to) || !reaches_alias(1, to, 0, from)) return false;
    return true;
  }
  void reload(std::size_t subnet, std::uint8_t mode) {
    options[subnet].rtr_aguid_enable = mode;
    manager(subnet).reload(options[subnet]);
    runtime.run_for(10s);
  }
};

TEST(RouterAliases, RoutersThatTakeTheDlidFromTheDgidDeliverToThem) {
  Net net;
  ASSERT_TRUE(net.start());
  EXPECT_FALSE(net.arrives(0, 1, 1, 2)) << "the low 16 bits of a port GUID are no LID of the host";
  EXPECT_TRUE(net.all_reach_all());
  const auto answer = net.path(0, 1, net.alias(0, 1), net.alias(1, 2));
  ASSERT_TRUE(answer.path) << "the way back is by the SGID: it is an alias GID, too";
  EXPECT_EQ((answer.path->get<mad::Lid, "SLID">()), net.port(0, 1).info.lid());
  EXPECT_EQ(net.raised(0, sm::kRouterConditions.router_alias_missing), 0u);
}

TEST(RouterAliases, ARestartedHostGetsItsAliasAgain) {
  Net net;
  ASSERT_TRUE(net.start());
  net.world(1).reboot(net.world(1).model.ports[net.host(1, 2)].node);
  net.world(1).model.extras(net.host(1, 2)).alias_guids.clear();
  net.runtime.run_for(20s);
  EXPECT_TRUE(net.reaches_alias(0, 1, 1, 2)) << net.manager(1).tail();
}

TEST(RouterAliases, TheyFollowLidsThatChange) {
  Net net;
  ASSERT_TRUE(net.start());
  std::vector<mad::Lid> before;
  for (const unsigned number : {0u, 1u, 2u, 3u}) before.push_back(net.port(1, number).info.lid());
  net.options[1].lmc = 1;  // LIDs have to be even from now on
  net.manager(1).start(net.options[1]);
  net.runtime.run_for(30s);
  bool any = false;
  for (const unsigned number : {0u, 1u, 2u, 3u}) {
    any = any || net.port(1, number).info.lid() != before[number];
    EXPECT_TRUE(net.reaches_alias(0, 1, 1, number)) << number;
    const auto all = net.table(1, number);
    EXPECT_EQ(std::ranges::count_if(all, [](mad::Guid guid) { return guid != mad::Guid{}; }), 1)
        << "the old one is gone";
  }
  EXPECT_TRUE(any);
}

TEST(RouterAliases, APortThatRefusesOrLiesIsNamedAndWrittenAgain) {
  Net net;
  auto& refusing = net.world(1).model.nodes[net.world(1).model.ports[net.host(1, 1)].node].health;
  refusing.reject = [](mad::ConstSmpView smp) -> std::optional<std::uint16_t> {
    return smp.attribute_id() == mad::AttributeId::guid_info ? std::optional<std::uint16_t>(0x1C)
                                                             : std::nullopt;
  };
  auto& lying = net.world(1).model.nodes[net.world(1).model.ports[net.host(1, 2)].node].health;
  lying.edit_request = [](mad::SmpView smp) {
    if (smp.attribute_id() == mad::AttributeId::guid_info) smp.set_data(mad::GuidInfo().bytes());
  };
  ASSERT_TRUE(net.start()) << net.manager(1).tail();
  EXPECT_EQ(net.raised(1, sm::kRouterConditions.router_alias_missing), 1u);
  EXPECT_TRUE(net.manager(1).says("2 end ports lack the alias GUID with their LID: \"H1\""))
      << net.manager(1).tail();
  EXPECT_TRUE(net.reaches_alias(0, 1, 1, 3)) << "others have theirs";
  EXPECT_EQ(net.raised(1, sm::kWriteConditions.port_set_rejected), 2u);
  net.reload(1, 0);
  EXPECT_EQ(net.raised(1, sm::kWriteConditions.port_set_rejected), 0u) << "nothing should be set";
  EXPECT_EQ(net.raised(1, sm::kRouterConditions.router_alias_missing), 0u);
  net.reload(1, 1);
  refusing.reject = {};
  lying.edit_request = {};
  net.runtime.run_for(5min);
  EXPECT_TRUE(net.reaches_alias(0, 1, 1, 1)) << net.manager(1).tail();
  EXPECT_TRUE(net.reaches_alias(0, 1, 1, 2));
  EXPECT_EQ(net.raised(1, sm::kRouterConditions.router_alias_missing), 0u);
}

TEST(RouterAliases, AManagerThatStartsWritesThemUntilTheyAreAcknowledged) {
  Net net;
  ASSERT_TRUE(net.start());
  net.manager(1).stop();
  net.world(1).model.extras(net.host(1, 2)).alias_guids.clear();
  auto& health = net.world(1).model.nodes[net.world(1).model.ports[net.host(1, 2)].node].health;
  health.reject = [](mad::ConstSmpView smp) -> std::optional<std::uint16_t> {
    return smp.attribute_id() == mad::AttributeId::guid_info ? std::optional<std::uint16_t>(0x1C)
                                                             : std::nullopt;
  };
  net.manager(1).start(net.options[1]);
  net.runtime.run_for(20s);
  EXPECT_EQ(net.raised(1, sm::kRouterConditions.router_alias_missing), 1u) << net.manager(1).tail();
  health.reject = {};
  net.runtime.run_for(5min);
  EXPECT_TRUE(net.reaches_alias(0, 1, 1, 2));
  EXPECT_EQ(net.raised(1, sm::kRouterConditions.router_alias_missing), 0u);
}

TEST(RouterAliases, TheyEndWithTheOptionAndStayWithoutIt) {
  Net net;
  ASSERT_TRUE(net.start());
  net.reload(1, 0);
  EXPECT_TRUE(net.reaches_alias(0, 1, 1, 2)) << "0 leaves what is there";
  net.reload(1, 2);
  EXPECT_FALSE(net.has_alias(1, 2));
  EXPECT_EQ(net.travel(0, 1, net.alias(1, 2)).drop, sim::Drop::no_vport);
  net.reload(1, 1);
  EXPECT_TRUE(net.reaches_alias(0, 1, 1, 2));
}

TEST(RouterAliases, AHostCannotTakeTheAliasOfAnother) {
  Net net;
  ASSERT_TRUE(net.start());
  mad::GuidInfoRecord record;
  record.set_lid(net.port(1, 1).info.lid());
  mad::GuidInfo guids;
  guids.set_guid(1, net.alias(1, 2).guid);
  guids.set_guid(2, net.alias(1, 2).guid);
  guids.set_guid(3, mad::Guid{0xBEEF});
  record.set_guid_info(guids);
  std::uint64_t mask = std::uint64_t{1} << mad::GuidInfoRecord::kLid |
                       std::uint64_t{1} << mad::GuidInfoRecord::kBlockNum;
  for (const unsigned entry : {1u, 2u, 3u})
    mask |= std::uint64_t{1} << (mad::GuidInfoRecord::kGuid0 + entry);
  const auto reply =
      net.client(1, 1).query({.method = mad::Method::set,
                              .attribute = mad::GuidInfoRecord::kId,
                              .component_mask = mask,
                              .record = {record.bytes().begin(), record.bytes().end()},
                              .grh = {}});
  ASSERT_TRUE(reply);
  EXPECT_TRUE(net.has_alias(1, 1)) << "its own is not the client's to change";
  EXPECT_TRUE(net.has_alias(1, 2));
  EXPECT_EQ(std::ranges::count(net.table(1, 1), net.alias(1, 2).guid), 0);
  EXPECT_EQ(std::ranges::count(net.table(1, 1), mad::Guid{0xBEEF}), 0) << "it could be a LID";
  EXPECT_TRUE(net.reaches_alias(0, 1, 1, 2));
}

}  // namespace router_aliases_test
