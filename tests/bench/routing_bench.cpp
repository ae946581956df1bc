// Routing and verification on the reference fabric: the full three-level fat tree of 36-port
// switches, 11,664 hosts.

#include <unordered_map>

#include <benchmark/benchmark.h>

#include "bench/measured.h"
#include "routing/adaptive/form_groups.h"
#include "routing/adaptive/losses.h"
#include "routing/adaptive/verify_groups.h"
#include "routing/engines/distance/distance_engines.h"
#include "routing/graph/hops.h"
#include "routing/multicast/multicast.h"
#include "routing/multicast/multicast_dependencies.h"
#include "routing/quality/quality.h"
#include "routing/registry.h"
#include "routing/verify/credit_loops.h"
#include "routing/verify/verify.h"
#include "sm/ctl/topology/decorate.h"
#include "sm/ctl/topology/generators.h"
#include "support/fabrics.h"
#include "support/tori.h"

namespace {

const fabrics::Subnet& tree(unsigned hosts) {
  static std::unordered_map<unsigned, fabrics::Subnet> made;
  const auto it = made.find(hosts);
  if (it != made.end()) return it->second;
  return made
      .emplace(hosts, fabrics::Subnet(fabrics::from_topology(topology::fat_tree(
                          {.hosts = hosts, .radix = hosts == 1728 ? 24u : 36u}))))
      .first->second;
}

fabric::ForwardingTables route(const fabrics::Subnet& subnet,
                               const routing::RoutingOptions& options = {},
                               const fabric::ForwardingTables* previous = nullptr) {
  return std::move(
      routing::minhop({subnet.fabric, subnet.graph, subnet.lids, options, previous})->lfts);
}

unsigned list_hosts(const benchmark::State& state) { return static_cast<unsigned>(state.range(0)); }

void hops(benchmark::State& state) {
  const fabrics::Subnet& subnet = tree(list_hosts(state));
  for (auto _ : state) benchmark::DoNotOptimize(routing::unit_hops(subnet.graph));
}

void minhop(benchmark::State& state) {
  const fabrics::Subnet& subnet = tree(list_hosts(state));
  for (auto _ : state) benchmark::DoNotOptimize(route(subnet));
}

void minhop_keeping_routes(benchmark::State& state) {
  const fabrics::Subnet& subnet = tree(list_hosts(state));
  const fabric::ForwardingTables before = route(subnet);
  for (auto _ : state) benchmark::DoNotOptimize(route(subnet, {}, &before));
}

void minhop_weighted(benchmark::State& state) {
  const fabrics::Subnet& subnet = tree(list_hosts(state));
  routing::RoutingOptions options;
  options.hop_weights.push_back(
      {{subnet.fabric.nodes[subnet.fabric.switches[fabric::SwitchIndex{0}].node].guid,
        subnet.graph.port[fabric::ChannelIndex{0}]},
       3});
  for (auto _ : state) benchmark::DoNotOptimize(route(subnet, options));
}

void minhop_lmc2(benchmark::State& state) {
  const fabrics::Subnet subnet(tree(list_hosts(state)).fabric, 2);
  for (auto _ : state) benchmark::DoNotOptimize(route(subnet));
}

void verify(benchmark::State& state) {
  const fabrics::Subnet& subnet = tree(list_hosts(state));
  const fabric::ForwardingTables lfts = route(subnet);
  for (auto _ : state)
    benchmark::DoNotOptimize(routing::verify(subnet.fabric, subnet.graph, subnet.lids, lfts));
}

void engine(benchmark::State& state, const char* name, const fabrics::Subnet& subnet) {
  const routing::RoutingOptions options;
  for (auto _ : state) {
    auto result =
        routing::find_engine(name)->route({subnet.fabric, subnet.graph, subnet.lids, options});
    if (!result) state.SkipWithError(result.error().why.c_str());
    benchmark::DoNotOptimize(result);
  }
}
void updn(benchmark::State& state) { engine(state, "updn", tree(list_hosts(state))); }
void dnup(benchmark::State& state) { engine(state, "dnup", tree(list_hosts(state))); }
void dmodc(benchmark::State& state) { engine(state, "dmodc", tree(list_hosts(state))); }
void ftree(benchmark::State& state) { engine(state, "ftree", tree(list_hosts(state))); }
void dor(benchmark::State& state) { engine(state, "dor", tree(list_hosts(state))); }
void sssp(benchmark::State& state) { engine(state, "sssp", tree(list_hosts(state))); }
void lash(benchmark::State& state) { engine(state, "lash", tree(list_hosts(state))); }
void nue(benchmark::State& state) { engine(state, "nue", tree(list_hosts(state))); }
void dfsssp(benchmark::State& state) { engine(state, "dfsssp", tree(list_hosts(state))); }

// 16 x 16 x 16 switches with a host each, and with one switch lost.
void torus_2qos(benchmark::State& state) {
  tori::Lattice lattice{{16, 16, 16}};
  if (state.range(0) != 0) lattice.lost_switches = {{5, 6, 7}};
  const fabrics::Subnet subnet(lattice.fabric());
  routing::RoutingOptions options;
  options.torus = lattice.options();
  for (auto _ : state) {
    auto result = routing::find_engine("torus-2QoS")
                      ->route({subnet.fabric, subnet.graph, subnet.lids, options});
    if (!result) state.SkipWithError(result.error().why.c_str());
    benchmark::DoNotOptimize(result);
  }
}
// The verification that a chain of engines requires.
void torus_2qos_verify(benchmark::State& state) {
  const tori::Lattice lattice{{16, 16, 16}};
  const fabrics::Subnet subnet(lattice.fabric());
  routing::RoutingOptions options;
  options.torus = lattice.options();
  const auto result = routing::find_engine("torus-2QoS")
                          ->route({subnet.fabric, subnet.graph, subnet.lids, options});
  for (auto _ : state) {
    benchmark::DoNotOptimize(
        routing::verify(subnet.fabric, subnet.graph, subnet.lids, result->lfts));
    benchmark::DoNotOptimize(routing::find_credit_loops(subnet.graph, subnet.lids, result->lfts,
                                                        {result->sls, result->sl_to_vl},
                                                        routing::Traffic::between_hosts));
  }
}
BENCHMARK(torus_2qos)
    ->ArgName("switches_lost")
    ->Arg(0)
    ->Arg(1)
    ->Unit(benchmark::kMillisecond)
    ->MeasureProcessCPUTime()
    ->UseRealTime();
BENCHMARK(torus_2qos_verify)->Unit(benchmark::kMillisecond)->MeasureProcessCPUTime()->UseRealTime();

// With links lost: for some, so that VLs are needed.
void engine_damaged(benchmark::State& state, const char* name) {
  const double fraction = static_cast<double>(state.range(1)) / 100;
  const fabrics::Subnet subnet(fabrics::from_topology(topology::degrade(
      topology::fat_tree({.hosts = list_hosts(state), .radix = 36}), fraction, 1)));
  engine(state, name, subnet);
}
#define DAMAGED(name)                            \
  BENCHMARK_CAPTURE(engine_damaged, name, #name) \
      ->ArgNames({"hosts", "percent"})           \
      ->Args({11664, 1})                         \
      ->Args({11664, 5})                         \
      ->Unit(benchmark::kMillisecond)            \
      ->MeasureProcessCPUTime()                  \
      ->UseRealTime()
DAMAGED(dfsssp);
DAMAGED(lash);
DAMAGED(dmodc);
DAMAGED(nue);

// Fabrics with many cycles: the cost of VLs and detours, as counters.
void engine_on_circles(benchmark::State& state, const char* name,
                       const topology::Topology& topology) {
  const fabrics::Subnet subnet(fabrics::from_topology(topology));
  routing::RoutingOptions options;
  options.do_mesh_analysis = state.range(0) != 0;
  options.vls_max = 15;
  const auto route = [&](const char* engine) {
    return routing::find_engine(engine)->route({subnet.fabric, subnet.graph, subnet.lids, options});
  };
  auto result = route(name);
  for (auto _ : state) {
    result = route(name);
    if (!result) return state.SkipWithError(result.error().why.c_str());
  }
  const auto load = routing::all_to_all(subnet.graph, subnet.lids, result->lfts);
  state.counters["vls"] = result->vls;
  state.counters["detour"] =
      routing::path_lengths(subnet.graph, subnet.lids, result->lfts).mean /
      routing::path_lengths(subnet.graph, subnet.lids, route("minhop")->lfts).mean;
  state.counters["worst_over_mean"] = static_cast<double>(load.worst) / load.mean;
}
const topology::Topology& torus_of_125() {
  static const topology::Topology made =
      topology::torus({.dimensions = {5, 5, 5}, .hosts_per_switch = 2});
  return made;
}
const topology::Topology& dragonfly_of_1056_hosts() {
  static const topology::Topology made =
      topology::dragonfly({.switches_per_group = 8, .global_cables = 4, .hosts_per_switch = 4});
  return made;
}
const topology::Topology& random_regular_of_1200_hosts() {
  static const topology::Topology made =
      topology::random_regular({.switches = 200, .degree = 12, .hosts_per_switch = 6});
  return made;
}
#define ON_CIRCLES(topology, name)                                           \
  BENCHMARK_CAPTURE(engine_on_circles, topology##_##name, #name, topology()) \
      ->ArgName("mesh_analysis")                                             \
      ->Arg(0)                                                               \
      ->Unit(benchmark::kMillisecond)                                        \
      ->MeasureProcessCPUTime()                                              \
      ->UseRealTime()
ON_CIRCLES(torus_of_125, nue);
ON_CIRCLES(torus_of_125, dfsssp);
ON_CIRCLES(torus_of_125, lash)->Arg(1);
ON_CIRCLES(dragonfly_of_1056_hosts, nue);
ON_CIRCLES(dragonfly_of_1056_hosts, dfsssp);
ON_CIRCLES(dragonfly_of_1056_hosts, lash);
ON_CIRCLES(random_regular_of_1200_hosts, nue);
ON_CIRCLES(random_regular_of_1200_hosts, dfsssp);
ON_CIRCLES(random_regular_of_1200_hosts, lash);

// Nearly the whole unicast LID space: 40,000 hosts on 3,490 switches.
const fabrics::Subnet& huge() {
  static const fabrics::Subnet subnet(fabrics::from_topology(
      topology::xgft({.children = {16, 50, 50}, .parents = {1, 15, 16}, .cables = {}})));
  return subnet;
}
void huge_minhop(benchmark::State& state) { engine(state, "minhop", huge()); }
void huge_updn(benchmark::State& state) { engine(state, "updn", huge()); }
void huge_dmodc(benchmark::State& state) { engine(state, "dmodc", huge()); }
void huge_ftree(benchmark::State& state) { engine(state, "ftree", huge()); }
void huge_dfsssp(benchmark::State& state) { engine(state, "dfsssp", huge()); }
void huge_lash(benchmark::State& state) { engine(state, "lash", huge()); }
void huge_nue(benchmark::State& state) { engine(state, "nue", huge()); }
void huge_verify(benchmark::State& state) {
  const fabric::ForwardingTables lfts = route(huge());
  for (auto _ : state) {
    benchmark::DoNotOptimize(routing::verify(huge().fabric, huge().graph, huge().lids, lfts));
    benchmark::DoNotOptimize(routing::find_credit_loops(huge().graph, huge().lids, lfts, {{}, {}},
                                                        routing::Traffic::between_hosts));
  }
}

// Tables and VLs: the cost that a chain of engines adds to each engine.
void verify_all(benchmark::State& state) {
  const fabrics::Subnet& subnet = tree(list_hosts(state));
  const fabric::ForwardingTables lfts = route(subnet);
  for (auto _ : state) {
    benchmark::DoNotOptimize(routing::verify(subnet.fabric, subnet.graph, subnet.lids, lfts));
    benchmark::DoNotOptimize(routing::find_credit_loops(subnet.graph, subnet.lids, lfts, {{}, {}},
                                                        routing::Traffic::between_hosts));
  }
}

void credit_loops(benchmark::State& state) {
  const fabrics::Subnet& subnet = tree(list_hosts(state));
  const fabric::ForwardingTables lfts = route(subnet);
  for (auto _ : state)
    benchmark::DoNotOptimize(routing::find_credit_loops(subnet.graph, subnet.lids, lfts, {{}, {}},
                                                        routing::Traffic::between_hosts));
}

// Adaptive routing: groups are formed from what the engine has found, and verified. The engine's
// own routing is not part of the time.
void groups(benchmark::State& state) {
  const fabrics::Subnet& subnet = tree(list_hosts(state));
  const routing::RoutingOptions options;
  const routing::RoutingInput input{subnet.fabric, subnet.graph, subnet.lids, options};
  const auto routed = routing::find_engine("updn")->route(input);
  routing::GroupReport report;
  for (auto _ : state) {
    state.PauseTiming();
    routing::RoutingResult result = *routed;
    state.ResumeTiming();
    routing::form_groups(input, routing::GroupRule::candidates, result);
    report = routing::verify_groups(subnet.fabric, subnet.graph, subnet.lids, result.lfts,
                                    result.adaptive.get(), {result.sls, result.sl_to_vl});
  }
  state.counters["ok"] = report.ok() ? 1 : 0;
  state.counters["groups"] = static_cast<double>(report.groups);
  state.counters["dependencies"] = static_cast<double>(report.credit_loops.dependencies);
  state.counters["longest"] = report.longest;
}
// The verification alone.
void groups_verify(benchmark::State& state) {
  const fabrics::Subnet& subnet = tree(list_hosts(state));
  const routing::RoutingOptions options;
  const routing::RoutingInput input{subnet.fabric, subnet.graph, subnet.lids, options};
  auto result = routing::find_engine("updn")->route(input);
  routing::form_groups(input, routing::GroupRule::candidates, *result);
  for (auto _ : state)
    benchmark::DoNotOptimize(routing::verify_groups(subnet.fabric, subnet.graph, subnet.lids,
                                                    result->lfts, result->adaptive.get(),
                                                    {result->sls, result->sl_to_vl}));
}
// All links lost, one after the other.
void groups_losses(benchmark::State& state) {
  const fabrics::Subnet& subnet = tree(list_hosts(state));
  const routing::RoutingOptions options;
  const routing::RoutingInput input{subnet.fabric, subnet.graph, subnet.lids, options};
  auto result = routing::find_engine("updn")->route(input);
  routing::form_groups(input, routing::GroupRule::candidates, *result);
  routing::LossSettings settings;
  settings.choice =
      state.range(1) == 0 ? routing::LocalChoice::any_member : routing::LocalChoice::recovery;
  routing::LossReport report;
  for (auto _ : state)
    report = routing::lose_links(subnet.graph, subnet.lids, result->lfts, result->adaptive.get(),
                                 settings);
  state.counters["tried"] = static_cast<double>(report.tried);
  state.counters["kept"] = static_cast<double>(report.kept);
  state.counters["cut"] = static_cast<double>(report.cut);
}
BENCHMARK(groups)
    ->Arg(11664)
    ->Unit(benchmark::kMillisecond)
    ->MeasureProcessCPUTime()
    ->UseRealTime();
BENCHMARK(groups_verify)
    ->Arg(11664)
    ->Unit(benchmark::kMillisecond)
    ->MeasureProcessCPUTime()
    ->UseRealTime();
BENCHMARK(groups_losses)
    ->ArgNames({"hosts", "recovery"})
    ->Args({11664, 0})
    ->Args({11664, 1})
    ->Iterations(1)
    ->Unit(benchmark::kMillisecond);

// The highest load of a link, on average over shift and random permutations, where switches choose
// among the members of groups, and with the tables alone. Both as counters, of the same fabric.
void adaptive_quality(benchmark::State& state, const char* name) {
  const fabrics::Subnet subnet(fabrics::from_topology(
      topology::degrade(topology::fat_tree({.hosts = list_hosts(state),
                                            .radix = list_hosts(state) == 1728 ? 24u : 36u}),
                        static_cast<double>(state.range(1)) / 100, 1)));
  routing::RoutingOptions options;
  for (const fabric::Switch& sw : subnet.fabric.switches) {
    const fabric::Node& node = subnet.fabric.nodes[sw.node];
    if (node.description.text().starts_with("S3-")) options.roots.push_back(node.guid);
  }
  const auto result = routing::route_with_chain(
      std::vector<std::string>{name}, true, {subnet.fabric, subnet.graph, subnet.lids, options});
  if (!result) return state.SkipWithError(result.error().why.c_str());
  const std::size_t step = list_hosts(state) / 160 + 1;
  const fabric::ForwardingTables& lfts = result->routing.lfts;
  const fabric::AdaptiveGroups& groups = *result->routing.adaptive;
  for (auto _ : state) {
    state.counters["adaptive_shift"] =
        routing::adaptive_shift_load(subnet.graph, subnet.lids, lfts, groups, step).mean;
    state.counters["static_shift"] =
        routing::shift_load(subnet.graph, subnet.lids, lfts, step).mean;
    state.counters["adaptive_random"] =
        routing::adaptive_random_permutations(subnet.graph, subnet.lids, lfts, groups, 20, 1).mean;
    state.counters["static_random"] =
        routing::random_permutations(subnet.graph, subnet.lids, lfts, 20, 1).mean;
  }
}
#define ADAPTIVE_QUALITY(name)                     \
  BENCHMARK_CAPTURE(adaptive_quality, name, #name) \
      ->ArgNames({"hosts", "lost_percent"})        \
      ->Args({11664, 0})                           \
      ->Args({11664, 5})                           \
      ->Iterations(1)                              \
      ->Unit(benchmark::kMillisecond)
ADAPTIVE_QUALITY(ar_ftree);
ADAPTIVE_QUALITY(ar_updn);

// The quality of the tables, as counters.
void minhop_quality(benchmark::State& state) {
  const fabrics::Subnet& subnet = tree(list_hosts(state));
  routing::RoutingOptions options;
  options.lowest_port_first = state.range(1) != 0;
  const fabric::ForwardingTables lfts = route(subnet, options);
  routing::ShiftLoad shift;
  double bisection = 0;
  for (auto _ : state) {
    shift = routing::shift_load(subnet.graph, subnet.lids, lfts, list_hosts(state) / 160 + 1);
    bisection = routing::effective_bisection(subnet.graph, subnet.lids, lfts, 40, 1);
  }
  state.counters["shift_mean"] = shift.mean;
  state.counters["shift_worst"] = shift.worst;
  state.counters["bisection"] = bisection;
}

// Multicast: all hosts in one group
// ------------------------------------------------------------------------------------------

routing::MulticastGroup group_of(const fabrics::Subnet& subnet, unsigned number,
                                 unsigned share = 1) {
  routing::MulticastGroup group{.mlid = {static_cast<std::uint16_t>(mad::kMlidMin.value + number)},
                                .receivers = {},
                                .senders = {}};
  unsigned turn = number;
  for (const fabric::PortIndex port : subnet.fabric.end_ports) {
    if (!subnet.fabric.owning_node(port).is_switch() && turn++ % share == 0)
      group.receivers.push_back(port);
  }
  return group;
}

void multicast_first_tree(benchmark::State& state) {
  const fabrics::Subnet& subnet = tree(list_hosts(state));
  const routing::MulticastGroup group = group_of(subnet, 0);
  std::vector<routing::MulticastFinding> findings;
  for (auto _ : state) {
    routing::MulticastRouter router(subnet.fabric, subnet.graph, {});
    router.route(group, findings);
    benchmark::DoNotOptimize(router);
  }
}

void multicast_one_join(benchmark::State& state) {
  const fabrics::Subnet& subnet = tree(list_hosts(state));
  const routing::MulticastGroup all = group_of(subnet, 0);
  routing::MulticastGroup most = all;
  most.receivers.erase(most.receivers.end() - 1);
  std::vector<routing::MulticastFinding> findings;
  routing::MulticastRouter router(subnet.fabric, subnet.graph, {});
  router.route(most, findings);
  bool joined = false;
  for (auto _ : state) router.route((joined = !joined) ? all : most, findings);
}

void multicast_thousand_groups(benchmark::State& state) {
  const fabrics::Subnet& subnet = tree(list_hosts(state));
  std::vector<routing::MulticastGroup> groups;
  for (unsigned i = 0; i < 1000; ++i) groups.push_back(group_of(subnet, i, 16 + i));
  std::vector<routing::MulticastFinding> findings;
  for (auto _ : state) {
    routing::MulticastRouter router(subnet.fabric, subnet.graph, {});
    router.route_all(groups, findings);
    benchmark::DoNotOptimize(router);
  }
}

// 8,000 groups of 16 to 11,664 members; most are small.
std::vector<routing::MulticastGroup> eight_thousand(const fabrics::Subnet& subnet) {
  std::vector<routing::MulticastGroup> groups;
  for (unsigned i = 0; i < 8000; ++i)
    groups.push_back(group_of(subnet, i, std::max(1u, 729 * (i % 400) / 400)));
  return groups;
}

void multicast_join_among_8000(benchmark::State& state) {
  const fabrics::Subnet& subnet = tree(list_hosts(state));
  const auto groups = eight_thousand(subnet);
  std::vector<routing::MulticastFinding> findings;
  routing::MulticastRouter router(subnet.fabric, subnet.graph, {});
  router.route_all(groups, findings);
  routing::MulticastGroup less = groups[4000];
  less.receivers.pop_back();
  bool joined = true;
  for (auto _ : state) router.route((joined = !joined) ? groups[4000] : less, findings);
}

// The channel dependencies of all trees, with those of unicast known.
void multicast_check_of_8000(benchmark::State& state) {
  const fabrics::Subnet& subnet = tree(list_hosts(state));
  const auto groups = eight_thousand(subnet);
  std::vector<routing::MulticastFinding> findings;
  routing::MulticastRouter router(subnet.fabric, subnet.graph, {});
  router.route_all(groups, findings);
  const fabric::ForwardingTables lfts = route(subnet);
  const routing::ChannelGraph unicast = routing::find_dependencies(
      subnet.graph, subnet.lids, lfts, {{}, {}}, routing::Traffic::between_hosts);
  std::size_t cycles = 0, dependencies = 0;
  for (auto _ : state) {
    routing::ChannelGraph all = unicast;
    routing::add_multicast_dependencies(subnet.graph, router.tables(), groups, {}, all);
    cycles = routing::find_cycles(all).loop_count;
    dependencies = all.dependencies();
  }
  state.counters["cycles"] = static_cast<double>(cycles);
  state.counters["dependencies"] = static_cast<double>(dependencies);
}

BENCHMARK(multicast_join_among_8000)->Arg(11664)->Unit(benchmark::kMillisecond);
BENCHMARK(multicast_check_of_8000)
    ->Arg(11664)
    ->Unit(benchmark::kMillisecond)
    ->MeasureProcessCPUTime()
    ->UseRealTime();
BENCHMARK(multicast_first_tree)->Arg(11664)->Unit(benchmark::kMillisecond);
BENCHMARK(multicast_one_join)->Arg(11664)->Unit(benchmark::kMillisecond);
BENCHMARK(multicast_thousand_groups)->Arg(11664)->Unit(benchmark::kMillisecond);
// Measures the quality of engines, also with links lost.
void engine_quality(benchmark::State& state, const char* name) {
  const fabrics::Subnet subnet(fabrics::from_topology(
      topology::degrade(topology::fat_tree({.hosts = list_hosts(state),
                                            .radix = list_hosts(state) == 1728 ? 24u : 36u}),
                        static_cast<double>(state.range(1)) / 100, 1)));
  routing::RoutingOptions options;
  for (const fabric::Switch& sw :
       subnet.fabric.switches) {  // ftree routes uneven trees only with given roots
    const fabric::Node& node = subnet.fabric.nodes[sw.node];
    if (std::string_view(name) == "ftree" && node.description.text().starts_with("S3-"))
      options.roots.push_back(node.guid);
  }
  const auto result =
      routing::find_engine(name)->route({subnet.fabric, subnet.graph, subnet.lids, options});
  if (!result) return state.SkipWithError(result.error().why.c_str());
  for (auto _ : state) {
    const auto shift =
        routing::shift_load(subnet.graph, subnet.lids, result->lfts, list_hosts(state) / 160 + 1);
    const auto all = routing::all_to_all(subnet.graph, subnet.lids, result->lfts);
    state.counters["shift_mean"] = shift.mean;
    state.counters["shift_worst"] = shift.worst;
    state.counters["bisection"] =
        routing::effective_bisection(subnet.graph, subnet.lids, result->lfts, 40, 1);
    state.counters["permutation"] =
        routing::random_permutations(subnet.graph, subnet.lids, result->lfts, 40, 1).mean;
    state.counters["all_worst_over_mean"] = static_cast<double>(all.worst) / all.mean;
    state.counters["hops"] = routing::path_lengths(subnet.graph, subnet.lids, result->lfts).mean;
  }
}
#define QUALITY(name)                            \
  BENCHMARK_CAPTURE(engine_quality, name, #name) \
      ->ArgNames({"hosts", "lost_percent"})      \
      ->Args({11664, 0})                         \
      ->Args({11664, 1})                         \
      ->Args({11664, 5})                         \
      ->Iterations(1)                            \
      ->Unit(benchmark::kMillisecond)
QUALITY(minhop);
QUALITY(updn);
QUALITY(sssp);
QUALITY(dmodc);
QUALITY(ftree);
QUALITY(lash);
QUALITY(nue);

BENCHMARK(huge_minhop)->Unit(benchmark::kMillisecond)->MeasureProcessCPUTime()->UseRealTime();
BENCHMARK(huge_updn)->Unit(benchmark::kMillisecond)->MeasureProcessCPUTime()->UseRealTime();
BENCHMARK(huge_dmodc)->Unit(benchmark::kMillisecond)->MeasureProcessCPUTime()->UseRealTime();
BENCHMARK(huge_ftree)->Unit(benchmark::kMillisecond)->MeasureProcessCPUTime()->UseRealTime();
BENCHMARK(huge_dfsssp)->Unit(benchmark::kMillisecond)->MeasureProcessCPUTime()->UseRealTime();
BENCHMARK(huge_lash)->Unit(benchmark::kMillisecond)->MeasureProcessCPUTime()->UseRealTime();
BENCHMARK(huge_nue)->Unit(benchmark::kMillisecond)->MeasureProcessCPUTime()->UseRealTime();
BENCHMARK(huge_verify)->Unit(benchmark::kMillisecond)->MeasureProcessCPUTime()->UseRealTime();
BENCHMARK(verify_all)
    ->Arg(11664)
    ->Unit(benchmark::kMillisecond)
    ->MeasureProcessCPUTime()
    ->UseRealTime();
BENCHMARK(hops)->Arg(11664)->Unit(benchmark::kMillisecond);
BENCHMARK(minhop)
    ->Arg(324)
    ->Arg(1728)
    ->Arg(11664)
    ->Unit(benchmark::kMillisecond)
    ->MeasureProcessCPUTime()
    ->UseRealTime();
BENCHMARK(minhop_keeping_routes)->Arg(11664)->Unit(benchmark::kMillisecond);
BENCHMARK(minhop_weighted)->Arg(11664)->Unit(benchmark::kMillisecond);
BENCHMARK(minhop_lmc2)->Arg(11664)->Unit(benchmark::kMillisecond);
BENCHMARK(verify)
    ->Arg(324)
    ->Arg(1728)
    ->Arg(11664)
    ->Unit(benchmark::kMillisecond)
    ->MeasureProcessCPUTime()
    ->UseRealTime();
BENCHMARK(updn)->Arg(11664)->Unit(benchmark::kMillisecond)->MeasureProcessCPUTime()->UseRealTime();
BENCHMARK(dnup)->Arg(11664)->Unit(benchmark::kMillisecond)->MeasureProcessCPUTime()->UseRealTime();
BENCHMARK(dmodc)->Arg(11664)->Unit(benchmark::kMillisecond)->MeasureProcessCPUTime()->UseRealTime();
BENCHMARK(ftree)->Arg(11664)->Unit(benchmark::kMillisecond)->MeasureProcessCPUTime()->UseRealTime();
BENCHMARK(dor)->Arg(11664)->Unit(benchmark::kMillisecond)->MeasureProcessCPUTime()->UseRealTime();
BENCHMARK(sssp)
    ->Arg(1728)
    ->Arg(11664)
    ->Unit(benchmark::kMillisecond)
    ->MeasureProcessCPUTime()
    ->UseRealTime();
BENCHMARK(dfsssp)
    ->Arg(1728)
    ->Arg(11664)
    ->Unit(benchmark::kMillisecond)
    ->MeasureProcessCPUTime()
    ->UseRealTime();
BENCHMARK(lash)
    ->Arg(1728)
    ->Arg(11664)
    ->Unit(benchmark::kMillisecond)
    ->MeasureProcessCPUTime()
    ->UseRealTime();
BENCHMARK(nue)
    ->Arg(1728)
    ->Arg(11664)
    ->Unit(benchmark::kMillisecond)
    ->MeasureProcessCPUTime()
    ->UseRealTime();
BENCHMARK(credit_loops)
    ->Arg(1728)
    ->Arg(11664)
    ->Unit(benchmark::kMillisecond)
    ->MeasureProcessCPUTime()
    ->UseRealTime();
BENCHMARK(minhop_quality)
    ->ArgNames({"hosts", "lowest_port_first"})
    ->Args({1728, 0})
    ->Args({1728, 1})
    ->Args({11664, 0})
    ->Args({11664, 1})
    ->Iterations(1)
    ->Unit(benchmark::kMillisecond);

}  // namespace

int main(int argc, char** argv) {
  benchmark::AddCustomContext("heddle_build", std::string(measured::build_text()));
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
}
