// Paths to other subnets as saquery shows them: by prefix_routes_file the same as OpenSM's, and by
// what a router says that it reaches.

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <regex>

#include "ibsim/fabric.h"
#include "ibsim/subnet_manager.h"

namespace routers_on_ibsim_test {

using harness::Finished;
using harness::IbsimFabric;
using harness::SmKind;
using harness::SubnetManager;
using ::testing::HasSubstr;

constexpr const char* kConf = "subnet_prefix 0xfec0000000000001\n";
constexpr const char* kPaths[] = {"fec0::1:2:c900:0:11-fec0::2:0:0:0:1",
                                  "fec0::1:2:c900:0:11-fec0::1:2:c900:0:21"};

/// Two hosts and a router at one switch.
topology::Topology fabric_with_router() {
  const auto node = [](topology::NodeType type, const char* name, std::uint64_t guid) {
    return topology::Node{.type = type,
                          .name = name,
                          .guid = mad::Guid{guid},
                          .port_count = type == topology::NodeType::switch_ ? 4u : 1u};
  };
  topology::Topology fabric;
  fabric.nodes = {node(topology::NodeType::ca, "H0", 0x0002c90000000010),
                  node(topology::NodeType::ca, "H1", 0x0002c90000000020),
                  node(topology::NodeType::router, "R0", 0x0002c90000000030),
                  node(topology::NodeType::switch_, "S0", 0x0002c90000000040)};
  for (std::uint8_t i = 0; i < 3; ++i)
    fabric.links.push_back(
        {.a = {i, mad::PortNum{1}}, .b = {3, mad::PortNum{static_cast<std::uint8_t>(i + 1)}}});
  return fabric;
}

std::string field(const std::string& record, const std::string& name) {
  std::smatch match;
  return std::regex_search(record, match, std::regex(name + "\\.+([^\\n]+)")) ? match[1].str() : "";
}

/// The fields of a path that two managers have to agree on.
std::string path(IbsimFabric& fabric, const char* gids) {
  const Finished answer = fabric.run({"saquery", "--sgid-to-dgid", gids}, {.host = "H0"});
  std::string text;
  for (const char* const name :
       {"dgid", "sgid", "dlid", "slid", "hop_flow_raw", "pkey", "sl", "mtu", "rate"})
    text += fmt::format("{} {}\n", name, field(answer.out, name));
  return text + answer.err;
}

TEST(RoutersOnHeddleSim, SaqueryShowsTheSamePathsFromHeddleAndOpensm) {
  std::vector<std::string> answers;
  for (const SmKind kind : harness::available_sms()) {
    IbsimFabric fabric(fabric_with_router(), HEDDLE_SIM_PROGRAM);
    const std::filesystem::path routes = fabric.dir() / "prefix-routes";
    harness::write_file(routes, "0xfec0000000000002 0x0002c90000000031\n");
    SubnetManager sm(
        fabric,
        {.kind = kind, .conf = fmt::format("{}prefix_routes_file {}\n", kConf, routes.string())});
    ASSERT_TRUE(sm.wait_subnet_up()) << sm.tail();
    for (const char* const gids : kPaths) answers.push_back(path(fabric, gids));
  }
  for (std::size_t i = 0; i + 2 < answers.size(); ++i) EXPECT_EQ(answers[i], answers[i + 2]);
  EXPECT_THAT(answers[0], HasSubstr("dgid fec0:0:0:2::1")) << answers[0];
}

TEST(RoutersOnHeddleSim, SaqueryShowsWhatTheRouterReaches) {
  IbsimFabric fabric(fabric_with_router(), HEDDLE_SIM_PROGRAM);
  SubnetManager sm(fabric, {.conf = fmt::format("{}read_router_tables TRUE\n", kConf)});
  ASSERT_TRUE(sm.wait_subnet_up()) << sm.tail();
  const std::string before = path(fabric, kPaths[0]);
  EXPECT_THAT(before, HasSubstr("dlid \n"));
  fabric.console("router R0 0xfec0000000000002");
  std::string after;
  for (int tries = 0; tries < 50 && field(after, "dlid").empty(); ++tries)
    after = fabric.run({"saquery", "--sgid-to-dgid", kPaths[0]}, {.host = "H0"}).out;
  EXPECT_EQ(field(after, "dgid"), "fec0:0:0:2::1") << after << sm.tail();
}

/// Has virtual lanes for routers that are others than those for CAs.
constexpr const char* kQos =
    "qos TRUE\n"
    "qos_high_limit 3\n"
    "qos_ca_vlarb_low 0:9,1:8\n"
    "qos_ca_sl2vl 7,6,5,4,3,2,1,0,7,6,5,4,3,2,1,0\n"
    "qos_rtr_high_limit 5\n"
    "qos_rtr_vlarb_high 1:20,2:30\n"
    "qos_rtr_vlarb_low 0:1,3:44,4:5\n"
    "qos_rtr_sl2vl 1,1,2,2,3,3,4,4,5,5,6,6,7,7,0,15\n";

/// What the router and a host have: VL tables, and in PortInfo what belongs to VLs.
std::string lanes(IbsimFabric& fabric) {
  std::string all;
  for (const char* const route : {"0,1,3", "0,1,2"}) {
    for (const char* const table : {"sl2vl", "vlarb"})
      all += fabric.run({"smpquery", table, "-D", route, "1"}, {.host = "H0"}).out;
    const std::string info =
        fabric.run({"smpquery", "portinfo", "-D", route, "1"}, {.host = "H0"}).out;
    for (const char* const name : {"VLHighLimit", "OperVLs"})
      all += fmt::format("{} {}\n", name, field(info, name + std::string(":")));
  }
  return all;
}

TEST(RoutersOnHeddleSim, RoutersHaveTheSameVirtualLanesFromHeddleAndOpensm) {
  std::vector<std::string> found;
  for (const SmKind kind : harness::available_sms()) {
    IbsimFabric fabric(fabric_with_router(), HEDDLE_SIM_PROGRAM);
    SubnetManager sm(fabric, {.kind = kind, .conf = fmt::format("{}{}", kConf, kQos)});
    ASSERT_TRUE(sm.wait_subnet_up()) << sm.tail();
    found.push_back(lanes(fabric));
  }
  for (const std::string& each : found) EXPECT_EQ(each, found[0]);
  EXPECT_THAT(found[0], HasSubstr("| 1| 1| 2| 2| 3| 3| 4| 4| 5| 5| 6| 6| 7| 7| 0|15|"));
  EXPECT_THAT(found[0], HasSubstr("VLHighLimit 5"));
  EXPECT_THAT(found[0], HasSubstr("VLHighLimit 3"));
}

TEST(RoutersOnHeddleSim, QosRtrMaxVlsIsForLinksToRouters) {
  IbsimFabric fabric(fabric_with_router(), HEDDLE_SIM_PROGRAM);
  SubnetManager sm(fabric, {.conf = fmt::format("{}{}qos_rtr_max_vls 2\n", kConf, kQos)});
  ASSERT_TRUE(sm.wait_subnet_up()) << sm.tail();
  const auto vls = [&](const char* route, const char* port) {
    return field(fabric.run({"smpquery", "portinfo", "-D", route, port}, {.host = "H0"}).out,
                 "OperVLs:");
  };
  EXPECT_EQ(vls("0,1,3", "1"), "VL0-1");
  EXPECT_EQ(vls("0,1", "3"), "VL0-1") << "the other end of its link";
  EXPECT_NE(vls("0,1,2", "1"), "VL0-1");
}

}  // namespace routers_on_ibsim_test
