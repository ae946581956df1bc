// The cost of one change on the reference fabric (11,664 hosts, 1,620 switches), of every engine: a
// link between a leaf and the switch above it is lost and restored, a host appears. Measured for
// the engine alone, and with the verification of its tables, as in a sweep. Counters: what is
// written.

#include <optional>
#include <vector>

#include <benchmark/benchmark.h>

#include "routing/quality/quality.h"
#include "routing/registry.h"
#include "sm/ctl/topology/generators.h"
#include "support/fabrics.h"

namespace {

using fabrics::Subnet;

fabric::Fabric reference() {
  return fabrics::from_topology(topology::fat_tree({.hosts = 11664, .radix = 36}));
}

/// Removes the link of a switch's port from the fabric.
fabric::Fabric without(fabric::Fabric fabric, fabric::SwitchIndex sw, unsigned port) {
  const fabric::PortIndex end =
      fabric.port(fabric.switches[sw].node, mad::PortNum{static_cast<std::uint8_t>(port)});
  fabric.ports[end].info.set_port_state(mad::PortState::down);
  fabric.ports[fabric.ports[end].peer].info.set_port_state(mad::PortState::down);
  return fabric;
}

fabric::SwitchIndex a_leaf(const Subnet& subnet) {
  for (const auto& end : subnet.graph.end_ports)
    if (end.out.value > 0) return end.sw;
  return fabric::SwitchIndex{0};
}

/// The last of `life`, after incremental routings through the others.
void change(benchmark::State& state, const std::string& engine,
            const std::vector<const Subnet*>& life, bool with_tests) {
  const routing::RoutingOptions options;
  const std::vector<std::string> names{engine};
  tl::expected<routing::ChainResult, routing::Refusal> last;
  for (std::size_t i = 0; i + 1 < life.size(); ++i) {
    const Subnet& now = *life[i];
    routing::RoutingInput input{now.fabric, now.graph, now.lids, options};
    const auto before = std::move(last);
    std::optional<routing::PreviousRouting> from;
    if (i > 0) from.emplace(*before->memory, before->routing.lfts, before->routing);
    if (from) input.previous_routing = &*from;
    last = routing::route_with_chain(names, true, input);
    if (!last) return state.SkipWithError(last.error().why.c_str());
  }
  const Subnet& after = *life.back();
  const routing::PreviousRouting from{*last->memory, last->routing.lfts, last->routing};
  const routing::RoutingInput input{after.fabric, after.graph, after.lids, options, nullptr, &from};
  for (auto _ : state) {
    if (with_tests) {
      benchmark::DoNotOptimize(routing::route_with_chain(names, true, input));
    } else {
      benchmark::DoNotOptimize(routing::find_engine(engine)->route(input));
    }
  }
  const auto next = routing::route_with_chain(names, true, input);
  const auto changes =
      routing::table_changes(after.graph, after.lids, last->routing.lfts, next->routing.lfts);
  state.counters["incremental"] = next->incremental ? 1 : 0;
  state.counters["blocks"] = static_cast<double>(changes.blocks);
  state.counters["entries"] = static_cast<double>(changes.entries);
  state.counters["paths"] = static_cast<double>(changes.paths);
}

void cable(benchmark::State& state, const char* engine, bool lost, bool with_tests) {
  const Subnet whole(reference());
  const fabric::SwitchIndex leaf = a_leaf(whole);
  const Subnet damaged(without(whole.fabric, leaf, 36), whole.lids),
      earlier(without(whole.fabric, leaf, 35), whole.lids);
  lost ? change(state, engine, {&whole, &earlier, &whole, &damaged}, with_tests)
       : change(state, engine, {&whole, &damaged, &whole}, with_tests);
}

/// A host that had no LID before.
void new_host(benchmark::State& state, const char* engine) {
  const Subnet whole(reference());
  const fabric::PortIndex host = whole.fabric.port_of_guid.at(
      whole.fabric
          .ports[whole.fabric.end_ports[fabric::EndPortIndex(
              static_cast<std::uint32_t>(whole.fabric.end_ports.size() / 2))]]
          .guid);
  fabric::LidMap fewer = whole.lids;
  for (const fabric::EndPortIndex i : whole.fabric.end_ports.indices()) {
    if (whole.fabric.end_ports[i] != host) continue;
    fewer.port_of_lid[fewer.of_end_port[i].base.value] = fabric::kNoIndex;
    fewer.of_end_port[i] = {};
  }
  const Subnet before(whole.fabric, fewer);
  change(state, engine, {&before, &whole}, true);
}

[[maybe_unused]] const bool registered = [] {
  for (const char* const engine :
       {"minhop", "updn", "dnup", "dor", "ftree", "dmodc", "sssp", "dfsssp", "lash", "nue"}) {
    const auto measured = [](benchmark::internal::Benchmark* of) {
      of->Unit(benchmark::kMillisecond)->UseRealTime()->MeasureProcessCPUTime();
    };
    const auto add = [&](const char* what, bool lost, bool with_tests) {
      measured(benchmark::RegisterBenchmark((std::string(engine) + what).c_str(), cable, engine,
                                            lost, with_tests));
    };
    add("/cable_lost", true, false);
    add("/cable_lost_tested", true, true);
    add("/cable_back_tested", false, true);
    measured(benchmark::RegisterBenchmark((std::string(engine) + "/new_host_tested").c_str(),
                                          new_host, engine));
  }
  return true;
}();

}  // namespace
