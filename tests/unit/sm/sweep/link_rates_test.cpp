#include "sm/sweep/decide/link_rates.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "mad/link_speed.h"
#include "sm/sweep/decide/changes.h"
#include "sm/sweep/devices/sweep_conditions.h"
#include "support/conditions.h"
#include "support/fabrics.h"

namespace link_rates_test {

using namespace std::chrono_literals;
using mad::PortPhysicalState;
using testing::AllOf;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

constexpr std::uint8_t k1x = mad::link_width::k1x, k2x = mad::link_width::k2x,
                       k4x = mad::link_width::k4x;
constexpr std::uint8_t kHdr = 4;  // LinkSpeedExt

/// Two spines, two leaves with a link to each, and four hosts at each leaf; all run 4X HDR.
class Rates : public testing::Test {
 protected:
  Rates() {
    fabrics::Maker maker;
    const fabric::NodeIndex spines[]{maker.sw(8, "spine-0"), maker.sw(8, "spine-1"),
                                     maker.sw(8, "spine-2")};
    for (unsigned leaf = 0; leaf < 3; ++leaf) {
      const fabric::NodeIndex sw = maker.sw(12, "leaf-" + std::to_string(leaf));
      for (unsigned spine = 0; spine < 3; ++spine)
        maker.cable(sw, spine + 1, spines[spine], leaf + 1);
      for (unsigned host = 0; host < 4; ++host)
        maker.cable(sw, host + 5, maker.ca(1, "H" + std::to_string(leaf * 4 + host)), 1);
    }
    fabric = maker.build();
    for (const fabric::PortIndex port : fabric.ports.indices()) set(port, k4x, k4x | k1x);
  }
  void set(fabric::PortIndex port, std::uint8_t width, std::uint8_t supported,
           std::uint8_t speed = kHdr) {
    mad::PortInfo& info = fabric.ports[port].info;
    info.set_link_width_active(width);
    info.set_link_width_supported(supported);
    info.set_link_speed_ext_active(speed);
    info.set_link_speed_ext_supported(7);
    info.set_link_speed_supported(7);
  }
  /// Both ends of a link.
  void set_link(const std::string& node, unsigned number, std::uint8_t width,
                std::uint8_t supported, std::uint8_t speed = kHdr) {
    const fabric::PortIndex port = find(node, number);
    set(port, width, supported, speed);
    set(fabric.ports[port].peer, width, supported, speed);
  }
  fabric::PortIndex find(const std::string& name, unsigned number) const {
    for (const fabric::NodeIndex node : fabric.nodes.indices())
      if (fabric.description(node) == name)
        return fabric.port(node, mad::PortNum{static_cast<std::uint8_t>(number)});
    return fabric::kNoIndex;
  }
  std::vector<std::string> found() const { return texts(sm::slow_links(fabric)); }

  fabric::Fabric fabric;
};

TEST_F(Rates, NothingIsReportedWhereAllRunAsTheyCan) { EXPECT_THAT(found(), IsEmpty()); }

TEST_F(Rates, ALinkBelowWhatBothEndsSupport) {
  set_link("leaf-0", 5, k1x, k4x | k1x);
  const std::vector<fabric::Condition> all = sm::slow_links(fabric);
  ASSERT_THAT(all, SizeIs(1));
  EXPECT_EQ(all[0].id, sm::kSweepConditions.link_degraded);
  EXPECT_THAT(all[0].text, AllOf(HasSubstr("\"leaf-0\""), HasSubstr("port 5 <-> \"H0\""),
                                 EndsWith("runs 1X HDR; both ends support 4X HDR")));
  set_link("leaf-0", 5, k4x, k4x | k1x, 2);  // EDR
  EXPECT_THAT(found(), ElementsAre(EndsWith("runs 4X EDR; both ends support 4X HDR")));
}

TEST_F(Rates, APortThatSupportsLessThanItsHostAndItsNeighboursIsFound) {
  set_link("leaf-1", 6, k1x, k4x | k1x);
  set(find("leaf-1", 6), k1x, k1x);
  EXPECT_THAT(found(), ElementsAre(EndsWith("runs 1X HDR; all other links of \"leaf-1\" to hosts "
                                            "are wider")));
  // An older generation among newer ones is no fault, nor are two that are alike.
  set_link("leaf-1", 6, k4x, k4x, 2);
  fabric.ports[find("leaf-1", 6)].info.set_link_speed_ext_supported(2);
  EXPECT_THAT(found(), IsEmpty());
  for (const unsigned number : {6u, 7u}) {
    set_link("leaf-1", number, k1x, k4x | k1x);
    set(find("leaf-1", number), k1x, k1x);
  }
  EXPECT_THAT(found(), IsEmpty());
}

TEST_F(Rates, AHostThatSupportsNoMoreIsNoFault) {
  set_link("leaf-1", 6, k1x, k1x);
  EXPECT_THAT(found(), IsEmpty()) << "both ends support no more";
  set(find("leaf-1", 6), k1x, k4x | k1x);
  EXPECT_THAT(found(), IsEmpty()) << "the host supports no more";
}

/// A 2X host at one half of a 4X port, behind a split cable, among 4X hosts.
TEST_F(Rates, OneHalfOfASplitPortIsNoFault) {
  set_link("leaf-1", 6, k2x, k2x | k1x);
  EXPECT_THAT(found(), IsEmpty());
  const fabric::PortIndex host = fabric.ports[find("leaf-1", 6)].peer;
  set(host, k2x, k4x | k2x | k1x);
  EXPECT_THAT(found(), IsEmpty()) << "the host could run 4X behind another cable";
  set_link("leaf-1", 6, k1x, k2x | k1x);
  EXPECT_THAT(found(), ElementsAre(EndsWith("runs 1X HDR; both ends support 2X HDR")));
}

TEST_F(Rates, ASlowUplinkAmongFasterOnesIsFound) {
  set_link("leaf-2", 2, k4x, k4x, 2);
  fabric.ports[find("leaf-2", 2)].info.set_link_speed_ext_supported(2);
  EXPECT_THAT(found(), ElementsAre(AllOf(HasSubstr("runs 4X EDR; all other links of \""),
                                         EndsWith("to switches beside it are faster"))));
  set_link("leaf-2", 2, k2x, k2x | k1x);
  EXPECT_THAT(found(), IsEmpty()) << "half of a split port";
}

TEST_F(Rates, ManyAreCounted) {
  for (const fabric::PortIndex port : fabric.ports.indices())
    if (fabric.ports[port].peer != fabric::kNoIndex) set(port, k1x, k4x | k1x);
  EXPECT_THAT(found(), SizeIs(21));
}

TEST_F(Rates, APortWithoutALinkSaysWhy) {
  const auto text = [&](PortPhysicalState leaf, PortPhysicalState spine) {
    fabric.ports[find("leaf-0", 2)].info.set_port_physical_state(leaf);
    fabric.ports[find("spine-1", 1)].info.set_port_physical_state(spine);
    return sm::link_state_text(fabric, find("leaf-0", 2), find("spine-1", 1));
  };
  using enum PortPhysicalState;
  EXPECT_EQ(text(disabled, polling), "\"leaf-0\" port 2 is Disabled (by an administrator)");
  EXPECT_EQ(text(polling, disabled), "\"spine-1\" port 1 is Disabled (by an administrator)");
  EXPECT_EQ(text(polling, polling),
            "both ports are Polling (no signal: no cable, or nothing at its other end)");
  EXPECT_THAT(text(training, polling),
              AllOf(HasSubstr("\"leaf-0\" port 2 is Training"), HasSubstr("port 1 is Polling")));
  EXPECT_EQ(text(no_change, no_change), "");
  EXPECT_THAT(sm::link_state_text(fabric, fabric::kNoIndex, find("spine-1", 1)), "");
}

TEST_F(Rates, ALostLinkHasTheStateOfItsPorts) {
  const fabric::Fabric before = fabric;
  const fabric::PortIndex port = find("leaf-0", 2), peer = fabric.ports[port].peer;
  for (const fabric::PortIndex end : {port, peer}) {
    fabric.ports[end].peer = fabric::kNoIndex;
    fabric.ports[end].info.set_port_state(mad::PortState::down);
    fabric.ports[end].info.set_port_physical_state(PortPhysicalState::polling);
  }
  sm::Losses losses;
  losses.update_from(before, fabric, mad::TimePoint{});
  EXPECT_THAT(texts(losses.conditions()), ElementsAre(HasSubstr("; both ports are Polling (")));
  // Another state is read later.
  const fabric::Fabric then = fabric;
  fabric.ports[port].info.set_port_physical_state(PortPhysicalState::disabled);
  losses.update_from(then, fabric, mad::TimePoint{1min});
  EXPECT_THAT(texts(losses.conditions()),
              ElementsAre(EndsWith("; \"leaf-0\" port 2 is Disabled (by an administrator)")));
}

}  // namespace link_rates_test
