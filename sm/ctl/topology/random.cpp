#include "mad/format.h"
#include "sm/ctl/topology/generators.h"

#include <algorithm>
#include <numeric>
#include <set>
#include <utility>

#include "fabric/topology/random_source.h"
#include "sm/ctl/topology/builder.h"

namespace topology {

Topology random_graph(const RandomParams& params) {
  require(params.switches >= 1, "a random graph needs at least one switch");
  require(params.switches >= 2 || params.extra_links == 0, "extra links need two switches");
  Builder builder;
  Random random(params.seed);
  std::vector<std::size_t> hosts, switches;
  for (unsigned i = 0; i < params.hosts; ++i)
    hosts.push_back(builder.add(NodeType::ca, fmt::format("H{}", i)));
  for (unsigned i = 0; i < params.switches; ++i)
    switches.push_back(builder.add(NodeType::switch_, fmt::format("S{}", i)));
  for (std::size_t i = 0; i < hosts.size(); ++i)
    builder.link(hosts[i], switches[i % switches.size()]);
  for (std::size_t i = 1; i < switches.size(); ++i)
    builder.link(switches[i], switches[random.below(i)]);
  for (unsigned i = 0; i < params.extra_links; ++i) {
    const std::size_t a = random.below(switches.size());
    const std::size_t b = (a + 1 + random.below(switches.size() - 1)) % switches.size();
    builder.link(switches[a], switches[b]);
  }
  return builder.finish();
}

namespace {

using Edge = std::pair<std::size_t, std::size_t>;

// Returns a ring with chords: every node has edges to the nodes at distance 1 .. degree/2, and to
// the opposite one if the degree is odd.
std::vector<Edge> circulant(std::size_t nodes, std::size_t degree) {
  std::vector<Edge> edges;
  for (std::size_t node = 0; node < nodes; ++node) {
    for (std::size_t step = 1; step <= degree / 2; ++step)
      edges.emplace_back(node, (node + step) % nodes);
    if (degree % 2 == 1 && node < nodes / 2) edges.emplace_back(node, node + nodes / 2);
  }
  return edges;
}

bool connected(std::size_t nodes, const std::vector<Edge>& edges) {
  std::vector<std::vector<std::size_t>> neighbours(nodes);
  for (const auto& [a, b] : edges) {
    neighbours[a].push_back(b);
    neighbours[b].push_back(a);
  }
  std::vector<bool> seen(nodes);
  std::vector<std::size_t> queue{0};
  seen[0] = true;
  for (std::size_t next = 0; next < queue.size(); ++next) {
    for (const std::size_t peer : neighbours[queue[next]]) {
      if (!seen[peer]) queue.push_back(peer);
      seen[peer] = true;
    }
  }
  return queue.size() == nodes;
}

// Swaps the far ends of two random edges, repeatedly: degrees stay unchanged, and swaps that would
// make a parallel edge are skipped.
void mix(std::vector<Edge>& edges, Random& random) {
  const auto ordered = [](std::size_t a, std::size_t b) {
    return Edge{std::min(a, b), std::max(a, b)};
  };
  std::set<Edge> present;
  for (const auto& [a, b] : edges) present.insert(ordered(a, b));
  const std::size_t swaps = 10 * edges.size();
  for (std::size_t i = 0; i < swaps; ++i) {
    Edge& one = edges[random.below(edges.size())];
    Edge& other = edges[random.below(edges.size())];
    if (random.below(2) == 1) std::swap(other.first, other.second);
    if (one.first == other.first || one.first == other.second || one.second == other.first ||
        one.second == other.second)
      continue;
    const Edge fresh1 = ordered(one.first, other.second), fresh2 = ordered(other.first, one.second);
    if (present.contains(fresh1) || present.contains(fresh2)) continue;
    present.erase(ordered(one.first, one.second));
    present.erase(ordered(other.first, other.second));
    present.insert(fresh1);
    present.insert(fresh2);
    std::swap(one.second, other.second);
  }
}

}  // namespace

Topology random_regular(const RandomRegularParams& params) {
  const std::size_t nodes = params.switches, degree = params.degree;
  require(nodes >= 1 && nodes <= mad::kUnicastLidMax.value, "switches must be 1 to 49151");
  require(degree < nodes,
          "the degree must be smaller than the number of switches, or two of them would share two "
          "links");
  require(nodes * degree % 2 == 0, "switches times degree must be even: a link has two ends");
  require(degree >= 2 || nodes <= 2, "a degree below 2 cannot connect more than two switches");
  require(degree <= mad::kPortNumMax, "a switch has no more than 254 ports");
  Random random(params.seed);
  std::vector<Edge> edges = circulant(nodes, degree);
  if (degree == 2) {  // connected and 2-regular is a ring: only its order is random
    std::vector<std::size_t> order(nodes);
    std::iota(order.begin(), order.end(), std::size_t{0});
    random.shuffle(order);
    for (auto& [a, b] : edges) {
      a = order[a];
      b = order[b];
    }
  } else if (degree > 2) {
    do mix(edges, random);
    while (!connected(nodes, edges));
  }
  std::ranges::sort(edges);  // ports in order of the peer

  Builder builder;
  const std::vector<std::size_t> hosts = builder.add_hosts(nodes * params.hosts_per_switch);
  std::vector<std::size_t> switches;
  for (std::size_t i = 0; i < nodes; ++i)
    switches.push_back(builder.add(NodeType::switch_, fmt::format("S{}", i)));
  for (std::size_t i = 0; i < hosts.size(); ++i)
    builder.link(hosts[i], switches[i / params.hosts_per_switch]);
  for (const auto& [a, b] : edges) builder.link(switches[a], switches[b]);
  return builder.finish();
}

}  // namespace topology
