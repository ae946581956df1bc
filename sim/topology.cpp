#include "sim/topology.h"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>
#include <fmt/ostream.h>

namespace sim {

namespace {

// Mellanox numbers, as on most real fabrics. CAs leave room for their port GUIDs.
constexpr std::uint64_t kCaGuidBase = 0x0002'c900'0000'0000;
constexpr std::uint64_t kSwitchGuidBase = 0x0002'c902'0000'0000;
constexpr std::uint64_t kGuidStride = 0x10;

// Adds nodes and cables; hands out ports in ascending order.
class Builder {
 public:
  std::size_t add(NodeType type, std::string name) {
    const std::uint64_t base = type == NodeType::ca ? kCaGuidBase : kSwitchGuidBase;
    std::uint64_t& number = type == NodeType::ca ? cas_ : switches_;
    topology_.nodes.push_back({type, std::move(name), mad::Guid{base + kGuidStride * number++}, 0});
    return topology_.nodes.size() - 1;
  }

  void link(std::size_t a, std::size_t b) { topology_.links.push_back({take_port(a), take_port(b)}); }

  Topology finish() { return std::move(topology_); }

 private:
  PortRef take_port(std::size_t node) {
    unsigned& count = topology_.nodes[node].port_count;
    if (count == mad::kPortNumMax) {
      throw TopologyError(fmt::format("{} would need more than {} ports", topology_.nodes[node].name, mad::kPortNumMax));
    }
    return {node, mad::PortNum{static_cast<std::uint8_t>(++count)}};
  }

  Topology topology_;
  std::uint64_t cas_ = 0, switches_ = 0;
};

// splitmix64: the standard's distributions differ between libraries, and a seed must give the same fabric everywhere.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::size_t below(std::size_t bound) {
    state_ += 0x9E3779B97F4A7C15u;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return static_cast<std::size_t>((z ^ (z >> 31)) % bound);
  }

 private:
  std::uint64_t state_;
};

void require(bool ok, const char* what) {
  if (!ok) throw TopologyError(what);
}

// A node of a fat tree is known by its level and one digit per tree level, lowest first: digits below its level choose
// among parallel parents, digits from its level upwards choose the subtree.
std::vector<unsigned> digits_of(std::size_t index, const std::vector<unsigned>& bases) {
  std::vector<unsigned> digits;
  for (const unsigned base : bases) {
    digits.push_back(static_cast<unsigned>(index % base));
    index /= base;
  }
  return digits;
}

std::size_t index_of(const std::vector<unsigned>& digits, const std::vector<unsigned>& bases) {
  std::size_t index = 0;
  for (std::size_t i = bases.size(); i-- > 0;) index = index * bases[i] + digits[i];
  return index;
}

std::size_t product(const std::vector<unsigned>& factors) {
  return std::accumulate(factors.begin(), factors.end(), std::size_t{1}, std::multiplies<>());
}

}  // namespace

std::size_t Topology::count(NodeType type) const { return static_cast<std::size_t>(std::ranges::count(nodes, type, &Node::type)); }

std::size_t Topology::find(const std::string& name) const {
  const auto it = std::ranges::find(nodes, name, &Node::name);
  if (it == nodes.end()) throw TopologyError(fmt::format("no node is called {}", name));
  return static_cast<std::size_t>(it - nodes.begin());
}

Topology back_to_back() {
  Builder builder;
  const std::size_t a = builder.add(NodeType::ca, "H0");
  const std::size_t b = builder.add(NodeType::ca, "H1");
  builder.link(a, b);
  return builder.finish();
}

Topology row(const RowParams& params) {
  require(params.switches >= 1, "a row needs at least one switch");
  require(params.ports_per_host == 1 || params.ports_per_host == 2, "a host has one or two ports");
  Builder builder;
  std::vector<std::size_t> hosts, switches;
  for (unsigned i = 0; i < params.switches * params.hosts_per_switch; ++i)
    hosts.push_back(builder.add(NodeType::ca, fmt::format("H{}", i)));
  for (unsigned i = 0; i < params.switches; ++i) switches.push_back(builder.add(NodeType::switch_, fmt::format("S{}", i)));
  for (std::size_t i = 0; i < hosts.size(); ++i) {
    const std::size_t home = i * switches.size() / hosts.size();
    for (unsigned port = 0; port < params.ports_per_host; ++port) builder.link(hosts[i], switches[(home + port) % switches.size()]);
  }
  for (std::size_t i = 0; i + 1 < switches.size(); ++i) {
    for (unsigned cable = 0; cable < params.cables; ++cable) builder.link(switches[i], switches[i + 1]);
  }
  return builder.finish();
}

Topology xgft(const XgftParams& params) {
  const std::size_t height = params.children.size();
  require(height >= 1, "a tree needs at least one level of switches");
  require(params.parents.size() == height, "children and parents must have one number per level each");
  require(params.cables.empty() || params.cables.size() == height, "cables must have one number per level, or none");
  const auto positive = [](const std::vector<unsigned>& numbers) { return std::ranges::all_of(numbers, [](unsigned n) { return n > 0; }); };
  require(positive(params.children) && positive(params.parents) && positive(params.cables), "numbers of a tree must be at least 1");

  Builder builder;
  std::vector<std::vector<unsigned>> bases;   // per level: what each digit counts to
  std::vector<std::vector<std::size_t>> ids;  // per level: node index by position
  for (std::size_t level = 0; level <= height; ++level) {
    std::vector<unsigned> base(params.parents.begin(), params.parents.begin() + static_cast<std::ptrdiff_t>(level));
    base.insert(base.end(), params.children.begin() + static_cast<std::ptrdiff_t>(level), params.children.end());
    std::vector<std::size_t> row_ids;
    const std::size_t nodes = product(base);
    require(nodes <= 0xBFFF, "the tree has more nodes than there are unicast LIDs");
    row_ids.reserve(nodes);
    for (std::size_t i = 0; i < nodes; ++i) {
      row_ids.push_back(level == 0 ? builder.add(NodeType::ca, fmt::format("H{}", i))
                                   : builder.add(NodeType::switch_, fmt::format("S{}-{}", level, i)));
    }
    bases.push_back(std::move(base));
    ids.push_back(std::move(row_ids));
  }
  // Ports are handed out in this order, so every switch has its down ports first and then its up ports, both in order of the peer.
  for (std::size_t level = 0; level < height; ++level) {
    for (std::size_t i = 0; i < ids[level].size(); ++i) {
      std::vector<unsigned> digits = digits_of(i, bases[level]);
      for (unsigned parent = 0; parent < params.parents[level]; ++parent) {
        digits[level] = parent;
        const std::size_t above = ids[level + 1][index_of(digits, bases[level + 1])];
        for (unsigned cable = 0; cable < (params.cables.empty() ? 1 : params.cables[level]); ++cable) builder.link(ids[level][i], above);
      }
    }
  }
  return builder.finish();
}

XgftParams fat_tree_params(const FatTreeParams& params) {
  require(params.hosts >= 1, "a fat tree needs hosts");
  require(params.radix >= 2 && params.radix % 2 == 0 && params.radix <= mad::kPortNumMax, "radix must be even, 2 to 254");
  const std::size_t half = params.radix / 2;
  std::size_t levels = 1, pod_hosts = 1, full = params.radix;  // pod: what hangs below one port of a top switch
  while (params.levels == 0 ? full < params.hosts && half > 1 : levels < params.levels) {
    ++levels;
    pod_hosts *= half;
    full *= half;
  }
  if (params.hosts > full) {
    throw TopologyError(fmt::format("{} levels of {}-port switches carry {} hosts, not {}", levels, params.radix, full, params.hosts));
  }
  if (params.hosts % pod_hosts != 0) {
    throw TopologyError(
        fmt::format("hosts must be a multiple of {} in a {}-level tree of {}-port switches", pod_hosts, levels, params.radix));
  }
  XgftParams tree;
  if (levels == 1) return {{params.hosts}, {1}, {1}};
  const auto pods = static_cast<unsigned>(params.hosts / pod_hosts);
  // As many cables between a pod's switch and a top switch as the top switch has room for.
  unsigned cables = params.radix / pods;
  while (half % cables != 0) --cables;
  const auto up = static_cast<unsigned>(half);
  tree.children.assign(levels, up);
  tree.parents.assign(levels, up);
  tree.cables.assign(levels, 1);
  tree.parents.front() = 1;
  tree.children.back() = pods;
  tree.parents.back() = up / cables;
  tree.cables.back() = cables;
  return tree;
}

Topology torus(const TorusParams& params) {
  require(!params.dimensions.empty(), "a torus needs at least one dimension");
  require(std::ranges::all_of(params.dimensions, [](unsigned n) { return n > 0; }), "a dimension is at least 1");
  const std::size_t nodes = product(params.dimensions);
  Builder builder;
  std::vector<std::size_t> hosts, switches;
  for (std::size_t i = 0; i < nodes * params.hosts_per_switch; ++i) hosts.push_back(builder.add(NodeType::ca, fmt::format("H{}", i)));
  for (std::size_t i = 0; i < nodes; ++i) {
    switches.push_back(builder.add(NodeType::switch_, fmt::format("S{}", fmt::join(digits_of(i, params.dimensions), "_"))));
  }
  for (std::size_t i = 0; i < hosts.size(); ++i) builder.link(hosts[i], switches[i * switches.size() / hosts.size()]);
  for (std::size_t i = 0; i < nodes; ++i) {
    for (std::size_t dimension = 0; dimension < params.dimensions.size(); ++dimension) {
      const unsigned size = params.dimensions[dimension];
      std::vector<unsigned> digits = digits_of(i, params.dimensions);
      const bool wraps = digits[dimension] + 1 == size;
      if (wraps && size <= 2) continue;  // the cable back is the cable there
      digits[dimension] = (digits[dimension] + 1) % size;
      builder.link(switches[i], switches[index_of(digits, params.dimensions)]);
    }
  }
  return builder.finish();
}

Topology random_graph(const RandomParams& params) {
  require(params.switches >= 1, "a random graph needs at least one switch");
  require(params.switches >= 2 || params.extra_links == 0, "extra links need two switches");
  Builder builder;
  Random random(params.seed);
  std::vector<std::size_t> hosts, switches;
  for (unsigned i = 0; i < params.hosts; ++i) hosts.push_back(builder.add(NodeType::ca, fmt::format("H{}", i)));
  for (unsigned i = 0; i < params.switches; ++i) switches.push_back(builder.add(NodeType::switch_, fmt::format("S{}", i)));
  for (std::size_t i = 0; i < hosts.size(); ++i) builder.link(hosts[i], switches[i % switches.size()]);
  for (std::size_t i = 1; i < switches.size(); ++i) builder.link(switches[i], switches[random.below(i)]);
  for (unsigned i = 0; i < params.extra_links; ++i) {
    const std::size_t a = random.below(switches.size());
    const std::size_t b = (a + 1 + random.below(switches.size() - 1)) % switches.size();
    builder.link(switches[a], switches[b]);
  }
  return builder.finish();
}

void write_ibsim(const Topology& topology, std::ostream& out) {
  std::vector<std::vector<std::pair<unsigned, PortRef>>> peers(topology.nodes.size());
  for (const Link& link : topology.links) {
    peers[link.a.node].emplace_back(link.a.port.value, link.b);
    peers[link.b.node].emplace_back(link.b.port.value, link.a);
  }
  for (std::size_t i = 0; i < topology.nodes.size(); ++i) {
    const Node& node = topology.nodes[i];
    std::ranges::sort(peers[i], {}, &std::pair<unsigned, PortRef>::first);
    const bool is_switch = node.type == NodeType::switch_;
    fmt::print(out, "{}=0x{:x}\n{}\t{} \"{}\"\t\t# \"{}\"\n", is_switch ? "switchguid" : "caguid", node.guid.value,
               is_switch ? "Switch" : "Ca", node.port_count, node.name, node.name);
    for (const auto& [port, peer] : peers[i]) {
      fmt::print(out, "[{}]\t\"{}\"[{}]\n", port, topology.nodes[peer.node].name, peer.port);
    }
    out << '\n';
  }
}

}  // namespace sim
