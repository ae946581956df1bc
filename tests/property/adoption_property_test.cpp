// Tables of any origin, found on a fabric, under the guarantees of any engine: what is kept is
// complete and fulfils them, against a reference that shares no code with routing/ (packets.h).

#include <algorithm>
#include <map>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "mad/format.h"
#include "property/packets.h"
#include "routing/registry.h"
#include "routing/verify/verify.h"
#include "sm/ctl/topology/generators.h"
#include "support/conditions.h"
#include "support/fabrics.h"
#include "support/seeds.h"
#include "support/tori.h"

namespace adoption_property_test {

using fabric::ForwardingTables;
using fabric::kNoIndex;
using fabric::PortIndex;
using fabric::SwitchIndex;
using fabrics::Subnet;
using packets::attachment_of;
using packets::trace_all;
using packets::walk;
using routing::ChainResult;
using routing::Refusal;
using routing::RoutingInput;
using routing::RoutingOptions;
using testing::Contains;
using testing::HasSubstr;
using topology::Random;

using Outcome = tl::expected<ChainResult, Refusal>;

/// A fabric with an engine's options, and routings of it.
struct Site {
  Subnet subnet;
  RoutingOptions options = {};

  RoutingInput input() const { return {subnet.fabric, subnet.graph, subnet.lids, options}; }
  Outcome route(std::string_view engine) const { return run(engine, input()); }
  /// The engine's routing where these tables are found.
  Outcome adopt(std::string_view engine, const ForwardingTables& found) const {
    RoutingInput with = input();
    with.previous = &found;
    with.adopt = true;
    return run(engine, with);
  }
  /// The next routing, on this fabric, after one on a fabric with the same switches.
  Outcome go_on(std::string_view engine, const ChainResult& last) const {
    const routing::PreviousRouting before{*last.memory, last.routing.lfts, last.routing};
    RoutingInput with = input();
    with.previous = &last.routing.lfts;
    with.previous_routing = &before;
    return run(engine, with);
  }

 private:
  static Outcome run(std::string_view engine, const RoutingInput& with) {
    return routing::route_with_chain(std::vector<std::string>{std::string(engine)}, true, with);
  }
};

/// Changes some entries: holes, ports that lead elsewhere or nowhere, forwarding loops.
void damage(ForwardingTables& tables, Random& random, unsigned entries) {
  for (; entries > 0 && tables.switches() > 0; --entries) {
    const SwitchIndex sw(random.below(static_cast<std::uint32_t>(tables.switches())));
    tables.writable_row(sw)[1 + random.below(static_cast<std::uint32_t>(tables.pitch()) - 1)] =
        static_cast<std::uint8_t>(random.percent(20) ? 255 : random.below(12));
  }
}

/// No path from a host to a host is longer than with the other tables.
bool no_path_is_longer(const Subnet& subnet, const routing::RoutingResult& one,
                       const routing::RoutingResult& other) {
  for (const PortIndex source : subnet.fabric.end_ports) {
    const auto [from, in] = attachment_of(subnet, source);
    if (subnet.fabric.owning_node(source).is_switch() || from == kNoIndex) continue;
    for (unsigned value = 1; value <= subnet.lids.lid_top.value; ++value) {
      const mad::Lid lid{static_cast<std::uint16_t>(value)};
      const PortIndex owner = subnet.lids.owner(lid);
      if (owner == kNoIndex || subnet.fabric.owning_node(owner).is_switch()) continue;
      if (walk(subnet, one, from, in, lid, 0).hops.size() >
          walk(subnet, other, from, in, lid, 0).hops.size())
        return false;
    }
  }
  return true;
}

Site random_site(std::uint64_t seed, Random& random) {
  fabric::Fabric fabric = fabrics::random_fabric(seed);
  fabric::LidMap lids = fabrics::assign_lids(fabric, random.percent(70) ? 0 : random.below(3));
  Site site{.subnet = Subnet(std::move(fabric), std::move(lids))};
  site.options.vls_max = 1 + random.below(8);
  site.options.connect_roots = random.percent(20);
  site.options.nue_max_num_vls = random.below(3);
  return site;
}

TEST(AdoptionProperty, WhatIsKeptFulfilsTheGuaranteesOfTheEngine) {
  std::map<std::string_view, std::size_t> adopted, as_found;
  seeds::for_each(
      800, [&](std::uint64_t seed) {
        Random random(seed * 977);
        const Site site = random_site(seed, random);
        const auto engines = routing::engines();
        std::vector<std::string_view> plain;  // others have the same tables
        for (const routing::Engine& engine : engines)
          if (engine.groups == routing::GroupRule::none && engine.name != "chain")
            plain.push_back(engine.name);
        const auto any = [&] { return plain[random.below(std::uint32_t(plain.size()))]; };
        const Outcome origin = site.route(any());
        if (!origin) return;
        ForwardingTables found = origin->routing.lfts;
        if (random.percent(60)) damage(found, random, 1 + random.below(8));
        for (const routing::Engine& engine : engines) {
          SCOPED_TRACE(fmt::format("{} finds tables of {}", engine.name, origin->routing.engine));
          const Outcome own = site.route(engine.name), result = site.adopt(engine.name, found);
          // Tables that are kept may have no credit loop where the engine's own, which turn, have
          // one.
          ASSERT_TRUE(result || !own) << result.error().why;
          if (!own) continue;
          const routing::VerifyReport report = routing::verify(
              site.subnet.fabric, site.subnet.graph, site.subnet.lids, result->routing.lfts,
              {.switch_lids_may_be_withheld =
                   engine.may_withhold_switch_lids && !site.options.connect_roots});
          ASSERT_TRUE(report.ok())
              << routing::describe(report, site.subnet.fabric, site.subnet.lids).front();
          const packets::Findings packets = trace_all(site.subnet, result->routing);
          ASSERT_EQ(packets.lost, trace_all(site.subnet, own->routing).lost);
          ASSERT_TRUE(!engine.promises_no_credit_loops || result->routing.may_deadlock ||
                      !packets.has_cycle());
          ASSERT_LE(result->routing.vls, site.options.vls_max);
          if (engine.promises_shortest_paths || engine.name == "minhop") {
            ASSERT_TRUE(no_path_is_longer(site.subnet, result->routing, own->routing));
          }
          const bool differs = result->routing.lfts != own->routing.lfts;
          ASSERT_TRUE(!differs || result->memory->adopted);
          adopted[engine.name] += differs ? 1u : 0u;
          as_found[engine.name] += differs && result->routing.lfts == found ? 1u : 0u;
        }
      });
  if (!seeds::are_default()) return;
  for (const routing::Engine& engine : routing::engines()) {
    if (engine.found == routing::FoundTables::replaced || engine.name == "file" ||
        engine.name == "chain")
      continue;
    if (engine.groups != routing::GroupRule::none) continue;
    const bool rare = engine.name == "ftree" || engine.name == "updn";
    EXPECT_GT(adopted[engine.name], rare ? 5u : 20u) << engine.name;
    EXPECT_GT(as_found[engine.name], rare ? 1u : 20u) << engine.name;
  }
}

// ---- what an engine finds that it did not write

/// Two levels; the tables of each engine differ from those of another that balances otherwise.
Site fat_tree() {
  return {.subnet = Subnet(fabrics::from_topology(
              topology::xgft({.children = {3, 4}, .parents = {1, 3}, .cables = {}})))};
}

/// Good tables that no engine would choose: all traffic from a leaf takes one spine.
ForwardingTables one_sided(const Site& site) {
  const ForwardingTables balanced = site.route("minhop")->routing.lfts;
  ForwardingTables tables = balanced;
  const fabric::SwitchGraph& graph = site.subnet.graph;
  for (const SwitchIndex sw : graph.all_switches()) {
    std::vector<std::uint8_t> spines;
    for (const mad::PortNum port : graph.out_ports(sw)) spines.push_back(port.value);
    const bool is_leaf = spines.size() == 3;
    for (std::uint8_t& out : tables.writable_row(sw))
      if (is_leaf && std::ranges::find(spines, out) != spines.end()) out = spines.front();
  }
  // LIDs of spines are reached by their own links.
  for (const auto& end : graph.end_ports) {
    if (end.out != mad::PortNum{0}) continue;
    const mad::Lid lid = site.subnet.find_lid(end.port);
    for (const SwitchIndex sw : graph.all_switches())
      tables.writable_row(sw)[lid.value] = balanced.at(sw, lid).value;
  }
  return tables;
}

/// Entries that differ, but for those of the LID `except` and of spines, which not all engines
/// connect to each other.
std::size_t differences(const Site& site, const ForwardingTables& one,
                        const ForwardingTables& other, mad::Lid except = {}) {
  std::set<unsigned> left_out{except.value};
  for (const auto& end : site.subnet.graph.end_ports)
    if (site.subnet.graph.degree(end.sw) == 4)
      left_out.insert(site.subnet.find_lid(end.port).value);
  std::size_t count = 0;
  for (const SwitchIndex sw : one.all_switches())
    for (unsigned lid = 0; lid < one.pitch(); ++lid)
      count += !left_out.contains(lid) && one.row(sw)[lid] != other.row(sw)[lid] ? 1u : 0u;
  return count;
}

class EngineThatAdopts : public testing::TestWithParam<const char*> {};

TEST_P(EngineThatAdopts, KeepsGoodTablesAsTheyAre) {
  const Site site = fat_tree();
  const ForwardingTables found = one_sided(site);
  const Outcome result = site.adopt(GetParam(), found);
  ASSERT_TRUE(result);
  EXPECT_EQ(differences(site, result->routing.lfts, found), 0u);
  EXPECT_EQ(result->routing.engine, GetParam());
  EXPECT_TRUE(result->memory->adopted);
  EXPECT_GT(differences(site, site.route(GetParam())->routing.lfts, found), 0u);
}

TEST_P(EngineThatAdopts, ReplacesWhatIsBrokenAndNothingElse) {
  const Site site = fat_tree();
  const ForwardingTables good = one_sided(site);
  const fabric::SwitchGraph& graph = site.subnet.graph;
  const auto host = std::ranges::find_if(
      graph.end_ports, [](const auto& end) { return end.out != mad::PortNum{0}; });
  const mad::Lid lid = site.subnet.find_lid(host->port);
  const SwitchIndex leaf = host->sw, spine = graph.neighbours(leaf).front();
  const auto to = [&](SwitchIndex from, SwitchIndex neighbour) {
    for (const fabric::ChannelIndex channel : graph.channels(from))
      if (graph.neighbour[channel] == neighbour) return graph.port[channel].value;
    return mad::kNoPort.value;
  };
  const SwitchIndex other_leaf = graph.neighbours(spine).back();
  const std::uint8_t another_host = [&] {
    for (const auto& end : graph.end_ports)
      if (end.sw == leaf && end.port != host->port && end.out.value != 0) return end.out.value;
    return std::uint8_t{0};
  }();
  struct Fault {
    const char* what;
    SwitchIndex sw;
    std::uint8_t out;
  };
  for (const Fault& fault :
       {Fault{"hole", other_leaf, 255}, Fault{"wrong port", leaf, another_host},
        Fault{"no such port", other_leaf, 200},
        Fault{"forwarding loop", spine, to(spine, other_leaf)}}) {
    SCOPED_TRACE(fault.what);
    ForwardingTables found = good;
    found.writable_row(fault.sw)[lid.value] = fault.out;
    const Outcome result = site.adopt(GetParam(), found);
    ASSERT_TRUE(result);
    ASSERT_TRUE(result->verification.ok());
    EXPECT_NE(result->routing.lfts.row(fault.sw)[lid.value], fault.out);
    EXPECT_EQ(differences(site, result->routing.lfts, good, lid), 0u);
  }
}

TEST_P(EngineThatAdopts, RoutesAHostThatWasAddedSince) {
  const Site site = fat_tree();
  ForwardingTables found = one_sided(site);
  const ForwardingTables good = found;
  const mad::Lid lid{5};
  for (const SwitchIndex sw : site.subnet.graph.all_switches())
    found.writable_row(sw)[lid.value] = 255;
  const Outcome result = site.adopt(GetParam(), found);
  ASSERT_TRUE(result);
  EXPECT_EQ(differences(site, result->routing.lfts, good, lid), 0u);
}

/// The adopted tables are the beginning of what follows: a link that goes down changes the entries
/// of paths on it.
TEST_P(EngineThatAdopts, ChangesNoMoreThanALostLinkTouches) {
  Site site = fat_tree();
  const ForwardingTables found = one_sided(site);
  const Outcome before = site.adopt(GetParam(), found);
  ASSERT_TRUE(before);
  const fabric::SwitchGraph& graph = site.subnet.graph;
  const auto host = std::ranges::find_if(
      graph.end_ports, [](const auto& end) { return end.out != mad::PortNum{0}; });
  const fabric::ChannelIndex channel = graph.offsets[host->sw];
  const std::uint8_t cut = graph.port[channel].value;
  const std::uint8_t back = graph.port[graph.reverse[channel]].value;
  const SwitchIndex spine = graph.neighbour[channel];
  fabric::Fabric fabric = site.subnet.fabric;
  const fabric::Node& node = fabric.nodes[fabric.switches[host->sw].node];
  const PortIndex port = node.first_port + cut, peer = fabric.ports[port].peer;
  fabric.ports[port].peer = fabric.ports[peer].peer = kNoIndex;
  const Site after{.subnet = Subnet(std::move(fabric), site.subnet.lids)};
  const Outcome result = after.go_on(GetParam(), *before);
  ASSERT_TRUE(result);
  EXPECT_TRUE(result->memory->adopted);
  // At both ends what left by the link; elsewhere what led to the leaf by the spine.
  ForwardingTables expected = found;
  for (unsigned value = 0; value < found.pitch(); ++value) {
    const mad::Lid lid{static_cast<std::uint16_t>(value)};
    const PortIndex owner = site.subnet.lids.owner(lid);
    if (owner == kNoIndex) continue;
    const bool below = std::ranges::any_of(
        graph.end_ports, [&](const auto& end) { return end.port == owner && end.sw == host->sw; });
    for (const SwitchIndex sw : graph.all_switches()) {
      std::uint8_t& entry = expected.writable_row(sw)[value];
      if (below || (sw == host->sw && entry == cut) || (sw == spine && entry == back))
        entry = result->routing.lfts.row(sw)[value];
    }
  }
  EXPECT_EQ(differences(site, result->routing.lfts, expected), 0u);
}

INSTANTIATE_TEST_SUITE_P(Engines, EngineThatAdopts,
                         testing::Values("minhop", "updn", "dnup", "sssp", "dfsssp", "dmodc",
                                         "ftree", "lash", "nue"),
                         [](const auto& test) { return std::string(test.param); });

// ---- credit loops

/// Min-hop tables on a ring: every link depends on the next.
TEST(Adoption, RefusesACreditLoopOnOneVlAndSaysWhy) {
  Site ring{.subnet = Subnet(fabrics::from_topology(topology::torus({.dimensions = {5}})))};
  const ForwardingTables found = ring.route("minhop")->routing.lfts;
  ASSERT_FALSE(ring.route("minhop")->credit_loops.ok());
  for (const char* engine : {"nue", "dnup"}) {
    SCOPED_TRACE(engine);
    const Outcome result = ring.adopt(engine, found);
    ASSERT_TRUE(result);
    EXPECT_TRUE(result->credit_loops.ok());
    EXPECT_FALSE(result->routing.lfts == found);
    EXPECT_FALSE(trace_all(ring.subnet, result->routing).has_cycle());
  }
  EXPECT_THAT(texts(ring.adopt("nue", found)->routing.conditions),
              Contains(HasSubstr("nue: tables found on the fabric are replaced: ")));
}

/// The engine chooses VLs for tables that were found.
TEST(Adoption, ChoosesVlsForTablesWhereTheEngineUsesSeveral) {
  Site ring{.subnet = Subnet(fabrics::from_topology(topology::torus({.dimensions = {5}})))};
  const ForwardingTables found = ring.route("minhop")->routing.lfts;
  for (const char* engine : {"dfsssp", "lash"}) {
    SCOPED_TRACE(engine);
    const Outcome result = ring.adopt(engine, found);
    ASSERT_TRUE(result);
    EXPECT_TRUE(result->routing.lfts == found);
    EXPECT_GT(result->routing.vls, 1u);
    EXPECT_FALSE(trace_all(ring.subnet, result->routing).has_cycle());
  }
  ring.options.vls_max = 2;
  ring.options.lash_start_vl = 1;
  EXPECT_FALSE(ring.adopt("lash", found).has_value());
}

/// Its SLs represent dimensions, and tables of another routing have none.
TEST(Adoption, Torus2QosReplacesTables) {
  const tori::Lattice lattice{.radix = {4, 3, 1}};
  Site torus{.subnet = Subnet(lattice.fabric())};
  torus.options.torus = lattice.options();
  const Outcome own = torus.route("torus-2QoS");
  ASSERT_TRUE(own) << own.error().why;
  const Outcome result = torus.adopt("torus-2QoS", torus.route("minhop")->routing.lfts);
  ASSERT_TRUE(result);
  EXPECT_TRUE(result->routing.lfts == own->routing.lfts);
  EXPECT_THAT(texts(result->routing.conditions),
              Contains(HasSubstr("replaced: its SLs are those of its own paths")));
}

/// A chain that begins with an engine which refuses the fabric.
TEST(Adoption, TheEngineThatRoutesTheFabricAdopts) {
  const Site site = fat_tree();
  const ForwardingTables found = one_sided(site);
  RoutingInput input = site.input();
  input.previous = &found;
  input.adopt = true;
  const auto result =
      routing::route_with_chain(std::vector<std::string>{"torus-2QoS", "dmodc"}, true, input);
  ASSERT_TRUE(result);
  EXPECT_EQ(result->routing.engine, "dmodc");
  EXPECT_TRUE(result->routing.lfts == found);
}

}  // namespace adoption_property_test
