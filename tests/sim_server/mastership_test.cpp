// Which of two managers is master: Heddle and OpenSM as programs on heddle-sim, in all orders,
// priorities and GUID orders, before and after one of them ends, stops, or the fabric splits.
// `HEDDLE_MATRIX=all heddle_sim_program_tests --gtest_filter=*Mastership*` runs every row; without
// it a handful is run.

#include <cstdlib>
#include <sstream>

#include <fmt/ranges.h>
#include "fabric/topology/write.h"
#include "sm/ctl/topology/generators.h"

#include "ibsim/fixture.h"
#include "mad/format.h"
#include "sim_server/preloaded.h"

namespace harness {
namespace mastership_test {

enum class Event : std::uint8_t { none, restart, kill, stop, split };
constexpr std::array kEvents{Event::none, Event::restart, Event::kill, Event::stop, Event::split};
constexpr std::array kEventNames{"Start", "Restart", "Kill9", "StopAndContinue", "SplitAndJoin"};

/// The second one starts when the first has brought the subnet up. The event happens to the master.
struct Row {
  SmKind first = SmKind::heddle, second = SmKind::opensm;
  unsigned first_priority = 0, second_priority = 0;
  bool first_has_smaller_guid = true;
  Event event = Event::none;

  bool second_outranks() const {
    return first_priority != second_priority ? second_priority > first_priority
                                             : !first_has_smaller_guid;
  }
  std::string name() const {
    return fmt::format("{}{}_{}{}_{}_{}", find_name(first), first_priority, find_name(second),
                       second_priority, first_has_smaller_guid ? "SmallerFirst" : "LargerFirst",
                       kEventNames[static_cast<std::size_t>(event)]);
  }
};
void PrintTo(const Row& row, std::ostream* out) { *out << row.name(); }

std::vector<Row> all_rows() {
  std::vector<Row> rows;
  const std::pair<SmKind, SmKind> kinds[]{{SmKind::heddle, SmKind::opensm},
                                          {SmKind::opensm, SmKind::heddle},
                                          {SmKind::heddle, SmKind::heddle}};
  const std::pair<unsigned, unsigned> priorities[]{{3, 3}, {0, 15}, {15, 0}};
  for (const auto& [first, second] : kinds)
    for (const auto& [first_priority, second_priority] : priorities)
      for (const bool smaller : {true, false})
        for (const Event event : kEvents)
          rows.push_back({first, second, first_priority, second_priority, smaller, event});
  return rows;
}

std::vector<Row> rows() {
  if (const char* which = std::getenv("HEDDLE_MATRIX"); which != nullptr) return all_rows();
  using enum SmKind;
  return {
      {heddle, opensm, 0, 15, true, Event::kill},  {opensm, heddle, 0, 15, true, Event::restart},
      {opensm, heddle, 3, 3, false, Event::split}, {heddle, opensm, 15, 0, false, Event::stop},
      {heddle, heddle, 3, 3, true, Event::stop},   {heddle, heddle, 0, 15, false, Event::split}};
}

std::string two_switches() {
  std::ostringstream net;
  topology::write_ibsim(topology::row({.switches = 2, .cables = 2, .hosts_per_switch = 3}), net);
  return net.str();
}

/// All links between the two switches.
void split(IbsimFabric& fabric, bool apart) {
  const Cabling plan = parse_cabling(two_switches());
  for (const Cable& cable : plan.cables) {
    const CabledNode& a = plan.nodes.at(cable.a.node_guid);
    if (!a.is_switch || !plan.nodes.at(cable.b.node_guid).is_switch) continue;
    apart ? fabric.unlink(a.id, cable.a.port) : fabric.relink(a.id, cable.a.port);
  }
}

constexpr const char* kQuick =
    "sweep_interval 1\n"
    "sminfo_polling_timeout 200\n"
    "polling_retry_number 2\n";

class Mastership : public ::testing::TestWithParam<Row> {
 protected:
  struct Side {
    SmKind kind;
    std::string host;
    unsigned priority;
    std::uint64_t port_guid = 0;
    std::optional<Preloaded::Manager> sm = std::nullopt;
    std::size_t mark = 0;  // what was logged before is not waited for
  };

  IbsimFabric& fabric() { return preloaded_.fabric(); }
  /// Again: with the LIDs that it knew.
  void start(Side& side) {
    std::map<std::string, std::string> cache;
    if (side.sm) cache["guid2lid"] = read_file(side.sm->dir / "guid2lid");
    side.sm.emplace(preloaded_.start_manager(side.kind, side.host, kQuick,
                                             {"-p", std::to_string(side.priority)}, {}, cache));
    side.mark = 0;
  }
  static void mark(Side& side) { side.mark = read_file(side.sm->log).size(); }
  static bool wait_log(Side& side, const std::string& text) {
    const auto at = wait_for_text(side.sm->log, text, side.mark, Milliseconds(20'000),
                                  [&] { return !side.sm->process.running(); });
    if (at) side.mark = *at;
    return at.has_value();
  }
  void expect_enters(Side& side, const std::string& state) {
    ASSERT_TRUE(wait_log(side, "Entering " + state + " state"))
        << side.host << " does not enter " << state;
  }
  /// Its sweep has written MasterSMLID then.
  void expect_up(Side& side) {
    ASSERT_TRUE(wait_log(side, "SUBNET UP")) << side.host << " has no SUBNET UP";
  }
  void expect_takes_over(Side& side) {
    expect_enters(side, "MASTER");
    if (!HasFatalFailure()) expect_up(side);
  }
  /// Expects this output of the tools at a host of each switch.
  void expect_master(const Side& side, std::initializer_list<const char*> hosts) {
    for (const char* const host : hosts) {
      Problems problems = check_sm(fabric(), side.port_guid, "SMINFO_MASTER", host);
      EXPECT_TRUE(problems.empty()) << text_of(problems);
      // OpenSM answers no request while it sweeps.
      Finished query = preloaded_.run({"saquery", "CPI"}, host);
      for (int tries = 0; tries < 3 && side.kind == SmKind::opensm && !query.ok(); ++tries)
        query = preloaded_.run({"saquery", "CPI"}, host);
      EXPECT_TRUE(query.ok()) << query.err << query.out;
    }
  }

  struct Snapshot {
    std::map<PortId, unsigned> lids;
    ForwardingTables tables;
  };
  Snapshot snapshot() {
    Problems problems;
    Snapshot out;
    for (const auto& [port, end_port] : discover(fabric(), "H1", problems).end_ports)
      out.lids[port] = end_port.lid;
    out.tables = parse_dump_fts(fabric().run({"dump_fts"}, {.host = "H1"}).out);
    EXPECT_TRUE(problems.empty()) << text_of(problems);
    return out;
  }
  /// LIDs stay, whichever manager took over; tables, too, if it was Heddle every time, which keeps
  /// those that it finds. OpenSM writes its own.
  void expect_same(const Snapshot& before, std::initializer_list<const Side*> took_over) {
    const Snapshot now = snapshot();
    EXPECT_EQ(now.lids, before.lids);
    if (std::ranges::all_of(took_over,
                            [](const Side* side) { return side->kind == SmKind::heddle; })) {
      EXPECT_EQ(now.tables, before.tables);
    }
  }

  void happen(Event event, Side& master, Side& other);
  void TearDown() override {
    if (!HasFailure()) return;
    fabric().keep_files();
    std::cerr << "files kept in " << fabric().dir() << '\n';
  }

 private:
  Preloaded preloaded_{two_switches(), HEDDLE_SIM_PROGRAM};
};

void Mastership::happen(Event event, Side& master, Side& other) {
  mark(master);
  mark(other);
  switch (event) {
    case Event::none:
      return;
    case Event::restart: {
      master.sm->process.signal(SIGTERM);
      ASSERT_TRUE(master.sm->process.wait(Milliseconds(10'000)));
      expect_takes_over(other);
      if (HasFatalFailure()) return;
      expect_master(other, {"H1", "H4"});
      mark(other);
      start(master);
      expect_takes_over(master);
      if (!HasFatalFailure()) expect_enters(other, "STANDBY");
      return;
    }
    case Event::kill:
      master.sm->process.kill();
      expect_takes_over(other);
      return;
    case Event::stop:
      master.sm->process.stop();
      expect_takes_over(other);
      if (HasFatalFailure()) return;
      expect_master(other, {"H1", "H4"});
      mark(other);
      master.sm->process.signal(SIGCONT);
      expect_enters(other, "STANDBY");
      if (!HasFatalFailure()) expect_up(master);
      return;
    case Event::split:
      mark(master);
      split(fabric(), true);
      expect_takes_over(other);
      if (!HasFatalFailure()) expect_up(master);  // without the other half
      if (HasFatalFailure()) return;
      expect_master(other, {other.host == "H0" ? "H1" : "H4"});
      mark(other);
      mark(master);
      split(fabric(), false);
      expect_enters(other, "STANDBY");
      if (!HasFatalFailure()) expect_up(master);
      return;
  }
}

TEST_P(Mastership, TheOneOfHighestRankLeads) {
  const Row& row = GetParam();
  Side first{.kind = row.first,
             .host = row.first_has_smaller_guid ? "H0" : "H5",
             .priority = row.first_priority};
  Side second{.kind = row.second,
              .host = row.first_has_smaller_guid ? "H5" : "H0",
              .priority = row.second_priority};
  start(first);
  expect_up(first);
  if (HasFatalFailure()) return;
  Problems problems;
  const Cabling found = discover(fabric(), "H1", problems);
  for (const auto& [port, end_port] : found.end_ports) {
    for (Side* side : {&first, &second})
      if (found.nodes.at(port.node_guid).name.starts_with(side->host))
        side->port_guid = end_port.port_guid;
  }
  const Snapshot of_first = snapshot();
  start(second);
  Side &master = row.second_outranks() ? second : first,
       &other = row.second_outranks() ? first : second;
  if (row.second_outranks()) expect_takes_over(second);
  if (!HasFatalFailure()) expect_enters(other, "STANDBY");
  if (HasFatalFailure()) return;
  expect_master(master, {"H1", "H4"});
  if (row.second_outranks()) {
    expect_same(of_first, {&second});
  } else {
    expect_same(of_first, {});
  }

  const Snapshot before = snapshot();
  happen(row.event, master, other);
  if (HasFatalFailure()) return;
  expect_master(row.event == Event::kill ? other : master, {"H1", "H4"});
  switch (row.event) {
    case Event::none:
      expect_same(before, {});
      break;
    case Event::kill:
      expect_same(before, {&other});
      break;
    default:
      expect_same(before, {&master, &other});
  }
  const Problems wrong = check_fabric(fabric(), {.host = "H1", .traces_max = 10});
  EXPECT_TRUE(wrong.empty()) << text_of(wrong);
}

// ------------------------------------------------------------------------------------------
// several ports in one daemon

class PortsOfOneDaemon : public ::testing::Test {
 protected:
  void start(const std::string& conf = {}) {
    const Cabling plan = parse_cabling(two_switches());
    for (const char* const host : {"H0", "H5"})  // a CA has one port, whose GUID is the next one
      guids_.push_back(fmt::format("0x{:016x}", plan.find_guid(host) + 1));
    manager_.emplace(fabric_.start_manager(SmKind::heddle, "H0,H5", conf,
                                           {"-g", fmt::format("{}", fmt::join(guids_, ","))}));
  }
  std::filesystem::path log_of(std::size_t port) const {
    return manager_->dir / fmt::format("opensm.{}.log", guids_[port]);
  }
  std::optional<std::size_t> wait_log(std::size_t port, const std::string& text,
                                      std::size_t from = 0) {
    const auto at = wait_for_text(log_of(port), text, from, Milliseconds(30'000),
                                  [&] { return !manager_->process.running(); });
    EXPECT_TRUE(at) << text << '\n' << read_file(log_of(0)) << read_file(log_of(1));
    return at;
  }
  std::size_t log_end(std::size_t port) const { return read_file(log_of(port)).size(); }
  void expect_master(std::size_t port, const std::string& from) {
    EXPECT_THAT(fabric_.out({"sminfo"}, from),
                ::testing::AllOf(::testing::HasSubstr(fmt::format(
                                     "{:#x}", std::strtoull(guids_[port].c_str(), nullptr, 16))),
                                 ::testing::HasSubstr("SMINFO_MASTER")));
  }

  Preloaded fabric_{two_switches(), HEDDLE_SIM_PROGRAM};
  std::vector<std::string> guids_;
  std::optional<Preloaded::Manager> manager_;
};

TEST_F(PortsOfOneDaemon, OnOneSubnetTheSecondTakesOverWhenTheFirstLosesItsLink) {
  start();
  ASSERT_TRUE(wait_log(0, "SUBNET UP"));
  ASSERT_TRUE(wait_log(1, "Entering STANDBY state"));
  expect_master(0, "H1");

  std::size_t mark = log_end(1);
  fabric_.fabric().unlink("H0");
  const auto master = wait_log(1, "Entering MASTER state", mark);
  ASSERT_TRUE(master);
  ASSERT_TRUE(wait_log(1, "SUBNET UP", *master));
  EXPECT_EQ(read_file(log_of(1)).find("does not answer: taking over"), std::string::npos)
      << "its polls did not find out first";
  expect_master(1, "H1");

  // The link returns: the first one has the smaller GUID, and gets the subnet by a handover.
  mark = log_end(0);
  const std::size_t second = log_end(1);
  fabric_.fabric().relink("H0");
  ASSERT_TRUE(wait_log(0, "Entering STANDBY state", mark));
  ASSERT_TRUE(wait_log(1, "Entering STANDBY state", second));
  const auto again = wait_log(0, "Entering MASTER state", mark);
  ASSERT_TRUE(again && wait_log(0, "SUBNET UP", *again));
  expect_master(0, "H1");
}

TEST_F(PortsOfOneDaemon, OnTwoSubnetsShareNoFileAndHaveTheirPrefixes) {
  split(fabric_.fabric(), true);
  start("subnet_prefix 0xfe80000000000000,0xfe80000000000001\n");
  for (const std::size_t port : {std::size_t{0}, std::size_t{1}}) {
    ASSERT_TRUE(wait_log(port, "SUBNET UP"));
    expect_master(port, port == 0 ? "H1" : "H4");
    EXPECT_THAT(fabric_.out({"smpquery", "PI", "-D", "0"}, port == 0 ? "H1" : "H4"),
                ::testing::ContainsRegex(fmt::format("GidPrefix:\\.*0xfe8000000000000{}", port)));
    EXPECT_TRUE(std::filesystem::exists(manager_->dir / guids_[port] / "guid2lid"));
    EXPECT_TRUE(std::filesystem::exists(manager_->dir / guids_[port] / "opensm-subnet.lst"));
  }
  EXPECT_FALSE(std::filesystem::exists(manager_->dir / "guid2lid"));
}

/// The second manager starts later, with files of its own, and no port answers a Get without its
/// key. Its tables of subnet administration have many segments, of which umad2sim would damage
/// each.
TEST(MastershipWithKeys, TheStandbyTakesOverWhereGetsNeedTheKeyOfEachPort) {
  if (program_of(SmKind::heddle).empty()) GTEST_SKIP() << "this build has no Heddle";
  for (const int level : {2, 3}) {
    SCOPED_TRACE(level);
    Preloaded preloaded(sample_net("fattree2-16h"), HEDDLE_SIM_PROGRAM);
    const std::string conf =
        kQuick + fmt::format(
                     "m_key_per_port TRUE\nkey_mgr_seed 0x5eed5eed5eed\n"
                     "m_key_protection_level {}\nsm_key 0x1234\nsa_key 0x5678\n",
                     level);
    const auto master = preloaded.start_manager(SmKind::heddle, "H0-0", conf, {"-p", "9"});
    ASSERT_TRUE(master.says("SUBNET UP"));
    const auto standby = preloaded.start_manager(SmKind::heddle, "H1-1", conf, {"-p", "5"});
    ASSERT_TRUE(standby.says("Entering STANDBY state"));
    ASSERT_TRUE(standby.says("standby: the subnet was read"));
    EXPECT_THAT(read_file(master.log), ::testing::Not(::testing::HasSubstr("SM-M-KEY-VIOLATION")));
    master.process.signal(SIGKILL);
    ASSERT_TRUE(standby.says("Entering MASTER state"));
    ASSERT_TRUE(standby.says("SUBNET UP"));
    EXPECT_THAT(read_file(standby.log), ::testing::Not(::testing::HasSubstr("SM-M-KEY-UNKNOWN")));
  }
}

INSTANTIATE_TEST_SUITE_P(Rows, Mastership, ::testing::ValuesIn(rows()),
                         [](const auto& test) { return test.param.name(); });

}  // namespace mastership_test
}  // namespace harness
