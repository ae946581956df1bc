#include "sm/ctl/fabric_file.h"

#include <gmock/gmock.h>

#include "sm/sweep/decide/named_guids.h"

namespace named_fabric_test {

using Json = nlohmann::ordered_json;

Json row(const char* type, const char* guid, const char* name, const Json& ports) {
  return {{"node_guid", guid}, {"node_type", type}, {"description", name}, {"ports", ports}};
}
Json port(unsigned number, const char* guid) { return {{"port", number}, {"port_guid", guid}}; }

/// A switch, a host with two ports, and a row that another version may send.
Json rows() {
  Json all = Json::array();
  all.push_back(row("Switch", "0x10", "leaf-0", Json::array({port(0, "0x10")})));
  all.push_back(row("CA", "0x20", "n0", Json::array({port(1, "0x21"), port(2, "0x22")})));
  all.push_back({{"node_guid", "0x30"}});
  return all;
}

TEST(NamedFabric, HasNodesAndPortsByTheirGuids) {
  const fabric::Fabric fabric = sm::ctl::named_fabric(rows());
  ASSERT_EQ(fabric.nodes.size(), 2u);
  EXPECT_TRUE(fabric.nodes[fabric.node_of_guid.at(mad::Guid{0x10})].is_switch());
  const fabric::NodeIndex host = fabric.node_of_guid.at(mad::Guid{0x20});
  EXPECT_EQ(fabric.description(host), "n0");
  EXPECT_EQ(fabric.node_ports(host).size(), 2u);
  EXPECT_EQ(fabric.ports[fabric.port_of_guid.at(mad::Guid{0x22})].node, host);
}

TEST(NamedFabric, FilesOfGuidsAreComparedWithIt) {
  const fabric::Fabric fabric = sm::ctl::named_fabric(rows());
  sm::SweepContext context;
  context.files.roots = {0x10, 0x21};
  context.files.routing_order = {0x20, 0x22};
  context.files.compute_nodes = {0x20, 0x99};
  EXPECT_THAT(
      sm::misplaced_guids(context, fabric, {}),
      testing::ElementsAre(
          testing::Field(&fabric::Condition::text,
                         testing::HasSubstr("guid_routing_order_file names 0x0000000000000020")),
          testing::Field(&fabric::Condition::text,
                         testing::HasSubstr("root_guid_file names \"n0\""))));
  EXPECT_THAT(sm::absent_guids(context, fabric, {}),
              testing::ElementsAre(testing::Field(
                  &fabric::Condition::text, testing::HasSubstr("cn_guid_file names a GUID"))));
}

}  // namespace named_fabric_test
