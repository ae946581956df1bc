#include "unit/sim/world/requester.h"

#include <gmock/gmock.h>

#include "sim/scenario/actions.h"
#include "sim/scenario/scenario.h"
#include "sm/ctl/topology/generators.h"

namespace scenario_test {

using requester::Requester;
using testing::HasSubstr;
using namespace std::chrono_literals;

topology::Topology pair() {
  return topology::row({.switches = 2, .cables = 1, .hosts_per_switch = 2});
}

std::string complaint(std::string_view text) {
  Requester a(pair());
  const auto scenario = sim::parse_scenario({"s.yaml", text}, a.world.model, 1);
  return scenario ? "" : scenario.error().front().text();
}

TEST(Scenario, EventsHappenAtTheirTimes) {
  Requester a(pair());
  const auto scenario = sim::parse_scenario({"s.yaml", R"(
events:
  - {at: 1s, do: cut, port: H1/1}
  - {at: 2s, do: connect, port: H1/1, to: S0/2}
  - {at: 1500ms, do: hang, node: S1}
  - {at: 2.5s, do: unhang, node: S1}
  - {at: 1s, do: bounce, port: H2/1, every: 1s, times: 3}
  - {at: 0s, do: quality, port: all, loss: 0.5, latency: 1ms}
)"},
                                            a.world.model, 1);
  ASSERT_TRUE(scenario) << scenario.error().front().text();
  scenario->schedule(a.world);
  a.runtime.run_for(900ms);
  EXPECT_EQ(a.world.qualities.front().lost, 0.5);
  EXPECT_EQ(a.world.qualities.front().latency_max, 1ms);
  a.runtime.run_for(200ms);
  EXPECT_EQ(a.info("H1").port_state(), mad::PortState::down);
  a.runtime.run_for(500ms);
  EXPECT_FALSE(a.world.model.alive(a.world.model.find("S1")));
  a.runtime.run_for(500ms);
  EXPECT_EQ(a.info("H1").port_state(), mad::PortState::init);
  a.runtime.run_for(2s);
  EXPECT_TRUE(a.world.model.alive(a.world.model.find("S1")));
  EXPECT_EQ(a.world.model.ports[a.port("H2")].extras->counters.link_downed, 3u);
}

TEST(Scenario, ErrorsHaveLineAndColumn) {
  EXPECT_THAT(complaint("events:\n  - {at: 1s, do: cut, port: H9/1}\n"),
              HasSubstr("s.yaml:2:29: error: no node is called 'H9'"));
  EXPECT_THAT(complaint("events:\n  - {at: 1s, do: cut, port: H1/7}\n"),
              HasSubstr("has no port 7"));
  EXPECT_THAT(complaint("events:\n  - {at: 1s, do: cut, port: H1}\n"),
              HasSubstr("write NODE/PORT"));
  EXPECT_THAT(complaint("events:\n  - {at: 1s, do: explode, node: H1}\n"),
              HasSubstr("no action is called 'explode'; actions: cut"));
  EXPECT_THAT(complaint("events:\n  - {at: soon, do: hang, node: H1}\n"),
              HasSubstr("a time with a unit"));
  EXPECT_THAT(complaint("events:\n  - {at: 1s, do: hang, node: H1, colour: red}\n"),
              HasSubstr("'colour' is unknown here"));
  EXPECT_THAT(complaint("events:\n  - {at: 1s, do: lie, node: H1, probability: 2}\n"),
              HasSubstr("a probability from 0 to 1"));
  EXPECT_THAT(complaint("events:\n  - {at: 1s, do: hang, node: H1, times: 3}\n"),
              HasSubstr("times without every"));
  EXPECT_THAT(complaint("events:\n  - {do: hang}\n"), HasSubstr("node is missing"));
  EXPECT_THAT(complaint("random: {kinds: [earthquake]}\n"),
              HasSubstr("no kind is called 'earthquake'"));
  EXPECT_THAT(complaint("evnets: []\n"), HasSubstr("'evnets' is unknown here"));
  EXPECT_THAT(complaint("events: [\n"), HasSubstr("s.yaml:"));
  EXPECT_THAT(complaint("[1, 2]"), HasSubstr("not a map"));
  EXPECT_EQ(complaint(""), "s.yaml:1:1: error: the file is not a map; write events: and a list");
}

TEST(Scenario, EveryActionReadsItsOwnExample) {
  for (const sim::Action& action : sim::actions()) {
    EXPECT_FALSE(action.keys.empty()) << action.name;
    EXPECT_EQ(sim::find_action(action.name), &action);
  }
  EXPECT_EQ(complaint(R"(
events:
  - {at: 1us, do: flap, port: H1/1, down: 5ms}
  - {at: 1ns, do: reboot, node: S1}
  - {at: 1min, do: power-off, node: S1}
  - {at: 2min, do: power-on, node: S1}
  - {at: 1h, do: lose-tables, node: S0}
  - {do: slow, node: S0, min: 1ms, max: 2ms}
  - {do: serial, node: S0, time: 30ms, queue: 2}
  - {do: bad-status, node: S0, probability: 0.5, status: 0x1c}
  - {do: lie, node: S0}
  - {do: healthy, node: S0}
  - {do: withhold-traps, node: S0, on: false}
  - {do: rename, node: S0, name: new name}
  - {do: link-error, port: S0/1, trap: 130}
  - {do: bad-key, port: H0/1, trap: 257, key: 0x8001, from_lid: 1, to_lid: 2}
  - {do: data, port: H0/1, to_lid: 3, p_key: 0xffff, sl: 1}
random: {from: 1s, until: 5s, mean_interval: 100ms, kinds: [flap, lie], spare: H0}
)"),
            "");
}

TEST(Scenario, Durations) {
  EXPECT_EQ(sim::parse_duration("20ms"), 20ms);
  EXPECT_EQ(sim::parse_duration("1.5s"), 1500ms);
  EXPECT_EQ(sim::parse_duration("0s"), 0s);
  for (const char* bad : {"", "5", "-1s", "1 s", "ms", "1e300h", "nan s", "infs", "1week"})
    EXPECT_FALSE(sim::parse_duration(bad)) << bad;
}

}  // namespace scenario_test
