#include "sm/ops/console/console_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "partitions/configuration.h"
#include "support/fabrics.h"
#include "support/subnets.h"

namespace console_text_test {

using sm::console::NodeChoice;
using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

/// Two leaves with two hosts each, two links between them.
fabric::Subnet small(unsigned lmc = 0) {
  fabrics::Maker maker;
  const auto a = maker.add(mad::NodeType::switch_, 8, "leaf-a", mad::Guid{0xa0});
  const auto b = maker.add(mad::NodeType::switch_, 8, "leaf-b", mad::Guid{0xb0});
  for (unsigned host = 1; host <= 2; ++host) {
    maker.cable(a, host, maker.add(mad::NodeType::ca, 1, "host-a", mad::Guid{0xa00 + 16 * host}),
                1);
    maker.cable(b, host, maker.add(mad::NodeType::ca, 1, "host-b", mad::Guid{0xb00 + 16 * host}),
                1);
  }
  maker.cable(a, 7, b, 7);
  maker.cable(a, 8, b, 8);
  fabric::Fabric fabric = maker.build();
  for (fabric::Port& port : fabric.ports) port.known = true;
  return subnets::bring_up(std::move(fabric), lmc);
}

/// What opensm 3.3.23 says, but for the values.
TEST(ConsoleStatus, HasTheFieldsOfOpenSmInTheirOrder) {
  sm::ManagerStatus status;
  status.state = mad::SmState::master;
  status.port_guid = mad::Guid{0x2c90000000001};
  status.priority = 5;
  status.gets.sent = 10;
  status.gets.answered = 9;
  status.managers = {{.guid = mad::Guid{0x17},
                      .name = "x",
                      .priority = 3,
                      .state = mad::SmState::standby,
                      .counts = true}};
  const std::string text = sm::console::status_text(
      {.status = status,
       .context = sm::make_context({}, {}, partitions::default_configuration()),
       .answers = true,
       .sweeping = false});
  std::size_t at = 0;
  for (const char* const line :
       {"   OpenSM Version       : Heddle ",
        "   SM State             : Master     \n",
        "   SM Priority          : 5\n",
        "   SA State             : Ready\n",
        "   Routing Engine       : ",
        "   Loaded event plugins : <none>\n",
        "   PerfMgr state/sweep state : Disabled/Sleeping\n",
        "   MAD stats\n   ---------\n",
        "   QP0 MADs outstanding           : 1\n",
        "   QP0 MADs outstanding (on wire) : 1\n",
        "   QP0 MADs rcvd                  : 9\n",
        "   QP0 MADs sent                  : 10\n",
        "   QP0 unicasts sent              : 0\n",
        "   QP0 unknown MADs rcvd          : 0\n",
        "   SA MADs outstanding            : 0\n",
        "   SA MADs rcvd                   : 0\n",
        "   SA MADs sent                   : 0\n",
        "   SA unknown MADs rcvd           : 0\n",
        "   SA MADs ignored                : 0\n",
        "   Subnet flags\n   ------------\n",
        "   Sweeping enabled               : 0\n",
        "   Sweep interval (seconds)       : 10\n",
        "   Ignore existing lfts           : 0\n",
        "   Subnet Init errors             : 0\n",
        "   In sweep hop 0                 : 0\n",
        "   First time master sweep        : 1\n",
        "   Coming out of standby          : 0\n",
        "   Known SMs\n   ---------\n",
        "   Port GUID       SM State    Priority\n   ---------       --------    --------\n",
        "   0x2c90000000001 Master      5        SELF\n",
        "   0x17 Standby     3\n"}) {
    const std::size_t found = text.find(line, at);
    ASSERT_NE(found, std::string::npos) << line << "\nin\n" << text;
    at = found;
  }
}

TEST(ConsolePortStatus, CountsPortsByTypeStateWidthAndSpeed) {
  const fabric::Subnet subnet = small();
  const std::string all = sm::console::port_status_text(subnet.fabric, NodeChoice::all, 9);
  EXPECT_THAT(all, HasSubstr("\"ALL\" port status:\n   20 port(s) scanned on 6 nodes in 9 us\n"));
  EXPECT_THAT(all, AllOf(HasSubstr("   8 down\n"), HasSubstr("   12 active\n")));
  EXPECT_THAT(sm::console::port_status_text(subnet.fabric, NodeChoice::switch_, 1),
              HasSubstr("\"Switch\" port status:\n   16 port(s) scanned on 2 nodes"));
  EXPECT_THAT(sm::console::port_status_text(subnet.fabric, NodeChoice::ca, 1),
              HasSubstr("\"Channel Adapter\" port status:\n   4 port(s) scanned on 4 nodes"));
  EXPECT_THAT(sm::console::port_status_text(subnet.fabric, NodeChoice::router, 1),
              HasSubstr("\"Router\" port status:\n   0 port(s) scanned on 0 nodes"));
}

TEST(ConsolePortStatus, NamesPortsThatMayHaveAProblem) {
  fabric::Subnet subnet = small();
  EXPECT_THAT(sm::console::port_status_text(subnet.fabric, NodeChoice::all, 1),
              Not(HasSubstr("kept out of use")));
  subnet.fabric.ports[subnet.fabric.port(fabric::NodeIndex{0}, mad::PortNum{7})].isolated = true;
  EXPECT_THAT(sm::console::port_status_text(subnet.fabric, NodeChoice::all, 1),
              HasSubstr("Possible issues:\n   1 kept out of use\n   0xa0 7 (leaf-a)\n"));
}

TEST(ConsoleQueryLid, ShowsNodeAndPorts) {
  const fabric::Subnet subnet = small();
  const unsigned lid = subnet.lid_range(subnet.fabric.sm_port).base.value;
  EXPECT_THAT(
      sm::console::lid_text(&subnet, lid),
      AllOf(HasSubstr("Query results for LID " + std::to_string(lid) + "\n"),
            HasSubstr("   GUID                : 0x"),
            HasSubstr("   Node Desc           : host-a\n"),
            HasSubstr("   Node Type           : Channel Adapter\n"),
            HasSubstr("   Num Ports           : 1\n"), HasSubstr("   Port 1 health       : OK\n")));
  for (const std::uint64_t none : {std::uint64_t{0}, std::uint64_t{999}, std::uint64_t{70000}})
    EXPECT_EQ(sm::console::lid_text(&subnet, none), "Invalid lid " + std::to_string(none) + "\n");
  EXPECT_EQ(sm::console::lid_text(nullptr, 1), "Invalid lid 1\n");
}

TEST(ConsoleSwitchBalance, ShowsSwitchesWhosePortsCarryUnequalNumbersOfLids) {
  fabric::Subnet subnet = small();
  EXPECT_THAT(sm::console::switch_balance_text(subnet, false, {}), IsEmpty());
  EXPECT_THAT(sm::console::switch_balance_text(subnet, true, {}),
              HasSubstr("Switch: 0x00000000000000a0 (leaf-a)\nPort 7: 1\nPort 8: 1\n"));
  fabric::ForwardingTables tables = *subnet.lfts;
  for (std::uint8_t& out : tables.writable_row(fabric::SwitchIndex{0}))
    if (out == 8) out = 7;
  subnet.lfts = std::make_shared<const fabric::ForwardingTables>(tables);
  EXPECT_EQ(sm::console::switch_balance_text(subnet, false, {}),
            "Unbalanced Switch: 0x00000000000000a0 (leaf-a)\nPort 7: 2\nPort 8: 0\n");
  EXPECT_THAT(sm::console::switch_balance_text(subnet, false, mad::Guid{0xb0}), IsEmpty());
}

TEST(ConsoleLidBalance, ShowsPortsWhoseLidsShareLinks) {
  fabric::Subnet subnet = small(2);
  EXPECT_THAT(sm::console::lid_balance_text(small(0), {}), IsEmpty());
  fabric::ForwardingTables tables = *subnet.lfts;
  bool spared = false;
  for (std::uint8_t& out : tables.writable_row(fabric::SwitchIndex{0}))
    if (out == 8 && std::exchange(spared, true)) out = 7;
  subnet.lfts = std::make_shared<const fabric::ForwardingTables>(tables);
  EXPECT_THAT(sm::console::lid_balance_text(subnet, {}),
              HasSubstr("Unbalanced Port Forwarding: Switch 0x00000000000000a0"));
}

TEST(ConsoleDumpPortGuid, MatchesDescriptionsByRegularExpressions) {
  const fabric::Subnet subnet = small();
  EXPECT_EQ(*sm::console::port_guids_text(subnet.fabric, {"^leaf-b$"}), "0xb0\n");
  EXPECT_EQ(*sm::console::port_guids_text(subnet.fabric, {"leaf-b", "leaf-a"}), "0xa0\n0xb0\n");
  EXPECT_EQ(*sm::console::port_guids_text(subnet.fabric, {"nothing"}), "");
  EXPECT_FALSE(sm::console::port_guids_text(subnet.fabric, {"("}));
}

TEST(ConsoleDumpPortGuid, WorkAndTimeAreBounded) {
  const fabric::Subnet subnet = small();
  EXPECT_THAT(sm::console::port_guids_text(subnet.fabric, {"(leaf).*\\1"}).error(),
              HasSubstr("back-references"));
  EXPECT_THAT(sm::console::port_guids_text(subnet.fabric, {"x{300}", "y{300}"}).error(),
              HasSubstr("600 steps together"));
  EXPECT_THAT(
      sm::console::port_guids_text(subnet.fabric, {"leaf"}, std::chrono::milliseconds(0)).error(),
      HasSubstr("take more than 0 ms"));
}

}  // namespace console_text_test
