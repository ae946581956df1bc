#include "soak/draw.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <set>
#include <tuple>

#include <fmt/ranges.h>

#include "config/option_files.h"
#include "fabric/topology/random_source.h"
#include "mad/format.h"
#include "sim/scenario/scenario.h"
#include "sm/ctl/topology/generators.h"
#include "support/flood_kinds.h"

namespace soak {
namespace {

void sort_by_time(std::vector<Step>& steps) {
  std::ranges::sort(steps, {},
                    [](const Step& step) { return std::tuple(step.at, step.act, step.manager); });
}

using std::chrono_literals::operator""ms;
using std::chrono_literals::operator""s;

mad::Duration between(topology::Random& dice, mad::Duration low, mad::Duration high) {
  return low + mad::Duration(static_cast<mad::Duration::rep>(
                   dice.below(static_cast<std::uint64_t>((high - low).count()))));
}

/// 4 to 20 switches, 5 to 30 hosts, from all families; hosts come first.
struct Fabric {
  std::string name;
  topology::Topology topology;
};
Fabric draw_fabric(topology::Random& dice) {
  const auto some = [&](unsigned low, unsigned high) { return low + dice.below(high - low + 1); };
  switch (dice.below(9)) {
    case 0: {
      const unsigned hosts = some(3, 5), leaves = some(2, 5), spines = some(2, 4);
      return {fmt::format("leaf-spine, {} leaves, {} spines", leaves, spines),
              topology::xgft({.children = {hosts, leaves}, .parents = {1, spines}, .cables = {}})};
    }
    case 1:
      return {"three-level tree",
              topology::xgft({.children = {2, 3, 2}, .parents = {1, 2, 2}, .cables = {}})};
    case 2: {
      const unsigned x = some(3, 4), y = some(2, 4);
      return {fmt::format("torus {}x{}", x, y),
              topology::torus({.dimensions = {x, y}, .hosts_per_switch = 1})};
    }
    case 3: {
      const unsigned x = some(2, 4), y = some(2, 4);
      return {fmt::format("mesh {}x{}", x, y),
              topology::mesh({.dimensions = {x, y}, .hosts_per_switch = some(2, 3) / 2 + 1})};
    }
    case 4:
      return {"hypercube of 8",
              topology::hypercube({.dimensions = 3, .hosts_per_switch = some(1, 2)})};
    case 5:
      return {"dragonfly of 12", topology::dragonfly({.switches_per_group = 3,
                                                      .global_cables = 1,
                                                      .hosts_per_switch = some(1, 2),
                                                      .groups = 4})};
    case 6: {
      const unsigned switches = some(4, 8);
      return {fmt::format("ring of {}", switches),
              topology::torus({.dimensions = {switches}, .hosts_per_switch = some(2, 3)})};
    }
    case 7: {
      const unsigned switches = some(4, 8), cables = some(1, 2);
      return {fmt::format("row of {} with {} parallel links", switches, cables),
              topology::row({.switches = switches,
                             .cables = cables,
                             .hosts_per_switch = some(2, 3),
                             .ports_per_host = some(1, 2)})};
    }
    default: {
      const unsigned switches = some(4, 12), hosts = some(5, 20);
      return {fmt::format("random graph of {}", switches),
              topology::random_graph({.switches = switches,
                                      .hosts = hosts,
                                      .extra_links = some(2, 12),
                                      .seed = dice.next()})};
    }
  }
}

constexpr std::array kEngines{"minhop", "updn", "dnup",  "dor",   "sssp",
                              "dfsssp", "lash", "dmodc", "ftree", "nue"};

/// Options that SIGHUP may change in a running subnet.
void draw_changeable(topology::Random& dice, config::Options& options) {
  options.routing_engine.clear();
  if (dice.percent(75)) options.routing_engine.emplace_back(kEngines[dice.below(kEngines.size())]);
  options.lmc = static_cast<std::uint8_t>(dice.percent(60) ? 0 : dice.below(3u));
  options.lmc_esp0 = dice.percent(30);
  options.qos = dice.percent(30);
  options.qos_sets[0].max_vls = dice.percent(50) ? 0 : 1u << dice.below(4u);
  options.max_op_vls = static_cast<std::uint8_t>(dice.percent(50) ? 5 : 1 + dice.below(5u));
  options.part_enforce = static_cast<config::PartEnforce>(dice.below(4u));
  options.sweep_interval = std::array{3u, 5u, 10u}[dice.below(3u)];
  options.force_heavy_sweep = dice.percent(5);
  options.use_optimized_slvl = dice.percent(30);  // FALSE counts since it is set
  options.origins["use_optimized_slvl"] = {};
  options.scatter_ports = dice.percent(10) ? 7 : 0;
}

/// The number of VLs that links should run stays: links that run keep theirs until they train
/// again, and which ones did is not followed here.
void keep_vls(const config::Options& before, config::Options& options) {
  options.max_op_vls = before.max_op_vls;
  options.qos_sets[0].max_vls = before.qos_sets[0].max_vls;
  if (before.qos_sets[0].max_vls != 0) options.qos = before.qos;
}

config::Options draw_options(topology::Random& dice) {
  config::Options options;
  draw_changeable(dice, options);
  if (dice.percent(40)) {
    options.m_key = 0x1122334455667788;
    options.m_key_protection_level = static_cast<std::uint8_t>(dice.below(3u));
    options.m_key_lease_period = dice.percent(30) ? 60 : 0;
  }
  if (dice.percent(20)) options.subnet_prefix = 0xfec0000000001234;
  options.sweep_on_trap = dice.percent(90);
  options.audit_interval = static_cast<std::uint32_t>(kAuditInterval.count());
  options.sminfo_polling_timeout = 1000 * (1 + dice.below(3u));  // ms
  options.polling_retry_number = 2 + dice.below(3u);
  if (dice.percent(30)) {
    options.max_wire_smps = 1 + dice.below(16u);
    options.origins["max_wire_smps"] = {};
  }
  return options;
}

/// Distinct hosts in any order.
std::vector<std::size_t> draw_hosts(topology::Random& dice, const topology::Topology& topology,
                                    std::size_t count) {
  std::vector<std::size_t> hosts;
  for (std::size_t node = 0; node < topology.nodes.size(); ++node) {
    if (topology.nodes[node].type == topology::NodeType::ca) hosts.push_back(node);
  }
  dice.shuffle(hosts);
  hosts.resize(std::min(hosts.size(), count));
  return hosts;
}

Phase draw_phase(topology::Random& dice, Draw& run) {
  Phase phase;
  const std::vector<std::string>& kinds = sim::random_kinds();
  std::set<std::string> chosen;
  for (std::size_t wanted = dice.below(4u); chosen.size() < wanted;)
    chosen.insert(kinds[dice.below(kinds.size())]);
  phase.kinds.assign(chosen.begin(), chosen.end());
  phase.faults_for = between(dice, 2s, 15s);
  phase.mean_interval = between(dice, 500ms, 3s);
  phase.fault_seed = dice.next();
  const auto moment = [&] { return between(dice, {}, phase.faults_for); };
  if (dice.percent(50)) {
    const config::Options before = run.options;
    draw_changeable(dice, run.options);
    keep_vls(before, run.options);
    phase.steps.push_back({.at = moment(), .act = Act::reload, .options = run.options});
  }
  if (dice.percent(25)) {
    phase.steps.push_back(
        {.at = moment(), .act = Act::restart, .manager = dice.below(run.managers.size())});
  }
  // One of several managers ends, and starts again in this phase or in the next one.
  if (run.managers.size() > 1 && dice.percent(40)) {
    const std::size_t which = dice.below(run.managers.size());
    const mad::Duration at = moment();
    phase.steps.push_back({.at = at, .act = Act::stop, .manager = which});
    if (dice.percent(50))
      phase.steps.push_back(
          {.at = between(dice, at, phase.faults_for + 1s), .act = Act::start, .manager = which});
  }
  sort_by_time(phase.steps);
  return phase;
}

/// All managers that do not run are started at the beginning of each phase; otherwise one that has
/// ended would never run again.
void start_missing(topology::Random& dice, Draw& run) {
  std::vector<bool> runs;
  for (const ManagerPlace& place : run.managers) runs.push_back(place.runs_at_first);
  for (Phase& phase : run.phases) {
    std::vector<Step> starts;
    for (std::size_t which = 0; which < runs.size(); ++which) {
      if (!runs[which] && &phase != &run.phases.front()) {
        starts.push_back(
            {.at = between(dice, {}, phase.faults_for), .act = Act::start, .manager = which});
      }
    }
    std::ranges::copy(starts, std::back_inserter(phase.steps));
    sort_by_time(phase.steps);
    for (const Step& step : phase.steps) {
      if (step.act == Act::stop || step.act == Act::remove) runs[step.manager] = false;
      if (step.act == Act::start) runs[step.manager] = true;
    }
    // At least one manager runs at the end of the phase.
    if (std::ranges::find(runs, true) != runs.end()) continue;
    phase.steps.push_back({.at = phase.faults_for, .act = Act::start, .manager = 0});
    runs[0] = true;
  }
}

constexpr unsigned kVPortsPercent = 15;
constexpr unsigned kRemovalPercent = 8, kFloodPercent = 20;  // of phases

/// Removed devices of managers, and floods of several hosts at once. Draws from numbers of its own.
void draw_removals_and_floods(topology::Random& dice, Draw& run) {
  std::vector<std::size_t> idle;
  for (const std::size_t node : draw_hosts(dice, run.topology, run.topology.nodes.size())) {
    const bool is_used =
        std::ranges::find(run.clients, node) != run.clients.end() ||
        std::ranges::find(run.managers, node, &ManagerPlace::node) != run.managers.end();
    if (!is_used) idle.push_back(node);
  }
  const auto kinds = static_cast<std::uint32_t>(flood_kinds(run.options.m_key != 0).size());
  for (Phase& phase : run.phases) {
    const auto moment = [&] { return between(dice, {}, phase.faults_for); };
    if (dice.percent(kRemovalPercent)) {
      Step step{.at = moment(), .act = Act::remove, .manager = dice.below(run.managers.size())};
      step.lasts = between(dice, 100ms, std::max<mad::Duration>(phase.faults_for - step.at, 200ms));
      phase.steps.push_back(std::move(step));
    }
    if (idle.empty() || !dice.percent(kFloodPercent)) continue;
    for (std::size_t hosts = 1 + dice.below(3u); hosts > 0; --hosts) {
      Step step{.at = moment(), .act = Act::flood};
      step.node = idle[dice.below(idle.size())];
      step.kind = dice.below(kinds);
      step.lasts = phase.faults_for - step.at;
      phase.steps.push_back(std::move(step));
    }
  }
  for (Phase& phase : run.phases) sort_by_time(phase.steps);
}

/// Hosts with some vports each, and faults of these in each phase. Draws from numbers of its own,
/// so that all else is as without.
void draw_vports(topology::Random& dice, Draw& run) {
  std::uint64_t guid = 0x5000000000000000;
  for (std::size_t node = 0; node < run.topology.nodes.size(); ++node) {
    if (run.topology.nodes[node].type != topology::NodeType::ca || dice.percent(30)) continue;
    const auto count = static_cast<std::uint16_t>(1 + dice.below(4u));
    for (std::uint16_t index = 1; index <= count; ++index) {
      run.vports.push_back({.node = node,
                            .index = index,
                            .options = {.guid = {++guid},
                                        .lid_required = dice.percent(30),
                                        .policy = dice.percent(20) ? sim::VPortPolicy::up
                                                                   : sim::VPortPolicy::follow}});
    }
  }
  const auto enable = [](config::Options& options) {
    config::Diagnostics ignored;
    config::parse_opensm_conf({"soak", "virt_enabled 2\n"}, options, ignored);
  };
  enable(run.options);
  for (Phase& phase : run.phases) {
    const std::vector<std::string>& kinds = sim::random_vport_kinds();
    std::set<std::string> chosen;
    for (std::size_t wanted = dice.below(3u); chosen.size() < wanted;)
      chosen.insert(kinds[dice.below(kinds.size())]);
    phase.kinds.insert(phase.kinds.end(), chosen.begin(), chosen.end());
    for (Step& step : phase.steps)
      if (step.act == Act::reload) enable(step.options);
  }
}

}  // namespace

std::vector<WorldKind> world_kinds() {
  const char* const wanted = std::getenv("HEDDLE_WORLD_KIND");
  const bool vports = wanted != nullptr && std::string_view(wanted) == "vports";
  return {{"vports", vports ? 100 : kVPortsPercent}};
}

std::vector<std::string_view> flood_kinds(bool with_m_key) {
  std::vector<std::string_view> names;
  for (const floods::Kind& kind : floods::kKinds)
    if (with_m_key || std::string_view(kind.name) != "AnySmp") names.emplace_back(kind.name);
  return names;
}

std::string_view name(Act act) {
  switch (act) {
    case Act::reload:
      return "reload";
    case Act::restart:
      return "restart";
    case Act::stop:
      return "stop";
    case Act::start:
      return "start";
    case Act::remove:
      return "remove";
    case Act::flood:
      return "flood";
  }
  return "";
}

Draw draw(std::uint64_t seed, const std::vector<WorldKind>& kinds) {
  topology::Random dice(seed);
  Draw run;
  run.seed = seed;
  Fabric fabric = draw_fabric(dice);
  run.fabric = std::move(fabric.name);
  run.topology = std::move(fabric.topology);
  if (dice.percent(30)) {
    for (topology::Node& node : run.topology.nodes)
      node.enhanced_port0 = node.type == topology::NodeType::switch_ && dice.percent(70);
  }
  run.options = draw_options(dice);
  const config::Options at_start = run.options;

  const std::size_t managers = dice.percent(50) ? 1 : dice.percent(70) ? 2 : 3;
  for (const std::size_t node : draw_hosts(dice, run.topology, managers)) {
    ManagerPlace place{.node = node,
                       .priority = static_cast<std::uint8_t>(dice.below(3u)),
                       .runs_at_first = run.managers.empty() || dice.percent(70)};
    if (dice.percent(50)) place.starts_after = between(dice, {}, 3s);
    run.managers.push_back(place);
  }
  run.clients = draw_hosts(dice, run.topology, 3 + dice.below(6u));
  run.faults_at_standbys = dice.percent(30);
  const std::size_t phases = 2 + dice.below(3u);
  for (std::size_t number = 0; number < phases; ++number)
    run.phases.push_back(draw_phase(dice, run));
  run.options = at_start;
  topology::Random of_hosts(seed ^ 0x666c6f6f6473);
  draw_removals_and_floods(of_hosts, run);
  start_missing(dice, run);
  for (const WorldKind& kind : kinds) {
    topology::Random own(seed ^ 0x76706f727473);
    if (kind.name == "vports" && own.percent(kind.percent)) draw_vports(own, run);
  }
  return run;
}

std::string describe(const Draw& draw) {
  const auto seconds = [](mad::Duration time) {
    return std::chrono::duration<double>(time).count();
  };
  const auto options = [](const config::Options& o) {
    return fmt::format(
        "{} lmc {} esp0 {:d} qos {:d} max_vls {} max_op_vls {} part_enforce {} sweep {} s heavy "
        "{:d} slvl {:d} scatter {}",
        fmt::join(o.routing_engine, ","), o.lmc, o.lmc_esp0, o.qos, o.qos_sets[0].max_vls,
        o.max_op_vls, static_cast<int>(o.part_enforce), o.sweep_interval, o.force_heavy_sweep,
        o.use_optimized_slvl, o.scatter_ports);
  };
  std::string text = fmt::format(
      "seed {}: {}, {} nodes; {}; m_key {:#x} level {} lease {} s, sweep_on_trap {:d}, polling {} "
      "ms x {}, wire {}\n",
      draw.seed, draw.fabric, draw.topology.nodes.size(), options(draw.options), draw.options.m_key,
      draw.options.m_key_protection_level, draw.options.m_key_lease_period,
      draw.options.sweep_on_trap, draw.options.sminfo_polling_timeout,
      draw.options.polling_retry_number,
      draw.options.is_set("max_wire_smps") ? fmt::format("{}", draw.options.max_wire_smps)
                                           : "adaptive");
  for (const ManagerPlace& place : draw.managers)
    text += fmt::format("  manager at {}, priority {}{}\n", draw.topology.nodes[place.node].name,
                        place.priority, place.runs_at_first ? "" : ", not at first");
  if (!draw.vports.empty()) text += fmt::format("  {} vports\n", draw.vports.size());
  for (std::size_t number = 0; number < draw.phases.size(); ++number) {
    const Phase& phase = draw.phases[number];
    text += fmt::format("  phase {}: {:.1f} s of [{}] every {:.1f} s", number + 1,
                        seconds(phase.faults_for), fmt::join(phase.kinds, " "),
                        seconds(phase.mean_interval));
    for (const Step& step : phase.steps) {
      text += fmt::format("; {:.3f} s {}", seconds(step.at), name(step.act));
      if (step.act == Act::reload) {
        text += fmt::format(" ({})", options(step.options));
      } else if (step.act == Act::flood) {
        text += fmt::format(" of {} by {}", flood_kinds(draw.options.m_key != 0)[step.kind],
                            draw.topology.nodes[step.node].name);
      } else {
        text += fmt::format(" manager {}", step.manager);
      }
      if (step.lasts > mad::Duration{}) text += fmt::format(" for {:.3f} s", seconds(step.lasts));
    }
    text += '\n';
  }
  return text;
}

}  // namespace soak
