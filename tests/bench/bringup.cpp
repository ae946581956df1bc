// bench_bringup: Heddle and OpenSM in turn bring up the same fabric on a fresh ibsim each, then
// Heddle on heddle-sim; prints time, memory and SMPs.
//
//   build/release/bin/bench_bringup                       324, 1,728 and 11,664 hosts, one run each
//   build/release/bin/bench_bringup --hosts 1728 --runs 5 (the best run of each SM is shown)
//   build/release/bin/bench_bringup --simulator heddle-sim (both subnet managers there)
//
// OpenSM runs with --maxsmps 64, where it is at its best (0 means "no limit" and hangs on ibsim).
// Nothing is asserted: figures depend on the machine, and ibsim itself takes a good part of one
// core.

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "ibsim/fabric.h"
#include "ibsim/smp_counts.h"
#include "ibsim/subnet_manager.h"
#include "sim/topology/topology.h"

namespace {

using harness::SmKind;

constexpr harness::Milliseconds kTimeout{900'000};

struct Settings {
  std::vector<unsigned> hosts{324, 1728, 11664};
  unsigned runs = 1;
  std::vector<SmKind> sms = harness::available_sms();
  std::string simulator;  // empty: ibsim for all, and heddle-sim for Heddle beside it
};

struct Figures {
  harness::Exit exit;
  bool up = false;
  harness::SmpCounts smps;
  double cpu_s() const { return exit.user_s + exit.sys_s; }
};

sim::Topology topology_of(unsigned hosts) {
  return sim::fat_tree({.hosts = hosts, .radix = hosts == 1728 ? 24u : 36u, .levels = 0});
}

Figures start_once(harness::IbsimFabric& fabric, SmKind kind, const std::filesystem::path& home) {
  const std::filesystem::path counts = fabric.dir() / "counts";
  std::filesystem::remove(counts);
  harness::SmOptions options{.kind = kind, .once = true, .env = harness::count_smps_into(counts)};
  options.home = home;
  if (kind == SmKind::opensm) options.args = {"--maxsmps", "64"};
  harness::SubnetManager sm(fabric, options);
  const std::optional<harness::Exit> exit = sm.wait_exit(kTimeout);
  if (!exit || exit->signal != 0) {
    fabric.keep_files();
    throw std::runtime_error(
        fmt::format("{} did not finish\n{}", harness::name_of(kind), sm.tail()));
  }
  Figures figures{*exit, sm.log().find("SUBNET UP") != std::string::npos,
                  harness::read_smp_counts(counts)};
  if (!figures.up) fmt::print("  {} ended without SUBNET UP\n", harness::name_of(kind));
  return figures;
}

void print_row(std::string_view what, const Figures& figures) {
  fmt::print("  {:<22} {:>9.2f} {:>8.2f} {:>9.1f} {:>10} {:>10} {:>10}\n", what,
             figures.exit.wall_s, figures.cpu_s(),
             static_cast<double>(figures.exit.rss_peak_kib) / 1024, figures.smps.total,
             figures.smps.gets, figures.smps.sets);
}

double ratio(double a, double b) { return b > 0 ? a / b : 0; }

void print_ratios(const Figures& heddle, const Figures& opensm) {
  fmt::print("  {:<22} {:>9.3f} {:>8.3f} {:>9.3f} {:>10.3f} {:>10.3f} {:>10.3f}\n",
             "Heddle / OpenSM", ratio(heddle.exit.wall_s, opensm.exit.wall_s),
             ratio(heddle.cpu_s(), opensm.cpu_s()),
             ratio(static_cast<double>(heddle.exit.rss_peak_kib),
                   static_cast<double>(opensm.exit.rss_peak_kib)),
             ratio(static_cast<double>(heddle.smps.total), static_cast<double>(opensm.smps.total)),
             ratio(static_cast<double>(heddle.smps.gets), static_cast<double>(opensm.smps.gets)),
             ratio(static_cast<double>(heddle.smps.sets), static_cast<double>(opensm.smps.sets)));
}

void print_attributes(const std::map<SmKind, Figures>& first_start) {
  std::set<std::pair<unsigned, unsigned>> keys;
  for (const auto& [kind, figures] : first_start) {
    for (const auto& [key, count] : figures.smps.by_method_and_attribute) keys.insert(key);
  }
  fmt::print("\n  {:<34}", "SMPs of the first start");
  for (const auto& [kind, figures] : first_start) fmt::print(" {:>10}", harness::name_of(kind));
  fmt::print("\n");
  for (const auto& key : keys) {
    fmt::print("  {:<34}", harness::smp_name(key.first, key.second));
    for (const auto& [kind, figures] : first_start) {
      const auto it = figures.smps.by_method_and_attribute.find(key);
      fmt::print(" {:>10}", it == figures.smps.by_method_and_attribute.end() ? 0 : it->second);
    }
    fmt::print("\n");
  }
}

/// First start on a fresh simulator, the best of the runs.
Figures first_start(const sim::Topology& topology, SmKind kind, const std::string& simulator,
                    unsigned runs) {
  std::optional<Figures> best;
  for (unsigned run = 0; run < runs; ++run) {
    harness::IbsimFabric fabric(topology, simulator);
    const Figures figures = start_once(fabric, kind, fabric.new_dir("sm"));
    if (!best || figures.exit.wall_s < best->exit.wall_s) best = figures;
  }
  return *best;
}

void bench(unsigned hosts, const Settings& settings) {
  const sim::Topology topology = topology_of(hosts);
  const std::string simulator =
      settings.simulator.empty() || settings.simulator == "ibsim" ? "ibsim" : HEDDLE_SIM_PROGRAM;
  fmt::print("\n{} hosts, {} switches, {} cables\n", hosts, topology.count(sim::NodeType::switch_),
             topology.links.size());
  fmt::print("  {:<22} {:>9} {:>8} {:>9} {:>10} {:>10} {:>10}\n", "", "wall s", "CPU s", "peak MiB",
             "SMPs", "Gets", "Sets");
  std::map<SmKind, Figures> best_first, best_second;
  for (unsigned run = 0; run < settings.runs; ++run) {
    for (const SmKind kind : settings.sms) {
      harness::IbsimFabric fabric(topology, simulator);
      const std::filesystem::path home = fabric.new_dir("sm");
      const auto keep_best = [kind](std::map<SmKind, Figures>& best, const Figures& figures) {
        const auto [it, is_first] = best.emplace(kind, figures);
        if (!is_first && figures.exit.wall_s < it->second.exit.wall_s) it->second = figures;
      };
      keep_best(best_first, start_once(fabric, kind, home));
      keep_best(best_second, start_once(fabric, kind, home));
    }
  }
  for (const auto& [kind, figures] : best_first) print_row(harness::name_of(kind), figures);
  if (best_first.size() == 2)
    print_ratios(best_first.at(SmKind::heddle), best_first.at(SmKind::opensm));
  for (const auto& [kind, figures] : best_second)
    print_row(harness::name_of(kind) + ", second start", figures);
  if (best_second.size() == 2)
    print_ratios(best_second.at(SmKind::heddle), best_second.at(SmKind::opensm));
  const bool beside = settings.simulator.empty() && best_first.contains(SmKind::heddle);
  if (beside) {
    print_row("Heddle on ibsim", best_first.at(SmKind::heddle));
    print_row("Heddle on heddle-sim",
              first_start(topology, SmKind::heddle, HEDDLE_SIM_PROGRAM, settings.runs));
  }
  print_attributes(best_first);
  std::fflush(stdout);
}

unsigned parse(std::string_view text) {
  unsigned value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || value == 0)
    throw std::invalid_argument(fmt::format("'{}' is not a number above 0", text));
  return value;
}

Settings parse_settings(int argc, char** argv) {
  Settings settings;
  for (int i = 1; i < argc; i += 2) {
    const std::string_view word = argv[i];
    if (i + 1 == argc ||
        (word != "--hosts" && word != "--runs" && word != "--sm" && word != "--simulator")) {
      throw std::invalid_argument(
          "usage: bench_bringup [--hosts N[,N...]] [--runs N] [--sm heddle|opensm] [--simulator "
          "ibsim|heddle-sim]");
    }
    std::string_view value = argv[i + 1];
    if (word == "--runs") {
      settings.runs = parse(value);
    } else if (word == "--simulator") {
      settings.simulator = value;
      if (value != "ibsim" && value != "heddle-sim")
        throw std::invalid_argument("the simulators are ibsim and heddle-sim");
    } else if (word == "--sm") {
      std::erase_if(settings.sms, [&](SmKind kind) {
        return kind != (value == "heddle" ? SmKind::heddle : SmKind::opensm);
      });
    } else {
      settings.hosts.clear();
      while (true) {
        const std::size_t comma = value.find(',');
        settings.hosts.push_back(parse(value.substr(0, comma)));
        if (comma == std::string_view::npos) break;
        value.remove_prefix(comma + 1);
      }
    }
  }
  return settings;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const Settings settings = parse_settings(argc, argv);
    if (settings.sms.empty()) throw std::invalid_argument("this build has no such subnet manager");
    for (const unsigned hosts : settings.hosts) bench(hosts, settings);
    return 0;
  } catch (const std::exception& error) {
    fmt::print(stderr, "bench_bringup: {}\n", error.what());
    return 1;
  }
}
