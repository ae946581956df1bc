// Attributes of adaptive routing, read from simulated switches and shown; by heddlectl show and
// record.

#include "sm/ops/live_read.h"

#include <gmock/gmock.h>

#include <algorithm>

#include <nlohmann/json.hpp>

#include "mad/attributes/adaptive_routing.h"
#include "sim/surveys.h"
#include "sim/world/vendor_features.h"
#include "sm/ctl/attributes_text.h"
#include "sm/ctl/recorder.h"
#include "sm/ctl/topology/generators.h"

namespace live_read_test {

using mad::AttributeId;
using testing::AllOf;
using testing::HasSubstr;

const mad::AttributeList& kAdaptive = *std::ranges::find(
    mad::attribute_lists(), std::string_view("adaptive"), &mad::AttributeList::name);

/// A leaf with one group and an entry that names it, and a spine that knows no adaptive routing.
class AdaptiveAttributes : public testing::Test {
 protected:
  AdaptiveAttributes() {
    for (std::size_t i = 0; i < lab.model.nodes.size(); ++i) {
      const sim::NodeModel& node = lab.model.nodes[sim::NodeIndex(i)];
      if (!node.is_switch()) continue;
      if (leaf.empty()) {
        leaf = node.description;
        EXPECT_TRUE(sim::enable_adaptive_routing(lab.model, sim::NodeIndex(i)));
      } else {
        other = node.description;
      }
    }
    subnet = std::make_shared<fabric::Subnet>();
    subnet->fabric = lab.discover().fabric;
    subnet->lids.of_end_port.resize(subnet->fabric.end_ports.size());
    subnet->index();
  }
  sim::ArSwitch& device(const std::string& name) {
    for (sim::NodeModel& node : lab.model.nodes)
      if (node.description == name) return *node.sw->adaptive;
    throw std::invalid_argument(name);
  }
  nlohmann::ordered_json read(const std::string& node) {
    auto answer = lab.runtime.run(
        sm::read_attributes(lab.client, subnet, {.list = "adaptive", .node = node}));
    EXPECT_TRUE(answer && *answer) << (answer && !*answer ? answer->error() : "");
    return answer && *answer ? nlohmann::ordered_json(**answer) : nlohmann::ordered_json();
  }

  surveys::Observer lab{topology::xgft({.children = {2, 2}, .parents = {1, 2}, .cables = {}})};
  std::shared_ptr<fabric::Subnet> subnet;
  std::string leaf, other;
};

TEST_F(AdaptiveAttributes, OfASwitchAreShownAsBytesAndInWords) {
  mad::ArGroupTable groups;
  groups.set_port(1, mad::PortNum{3});
  groups.set_port(1, mad::PortNum{4});
  for (unsigned half = 0; half < mad::ArGroupTable::kSubGroups; ++half)
    device(leaf).groups.set(half, groups.sub_group(half));
  mad::ArLinearForwardingTable entries;
  entries.set_entry(
      2, {.state = mad::ArLidState::free, .table = 0, .static_port = mad::PortNum{4}, .group = 1});
  device(leaf).entries.set_block(1, entries);
  EXPECT_THAT(
      sm::ctl::attributes_text(kAdaptive, read(leaf)),
      AllOf(HasSubstr("  bit 2, adaptive routing: yes\n"), HasSubstr("\n  GroupCap: 2048\n"),
            HasSubstr("ARGroupTable, modifier 0\n"), HasSubstr("0000000000000018\n"),
            HasSubstr("  entry 0: no port\n  entry 1: ports 3, 4\n"),
            HasSubstr("  LID 18: free, static port 4, group 1, table 0\n")));
}

TEST_F(AdaptiveAttributes, OfASwitchThatRejectsThemAreItsStatus) {
  const auto answer = read(other);
  const std::string text = sm::ctl::attributes_text(kAdaptive, answer);
  EXPECT_THAT(text, AllOf(HasSubstr("  bit 2, adaptive routing: no\n"), HasSubstr("0x000c")));
  std::size_t refused = 0;
  for (const auto& each : answer.at("attributes")) refused += each.contains("error");
  EXPECT_EQ(refused, 5u) << "AdaptiveRoutingInfo and two blocks of each table";
  for (const sim::NodeModel& node : lab.model.nodes) EXPECT_EQ(node.sets, 0u) << "reads only";
}

TEST_F(AdaptiveAttributes, OfAHostAreNotRead) {
  const auto answer = lab.runtime.run(sm::read_attributes(
      lab.client, subnet, {.list = "adaptive", .node = lab.model.nodes.front().description}));
  ASSERT_TRUE(answer);
  ASSERT_FALSE(*answer);
  EXPECT_THAT(answer->error(), HasSubstr("is no switch"));
}

TEST_F(AdaptiveAttributes, AreInRecordings) {
  const auto recording = lab.runtime.run(sm::ctl::record(lab.client, {}));
  ASSERT_TRUE(recording);
  std::size_t blocks = 0;
  for (const fabric::RecordedNode& node : recording->nodes)
    for (const fabric::RecordedAnswer& answer : node.ports.front().answers)
      if (answer.attribute == AttributeId::ar_group_table ||
          answer.attribute == AttributeId::ar_linear_forwarding_table) {
        EXPECT_TRUE(answer.outcome.ok());
        ++blocks;
      }
  EXPECT_EQ(blocks, 4u) << "of the switch that shows AdaptiveRoutingInfo";
}

}  // namespace live_read_test
