// A topology that is written and read again is the same, for every family.

#include <algorithm>
#include <sstream>

#include <gtest/gtest.h>

#include "fabric/topology/random_source.h"
#include "fabric/topology/read.h"
#include "sm/ctl/topology/generators.h"
#include "support/seeds.h"
#include "unit/fabric/topology/sound.h"

namespace topology {
namespace round_trip_test {

Topology any_topology(std::uint64_t seed) {
  Random random(seed * 1000);
  const auto number = [&](unsigned min, unsigned max) {
    return min + static_cast<unsigned>(random.below(max - min + 1));
  };
  Topology topology;
  switch (seed % 9) {
    case 0:
      topology = torus({.dimensions = {number(1, 4), number(1, 4), number(1, 3)},
                        .hosts_per_switch = number(0, 3)});
      break;
    case 1:
      topology =
          mesh({.dimensions = {number(1, 5), number(1, 5)}, .hosts_per_switch = number(1, 2)});
      break;
    case 2:
      topology = hypercube({.dimensions = number(1, 5), .hosts_per_switch = 1});
      break;
    case 3:
      topology = dragonfly({.switches_per_group = number(1, 4),
                            .global_cables = number(1, 2),
                            .hosts_per_switch = number(0, 2)});
      break;
    case 4:
      topology = dragonfly_plus({.leaves_per_group = number(1, 3),
                                 .spines_per_group = number(1, 3),
                                 .global_cables = 1,
                                 .hosts_per_leaf = 2});
      break;
    case 5:
      topology = xgft({.children = {number(1, 4), number(1, 4)},
                       .parents = {1, number(1, 3)},
                       .cables = {1, number(1, 3)}});
      break;
    case 6:
      topology = random_graph({.switches = number(2, 20),
                               .hosts = number(1, 40),
                               .extra_links = number(0, 20),
                               .seed = seed});
      break;
    case 7:
      topology = random_regular({.switches = 2 * number(3, 10),
                                 .degree = number(2, 5),
                                 .hosts_per_switch = 1,
                                 .seed = seed});
      break;
    default:
      topology = row({.switches = number(1, 4),
                      .cables = number(1, 3),
                      .hosts_per_switch = number(1, 4),
                      .ports_per_host = number(1, 2)});
  }
  expect_sound(topology);
  if (random.below(3) == 0) topology = degrade(topology, 0.3, seed, Connectivity::may_break);
  if (random.below(4) == 0)
    topology = rails(topology, {.rails = 2, .multi_port = random.below(2) == 0});
  if (random.below(3) == 0) topology = add_routers(topology, number(1, 3));
  for (Node& node : topology.nodes) {
    if (random.below(4) == 0) node.vendor_id = 0x15b3;
    if (random.below(4) == 0) node.device_id = static_cast<std::uint16_t>(random.below(0x10000));
    if (random.below(4) == 0) node.system_guid = mad::Guid{node.guid.value + 0x1000};
    if (random.below(6) == 0) node.id = "id of " + node.name;
    if (node.type == NodeType::switch_) {
      node.enhanced_port0 = random.below(2) == 0;
    } else if (random.below(4) == 0) {
      for (unsigned port = 1; port <= node.port_count; ++port)
        node.port_guids.push_back(mad::Guid{node.guid.value + 0x100000000000000 + 7 * port});
    }
  }
  constexpr LinkWidth kWidths[] = {LinkWidth::x1, LinkWidth::x2, LinkWidth::x4, LinkWidth::x8,
                                   LinkWidth::x12};
  for (Link& link : topology.links) {
    if (random.below(2) == 0) link.width = kWidths[random.below(5)];
    if (random.below(2) == 0) link.speed = static_cast<LinkSpeed>(random.below(9));
  }
  return topology;
}

// Links with their ends in order, as a set: readers find them in another order.
std::vector<Link> sorted_links(const Topology& topology) {
  std::vector<Link> links = topology.links;
  const auto key = [](const PortRef& end) { return std::pair(end.node, end.port.value); };
  for (Link& link : links) {
    if (key(link.b) < key(link.a)) std::swap(link.a, link.b);
  }
  std::ranges::sort(links, {}, [&](const Link& link) { return key(link.a); });
  return links;
}

std::string node_text(const Node& node) {
  std::ostringstream out;
  write_yaml({{node}, {}}, out);
  return out.str();
}

std::string findings(const TopologyFile& file) {
  return file.findings.empty() ? "" : file.findings.front().text();
}

TEST(RoundTrip, YamlKeepsEverything) {
  seeds::for_each(200, [](std::uint64_t seed) {
    const Topology topology = any_topology(seed);
    std::ostringstream out;
    write_yaml(topology, out);
    const std::string text = out.str();
    const TopologyFile file = read_yaml({"t.yaml", text});
    ASSERT_EQ(findings(file), "");
    EXPECT_EQ(file.topology, topology);
  });
}

TEST(RoundTrip, TextKeepsEverythingExceptPortGuidsOfPortsWithoutLinks) {
  seeds::for_each(200, [](std::uint64_t seed) {
    const Topology topology = any_topology(seed);
    bool ports_everywhere = true;  // a switch without ports has no text form
    for (const Node& node : topology.nodes)
      ports_everywhere = ports_everywhere && node.port_count > 0;
    if (!ports_everywhere) return;
    std::ostringstream out;
    write_ibsim(topology, out);
    const std::string text = out.str();
    const TopologyFile file = read_ibnetdiscover({"t.net", text});
    ASSERT_EQ(findings(file), "") << text;
    EXPECT_EQ(sorted_links(file.topology), sorted_links(topology)) << text;
    ASSERT_EQ(file.topology.nodes.size(), topology.nodes.size());
    for (std::size_t i = 0; i < topology.nodes.size(); ++i) {
      Node read = file.topology.nodes[i], written = topology.nodes[i];
      read.port_guids.clear();
      written.port_guids.clear();
      EXPECT_TRUE(read == written) << node_text(written) << node_text(read);
    }
    for (const Link& link : topology.links) {
      for (const PortRef& end : {link.a, link.b}) {
        EXPECT_EQ(file.topology.nodes[end.node].port_guid(end.port),
                  topology.nodes[end.node].port_guid(end.port))
            << text;
      }
    }
  });
}

}  // namespace round_trip_test
}  // namespace topology
