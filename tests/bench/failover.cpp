// bench_failover: of two Heddles, and of two OpenSMs, the master is killed (SIGKILL). Prints, in
// seconds from that moment, when its standby is MASTER, when the PortInfo of a host has the
// standby's LID as MasterSMLID (smpquery), when saquery at the host is answered again, and when the
// first sweep has ended; and the LinearForwardingTable blocks written until then.
// Default settings, on ibsim; medians over several runs, and the ratios of the runs that
// followed each other: median (least..most).
//
//   build/bench/bin/bench_failover                          324 and 1,728 hosts, three runs each
//   build/bench/bin/bench_failover --hosts 11664 --runs 1
//
// Nothing is asserted: figures depend on the machine, and the simulator uses much of one core.

#include <chrono>
#include <csignal>
#include <map>

#include "bench/measured.h"
#include "bench/settings.h"
#include "ibsim/fabric.h"
#include "ibsim/smp_counts.h"
#include "sm/ctl/topology/topology.h"

namespace {

using harness::SmKind;
using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

constexpr harness::Milliseconds kComesUp{300'000}, kTakesOver{600'000};
constexpr unsigned kSetLft = 0x0219;  // SubnSet, LinearForwardingTable

struct Figures {
  double master_s = 0, led_s = 0, answers_s = 0, up_s = 0;
  double lft_sets = 0;
};

void need(bool happened, std::string_view what, const harness::SubnetManager& sm) {
  if (!happened) throw std::runtime_error(fmt::format("{}\n{}", what, sm.tail()));
}

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

/// Returns the MasterSMLID line of the PortInfo of H2, read by smpquery there.
std::string master_sm_lid(harness::IbsimFabric& fabric) {
  const std::string text =
      fabric.run({"smpquery", "-D", "-t", "200", "portinfo", "0"}, {.host = "H2"}).out;
  const std::size_t line = text.find("SMLid:");
  return line == std::string::npos ? "" : text.substr(line, text.find('\n', line) - line);
}

Figures fail_over(const topology::Topology& topology, SmKind kind, const std::string& simulator) {
  harness::IbsimFabric fabric(topology, simulator);
  harness::SmOptions options{.kind = kind, .args = {"-p", "2"}};
  if (kind == SmKind::opensm) options.args.insert(options.args.end(), {"--maxsmps", "64"});
  harness::SubnetManager first(fabric, options);
  need(first.wait_subnet_up(kComesUp), "the first one does not bring the subnet up", first);
  const std::filesystem::path counts = fabric.dir() / "counts";
  options.args[1] = "1";
  options.host = "H1";
  options.env = harness::count_smps_into(counts);
  harness::SubnetManager second(fabric, options);
  need(second.wait_log("Entering STANDBY", 0, kComesUp).has_value(), "no standby", second);
  if (kind == SmKind::heddle)
    need(second.wait_log("the subnet was read", 0, kTakesOver).has_value(), "no picture", second);

  const std::string first_lid = master_sm_lid(fabric);
  need(!first_lid.empty(), "smpquery has no MasterSMLID", second);
  Figures figures;
  const std::size_t end = second.log_end();
  const Clock::time_point begin = Clock::now();
  first.kill();
  need(second.wait_log("Entering MASTER", end, kTakesOver).has_value(), "no takeover", second);
  figures.master_s = seconds_since(begin);
  for (std::string lid; lid.empty() || lid == first_lid; lid = master_sm_lid(fabric)) {
    if (seconds_since(begin) > 600) throw std::runtime_error("MasterSMLID stays as it was");
  }
  figures.led_s = seconds_since(begin);
  while (!fabric.run({"saquery", "-t", "200", "CPI"}, {.host = "H2"}).ok()) {
    if (seconds_since(begin) > 600) throw std::runtime_error("saquery is not answered");
  }
  figures.answers_s = seconds_since(begin);
  need(second.wait_log("SUBNET UP", end, kTakesOver).has_value(), "no SUBNET UP", second);
  figures.up_s = seconds_since(begin);
  second.signal(SIGTERM);
  need(second.wait_exit(kTakesOver).has_value(), "it does not end", second);
  const harness::SmpCounts sent = harness::read_smp_counts(counts);
  const auto lft = sent.by_method_and_attribute.find({kSetLft >> 8, kSetLft & 0xFF});
  figures.lft_sets =
      lft == sent.by_method_and_attribute.end() ? 0 : static_cast<double>(lft->second);
  return figures;
}

struct Column {
  std::string_view head;
  double Figures::* figure;
};
constexpr Column kColumns[]{{"MASTER s", &Figures::master_s},
                            {"MasterSMLID s", &Figures::led_s},
                            {"saquery answered s", &Figures::answers_s},
                            {"SUBNET UP s", &Figures::up_s},
                            {"LFT blocks written", &Figures::lft_sets}};

std::vector<double> read_figures(const std::vector<Figures>& runs, const Column& column) {
  std::vector<double> figures;
  figures.reserve(runs.size());
  for (const Figures& run : runs) figures.push_back(run.*column.figure);
  return figures;
}

void bench_fabric(unsigned hosts, const bench::Settings& settings) {
  const topology::Topology topology =
      topology::fat_tree({.hosts = hosts, .radix = hosts == 1728 ? 24u : 36u, .levels = 0});
  const std::string simulator = settings.simulator == "heddle-sim" ? HEDDLE_SIM_PROGRAM : "ibsim";
  fmt::print("\n{} hosts, {} switches; {} runs in turns\n  {:<18}", hosts,
             topology.count(topology::NodeType::switch_), settings.runs, "");
  for (const Column& column : kColumns) fmt::print(" {:>22}", column.head);
  fmt::print("\n");
  std::map<SmKind, std::vector<Figures>> runs;
  for (unsigned run = 0; run < settings.runs; ++run)
    for (const SmKind kind : settings.sms)
      runs[kind].push_back(fail_over(topology, kind, simulator));
  for (const auto& [kind, of_kind] : runs) {
    fmt::print("  {:<18}", harness::find_name(kind));
    for (const Column& column : kColumns)
      fmt::print(" {:>22}", measured::text(measured::spread_of(read_figures(of_kind, column))));
    fmt::print("\n");
  }
  if (runs.size() == 2) {
    fmt::print("  {:<18}", "Heddle / OpenSM");
    for (const Column& column : kColumns)
      fmt::print(" {:>22}", measured::text(measured::ratios_of(
                                read_figures(runs.at(SmKind::heddle), column),
                                read_figures(runs.at(SmKind::opensm), column))));
    fmt::print("\n");
  }
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    bench::Settings settings;
    settings.hosts = {324, 1728};
    settings = bench::parse_settings("bench_failover", argc, argv, std::move(settings));
    if (settings.sms.empty()) throw std::invalid_argument("this build has no such subnet manager");
    measured::print_build("bench_failover");
    for (const unsigned hosts : settings.hosts) bench_fabric(hosts, settings);
    return 0;
  } catch (const std::exception& error) {
    fmt::print(stderr, "bench_failover: {}\n", error.what());
    return 1;
  }
}
