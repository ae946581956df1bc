#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "sm/vnic/store.h"
#include "virt/vnic/vnic_configuration.h"

namespace vnic_configuration_test {

using testing::ElementsAre;

std::vector<std::string> errors(std::string_view text) {
  const auto read = vnic::read_configuration({"v.yaml", text});
  std::vector<std::string> out;
  if (!read)
    for (const config::Diagnostic& one : read.error()) out.push_back(one.text());
  return out;
}

TEST(VnicConfiguration, ReadsEveryKey) {
  const auto read = vnic::read_configuration({"v.yaml", R"(
port_guid: 0x10
interval: 60
macs_per_port_max: 8
ports:
  - {port_guid: 0x11, lid: 5, description: node-1}
switches:
  - name: storage
    id: 7
    fabric_id: 3
    p_key: 0x0012
    mtu: 4000
    vnic: 9
    multicast_lid: 0xc010
    routing_control: {default: 1, ipv6_udp: 7}
    priorities:
      unicast: {sc: [0, 1, 2, 3, 4, 5, 6, 7], vl: [0, 0, 0, 0, 1, 1, 1, 1], untagged_sc: 2}
      multicast: {untagged_vl: 3}
    default_ports: [0x11]
    members:
      - all
      - 0x12
      - {port_guid: 0x11, base_mac: "02:00:00:00:00:11"}
      - {description: "compute-*"}
)"});
  ASSERT_TRUE(read) << read.error().front().text();
  EXPECT_EQ(read->port_guid, mad::Guid{0x10});
  EXPECT_EQ(read->interval, std::chrono::seconds(60));
  EXPECT_EQ(read->macs_per_port_max, 8u);
  EXPECT_THAT(read->ports, ElementsAre(vnic::EndPort{{0x11}, {5}, "node-1"}));
  const vnic::SwitchConfiguration& of = read->switches.at(0);
  EXPECT_EQ(of.key, (vnic::VeswKey{3, 7}));
  EXPECT_EQ(of.p_key, mad::PKey{0x8012}) << "a full member";
  EXPECT_EQ(of.mtu, 4000u);
  EXPECT_EQ(of.vnic, 9u);
  EXPECT_EQ(of.multicast_lid, 0xC010u);
  EXPECT_EQ(of.routing_control, 7u << 24 | 1u);
  EXPECT_EQ(of.unicast.sc[7], 7);
  EXPECT_EQ(of.unicast.vl[4], 1);
  EXPECT_EQ(of.unicast.untagged_sc, 2);
  EXPECT_EQ(of.multicast.untagged_vl, 3);
  EXPECT_THAT(of.default_ports, ElementsAre(mad::Guid{0x11}));
  ASSERT_EQ(of.members.size(), 4u);
  EXPECT_EQ(of.members[2].base_mac, mad::Mac{0x020000000011});
  EXPECT_EQ(of.members[3].description, "compute-*");
}

TEST(VnicConfiguration, AllErrorsAreReportedWithTheirPositions) {
  EXPECT_THAT(
      errors("interval: 0\nswitches:\n  - id: 4096\n    members: [all, here]\n    mtu: 10\n"
             "  - name: b\n    id: 1\n    sweep: 1\n    members: [{base_mac: \"01:0:0:0:0:0\"}]\n"),
      ElementsAre(
          "v.yaml:1:11: error: '0' is not a value for interval; write a number in 1..3600",
          "v.yaml:3:9: error: '4096' is not a value for id; write a number in 1..4095",
          "v.yaml:4:20: error: 'here' is not a value for a member; write a number other than 0",
          "v.yaml:5:10: error: '10' is not a value for mtu; write a number in 68..10178",
          "v.yaml:8:5: error: 'sweep' is no key here; write name, id, fabric_id, p_key, mtu, vnic, "
          "multicast_lid, routing_control, priorities, members or default_ports",
          "v.yaml:9:15: error: a member has no port_guid or description, or both; write one of "
          "them",
          "v.yaml:9:26: error: '01:0:0:0:0:0' is no MAC address of an interface; write six octets "
          "such as 02:00:00:00:00:01, the first one even"));
  EXPECT_THAT(errors("switches: ["), ElementsAre(testing::StartsWith("v.yaml:1:")));
  EXPECT_THAT(errors("switches: [{id: 1}]\n"),
              ElementsAre("v.yaml:1:12: error: a switch has no members; write members: [all]"));
  EXPECT_THAT(errors("switches: [{id: 1, members: [all]}, {id: 1, name: b, members: [all]}]\n"),
              ElementsAre("v.yaml:1:37: error: another switch has this id; give one of them "
                          "another"));
  EXPECT_THAT(errors("interval: 5\n"),
              ElementsAre("v.yaml:1:1: error: the file has no switch; write switches: and a list "
                          "of them"));
}

TEST(VnicStore, IsReadAsItWasWritten) {
  const auto folder =
      std::filesystem::temp_directory_path() / ("vnic-store-" + std::to_string(::getpid()));
  std::filesystem::create_directories(folder);
  EXPECT_EQ(vnic::load_store(folder), vnic::Stored{}) << "without a file";
  const vnic::Stored stored{{{{0, 7}, {1, {0x8001}}}, {{3, 9}, {255, {}}}},
                            {{{0x11}, {0, 7}, 1}, {{0x12}, {3, 9}, 255}}};
  ASSERT_TRUE(vnic::save_store(folder, stored));
  EXPECT_EQ(vnic::load_store(folder), stored);
  std::ofstream(folder / vnic::kStoreFile) << "heddle-vnic 1\nport 0x11 0 7 256\n";
  EXPECT_THAT(vnic::load_store(folder).error(),
              testing::EndsWith("vnics:2: 'port 0x11 0 7 256' is no entry"));
  std::filesystem::remove_all(folder);
}

}  // namespace vnic_configuration_test
