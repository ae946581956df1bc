// The performance manager of whole managers: a day of polls in virtual time, with what happens to
// counters and to managers in a day.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fabric/topology/random_source.h"
#include "mad/attributes/class_port_info.h"
#include "sim/laboratory.h"
#include "sim/world/named_counters.h"
#include "sm/ctl/topology/generators.h"

namespace counters_test {

using namespace laboratory;
using sm::Counter;
using testing::HasSubstr, testing::Not;

constexpr unsigned kSweepTimeS = 60;

/// Two leaves with two hosts each below two spines.
class Lab : public Laboratory {
 public:
  Lab() : Laboratory(topology::xgft({.children = {2, 2}, .parents = {1, 2}, .cables = {}})) {
    options.perfmgr = true;
    options.perfmgr_sweep_time_s = kSweepTimeS;
    // Time passes on the virtual clock only when something happens: less of that.
    options.sweep_interval = 300;
    options.audit_interval = 0;
    options.standby_read_rate = 0;
  }

  config::Options options;

  static sm::SharedPortCounters counters(const Instance& instance) {
    return instance.manager().status().counters;
  }
  /// Waits for the end of the next poll but one: what happened until now is in it.
  sm::SharedPortCounters next_counters(const Instance& instance) {
    const auto before = counters(instance);
    const std::uint64_t polls = before ? before->polls : 0;
    EXPECT_TRUE(runtime.run_until(
        [&] {
          const auto now = counters(instance);
          return now && now->polls > polls + (before ? 1 : 0);
        },
        10 * std::chrono::seconds(kSweepTimeS)))
        << instance.tail();
    return counters(instance);
  }
  sim::Counters& device(sim::PortIndex port) { return model.extras(port).counters; }
  static std::uint64_t total(const sm::SharedPortCounters& table, mad::Guid node, unsigned port,
                             Counter counter) {
    const auto* const row = table->find(node, mad::PortNum{static_cast<std::uint8_t>(port)});
    EXPECT_NE(row, nullptr);
    return row == nullptr ? 0 : row->total(counter);
  }
  mad::Guid guid(const std::string& name) { return node(name).info.node_guid(); }
  /// All counters of narrow ones only: an agent without extended counters.
  void make_narrow(sim::NodeModel& node) {
    node.health.react_general = [](mad::MadView mad, mad::PortNum) -> std::optional<sim::Reaction> {
      const auto attribute = static_cast<mad::PerformanceAttribute>(mad.attribute_id());
      if (attribute == mad::PerformanceAttribute::port_counters_extended)
        return sim::Reaction{mad::status::kMethodAttributeUnsupported};
      if (attribute != mad::PerformanceAttribute::class_port_info) return std::nullopt;
      std::ranges::fill(mad::gmp_data(mad), std::uint8_t{0});
      mad::set_field<mad::ClassPortInfoFields, "CapabilityMask">(mad::gmp_data(mad),
                                                                 std::uint16_t{0x1000});
      return sim::Reaction{mad::status::kOk};
    };
  }
};

TEST(CountersOfAManager, AreThoseOfTheDevicesAndNothingIsWritten) {
  Lab lab;
  Instance& heddle = lab.start("H0", lab.options);
  ASSERT_TRUE(lab.runtime.run_until([&] { return heddle.says("SUBNET UP"); }, kComesUp));
  const auto first = lab.next_counters(heddle);
  ASSERT_TRUE(first);
  for (const sim::PortIndex port : lab.model.ports.indices()) {
    const sim::PortModel& of = lab.model.ports[port];
    if (of.number == 0) continue;
    const auto* const row =
        first->find(lab.model.owning_node(port).info.node_guid(), mad::PortNum{of.number});
    ASSERT_NE(row, nullptr) << lab.model.name(port);
    EXPECT_EQ(row->reading, lab.model.link_up(port) ? sm::PortReading::read : sm::PortReading::down)
        << lab.model.name(port);
  }
  const sim::PortIndex port = lab.port("S1-0", 1);
  lab.device(port).symbol_errors = 77'777;
  lab.device(port).xmit_data = 0x2'3456'789A;
  sim::set_counter(lab.model, port, "PortLoopingErrors", 4);
  const auto second = lab.next_counters(heddle);
  EXPECT_EQ(lab.total(second, lab.guid("S1-0"), 1, Counter::symbol_errors), 77'777u);
  EXPECT_EQ(lab.total(second, lab.guid("S1-0"), 1, Counter::looping_errors), 4u);
  EXPECT_GE(lab.total(second, lab.guid("S1-0"), 1, Counter::xmit_data), 0x2'3456'789Au);
  EXPECT_EQ(lab.device(port).symbol_errors, 77'777u) << "it is not cleared";
  EXPECT_THAT(heddle.log(), HasSubstr("[SM-PORT-ERRORS]"));
  EXPECT_EQ(heddle.attachment().sent(mad::Method::set, static_cast<mad::AttributeId>(0x1D)), 0u);
}

TEST(CountersOfAManager, ComeAndGoWithTheOption) {
  Lab lab;
  config::Options off = lab.options;
  off.perfmgr = false;
  Instance& heddle = lab.start("H0", off);
  ASSERT_TRUE(lab.runtime.run_until([&] { return heddle.says("SUBNET UP"); }, kComesUp));
  lab.runtime.run_for(5min);
  EXPECT_FALSE(lab.counters(heddle));
  heddle.reload(lab.options);
  const auto table = lab.next_counters(heddle);
  ASSERT_TRUE(table);
  const std::uint64_t data = lab.total(table, lab.guid("S1-0"), 1, Counter::xmit_data);
  heddle.reload(off);
  EXPECT_TRUE(lab.runtime.run_until([&] { return !lab.counters(heddle); }, 5s));
  heddle.reload(lab.options);
  EXPECT_GE(lab.total(lab.next_counters(heddle), lab.guid("S1-0"), 1, Counter::xmit_data), data);
}

TEST(CountersOfAManager, SaturatedOnesAreAConditionAndAreClearedByOptionOnly) {
  Lab lab;
  lab.make_narrow(lab.node("S1-0"));
  Instance& heddle = lab.start("H0", lab.options);
  lab.device(lab.port("S1-0", 1)).symbol_errors = 65'535;
  lab.device(lab.port("S1-0", 1)).rcv_errors = 5;
  const auto first = lab.next_counters(heddle);
  EXPECT_TRUE(first->find(lab.guid("S1-0"), mad::PortNum{1})->is_saturated(Counter::symbol_errors));
  EXPECT_THAT(heddle.log(), HasSubstr("[SM-COUNTER-SATURATED]"));
  EXPECT_EQ(lab.device(lab.port("S1-0", 1)).symbol_errors, 65'535u);
  config::Options clearing = lab.options;
  clearing.perfmgr_clear_saturated = true;
  heddle.reload(clearing);
  lab.next_counters(heddle);
  EXPECT_EQ(lab.device(lab.port("S1-0", 1)).symbol_errors, 0u);
  EXPECT_EQ(lab.device(lab.port("S1-0", 1)).rcv_errors, 5u) << "is not saturated";
  lab.device(lab.port("S1-0", 1)).symbol_errors = 10;
  EXPECT_EQ(lab.total(lab.next_counters(heddle), lab.guid("S1-0"), 1, Counter::symbol_errors),
            65'545u);
  EXPECT_THAT(heddle.log(), HasSubstr("cleared: "));
}

/// With light sweeps five minutes apart only the counters that are missing show that a switch
/// hangs.
TEST(CountersOfAManager, ASwitchThatHangsIsNamedAndNotEachHostBehindIt) {
  Lab lab;
  Instance& heddle = lab.start("H0", lab.options);
  ASSERT_TRUE(lab.runtime.run_until([&] { return heddle.says("SUBNET UP"); }, kComesUp));
  lab.next_counters(heddle);
  heddle.forget_log();
  lab.node("S1-1").health.silent = true;
  ASSERT_TRUE(lab.runtime.run_until([&] { return heddle.says("SM-N"); }, 4min)) << heddle.tail();
  lab.runtime.run_for(5min);
  const std::string log = heddle.log();
  EXPECT_LT(log.find("\"S1-1\""), log.find("SM-N")) << heddle.tail();
  EXPECT_THAT(log, Not(HasSubstr("SM-COUNTERS-UNAVAILABLE"))) << heddle.tail();
  lab.node("S1-1").health.silent = false;
  ASSERT_TRUE(
      lab.runtime.run_until([&] { return heddle.manager().status().conditions.empty(); }, 10min))
      << heddle.tail();
}

/// Nothing answers any more, and some nodes had answered earlier in the same poll.
TEST(CountersOfAManager, NoHostIsBlamedForTheManagersOwnSwitch) {
  for (const mad::Duration into_the_poll : {0ms, 2ms, 5ms}) {
    Lab lab;
    Instance& heddle = lab.start("H0", lab.options);
    ASSERT_TRUE(lab.runtime.run_until([&] { return heddle.says("SUBNET UP"); }, kComesUp));
    lab.next_counters(heddle);
    heddle.forget_log();
    lab.runtime.run_for(into_the_poll);
    lab.node("S1-0").health.silent = true;
    ASSERT_TRUE(lab.runtime.run_until([&] { return heddle.says("SM-SUBNET-SILENT"); }, 4min))
        << heddle.tail();
    lab.runtime.run_for(3min);
    EXPECT_THAT(heddle.log(), Not(HasSubstr("its performance management agent"))) << heddle.tail();
  }
}

/// Its agents answer NodeInfo and nothing else, so that no sweep of its neighbours shows it.
TEST(CountersOfAManager, AHostWhoseAgentsDoNotAnswerIsAskedBeforeItsFirmwareIsBlamed) {
  Lab lab;
  Instance& heddle = lab.start("H0", lab.options);
  ASSERT_TRUE(lab.runtime.run_until([&] { return heddle.says("SUBNET UP"); }, kComesUp));
  lab.next_counters(heddle);
  heddle.forget_log();
  lab.node("H3").health.agent_ignores_requests = true;
  ASSERT_TRUE(lab.runtime.run_until([&] { return heddle.says("SM-NODE-SILENT"); }, 2min))
      << heddle.tail();
  lab.runtime.run_for(5min);
  EXPECT_THAT(heddle.log(), Not(HasSubstr("SM-COUNTERS-UNAVAILABLE"))) << heddle.tail();
}

TEST(CountersOfAManager, AgentsThatAloneAreSilentAreNamed) {
  Lab lab;
  Instance& heddle = lab.start("H0", lab.options);
  ASSERT_TRUE(lab.runtime.run_until([&] { return heddle.says("SUBNET UP"); }, kComesUp));
  lab.node("H3").health.react_general = [](mad::MadView,
                                           mad::PortNum) -> std::optional<sim::Reaction> {
    return sim::Reaction{};  // no answer
  };
  ASSERT_TRUE(lab.runtime.run_until([&] { return heddle.says("SM-COUNTERS-UNAVAILABLE"); }, 5min))
      << heddle.tail();
  EXPECT_THAT(heddle.log(), HasSubstr("\"H3\""));
  EXPECT_FALSE(heddle.says("SM-NODE-SILENT"));
}

TEST(CountersOfAManager, AStandbyPollsNothingAndGoesOnWhenItLeadsAgain) {
  Lab lab;
  Instance& first = lab.start("H0", lab.options);
  ASSERT_TRUE(lab.runtime.run_until([&] { return first.says("SUBNET UP"); }, kComesUp));
  Instance& second = lab.start("H3", lab.options);
  ASSERT_TRUE(lab.runtime.run_until(
      [&] { return second.manager().state() == mad::SmState::standby; }, kTakeover));
  lab.device(lab.port("S1-1", 1)).symbol_errors = 1000;
  const auto before = lab.next_counters(first);
  EXPECT_FALSE(lab.counters(second));
  EXPECT_EQ(second.attachment().sent(mad::Method::get, static_cast<mad::AttributeId>(0x1D)), 0u);
  first.stop();
  ASSERT_TRUE(lab.runtime.run_until(
      [&] { return second.manager().state() == mad::SmState::master; }, kTakeover));
  lab.device(lab.port("S1-1", 1)).symbol_errors = 1010;
  const auto after = lab.next_counters(second);
  ASSERT_TRUE(after);
  EXPECT_EQ(lab.total(after, lab.guid("S1-1"), 1, Counter::symbol_errors), 1010u);
}

/// A day: traffic, saturation, resets by others, restarts, nodes that disappear, LIDs that change,
/// managers that take over. Totals that a process shows never decrease, and grow by no more than
/// what happened.
TEST(CountersOfAManager, NeverDecreaseInADay) {
  Lab lab;
  lab.options.perfmgr_sweep_time_s = 180;
  lab.options.perfmgr_clear_saturated = true;
  lab.make_narrow(lab.node("S1-0"));
  lab.make_narrow(lab.node("H1"));
  topology::Random random(7);
  Instance& first = lab.start("H0", lab.options);
  Instance& second = lab.start("H3", lab.options);
  ASSERT_TRUE(lab.runtime.run_until(
      [&] { return first.says("SUBNET UP") || second.says("SUBNET UP"); }, kTakeover));

  std::map<std::pair<mad::Guid, unsigned>, std::uint64_t> happened;  // symbol errors
  struct Shown {
    sm::SharedPortCounters table;
    std::size_t compared = 0;
  };
  std::map<const Instance*, Shown> shown;
  const auto compare = [&](const Instance& instance) {
    if (!instance.runs()) return;
    const auto table = lab.counters(instance);
    Shown& last = shown[&instance];
    if (!table || table == last.table) return;
    for (const auto& node : table->nodes) {
      for (const sm::PortCounters& row : node->ports) {
        if (row.read_at == mad::TimePoint{}) continue;
        const std::uint64_t most = happened[{node->node, row.port.value}];
        ASSERT_LE(row.total(Counter::symbol_errors), most);
        const auto* const old = last.table ? last.table->find(node->node, row.port) : nullptr;
        if (old == nullptr) continue;
        for (std::size_t index = 0; index < sm::kCounters; ++index)
          ASSERT_GE(row.total(static_cast<Counter>(index)), old->total(static_cast<Counter>(index)))
              << node->node.value << ' ' << unsigned{row.port.value} << ' '
              << sm::name(static_cast<Counter>(index));
        ++last.compared;
      }
    }
    last.table = table;
  };

  const sim::PortIndex leaf_of_h2 = lab.far(lab.port("H2"));
  unsigned restarts = 0, takeovers = 0;
  for (int step = 0; step < 24 * 60; ++step) {  // a minute each
    for (const sim::PortIndex port : lab.model.ports.indices()) {
      if (lab.model.ports[port].number == 0 || !lab.model.link_up(port)) continue;
      const std::uint64_t errors = random.below(400);
      lab.device(port).symbol_errors += errors;
      lab.device(port).xmit_data += random.below(100'000'000);
      happened[{lab.model.owning_node(port).info.node_guid(), lab.model.ports[port].number}] +=
          errors;
    }
    if (random.percent(2)) {  // perfquery -R of another program
      const sim::PortIndex port = lab.port("S1-1", 1 + static_cast<unsigned>(random.below(4)));
      lab.device(port) = {};
    }
    if (step % 240 == 100) {
      ++restarts;
      const sim::NodeIndex node = lab.model.find(step % 480 == 100 ? "S2-0" : "H1");
      for (unsigned number = 0; number <= lab.model.nodes[node].port_count(); ++number)
        if (const auto port = lab.model.port(node, number); port != sim::kNone)
          lab.device(port) = {};
      lab.world.reboot(node);
    }
    if (step == 300) lab.world.cut(lab.port("H2"));
    if (step == 400) lab.world.connect(lab.port("H2"), leaf_of_h2);
    if (step == 600 || step == 900) {
      Instance& master = first.manager().state() == mad::SmState::master ? first : second;
      master.stop();
      shown.erase(&master);
      ++takeovers;
    }
    if (step == 620 || step == 920)
      for (Instance* each : {&first, &second})
        if (!each->runs()) each->start(lab.options);
    lab.runtime.run_for(1min);
    for (const Instance& instance : lab.instances) ASSERT_NO_FATAL_FAILURE(compare(instance));
  }
  EXPECT_EQ(takeovers, 2u);
  EXPECT_GE(restarts, 5u);
  std::size_t compared = 0;
  for (const auto& [instance, last] : shown) compared += last.compared;
  EXPECT_GT(compared, 1000u);
}

TEST(CountersOfAManager, EndWithIt) {
  Lab lab;
  for (const mad::Duration after : {0us, 50us, 500us, 3000us, 20'000us}) {
    Instance& heddle = lab.start("H0", lab.options);
    ASSERT_TRUE(lab.runtime.run_until([&] { return heddle.says("SUBNET UP"); }, kComesUp));
    lab.runtime.run_for(after);
    heddle.stop();
    lab.instances.clear();
  }
}

}  // namespace counters_test
