// The simulator in one process: SMPs per second, time and memory of a fabric. Prints figures,
// asserts nothing.

#include <sys/resource.h>

#include <chrono>
#include <fstream>
#include <queue>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "bench/measured.h"
#include "mad/format.h"
#include "sim/world/vendor_features.h"
#include "sim/world/virtual_runtime.h"
#include "sim/world/world.h"
#include "sm/ctl/topology/generators.h"
#include "support/check/checks.h"

namespace {

using Clock = std::chrono::steady_clock;
double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// Resident memory of this process, MB.
double resident_mb() {
  std::ifstream status("/proc/self/statm");
  std::size_t total = 0, resident = 0;
  status >> total >> resident;
  return static_cast<double>(resident) * 4096 / 1e6;
}

/// Shortest directed routes from the end port `from` to every node.
std::vector<mad::DirectedRoute> routes(const sim::Model& model, sim::PortIndex from) {
  std::vector<mad::DirectedRoute> by_node(model.nodes.size());
  std::vector<bool> seen(model.nodes.size());
  std::queue<sim::NodeIndex> queue;
  queue.push(model.ports[from].node);
  seen[queue.front()] = true;
  while (!queue.empty()) {
    const sim::NodeIndex here = queue.front();
    queue.pop();
    const sim::NodeModel& node = model.nodes[here];
    if (!node.is_switch() && here != model.ports[from].node) continue;
    for (unsigned number = 1; number <= node.port_count(); ++number) {
      const sim::PortIndex far = model.ports[node.first_port + number].peer;
      if (far == sim::kNone || seen[model.ports[far].node]) continue;
      seen[model.ports[far].node] = true;
      by_node[model.ports[far].node] = *by_node[here].extended({static_cast<std::uint8_t>(number)});
      queue.push(model.ports[far].node);
    }
  }
  return by_node;
}

/// The order of requests: as in a survey, four requests to a node and then to its neighbour; or to
/// random nodes, so that every answer is a cache miss.
enum class Order : std::uint8_t { survey, random };

/// One program keeps `window` requests in flight until `count` are answered; answers per second.
double rate(sim::VirtualRuntime& runtime, sim::World& world, mad::AttributeId attribute,
            Order order, unsigned window, std::size_t count) {
  const sim::PortIndex port = world.model.port(sim::NodeIndex{0}, 1);
  const auto program = world.attach(port);
  const std::vector<mad::DirectedRoute> routes_of = routes(world.model, port);
  std::size_t sent = 0, answered = 0;
  const auto send_next = [&] {
    mad::MadBytes bytes;
    mad::make_dr_smp(
        bytes, mad::Method::get, attribute, 1,
        routes_of[(order == Order::survey ? sent / 4 : sent * 7919) % routes_of.size()], {}, sent);
    ++sent;
    program->send(bytes, {}, 0);
  };
  program->set_receiver([&](std::span<const mad::ReceivedMad> mads) {
    answered += mads.size();
    if (sent < count) send_next();
  });
  const auto start = Clock::now();
  for (unsigned i = 0; i < window; ++i) send_next();
  while (answered < count && runtime.events().run_one(mad::TimePoint::max())) {
  }
  return static_cast<double>(answered) / seconds_since(start);
}

/// Memory of tables for adaptive routing, of all switches: an entry for each LID, a group for each
/// switch that has hosts.
void measure_adaptive(sim::World& world) {
  std::set<sim::NodeIndex> leaves;
  for (const sim::PortIndex port : world.model.ports.indices())
    if (!world.model.owning_node(port).is_switch() && world.model.ports[port].peer != sim::kNone)
      leaves.insert(world.model.ports[world.model.ports[port].peer].node);
  const double before_mb = resident_mb();
  const std::size_t switches = sim::make_adaptive(world.model, sim::pfrn_adaptive_routing());
  const mad::ArLinearForwardingTable entries;
  mad::ArGroupTable ports;
  ports.set_port(0, {1});
  for (sim::NodeModel& node : world.model.nodes) {
    if (!node.is_switch()) continue;
    for (std::uint32_t block = 0; block <= world.model.nodes.size() / entries.kEntries; ++block)
      node.sw->adaptive->entries.set_block(block, entries);
    for (std::size_t group = 1; group <= leaves.size(); ++group)
      node.sw->adaptive->groups.set(group, ports.sub_group(0));
  }
  fmt::print("  adaptive routing of {} switches, {} LIDs, {} groups: {:.0f} MB\n", switches,
             world.model.nodes.size(), leaves.size(), resident_mb() - before_mb);
}

void measure(const std::string& name, const topology::Topology& topology, double made_s,
             std::size_t requests) {
  const double before_mb = resident_mb();
  const auto start = Clock::now();
  sim::VirtualRuntime runtime;
  sim::World world(runtime.events(), topology);
  fmt::print("{}: {} hosts, {} switches; made in {:.2f} s, loaded in {:.2f} s, world {:.0f} MB\n",
             name, topology.count(topology::NodeType::ca),
             topology.count(topology::NodeType::switch_), made_s, seconds_since(start),
             resident_mb() - before_mb);
  for (const auto attribute :
       {mad::AttributeId::node_info, mad::AttributeId::port_info, mad::AttributeId::p_key_table}) {
    fmt::print(
        "  SubnGet({}): {:.0f} SMP/s in process in the order of a survey, {:.0f} to random nodes; "
        "64 in flight\n",
        mad::name(attribute), rate(runtime, world, attribute, Order::survey, 64, requests),
        rate(runtime, world, attribute, Order::random, 64, requests));
    std::fflush(stdout);
  }
  measure_adaptive(world);
}

}  // namespace

// bench_sim_world [REQUESTS]: how many of each kind.
int main(int argc, char** argv) {
  const std::size_t requests = argc > 1 ? std::stoul(argv[1]) : 1'000'000;
  measured::print_build("bench_sim_world");
  for (const unsigned hosts : {11664u, 40000u}) {
    const auto start = Clock::now();
    // 40,000 hosts need larger switches: 64 ports make 3,125 leaves, aggregations and cores of
    // them.
    const topology::Topology topology =
        topology::fat_tree({.hosts = hosts == 11664 ? 11664u : 40960u,
                            .radix = hosts == 11664 ? 36u : 64u,
                            .levels = 3});
    measure(hosts == 11664 ? "full three-level fat tree" : "large fat tree", topology,
            seconds_since(start), requests);
  }
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  fmt::print("peak memory {:.0f} MB\n", static_cast<double>(usage.ru_maxrss) / 1e3);
}
