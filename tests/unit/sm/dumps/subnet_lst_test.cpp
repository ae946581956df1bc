#include "sm/dumps/dumps.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/fabrics.h"
#include "unit/sm/temporary_directory.h"

namespace subnet_lst_test {

using testing::HasSubstr;

/// A host and two switches as in ibsim; the SM runs on the host.
class SubnetLst : public testing::Test {
 protected:
  SubnetLst() {
    const auto h = maker_.add(mad::NodeType::ca, 1, "H0-0 mlx5_0", {0x0002c90000000000});
    const auto s1 = maker_.add(mad::NodeType::switch_, 8, "S1_0-0", {0x0002c90200000100});
    const auto s2 = maker_.add(mad::NodeType::switch_, 4, "S2_0-0", {0x0002c90200000140});
    maker_.cable(h, 1, s1, 1);
    maker_.cable(s1, 5, s2, 1);
    fabric = maker_.build();
    for (fabric::Node& node : fabric.nodes) node.info.set_revision(0xA1);
    for (fabric::Port& port : fabric.ports) {
      port.info.set_link_width_active(mad::link_width::k4x);
      port.info.set_link_speed_active(mad::link_speed::kSdr);
    }
    lids.of_end_port = {{{1}, 0}, {{2}, 0}, {{0x1a}, 0}};
  }
  fabrics::Maker maker_;
  fabric::Fabric fabric;
  fabric::LidMap lids;
};

// Recorded from OpenSM 3.3.23 on ibsim (LID of S2_0-0 changed to 001A, which has a letter).
constexpr std::string_view kRecorded =
    "{ CA-SM Ports:01 SystemGUID:0002c90000000000 NodeGUID:0002c90000000000 "
    "PortGUID:0002c90000000001 VenID:000000 DevID:0000 Rev:000000A1 {H0-0 mlx5_0} LID:0001 PN:01 } "
    "{ SW Ports:08 SystemGUID:0002c90200000100 NodeGUID:0002c90200000100 PortGUID:0002c90200000100 "
    "VenID:00000000 DevID:0000 Rev:000000A1 {S1_0-0} LID:0002 PN:01 } PHY=4x LOG=ACT SPD=2.5\n"
    "{ SW Ports:08 SystemGUID:0002c90200000100 NodeGUID:0002c90200000100 PortGUID:0002c90200000100 "
    "VenID:000000 DevID:0000 Rev:000000A1 {S1_0-0} LID:0002 PN:01 } { CA-SM Ports:01 "
    "SystemGUID:0002c90000000000 NodeGUID:0002c90000000000 PortGUID:0002c90000000001 "
    "VenID:00000000 DevID:0000 Rev:000000A1 {H0-0 mlx5_0} LID:0001 PN:01 } PHY=4x LOG=ACT SPD=2.5\n"
    "{ SW Ports:08 SystemGUID:0002c90200000100 NodeGUID:0002c90200000100 PortGUID:0002c90200000100 "
    "VenID:000000 DevID:0000 Rev:000000A1 {S1_0-0} LID:0002 PN:05 } { SW Ports:04 "
    "SystemGUID:0002c90200000140 NodeGUID:0002c90200000140 PortGUID:0002c90200000140 "
    "VenID:00000000 DevID:0000 Rev:000000A1 {S2_0-0} LID:001A PN:01 } PHY=4x LOG=ACT SPD=2.5\n"
    "{ SW Ports:04 SystemGUID:0002c90200000140 NodeGUID:0002c90200000140 PortGUID:0002c90200000140 "
    "VenID:000000 DevID:0000 Rev:000000A1 {S2_0-0} LID:001A PN:01 } { SW Ports:08 "
    "SystemGUID:0002c90200000100 NodeGUID:0002c90200000100 PortGUID:0002c90200000100 "
    "VenID:00000000 DevID:0000 Rev:000000A1 {S1_0-0} LID:0002 PN:05 } PHY=4x LOG=ACT SPD=2.5\n";

TEST_F(SubnetLst, EqualsOpenSms) { EXPECT_EQ(sm::subnet_lst(fabric, lids), kRecorded); }

TEST_F(SubnetLst, NodesHaveTheNamesThatTheOperatorGivesThem) {
  fabric.node_names = std::make_shared<const fabric::NodeNames>(
      fabric::NodeNames{{mad::Guid{0x0002c90200000140}, "rack 4 leaf 2"}});
  const std::string text = sm::subnet_lst(fabric, lids);
  EXPECT_THAT(text, HasSubstr("{rack 4 leaf 2} LID:001A"));
  EXPECT_THAT(text, HasSubstr("{S1_0-0} LID:0002"));
  EXPECT_EQ(fabric.name(fabric.node_of_guid.at(mad::Guid{0x0002c90200000140})),
            "\"rack 4 leaf 2\" (0x0002c90200000140)");
}

TEST_F(SubnetLst, VendorAndDeviceOfBothEnds) {
  for (fabric::Node& node : fabric.nodes) {
    node.info.set_vendor_id(0x2c9);
    node.info.set_device_id(0x5a44);
  }
  const std::string text = sm::subnet_lst(fabric, lids);
  EXPECT_THAT(text,
              HasSubstr("{ CA-SM Ports:01 SystemGUID:0002c90000000000 NodeGUID:0002c90000000000 "
                        "PortGUID:0002c90000000001 VenID:0002C9 DevID:5A44 Rev"));
  EXPECT_THAT(text,
              HasSubstr("} { SW Ports:08 SystemGUID:0002c90200000100 NodeGUID:0002c90200000100 "
                        "PortGUID:0002c90200000100 VenID:000002C9 DevID:5A440000 Rev"));
}

TEST_F(SubnetLst, StatesWidthsAndSpeeds) {
  const auto tail = [&](auto change) {
    fabric::Fabric copy = fabric;
    change(copy.ports[fabric::PortIndex{0}].info);
    const std::string text = sm::subnet_lst(copy, lids);
    return text.substr(text.find(" PHY=") + 1, text.find('\n') - text.find(" PHY=") - 1);
  };
  EXPECT_EQ(tail([](mad::PortInfo& p) {
              p.set_link_width_active(mad::link_width::k12x), p.set_link_speed_active(4),
                  p.set_port_state(mad::PortState::armed);
            }),
            "PHY=12x LOG=ARM SPD=10");
  EXPECT_EQ(tail([](mad::PortInfo& p) {
              p.set_link_width_active(mad::link_width::k2x), p.set_link_speed_ext_active(4),
                  p.set_port_state(mad::PortState::init);
            }),
            "PHY=2x LOG=INI SPD=50");
  EXPECT_EQ(tail([](mad::PortInfo& p) { p.set_link_width_active(0), p.set_link_speed_active(0); }),
            "PHY=?? LOG=ACT SPD=??");
}

TEST_F(SubnetLst, PortsThatAreDownAreLeftOut) {
  fabric.ports[fabric::PortIndex{0}].info.set_port_state(mad::PortState::down);
  const std::string text = sm::subnet_lst(fabric, lids);
  EXPECT_EQ(std::ranges::count(text, '\n'), 3);
}

TEST_F(SubnetLst, DescriptionCannotBreakTheLine) {
  fabric.nodes[fabric::NodeIndex{0}].description.set_text("a\nb\x1b[31m");
  const std::string text = sm::subnet_lst(fabric, lids);
  EXPECT_EQ(std::ranges::count(text, '\n'), 4);
  EXPECT_THAT(text, HasSubstr("{a b [31m}"));
}

TEST_F(SubnetLst, DescriptionForgesNoFields) {
  fabric.nodes[fabric::NodeIndex{0}].description.set_text("a} LID:00FF PN:09 } { SW {");
  const std::string text = sm::subnet_lst(fabric, lids);
  EXPECT_THAT(text, HasSubstr("{a) LID:00FF PN:09 ) ( SW (} LID:0001 PN:01 } { SW Ports:08"));
  EXPECT_EQ(std::ranges::count(text, '{'), 4 * 4) << "two of each end of a line";
  EXPECT_EQ(std::ranges::count(text, '}'), 4 * 4);
}

TEST_F(SubnetLst, IsWrittenToThePathOfTheOptions) {
  const TemporaryDirectory dir;
  config::Options options;
  options.dump_files_dir = dir.path();
  ASSERT_TRUE(sm::write_subnet_lst(options, fabric, lids));
  EXPECT_EQ(text_of(dir / "opensm-subnet.lst"), kRecorded);
  options.dump_files_dir = "/nonexistent";
  options.subnet_lst_file = dir / "other";
  ASSERT_TRUE(sm::write_subnet_lst(options, fabric, lids));
  EXPECT_EQ(text_of(dir / "other"), kRecorded);
  options.subnet_lst_file = "x";
  EXPECT_FALSE(sm::write_subnet_lst(options, fabric, lids));
  options.enable_subnet_lst = false;
  EXPECT_TRUE(sm::write_subnet_lst(options, fabric, lids));
}

}  // namespace subnet_lst_test
