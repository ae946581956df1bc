// heddlectl diff: each kind of difference planted, alone and among others.

#include "sm/ctl/diff_topology.h"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "mad/format.h"
#include "support/fabrics.h"
#include "support/subnets.h"
#include "unit/sm/ops/api/published.h"

namespace sm::ctl {
namespace topology_differences_test {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr mad::LinkRate kHdr{.lanes = 4, .speed = mad::LaneSpeed::hdr};

/// Two leaves of three hosts, each leaf linked to both spines twice. Node GUIDs: 1, 2 leaves; 11,
/// 12 spines; 21..26 hosts.
struct Plan {
  ComparedTopology topology;

  Plan() {
    for (const unsigned leaf : {1u, 2u}) add(leaf, mad::NodeType::switch_, "leaf");
    for (const unsigned spine : {11u, 12u}) add(spine, mad::NodeType::switch_, "spine");
    for (unsigned host = 21; host <= 26; ++host) add(host, mad::NodeType::ca, "n");
    for (unsigned host = 0; host < 6; ++host) link(21 + host, 1, 1 + host / 3, 1 + host % 3);
    for (const unsigned leaf : {1u, 2u})
      for (unsigned up = 0; up < 4; ++up) link(leaf, 11 + up, 11 + up / 2, 2 * leaf + up % 2);
  }
  void add(unsigned guid, mad::NodeType type, const std::string& name) {
    topology.nodes.push_back({.guid = {guid},
                              .type = type,
                              .description = fmt::format("{}-{}", name, guid),
                              .operator_name = {}});
  }
  std::size_t index(unsigned guid) const {
    return static_cast<std::size_t>(
        std::ranges::find(topology.nodes, mad::Guid{guid}, &ComparedTopology::Node::guid) -
        topology.nodes.begin());
  }
  ComparedTopology::Node& node(unsigned guid) { return topology.nodes[index(guid)]; }
  ComparedTopology::End end(unsigned guid, unsigned port) const {
    return {.node = index(guid), .port = {static_cast<std::uint8_t>(port)}};
  }
  void link(unsigned a, unsigned port_a, unsigned b, unsigned port_b) {
    topology.links.push_back({.a = end(a, port_a), .b = end(b, port_b), .rate = kHdr});
  }
  ComparedTopology::Link& link_at(unsigned guid, unsigned port) {
    const auto is = [&](const ComparedTopology::End& each) {
      return topology.nodes[each.node].guid.value == guid && each.port.value == port;
    };
    return *std::ranges::find_if(topology.links,
                                 [&](const auto& each) { return is(each.a) || is(each.b); });
  }
  void cut(unsigned guid, unsigned port) {
    const auto at = &link_at(guid, port) - topology.links.data();
    topology.links.erase(topology.links.begin() + at);
  }
  void remove(unsigned guid) {
    const std::size_t gone = index(guid);
    std::erase_if(topology.links,
                  [&](const auto& each) { return each.a.node == gone || each.b.node == gone; });
    topology.nodes.erase(topology.nodes.begin() + static_cast<std::ptrdiff_t>(gone));
    for (auto& each : topology.links) {
      each.a.node -= each.a.node > gone;
      each.b.node -= each.b.node > gone;
    }
  }
};

std::string short_text(const DifferentLink& link) {
  return fmt::format("{}:{}-{}:{}", link.a.node.guid.value, link.a.port, link.b.node.guid.value,
                     link.b.port);
}

/// "node_moved 21 21:1-1:1 > 21:1-2:4": kind, node, links saved and now.
std::vector<std::string> short_texts(const std::vector<Difference>& all) {
  std::vector<std::string> texts;
  for (const Difference& each : all) {
    std::string text(find_name(each.kind));
    if (each.node.guid.value != 0) text += fmt::format(" {}", each.node.guid.value);
    for (const DifferentLink& link : each.saved) text += " " + short_text(link);
    if (!each.now.empty()) text += " >";
    for (const DifferentLink& link : each.now) text += " " + short_text(link);
    texts.push_back(text);
  }
  return texts;
}
std::vector<std::string> found(const Plan& now) {
  return short_texts(differences(Plan().topology, now.topology));
}

TEST(TopologyDifferences, SameTopologyInAnotherOrderHasNone) {
  Plan now;
  std::ranges::reverse(now.topology.links);
  for (auto& link : now.topology.links) std::swap(link.a, link.b);
  std::ranges::reverse(now.topology.nodes);
  for (auto& link : now.topology.links) {
    link.a.node = now.topology.nodes.size() - 1 - link.a.node;
    link.b.node = now.topology.nodes.size() - 1 - link.b.node;
  }
  EXPECT_THAT(found(now), IsEmpty());
}

TEST(TopologyDifferences, MissingAndExtraNodesHaveTheirPlace) {
  Plan now;
  now.remove(22);
  EXPECT_THAT(found(now), ElementsAre("node_missing 22 22:1-1:2"));
  now.add(99, mad::NodeType::ca, "new");
  now.link(1, 2, 99, 1);
  EXPECT_THAT(found(now), ElementsAre("node_missing 22 22:1-1:2", "node_extra 99 > 99:1-1:2"));
}

TEST(TopologyDifferences, LinksOfAMissingSwitchAreReportedWithIt) {
  Plan now;
  now.remove(12);
  EXPECT_THAT(found(now), ElementsAre("node_missing 12 12:2-1:13 12:3-1:14 12:4-2:13 12:5-2:14"));
}

TEST(TopologyDifferences, HostOfAReplacedSwitchHasNotMoved) {
  Plan now;
  now.node(1).guid = {3};
  EXPECT_THAT(found(now), ElementsAre(HasSubstr("node_missing 1 "), HasSubstr("node_extra 3 ")));
}

TEST(TopologyDifferences, HostAtAnotherSwitchHasMoved) {
  Plan now;
  now.cut(21, 1);
  now.link(21, 1, 2, 9);
  EXPECT_THAT(found(now), ElementsAre("node_moved 21 21:1-1:1 > 21:1-2:9"));
}

TEST(TopologyDifferences, HostMovedToThePortOfAnotherThatMovedToo) {
  Plan now;
  now.cut(21, 1);
  now.cut(24, 1);
  now.link(21, 1, 2, 1);
  now.link(24, 1, 2, 9);
  EXPECT_THAT(found(now), ElementsAre("node_moved 21 21:1-1:1 > 21:1-2:1",
                                      "node_moved 24 24:1-2:1 > 24:1-2:9"));
}

TEST(TopologyDifferences, SwitchWithOtherNeighboursHasMoved) {
  Plan saved, now;
  for (Plan* plan : {&saved, &now}) plan->add(31, mad::NodeType::switch_, "edge");
  saved.link(31, 1, 11, 20);
  now.link(31, 1, 12, 20);
  EXPECT_THAT(short_texts(differences(saved.topology, now.topology)),
              ElementsAre("node_moved 31 31:1-11:20 > 31:1-12:20"));
}

TEST(TopologyDifferences, MissingAndExtraLinks) {
  Plan now;
  now.cut(1, 12);
  EXPECT_THAT(found(now), ElementsAre("link_missing 1:12-11:3"));
  now.link(1, 30, 2, 30);
  EXPECT_THAT(found(now), ElementsAre("link_missing 1:12-11:3", "link_extra > 1:30-2:30"));
}

TEST(TopologyDifferences, SwappedPortsAreMiscabledOnce) {
  Plan hosts;
  hosts.cut(21, 1);
  hosts.cut(22, 1);
  hosts.link(21, 1, 1, 2);
  hosts.link(22, 1, 1, 1);
  EXPECT_THAT(found(hosts), ElementsAre("miscabled 21:1-1:1 22:1-1:2 > 21:1-1:2 22:1-1:1"));
  Plan switches;
  switches.cut(1, 11);
  switches.cut(2, 13);
  switches.link(1, 11, 12, 4);
  switches.link(2, 13, 11, 2);
  EXPECT_THAT(found(switches), ElementsAre("miscabled 1:11-11:2 2:13-12:4 > 1:11-12:4 2:13-11:2"));
}

TEST(TopologyDifferences, CableInAnotherPortOfTheSameSwitchIsMiscabled) {
  Plan now;
  now.cut(1, 11);
  now.link(1, 15, 11, 2);
  EXPECT_THAT(found(now), ElementsAre("miscabled 1:11-11:2 > 1:15-11:2"));
}

TEST(TopologyDifferences, RatesAreComparedWhereBothAreKnown) {
  Plan now;
  now.link_at(21, 1).rate.lanes = 2;
  now.link_at(22, 1).rate.speed = mad::LaneSpeed::edr;
  now.link_at(23, 1).rate.speed = mad::LaneSpeed::ndr;
  now.link_at(24, 1).rate = {.lanes = 12, .speed = mad::LaneSpeed::edr};
  now.link_at(25, 1).rate = {};
  EXPECT_THAT(found(now),
              ElementsAre("link_slower 21:1-1:1 > 21:1-1:1", "link_slower 22:1-1:2 > 22:1-1:2",
                          "link_slower 24:1-2:1 > 24:1-2:1", "link_faster 23:1-1:3 > 23:1-1:3"));
  const std::string text = differences_text(differences(Plan().topology, now.topology), 10, 14);
  EXPECT_THAT(text, HasSubstr("link slower or narrower: \"n-21\" (0x0000000000000015) port 1 <-> "
                              "\"leaf-1\" (0x0000000000000001) port 1: 2X HDR; saved 4X HDR\n"));
  EXPECT_THAT(text, HasSubstr("\n4 differences; 10 nodes and 14 links now\n"));
}

TEST(TopologyDifferences, DescriptionsAreComparedAsIbnetdiscoverPrintsThem) {
  Plan now;
  now.node(21).description = "other";
  now.node(22).description = "n-22 ";
  now.node(23).description = "whatever";
  now.node(23).operator_name = "n-23";
  Plan saved;
  saved.node(24).description = "a b";
  now.node(24).description =
      "a\x01\xC3\xA4"
      "b";
  const auto all = differences(saved.topology, now.topology);
  EXPECT_THAT(short_texts(all), ElementsAre("description_changed 21"));
  EXPECT_THAT(differences_text(all, 1, 1),
              HasSubstr("description changed: \"other\" (0x0000000000000015); saved \"n-21\"\n"));
}

TEST(TopologyDifferences, AllKindsTogetherAreAllFound) {
  Plan now;
  now.remove(26);
  now.add(99, mad::NodeType::ca, "new");
  now.link(2, 3, 99, 1);
  now.cut(21, 1);
  now.link(21, 1, 2, 9);
  now.node(22).description = "renamed";
  now.cut(1, 12);
  now.link(1, 30, 2, 30);
  now.cut(2, 11);
  now.link(2, 20, 11, 4);
  now.link_at(23, 1).rate.lanes = 1;
  now.link_at(24, 1).rate.lanes = 12;
  const auto all = differences(Plan().topology, now.topology);
  std::vector<DifferenceKind> kinds;
  for (const Difference& each : all) kinds.push_back(each.kind);
  EXPECT_THAT(kinds, ElementsAre(DifferenceKind::node_missing, DifferenceKind::node_extra,
                                 DifferenceKind::node_moved, DifferenceKind::description_changed,
                                 DifferenceKind::link_missing, DifferenceKind::link_extra,
                                 DifferenceKind::miscabled, DifferenceKind::link_slower,
                                 DifferenceKind::link_faster));
  const nlohmann::json json = differences_json(all);
  EXPECT_FALSE(json.at("same"));
  ASSERT_EQ(json.at("differences").size(), 9u);
  EXPECT_EQ(json.at("differences")[2].at("node").at("node_guid"), "0x0000000000000015");
  EXPECT_EQ(json.at("differences")[2].at("saved")[0].at("b").at("port"), 1);
  EXPECT_EQ(json.at("differences")[7].at("saved_rate"), "4X HDR");
}

TEST(TopologyDifferences, NodesWithOneGuidAndLinksWithOnePortDoNoHarm) {
  Plan now;
  now.add(21, mad::NodeType::ca, "duplicate");
  now.topology.links.push_back(
      {.a = {now.topology.nodes.size() - 1, {1}}, .b = now.end(2, 30), .rate = {}});
  EXPECT_THAT(found(now), IsEmpty());
  EXPECT_EQ(differences(now.topology, Plan().topology).size(), 0u);
}

TEST(TopologyDifferences, EmptyTopologiesAreTheSame) {
  EXPECT_THAT(differences({}, {}), IsEmpty());
  EXPECT_EQ(differences(Plan().topology, {}).size(), 10u) << "all nodes";
}

// ---- where topologies come from

/// The lists of a daemon, and the text that ibnetdiscover's format has for the same fabric.
TEST(ComparedTopology, OfADaemonIsThatOfAFileOfTheSameFabric) {
  fabrics::Maker maker;
  const NodeIndex sw = maker.sw(4, "leaf");
  maker.host(sw);
  maker.host(sw);
  Fabric fabric = maker.build();
  for (Port& port : fabric.ports) {
    port.info.set_link_width_active(mad::link_width::k4x);
    port.info.set_link_speed_active(mad::link_speed::kExtended);
    port.info.set_link_speed_ext_active(mad::link_speed_ext::kHdr);
  }
  fabric.node_names = std::make_shared<NodeNames>(
      NodeNames{{fabric.nodes[fabric.ports[fabric.end_ports.front()].node].guid, "operator's"}});
  const Subnet subnet = subnets::bring_up(std::move(fabric));
  published::Manager manager(std::make_shared<const Subnet>(subnet));
  api_client::Client client(sm::api_resources(manager.sources()));
  const auto lists = [&] { return compared(client.json("/v1/nodes"), client.json("/v1/links")); };
  const auto live = lists();
  ASSERT_TRUE(live) << live.error();
  ASSERT_EQ(live->nodes.size(), 3u);
  ASSERT_EQ(live->links.size(), 2u);
  EXPECT_EQ(live->links[0].rate, kHdr);
  EXPECT_EQ(std::ranges::count(live->nodes, "operator's", &ComparedTopology::Node::operator_name),
            1);
  auto one_link = client.json("/v1/links");
  one_link["links"][1]["port_state"] = "Down";
  const auto gone = compared(client.json("/v1/nodes"), one_link);
  ASSERT_TRUE(gone);
  EXPECT_EQ(gone->nodes.size(), 2u) << "a node without a link";
  EXPECT_THAT(short_texts(differences(*live, *gone)), ElementsAre(HasSubstr("node_missing")));

  std::string yaml = "nodes:\n";
  for (const Node& node : subnet.fabric.nodes)
    yaml += fmt::format("  - {{name: \"{}\", type: {}, guid: {}, ports: {}}}\n",
                        node.description.text(), node.is_switch() ? "switch" : "ca", node.guid,
                        node.num_ports);
  const config::FileReader files = [&](const std::string&) { return yaml; };
  const auto without_links = read_compared("saved.yaml", files);
  ASSERT_TRUE(without_links) << without_links.error().front().text();
  EXPECT_THAT(short_texts(differences(*without_links, *live)),
              ElementsAre(HasSubstr("link_extra"), HasSubstr("link_extra")));
}

TEST(ComparedTopology, ListsThatDoNotFitAreAnError) {
  const nlohmann::json nodes{{"nodes", nlohmann::json::array()}};
  const nlohmann::json end{{"node_guid", "0x1"}, {"port", 1}, {"description", ""}};
  const nlohmann::json links{{"links",
                              {{{"a", end},
                                {"b", end},
                                {"port_state", "Active"},
                                {"link_width_active", "4X"},
                                {"link_speed_active", "HDR"}}}}};
  const auto read = compared(nodes, links);
  ASSERT_FALSE(read);
  EXPECT_THAT(read.error(), HasSubstr("not among the nodes"));
  EXPECT_FALSE(compared(nlohmann::json::array(), links));
}

TEST(ComparedTopology, RatesThatAFileDoesNotStateAreUnknown) {
  const std::string text =
      "switchguid=0x10\nSwitch\t4 \"S-10\"\n"
      "[1]\t\"H-20\"[1]\n[2]\t\"H-30\"[1]\t\t# \"h\" lid 3 4xHDR\n\n"
      "caguid=0x20\nCa\t1 \"H-20\"\n[1]\t\"S-10\"[1]\n\n"
      "caguid=0x30\nCa\t1 \"H-30\"\n[1]\t\"S-10\"[2]\t\t# lid 3 lmc 0 \"S\" lid 1 4xHDR\n";
  const auto read = read_compared("saved.net", [&](const std::string&) { return text; });
  ASSERT_TRUE(read) << read.error().front().text();
  ASSERT_EQ(read->links.size(), 2u);
  EXPECT_EQ(read->links[0].rate, mad::LinkRate{});
  EXPECT_EQ(read->links[1].rate, kHdr);
}

TEST(ComparedTopology, RecordingsAreRecognizedByTheirFirstLine) {
  const std::string path = HEDDLE_TEST_DATA "/recordings/opensm-on-ibsim.rec";
  const auto read = read_compared(path);
  ASSERT_TRUE(read) << read.error().front().text();
  EXPECT_GT(read->nodes.size(), 2u);
  EXPECT_GE(read->links.size(), read->nodes.size() - 1);
  for (const auto& link : read->links) EXPECT_NE(link.rate.lanes, 0u);
  EXPECT_THAT(differences(*read, *read), IsEmpty());
}

TEST(ComparedTopology, FindingsInAFileThatWasReadAreWarnings) {
  const std::string text = "[root@n1 ~]# ibnetdiscover\nSwitch 4 \"S\"\n";
  config::Diagnostics warnings;
  ASSERT_TRUE(read_compared("saved.net", [&](const std::string&) { return text; }, &warnings));
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_THAT(warnings.front().text(), testing::HasSubstr("saved.net:1:1: warning: skipped"));
}

TEST(ComparedTopology, FilesThatCannotBeReadAreFindings) {
  EXPECT_FALSE(read_compared("/nonexistent/saved.net"));
  EXPECT_FALSE(
      read_compared("a.rec", [](const std::string&) { return "# x\nheddle-recording 1\nfoo\n"; }));
}

}  // namespace topology_differences_test
}  // namespace sm::ctl
