// The state of each membership that a client added.

#include "sm/ops/api/partition_resources.h"

#include <gmock/gmock.h>

#include "mad/format.h"
#include "support/fabrics.h"
#include "support/partitioned.h"
#include "support/subnets.h"

namespace member_results_test {

using sm::api::MemberResult;
using sm::api::MemberState;
using testing::HasSubstr;
namespace step = partitions::step;

class MemberResults : public testing::Test {
 protected:
  /// Two hosts at one switch, "n0 mlx5_0" and "n1 mlx5_0".
  sm::PartitionSnapshot snapshot(const partitioned::Capacities& capacities = {},
                                 bool enforces = false) {
    fabrics::Maker maker;
    const fabric::NodeIndex sw = maker.sw(4, "leaf-0");
    for (unsigned i = 0; i < 2; ++i) hosts[i] = maker.host(sw);
    fabric::Fabric fabric = maker.build();
    for (std::size_t i = 0; i < 2; ++i)
      fabric.nodes[fabric.ports[hosts[i]].node].description.set_text(fmt::format("n{} mlx5_0", i));
    partitioned::give_tables(fabric, capacities);
    guid = fabric.ports[hosts[0]].guid;
    node = fabric.owning_node(hosts[0]).guid;
    partitions::RuntimePartitions api;
    api = api.with(*api.delta({{step::Put{.key = 0x12, .guid = guid}}}));
    const partitions::Configuration file = partitioned::read("Default=0x7fff:ALL=full;");
    fabric::PartitionMap map = partitions::partition_map(file, fabric, {}, {}, &api);
    const auto targets = partitions::p_key_targets(fabric, map, {}, {}, &api);
    map = partitions::without_left_out(std::move(map), targets);
    fabric.p_key_blocks = targets.blocks;
    if (enforces)
      fabric.ports[fabric.ports[hosts[0]].peer].info.set_partition_enforcement_inbound(true);
    auto subnet = std::make_shared<fabric::Subnet>(subnets::bring_up(std::move(fabric)));
    subnet->partitions = std::move(map);
    return {.stored = std::make_shared<const partitions::RuntimePartitions>(api),
            .applied = api.revision(),
            .changed_at = {},
            .context = sm::make_context({}, {}, file),
            .subnet = std::move(subnet),
            .refuses = {}};
  }
  MemberResult result(const sm::PartitionSnapshot& from, mad::Guid of, std::uint64_t revision = 1) {
    const std::array member{partitions::MembershipKey{.key = 0x12, .guid = of}};
    return sm::api::member_results(from, member, revision).front();
  }

  fabric::PortIndex hosts[2];
  mad::Guid guid, node;
};

TEST_F(MemberResults, APortThatHasTheKey) {
  const auto all = snapshot();
  EXPECT_EQ(result(all, guid).state, MemberState::applied);
  EXPECT_EQ(result(all, guid, 2).state, MemberState::pending) << "a later revision";
  EXPECT_EQ(result(all, guid, 2).reason, "the fabric does not have it yet");
}

TEST_F(MemberResults, AGuidThatIsNotThereIsPending) {
  const auto all = snapshot();
  EXPECT_EQ(result(all, mad::Guid{0x7777}).state, MemberState::pending);
  EXPECT_EQ(result(all, mad::Guid{0x7777}).reason, "no port in the subnet has this GUID yet");
  sm::PartitionSnapshot first = all;
  first.subnet = nullptr;
  EXPECT_EQ(result(first, guid).state, MemberState::pending);
}

TEST_F(MemberResults, ANodeGuidIsRefusedAndThePortGuidNamed) {
  const auto all = snapshot();
  ASSERT_NE(node, guid);
  const MemberResult of = result(all, node);
  EXPECT_EQ(of.state, MemberState::refused);
  EXPECT_EQ(of.reason, fmt::format("this is the NodeGUID of \"n0 mlx5_0\" ({}), and not a port; "
                                   "use {} (port 1)",
                                   node, guid));
}

TEST_F(MemberResults, AFullTableOfThePortRefuses) {
  const auto all = snapshot({.host = 1});
  EXPECT_EQ(result(all, guid).state, MemberState::refused);
  EXPECT_THAT(result(all, guid).reason, HasSubstr("is full (1 entries)"));
}

TEST_F(MemberResults, AFullTableOfTheSwitchPortRefuses) {
  EXPECT_EQ(result(snapshot({}, true), guid).state, MemberState::applied);
  const MemberResult of = result(snapshot({.external = 1}, true), guid);
  EXPECT_EQ(of.state, MemberState::refused);
  EXPECT_THAT(of.reason, HasSubstr("the P_Key table of \"leaf-0\""));
  EXPECT_THAT(of.reason, HasSubstr("in front of it is full (1 entries)"));
}

TEST_F(MemberResults, NamesAreThoseOfTrace) {
  const auto all = snapshot();
  const auto resolve = sm::api::resolve_by(all);
  for (const char* name : {"n0", "n0 mlx5_0", "n0:1"}) EXPECT_EQ(resolve(name), guid) << name;
  EXPECT_THAT(resolve("n7").error(), HasSubstr("nothing here is called \"n7\""));
  EXPECT_THAT(resolve("1").error(), HasSubstr("LIDs are not taken here"));
  sm::PartitionSnapshot first = all;
  first.subnet = nullptr;
  EXPECT_THAT(sm::api::resolve_by(first)("n0").error(), HasSubstr("after the first sweep"));
}

class SilentMember : public MemberResults {
 protected:
  /// The first host answers NodeInfo only.
  sm::PartitionSnapshot silent(bool enforces) {
    sm::PartitionSnapshot all = snapshot({}, enforces);
    auto subnet = std::make_shared<fabric::Subnet>(*all.subnet);
    subnet->fabric.ports[hosts[0]].known = false;
    subnet->fabric.port_of_guid.erase(guid);
    std::erase(subnet->fabric.end_ports, hosts[0]);
    subnet->index();
    all.subnet = std::move(subnet);
    all.absent = std::make_shared<const std::vector<sm::AbsentNode>>(std::vector<sm::AbsentNode>{
        {.node = node,
         .port = guid,
         .name = "n0 mlx5_0",
         .why = "does not answer subnet management packets since 2026-11-30T06:50:00Z",
         .is_silent = true},
        {.node = mad::Guid{0x77},
         .port = {},
         .name = "n7 mlx5_0",
         .why = "was lost 2026-11-30T06:51:00Z",
         .is_silent = false}});
    return all;
  }
};

TEST_F(SilentMember, IsPendingAndSaysSinceWhenItDoesNotAnswer) {
  const MemberResult of = result(silent(false), guid);
  EXPECT_EQ(of.state, MemberState::pending);
  EXPECT_EQ(of.reason,
            "\"n0 mlx5_0\" does not answer subnet management packets since 2026-11-30T06:50:00Z: "
            "its P_Key table cannot be written, and it gets the P_Key when it answers");
  EXPECT_THAT(result(silent(true), guid).reason,
              HasSubstr("in front of it passes only the P_Keys that its own table has"));
}

TEST_F(SilentMember, IsFoundByItsNameAndALostOneIsNamedAsLost) {
  const auto resolve = sm::api::resolve_by(silent(false));
  EXPECT_EQ(resolve("n0"), guid) << "a cable leads to it";
  EXPECT_EQ(resolve("n0 mlx5_0"), guid);
  EXPECT_EQ(
      resolve("n7").error(),
      "\"n7 mlx5_0\" (0x0000000000000077) was lost 2026-11-30T06:51:00Z, and its port GUID is "
      "not known here: write that GUID");
  EXPECT_THAT(resolve("n8").error(), HasSubstr("nothing here is called \"n8\""));
}

}  // namespace member_results_test
