// Tests of the reference checks: they accept OpenSM's fabric, and report each fault that is
// injected afterwards.

#include "ibsim/fixture.h"
#include "sm/ctl/topology/generators.h"

namespace harness {
namespace reference_checks_test {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

TEST(ReferenceCheckParts, ReadsIbnetdiscover) {
  const Cabling cabling = parse_cabling(R"(
switchguid=0x2c90200000010(2c90200000010)
Switch	4 "S-0002c90200000010"		# "S1" base port 0 lid 4 lmc 0
[1]	"H-0002c90000000000"[2](2c90000000002) 		# "H0" lid 3 4xSDR

caguid=0x2c90000000000
Ca	2 "H-0002c90000000000"		# "H0 mlx5_0"
[2](2c90000000002) 	"S-0002c90200000010"[1]		# lid 3 lmc 2 "S1" lid 4 4xSDR
)");
  ASSERT_EQ(cabling.nodes.size(), 2u);
  EXPECT_EQ(cabling.nodes.at(0x2c90000000000).name, "H0 mlx5_0");
  EXPECT_THAT(cabling.cables,
              ::testing::ElementsAre(Cable{{0x2c90000000000, 2}, {0x2c90200000010, 1}}));
  EXPECT_EQ(cabling.end_ports.at({0x2c90200000010, 0}).lid, 4u);
  const EndPort host = cabling.end_ports.at({0x2c90000000000, 2});
  EXPECT_EQ(host.lid, 3u);
  EXPECT_EQ(host.lmc, 2u);
  EXPECT_EQ(host.port_guid, 0x2c90000000002u);
}

TEST(ReferenceCheckParts, FindsForwardingLoops) {
  Cabling cabling;
  cabling.nodes[1] = {true, "a", "a", 2};
  cabling.nodes[2] = {true, "b", "b", 2};
  cabling.nodes[3] = {false, "h", "h", 1};
  cabling.cables = {{{1, 1}, {2, 1}}, {{1, 2}, {3, 1}}};
  cabling.end_ports = {{{1, 0}, {1, 0, 1}}, {{2, 0}, {2, 0, 2}}, {{3, 1}, {3, 0, 4}}};
  const ForwardingTables good{{1, {kDropped, 0, 1, 2}}, {2, {kDropped, 1, 0, 1}}};
  EXPECT_THAT(check_forwarding(cabling, good), IsEmpty());
  ForwardingTables spoiled = good;
  spoiled[1][3] = 1;
  EXPECT_THAT(check_forwarding(cabling, spoiled), Contains(HasSubstr("forwarding loop of LID 3")));
  spoiled = good;
  spoiled[2][1] = kDropped;
  EXPECT_THAT(check_forwarding(cabling, spoiled), Contains(HasSubstr("LID 1")));
  spoiled = good;
  spoiled[1][2] = 2;
  EXPECT_THAT(check_forwarding(cabling, spoiled), Contains(HasSubstr("delivered to")));
}

class ReferenceChecks : public OnIbsim {
 protected:
  void SetUp() override {
    OnIbsim::SetUp();
    if (has_ended()) return;
    start_fabric(sample_net("fattree2-16h"));
    bring_up_once({.kind = SmKind::opensm});
  }
  EndPort find_end_port(const std::string& name) {
    Problems problems;
    const Cabling found = discover(fabric(), {}, problems);
    for (const auto& [port, end_port] : found.end_ports) {
      if (found.nodes.at(port.node_guid).name == name) return end_port;
    }
    ADD_FAILURE() << "no " << name;
    return {};
  }
};

TEST_F(ReferenceChecks, AcceptTheFabricOfOpenSm) { expect_good_fabric(); }

TEST_F(ReferenceChecks, ReportALinkThatIsNotActive) {
  fabric().unlink("S2_0-1", 2);
  fabric().relink("S2_0-1", 2);  // back in Init, and no SM runs
  EXPECT_THAT(check_fabric(fabric()), Contains(HasSubstr("is not Active")));
}

TEST_F(ReferenceChecks, ReportAMissingLink) {
  fabric().console(
      "Unlink \"S2_0-1\"[2]");  // not through fabric(), which would remove it from the plan
  EXPECT_THAT(check_fabric(fabric()), Contains(HasSubstr("cable not found")));
}

TEST_F(ReferenceChecks, ReportAWrongForwardingEntry) {
  const std::string leaf = std::to_string(find_end_port("S1_0-0").lid);
  const std::string host =
      std::to_string(find_end_port("H1-0 mlx5_0").lid);  // not H0-0, to which the responses go
  const Finished poke = fabric().run({SMP_POKE_PROGRAM, "lft", leaf, host, "5"});
  ASSERT_TRUE(poke.ok()) << poke.err;
  EXPECT_THAT(check_fabric(fabric()), Contains(HasSubstr("forwarding loop")));
  fabric().run({SMP_POKE_PROGRAM, "lft", leaf, host, "255"});
  EXPECT_THAT(check_fabric(fabric()), Not(IsEmpty()));
}

TEST_F(ReferenceChecks, ReportADuplicateLid) {
  const std::string lid = std::to_string(find_end_port("H1-0 mlx5_0").lid);
  const std::string taken = std::to_string(find_end_port("H2-0 mlx5_0").lid);
  const Finished poke = fabric().run({SMP_POKE_PROGRAM, "lid", lid, "1", taken});
  ASSERT_TRUE(poke.ok()) << poke.err;
  EXPECT_THAT(check_fabric(fabric()), Contains(HasSubstr("LID " + taken + " belongs to")));
}

TEST_F(ReferenceChecks, ReportAFabricWithoutSm) {
  Problems problems = check_sm(fabric(), 0x2c90000000001, "SMINFO_MASTER");
  EXPECT_THAT(problems, Not(IsEmpty()));
}

TEST(ReferenceChecksWithoutSm, ReportAFabricThatWasNeverProgrammed) {
  HEDDLE_REQUIRE(!umad2sim_library().empty(), "libumad2sim.so", "ibsim-utils");
  IbsimFabric fabric(topology::row({.switches = 2, .cables = 2, .hosts_per_switch = 1}));
  const Problems problems = check_fabric(fabric);
  EXPECT_THAT(problems, Contains(HasSubstr("is not a unicast LID")));
  EXPECT_THAT(problems, Contains(HasSubstr("is not Active")));
}

TEST(Harness, KillsAProgramThatTakesTooLong) {
  HEDDLE_REQUIRE(!umad2sim_library().empty(), "libumad2sim.so", "ibsim-utils");
  IbsimFabric fabric(topology::back_to_back());
  const Finished result = fabric.run({"sleep", "60"}, {.timeout = Milliseconds(50)});
  EXPECT_TRUE(result.timed_out);
  EXPECT_FALSE(result.ok());
}

TEST(Harness, DetachesAKilledProgram) {
  HEDDLE_REQUIRE(!umad2sim_library().empty(), "libumad2sim.so", "ibsim-utils");
  HEDDLE_REQUIRE_TOOL("opensm", "opensm");
  IbsimFabric fabric(topology::back_to_back());
  for (int i = 0; i < 12; ++i) {  // ibsim has ten client numbers
    SubnetManager sm(fabric, {.kind = SmKind::opensm});
    ASSERT_TRUE(sm.wait_subnet_up()) << sm.tail();
    sm.kill();
  }
  EXPECT_EQ(fabric.console("Attached").find("pid"), std::string::npos);
}

}  // namespace reference_checks_test
}  // namespace harness
