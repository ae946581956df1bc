// Programs as in virtual machines, on vports of heddle-sim, and the reader of vports.

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <map>
#include <nlohmann/json.hpp>

#include "ibsim/fixture.h"
#include "sim_server/preloaded.h"

namespace harness {
namespace vports_test {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kAll = "3 packets transmitted, 3 received";

struct OnHeddleSim : ::testing::Test {
  OnHeddleSim() : sim(sample_net("fattree2-16h"), HEDDLE_SIM_PROGRAM) {}
  void run(const std::string& line) {
    EXPECT_THAT(sim.fabric().console(line), Not(HasSubstr("usage")));
  }
  /// Returns what a client prints at last while the server runs at another place. It starts the
  /// client again until the server answers everything, since the first ones may be earlier than the
  /// server.
  std::string between(std::vector<std::string> server, const std::string& server_at,
                      const std::vector<std::string>& client, const std::string& client_at,
                      unsigned tries = 6) {
    Process& serving =
        sim.start(std::move(server), server_at, sim.fabric().new_dir("server-" + server_at));
    Finished done = sim.run(client, client_at);
    for (unsigned again = 1; again < tries && done.out.find("3 received") == std::string::npos &&
                             done.out.find("3 of 3") == std::string::npos;
         ++again)
      done = sim.run(client, client_at);
    serving.signal(SIGTERM);
    serving.wait(Milliseconds(5000));
    return done.out;
  }
  std::string ibping(const std::string& from, const std::string& server_at, unsigned lid,
                     unsigned tries = 6) {
    return between({"ibping", "-S"}, server_at, {"ibping", "-c", "3", "-L", std::to_string(lid)},
                   from, tries);
  }
  Preloaded sim;
};

/// OpenSM, which knows no vports, brings up the ports and ends; the console does the rest.
struct VPortPrograms : OnHeddleSim {
  VPortPrograms() {
    const auto opensm = sim.start_opensm("H0-0");
    EXPECT_TRUE(opensm.says("SUBNET UP"));
    // Its next sweep would lower LinearFDBTop to the LIDs that it knows.
    opensm.process.signal(SIGTERM);
    opensm.process.wait(Milliseconds(10'000));
    for (const char* const host : {"H1-0", "H2-0"})
      run(fmt::format("do vport-capacity port: {}/1, cap: 8", host));
    vport("H1-0", 1, 0x1001, 300);
    vport("H1-0", 2, 0x1002, 0);
    vport("H1-0", 3, 0x1003, 301);
    vport("H2-0", 1, 0x2001, 302);
    vport("H2-0", 2, 0x2002, 0);
  }
  void vport(const std::string& host, unsigned index, unsigned guid, unsigned lid) {
    run(fmt::format("do vport-create port: {}/1, index: {}, guid: {:#x}, lid_required: {}", host,
                    index, guid, lid != 0));
    run(fmt::format("do vport-activate port: {}/1, index: {}, lid: {}", host, index, lid));
  }
  /// With GRHs, to a vport of H1-0 that shares the LID of its port.
  std::string ping_by_gid(const std::string& from, unsigned tries = 6) {
    const std::string lids = sim.out({"ibstat", "ibsim0", "1"}, "H1-0#2");
    const std::size_t at = lids.find("Base lid: ");
    return between(
        {VPORT_PING_PROGRAM, "serve"}, "H1-0#2",
        {VPORT_PING_PROGRAM, std::to_string(std::stoul(lids.substr(at + 10))), "0x1002", "3"}, from,
        tries);
  }
};

/// A fabric of OpenSM whose functions stay Down, as on ConnectX-4 and later; then Heddle takes
/// over.
struct VPortTakeover : OnHeddleSim {
  static constexpr const char* kPartitions =
      "Default=0x7fff, ipoib: ALL=full, ALL_VCAS=limited, SELF=full;\n"
      "A=0x1, indx0: 0x1001=full, 0x1005=full, 0x2001=full;\n"
      "B=0x2, indx0: 0x1002=full, 0x2002=full;\n";
  static constexpr const char* kMoved =
      "Default=0x7fff, ipoib: ALL=full, ALL_VCAS=limited, SELF=full;\n"
      "A=0x1, indx0: 0x1001=full, 0x1005=full;\n"
      "B=0x2, indx0: 0x1002=full, 0x2001=full, 0x2002=full;\n";

  /// Creates functions of H1-0 and H2-0; index 3 shares the LID of its port, the others have their
  /// own.
  void create_functions() {
    for (const unsigned host : {1u, 2u}) {
      run(fmt::format("do vport-capacity port: H{}-0/1, cap: 8", host));
      for (const unsigned index : {1u, 2u, 3u, 4u, 5u})
        run(fmt::format("do vport-create port: H{}-0/1, index: {}, guid: {:#x}, lid_required: {}",
                        host, index, host * 0x1000 + index, index != 3));
    }
  }
  Preloaded::Manager start_heddle() {
    auto heddle =
        sim.start_manager(SmKind::heddle, "H0-1", "virt_enabled 2\n", {"-p", "15"}, kPartitions);
    EXPECT_TRUE(heddle.says("SUBNET UP"));
    wait_for_state(0x2005, "Active");
    return heddle;
  }
  void wait_for_state(unsigned guid, const std::string& state) {
    for (int tries = 0; tries < 50 && find_line(guid).find(state) == std::string::npos; ++tries)
      short_pause();
  }

  std::string reader() { return sim.out({VPORT_READER_PROGRAM}, "H0-0"); }
  /// The vport's line of the reader; "" if there is none.
  std::string find_line(unsigned guid) {
    const std::string all = reader();
    const std::size_t at = all.find(fmt::format(" guid {:#x} ", guid));
    if (at == std::string::npos) return {};
    const std::size_t begin = all.rfind('\n', at) + 1;
    return all.substr(begin, all.find('\n', at) - begin);
  }
  static unsigned find_lid(const std::string& line) {
    const std::size_t at = line.find(" lid ");
    return at == std::string::npos ? 0 : static_cast<unsigned>(std::stoul(line.substr(at + 5)));
  }
  std::string path(unsigned from, unsigned to, const std::string& asker) {
    return sim
        .run({"saquery", "PR", "--sgid", fmt::format("fe80::{:x}", from), "--dgid",
              fmt::format("fe80::{:x}", to)},
             asker)
        .out;
  }
};

TEST_F(VPortTakeover, FunctionsThatWereDownComeUpInTheirPartitions) {
  const auto opensm = sim.start_opensm("H0-0");
  ASSERT_TRUE(opensm.says("SUBNET UP"));
  create_functions();
  EXPECT_THAT(reader(), Not(HasSubstr("Active guid")));

  const auto heddle = start_heddle();
  const std::string all = reader();
  for (const unsigned guid : {0x1001u, 0x1002u, 0x1003u, 0x2001u, 0x2002u, 0x2003u})
    EXPECT_THAT(find_line(guid), HasSubstr("state Active")) << all;
  EXPECT_THAT(find_line(0x1001), HasSubstr("p_keys 0x8001 0x7fff")) << all;
  EXPECT_THAT(find_line(0x2003), HasSubstr("p_keys 0x7fff")) << all;
  EXPECT_THAT(all, Not(HasSubstr("fault")));
  for (const char* const host : {"H1-0", "H2-0"})
    EXPECT_THAT(sim.out({"perfquery"}, host), HasSubstr("LinkDownedCounter:...............0"))
        << "the link of the physical port was never down";

  EXPECT_THAT(path(0x1001, 0x2001, "H0-1"), HasSubstr("0x8001"));
  EXPECT_THAT(path(0x1001, 0x2002, "H0-1"), Not(HasSubstr("dgid")));

  const unsigned lid = find_lid(find_line(0x1001));
  EXPECT_THAT(ibping("H2-0#1", "H1-0#1", lid), HasSubstr(kAll));
  EXPECT_THAT(ibping("H1-0#5", "H1-0#1", lid), HasSubstr(kAll)) << "within one host";
  EXPECT_THAT(ibping("H2-0#2", "H1-0#1", lid, 1), HasSubstr("0 received"))
      << "of another partition";

  run("do vport-rebind port: H1-0/1, index: 1, time: 200ms");
  wait_for_state(0x1001, "Down");
  wait_for_state(0x1001, "Active");
  EXPECT_EQ(find_lid(find_line(0x1001)), lid);
  EXPECT_THAT(ibping("H2-0#1", "H1-0#1", lid), HasSubstr(kAll)) << "after a rebind";

  write_file(heddle.dir / "partitions.conf", kMoved);
  heddle.process.signal(SIGHUP);
  for (int tries = 0; tries < 50 && find_line(0x2001).find("0x8002") == std::string::npos; ++tries)
    short_pause();
  EXPECT_THAT(find_line(0x2001), HasSubstr("p_keys 0x8002 0x7fff"));
  EXPECT_THAT(ibping("H2-0#1", "H1-0#1", lid, 1), HasSubstr("0 received"))
      << "moved to another partition";
}

/// saquery sends with the first P_Key of the table, which the manager's port has not in the two
/// partitions; the kernel's client with that of the default partition, here entry 1.
TEST_F(VPortTakeover, FunctionsAreAnsweredBySubnetAdministration) {
  create_functions();
  start_heddle();
  EXPECT_TRUE(sim.run({"saquery", "CPI"}, "H1-0#4").ok()) << "with a LID of its own";
  const Finished to_port =
      sim.run({"saquery", "PR", "--sgid", "fe80::1004", "--dgid", "fe80::2:c900:0:41"}, "H1-0#4");
  EXPECT_THAT(to_port.out, HasSubstr("dgid")) << "a limited member to a full one";
  EXPECT_THAT(path(0x1004, 0x2004, "H1-0#4"), Not(HasSubstr("dgid"))) << "both are limited";
  EXPECT_TRUE(sim.run({"saquery", "CPI"}, "H1-0#3").ok()) << "it shares the LID of its port";

  const auto ask = [&](const char* from, std::vector<std::string> argv) {
    argv.insert(argv.begin(), VPORT_SA_PROGRAM);
    return sim.run(argv, from).out;
  };
  EXPECT_EQ(ask("H1-0#1", {"1"}), "status 0x0000 without GRH\n");
  EXPECT_EQ(ask("H1-0#1", {"1", "grh"}), "status 0x0000 with GRH\n");
  EXPECT_EQ(ask("H1-0#3", {"0", "grh"}), "status 0x0000 with GRH\n");
  EXPECT_EQ(ask("H1-0#1", {"0"}), "no answer\n") << "the manager's port lacks the P_Key";
}

/// An operator searches for the reason why a vport is not Active.
struct VPortOperator : VPortTakeover {
  static constexpr const char* kRunDir = "HEDDLE_RUN_DIR=";
  std::filesystem::path run_dir = sim.fabric().new_dir("run");

  Finished heddlectl(std::vector<std::string> argv) {
    argv.insert(argv.begin(), {"env", kRunDir + run_dir.string(), HEDDLECTL_PROGRAM, "vports"});
    return sim.fabric().run(argv);
  }
  void start(const std::string& conf) {
    const std::filesystem::path dir = sim.fabric().new_dir("heddle");
    write_file(dir / "opensm.conf", conf);
    write_file(dir / "partitions.conf", kPartitions);
    sim.start({"env", kRunDir + run_dir.string(), program_of(SmKind::heddle), "-F", "opensm.conf",
               "-f", "opensm.log", "-P", (dir / "partitions.conf").string()},
              "H0-1", dir);
    ASSERT_TRUE(wait_for_text(dir / "opensm.log", "SUBNET UP", 0, Milliseconds(60'000), [] {
                  return false;
                }).has_value());
  }
  /// Returns for each vport of the host, by index, why it is not Active.
  std::map<unsigned, std::string> whys(const std::string& host) {
    const Finished done = heddlectl({"--json", "--host", host});
    const auto json = nlohmann::json::parse(done.out, nullptr, false);
    std::map<unsigned, std::string> out;
    if (json.is_discarded() || json.at("ports").size() != 1) return out;
    for (const auto& vport : json.at("ports")[0].at("vports"))
      out[vport.at("index").get<unsigned>()] = vport.value("why", std::string());
    return out;
  }
};

TEST_F(VPortOperator, ReadsWhyAVportIsNotActive) {
  create_functions();
  run("do vport-release port: H1-0/1, index: 2");
  run("do vport-policy port: H1-0/1, index: 3, policy: down");
  run("do vport-guid port: H2-0/1, index: 4, guid: 0x1004");
  run("do vport-refuse port: H2-0/1, attribute: VPortP_KeyTable, index: 1, sets_only: true, "
      "status: 0x1c");
  run("do vport-refuse port: H2-0/1, attribute: VPortInfo, index: 2, sets_only: true, "
      "status: 0x1c");
  start("virt_enabled 2\n");
  std::map<unsigned, std::string> one, two;
  for (int tries = 0; tries < 50 && two.size() != 6; ++tries) {
    one = whys("H1-0");
    two = whys("H2-0");
    short_pause();
  }
  EXPECT_EQ(one[1], "");
  EXPECT_EQ(one[2], "no GUID set by the host");
  EXPECT_EQ(one[3], "kept Down by the host");
  EXPECT_THAT(two[1], HasSubstr("P_Key table refused"));
  EXPECT_EQ(two[2], "LID or Active refused by the device");
  EXPECT_TRUE(one[4] == "another port has this GUID" || two[4] == "another port has this GUID");
  EXPECT_THAT(heddlectl({}).out,
              AllOf(HasSubstr("no GUID set by the host"), HasSubstr("why it is not Active")));
  const Finished none = heddlectl({"--host", "H7"});
  EXPECT_FALSE(none.ok());
  EXPECT_THAT(none.err, HasSubstr("no port that can have vports is of host H7"));
}

TEST_F(VPortOperator, ReadsThatVirtEnabledIsZero) {
  create_functions();
  start("");
  const Finished done = heddlectl({"--json"});
  const auto json = nlohmann::json::parse(done.out, nullptr, false);
  ASSERT_FALSE(json.is_discarded()) << done.out << done.err;
  EXPECT_EQ(json.at("virt_enabled"), 0);
  ASSERT_EQ(json.at("ports").size(), 2u);
  for (const auto& port : json.at("ports")) EXPECT_EQ(port.at("why"), "virt_enabled is 0");
  EXPECT_THAT(heddlectl({}).out, HasSubstr("no vports are managed: virt_enabled is 0"));
}

TEST_F(VPortPrograms, PingEachOtherBetweenTwoHostsAndWithinOne) {
  EXPECT_THAT(ibping("H2-0#1", "H1-0#1", 300), HasSubstr(kAll));
  EXPECT_THAT(ibping("H1-0#3", "H1-0#1", 300), HasSubstr(kAll));
  for (const char* const from : {"H2-0#1", "H2-0#2", "H1-0#1", "H3-0"})
    EXPECT_EQ(ping_by_gid(from), "3 of 3 answered\n") << from;
  run("do vport-bind port: H1-0/1, index: 2, on: false");
  EXPECT_EQ(ping_by_gid("H2-0#1", 1), "0 of 3 answered\n");
}

TEST_F(VPortPrograms, SeeTheirOwnDevice) {
  const Finished seen = sim.run({"ibstat"}, "H1-0#1");
  EXPECT_THAT(seen.out,
              AllOf(HasSubstr("Port GUID: 0x0000000000001001"), HasSubstr("Base lid: 300"),
                    HasSubstr("State: Active"), HasSubstr("Number of ports: 1")));
  const Finished option = sim.run({"--vport", "2", "ibstat"}, "H1-0");
  EXPECT_THAT(option.out, HasSubstr("Port GUID: 0x0000000000001002"));
  EXPECT_FALSE(sim.run({"smpquery", "-D", "nodeinfo", "0"}, "H1-0#1").ok()) << "it has no QP 0";
  EXPECT_THAT(sim.run({"ibstat"}, "H1-0#7").out, Not(HasSubstr("ibsim0"))) << "no such vport";
}

TEST_F(VPortPrograms, TheReaderPrintsThem) {
  const std::string out = sim.out({VPORT_READER_PROGRAM}, "H0-0");
  EXPECT_THAT(out, AllOf(HasSubstr("cap 8 top 3 enabled 1"), HasSubstr("cap 8 top 2 enabled 1")));
  EXPECT_THAT(out,
              HasSubstr("  vport 1 state Active guid 0x1001 node 0x1001 lid 300 lid_required 1 "
                        "lid_by 0 p_keys 0xffff\n"));
  EXPECT_THAT(out, HasSubstr("  vport 2 state Active guid 0x2002 "));
  EXPECT_THAT(out, Not(HasSubstr("fault")));
  run("do vport-release port: H1-0/1, index: 2");
  run("do vport-firmware port: H2-0/1, shown_top: 9");
  run("do vport-lie port: H2-0/1, index: 1, modifier: true");
  const std::string lies = sim.out({VPORT_READER_PROGRAM}, "H0-0");
  EXPECT_THAT(lies, HasSubstr("  vport 2 state Down guid 0xffffffffffffffff"));
  EXPECT_THAT(lies, HasSubstr("fault: the top index is above the capacity"));
  EXPECT_THAT(lies, HasSubstr("fault: attribute 0xffb1, modifier 0x1 answered with 0x2"));
}

}  // namespace vports_test
}  // namespace harness
