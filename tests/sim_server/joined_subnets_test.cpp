// Two subnets joined by two routers on one heddle-sim, with managers as whole programs: one process
// for both, one process for each, and OpenSM in the other one. saquery shows paths across, and the
// simulator follows packets there and back.

#include <gmock/gmock.h>

#include <cstdio>
#include <regex>
#include <sstream>

#include "fabric/topology/write.h"
#include "ibsim/fixture.h"
#include "sim_server/preloaded.h"

namespace harness {
namespace joined_subnets_test {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr std::uint64_t kHostGuid = 0xa000, kOfSecond = 0x1000, kRouterGuid = 0xc000;

/// Subnets with the switches SA and SB, each with two hosts, and the routers R0 and R1.
std::string joined_net() {
  using topology::NodeType;
  topology::Topology fabric;
  const auto add = [&](NodeType type, std::string name, std::uint64_t guid, unsigned ports) {
    fabric.nodes.push_back(
        {.type = type, .name = std::move(name), .guid = mad::Guid{guid}, .port_count = ports});
    return fabric.nodes.size() - 1;
  };
  const auto plug = [&](std::size_t node, unsigned port, std::size_t sw, unsigned at) {
    fabric.links.push_back({.a = {node, mad::PortNum{static_cast<std::uint8_t>(port)}},
                            .b = {sw, mad::PortNum{static_cast<std::uint8_t>(at)}}});
  };
  std::vector<std::size_t> switches;
  for (const unsigned subnet : {0u, 1u}) {
    switches.push_back(
        add(NodeType::switch_, fmt::format("S{}", "AB"[subnet]), 0xe000 + kOfSecond * subnet, 4));
    for (const unsigned host : {0u, 1u})
      plug(add(NodeType::ca, fmt::format("{}{}", "AB"[subnet], host),
               kHostGuid + kOfSecond * subnet + 0x10ul * host, 1),
           1, switches.back(), host + 1);
  }
  for (const unsigned number : {0u, 1u}) {
    const std::size_t router =
        add(NodeType::router, fmt::format("R{}", number), kRouterGuid + 0x10ul * number, 2);
    for (const unsigned subnet : {0u, 1u}) plug(router, subnet + 1, switches[subnet], number + 3);
  }
  std::ostringstream net;
  topology::write_ibsim(fabric, net);
  return net.str();
}

enum class Managers { one_process, two_processes, opensm_there };

class JoinedSubnetsOnHeddleSim : public ::testing::TestWithParam<Managers> {
 protected:
  void SetUp() override {
    HEDDLE_REQUIRE_TOOL("saquery", "infiniband-diags");
    // The other tests of this file have managers of the same GUIDs.
    setenv("HEDDLE_RUN_DIR", (sim_.fabric().dir() / "run").c_str(), 1);
  }
  void TearDown() override {
    unsetenv("HEDDLE_RUN_DIR");
    if (!HasFailure()) return;
    sim_.fabric().keep_files();
    std::cerr << "files kept in " << sim_.fabric().dir() << '\n' << console("routers") << '\n';
  }

  static std::uint64_t port_guid(unsigned subnet, unsigned host) {
    return kHostGuid + kOfSecond * subnet + 0x10ul * host + 1;
  }
  static std::string gid(unsigned subnet) {  // of its second host
    return fmt::format("fec0:0:0:{}:0:0:0:{:x}", subnet + 1, port_guid(subnet, 1));
  }
  std::string console(const std::string& line) { return sim_.fabric().console(line); }

  /// A manager in its directory: the first time, or again with what it has stored there.
  Process& start(SmKind kind, const std::string& hosts, const std::string& conf,
                 std::vector<std::string> flags) {
    std::filesystem::path& dir = dirs_[hosts];
    if (dir.empty()) dir = sim_.fabric().new_dir("manager-" + hosts);
    write_file(dir / "opensm.conf", conf);
    std::vector<std::string> argv{program_of(kind), "-F", "opensm.conf", "-f", "opensm.log"};
    argv.insert(argv.end(), flags.begin(), flags.end());
    return sim_.start(std::move(argv), hosts, dir);
  }
  Process& start_heddle(unsigned subnet) {
    return start(
        SmKind::heddle, subnet == 0 ? "A0" : "B0",
        fmt::format("subnet_prefix 0xfec000000000000{}\nread_router_tables TRUE\n", subnet + 1),
        {});
  }
  /// The manager of the first subnet, and unless it is the same process that of the second.
  Process& start_first() {
    if (GetParam() != Managers::one_process) return start_heddle(0);
    return start(SmKind::heddle, "A0,B0",
                 "subnet_prefix 0xfec0000000000001,0xfec0000000000002\nread_router_tables TRUE\n",
                 {"-g", fmt::format("{:#x},{:#x}", port_guid(0, 0), port_guid(1, 0))});
  }
  void start_second() {
    if (GetParam() == Managers::two_processes) start_heddle(1);
    if (GetParam() != Managers::opensm_there) return;
    const std::filesystem::path routes = sim_.fabric().dir() / "prefix-routes";
    write_file(routes, fmt::format("0xfec0000000000001 {:#x}\n", kRouterGuid + 2));
    start(SmKind::opensm, "B0",
          fmt::format("subnet_prefix 0xfec0000000000002\nforce_log_flush TRUE\n"
                      "prefix_routes_file {}\n",
                      routes.string()),
          {});
  }

  struct Path {
    unsigned dlid = 0, hop_limit = 0;
  };
  /// From the second host of the subnet to that of the other one, as its manager answers; no DLID:
  /// there is none.
  Path path(unsigned from) {
    const Finished answer = sim_.run({"saquery", "--sgid-to-dgid", gid(from) + "-" + gid(1 - from)},
                                     from == 0 ? "A1" : "B1");
    const auto field = [&](const std::string& name) {
      std::smatch match;
      return std::regex_search(answer.out, match, std::regex(name + R"(\.+([0-9xA-Fa-f]+))"))
                 ? static_cast<unsigned>(std::stoul(match[1].str(), nullptr, 0))
                 : 0u;
    };
    return {.dlid = field("dlid"), .hop_limit = field("hop_flow_raw") & 0xFF};
  }
  /// Waits for a path to another LID than `not_to`.
  Path wait_for_path(unsigned from, unsigned not_to = 0) {
    Path found;
    for (int tries = 0; tries < 100 && (found.dlid == 0 || found.dlid == not_to); ++tries) {
      found = path(from);
      std::this_thread::sleep_for(Milliseconds(50));
    }
    return found;
  }
  std::string walk(unsigned from, unsigned dlid) {
    const char* const ends[] = {"A1", "B1"};
    return console(fmt::format("global-walk {} {} {}", ends[from], dlid, ends[1 - from]));
  }
  /// Paths across in both directions, by a router, and packets that arrive on them.
  void expect_joined() {
    for (const unsigned from : {0u, 1u}) {
      const Path across = wait_for_path(from);
      ASSERT_NE(across.dlid, 0u) << "from subnet " << from;
      EXPECT_EQ(across.hop_limit, 255u);
      EXPECT_THAT(console("routers"),
                  ContainsRegex(
                      fmt::format("subnet 0xfec000000000000{}, LID {}\n", from + 1, across.dlid)));
      EXPECT_THAT(walk(from, across.dlid),
                  HasSubstr(fmt::format("delivered to \"{}1\"[1] through 1 router\n",
                                        from == 0 ? 'B' : 'A')));
      EXPECT_THAT(
          console(fmt::format("global-walk {}1 {} {}1 1", "AB"[from], across.dlid, "BA"[from])),
          HasSubstr("the hop limit is used up"));
    }
  }

  Preloaded sim_{joined_net(), HEDDLE_SIM_PROGRAM};
  std::map<std::string, std::filesystem::path> dirs_;
};

TEST_P(JoinedSubnetsOnHeddleSim, PathsLeadAcrossAndMove) {
  Process& first = start_first();
  start_second();
  expect_joined();

  const std::string trace = sim_.run({HEDDLECTL_PROGRAM, "trace", gid(0), gid(1)}, "A1").out;
  EXPECT_THAT(trace, ContainsRegex(fmt::format("LID {} by 2 cables", wait_for_path(0).dlid)));
  if (GetParam() == Managers::opensm_there) {
    EXPECT_THAT(trace, HasSubstr("no manager of subnet 0xfec0000000000002 is known"));
  } else {  // there, and back
    EXPECT_THAT(trace, ContainsRegex("\"R[01]\" .* out 2,.*\n.*\n  \"B1\""));
    EXPECT_THAT(trace, ContainsRegex("\"R[01]\" .* out 1,.*\n.*\n  \"A1\""));
  }

  // A restart, while the other manager stays.
  first.kill();
  console("smps reset");
  start_first();
  for (int tries = 0; tries < 200 && console("smps").find(": 0 Gets") != std::string::npos; ++tries)
    short_pause();
  expect_joined();
  EXPECT_THAT(console("smps"), Not(HasSubstr("LinearForwardingTable")));

  // A router that drops packets, and one that loses its other side.
  const unsigned before = wait_for_path(0).dlid;
  const unsigned number =
      console("routers").find(fmt::format("LID {}\n", before)) < console("routers").find("\"R1\"")
          ? 0
          : 1;
  console(fmt::format("router-fault R{} drop", number));
  EXPECT_THAT(walk(0, before), HasSubstr("dropped at"));
  console(fmt::format("router-fault R{} none", number));
  sim_.fabric().unlink(fmt::format("R{}", number), 2);
  const Path moved = wait_for_path(0, before);
  EXPECT_NE(moved.dlid, before);
  EXPECT_THAT(console("routers"),
              HasSubstr(fmt::format("to 0xfec0000000000002 by port 1 and \"R{}\"", 1 - number)));
  EXPECT_THAT(walk(0, moved.dlid), HasSubstr("delivered to \"B1\"[1]"));
  EXPECT_THAT(walk(0, before), HasSubstr("the router has no way to the subnet"));
  if (GetParam() == Managers::opensm_there) return;  // it knows what its file says only
  std::string back;
  for (int tries = 0; tries < 100 && back.find("delivered to \"A1\"[1]") == std::string::npos;
       ++tries)
    back = walk(1, wait_for_path(1).dlid);
  EXPECT_THAT(back, HasSubstr("delivered to \"A1\"[1]"));
}

std::string test_name(const ::testing::TestParamInfo<Managers>& test) {
  return test.param == Managers::one_process     ? "OneProcess"
         : test.param == Managers::two_processes ? "TwoProcesses"
                                                 : "OpensmThere";
}

INSTANTIATE_TEST_SUITE_P(Joined, JoinedSubnetsOnHeddleSim,
                         ::testing::Values(Managers::one_process, Managers::two_processes,
                                           Managers::opensm_there),
                         test_name);

}  // namespace joined_subnets_test
}  // namespace harness
