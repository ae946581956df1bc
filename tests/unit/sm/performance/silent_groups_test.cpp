#include "sm/performance/performance_manager.h"

#include <gmock/gmock.h>

#include <map>
#include <set>
#include <string>

#include "support/fabrics.h"
#include "support/subnets.h"

namespace silent_groups_test {

using testing::ElementsAre, testing::IsEmpty;

/// Two spines, three leaves with two hosts each; the manager runs on the first host.
class SilentGroups : public testing::Test {
 protected:
  SilentGroups() {
    fabrics::Maker maker;
    const fabric::NodeIndex spines[]{maker.sw(4, "spine-0"), maker.sw(4, "spine-1")};
    for (const char* const name : {"leaf-0", "leaf-1", "leaf-2"}) {
      const fabric::NodeIndex leaf = maker.sw(6, name);
      for (unsigned i = 0; i < 2; ++i) {
        const fabric::PortIndex host = maker.host(leaf);
        hosts[name].push_back(host);
      }
      for (const fabric::NodeIndex spine : spines) maker.cable(leaf, spine);
    }
    subnet = subnets::bring_up(maker.build());
  }
  mad::Guid guid_of(const std::string& name) const {
    for (const fabric::Node& node : subnet.fabric.nodes)
      if (node.description.text() == name) return node.guid;
    return {};
  }
  mad::Guid host(const std::string& leaf, std::size_t index) const {
    return subnet.fabric.owning_node(hosts.at(leaf)[index]).guid;
  }
  /// Returns "what it is behind: number of members" of each group, when all but `silent` answer.
  std::vector<std::string> groups(const std::set<mad::Guid>& silent) const {
    std::vector<mad::Guid> silent_ones(silent.begin(), silent.end()), answering;
    for (const fabric::Node& node : subnet.fabric.nodes)
      if (!silent.contains(node.guid)) answering.push_back(node.guid);
    std::vector<std::string> texts;
    for (const sm::SilentGroup& group : sm::group_silent(subnet, silent_ones, answering))
      texts.push_back(fmt::format("{}: {}", subnet.fabric.nodes[group.behind].description.text(),
                                  group.members.size()));
    return texts;
  }

  std::map<std::string, std::vector<fabric::PortIndex>> hosts;
  fabric::Subnet subnet;
};

TEST_F(SilentGroups, AHungLeafAndItsHostsAreOneGroup) {
  EXPECT_THAT(groups({guid_of("leaf-1"), host("leaf-1", 0), host("leaf-1", 1)}),
              ElementsAre("leaf-1: 3"));
}

TEST_F(SilentGroups, HostsBehindALeafWhoseOwnAgentAnswersShareNothingThatIsSuspect) {
  EXPECT_THAT(groups({host("leaf-1", 0), host("leaf-1", 1)}), IsEmpty());
}

TEST_F(SilentGroups, ASwitchWhoseAgentAloneIsSilentIsNoGroup) {
  EXPECT_THAT(groups({guid_of("leaf-1")}), IsEmpty());
  EXPECT_THAT(groups({guid_of("leaf-1"), host("leaf-2", 0)}), IsEmpty());
}

TEST_F(SilentGroups, AllThatPassesAHungSpineIsOneGroup) {
  const fabric::Fabric& fabric = subnet.fabric;
  const mad::PortNum up{3};  // to spine-0
  const auto leads_up = [&](fabric::PortIndex from, fabric::PortIndex to) {
    const fabric::Node& node = fabric.owning_node(from);
    const fabric::Node& leaf =
        node.is_switch() ? node : fabric.owning_node(fabric.ports[from].peer);
    return subnet.lfts->at(leaf.switch_index, subnet.lid_range(to).base) == up;
  };
  std::set<mad::Guid> silent{guid_of("spine-0")};
  for (const fabric::PortIndex port : fabric.end_ports) {
    const fabric::Node& node = fabric.owning_node(port);
    const std::string name = node.description.text();
    const bool is_near = name.starts_with("spine") || name == "leaf-0" ||
                         port == hosts.at("leaf-0")[0] || port == hosts.at("leaf-0")[1];
    if (!is_near && (leads_up(fabric.sm_port, port) || leads_up(port, fabric.sm_port)))
      silent.insert(node.guid);
  }
  ASSERT_GT(silent.size(), 1u) << "some routes lead by it";
  const std::vector<std::string> found = groups(silent);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0], fmt::format("spine-0: {}", silent.size()));
}

TEST_F(SilentGroups, WhenNothingAnswersTheManagersOwnNodeIsSuspect) {
  std::set<mad::Guid> all;
  for (const fabric::Node& node : subnet.fabric.nodes) all.insert(node.guid);
  const std::vector<std::string> found = groups(all);
  ASSERT_EQ(found.size(), 1u);
  const fabric::NodeIndex own = subnet.fabric.ports[subnet.fabric.sm_port].node;
  EXPECT_EQ(found[0],
            fmt::format("{}: {}", subnet.fabric.nodes[own].description.text(), all.size()));
  all.erase(subnet.fabric.nodes[own].guid);
  EXPECT_THAT(groups(all), ElementsAre(fmt::format("leaf-0: {}", all.size())))
      << "its own agent answers, which crosses no link";
}

}  // namespace silent_groups_test
