// Measures a scrape of a large fabric: the first one after a poll, which makes the text, one from
// memory, and the first one in a daemon, which makes the next text beside its clients. The
// manager's own metrics are in all.
//
// bench_metrics [--hosts N] [--all] [--guilbaults] [--runs N]

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <map>
#include <string>
#include <thread>

#include "sm/ctl/topology/topology.h"
#include "support/fabrics.h"
#include "support/scrape.h"

namespace {

/// One scrape, as a server makes it: parts are produced and leave.
struct Scrape {
  double wall_ms = 0, cpu_ms = 0;
  std::size_t bytes = 0, samples = 0;
};
Scrape scrape_once(const sm::web::Resources& resources, bool counts_samples, bool gzip = false) {
  Scrape measured;
  const auto begin = std::chrono::steady_clock::now();
  const std::clock_t cpu = std::clock();
  const auto take = [&](const std::string& part) {
    measured.bytes += part.size();
    if (counts_samples)
      measured.samples += static_cast<std::size_t>(std::ranges::count(part, '\n'));
  };
  scrape::ask(resources, "", take, gzip);
  measured.cpu_ms = 1000.0 * static_cast<double>(std::clock() - cpu) / CLOCKS_PER_SEC;
  measured.wall_ms =
      std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
  return measured;
}

/// Every port with a link has all counters, of the size that they have after weeks.
std::shared_ptr<const sm::PortCounterTable> counters_of(const fabric::Fabric& fabric) {
  auto table = std::make_shared<sm::PortCounterTable>();
  std::map<mad::Guid, std::shared_ptr<const sm::NodeCounters>> by_guid;
  std::uint64_t value = 88172645463325252u;
  for (const fabric::Node& node : fabric.nodes) {
    auto counters = std::make_shared<sm::NodeCounters>();
    counters->node = node.guid;
    counters->type = node.type;
    for (const fabric::Port& of : fabric.node_ports(fabric.node_of_guid.at(node.guid))) {
      if (of.number.value == 0) continue;
      sm::PortCounters port{.port = of.number};
      if (of.peer != fabric::kNoIndex) {
        port.reading = sm::PortReading::read;
        port.present = (1u << sm::kCounters) - 1;
        for (std::size_t i = 0; i < sm::kCounters; ++i) {
          value ^= value << 13, value ^= value >> 7, value ^= value << 17;
          port.values.set_total(static_cast<sm::Counter>(i), i < 8     ? value >> 14
                                                             : i == 20 ? value >> 30
                                                                       : value % 40);
        }
      }
      counters->ports.push_back(port);
    }
    by_guid[node.guid] = std::move(counters);
  }
  for (auto& [guid, counters] : by_guid) table->nodes.push_back(std::move(counters));
  table->polls = 1;
  return table;
}

}  // namespace

int main(int argc, char** argv) {
  unsigned hosts = 11664, runs = 5;
  config::Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument == "--all") options.metrics_ports = "all";
    if (argument == "--guilbaults") options.metrics_compat = "guilbaults";
    if (argument == "--hosts" && i + 1 < argc) hosts = static_cast<unsigned>(std::atoi(argv[++i]));
    if (argument == "--runs" && i + 1 < argc) runs = static_cast<unsigned>(std::atoi(argv[++i]));
  }
  // Three levels of 36-port switches.
  const unsigned pods = (hosts + 323) / 324;
  const fabric::Fabric fabric = fabrics::from_topology(
      topology::xgft({.children = {18, 18, pods}, .parents = {1, 18, 18}, .cables = {}}));
  auto subnet = std::make_shared<fabric::Subnet>();
  subnet->fabric = fabric;
  subnet->lids = fabrics::assign_lids(fabric);
  subnet->index();

  scrape::FixedView fixed;
  const sm::MetricsResources metrics = sm::metrics_resources(fixed.source());
  const sm::web::Resources& resources = metrics.resources;
  std::size_t switch_ports = 0;
  for (const fabric::Port& port : fabric.ports)
    switch_ports += fabric.nodes[port.node].is_switch() && port.peer != fabric::kNoIndex;
  std::printf("%zu nodes, %zu switch ports with a link\n", fabric.nodes.size(), switch_ports);
  std::printf("%-8s %22s %22s %12s %10s %22s %22s %22s %12s\n", "", "first ms wall (CPU)",
              "again ms wall (CPU)", "bytes", "lines", "first as gzip", "again as gzip",
              "gzip, in a daemon", "bytes");
  for (unsigned run = 0; run < runs; ++run) {
    const auto poll = [&] {
      auto view = std::make_shared<sm::View>();
      view->status.state = mad::SmState::master;
      view->status.subnet = subnet;
      view->status.counters = counters_of(fabric);
      view->context = sm::make_context(options, {}, partitions::default_configuration());
      fixed.view = view;
    };
    poll();
    const Scrape first = scrape_once(resources, false), again = scrape_once(resources, false);
    const std::size_t lines = scrape_once(resources, true).samples;
    const Scrape gzip_first = scrape_once(resources, false, true),
                 gzip_again = scrape_once(resources, false, true);
    poll();
    metrics.observe(*fixed.view);
    const Scrape followed = scrape_once(resources, false, true);
    std::this_thread::sleep_for(std::chrono::seconds(4));  // the text of this poll is ready
    std::printf(
        "run %-4u %14.1f (%5.1f) %14.1f (%5.1f) %12zu %10zu %14.1f (%5.1f) %14.1f (%5.1f) %14.1f "
        "(%5.1f) %12zu\n",
        run + 1, first.wall_ms, first.cpu_ms, again.wall_ms, again.cpu_ms, first.bytes, lines,
        gzip_first.wall_ms, gzip_first.cpu_ms, gzip_again.wall_ms, gzip_again.cpu_ms,
        followed.wall_ms, followed.cpu_ms, gzip_first.bytes);
    std::fflush(stdout);
  }
}
