// Fabrics from files, names that people use, ways of packets, what would change.

#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "fabric/find_port.h"
#include "fabric/topology/read.h"
#include "mad/attributes/forwarding_blocks.h"
#include "mad/attributes/virtualization.h"
#include "mad/format.h"
#include "routing/registry.h"
#include "sm/ctl/comparison.h"
#include "sm/ctl/fabric_file.h"
#include "sm/ctl/plan_text.h"
#include "sm/ctl/topology/topology.h"
#include "sm/ops/trace.h"
#include "support/fabrics.h"

namespace sm::ctl {
namespace ctl_test {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// ---- files

TEST(FabricFile, KeepsNodesCablesAndSpeeds) {
  const topology::Topology topology =
      topology::with_links(topology::fat_tree({.hosts = 16, .radix = 8, .levels = 2}),
                           topology::LinkWidth::x4, topology::LinkSpeed::hdr);
  const FabricOfFile made = build_fabric(topology);
  EXPECT_THAT(made.notes, IsEmpty());
  ASSERT_EQ(made.fabric.nodes.size(), topology.nodes.size());
  const topology::Topology back = make_topology(made.fabric);
  EXPECT_EQ(back.links.size(), topology.links.size());
  for (const topology::Link& link : back.links) EXPECT_EQ(link.speed, topology::LinkSpeed::hdr);
  for (const topology::Node& node : topology.nodes) {
    const NodeIndex at = made.fabric.node_of_guid.at(node.guid);
    EXPECT_EQ(made.fabric.nodes[at].description.text(), node.name);
    EXPECT_EQ(made.fabric.nodes[at].num_ports, node.port_count);
  }
  for (const topology::Link& link : topology.links) {
    const PortIndex a = made.fabric.port(
        made.fabric.node_of_guid.at(topology.nodes[link.a.node].guid), link.a.port);
    const PortIndex b = made.fabric.port(
        made.fabric.node_of_guid.at(topology.nodes[link.b.node].guid), link.b.port);
    EXPECT_EQ(made.fabric.ports[a].peer, b);
    EXPECT_TRUE(made.fabric.is_link_up(a));
  }
}

TEST(FabricFile, TakesLidsFromComments) {
  const topology::TopologyFile file = topology::read_ibnetdiscover({"t.net", R"(switchguid=0x10(10)
Switch 2 "S"		# "leaf" enhanced port 0 lid 7 lmc 0
[1]	"A"[1](21) 		# "a" lid 12 4xQDR
[2]	"B"[1](31) 		# "b" lid 16 4xQDR

caguid=0x20
Ca 1 "A"		# "a"
[1](21)	"S"[1]		# lid 12 lmc 2 "leaf" lid 7 4xQDR

caguid=0x30
Ca 1 "B"		# "b"
[1](31)	"S"[2]		# lid 16 lmc 2 "leaf" lid 7 4xQDR
)"});
  ASSERT_TRUE(file.ok());
  const FabricOfFile made = build_fabric(file.topology, file.lids);
  const auto find_lid = [&](std::uint64_t guid) {
    return made.fabric.ports[made.fabric.port_of_guid.at(mad::Guid{guid})].info;
  };
  EXPECT_EQ(find_lid(0x10).lid(), mad::Lid{7});
  EXPECT_EQ(find_lid(0x21).lid(), mad::Lid{12});
  EXPECT_EQ(find_lid(0x21).lmc(), 2);
  EXPECT_EQ(find_lid(0x31).lid(), mad::Lid{16});
}

TEST(FabricFile, LeavesOutWhatNoCableLeadsTo) {
  topology::Topology topology = topology::fat_tree({.hosts = 8, .radix = 4, .levels = 2});
  topology.nodes.push_back(
      {.type = topology::NodeType::ca, .name = "lonely", .guid = mad::Guid{0x77}, .port_count = 1});
  topology.nodes.push_back({.type = topology::NodeType::ca,
                            .name = "twin",
                            .guid = topology.nodes[0].guid,
                            .port_count = 1});
  const FabricOfFile made = build_fabric(topology);
  EXPECT_EQ(made.fabric.nodes.size(), topology.nodes.size() - 2);
  EXPECT_THAT(made.notes,
              ElementsAre(AllOf(HasSubstr("twin"), HasSubstr("another node has its GUID")),
                          AllOf(HasSubstr("1 of"), HasSubstr("lonely"))));
}

// ---- names

struct Row {
  // H0 - S0 - S1 - H1, and a host with two ports on both
  fabrics::Maker maker;
  NodeIndex s0 = maker.sw(8, "S0 left"), s1 = maker.sw(8, "S1 right");
  NodeIndex h0 = maker.ca(1, "H0 mlx5_0"), h1 = maker.ca(1, "H1 mlx5_0"),
            two = maker.ca(2, "H2: two"), twin = maker.ca(1, "H1 mlx4_0");
  Row() {
    maker.cable(s0, 1, s1, 1);
    maker.cable(h0, 1, s0, 2);
    maker.cable(h1, 1, s1, 2);
    maker.cable(two, 1, s0, 3);
    maker.cable(two, 2, s1, 3);
    maker.cable(twin, 1, s1, 4);
  }
};

TEST(FindPort, ByEverythingThatPeopleSay) {
  Row row;
  const fabrics::Subnet subnet(row.maker.build());
  const auto find = [&](std::string_view text) {
    return find_port(subnet.fabric, subnet.lids, text);
  };
  const PortIndex h0 = subnet.fabric.port(row.h0, mad::PortNum{1});
  const mad::Lid lid = subnet.find_lid(h0);
  for (const std::string& text : {fmt::to_string(lid.value), fmt::format("0x{:x}", lid.value),
                                  std::string("H0"), std::string("H0 mlx5_0"), std::string("H0:1"),
                                  fmt::format("{}", subnet.fabric.nodes[row.h0].guid),
                                  fmt::format("{}", subnet.fabric.ports[h0].guid)}) {
    const auto place = find(text);
    ASSERT_TRUE(place) << text << ": " << place.error();
    EXPECT_EQ(place->port, h0) << text;
    EXPECT_EQ(place->lid, lid) << text;
  }
  EXPECT_EQ(find("S1")->port, subnet.fabric.nodes[row.s1].first_port);
  EXPECT_EQ(find(fmt::format("{}:1", lid.value))->port, h0);
  EXPECT_EQ(find("H2: two:2")->port, subnet.fabric.port(row.two, mad::PortNum{2}));
}

TEST(FindPort, AHostThatDoesNotAnswerHasACable) {
  Row row;
  fabrics::Subnet subnet(row.maker.build());
  const PortIndex h0 = subnet.fabric.port(row.h0, mad::PortNum{1});
  subnet.fabric.ports[h0].known = false;
  std::erase(subnet.fabric.end_ports, h0);
  EXPECT_THAT(find_port(subnet.fabric, subnet.lids, "H0").error(),
              AllOf(HasSubstr("does not answer subnet management packets"),
                    HasSubstr("a cable leads to it")));
  subnet.fabric.ports[h0].peer = kNoIndex;
  EXPECT_THAT(find_port(subnet.fabric, subnet.lids, "H0").error(),
              HasSubstr("no cable leads to \"H0"));
}

TEST(FindPort, InAnyCaseIfNoNodeHasTheExactName) {
  Row row;
  const NodeIndex small = row.maker.ca(1, "s1 mlx5_0");
  row.maker.cable(small, 1, row.s0, 5);
  const fabrics::Subnet subnet(row.maker.build());
  const auto node = [&](std::string_view text) {
    const auto found = find_node(subnet.fabric, subnet.lids, text);
    return found ? subnet.fabric.description(found->node) : found.error();
  };
  EXPECT_EQ(node("h0"), "H0 mlx5_0");
  EXPECT_EQ(node("h0 MLX5_0:1"), "H0 mlx5_0");
  EXPECT_EQ(node("S1"), "S1 right") << "the exact name is first";
  EXPECT_EQ(node("s1"), "s1 mlx5_0");
  EXPECT_THAT(node("h1"), HasSubstr("2 nodes are called \"h1\"")) << "not unique";
}

TEST(FindPort, NamesTheNodeThatMayBeMeant) {
  Row row;
  const fabrics::Subnet subnet(row.maker.build());
  const auto error = [&](std::string_view text) {
    return find_port(subnet.fabric, subnet.lids, text).error();
  };
  EXPECT_THAT(error("H0 mlx5_1"),
              HasSubstr("nothing here is called \"H0 mlx5_1\" (did you mean \"H0 mlx5_0\"?); a"));
  EXPECT_THAT(error("switch"), HasSubstr("nothing here is called \"switch\"; a LID"));
}

TEST(FindPort, SaysWhatIsUnclear) {
  Row row;
  const fabrics::Subnet subnet(row.maker.build());
  const auto error = [&](std::string_view text) {
    const auto place = find_port(subnet.fabric, subnet.lids, text);
    return place ? std::string("found") : place.error();
  };
  EXPECT_THAT(error("H9"), HasSubstr("nothing here is called \"H9\""));
  EXPECT_THAT(error("H1"),
              AllOf(HasSubstr("2 nodes"), HasSubstr("H1 mlx5_0"), HasSubstr("H1 mlx4_0")));
  EXPECT_THAT(error("H2: two"), AllOf(HasSubstr("2 ports"), HasSubstr("\"H2: two:1\"")));
  EXPECT_THAT(error("H2: two:3"), HasSubstr("no port 3"));
  EXPECT_THAT(error("400"), HasSubstr("no port has LID 400"));
  EXPECT_THAT(error("0x1234567890"), HasSubstr("no node and no port has GUID"));
  EXPECT_THAT(error(""), HasSubstr("nothing here is called"));
}

// ---- ways

struct Traced : Row {
  fabrics::Subnet subnet{maker.build()};
  ForwardingTables lfts{subnet.graph.switches(), subnet.lids.lid_top};
  PortIndex from = subnet.fabric.port(h0, mad::PortNum{1}),
            to = subnet.fabric.port(h1, mad::PortNum{1});
  mad::Lid lid = subnet.find_lid(to);
  std::uint8_t& at(NodeIndex sw) { return lfts.writable_row(subnet.sw(sw))[lid.value]; }
  Trace path(PortIndex start) const {
    return trace(subnet.fabric, subnet.lids, lfts, {}, {}, start, lid);
  }
};

TEST(Trace, FollowsTheTables) {
  Traced of;
  of.at(of.s0) = 1;
  of.at(of.s1) = 2;
  const Trace path = of.path(of.from);
  EXPECT_EQ(path.trouble, "");
  EXPECT_EQ(path.cables(), 3u);
  EXPECT_EQ(text(path, of.subnet.fabric),
            fmt::format("  \"H0 mlx5_0\" ({}) out 1\n  \"S0 left\" ({}) in 2 out 1\n  \"S1 right\" "
                        "({}) in 1 out 2\n  \"H1 mlx5_0\" ({}) in 1\n"
                        "  LID {} by 3 cables with SL 0\n",
                        of.subnet.fabric.nodes[of.h0].guid, of.subnet.fabric.nodes[of.s0].guid,
                        of.subnet.fabric.nodes[of.s1].guid, of.subnet.fabric.nodes[of.h1].guid,
                        of.lid.value));
  EXPECT_EQ(of.path(of.to).cables(), 0u);
  EXPECT_EQ(of.path(of.subnet.fabric.nodes[of.s0].first_port).cables(), 2u);
}

TEST(Trace, SaysWhereThePacketIsLost) {
  Traced of;
  EXPECT_THAT(of.path(of.from).trouble, AllOf(HasSubstr("S0 left"), HasSubstr("has no entry")));
  of.at(of.s0) = 1;
  of.at(of.s1) = 1;
  EXPECT_THAT(of.path(of.from).trouble, HasSubstr("form a loop"));
  of.at(of.s1) = 7;
  EXPECT_THAT(of.path(of.from).trouble, HasSubstr("no link is up at \"S1 right\""));
  of.at(of.s1) = 4;
  EXPECT_THAT(of.path(of.from).trouble, HasSubstr("whose LID it is not"));
  of.at(of.s1) = 0;
  EXPECT_THAT(of.path(of.from).trouble, HasSubstr("takes it for itself"));
  of.lid = mad::Lid{999};
  EXPECT_THAT(of.path(of.from).trouble, HasSubstr("no port has LID 999"));
}

TEST(Trace, ShowsVlsWhereTheEngineDecidesThem) {
  Traced of;
  of.at(of.s0) = 1;
  of.at(of.s1) = 2;
  auto sls = routing::PathSls::by_destination(of.subnet.lids.lid_top);
  sls.row(0)[of.lid.value] = 3;
  const Trace path = trace(of.subnet.fabric, of.subnet.lids, of.lfts, sls,
                           routing::SlToVl::identity(4), of.from, of.lid);
  EXPECT_EQ(path.sl, mad::Sl{3});
  EXPECT_EQ(path.hops[1].vl, 3u);
  EXPECT_THAT(text(path, of.subnet.fabric), HasSubstr("out 1 on VL 3"));
}

// ---- changes

TEST(PlanText, CountsAndNamesWhatChanges) {
  const fabrics::Subnet subnet(
      fabrics::from_topology(topology::fat_tree({.hosts = 16, .radix = 8, .levels = 2})));
  const routing::RoutingOptions options;
  const ForwardingTables before = routing::find_engine("minhop")
                                      ->route({subnet.fabric, subnet.graph, subnet.lids, options})
                                      ->lfts;
  const auto compared = [&](const ForwardingTables* held, const ForwardingTables& planned) {
    return compare_tables(subnet.fabric, subnet.graph, subnet.lids, held, planned, 10);
  };
  EXPECT_THAT(table_changes_text(subnet.fabric, compared(&before, before)),
              AllOf(HasSubstr("0 entries in 0 blocks"),
                    HasSubstr("0 would change; 0 would be lost, 0 found")));
  ForwardingTables after = before;
  const SwitchGraph::EndPort host = *std::ranges::find_if(
      subnet.graph.end_ports, [](const auto& end) { return end.out.value > 0; });
  const mad::Lid lid = subnet.find_lid(host.port);
  const SwitchIndex other{
      host.sw == 0 ? 1u : 0u};  // a switch that the host is not on drops its packets now
  after.writable_row(other)[lid.value] = 0xFF;
  const TablesPlanned planned = compared(&before, after);
  const std::string text = table_changes_text(subnet.fabric, planned);
  EXPECT_THAT(text, HasSubstr("1 entry in 1 block"));
  EXPECT_THAT(text, HasSubstr(subnet.fabric.name(subnet.fabric.switches[other].node) + ": 1 of"));
  const bool is_leaf = std::ranges::any_of(subnet.graph.end_ports, [&](const auto& end) {
    return end.sw == other && end.out.value > 0;
  });
  EXPECT_THAT(text, HasSubstr("then lost"));
  EXPECT_THAT(
      text, is_leaf ? HasSubstr("4 would be lost, 0 found") : HasSubstr("would be lost, 0 found"));
  EXPECT_THAT(table_changes_text(subnet.fabric, compared(nullptr, after)),
              HasSubstr("nothing is known"));
  const auto lids = find_lid_changes(subnet.fabric, subnet.lids);
  EXPECT_THAT(lid_changes_text(subnet.fabric, lids),
              HasSubstr(fmt::format("{0} of {0} end ports", subnet.fabric.end_ports.size())));
  EXPECT_EQ(lid_changes_json(subnet.fabric, lids).size(), lids.size());

  const auto json = table_changes_json(subnet.fabric, planned);
  EXPECT_EQ(json["forwarding_blocks"]["all"], 1);
  EXPECT_EQ(json["forwarding_blocks"]["switches"][0]["blocks"], 1);
  EXPECT_EQ(json["paths"]["lost"], is_leaf ? 4 : planned.lost);
  EXPECT_EQ(json["paths"]["named"].size(), planned.paths.size());
  EXPECT_EQ(json["paths"]["named"][0]["then"], "lost");
  EXPECT_TRUE(table_changes_json(subnet.fabric, compared(nullptr, after))["paths"].is_null());
}

TEST(PlanText, WritesAreNamedByTheirRows) {
  const fabrics::Subnet subnet(
      fabrics::from_topology(topology::fat_tree({.hosts = 16, .radix = 8, .levels = 2})));
  const Fabric& fabric = subnet.fabric;
  const auto& sw = fabric.switches[SwitchIndex{0}];
  const PortIndex port = fabric.port(sw.node, mad::PortNum{1});
  mad::PortInfo info = fabric.ports[port].info;
  info.set_port_state(mad::PortState::no_change);
  info.set_lid(mad::Lid{0x123});
  mad::SwitchInfo switch_info = sw.info;
  switch_info.set_linear_fdb_top(0x321);
  switch_info.set_port_state_change(false);
  Plan plan;
  plan.stages.push_back({.kind = StageKind::ports,
                         .writes = {make_write(info, 1, port), make_write(switch_info, 0, port),
                                    make_write(mad::PKeyTable(), 0x10002, port),
                                    make_write(mad::LinearForwardingTable(), 0x10, port),
                                    make_write(mad::VPortInfo(), 3, port)}});
  const std::string of_port = fabric.port_name(port), of_node = fabric.name(sw.node);
  EXPECT_EQ(
      writes_text(fabric, plan, 5),
      fmt::format("writes: 5, in this order\n  5 PortInfo\n"
                  "    {0}: PortInfo, LID {2} -> 291\n"
                  "    {1}: SwitchInfo, LinearFDBTop {3} -> 801\n"
                  "    {0}: P_KeyTable block 2\n"
                  "    {1}: LinearForwardingTable modifier 0x10\n"
                  "    {1}: VPortInfo modifier 0x3\n",
                  of_port, of_node, fabric.ports[port].info.lid().value, sw.info.linear_fdb_top()));
}

// ---- comparison and pictures

TEST(Comparison, TableAndJsonHaveTheSameFigures) {
  const fabrics::Subnet subnet(
      fabrics::from_topology(topology::fat_tree({.hosts = 16, .radix = 8, .levels = 2})));
  const routing::RoutingOptions options;
  const routing::RoutingInput input{subnet.fabric, subnet.graph, subnet.lids, options};
  const auto routed = routing::find_engine("updn")->route(input);
  ctl::EngineResult good{.engine = "updn",
                         .refusal = {},
                         .wall_ms = 3,
                         .quality = measure(input, *routed, &routed->lfts, {}, 1),
                         .notes = {"a note"}};
  const ctl::EngineResult bad{
      .engine = "ftree", .refusal = "ftree: no tree", .quality = {}, .notes = {}};
  EXPECT_EQ(good.quality->lengths.lost, 0u);
  EXPECT_EQ(good.quality->by_lid.worst, 1u);
  EXPECT_EQ(good.quality->along_tree.worst, 1u);
  EXPECT_EQ(good.quality->bound_along_tree.mean, 1.0);
  EXPECT_EQ(good.quality->changes->blocks, 0u);
  const std::vector<ctl::EngineResult> rows{good, bad};
  EXPECT_THAT(table(rows), AllOf(HasSubstr("1.00/1"), HasSubstr("ftree: no tree\n"),
                                 HasSubstr("updn: a note\n"), HasSubstr("blocks changed")));
  const nlohmann::json figures = json(rows);
  EXPECT_EQ(figures[0]["shifts"]["worst"], 1);
  EXPECT_EQ(figures[0]["shifts_along_tree"]["worst"], 1);
  EXPECT_EQ(figures[0]["shifts_along_tree"]["bound"], 1.0);
  EXPECT_EQ(figures[0]["shifts_by_name"]["worst"], 1);
  EXPECT_EQ(figures[0]["shifts_by_rail"]["rails"], 1);
  EXPECT_EQ(figures[0]["changes"]["paths"], 0);
  EXPECT_EQ(figures[1]["refusal"], "ftree: no tree");
}

TEST(Drawing, TheBusiestCableIsTheReddest) {
  Row row;
  const fabrics::Subnet subnet(row.maker.build());
  const routing::RoutingOptions options;
  const auto routed =
      routing::find_engine("minhop")->route({subnet.fabric, subnet.graph, subnet.lids, options});
  const routing::LinkLoads loads = routing::all_to_all(subnet.graph, subnet.lids, routed->lfts);
  std::ostringstream svg, dot;
  draw_svg(svg, subnet.fabric, subnet.graph, loads, "a <title>");
  draw_dot(dot, subnet.fabric, subnet.graph, loads, "a \"title\"");
  EXPECT_THAT(svg.str(), AllOf(HasSubstr("a &lt;title&gt;"),
                               HasSubstr(fmt::format("highest: {} paths", loads.worst)),
                               HasSubstr("stroke:#6e0a1e")));
  EXPECT_THAT(dot.str(), AllOf(HasSubstr("a \\\"title\\\""), HasSubstr("color=\"#6e0a1e\""),
                               HasSubstr(" paths to S1 right")));
}

}  // namespace ctl_test
}  // namespace sm::ctl
