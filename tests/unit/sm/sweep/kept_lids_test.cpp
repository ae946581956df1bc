#include "sm/sweep/decide/kept_lids.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "fabric/fabric_builder.h"
#include "routing/registry.h"
#include "sm/ctl/topology/topology.h"
#include "sm/sweep/decide/decide.h"
#include "sm/sweep/decide/routing_facts.h"
#include "support/fabrics.h"
#include "support/seeds.h"
#include "support/tori.h"

namespace kept_lids_test {

using fabric::Fabric;
using fabric::LidMap;
using fabric::PortIndex;
using sm::Guid2Lid;
using sm::KeptLids;

/// Returns the fabric without these hosts: their links are down.
Fabric without(const Fabric& fabric, const std::set<PortIndex>& hosts) {
  Fabric left = fabric;
  for (const PortIndex host : hosts) left.ports[host].known = false;
  fabric::FabricBuilder builder(left);
  for (const PortIndex host : hosts) builder.disconnect(host);
  Fabric out = builder.build();
  for (fabric::Port& port : out.ports)
    if (port.peer == fabric::kNoIndex && port.number.value != 0)
      port.info.set_port_state(mad::PortState::down);
  return out;
}

/// The LIDs that `of` has for the ports of `fabric`, by GUID.
LidMap same_lids(const Fabric& of, const LidMap& lids, const Fabric& fabric) {
  LidMap out;
  out.of_end_port.resize(fabric.end_ports.size());
  for (const fabric::EndPortIndex end_port : of.end_ports.indices()) {
    const auto port = fabric.port_of_guid.find(of.ports[of.end_ports[end_port]].guid);
    if (port == fabric.port_of_guid.end()) continue;
    const auto at = std::ranges::find(fabric.end_ports, port->second);
    const LidMap::Range range = lids.of_end_port[end_port];
    out.of_end_port[fabric::EndPortIndex(at - fabric.end_ports.begin())] = range;
    for (unsigned lid = range.base.value; lid < range.base.value + range.count(); ++lid) {
      out.port_of_lid.resize(std::max<std::size_t>(out.port_of_lid.size(), lid + 1),
                             fabric::kNoIndex);
      out.port_of_lid[lid] = port->second;
      out.lid_top = std::max(out.lid_top, mad::Lid{static_cast<std::uint16_t>(lid)});
    }
  }
  return out;
}

Guid2Lid record_of(const Fabric& fabric, const LidMap& lids) {
  Guid2Lid out;
  for (const fabric::EndPortIndex end_port : fabric.end_ports.indices()) {
    const LidMap::Range range = lids.of_end_port[end_port];
    if (range.count() == 0) continue;
    out.entries.push_back(
        {fabric.ports[fabric.end_ports[end_port]].guid, range.base,
         mad::Lid{static_cast<std::uint16_t>(range.base.value + range.count() - 1)}});
  }
  std::ranges::sort(out.entries, {}, &Guid2Lid::Entry::guid);
  return out;
}

std::vector<PortIndex> list_hosts(const Fabric& fabric) {
  std::vector<PortIndex> hosts;
  for (const PortIndex port : fabric.end_ports)
    if (!fabric.owning_node(port).is_switch() && fabric.ports[port].peer != fabric::kNoIndex &&
        fabric.owning_node(fabric.ports[port].peer).is_switch() && fabric.is_link_up(port) &&
        port != fabric.sm_port)
      hosts.push_back(port);
  return hosts;
}

/// A subnet, and what is left of it.
struct Lab {
  explicit Lab(const Fabric& from, unsigned lmc = 0) {
    whole.fabric = without(from, {});  // in the order in which discovery finds it
    whole.lids = fabrics::assign_lids(whole.fabric, lmc);
    record = record_of(whole.fabric, whole.lids);
  }
  void lose(const std::set<PortIndex>& hosts) {
    fabric = without(whole.fabric, hosts);
    lids = same_lids(whole.fabric, whole.lids, fabric);
  }
  KeptLids kept() const { return sm::kept_lids({}, &whole, fabric, lids, record); }

  fabric::Subnet whole;
  Fabric fabric;
  LidMap lids;
  Guid2Lid record;
};

Fabric tree() {
  return fabrics::from_topology(
      topology::xgft({.children = {3, 4}, .parents = {1, 3}, .cables = {}}));
}

// ---- which LIDs are kept

TEST(KeptLids, AreThoseOfAbsentHostsThatAreReserved) {
  Lab lab(tree(), 1);
  const std::vector<PortIndex> hosts = list_hosts(lab.whole.fabric);
  lab.lose({hosts[3], hosts[5]});
  const KeptLids kept = lab.kept();
  ASSERT_EQ(kept.ports.size(), 2u);
  for (const sm::KeptPort& port : kept.ports) {
    const PortIndex was = lab.whole.fabric.port_of_guid.at(port.guid);
    EXPECT_EQ(port.lids.count(), 2u);
    EXPECT_EQ(port.leaf, lab.whole.fabric.owning_node(lab.whole.fabric.ports[was].peer).guid);
    EXPECT_EQ(port.out, lab.whole.fabric.ports[lab.whole.fabric.ports[was].peer].number);
  }
  EXPECT_EQ(sm::placed(kept, lab.fabric, lab.lids), kept);

  std::erase_if(lab.record.entries, [&](const Guid2Lid::Entry& entry) {
    return entry.guid == kept.ports.front().guid;
  });
  EXPECT_EQ(lab.kept().ports.size(), 1u) << "its reservation was given up";
  lab.record.entries.clear();
  EXPECT_TRUE(lab.kept().ports.empty());
}

TEST(KeptLids, ThatAnotherPortHasAreNotKept) {
  Lab lab(tree());
  const std::vector<PortIndex> hosts = list_hosts(lab.whole.fabric);
  lab.lose({hosts[3]});
  ASSERT_EQ(lab.kept().ports.size(), 1u);
  lab.lids.port_of_lid[lab.kept().ports.front().lids.base.value] = PortIndex{0};
  EXPECT_TRUE(lab.kept().ports.empty());
}

TEST(KeptLids, EndWhereAnotherNeighbourIsSeenAndDoNotComeBack) {
  Lab lab(tree());
  const std::vector<PortIndex> hosts = list_hosts(lab.whole.fabric);
  lab.lose({hosts[3], hosts[5]});
  fabric::Subnet next{.fabric = lab.fabric, .lids = lab.lids};
  const KeptLids before = lab.kept();
  const mad::Guid guid = lab.whole.fabric.ports[hosts[3]].guid;

  // Another host at the place of the first one.
  const fabric::Port& old_place = lab.whole.fabric.ports[lab.whole.fabric.ports[hosts[3]].peer];
  const fabric::NodeIndex leaf =
      lab.fabric.node_of_guid.at(lab.whole.fabric.nodes[old_place.node].guid);
  Fabric facing = lab.fabric;
  facing.ports[facing.port(leaf, old_place.number)].info.set_port_state(mad::PortState::init);
  fabric::FabricBuilder builder(facing);
  mad::NodeInfo info;
  info.set_base_version(1);
  info.set_class_version(1);
  info.set_node_type(mad::NodeType::ca);
  info.set_num_ports(1);
  info.set_node_guid(mad::Guid{0x7700});
  info.set_port_guid(mad::Guid{0x7701});
  builder.add(info, {});
  builder.connect(facing.port(leaf, old_place.number), PortIndex(facing.ports.size()));
  const Fabric with_stranger = builder.build();
  const KeptLids after = sm::kept_lids(before, &next, with_stranger,
                                       same_lids(lab.fabric, lab.lids, with_stranger), lab.record);
  ASSERT_EQ(after.ports.size(), 1u);
  EXPECT_NE(after.ports.front().guid, guid);

  // It leaves again.
  fabric::Subnet last{.fabric = with_stranger,
                      .lids = same_lids(lab.fabric, lab.lids, with_stranger)};
  EXPECT_EQ(sm::kept_lids(after, &last, lab.fabric, lab.lids, lab.record), after);
}

TEST(KeptLids, OfASwitchThatIsAbsentItselfWaitForIt) {
  Lab lab(tree());
  const std::vector<PortIndex> hosts = list_hosts(lab.whole.fabric);
  const fabric::NodeIndex leaf =
      lab.whole.fabric.ports[lab.whole.fabric.ports[hosts.back()].peer].node;
  std::set<PortIndex> links;  // all of the leaf's
  for (const fabric::Port& port : lab.whole.fabric.node_ports(leaf))
    if (port.peer != fabric::kNoIndex) links.insert(port.peer);
  lab.lose(links);
  const KeptLids kept = lab.kept();
  EXPECT_EQ(kept.ports.size(), 3u);
  EXPECT_TRUE(sm::placed(kept, lab.fabric, lab.lids).ports.empty());
  EXPECT_EQ(sm::with_kept_ports(lab.fabric, lab.lids, sm::placed(kept, lab.fabric, lab.lids)),
            std::nullopt);
  fabric::Subnet next{.fabric = lab.fabric, .lids = lab.lids};

  // The switch is back, its hosts are not yet.
  std::set<PortIndex> leafs_hosts;
  for (const PortIndex host : hosts)
    if (lab.whole.fabric.ports[lab.whole.fabric.ports[host].peer].node == leaf)
      leafs_hosts.insert(host);
  lab.lose(leafs_hosts);
  const KeptLids again = sm::kept_lids(kept, &next, lab.fabric, lab.lids, lab.record);
  EXPECT_EQ(again, kept);
  EXPECT_EQ(sm::placed(again, lab.fabric, lab.lids), kept);
}

/// No switch counts as too small for the sake of LIDs that no port has.
TEST(KeptLids, AboveWhatTablesHoldAreNotRouted) {
  Lab lab(tree());
  const std::vector<PortIndex> hosts = list_hosts(lab.whole.fabric);
  lab.lose({hosts[3]});
  KeptLids kept = lab.kept();
  ASSERT_EQ(sm::placed(kept, lab.fabric, lab.lids).ports.size(), 1u);
  for (fabric::Switch& sw : lab.fabric.switches)
    sw.info.set_linear_fdb_cap(static_cast<std::uint16_t>(lab.lids.lid_top.value + 10));
  kept.ports.front().lids.base = mad::Lid{static_cast<std::uint16_t>(lab.lids.lid_top.value + 10)};
  EXPECT_TRUE(sm::placed(kept, lab.fabric, lab.lids).ports.empty());
  kept.ports.front().lids.base = mad::Lid{static_cast<std::uint16_t>(lab.lids.lid_top.value + 9)};
  EXPECT_EQ(sm::placed(kept, lab.fabric, lab.lids).ports.size(), 1u);
  LidMap lids = lab.lids;
  sm::make_room(lids, kept);
  EXPECT_EQ(lids.lid_top.value, lab.lids.lid_top.value + 9);
  EXPECT_EQ(lids.port_of_lid.size(), lids.lid_top.value + 1u);
  EXPECT_EQ(lids.owner(lids.lid_top), fabric::kNoIndex);
}

// ---- tables that were found

TEST(KeptLids, ArePlacedByTheTablesThatAreFound) {
  Lab lab(tree());
  const std::vector<PortIndex> hosts = list_hosts(lab.whole.fabric);
  const fabric::SwitchGraph graph = fabric::make_switch_graph(lab.whole.fabric);
  const auto routed = routing::route_with_chain(std::vector<std::string>{"minhop"}, true,
                                                {lab.whole.fabric, graph, lab.whole.lids, {}});
  ASSERT_TRUE(routed);
  lab.lose({hosts[3], hosts[5]});
  const auto found_of = [&](const fabric::ForwardingTables& tables) {
    sm::TableMemory memory;
    memory.update_from(lab.whole.fabric);
    memory.adopt(std::make_shared<fabric::ForwardingTables>(tables));
    memory.update_from(lab.fabric);
    KeptLids kept;
    sm::add_kept_of_tables(kept, memory, lab.fabric, lab.lids, lab.record);
    return kept;
  };
  KeptLids expected = lab.kept();
  for (sm::KeptPort& port : expected.ports) port.node = {};
  EXPECT_EQ(found_of(routed->routing.lfts), expected);

  // Entries of one of them end at two places: it is not kept.
  fabric::ForwardingTables odd = routed->routing.lfts;
  const sm::KeptPort& first = expected.ports.front();
  const fabric::SwitchIndex leaf =
      lab.whole.fabric.nodes[lab.whole.fabric.node_of_guid.at(first.leaf)].switch_index;
  const auto other = std::ranges::find_if(expected.ports, [&](const sm::KeptPort& port) {
    return port.leaf != first.leaf || port.out != first.out;
  });
  const fabric::SwitchIndex others_leaf =
      lab.whole.fabric.nodes[lab.whole.fabric.node_of_guid.at(other->leaf)].switch_index;
  static_cast<void>(leaf);
  odd.writable_row(others_leaf)[first.lids.base.value] = other->out.value;
  const KeptLids kept = found_of(odd);
  if (others_leaf != leaf) {
    ASSERT_EQ(kept.ports.size(), 1u);
    EXPECT_EQ(kept.ports.front().guid, other->guid);
  } else {
    EXPECT_EQ(kept.ports.size(), 1u) << "one port for each place";
  }

  // Entries that lead to a host that is there.
  odd = routed->routing.lfts;
  const PortIndex present = hosts[4];
  const fabric::Port& at = lab.whole.fabric.ports[lab.whole.fabric.ports[present].peer];
  odd.writable_row(lab.whole.fabric.nodes[at.node].switch_index)[first.lids.base.value] =
      at.number.value;
  for (const sm::KeptPort& port : found_of(odd).ports) EXPECT_NE(port.guid, first.guid);
}

// ---- how they are routed

/// Every engine gives the same tables, whether hosts are there or kept: a host that reboots costs
/// no forwarding table block.
TEST(KeptLids, AreRoutedByEveryEngineAsIfTheirHostsWereThere) {
  std::set<std::string> engines_that_routed;
  seeds::for_each(20, [&](std::uint64_t seed) {
    topology::Random dice(seed);
    routing::RoutingOptions options;
    const bool is_torus = seed % 4 == 1;
    Fabric fabric;
    if (is_torus) {
      const tori::Lattice lattice{{3, 3, 3}};
      fabric = lattice.fabric();
      options.torus = lattice.options();
    } else {
      fabric = seed % 4 == 0 ? tree() : fabrics::random_fabric(seed);
    }
    options.vls_max = 8;
    Lab lab(fabric, static_cast<unsigned>(dice.below(3)));
    std::set<PortIndex> lost;
    for (const PortIndex host : list_hosts(lab.whole.fabric))
      if (dice.chance(0.2)) lost.insert(host);
    lab.lose(lost);
    const KeptLids kept = sm::placed(lab.kept(), lab.fabric, lab.lids);
    const auto as_routed = sm::with_kept_ports(lab.fabric, lab.lids, kept);
    if (lost.empty()) return;
    const fabric::SwitchGraph before = fabric::make_switch_graph(lab.whole.fabric);
    const Fabric& with = as_routed ? as_routed->fabric : lab.fabric;
    const LidMap& lids = as_routed ? as_routed->lids : lab.lids;
    const fabric::SwitchGraph after = fabric::make_switch_graph(with);
    if (lab.fabric.switches.size() != lab.whole.fabric.switches.size()) return;  // parts are gone
    for (const routing::Engine& engine : routing::engines()) {
      if (engine.name == "file" || engine.groups != routing::GroupRule::none) continue;
      SCOPED_TRACE(engine.name);
      const std::vector<std::string> names{std::string(engine.name)};
      const auto was = routing::route_with_chain(
          names, true, {lab.whole.fabric, before, lab.whole.lids, options});
      const auto is = routing::route_with_chain(names, true, {with, after, lids, options});
      ASSERT_EQ(was.has_value(), is.has_value());
      if (!was) continue;
      engines_that_routed.insert(std::string(engine.name));
      for (const fabric::SwitchIndex sw : lab.fabric.switches.indices()) {
        const mad::Guid guid = lab.fabric.nodes[lab.fabric.switches[sw].node].guid;
        const fabric::SwitchIndex old =
            lab.whole.fabric.nodes[lab.whole.fabric.node_of_guid.at(guid)].switch_index;
        const auto expected = std::as_const(was->routing.lfts).row(old);
        const auto actual = std::as_const(is->routing.lfts).row(sw);
        for (std::size_t lid = 0; lid < std::min(expected.size(), actual.size()); ++lid) {
          const PortIndex owner = lab.whole.lids.owner(mad::Lid{static_cast<std::uint16_t>(lid)});
          ASSERT_EQ(expected[lid], actual[lid])
              << "LID " << lid << " of " << lab.whole.fabric.port_name(owner) << " at "
              << lab.fabric.name(lab.fabric.switches[sw].node) << ", " << kept.ports.size()
              << " kept";
        }
      }
    }
  });
  if (seeds::are_default()) {
    EXPECT_EQ(engines_that_routed.size(), 11u);
  }
}

// ---- what routing depends on

TEST(RoutingFacts, AreTheSameForAHostThatIsThereAndOneThatIsKept) {
  Lab lab(tree(), 1);
  const std::vector<PortIndex> hosts = list_hosts(lab.whole.fabric);
  const auto whole = sm::routing_facts(lab.whole.fabric, lab.whole.lids, {});
  lab.lose({hosts[3], hosts.back()});
  const KeptLids kept = lab.kept();
  EXPECT_EQ(sm::routing_facts(lab.fabric, lab.lids, kept), whole);
  EXPECT_NE(sm::routing_facts(lab.fabric, lab.lids, {}), whole);
  // The state of its link, and the bit that says so, are nothing that engines read.
  lab.whole.fabric.ports[hosts[3]].info.set_port_state(mad::PortState::init);
  lab.whole.fabric.switches.front().info.set_port_state_change(true);
  EXPECT_EQ(sm::routing_facts(lab.whole.fabric, lab.whole.lids, {}), whole);
}

/// The first sweep after a link event leaves this behind, and the second one has nothing to route.
TEST(RoutingFacts, AreTheSameWhenALinkBecomesActiveWithItsVls) {
  Lab lab(tree());
  Fabric& fabric = lab.whole.fabric;
  const auto set = [&](PortIndex port, mad::PortState state, std::uint8_t operational_vls) {
    fabric.ports[port].info.set_port_state(state);
    fabric.ports[port].info.set_operational_vls(operational_vls);
  };
  for (const PortIndex port : fabric.ports.indices()) {
    if (!fabric.is_link_up(port) || !fabric.owning_node(port).is_switch() ||
        !fabric.owning_node(fabric.ports[port].peer).is_switch())
      continue;
    const PortIndex peer = fabric.ports[port].peer;
    const std::uint8_t cap = fabric.ports[port].info.vl_cap();
    ASSERT_EQ(cap, fabric.ports[peer].info.vl_cap());
    for (const PortIndex end : {port, peer}) set(end, mad::PortState::init, 1);
    const auto trained = sm::routing_facts(fabric, lab.whole.lids, {});
    for (const PortIndex end : {port, peer}) set(end, mad::PortState::active, cap);
    fabric.switches.front().info.set_linear_fdb_top(5);
    EXPECT_EQ(sm::routing_facts(fabric, lab.whole.lids, {}), trained);
    if (cap > 1) {
      for (const PortIndex end : {port, peer})
        set(end, mad::PortState::active, static_cast<std::uint8_t>(cap - 1));
      EXPECT_NE(sm::routing_facts(fabric, lab.whole.lids, {}), trained);
    }
    return;
  }
  FAIL() << "no link between switches";
}

TEST(RoutingFacts, DifferWithAllThatEnginesRead) {
  const Lab lab(tree());
  const auto before = sm::routing_facts(lab.whole.fabric, lab.whole.lids, {});
  const std::vector<PortIndex> hosts = list_hosts(lab.whole.fabric);
  PortIndex up{0};  // a leaf's port to a spine
  for (const PortIndex port : lab.whole.fabric.ports.indices())
    if (lab.whole.fabric.is_link_up(port) && lab.whole.fabric.owning_node(port).is_switch() &&
        lab.whole.fabric.owning_node(lab.whole.fabric.ports[port].peer).is_switch())
      up = port;
  const auto facts_after = [&](const auto& change) {
    Fabric fabric = lab.whole.fabric;
    LidMap lids = lab.whole.lids;
    change(fabric, lids);
    return sm::routing_facts(fabric, lids, {});
  };
  EXPECT_NE(before, facts_after([&](Fabric& fabric, LidMap&) {
              fabric.ports[up].info.set_port_state(mad::PortState::down);
            }));
  EXPECT_NE(before, facts_after([&](Fabric& fabric, LidMap&) {
              for (const PortIndex end : {up, fabric.ports[up].peer})
                fabric.ports[end].info.set_operational_vls(1);
            }));
  EXPECT_NE(before, facts_after([&](Fabric& fabric, LidMap&) {
              fabric.ports[up].info.set_link_width_active(mad::link_width::k1x);
            }));
  EXPECT_NE(before,
            facts_after([&](Fabric& fabric, LidMap&) { fabric.ports[up].withheld = true; }));
  EXPECT_NE(before, facts_after([&](Fabric& fabric, LidMap&) {
              fabric.switches.front().info.set_linear_fdb_cap(100);
            }));
  EXPECT_NE(before, facts_after([&](Fabric& fabric, LidMap&) {
              fabric.ports[hosts[2]].guid = mad::Guid{0x99};
            }));
  EXPECT_NE(before, facts_after([&](Fabric&, LidMap& lids) {
              std::swap(lids.of_end_port.front(), lids.of_end_port.back());
            }));
  EXPECT_NE(before, facts_after([&](Fabric&, LidMap& lids) {
              lids.lid_top = mad::Lid{static_cast<std::uint16_t>(lids.lid_top.value + 1)};
            }));
  EXPECT_NE(before, facts_after([&](Fabric& fabric, LidMap&) {
              const PortIndex a = fabric.ports[hosts[2]].peer, b = fabric.ports[hosts[5]].peer;
              std::swap(fabric.ports[a].peer, fabric.ports[b].peer);
              fabric.ports[hosts[2]].peer = b;
              fabric.ports[hosts[5]].peer = a;
            }));
}

}  // namespace kept_lids_test
