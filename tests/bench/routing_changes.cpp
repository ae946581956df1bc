// The cost of one change on the reference fabric (11,664 hosts, 1,620 switches): a link between a
// leaf and the switch above it is lost and restored. Measured for the engine alone, and with the
// verification of its tables, as in a sweep.

#include <benchmark/benchmark.h>

#include "routing/quality/quality.h"
#include "routing/registry.h"
#include "support/fabrics.h"

namespace {

using fabrics::Subnet;

sm::Fabric reference() {
  return fabrics::from_topology(sim::fat_tree({.hosts = 11664, .radix = 36}));
}

/// Removes the link of a switch's port from the fabric.
sm::Fabric without(sm::Fabric fabric, sm::SwitchIndex sw, unsigned port) {
  const sm::PortIndex end =
      fabric.port(fabric.switches[sw].node, mad::PortNum{static_cast<std::uint8_t>(port)});
  fabric.ports[end].info.set_port_state(mad::PortState::down);
  fabric.ports[fabric.ports[end].peer].info.set_port_state(mad::PortState::down);
  return fabric;
}

sm::SwitchIndex a_leaf(const Subnet& subnet) {
  for (const auto& end : subnet.graph.end_ports)
    if (end.out.value > 0) return end.sw;
  return sm::SwitchIndex{0};
}

void change(benchmark::State& state, const std::string& engine, const Subnet& before,
            const Subnet& after, bool with_tests) {
  const routing::RoutingOptions options;
  const std::vector<std::string> names{engine};
  const auto last =
      routing::route_with_chain(names, true, {before.fabric, before.graph, before.lids, options});
  if (!last) return state.SkipWithError(last.error().why.c_str());
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
  state.counters["paths"] = static_cast<double>(changes.paths);
}

void cable(benchmark::State& state, const char* engine, bool lost, bool with_tests) {
  const Subnet whole(reference());
  const Subnet damaged(without(whole.fabric, a_leaf(whole), 36), whole.lids);
  lost ? change(state, engine, whole, damaged, with_tests)
       : change(state, engine, damaged, whole, with_tests);
}

[[maybe_unused]] const bool registered = [] {
  for (const char* const engine : {"minhop", "updn", "dmodc", "sssp", "dfsssp", "nue", "lash"}) {
    const auto add = [&](const char* what, bool lost, bool with_tests) {
      benchmark::RegisterBenchmark((std::string(engine) + what).c_str(), cable, engine, lost,
                                   with_tests)
          ->Unit(benchmark::kMillisecond)
          ->UseRealTime()
          ->MeasureProcessCPUTime();
    };
    add("/cable_lost", true, false);
    add("/cable_lost_tested", true, true);
    add("/cable_back_tested", false, true);
  }
  return true;
}();

}  // namespace
