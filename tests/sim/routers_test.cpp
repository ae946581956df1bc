// Subnets joined by routers: what managers learn of each other's subnets, the paths that they
// answer with, whether packets arrive on them, and routers that fail or lie.

#include <gmock/gmock.h>

#include "mad/records/mc_member_record.h"
#include "sim/joined_subnets.h"
#include "sm/sweep/devices/sweep_conditions.h"

namespace routers_test {

using namespace laboratory;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;
namespace sa_status = mad::sa_status;

TEST(Routers, PathsLeadToOtherSubnetsAndBack) {
  JoinedSubnets net(2);
  net.join({0, 1});
  net.join({0, 1}, 2);
  ASSERT_TRUE(net.start());
  EXPECT_THAT(net.reached(0), ElementsAre(Pair(net.prefix(1), 2u)));
  EXPECT_THAT(net.reached(1), ElementsAre(Pair(net.prefix(0), 2u)));
  std::set<std::size_t> used;
  for (const unsigned from : {0u, 1u, 2u, 3u}) {
    for (const unsigned to : {0u, 1u, 2u, 3u}) {
      EXPECT_TRUE(net.arrives(0, from, 1, to)) << from << " to " << to;
      EXPECT_TRUE(net.arrives(1, to, 0, from)) << to << " to " << from;
      for (const std::size_t router : net.travel(0, from, net.gid(1, to)).routers)
        used.insert(router);
    }
  }
  EXPECT_EQ(used.size(), 2u) << "the flows are spread over both";
  const auto answer = net.path(0, 1, net.gid(1, 2));
  ASSERT_TRUE(answer.path);
  EXPECT_EQ((answer.path->get<unsigned, "HopLimit">()), 255u);
  EXPECT_EQ((answer.path->get<std::uint64_t, "DGID.prefix">()), net.prefix(1));
}

TEST(Routers, RequestsThatNoRouterCanServeSaySo) {
  JoinedSubnets net(2);
  net.join({0, 1});
  ASSERT_TRUE(net.start());
  EXPECT_EQ(net.path(0, 1, {net.prefix(7), net.gid(1, 1).guid}).status, sa_status::kReqInvalidGid);
  EXPECT_EQ(net.path(0, 1, net.gid(1, 2), net.gid(0, 1)).status, sa_status::kReqInvalidGid)
      << "the SGID is of the other subnet";
  mad::McMemberRecord join;
  join.set_mgid({0xff15401bffff0000, mad::Guid{1}});
  join.set_port_gid(net.gid(1, 2));
  join.set_join_state(1);
  std::uint64_t mask = 0;
  for (const unsigned bit :
       {mad::McMemberRecord::kMgid, mad::McMemberRecord::kPortGid, mad::McMemberRecord::kJoinState})
    mask |= std::uint64_t{1} << bit;
  const auto reply = net.client(0, 1).query({.method = mad::Method::set,
                                             .attribute = mad::McMemberRecord::kId,
                                             .component_mask = mask,
                                             .record = {join.bytes().begin(), join.bytes().end()},
                                             .grh = {}});
  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->status(), sa_status::kReqInvalidGid);
  EXPECT_TRUE(net.manager(0).says("multicast stays within a subnet")) << net.manager(0).tail();
}

TEST(Routers, ManagementDatagramsCrossAndAreAnswered) {
  JoinedSubnets net(2);
  const std::size_t router = net.join({0, 1});
  ASSERT_TRUE(net.start());
  // A request of performance management to a host of the other subnet: its agent answers.
  const auto path = net.path(0, 1, net.gid(1, 3)).path;
  ASSERT_TRUE(path);
  mad::MadBytes bytes{};
  mad::MadView request{std::span<std::uint8_t, mad::kMadSizeBytes>(bytes)};
  request.set_base_version(mad::kBaseVersion);
  request.set_mgmt_class(mad::MgmtClass::performance);
  request.set_class_version(1);
  request.set_method(mad::Method::get);
  request.set_attribute_id(static_cast<mad::AttributeId>(1));  // ClassPortInfo
  request.set_transaction_id(77);
  const auto program = net.world(0).attach(net.host(0, 1));
  std::vector<mad::ReceivedMad> received;
  program->set_receiver([&](std::span<const mad::ReceivedMad> mads) {
    received.insert(received.end(), mads.begin(), mads.end());
  });
  mad::MadAddress to{.lid = path->get<mad::Lid, "DLID">(), .qpn = 1, .qkey = mad::kQp1QKey};
  to.grh = mad::GlobalRoute{.peer = net.gid(1, 3), .hop_limit = 2};
  ASSERT_EQ(program->send(bytes, to, 1000), 0);
  net.runtime.run_for(10ms);
  ASSERT_EQ(received.size(), 1u);
  EXPECT_EQ(received.front().from.grh->peer, net.gid(1, 3));
  EXPECT_EQ(received.front().from.grh->hop_limit, 254u) << "one router on the way back";
  EXPECT_EQ(net.routers.forwarded(router), 2u);
  to.grh->hop_limit = 1;
  ASSERT_EQ(program->send(bytes, to, 1000), 0);
  net.runtime.run_for(10ms);
  EXPECT_EQ(received.size(), 1u) << "no router forwards a packet with this hop limit";
}

TEST(Routers, PathsMoveWhenARouterLosesItsOtherSide) {
  JoinedSubnets net(2);
  const std::size_t first = net.join({0, 1}), second = net.join({0, 1}, 2);
  ASSERT_TRUE(net.start());
  const std::uint64_t sets = net.lft_sets(0);
  const auto uses = [&](std::size_t router) {
    std::size_t count = 0;
    for (const unsigned from : {1u, 2u, 3u})
      for (const unsigned to : {1u, 2u, 3u})
        for (const std::size_t of : net.travel(0, from, net.gid(1, to)).routers)
          count += of == router;
    return count;
  };
  ASSERT_GT(uses(first), 0u);
  const auto peer = net.world(1).model.ports[net.routers.port(first, net.world(1))].peer;
  net.world(1).cut(net.routers.port(first, net.world(1)));
  net.runtime.run_for(200ms);
  EXPECT_THAT(net.reached(0), ElementsAre(Pair(net.prefix(1), 1u)));
  EXPECT_EQ(uses(first), 0u);
  EXPECT_EQ(uses(second), 9u) << "every packet arrives";
  EXPECT_EQ(net.lft_sets(0), sets);
  EXPECT_EQ(net.raised(0, sm::kRouterConditions.router_lost), 1u) << net.manager(0).tail();
  const auto published = [&] { return net.manager(0).manager().status().subnet->routers; };
  EXPECT_EQ(published()->lost.size(), 1u);
  EXPECT_THAT(published()->unreachable(), IsEmpty());

  net.world(1).cut(net.routers.port(second, net.world(1)));
  net.runtime.run_for(200ms);
  EXPECT_THAT(net.reached(0), IsEmpty());
  EXPECT_EQ(net.raised(0, sm::kRouterConditions.subnet_unreachable), 1u);
  EXPECT_THAT(published()->unreachable(), ElementsAre(net.prefix(1)));
  EXPECT_EQ(net.raised(0, sm::kRouterConditions.router_lost), 0u);
  EXPECT_NE(net.path(0, 1, net.gid(1, 2)).status, sa_status::kReqInvalidGid)
      << "a moment ago a router led there: what comes back in a second is not denied";
  net.runtime.run_for(11s);
  EXPECT_EQ(net.path(0, 1, net.gid(1, 2)).status, sa_status::kReqInvalidGid);
  net.world(1).connect(net.routers.port(first, net.world(1)), peer);
  net.runtime.run_for(3s);
  EXPECT_TRUE(net.arrives(0, 1, 1, 2));
  EXPECT_EQ(net.raised(0, sm::kRouterConditions.subnet_unreachable), 0u);
  EXPECT_EQ(net.raised(0, sm::kRouterConditions.router_lost), 1u) << "the second one is still away";
}

TEST(Routers, PathsMoveWhenARouterIsSwitchedOff) {
  JoinedSubnets net(2);
  const std::size_t first = net.join({0, 1});
  net.join({0, 1}, 2);
  ASSERT_TRUE(net.start());
  const std::uint64_t sets = net.lft_sets(0);
  for (sim::World& world : net.worlds) world.power(net.routers.node(first, world), false);
  net.runtime.run_for(200ms);
  EXPECT_THAT(net.reached(0), ElementsAre(Pair(net.prefix(1), 1u)));
  for (const unsigned to : {1u, 2u, 3u}) EXPECT_TRUE(net.arrives(0, 1, 1, to));
  EXPECT_EQ(net.lft_sets(0), sets);
}

TEST(Routers, WithoutTrapsALightSweepFindsWhatRoutersReach) {
  JoinedSubnets net(2);
  const std::size_t router = net.join({0, 1});
  ASSERT_TRUE(net.start());
  net.world(0).model.nodes[net.routers.node(router, net.world(0))].health.withhold_traps = true;
  net.world(1).cut(net.routers.port(router, net.world(1)));
  net.runtime.run_for(kLightSweep);
  EXPECT_THAT(net.reached(0), IsEmpty());
}

TEST(Routers, SubnetsBehindOthersAreReachedThroughTwoRouters) {
  JoinedSubnets net(3);
  net.join({0, 1});
  net.join({1, 2}, 2);
  ASSERT_TRUE(net.start());
  EXPECT_THAT(net.reached(0), ElementsAre(Pair(net.prefix(1), 1u), Pair(net.prefix(2), 1u)));
  EXPECT_EQ(net.travel(0, 1, net.gid(2, 3)).routers.size(), 2u);
  EXPECT_TRUE(net.arrives(0, 1, 2, 3));
  EXPECT_TRUE(net.arrives(2, 3, 0, 1));
}

TEST(Routers, APartitionThatARouterLacksLeadsNowhere) {
  JoinedSubnets net(2);
  const std::size_t router = net.join({0, 1});
  ASSERT_TRUE(net.start());
  mad::PKeyTable other;
  other.set_p_key(0, mad::PKey{0x8123});
  sim::Model& far = net.world(1).model;
  net.manager(1).stop();  // it would repair this
  far.set_p_keys(net.routers.port(router, net.world(1)), 0, other);
  net.runtime.run_for(200ms);
  EXPECT_THAT(net.reached(0), IsEmpty()) << "the router has no partition in common there";
}

TEST(Routers, WhatCannotBeTrueIsLeftOut) {
  JoinedSubnets net(2);
  const std::size_t router = net.join({0, 1});
  const auto entry = [](std::uint64_t prefix, std::uint16_t key) {
    return mad::NextHopTable::Entry{.subnet_prefix = prefix, .weight = 0, .p_key = mad::PKey{key}};
  };
  net.routers.faults(router).lies = {
      entry(net.prefix(0), 0xFFFF), entry(0xFE80000000000000, 0xFFFF),
      entry(0xFF12000000000000, 0xFFFF), entry(0xFEC0000000000009, 0),
      entry(0xFEC0000000000009, 0x8000)};
  ASSERT_TRUE(net.start());
  EXPECT_THAT(net.reached(0), ElementsAre(Pair(net.prefix(1), 1u)));
  EXPECT_EQ(net.raised(0, sm::kRouterConditions.router_tables_unusable), 1u);
  EXPECT_TRUE(net.arrives(0, 1, 1, 2));
  EXPECT_EQ(net.path(0, 1, net.gid(0, 2)).status, 0) << "this subnet's own prefix is its own";
}

TEST(Routers, APolicyKeepsTrafficFromARouterThatLies) {
  JoinedSubnets net(2);
  const std::size_t liar = net.join({0}), honest = net.join({0, 1}, 2);
  net.routers.faults(liar).lies = {
      {.subnet_prefix = net.prefix(1), .weight = 0, .p_key = mad::kDefaultPKeyFull}};
  ASSERT_TRUE(net.start());
  EXPECT_THAT(net.reached(0), ElementsAre(Pair(net.prefix(1), 2u)));
  net.manager(0).files.router_policy.rules = {
      {.prefix = net.prefix(1),
       .routers = {
           {net.world(0).model.nodes[net.routers.node(honest, net.world(0))].info.node_guid().value,
            1}}}};
  net.manager(0).reload(net.options[0]);
  net.runtime.run_for(3s);
  for (const unsigned from : {1u, 2u, 3u})
    for (const unsigned to : {1u, 2u, 3u}) EXPECT_TRUE(net.arrives(0, from, 1, to));
}

TEST(Routers, LoopsOfRoutersEndWithTheHopLimit) {
  JoinedSubnets net(2);
  const std::size_t first = net.join({0, 1}), second = net.join({0, 1}, 2);
  net.routers.faults(first).detours[net.prefix(1)] = 1;  // back into subnet 0, to the other router
  net.routers.faults(second).detours[net.prefix(1)] = 1;
  ASSERT_TRUE(net.start());
  const sim::Journey journey = net.travel(0, 1, net.gid(1, 2));
  EXPECT_EQ(journey.drop, sim::Drop::hop_limit);
  EXPECT_EQ(journey.routers.size(), 254u);
  EXPECT_TRUE(net.arrives(0, 1, 0, 2)) << "paths within the subnet have no part in it";
}

TEST(Routers, AFlappingRouterCostsABoundedNumberOfRequests) {
  JoinedSubnets net(2);
  const std::size_t router = net.join({0, 1});
  ASSERT_TRUE(net.start());
  const std::uint64_t before = net.manager(0).attachment().gets(), lfts = net.lft_sets(0);
  auto& lies = net.routers.faults(router).lies;
  for (int times = 0; times < 3000; ++times) {  // a minute
    lies = {{.subnet_prefix = 0xFEC0000000000100 + static_cast<unsigned>(times) % 7,
             .weight = 0,
             .p_key = mad::kDefaultPKeyFull}};
    net.runtime.run_for(20ms);
  }
  EXPECT_LT(net.manager(0).attachment().gets() - before, 2000u);
  EXPECT_EQ(net.lft_sets(0), lfts);
  net.runtime.run_for(kLightSweep);
  EXPECT_TRUE(net.arrives(0, 1, 1, 2));
}

TEST(Routers, ASilentRouterIsNoneButWherePrefixRoutesNameIt) {
  JoinedSubnets net(2);
  const std::size_t router = net.join({0, 1});
  net.world(0).model.nodes[net.routers.node(router, net.world(0))].health.ignored_attribute =
      static_cast<std::uint16_t>(mad::AttributeId::router_info);
  net.world(0).model.nodes[net.routers.node(router, net.world(0))].health.ignored_probability = 1;
  ASSERT_TRUE(net.start());
  EXPECT_THAT(net.reached(0), IsEmpty());
  EXPECT_EQ(net.raised(0, sm::kRouterConditions.router_tables_unusable), 1u);
  EXPECT_FALSE(net.arrives(0, 1, 1, 2));
  net.manager(0).files.prefix_routes = {
      {net.prefix(1), net.world(0).model.ports[net.routers.port(router, net.world(0))].guid.value}};
  net.manager(0).reload(net.options[0]);
  net.runtime.run_for(10s);
  EXPECT_TRUE(net.arrives(0, 1, 1, 2))
      << net.path(0, 1, net.gid(1, 2)).status << net.manager(0).tail();
}

TEST(Routers, NothingIsReadWithoutTheOption) {
  JoinedSubnets net(2);
  net.join({0, 1});
  net.options[0].read_router_tables = false;
  ASSERT_TRUE(net.start());
  EXPECT_EQ(net.manager(0).attachment().sent(mad::Method::get, mad::AttributeId::router_info), 0u);
  EXPECT_EQ(net.manager(1).attachment().sent(mad::Method::set, mad::AttributeId::router_info), 0u)
      << "nothing is ever written";
  EXPECT_EQ(net.path(0, 1, net.gid(1, 2)).status, sa_status::kReqInvalidGid);
  net.manager(0).files.prefix_routes = {{std::nullopt, std::nullopt}};
  net.manager(0).reload(net.options[0]);
  net.runtime.run_for(3s);
  EXPECT_TRUE(net.arrives(0, 1, 1, 2));
}

}  // namespace routers_test
