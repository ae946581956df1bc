#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

#include "mad/format.h"
#include "sm/sweep/devices/refusals.h"
#include "support/fabrics.h"
#include "unit/sm/temporary_directory.h"

namespace refused_settings_test {

using sm::Refusals;
using testing::ElementsAre;
using testing::HasSubstr;

class RefusedSettingsTest : public testing::Test {
 protected:
  RefusedSettingsTest() {
    fabrics::Maker maker;
    const auto s0 = maker.sw(4), s1 = maker.sw(4), h = maker.ca(), other = maker.ca(),
               r = maker.router(1);
    maker.cable(s0, 1, h, 1);
    maker.cable(s0, 2, other, 1);
    maker.cable(s0, 3, s1, 1);
    maker.cable(s0, 4, r, 1);
    fabric = maker.build();
    host = fabric.port(h, {1});
    other_host = fabric.port(other, {1});
    router = fabric.port(r, {1});
  }
  /// The port was asked for a HOQLife of 9 and an MTU, and takes what `takes` says.
  std::vector<std::string_view> teach(fabric::PortIndex port, bool takes_hoq,
                                      bool takes_mtu = true) {
    mad::PortInfo asked, answered;
    asked.set_hoq_life(9);
    asked.set_neighbor_mtu(mad::Mtu::mtu_4096);
    if (takes_hoq) answered.set_hoq_life(9);
    if (takes_mtu) answered.set_neighbor_mtu(mad::Mtu::mtu_4096);
    return settings.learn(fabric, port, mad::PortInfo{}, asked, answered);
  }
  bool is_refused(fabric::PortIndex port) const {
    return mad::read(settings.unsupported(fabric, port), mad::PortInfo::field<"HOQLife">()) != 0;
  }

  fabric::Fabric fabric;
  fabric::PortIndex host, other_host, router;
  Refusals settings;
};

TEST_F(RefusedSettingsTest, LearnsForADevice) {
  EXPECT_THAT(teach(host, false), ElementsAre("HOQLife"));
  EXPECT_TRUE(is_refused(host));
  EXPECT_FALSE(is_refused(other_host)) << "one device teaches nothing about others";
  EXPECT_TRUE(settings.take_changed());
  EXPECT_FALSE(settings.take_changed());
  EXPECT_TRUE(teach(host, false).empty()) << "reported once";
  EXPECT_FALSE(settings.take_changed());
}

TEST_F(RefusedSettingsTest, PortZeroAndOtherPortsOfASwitchAreDifferentKinds) {
  teach(fabric.port(fabric::NodeIndex{0}, {1}), false);
  EXPECT_TRUE(is_refused(fabric.port(fabric::NodeIndex{0}, {3})));
  EXPECT_FALSE(is_refused(fabric.port(fabric::NodeIndex{1}, {1}))) << "another switch";
  EXPECT_FALSE(is_refused(fabric.port(fabric::NodeIndex{0}, {0})));
}

TEST_F(RefusedSettingsTest, ADeviceThatRestartedIsAskedAgain) {
  fabric.ports[host].info.set_port_state(mad::PortState::active);
  fabric.ports[host].known = true;
  teach(host, false);
  settings.take_changed();
  settings.begin(fabric, {});
  EXPECT_TRUE(is_refused(host));
  EXPECT_FALSE(settings.take_changed());
  fabric.ports[host].info.set_port_state(mad::PortState::init);
  settings.begin(fabric, {});
  EXPECT_FALSE(is_refused(host));
  EXPECT_TRUE(settings.take_changed());
}

TEST_F(RefusedSettingsTest, ADeviceThatAcceptsItLaterSupportsIt) {
  teach(host, false);
  settings.take_changed();
  EXPECT_TRUE(teach(host, true).empty());
  EXPECT_FALSE(is_refused(host));
  EXPECT_TRUE(settings.take_changed());
}

TEST_F(RefusedSettingsTest, WhatWasNotAskedTeachesNothing) {
  teach(host, false);
  mad::PortInfo same;
  same.set_hoq_life(9);
  settings.learn(fabric, host, same, same, same);
  EXPECT_TRUE(is_refused(host));
}

TEST_F(RefusedSettingsTest, WhatConnectivityHangsOnIsNeverGivenUp) {
  EXPECT_TRUE(teach(host, true, false).empty());
  EXPECT_EQ(settings.unsupported(fabric, host), sm::PortInfoMask{});
}

TEST_F(RefusedSettingsTest, TextIsReadBack) {
  teach(host, false);
  teach(router, false);
  const std::string text = settings.to_text();
  EXPECT_THAT(text, HasSubstr(fmt::format("{} ports HOQLife\n", fabric.owning_node(host).guid)));
  settings = {};
  const auto read = settings.read(text);
  ASSERT_TRUE(read) << read.error();
  EXPECT_EQ(settings.to_text(), text);
  EXPECT_TRUE(is_refused(host));
  EXPECT_FALSE(settings.take_changed());
  EXPECT_TRUE(settings.read("\n# nothing\n  \n"));
}

/// ibsim's nodes acknowledge settings that they do not have.
TEST_F(RefusedSettingsTest, TheFileOfALargeFabricIsLoaded) {
  std::string text = "# heddle-refused-settings 1: x\n";
  for (unsigned node = 0; node < 40'000; ++node)
    text += fmt::format("{:#x} ports M_KeyLeasePeriod SubnetTimeOut LocalPhyErrors OverrunErrors\n",
                        0x2c900000000 + node);
  const TemporaryDirectory folder;
  std::ofstream(folder.path() / Refusals::kFile) << text;
  const auto loaded = settings.load(folder.path());
  ASSERT_TRUE(loaded) << loaded.error();
  EXPECT_EQ(std::ranges::count(settings.to_text(), '\n'), 40'001);
}

TEST_F(RefusedSettingsTest, TextOfOtherVersions) {
  const std::string lines =
      "0x2c9 ports HOQLife Newer\n0x2c9 newer HOQLife\n0x2ca ports VLHighLimit\n";
  const auto newer = settings.read("# heddle-refused-settings 1.1: x\n" + lines);
  ASSERT_TRUE(newer) << newer.error();
  EXPECT_THAT(settings.to_text(), testing::StartsWith("# heddle-refused-settings 1: "));
  EXPECT_THAT(settings.to_text(), HasSubstr(" ports HOQLife\n"));
  EXPECT_THAT(settings.to_text(), HasSubstr(" ports VLHighLimit\n"));
  const auto other = settings.read("# heddle-refused-settings 2: x\n" + lines);
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error(), "refused-settings:1: version 2 is not known; 1 is");
  EXPECT_TRUE(settings.read("# of before there were versions\n0x2c9 ports HOQLife"));
}

TEST_F(RefusedSettingsTest, TextThatIsWrongIsNamedByLine) {
  const std::pair<const char*, const char*> wrong[]{
      {"# one\n2c9 ports HOQLife\n", "refused-settings:2: the NodeGUID must be hexadecimal"},
      {"0x2c9x ports HOQLife\n", "refused-settings:1: the NodeGUID"},
      {"0x2c9\n", "refused-settings:1: the kind is one of"},
      {"0x2c9 0x1017 ca HOQLife\n", "refused-settings:1: the kind is one of"},
      {"0x2c9 ports HOQLife Lid\n", "refused-settings:1: a field that is not known"},
      {"0x2c9 port0 LID\n", "or that is never recorded"}};
  teach(host, false);
  for (const auto& [text, message] : wrong) {
    const auto parsed = settings.read(text);
    ASSERT_FALSE(parsed) << text;
    EXPECT_THAT(parsed.error(), HasSubstr(message));
  }
  EXPECT_TRUE(is_refused(host)) << "a faulty text changes nothing";
}

/// A node that does not hold what it showed is asked again for all that it seemed not to take.
TEST_F(RefusedSettingsTest, AForgottenNodeIsAskedAgain) {
  teach(host, false);
  teach(other_host, false);
  settings.take_changed();
  settings.forget(fabric.owning_node(host).guid);
  EXPECT_FALSE(is_refused(host));
  EXPECT_TRUE(is_refused(other_host));
  EXPECT_TRUE(settings.take_changed());
}

}  // namespace refused_settings_test
