// Fat trees as sites have them, from ibnetdiscover's output: how long the tables of an engine take,
// how many flows of a shift permutation share a link, and what the loss and return of a link, a
// spine and a leaf costs.
//   bench_real_trees FILE...

#include <chrono>
#include <fstream>
#include <iterator>
#include <numeric>
#include <optional>

#include "fabric/topology/read.h"
#include "mad/format.h"
#include "routing/graph/destinations.h"
#include "routing/graph/hops.h"
#include "routing/quality/quality.h"
#include "routing/registry.h"
#include "routing/trees/tree_targets.h"
#include "support/fabrics.h"

namespace {

using fabric::SwitchIndex;
using fabrics::Subnet;
using routing::ChainResult;
using routing::ConflictRemoval;
using Clock = std::chrono::steady_clock;

const routing::RoutingOptions kOptions;

struct Timed {
  ChainResult result;
  double ms;
};

Timed route(const Subnet& subnet, const std::string& engine, ConflictRemoval removal,
            const ChainResult* last = nullptr) {
  routing::RoutingInput input{subnet.fabric, subnet.graph, subnet.lids, kOptions};
  input.conflict_removal = removal;
  std::optional<routing::PreviousRouting> before;
  if (last != nullptr) {
    before.emplace(*last->memory, last->routing.lfts, last->routing);
    input.previous_routing = &*before;
  }
  const auto start = Clock::now();
  auto result = routing::route_with_chain(std::vector<std::string>{engine}, true, input);
  const double ms = std::chrono::duration<double, std::milli>(Clock::now() - start).count();
  if (!result) throw std::runtime_error(engine + ": " + result.error().why);
  return {std::move(*result), ms};
}

routing::ShiftLoad load(const Subnet& subnet, const ChainResult& result) {
  const auto hosts =
      routing::hosts_along_tree({subnet.fabric, subnet.graph, subnet.lids, kOptions});
  return routing::shift_load(subnet.graph, result.routing.lfts, hosts,
                             std::max<std::size_t>(1, hosts.size() / 160));
}

double bound(const Subnet& subnet) {
  const auto hosts =
      routing::hosts_along_tree({subnet.fabric, subnet.graph, subnet.lids, kOptions});
  return routing::cut_bound(subnet.graph, routing::hops_to_leaf(subnet.graph), hosts,
                            std::max<std::size_t>(1, hosts.size() / 160))
      .mean;
}

/// Removes links of a switch to other switches, `most` of them.
fabric::Fabric without_links(fabric::Fabric fabric, SwitchIndex sw, unsigned most) {
  const fabric::Node& node = fabric.nodes[fabric.switches[sw].node];
  for (unsigned port = 1; port <= node.num_ports && most > 0; ++port) {
    fabric::Port& end = fabric.ports[node.first_port + port];
    if (end.peer == fabric::kNoIndex || !fabric.owning_node(end.peer).is_switch()) continue;
    fabric.ports[end.peer].peer = fabric::kNoIndex;
    end.peer = fabric::kNoIndex;
    --most;
  }
  return fabric;
}

void event(const Subnet& whole, const std::string& engine, const ChainResult& first,
           const std::string& what, SwitchIndex sw, unsigned links) {
  const Subnet less(without_links(whole.fabric, sw, links), whole.lids);
  const Timed lost = route(less, engine, ConflictRemoval::none, &first);
  const Timed quiet = route(less, engine, ConflictRemoval::always, &lost.result);
  const Timed back = route(whole, engine, ConflictRemoval::none, &lost.result);
  const auto blocks = [&](const ChainResult& a, const ChainResult& b) {
    return routing::table_changes(whole.graph, whole.lids, a.routing.lfts, b.routing.lfts).blocks;
  };
  fmt::print(
      "    {:6}  lost {:6.1f} ms, {:5} blocks, load {:.2f} -> {:.2f}, later {:.2f} ({} blocks); "
      "back {:6.1f} ms, {} blocks, {}\n",
      what, lost.ms, blocks(first, lost.result), load(whole, first).mean,
      load(less, lost.result).mean, load(less, quiet.result).mean,
      blocks(lost.result, quiet.result), back.ms, blocks(lost.result, back.result),
      back.result.routing.lfts == first.routing.lfts ? "as before" : "not as before");
}

void measure(const std::string& path) {
  std::ifstream file(path);
  const std::string text((std::istreambuf_iterator<char>(file)), {});
  const topology::TopologyFile read = topology::read_ibnetdiscover({path, text});
  if (!read.ok()) throw std::runtime_error(read.findings.front().text());
  const Subnet whole(fabrics::from_topology(read.topology));
  const std::vector<std::uint32_t> hosts =
      routing::hosts_per_switch({whole.fabric, whole.graph, whole.lids, kOptions});
  fmt::print("{}: {} hosts, {} switches, bound {:.2f}\n", path,
             std::accumulate(hosts.begin(), hosts.end(), 0u), hosts.size(), bound(whole));
  for (const std::string engine : {"minhop", "updn", "ftree", "dmodc"}) {
    const Timed plain = route(whole, engine, ConflictRemoval::none),
                removed = route(whole, engine, ConflictRemoval::always);
    fmt::print(
        "  {:6}  tables {:7.1f} ms, {:.2f} flows; conflicts removed {:7.1f} ms, {:.2f}; {} VL\n",
        engine, plain.ms, load(whole, plain.result).mean, removed.ms,
        load(whole, removed.result).mean, removed.result.routing.vls);
    if (engine != "dmodc") continue;
    SwitchIndex leaf{0}, spine{0};
    for (const SwitchIndex sw : whole.graph.all_switches()) {
      if (hosts[sw] > hosts[leaf]) leaf = sw;
      if (hosts[sw] == 0 && whole.graph.degree(sw) > whole.graph.degree(spine)) spine = sw;
    }
    event(whole, engine, removed.result, "link", leaf, 1);
    event(whole, engine, removed.result, "spine", spine, 256);
    event(whole, engine, removed.result, "leaf", leaf, 256);
  }
}

}  // namespace

int main(int count, char** arguments) try {
  for (int i = 1; i < count; ++i) measure(arguments[i]);
} catch (const std::exception& error) {
  fmt::print(stderr, "{}\n", error.what());
  return 1;
}
