#include "sm/sweep/decide/named_guids.h"

#include <gmock/gmock.h>

#include "config/guid_files.h"
#include "mad/format.h"
#include "sm/sweep/devices/sweep_conditions.h"
#include "support/fabrics.h"

namespace named_guids_test {

using fabric::Condition;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// A host whose NodeGUID is not its port GUID, and the switch in front of it.
struct Named : testing::Test {
  Named() {
    for (const fabric::NodeIndex index : fabric.nodes.indices())
      if (!fabric.nodes[index].is_switch()) host = index;
    for (const fabric::Port& each : fabric.node_ports(host))
      if (each.guid != mad::Guid{}) port = each.guid;
    node = mad::Guid{0x0123'4567'89ab'0000};
    fabric.node_of_guid.erase(fabric.nodes[host].guid);
    fabric.nodes[host].guid = node;
    fabric.node_of_guid.emplace(node, host);
  }

  std::vector<std::string> found(const std::vector<mad::Guid>& m_keys = {}) const {
    std::vector<std::string> texts;
    for (const Condition& condition : sm::misplaced_guids(context, fabric, m_keys)) {
      EXPECT_EQ(condition.id, sm::kNamedGuidConditions.guid_misplaced);
      texts.push_back(condition.text);
    }
    return texts;
  }
  auto names_node(const std::string& place) const {
    return HasSubstr(fmt::format("{} names {}, which is the NodeGUID of \"", place, node));
  }

  fabric::Fabric fabric = fabrics::random_fabric(3);
  fabric::NodeIndex host = fabric::kNoIndex;
  mad::Guid node, port;
  sm::SweepContext context;
};

TEST_F(Named, AMemberOfAPartitionThatIsANodeGuidIsNamedWithItsPorts) {
  context.partitioning.definitions.push_back({.key = 0x10,
                                              .name = "Storage",
                                              .members = {{.first = node.value, .last = node.value},
                                                          {.first = port.value, .last = port.value},
                                                          {.first = 0x9999, .last = 0x9999}},
                                              .groups = {}});
  EXPECT_THAT(found(), ElementsAre(testing::AllOf(names_node("partition 0x0010 (Storage)"),
                                                  HasSubstr(fmt::format("{}", port)))));
}

TEST_F(Named, EveryPlaceForPortGuidsIsChecked) {
  context.options.allowed_sm_guids = {node.value, port.value};
  context.options.http_peers = {fmt::format("{}=https://sm-2:8443", node)};
  context.files.routing_order = {node.value, port.value};
  context.files.prefix_routes = {{std::nullopt, node.value}, {5, std::nullopt}};
  context.files.qos_policy.emplace();
  context.files.qos_policy->port_groups.emplace_back();
  context.files.qos_policy->port_groups.back().port_guids.add({node.value, node.value});
  EXPECT_THAT(
      found({node, port}),
      ElementsAre(names_node("allowed_sm_guids"), names_node("http_peers"), names_node("guid2mkey"),
                  names_node("guid_routing_order_file"), names_node("prefix_routes_file"),
                  names_node("a port group of qos_policy_file")));
}

TEST_F(Named, EveryPlaceForNodeGuidsIsChecked) {
  context.files.node_names = {{port.value, "a"}, {node.value, "b"}};
  context.files.node_ids = {{port.value, 1}};
  context.files.hop_weights = {{port.value, 1, 2}};
  context.files.port_orders = {{port.value, {1}}};
  context.files.ignored_ports = {{port.value, 1}};
  context.files.held_back = {port.value};
  const auto names_port = [&](const char* place) {
    return testing::AllOf(
        HasSubstr(fmt::format("{} names {}, which is a port GUID of \"", place, port)),
        HasSubstr(fmt::format("its NodeGUID is {}", node)));
  };
  const auto names_host = [&](const char* place) {
    return HasSubstr(fmt::format("{} names \"{}\" ({}), a router; its lines are for switches",
                                 place, fabric.description(host), port));
  };
  EXPECT_THAT(found(),
              ElementsAre(names_port("ids_guid_file"), names_port("node_name_map_name"),
                          names_host("hop_weights_file"), names_host("port_search_ordering_file"),
                          names_host("port_prof_ignore_file"), names_host("held_back_sw_file")));
}

TEST_F(Named, WhereEitherKindIsTakenNothingIsSaid) {
  context.files.compute_nodes = context.files.io_nodes = {node.value, port.value};
  context.files.port_health = {{.guid = node.value, .port = {}, .action = {}},
                               {.guid = port.value, .port = {}, .action = {}}};
  EXPECT_THAT(found(), IsEmpty());
}

TEST_F(Named, ARouterIsNotARootAndASwitchIsNotAHost) {
  const fabric::Node& chassis = fabric.nodes[fabric.switches[fabric::SwitchIndex{0}].node];
  context.files.roots = {chassis.guid.value, node.value, port.value, 0x9999};
  context.files.guid_lines.files["root_guid_file"] =
      config::find_guid_lines(fmt::format("# tops\n{}\n{}\n", chassis.guid, node));
  context.files.compute_nodes = context.files.io_nodes = {chassis.guid.value};
  context.files.hop_weights = {{node.value, 1, 2}};
  const std::string host_name = fabric.description(host);
  EXPECT_THAT(
      found(),
      ElementsAre(
          fmt::format("root_guid_file:3 names \"{}\" ({}), a router; a root is a switch: the "
                      "entry is ignored",
                      host_name, node),
          fmt::format("root_guid_file names \"{}\" ({}), a router; a root is a switch: the "
                      "entry is ignored",
                      host_name, port),
          testing::AllOf(HasSubstr("cn_guid_file names \""),
                         HasSubstr("a switch; its lines are for hosts")),
          HasSubstr("io_guid_file names \""),
          testing::AllOf(HasSubstr("hop_weights_file names \""),
                         HasSubstr("a router; its lines are for switches"))));
}

TEST_F(Named, AbsentGuidsAreOneConditionOfEachFileWithTheFirstOfThem) {
  partitions::Definition storage{.key = 0x10, .name = "Storage", .members = {}, .groups = {}};
  for (std::uint64_t guid = 0x9000; guid < 0x9000 + 5000; ++guid)
    storage.members.push_back({.first = guid, .last = guid});
  storage.members.push_back({.first = port.value, .last = port.value});
  storage.members.push_back({.first = 0x1, .last = 0xFFFF'FFFF});
  context.partitioning.definitions = {storage, storage};
  context.files.compute_nodes = {port.value, 0x9001};
  context.files.io_nodes = {node.value};
  context.files.roots = {0x9002};
  context.files.node_ids = {{0x9003, 1}};
  context.files.routing_order = {0x9004};
  context.files.node_names = {{0x9005, "a"}};
  context.files.guid_lines.files["cn_guid_file"] =
      config::find_guid_lines(fmt::format("{}\n\n0x9001 # replaced\n", port));
  const auto texts = [&](const std::set<mad::Guid>& elsewhere) {
    std::vector<std::string> all;
    for (const Condition& condition : sm::absent_guids(context, fabric, elsewhere)) {
      EXPECT_EQ(condition.id, sm::kNamedGuidConditions.guid_absent);
      all.push_back(condition.text);
    }
    return all;
  };
  EXPECT_THAT(
      texts({}),
      ElementsAre("partitions.conf names 5000 GUIDs that nothing in the fabric has: "
                  "0x0000000000009000 (partition 0x0010 (Storage)), 0x0000000000009001 (partition "
                  "0x0010 (Storage)), 0x0000000000009002 (partition 0x0010 (Storage)), ...; each "
                  "becomes a member when it appears",
                  HasSubstr("guid_routing_order_file names a GUID"),
                  HasSubstr("root_guid_file names a GUID"),
                  "cn_guid_file names a GUID that nothing in the fabric has: 0x0000000000009001 "
                  "(line 3); such an entry has no effect",
                  HasSubstr("ids_guid_file names a GUID")));
  context.partitioning.definitions.clear();
  EXPECT_THAT(texts({mad::Guid{0x9001}, mad::Guid{0x9002}, mad::Guid{0x9003}}),
              ElementsAre(HasSubstr("guid_routing_order_file")))
      << "what was lost has a condition of its own";
}

TEST_F(Named, AHostThatDoesNotAnswerIsNotAbsent) {
  context.files.compute_nodes = {port.value};
  for (fabric::Port& each : fabric.ports)
    if (each.guid == port) each.known = false;
  fabric.port_of_guid.erase(port);
  EXPECT_THAT(sm::absent_guids(context, fabric, {}), IsEmpty());
}

TEST_F(Named, APortWhosePortInfoIsIgnoredKeepsItsGuid) {
  const fabric::NodeIndex chassis = fabric.switches[fabric::SwitchIndex{0}].node;
  fabric::Port& port_0 = fabric.ports[fabric.nodes[chassis].first_port];
  ASSERT_EQ(port_0.guid, fabric.nodes[chassis].guid);
  port_0.known = false;
  fabric.port_of_guid.erase(port_0.guid);
  EXPECT_THAT(found({port_0.guid}), IsEmpty());
}

TEST_F(Named, WhereNoPortOfTheNodeIsKnownNothingIsSaid) {
  fabric.port_of_guid.erase(port);
  EXPECT_THAT(found({node}), IsEmpty());
}

TEST_F(Named, MembersThatTheApiHasMadeAreChecked) {
  partitions::Change change;
  change.steps.push_back(partitions::step::Put{.key = 0x20, .guid = node});
  change.steps.push_back(partitions::step::Put{.key = 0x20, .guid = port});
  const partitions::RuntimePartitions none;
  const auto delta = none.delta(change);
  ASSERT_TRUE(delta);
  const auto runtime = std::make_shared<const partitions::RuntimePartitions>(none.with(*delta));
  const auto all = sm::misplaced_members(runtime, fabric);
  ASSERT_EQ(all.size(), 1u);
  EXPECT_THAT(all.front().text, names_node("partition 0x0020"));
  const std::vector<mad::Guid> others{port}, same{node};
  EXPECT_TRUE(sm::misplaced_members(runtime, fabric, &others).empty());
  EXPECT_EQ(sm::misplaced_members(runtime, fabric, &same), all);
}

}  // namespace named_guids_test
