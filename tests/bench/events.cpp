// bench_events: what events cost a whole subnet manager, Heddle and OpenSM in turn on
// heddle-sim. Prints for each event the median over several runs, and the ratios of the runs that
// followed each other: median (least..most).
//
//   build/bench/bin/bench_events                          324 and 1,728 hosts, three runs
//   build/bench/bin/bench_events --hosts 11664 --runs 1
//   build/bench/bin/bench_events --hosts 39936 --runs 1 --sm heddle
//
// ms: from the console's command to the last SubnSet that the simulator receives; for a start, from
// the start of the program. CPU: of the manager, until it has been idle for three seconds. OpenSM
// runs with --maxsmps 64, its fastest setting. Nothing is asserted: figures depend on the machine,
// whose cores the simulator shares.

#include <unistd.h>

#include <chrono>
#include <csignal>
#include <fstream>
#include <functional>
#include <map>
#include <optional>
#include <stdexcept>
#include <thread>

#include "bench/measured.h"
#include "bench/settings.h"
#include "ibsim/fabric.h"
#include "sm/ctl/topology/topology.h"

namespace {

using harness::SmKind;
using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

constexpr harness::Milliseconds kTimeout{1'800'000};
constexpr harness::Milliseconds kQuiet{3'000}, kPoll{250};
constexpr double kIdleCpuShare = 0.05;  // of one processor: less is no work on an event

struct Figures {
  double ms = 0, cpu_ms = 0, gets = 0, sets = 0, lft_sets = 0, vl_sets = 0, peak_mib = 0;
};

/// The simulator's `smps`.
struct Tally {
  double last_set_s = 0;
  double gets = 0, sets = 0, lft_sets = 0, vl_sets = 0;
};

double number_before(const std::string& text, std::string_view unit) {
  const std::size_t end = text.find(unit);
  if (end == std::string::npos) return 0;
  const std::size_t begin = text.find_last_of(" \n", end - 1);
  return std::stod(text.substr(begin == std::string::npos ? 0 : begin + 1));
}

double number_after(const std::string& text, std::string_view words) {
  const std::size_t at = text.find(words);
  return at == std::string::npos ? 0 : std::stod(text.substr(at + words.size()));
}

Tally tally_of(const std::string& text) {
  return {.last_set_s = number_after(text, "last Set after "),
          .gets = number_before(text, " Gets"),
          .sets = number_before(text, " Sets"),
          .lft_sets = number_after(text, "SubnSet(LinearForwardingTable) "),
          .vl_sets = number_after(text, "SubnSet(SLtoVLMappingTable) ") +
                     number_after(text, "SubnSet(VLArbitrationTable) ")};
}

/// Processor time that a process has used so far.
double cpu_ms_of(pid_t pid) {
  std::ifstream in(fmt::format("/proc/{}/stat", pid));
  std::string text{std::istreambuf_iterator<char>(in), {}};
  std::istringstream fields(text.substr(text.rfind(')') + 2));
  std::string word;
  for (unsigned i = 0; i < 11; ++i) fields >> word;
  double user = 0, system = 0;
  fields >> user >> system;
  return (user + system) * 1000 / static_cast<double>(sysconf(_SC_CLK_TCK));
}

double peak_mib_of(pid_t pid) {
  std::ifstream in(fmt::format("/proc/{}/status", pid));
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  return number_after(text, "VmHWM:") / 1024;
}

/// A host's cable, and a cable from its leaf to the level above.
struct Place {
  std::string host, leaf, above;
  unsigned leaf_port = 0, up_port = 0, above_port = 0;
};

Place host_place(const topology::Topology& topology, const std::string& host) {
  Place place{.host = host, .leaf = {}, .above = {}};
  const std::size_t node = topology.find(host);
  const auto other_end = [&](std::size_t of, auto&& visit) {
    for (const topology::Link& link : topology.links) {
      if (link.a.node == of) visit(link.a, link.b);
      if (link.b.node == of) visit(link.b, link.a);
    }
  };
  std::size_t leaf = 0;
  other_end(node, [&](const topology::PortRef&, const topology::PortRef& far) {
    leaf = far.node;
    place.leaf_port = far.port.value;
  });
  place.leaf = topology.nodes[leaf].name;
  other_end(leaf, [&](const topology::PortRef& near, const topology::PortRef& far) {
    if (topology.nodes[far.node].type != topology::NodeType::switch_ ||
        near.port.value < place.up_port)
      return;
    place.up_port = near.port.value;
    place.above = topology.nodes[far.node].name;
    place.above_port = far.port.value;
  });
  return place;
}

/// One subnet manager on a simulated fabric.
class Bench {
 public:
  Bench(const topology::Topology& topology, SmKind kind, std::string engine)
      : fabric_(topology, HEDDLE_SIM_PROGRAM),
        kind_(kind),
        engine_(std::move(engine)),
        home_(fabric_.new_dir("sm")) {}

  Figures start() {
    fabric_.console("smps reset");
    harness::SmOptions options{.kind = kind_, .conf = "sweep_interval 0\n"};
    options.home = home_;
    options.args = {"-R", engine_};
    if (kind_ == SmKind::opensm) options.args.insert(options.args.end(), {"--maxsmps", "64"});
    const auto begin = Clock::now();
    sm_.emplace(fabric_, options);
    if (!sm_->wait_subnet_up(kTimeout))
      throw std::runtime_error("the subnet does not come up\n" + sm_->tail());
    return settled(begin, 0);
  }
  void stop() {
    sm_->signal(SIGTERM);
    if (!sm_->wait_exit(kTimeout)) throw std::runtime_error("it does not end\n" + sm_->tail());
    sm_.reset();
  }

  Figures event(const std::vector<std::string>& commands) {
    fabric_.console("smps reset");
    const double cpu_ms = cpu_ms_of(sm_->pid());
    const auto begin = Clock::now();
    for (const std::string& command : commands) {
      const std::string answer = fabric_.console(command);
      if (!answer.empty()) throw std::runtime_error(command + ": " + answer);
    }
    return settled(begin, cpu_ms);
  }

 private:
  /// Waits until neither a Set nor processor time shows that the manager works on the event.
  Figures settled(Clock::time_point begin, double cpu_before_ms) {
    double busy_cpu_ms = cpu_before_ms;
    auto busy_at = Clock::now();
    Tally last = tally_of(fabric_.console("smps"));
    while (Clock::now() - busy_at < kQuiet) {
      if (Clock::now() - begin > kTimeout)
        throw std::runtime_error("it does not become idle\n" + sm_->tail());
      if (!sm_->running()) throw std::runtime_error("it has ended\n" + sm_->tail());
      std::this_thread::sleep_for(kPoll);
      const Tally now = tally_of(fabric_.console("smps"));
      const double cpu_ms = cpu_ms_of(sm_->pid());
      const double poll_ms = std::chrono::duration<double, std::milli>(kPoll).count();
      if (now.sets != last.sets || cpu_ms - busy_cpu_ms > kIdleCpuShare * poll_ms)
        busy_at = Clock::now();
      busy_cpu_ms = cpu_ms;
      last = now;
    }
    return {.ms = last.sets > 0 ? last.last_set_s * 1000 : 0,
            .cpu_ms = busy_cpu_ms - cpu_before_ms,
            .gets = last.gets,
            .sets = last.sets,
            .lft_sets = last.lft_sets,
            .vl_sets = last.vl_sets,
            .peak_mib = peak_mib_of(sm_->pid())};
  }

  harness::IbsimFabric fabric_;
  const SmKind kind_;
  const std::string engine_;
  const std::filesystem::path home_;
  std::optional<harness::SubnetManager> sm_;
};

using Table = std::map<std::string, std::map<SmKind, std::vector<Figures>>>;

std::string port(const std::string& node, unsigned number) {
  return fmt::format("\"{}\"[{}]", node, number);
}

void run(const topology::Topology& topology, SmKind kind, Table& table) {
  Bench bench(topology, kind, "minhop");
  const auto note = [&](const char* name, const Figures& figures) {
    table[name][kind].push_back(figures);
  };
  const Place place = host_place(topology, "H7"), far = host_place(topology, "H60");
  const Place leaf = host_place(topology, "H100");
  note("01 bring-up", bench.start());
  note("02 link lost", bench.event({"Unlink " + port(place.leaf, place.up_port)}));
  note("03 link back", bench.event({"ReLink " + port(place.leaf, place.up_port)}));
  note("04 host lost", bench.event({"power " + place.host + " off"}));
  note("05 host back", bench.event({"power " + place.host + " on"}));
  note("06 two hosts exchanged",
       bench.event({"Unlink " + port(place.leaf, place.leaf_port),
                    "Unlink " + port(far.leaf, far.leaf_port),
                    "Link " + port(place.host, 1) + " " + port(far.leaf, far.leaf_port),
                    "Link " + port(far.host, 1) + " " + port(place.leaf, place.leaf_port)}));
  note("07 leaf lost", bench.event({"power " + leaf.leaf + " off"}));
  note("08 leaf back", bench.event({"power " + leaf.leaf + " on"}));
  bench.stop();
  note("09 second start", bench.start());
  bench.stop();
}

void run_dfsssp(const topology::Topology& topology, SmKind kind, Table& table) {
  Bench bench(topology, kind, "dfsssp");
  table["10 bring-up, dfsssp"][kind].push_back(bench.start());
  bench.stop();
}

struct Column {
  std::string_view head;
  unsigned digits;
  double Figures::* figure;
};
constexpr Column kColumns[]{{"ms", 0, &Figures::ms},
                            {"CPU ms", 0, &Figures::cpu_ms},
                            {"Gets", 0, &Figures::gets},
                            {"Sets", 0, &Figures::sets},
                            {"LFT Sets", 0, &Figures::lft_sets},
                            {"VL Sets", 0, &Figures::vl_sets},
                            {"peak MiB", 1, &Figures::peak_mib}};

std::vector<double> read_figures(const std::vector<Figures>& runs, const Column& column) {
  std::vector<double> figures;
  figures.reserve(runs.size());
  for (const Figures& run : runs) figures.push_back(run.*column.figure);
  return figures;
}

void print(const Table& table) {
  fmt::print("  {:<24} {:<8}", "event", "");
  for (const Column& column : kColumns) fmt::print(" {:>10}", column.head);
  fmt::print("   Heddle / OpenSM: ms, CPU\n");
  for (const auto& [event, of_event] : table) {
    for (const auto& [kind, runs] : of_event) {
      fmt::print("  {:<24} {:<8}", event.substr(3), harness::find_name(kind));
      for (const Column& column : kColumns)
        fmt::print(" {:>10.{}f}", measured::spread_of(read_figures(runs, column)).median,
                   column.digits);
      if (of_event.size() == 2 && kind == of_event.rbegin()->first)
        for (const Column* column : {&kColumns[0], &kColumns[1]})
          fmt::print("  {}", measured::text(measured::ratios_of(
                                 read_figures(of_event.at(SmKind::heddle), *column),
                                 read_figures(of_event.at(SmKind::opensm), *column))));
      fmt::print("\n");
    }
  }
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    bench::Settings settings;
    settings.hosts = {324, 1728};
    settings = bench::parse_settings("bench_events", argc, argv, std::move(settings));
    if (settings.sms.empty()) throw std::invalid_argument("this build has no such subnet manager");
    measured::print_build("bench_events");
    for (const unsigned hosts : settings.hosts) {
      const unsigned radix = hosts == 1728 ? 24 : hosts > 11664 ? 64 : 36;
      const topology::Topology topology =
          topology::fat_tree({.hosts = hosts, .radix = radix, .levels = 0});
      fmt::print("\n{} hosts, {} switches; {} runs in turns\n", hosts,
                 topology.count(topology::NodeType::switch_), settings.runs);
      Table table;
      for (unsigned number = 0; number < settings.runs; ++number) {
        for (const SmKind kind : settings.sms) run(topology, kind, table);
        for (const SmKind kind : settings.sms) run_dfsssp(topology, kind, table);
      }
      print(table);
    }
    return 0;
  } catch (const std::exception& error) {
    fmt::print(stderr, "bench_events: {}\n", error.what());
    return 1;
  }
}
