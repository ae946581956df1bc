// Unmodified programs under libheddle-umad.so, with ibsim as the server: the library behaves like
// the kernel's ib_umad. umad_probe.cpp describes its commands.

#include <csignal>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ibsim/fabric.h"
#include "ibsim/fake_server.h"
#include "ibsim/fixture.h"
#include "ibsim/process.h"
#include "mad/format.h"

namespace preload_test {

using namespace harness;
using ::testing::HasSubstr;
using ::testing::Not;

std::size_t count(const std::string& text, const std::string& what) {
  std::size_t out = 0;
  for (std::size_t at = text.find(what); at != std::string::npos;
       at = text.find(what, at + what.size()))
    ++out;
  return out;
}

std::vector<std::string> under_preload(std::vector<std::string> argv) {
  argv.insert(argv.begin(), HEDDLE_SIM_RUN_PROGRAM);
  return argv;
}

class Preload : public ::testing::Test {
 protected:
  void start(const std::string& sample) { fabric_.emplace(sample_net(sample)); }
  IbsimFabric& fabric() { return *fabric_; }

  Finished run(const std::vector<std::string>& argv, const std::string& host = {},
               Milliseconds timeout = Milliseconds(60'000)) {
    return fabric().run(under_preload(argv), {.host = host, .timeout = timeout});
  }
  Finished probe(std::vector<std::string> words, const std::string& host = {}) {
    words.insert(words.begin(), UMAD_PROBE_PROGRAM);
    return run(words, host);
  }
  /// Runs until the test ends.
  Process& start_program(const std::vector<std::string>& argv, const std::string& host,
                         const std::filesystem::path& dir) {
    return *programs_.emplace_back(
        std::make_unique<Process>(fabric().command(under_preload(argv), {.host = host}, dir)));
  }
  /// Starts Debian's OpenSM on `host`, and waits for SUBNET UP.
  void start_opensm(const std::string& host) {
    const std::filesystem::path dir = fabric().new_dir("opensm");
    write_file(dir / "opensm.conf", "force_log_flush TRUE\n");
    Command command = fabric().command(
        under_preload({"opensm", "-F", "opensm.conf", "-f", "opensm.log"}), {.host = host}, dir);
    command.env.emplace_back("OSM_CACHE_DIR", dir.string());
    command.env.emplace_back("OSM_TMP_DIR", dir.string());
    Process& opensm = *programs_.emplace_back(std::make_unique<Process>(command));
    ASSERT_TRUE(wait_for_text(dir / "opensm.log", "SUBNET UP", 0, Milliseconds(60'000),
                              [&] { return !opensm.running(); }))
        << read_file(dir / "opensm.log") << read_file(dir / "stderr");
  }
  unsigned find_lid(const std::string& host) {
    const Finished ibstat = run({"ibstat"}, host);
    unsigned lid = 0;
    const std::size_t at = ibstat.out.find("Base lid: ");
    if (at != std::string::npos)
      lid = static_cast<unsigned>(std::stoul(ibstat.out.substr(at + 10)));
    return lid;
  }

  void TearDown() override {
    if (HasFailure() && fabric_) {
      fabric_->keep_files();
      std::cerr << "files kept in " << fabric_->dir() << '\n';
    }
    for (const auto& program : programs_) {
      program->signal(SIGTERM);
      program->wait(Milliseconds(10'000));
    }
    programs_.clear();
    fabric_.reset();
  }

 private:
  std::optional<IbsimFabric> fabric_;
  std::vector<std::unique_ptr<Process>> programs_;
};

TEST_F(Preload, ProgramsFindTheDeviceAndTheRightPortGuid) {
  start("fattree2-16h");
  const Finished guids = run({"ibstat", "-p"}, "H1-0");
  EXPECT_TRUE(guids.ok()) << guids.err;
  EXPECT_EQ(guids.out, "0x0002c90000000041\n");  // node GUID + 1
  const Finished all = run({"ibstat"}, "H1-0");
  EXPECT_THAT(all.out, HasSubstr("Node GUID: 0x0002c90000000040"));
  EXPECT_THAT(all.out, HasSubstr("Link layer: InfiniBand"));
  EXPECT_THAT(all.out, HasSubstr("State: Initializing"));
}

TEST_F(Preload, SeveralHostsAreSeveralDevices) {
  start("fattree2-16h");
  const Finished guids = run({"ibstat", "-p"}, "H1-0,H3-1,H0-0");
  EXPECT_EQ(guids.out, "0x0002c90000000041\n0x0002c900000000d1\n0x0002c90000000001\n");
}

TEST_F(Preload, ProgramsOnASwitchAreAtItsPort0) {
  start("fattree2-16h");
  EXPECT_THAT(run({"ibstat"}, "S1_0-0").out, HasSubstr("Port GUID: 0x0002c90200000100"));
  EXPECT_EQ(probe({"tid"}, "S1_0-0").out, "low 7 7\nhigh differ 1\n");
}

TEST_F(Preload, SaQueriesGetAllRecords) {
  start("fattree2-16h");
  start_opensm("H0-0");
  const std::size_t nodes = fabric().cabling().nodes.size();
  for (int i = 0; i < 5; ++i) {
    const Finished node_records = run({"saquery", "NR"}, "H1-0");
    EXPECT_TRUE(node_records.ok()) << node_records.err;
    EXPECT_EQ(count(node_records.out, "NodeRecord dump"), nodes);
    const Finished path_records = run({"saquery", "PR"}, "H1-0");
    EXPECT_EQ(count(path_records.out, "PathRecord dump"), nodes * nodes);
  }
  EXPECT_EQ(count(run({"saquery", "LR"}, "H0-0").out, "LinkRecord dump"),
            2 * fabric().cabling().cables.size())
      << "on the SA's own port, too";
}

TEST_F(Preload, DiagnosticsWork) {
  start("fattree2-16h");
  start_opensm("H0-0");
  EXPECT_THAT(run({"sminfo"}, "H2-0").out, HasSubstr("SMINFO_MASTER"));
  EXPECT_THAT(run({"smpquery", "nodeinfo", "-D", "0,1"}, "H2-0").out,
              HasSubstr("NodeType:........................Switch"));
  const Finished discovered = run({"ibnetdiscover"}, "H2-0");
  EXPECT_EQ(parse_cabling(discovered.out).cables, fabric().cabling().cables);
  const Finished links = run({"iblinkinfo", "-l"}, "H2-0");
  EXPECT_TRUE(links.ok()) << links.err;
  EXPECT_EQ(count(links.out, "LinkUp"), 2 * fabric().cabling().cables.size());
  EXPECT_THAT(run({"perfquery", "1", "1"}, "H2-0").out, HasSubstr("PortXmitData"));
  EXPECT_THAT(run({"ibstat"}, "H2-0").out, HasSubstr("State: Active"))
      << "sysfs shows the current state of the port";
}

TEST_F(Preload, OpensmsOwnTestPasses) {
  start("fattree2-16h");
  start_opensm("H0-0");
  const std::filesystem::path dir = fabric().new_dir("osmtest");
  for (const std::string flow : {"c", "a"}) {
    Command command =
        fabric().command(under_preload({"osmtest", "-f", flow}), {.host = "H2-2"}, dir);
    command.env.emplace_back("OSM_CACHE_DIR", dir.string());
    command.env.emplace_back("OSM_TMP_DIR", dir.string());
    Process osmtest(command);
    osmtest.wait(Milliseconds(100'000));
    EXPECT_THAT(read_file(dir / "stdout"), HasSubstr("PASS"));
  }
}

TEST_F(Preload, PingsAreAnswered) {
  start("fattree2-16h");
  start_opensm("H0-0");
  start_program({"ibping", "-S"}, "H3-0", fabric().new_dir("ibping-server"));
  const std::string lid = std::to_string(find_lid("H3-0"));
  Finished pings;
  for (int tries = 0; tries < 20 && pings.out.find("3 received") == std::string::npos; ++tries)
    pings = run({"ibping", "-f", "-c", "3", lid}, "H1-1");
  EXPECT_THAT(pings.out, HasSubstr("3 packets transmitted, 3 received"));
}

class PreloadWait : public Preload, public ::testing::WithParamInterface<const char*> {};

TEST_P(PreloadWait, TheDescriptorFollowsTheQueue) {
  start("fattree2-16h");
  const Finished probed = probe({GetParam()});
  EXPECT_EQ(probed.out,
            "writable 1\nreadable before 0\nreadable after 1\nread 256\nread 256\nreadable at the "
            "end 0\nblocking read 256\n"
            "read without a MAD: Resource temporarily unavailable\n")
      << probed.err;
}

INSTANTIATE_TEST_SUITE_P(Calls, PreloadWait, ::testing::Values("poll", "select", "epoll"),
                         [](const auto& test) { return std::string(test.param); });

TEST_F(Preload, UnansweredRequestsComeBackAfterAllRetries) {
  start("fattree2-16h");
  const Finished result = probe({"timeout", "200", "2"});
  EXPECT_THAT(result.out, HasSubstr("status 110\nmad bytes 24\nagent 1\ntid low 1234\n"));
  EXPECT_THAT(result.out, ::testing::ContainsRegex("after ms (6|7)[0-9][0-9]\n"));
}

TEST_F(Preload, FastTimeoutsComeBackAtOnce) {
  start("fattree2-16h");
  const Finished result = fabric().run(
      {HEDDLE_SIM_RUN_PROGRAM, "--fast-timeouts", UMAD_PROBE_PROGRAM, "timeout", "5000", "3"});
  EXPECT_THAT(result.out, HasSubstr("status 110"));
  EXPECT_THAT(result.out, ::testing::ContainsRegex("after ms [0-9][0-9]?[0-9]?\n"));
}

TEST_F(Preload, WrongCallsFailAsWithTheKernel) {
  start("fattree2-16h");
  EXPECT_EQ(probe({"invalid"}).out,
            "write short: EINVAL\nwrite long: EINVAL\nwrite agent 32: EINVAL\nwrite agent 7: "
            "EIO\nwrite: none\n"
            "read short: EINVAL\nread very short: EINVAL\nread: none\n"
            "register: 1\nregister twice: 0\nregister rmpp without: 0\nunregister unknown: "
            "EINVAL\nenable pkey late: EINVAL\n");
}

TEST_F(Preload, AgentsAreDistinguishedByTheUpperHalfOfTheTransactionId) {
  start("fattree2-16h");
  EXPECT_EQ(probe({"tid"}).out, "low 7 7\nhigh differ 1\n");
}

TEST_F(Preload, AShortReadOfATableReturnsTheLength) {
  start("fattree2-16h");
  start_opensm("H0-0");
  const std::size_t nodes = fabric().cabling().nodes.size();
  EXPECT_EQ(probe({"table", "1"}, "H1-0").out,
            fmt::format("short read: ENOSPC\nneeded {0}\ngot {0}\nrecords {1}\n",
                        64 + 56 + nodes * 112, nodes))
      << "24 nodes at 108 bytes, rounded up to 112";
}

TEST_F(Preload, NothingIsLostUnderFlood) {
  start("fattree2-16h");
  for (const char* window : {"8", "64", "100000"})
    EXPECT_THAT(probe({"flood", "20000", window}).out, HasSubstr("received 20000\nlost 0\n"))
        << window;
}

TEST_F(Preload, AForkedChildOpensItsOwnDevices) {
  start("fattree2-16h");
  const Finished probed = probe({"fork"});
  EXPECT_EQ(probed.out, "child read: EIO\nchild own read: 256\nparent read: 256\n") << probed.err;
}

TEST_F(Preload, IssmHasOneHolder) {
  start("fattree2-16h");
  const std::filesystem::path dir = fabric().new_dir("holder");
  Process& holder = start_program({UMAD_PROBE_PROGRAM, "issm", "hold"}, "H0-0", dir);
  ASSERT_TRUE(wait_for_text(dir / "stdout", "held", 0, Milliseconds(10'000),
                            [&] { return !holder.running(); }));
  EXPECT_THAT(probe({"issm"}).out, HasSubstr("EAGAIN after 0.0 s"));
  EXPECT_THAT(probe({"issm"}, "H1-0").out, HasSubstr("held")) << "another port";
  const std::filesystem::path waiting = fabric().new_dir("waiter");
  Process& waiter = start_program({UMAD_PROBE_PROGRAM, "issm", "wait"}, "H0-0", waiting);
  const auto ended = [&] { return !waiter.running(); };
  ASSERT_TRUE(wait_for_text(waiting / "stdout", "opens issm0", 0, Milliseconds(10'000), ended));
  // Meanwhile a third one is refused, which takes some time: the waiter would have opened it by
  // now.
  EXPECT_THAT(probe({"issm"}).out, HasSubstr("EAGAIN"));
  EXPECT_THAT(read_file(waiting / "stdout"), Not(HasSubstr("held")));
  holder.signal(SIGTERM);
  EXPECT_TRUE(wait_for_text(waiting / "stdout", "held after", 0, Milliseconds(10'000), ended));
}

TEST_F(Preload, IssmIsFreeAfterItsHolderIsKilled) {
  start("fattree2-16h");
  const std::filesystem::path dir = fabric().new_dir("holder");
  Process& holder = start_program({UMAD_PROBE_PROGRAM, "issm", "hold"}, "H0-0", dir);
  ASSERT_TRUE(wait_for_text(dir / "stdout", "held", 0, Milliseconds(10'000),
                            [&] { return !holder.running(); }));
  holder.kill();
  EXPECT_THAT(probe({"issm"}).out, HasSubstr("held after 0.0 s"));
}

TEST_F(Preload, ASecondSubnetManagerOnThePortIsRefused) {
  start("fattree2-16h");
  start_opensm("H0-0");
  const std::filesystem::path dir = fabric().new_dir("second");
  Command command =
      fabric().command(under_preload({"opensm", "-f", "opensm.log"}), {.host = "H0-0"}, dir);
  command.env.emplace_back("OSM_CACHE_DIR", dir.string());
  command.env.emplace_back("OSM_TMP_DIR", dir.string());
  Process second(command);
  EXPECT_TRUE(
      wait_for_text(dir / "opensm.log",
                    "cannot open file '/dev/infiniband/issm0': Resource temporarily unavailable", 0,
                    Milliseconds(20'000), [&] { return !second.running(); }));
}

TEST_F(Preload, HeddleBringsTheFabricUp) {
  const std::string heddle = program_of(SmKind::heddle);
  start("fattree2-16h");
  const std::filesystem::path dir = fabric().new_dir("heddle");
  Command command = fabric().command(under_preload({heddle, "-o", "-f", "heddle.log"}), {}, dir);
  command.env.emplace_back("OSM_CACHE_DIR", dir.string());
  command.env.emplace_back("OSM_TMP_DIR", dir.string());
  Process process(command);
  const std::optional<Exit> exit = process.wait(Milliseconds(60'000));
  ASSERT_TRUE(exit.has_value());
  EXPECT_EQ(exit->code, 0);
  EXPECT_THAT(read_file(dir / "heddle.log"), HasSubstr("SUBNET UP"));
}

TEST_F(Preload, FilesAndClientsAreRemovedAtExit) {
  start("fattree2-16h");
  run({"ibstat"});
  EXPECT_THAT(fabric().console("Attached"), Not(HasSubstr("Client")))
      << "still a client of the simulator";
  EXPECT_EQ(run({"sh", "-c",
                 "mkdir trees; touch -d '1 hour ago' trees; TMPDIR=$PWD/trees ibstat > ibstat.out; "
                 "grep -c Initializing ibstat.out; find trees -mmin -1"})
                .out,
            "1\ntrees\n")
      << "trees was used, and is empty";
}

TEST(PreloadAlone, WithoutASimulatorProgramsFailWithAMessage) {
  const ScratchDir scratch;
  Command command;
  command.argv = {HEDDLE_SIM_RUN_PROGRAM, "--socket", fmt::format("absent-{}", getpid()),
                  UMAD_PROBE_PROGRAM, "tid"};
  command.cwd = scratch.path();
  command.out = scratch.path() / "stdout";
  command.err = scratch.path() / "stderr";
  Process process(command);
  const std::optional<Exit> exit = process.wait(Milliseconds(10'000));
  ASSERT_TRUE(exit.has_value()) << "does not end";
  EXPECT_EQ(exit->signal, 0);
  EXPECT_THAT(read_file(command.err), HasSubstr(fmt::format("socket @absent-{}:ctl", getpid())));
  EXPECT_EQ(count(read_file(command.err), "heddle-umad:"), 1u);
}

class PreloadRandomPackets : public ::testing::TestWithParam<unsigned> {};

TEST_P(PreloadRandomPackets, ProgramsSurviveRandomPackets) {
  FakeServer server(fmt::format("rubbish-{}-{}", getpid(), GetParam()), GetParam());
  const ScratchDir scratch;
  for (const std::vector<std::string>& argv :
       std::vector<std::vector<std::string>>{{"ibstat"},
                                             {UMAD_PROBE_PROGRAM, "flood", "300", "16"},
                                             {UMAD_PROBE_PROGRAM, "timeout", "50", "1"}}) {
    Command command;
    command.argv = argv;
    command.argv.insert(command.argv.begin(), {HEDDLE_SIM_RUN_PROGRAM, "--socket", server.base()});
    command.cwd = scratch.path();
    command.out = scratch.path() / "stdout";
    command.err = scratch.path() / "stderr";
    Process process(command);
    const std::optional<Exit> exit = process.wait(Milliseconds(90'000));
    ASSERT_TRUE(exit.has_value()) << argv.back() << " does not end";
    EXPECT_EQ(exit->signal, 0) << argv.back() << read_file(command.err);
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, PreloadRandomPackets, ::testing::Range(1u, 6u));

}  // namespace preload_test
