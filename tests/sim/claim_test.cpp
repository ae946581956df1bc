// The first writes of a new master: PortStateChange of the switches that it surveyed, while these
// change.

#include "sm/sweep/observe/claim.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/surveys.h"
#include "sm/ctl/topology/generators.h"

namespace claim_test {

using surveys::Observer;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

/// S0 - S1 - S2, all with PortStateChange.
class Claim : public testing::Test {
 protected:
  void SetUp() override {
    for (sim::NodeModel& node : lab.model.nodes)
      if (node.is_switch()) node.sw->info.set_port_state_change(true);
    survey = lab.discover();
    ASSERT_EQ(survey.fabric.switches.size(), 3u);
  }
  void claim() {
    const auto ended =
        lab.runtime.run([](mad::SmpClient& client, sm::Survey& of) -> boost::asio::awaitable<bool> {
          co_await sm::claim_switches(client, of);
          co_return true;
        }(lab.client, survey));
    ASSERT_TRUE(ended);
  }

  mad::SwitchInfo& real(const std::string& name) { return lab.node(name).sw->info; }
  mad::Guid guid(const std::string& name) { return lab.node(name).info.node_guid(); }
  const mad::SwitchInfo& known(const std::string& name) {
    const fabric::Node& node = survey.fabric.nodes[survey.fabric.node_of_guid.at(guid(name))];
    return survey.fabric.switches[node.switch_index].info;
  }
  /// The port of a switch towards another one.
  sim::PortIndex towards(const std::string& from, const std::string& to) {
    const sim::NodeModel& node = lab.node(from);
    for (unsigned number = 1; number <= node.port_count(); ++number)
      if (const sim::PortIndex port = node.first_port + number;
          lab.far(port) != sim::kNone && lab.neighbour(port) == lab.model.find(to))
        return port;
    return sim::kNone;
  }

  Observer lab{topology::row({.switches = 3, .cables = 1, .hosts_per_switch = 2})};
  sm::Survey survey;
};

TEST_F(Claim, ClearsWhatIsRaised) {
  claim();
  EXPECT_THAT(lab.changed_switches(), IsEmpty());
  EXPECT_THAT(survey.claimed, UnorderedElementsAre(guid("S0"), guid("S1"), guid("S2")));
  EXPECT_THAT(survey.unread, IsEmpty());
  EXPECT_FALSE(known("S1").port_state_change());
}

/// Another manager wrote to it after it was surveyed.
TEST_F(Claim, TakesWhatASwitchSaysNow) {
  real("S1").set_multicast_fdb_top(0xC005);
  claim();
  EXPECT_EQ(real("S1").multicast_fdb_top(), 0xC005);
  EXPECT_EQ(known("S1").multicast_fdb_top(), 0xC005);
  EXPECT_THAT(survey.unread, ElementsAre(guid("S1")));
  EXPECT_THAT(lab.changed_switches(), IsEmpty());
}

TEST_F(Claim, LeavesASwitchWithOtherHardwareToTheNextSurvey) {
  real("S1").set_multicast_fdb_cap(static_cast<std::uint16_t>(real("S1").multicast_fdb_cap() / 2));
  real("S1").set_linear_fdb_top(0);
  claim();
  EXPECT_THAT(survey.unread, ElementsAre(guid("S1")));
  EXPECT_THAT(lab.changed_switches(), ElementsAre(guid("S1")));
}

/// The route to S1 leads to S2, which has reported that its cables were moved.
TEST_F(Claim, ClearsNothingOfAnotherSwitch) {
  const sim::PortIndex place = towards("S0", "S1"), end = towards("S2", "S1");
  lab.world.cut(place);
  lab.world.cut(end);
  lab.plug(place, end);
  real("S2").set_linear_fdb_top(77);
  claim();
  EXPECT_TRUE(real("S2").port_state_change());
  EXPECT_EQ(real("S2").linear_fdb_top(), 77u);
  EXPECT_NE(known("S1").linear_fdb_top(), 77u);
  EXPECT_THAT(survey.unread, UnorderedElementsAre(guid("S1"), guid("S2")));
  EXPECT_THAT(survey.claimed, ElementsAre(guid("S0")));
}

}  // namespace claim_test
