// bench_adverse: fabrics on which not everything answers at once: hosts that hang, latency, agents
// that serve one request at a time, loss. Heddle and OpenSM in turn on heddle-sim; prints the
// median of each, and the ratios of the runs that followed each other: median (least..most).
//
//   build/bench/bin/bench_adverse                      all cases, three runs in turns
//   build/bench/bin/bench_adverse --only loss --runs 1
//   build/bench/bin/bench_adverse --sm heddle
//
// Bring-up: from the start of the program with `-o` to SUBNET UP; 100 s (300 s for 11,664 hosts)
// without it count as that long. In cases with silent hosts, a daemon runs besides: the worst time
// from a lost link to the last SubnSet (25 s: there was none), and the time from SIGHUP until the
// sweep has ended. Case "groups": a host joins groups that did not exist, and then another one
// (OpenSM writes nothing for groups with one member), of a daemon whose subnet is up: the time from
// the start of the first host's program to the last SubnSet, after which both have all traffic, and
// the SubnGets and SubnSets until then. OpenSM runs with --maxsmps 64, its fastest setting. Cases
// "fresh": everything answers; the time and the MADs until all links are
// Active. Cases "lost at once": many links between switches, the first uplink of the manager's leaf
// among them, or many leaves: the time from the first of the simulator's orders to the last SubnSet
// before 2 s without any, and the log's lines about GIDs out of service. Nothing is asserted:
// figures depend on the machine, whose cores the simulator shares.

#include <chrono>
#include <csignal>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <stdexcept>
#include <thread>

#include "bench/measured.h"
#include "bench/settings.h"
#include "fabric/topology/random_source.h"
#include "ibsim/fabric.h"
#include "sm/ctl/topology/topology.h"

namespace {

using harness::SmKind;
using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

constexpr harness::Milliseconds kReactionMax{25'000}, kExitMax{5'000}, kJoinsMax{60'000}, kPoll{20};
constexpr unsigned kLinksLost = 4;

/// The measurement besides or instead of a bring-up.
enum class Part : std::uint8_t { bring_up, activity, disturbances, groups, burst };

struct Case {
  std::string name;
  unsigned hosts = 324, radix = 36;
  std::vector<std::string> commands = {};  // of the simulator's console
  unsigned silent_percent = 0;             // of the hosts
  bool has_daemon = false;                 // lost links and SIGHUP are measured, too
  bool is_fresh = false;  // everything answers: the MADs until all links are Active are counted
  unsigned groups = 0;    // two hosts join them; nothing else is measured
  unsigned links_lost = 0, leaves_lost = 0;  // at once; nothing else is measured
  harness::Milliseconds bring_up_max{100'000};

  bool measures(Part part) const {
    switch (part) {
      case Part::bring_up:
        return groups == 0 && !measures(Part::burst);
      case Part::activity:
        return is_fresh;
      case Part::disturbances:
        return has_daemon;
      case Part::groups:
        return groups > 0;
      case Part::burst:
        return links_lost + leaves_lost > 0;
    }
    return false;
  }
};

std::vector<Case> all_cases() {
  std::vector<Case> cases;
  cases.push_back({.name = "1,728 hosts, fresh", .hosts = 1728, .radix = 24, .is_fresh = true});
  cases.push_back({.name = "11,664 hosts, fresh", .hosts = 11664, .is_fresh = true});
  for (const unsigned percent : {5u, 10u})
    cases.push_back({.name = fmt::format("1,728 hosts, {} % silent", percent),
                     .hosts = 1728,
                     .radix = 24,
                     .silent_percent = percent,
                     .has_daemon = true});
  cases.push_back({.name = "11,664 hosts, 10 % silent",
                   .hosts = 11664,
                   .silent_percent = 10,
                   .has_daemon = true,
                   .bring_up_max = harness::Milliseconds{300'000}});
  cases.push_back(
      {.name = "1,728 hosts, 4,000 new groups", .hosts = 1728, .radix = 24, .groups = 4000});
  cases.push_back({.name = "11,664 hosts, 4,000 new groups",
                   .hosts = 11664,
                   .groups = 4000,
                   .bring_up_max = harness::Milliseconds{300'000}});
  for (const unsigned links : {24u, 36u})
    cases.push_back({.name = fmt::format("1,728 hosts, {} links lost at once", links),
                     .hosts = 1728,
                     .radix = 24,
                     .links_lost = links});
  cases.push_back({.name = "1,728 hosts, 36 leaves lost at once",
                   .hosts = 1728,
                   .radix = 24,
                   .leaves_lost = 36});
  for (const unsigned ms : {1u, 5u})
    cases.push_back({.name = fmt::format("250 hosts on one switch, {} ms", ms),
                     .hosts = 250,
                     .radix = 254,
                     .commands = {fmt::format("slow all {}ms", ms)}});
  cases.push_back(
      {.name = "1,728 hosts, 20 ms", .hosts = 1728, .radix = 24, .commands = {"slow all 20ms"}});
  for (const unsigned ms : {1u, 5u, 20u, 100u, 300u})
    cases.push_back({.name = fmt::format("324 hosts, {} ms", ms),
                     .commands = {fmt::format("slow all {}ms", ms)}});
  for (const char* const loss : {"0.1", "1", "5"})
    cases.push_back({.name = fmt::format("324 hosts, {} % loss", loss),
                     .commands = {fmt::format("quality all loss={}%", loss)}});
  for (const char* const loss : {"1", "5"})
    cases.push_back({.name = fmt::format("1,728 hosts, {} % loss", loss),
                     .hosts = 1728,
                     .radix = 24,
                     .commands = {fmt::format("quality all loss={}%", loss)},
                     .bring_up_max = harness::Milliseconds{240'000}});
  for (const unsigned queue : {8u, 2u})
    cases.push_back({.name = fmt::format("324 hosts, 30 ms a request, queue of {}", queue),
                     .commands = {fmt::format("serial all 30ms {}", queue)}});
  return cases;
}

struct Figures {
  bool up = false;
  double wall_s = 0, gets = 0, sets = 0;
  double worst_reaction_s = 0, hangup_s = 0;
  double joined_s = 0, burst_s = 0, out_of_service = 0;
  double until_active = 0, active_s = 0;
};

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

double number_before(const std::string& text, std::string_view unit) {
  const std::size_t end = text.find(unit);
  if (end == std::string::npos) return 0;
  const std::size_t begin = text.find_last_of(" \n", end - 1);
  return std::stod(text.substr(begin == std::string::npos ? 0 : begin + 1));
}

harness::SmOptions make_options(SmKind kind) {
  harness::SmOptions options{.kind = kind};
  if (kind == SmKind::opensm) options.args = {"--maxsmps", "64"};
  return options;
}

/// Cables between a switch of hosts and one without, each by an end.
std::vector<topology::PortRef> uplinks_of(const topology::Topology& topology) {
  std::vector<topology::PortRef> ends;
  for (const topology::Link& link : topology.links)
    if (topology.nodes[link.a.node].type == topology::NodeType::switch_ &&
        topology.nodes[link.b.node].type == topology::NodeType::switch_)
      ends.push_back(link.a);
  return ends;
}

class Run {
 public:
  Run(const Case& of, SmKind kind, std::uint64_t seed)
      : case_(of),
        kind_(kind),
        random_(seed),
        topology_(of.hosts < of.radix
                      ? topology::row({.switches = 1, .hosts_per_switch = of.hosts})
                      : topology::fat_tree({.hosts = of.hosts, .radix = of.radix, .levels = 0})),
        fabric_(topology_, HEDDLE_SIM_PROGRAM) {
    for (const std::string& command : of.commands) fabric_.console(command);
    for (const topology::Node& node : topology_.nodes)
      if (node.type == topology::NodeType::ca && node.name != fabric_.first_host() &&
          random_.percent(of.silent_percent))
        fabric_.console(fmt::format("hang \"{}\"", node.name));
  }

  Figures measure() {
    Figures out;
    if (case_.measures(Part::bring_up)) bring_up(out);
    if (case_.measures(Part::disturbances)) disturb(out);
    if (case_.measures(Part::groups)) join(out);
    if (case_.measures(Part::burst)) lose_at_once(out);
    return out;
  }

 private:
  void bring_up(Figures& out) {
    harness::SmOptions options = make_options(kind_);
    options.once = true;
    fabric_.console("smps reset");
    const auto begin = Clock::now();
    harness::SubnetManager sm(fabric_, options);
    if (case_.is_fresh) wait_active(out, begin);
    out.up = sm.wait_subnet_up(case_.bring_up_max);
    out.wall_s = seconds_since(begin);
    count_smps(out);
    if (!sm.wait_exit(kExitMax)) sm.kill();
  }

  void wait_active(Figures& out, Clock::time_point begin) {
    const auto links = static_cast<double>(topology_.links.size());
    while (out.active_s == 0 && Clock::now() - begin < case_.bring_up_max) {
      const std::string totals = fabric_.console("stat");
      if (number_before(totals, " active)") < links) {
        std::this_thread::sleep_for(5ms);
        continue;
      }
      out.until_active = number_before(totals, " sent by clients");
      out.active_s = seconds_since(begin);
    }
  }

  void count_smps(Figures& out) {
    const std::string smps = fabric_.console("smps");
    out.gets = number_before(smps, " Gets");
    out.sets = number_before(smps, " Sets");
  }

  void join(Figures& out) {
    harness::SubnetManager sm(fabric_, make_options(kind_));
    out.up = sm.wait_subnet_up(case_.bring_up_max);
    std::this_thread::sleep_for(5s);
    fabric_.console("smps reset");
    for (const unsigned host : {case_.hosts - 1, case_.hosts / 2}) {
      const harness::Finished client =
          fabric_.run({GROUP_CLIENT_PROGRAM, std::to_string(case_.groups)},
                      {.host = fmt::format("H{}", host), .timeout = kJoinsMax});
      if (!client.ok() || std::stoul(client.out) != case_.groups)
        throw std::runtime_error(fmt::format("{}: {} of {} groups are joined; {}",
                                             harness::find_name(kind_), client.out, case_.groups,
                                             client.err));
    }
    out.joined_s = last_set_s();
    count_smps(out);
  }

  /// The console's names of the links to cut, and of the leaves to switch off.
  std::vector<std::string> burst_commands() {
    std::set<std::size_t> leaves;
    for (const topology::Link& link : topology_.links)
      for (const auto& [near, far] : {std::pair(link.a, link.b), std::pair(link.b, link.a)})
        if (topology_.nodes[near.node].type == topology::NodeType::ca) leaves.insert(far.node);
    std::vector<std::string> links;
    for (const topology::PortRef& end : uplinks_of(topology_))
      links.push_back(
          fmt::format("Unlink \"{}\"[{}]", topology_.nodes[end.node].name, end.port.value));
    random_.shuffle(links);
    links.resize(std::min<std::size_t>(links.size(), case_.links_lost));
    if (!links.empty()) links.front() = own_uplink();
    std::vector<std::size_t> off(leaves.begin(), leaves.end());
    std::erase(off, own_leaf());
    random_.shuffle(off);
    off.resize(std::min<std::size_t>(off.size(), case_.leaves_lost));
    for (const std::size_t leaf : off)
      links.push_back(fmt::format("power \"{}\" off", topology_.nodes[leaf].name));
    return links;
  }
  std::size_t own_leaf() const {
    for (const topology::Link& link : topology_.links)
      for (const auto& [near, far] : {std::pair(link.a, link.b), std::pair(link.b, link.a)})
        if (topology_.nodes[near.node].name == fabric_.first_host()) return far.node;
    throw std::runtime_error("the first host has no link");
  }
  std::string own_uplink() const {
    const std::size_t leaf = own_leaf();
    unsigned first = ~0u;
    for (const topology::Link& link : topology_.links)
      for (const auto& [near, far] : {std::pair(link.a, link.b), std::pair(link.b, link.a)})
        if (near.node == leaf && topology_.nodes[far.node].type == topology::NodeType::switch_)
          first = std::min<unsigned>(first, near.port.value);
    return fmt::format("Unlink \"{}\"[{}]", topology_.nodes[leaf].name, first);
  }
  void lose_at_once(Figures& out) {
    harness::SubnetManager sm(fabric_, make_options(kind_));
    out.up = sm.wait_subnet_up(case_.bring_up_max);
    wait_quiet();
    const std::vector<std::string> commands = burst_commands();
    const std::size_t logged = sm.log_end();
    fabric_.console("smps reset");
    for (const std::string& command : commands) fabric_.console(command);
    out.burst_s = last_set_s();
    count_smps(out);
    const std::string log = sm.log().substr(logged);
    for (std::size_t at = log.find("out of service"); at != std::string::npos;
         at = log.find("out of service", at + 1))
      ++out.out_of_service;
  }

  /// From `smps reset` on, when there was one, and then none for two seconds.
  double last_set_s() {
    constexpr std::string_view kLast = "last Set after ";
    double last = 0;
    const auto begin = Clock::now();
    for (auto since = begin;
         last == 0 ? Clock::now() - begin < kReactionMax : Clock::now() - since < 2s;) {
      std::this_thread::sleep_for(kPoll);
      const std::string smps = fabric_.console("smps");
      const std::size_t at = smps.find(kLast);
      const double now = at == std::string::npos ? 0 : std::stod(smps.substr(at + kLast.size()));
      if (now != last) since = Clock::now();
      last = now;
    }
    return last;
  }

  void disturb(Figures& out) {
    harness::SubnetManager sm(fabric_, make_options(kind_));
    sm.wait_subnet_up(case_.bring_up_max);
    const std::vector<topology::PortRef> uplinks = uplinks_of(topology_);
    for (unsigned count = 0; count < kLinksLost; ++count) {
      std::this_thread::sleep_for(3s + random_.below(8000) * 1ms);
      const topology::PortRef& end =
          uplinks[random_.below(static_cast<std::uint32_t>(uplinks.size()))];
      const std::string port =
          fmt::format("\"{}\"[{}]", topology_.nodes[end.node].name, end.port.value);
      out.worst_reaction_s = std::max(out.worst_reaction_s, reaction_s("Unlink " + port));
      fabric_.console("ReLink " + port);
    }
    std::this_thread::sleep_for(5s);
    wait_quiet();
    const std::size_t from = sm.log_end();
    const auto begin = Clock::now();
    sm.signal(SIGHUP);
    sm.wait_log("SUBNET UP", from, case_.bring_up_max);
    out.hangup_s = seconds_since(begin);
  }

  /// No sweep is under way: SUBNET UP at its end would count as that of the next one.
  void wait_quiet() {
    double gets = -1;
    const auto begin = Clock::now();
    for (auto since = begin; Clock::now() - since < 1s && Clock::now() - begin < kReactionMax;) {
      std::this_thread::sleep_for(kPoll);
      const double now = number_before(fabric_.console("smps"), " Gets");
      if (now != gets) since = Clock::now();
      gets = now;
    }
  }

  /// From the console's command to the last Set before 2 s without any.
  double reaction_s(const std::string& command) {
    fabric_.console("smps reset");
    const auto begin = Clock::now();
    fabric_.console(command);
    double sets = 0, last_s = 0;
    while (seconds_since(begin) < std::chrono::duration<double>(kReactionMax).count()) {
      std::this_thread::sleep_for(kPoll);
      const double now = number_before(fabric_.console("smps"), " Sets");
      if (now != sets) last_s = seconds_since(begin);
      sets = now;
      if (sets > 0 && seconds_since(begin) - last_s > 2) return last_s;
    }
    return sets > 0 ? last_s : std::chrono::duration<double>(kReactionMax).count();
  }

  const Case& case_;
  const SmKind kind_;
  topology::Random random_;
  const topology::Topology topology_;
  harness::IbsimFabric fabric_;
};

struct Column {
  std::string_view head;
  unsigned digits;
  double Figures::* figure;
  std::optional<Part> part = {};  // nullopt: of each case
};
constexpr Column kColumns[]{{"bring-up s", 2, &Figures::wall_s, Part::bring_up},
                            {"last Set s", 2, &Figures::joined_s, Part::groups},
                            {"last Set s", 2, &Figures::burst_s, Part::burst},
                            {"out of service", 0, &Figures::out_of_service, Part::burst},
                            {"all Active s", 2, &Figures::active_s, Part::activity},
                            {"MADs until then", 0, &Figures::until_active, Part::activity},
                            {"Gets", 0, &Figures::gets},
                            {"Sets", 0, &Figures::sets},
                            {"link lost s", 2, &Figures::worst_reaction_s, Part::disturbances},
                            {"SIGHUP s", 2, &Figures::hangup_s, Part::disturbances}};

std::vector<double> read_figures(const std::vector<Figures>& runs, const Column& column) {
  std::vector<double> figures;
  figures.reserve(runs.size());
  for (const Figures& run : runs) figures.push_back(run.*column.figure);
  return figures;
}

void print(const Case& of, const std::map<SmKind, std::vector<Figures>>& figures) {
  for (const auto& [kind, runs] : figures) {
    fmt::print("  {:<40} {:<8}", of.name, harness::find_name(kind));
    for (const Column& column : kColumns) {
      if (column.part && !of.measures(*column.part)) continue;
      fmt::print(" {} {:>.{}f}", column.head,
                 measured::spread_of(read_figures(runs, column)).median, column.digits);
    }
    const auto not_up = std::ranges::count(runs, false, &Figures::up);
    if (not_up > 0) fmt::print("  not up: {} of {}", not_up, runs.size());
    fmt::print("\n");
  }
  if (figures.size() != 2) return;
  fmt::print("  {:<40} {:<8}", "", "ratio");
  for (const Column& column : kColumns) {
    if (column.part && !of.measures(*column.part)) continue;
    fmt::print(
        " {} {}", column.head,
        measured::text(measured::ratios_of(read_figures(figures.at(SmKind::heddle), column),
                                           read_figures(figures.at(SmKind::opensm), column))));
  }
  fmt::print("\n");
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const bench::Settings settings = bench::parse_settings("bench_adverse", argc, argv);
    if (settings.sms.empty()) throw std::invalid_argument("this build has no such subnet manager");
    measured::print_build("bench_adverse");
    for (const Case& of : all_cases()) {
      if (of.name.find(settings.only) == std::string::npos) continue;
      std::map<SmKind, std::vector<Figures>> figures;
      for (unsigned number = 0; number < settings.runs; ++number)
        for (const SmKind kind : settings.sms)
          figures[kind].push_back(Run(of, kind, number + 1).measure());
      print(of, figures);
    }
    return 0;
  } catch (const std::exception& error) {
    fmt::print(stderr, "bench_adverse: {}\n", error.what());
    return 1;
  }
}
