// bench_bringup: Heddle and OpenSM in turn bring up the same fabric on a fresh ibsim each, then
// Heddle on heddle-sim; prints medians of time, memory and SMPs over several runs, and the ratios
// of the runs that followed each other: median (least..most).
//
//   build/bench/bin/bench_bringup                          324, 1,728, 11,664 hosts, three runs
//   each build/bench/bin/bench_bringup --hosts 1728 --runs 5 build/bench/bin/bench_bringup
//   --simulator heddle-sim   (both subnet managers there; else ibsim, and heddle-sim for Heddle in
//   addition)
//   --argument -R --argument dfsssp   (of both managers' command lines)
//
// OpenSM runs with --maxsmps 64, its fastest setting (0 means "no limit" and blocks on ibsim).
// Nothing is asserted: figures depend on the machine, and ibsim itself uses much of one core.

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "bench/measured.h"
#include "bench/settings.h"
#include "ibsim/fabric.h"
#include "ibsim/smp_counts.h"
#include "ibsim/subnet_manager.h"
#include "mad/format.h"
#include "sm/ctl/topology/topology.h"

namespace {

using harness::SmKind;

constexpr harness::Milliseconds kTimeout{900'000};

struct Figures {
  harness::Exit exit;
  bool up = false;
  harness::SmpCounts smps;
  unsigned window = 0;  // SMPs in flight at most, as its log says
  double cpu_s() const { return exit.user_s + exit.sys_s; }
};

topology::Topology make_topology(unsigned hosts) {
  return topology::fat_tree({.hosts = hosts, .radix = hosts == 1728 ? 24u : 36u, .levels = 0});
}

unsigned window_of(const std::string& log) {
  const std::size_t end = log.find(" in flight at most");
  if (end == std::string::npos) return 0;
  return static_cast<unsigned>(std::stoul(log.substr(log.rfind(' ', end - 1) + 1)));
}

/// A line for each node, as bench_bare_client reads it: a shortest directed route.
std::string routes_of(const topology::Topology& topology) {
  struct End {
    unsigned port;
    std::size_t peer;
  };
  std::vector<std::vector<End>> links(topology.nodes.size());
  for (const topology::Link& link : topology.links) {
    links[link.a.node].push_back({link.a.port.value, link.b.node});
    links[link.b.node].push_back({link.b.port.value, link.a.node});
  }
  std::vector<std::optional<std::string>> to(topology.nodes.size());
  to[0] = "";
  std::string text;
  std::vector<std::size_t> queue{0};
  for (std::size_t at = 0; at < queue.size(); ++at) {
    const std::size_t node = queue[at];
    const bool is_switch = topology.nodes[node].type == topology::NodeType::switch_;
    text += fmt::format("{:d}{}\n", is_switch, *to[node]);
    if (node != 0 && !is_switch) continue;
    for (const End& end : links[node]) {
      if (to[end.peer]) continue;
      to[end.peer] = fmt::format("{} {}", *to[node], end.port);
      queue.push_back(end.peer);
    }
  }
  return text;
}

/// As many SMPs as those of `run`, with its window, from a client that does nothing else.
double bare_client_s(const topology::Topology& topology, const std::string& simulator,
                     const Figures& run) {
  harness::IbsimFabric fabric(topology, simulator);
  const std::filesystem::path routes = fabric.dir() / "routes";
  harness::write_file(routes, routes_of(topology));
  const harness::Finished client =
      fabric.run({BARE_CLIENT_PROGRAM, routes.string(), std::to_string(run.smps.gets),
                  std::to_string(run.smps.sets), std::to_string(run.window)},
                 {.host = {}, .timeout = kTimeout});
  if (!client.ok()) throw std::runtime_error("the bare client failed: " + client.err);
  return std::stod(client.out);
}

Figures start_once(harness::IbsimFabric& fabric, SmKind kind, const std::filesystem::path& home,
                   const std::vector<std::string>& arguments) {
  const std::filesystem::path counts = fabric.dir() / "counts";
  std::filesystem::remove(counts);
  harness::SmOptions options{.kind = kind, .once = true, .env = harness::count_smps_into(counts)};
  options.home = home;
  if (kind == SmKind::opensm) options.args = {"--maxsmps", "64"};
  options.args.insert(options.args.end(), arguments.begin(), arguments.end());
  harness::SubnetManager sm(fabric, options);
  const std::optional<harness::Exit> exit = sm.wait_exit(kTimeout);
  if (!exit || exit->signal != 0) {
    fabric.keep_files();
    throw std::runtime_error(
        fmt::format("{} did not finish\n{}", harness::find_name(kind), sm.tail()));
  }
  Figures figures{*exit, sm.log().find("SUBNET UP") != std::string::npos,
                  harness::read_smp_counts(counts), window_of(sm.log())};
  if (!figures.up) fmt::print("  {} ended without SUBNET UP\n", harness::find_name(kind));
  return figures;
}

/// The columns of the table of results.
struct Column {
  std::string_view head;
  unsigned digits;
  double (*figure)(const Figures&);
};
constexpr Column kColumns[]{
    {"wall s", 2, [](const Figures& f) { return f.exit.wall_s; }},
    {"CPU s", 2, [](const Figures& f) { return f.cpu_s(); }},
    {"peak MiB", 1,
     [](const Figures& f) { return static_cast<double>(f.exit.rss_peak_kib) / 1024; }},
    {"SMPs", 0, [](const Figures& f) { return static_cast<double>(f.smps.total); }},
    {"Gets", 0, [](const Figures& f) { return static_cast<double>(f.smps.gets); }},
    {"Sets", 0, [](const Figures& f) { return static_cast<double>(f.smps.sets); }},
};

std::vector<double> read_figures(const std::vector<Figures>& runs, const Column& column) {
  std::vector<double> figures;
  for (const Figures& run : runs) figures.push_back(column.figure(run));
  return figures;
}

/// Medians.
void print_row(std::string_view what, const std::vector<Figures>& runs) {
  fmt::print("  {:<22}", what);
  for (const Column& column : kColumns)
    fmt::print(" {:>22.{}f}", measured::spread_of(read_figures(runs, column)).median,
               column.digits);
  fmt::print("\n");
}

void print_ratios(std::string_view what, const std::vector<Figures>& runs,
                  const std::vector<Figures>& peer) {
  fmt::print("  {:<22}", what);
  for (const Column& column : kColumns)
    fmt::print(" {:>22}", measured::text(measured::ratios_of(read_figures(runs, column),
                                                             read_figures(peer, column))));
  fmt::print("\n");
}

void print_attributes(const std::map<SmKind, Figures>& first_start) {
  std::set<std::pair<unsigned, unsigned>> keys;
  for (const auto& [kind, figures] : first_start) {
    for (const auto& [key, count] : figures.smps.by_method_and_attribute) keys.insert(key);
  }
  fmt::print("\n  {:<34}", "SMPs of the first start");
  for (const auto& [kind, figures] : first_start) fmt::print(" {:>10}", harness::find_name(kind));
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

void measure(unsigned hosts, const bench::Settings& settings) {
  const topology::Topology topology = make_topology(hosts);
  const std::string simulator =
      settings.simulator.empty() || settings.simulator == "ibsim" ? "ibsim" : HEDDLE_SIM_PROGRAM;
  fmt::print("\n{} hosts, {} switches, {} links; {} runs in turns\n", hosts,
             topology.count(topology::NodeType::switch_), topology.links.size(), settings.runs);
  fmt::print("  {:<22}", "");
  for (const Column& column : kColumns) fmt::print(" {:>22}", column.head);
  fmt::print("\n");
  std::map<SmKind, std::vector<Figures>> first, second;
  std::vector<Figures> beside;  // Heddle on heddle-sim, if the others are on ibsim
  std::vector<double> over_bare_client;
  for (unsigned run = 0; run < settings.runs; ++run) {
    for (const SmKind kind : settings.sms) {
      harness::IbsimFabric fabric(topology, simulator);
      const std::filesystem::path home = fabric.new_dir("sm");
      first[kind].push_back(start_once(fabric, kind, home, settings.arguments));
      second[kind].push_back(start_once(fabric, kind, home, settings.arguments));
    }
    if (first.contains(SmKind::heddle)) {
      const Figures& start = first.at(SmKind::heddle).back();
      over_bare_client.push_back(start.exit.wall_s / bare_client_s(topology, simulator, start));
    }
    if (settings.simulator.empty() && first.contains(SmKind::heddle)) {
      harness::IbsimFabric fabric(topology, HEDDLE_SIM_PROGRAM);
      beside.push_back(
          start_once(fabric, SmKind::heddle, fabric.new_dir("sm"), settings.arguments));
    }
  }
  for (const auto& [start, runs] : {std::pair{"", &first}, std::pair{", second start", &second}}) {
    for (const auto& [kind, figures] : *runs) print_row(harness::find_name(kind) + start, figures);
    if (runs->size() == 2)
      print_ratios("Heddle / OpenSM", runs->at(SmKind::heddle), runs->at(SmKind::opensm));
  }
  if (!over_bare_client.empty())
    fmt::print(
        "  wall time of Heddle's start, over that of a client which only sends as many SMPs "
        "with the same window: {}\n",
        measured::text(measured::spread_of(over_bare_client)));
  if (!beside.empty()) {
    print_row("Heddle on heddle-sim", beside);
    print_ratios("heddle-sim / ibsim", beside, first.at(SmKind::heddle));
  }
  std::map<SmKind, Figures> of_one_run;
  for (const auto& [kind, figures] : first) of_one_run.emplace(kind, figures.front());
  print_attributes(of_one_run);
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const bench::Settings settings = bench::parse_settings("bench_bringup", argc, argv);
    if (settings.sms.empty()) throw std::invalid_argument("this build has no such subnet manager");
    measured::print_build("bench_bringup");
    for (const unsigned hosts : settings.hosts) measure(hosts, settings);
    return 0;
  } catch (const std::exception& error) {
    fmt::print(stderr, "bench_bringup: {}\n", error.what());
    return 1;
  }
}
