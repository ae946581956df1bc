#include "sm/sweep/decide/port_groups.h"

#include <gmock/gmock.h>

#include "config/routing_chains.h"
#include "support/fabrics.h"

namespace port_groups_test {

using testing::ElementsAre;
using testing::IsEmpty;

/// Two switches and three hosts, of which one has two HCAs.
class PortGroups : public testing::Test {
 protected:
  PortGroups() {
    fabrics::Maker maker;
    const auto sw1 = maker.sw(4, "SW1"), sw2 = maker.sw(4, "SW2");
    maker.cable(sw1, 1, sw2, 1);
    const auto add = [&](fabric::NodeIndex sw, unsigned port, std::string name) {
      const auto ca = maker.ca(2, std::move(name));
      maker.cable(sw, port, ca, 1);
      return ca;
    };
    const auto a = add(sw1, 2, "kuku HCA-1"), b = add(sw1, 3, "kuku mlx5_2"),
               c = add(sw2, 2, "kukus mlx5_1");
    fabric_ = maker.build();
    for (const fabric::NodeIndex node : {a, b, c})
      host_.push_back(fabric_.ports[fabric_.nodes[node].first_port].guid);
    for (const fabric::NodeIndex node : {sw1, sw2}) switch_.push_back(fabric_.nodes[node].guid);
  }

  /// The GUIDs that a group with this rule stands for in a list of roots.
  std::vector<mad::Guid> members(const std::string& rule) {
    return options("port-group\nname: g\n" + rule + "\nend-port-group\n", "g").roots;
  }
  routing::RoutingOptions options(const std::string& groups, const std::string& name,
                                  const std::string& topologies = "") {
    config::InputFiles files;
    config::Diagnostics found;
    const std::string steps =
        topologies.empty() ? ""
                           : "unicast-step\nid: 1\nengine: minhop\nend-unicast-step\n"
                             "unicast-step\nid: 4\nengine: dor\ntopology: 2\nend-unicast-step\n";
    files.chains =
        config::parse_routing_chains({"g", groups}, {"t", topologies}, {"s", steps}, found);
    EXPECT_TRUE(found.empty()) << found.front().text();
    files.named_groups.roots = {name};
    files.chain_steps.steps =
        std::make_shared<const std::vector<config::StepSettings>>(files.chains.steps.size());
    routing::RoutingOptions result;
    sm::add_port_groups(files, fabric_, result);
    return result;
  }

  fabric::Fabric fabric_;
  std::vector<mad::Guid> host_, switch_;
};

TEST_F(PortGroups, RulesFindPorts) {
  EXPECT_THAT(members("port-name: hostname=kuku"), ElementsAre(host_[0], host_[1]));
  EXPECT_THAT(members("port-name: hostname=kuku; hca_idx=2"), ElementsAre(host_[1]));
  EXPECT_THAT(members("port-name: hostname=kuku; port=2; hca_idx=2"), IsEmpty());
  EXPECT_THAT(members("port-name: hostname=SW1"), IsEmpty());
  EXPECT_THAT(members("port-regexp: ^SW[2-9]"), ElementsAre(switch_[1]));
  EXPECT_THAT(members("port-regexp: mlx5_:1"), ElementsAre(host_[1], host_[2]));
  EXPECT_THAT(members("union-rule: ALL_SWITCHES, ALL_CAS"),
              testing::UnorderedElementsAre(switch_[0], switch_[1], host_[0], host_[1], host_[2]));
  EXPECT_THAT(members("subtract-rule: ALL, ALL_CAS"), ElementsAre(switch_[0], switch_[1]));
  EXPECT_THAT(members("port-guid: " + std::to_string(switch_[1].value) + "@3"),
              ElementsAre(switch_[1]));
  EXPECT_THAT(members("port-guid: " + std::to_string(host_[2].value)), ElementsAre(host_[2]));
}

TEST_F(PortGroups, PartsOfSteps) {
  const routing::RoutingOptions found =
      options("port-group\nname: g\nport-guid: " + std::to_string(switch_[0].value) + "@1/3, " +
                  std::to_string(switch_[1].value) + "\nend-port-group\n",
              "g", "topology\nid: 2\nsw-grp: g\nhca-grp: ALL_CAS\nend-topology\n");
  ASSERT_EQ(found.chain_steps.size(), 2u);
  EXPECT_EQ(found.chain_steps[0].part, nullptr);
  const routing::ChainStep& step = found.chain_steps[1];
  EXPECT_EQ(step.id, 4u);
  EXPECT_EQ(step.engine, "dor");
  ASSERT_NE(step.part, nullptr);
  EXPECT_THAT(
      step.part->switches,
      ElementsAre(routing::FabricPart::SwitchPorts{switch_[0], {mad::PortNum{1}, mad::PortNum{3}}},
                  routing::FabricPart::SwitchPorts{switch_[1], {}}));
  EXPECT_THAT(step.part->end_ports, ElementsAre(host_[0], host_[1], host_[2]));
}

TEST_F(PortGroups, DescriptionsAreFactsWhereGroupsAre) {
  config::InputFiles files;
  EXPECT_THAT(sm::port_group_facts(files, fabric_), IsEmpty());
  files.chains.groups = {{.name = "g"}};
  const auto facts = sm::port_group_facts(files, fabric_);
  fabric::Fabric renamed = fabric_;
  renamed.nodes[fabric::NodeIndex{0}].description = fabric_.nodes[fabric::NodeIndex{1}].description;
  EXPECT_NE(sm::port_group_facts(files, renamed), facts);
}

}  // namespace port_groups_test
