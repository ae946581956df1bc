// A manager in STANDBY reads the subnet, and a takeover uses that view.

#include <gtest/gtest.h>

#include "sim/sa_lab.h"
#include "sm/ctl/topology/generators.h"

namespace standby_test {

using laboratory::Instance;
using laboratory::SaLab;
using namespace std::chrono_literals;

/// "H0" is MASTER, "H4" its standby, devices take their time.
class Pair : public SaLab {
 public:
  explicit Pair(config::Options standby_options = {})
      : SaLab(topology::xgft({.children = {3, 4}, .parents = {1, 3}, .cables = {}})) {
    world.timing.agent_min = 1ms;
    world.timing.agent_max = 3ms;
    options.sm_priority = 3;
    start();
    EXPECT_TRUE(comes_up()) << tail();
    standby_options.sm_priority = 2;
    second = &Laboratory::start("H4", standby_options);
    second->tap().on_request = [this](mad::ConstSmpView smp) {
      if (smp.attribute_id() == mad::AttributeId::sm_info) return;
      reads_tables_as_master |= state() == mad::SmState::master &&
                                smp.attribute_id() == mad::AttributeId::linear_forwarding_table;
      (smp.method() == mad::Method::set ? sets : reads).push_back(runtime.now());
    };
    EXPECT_TRUE(runtime.run_until([this] { return state() == mad::SmState::standby; }, 5s));
    reads.clear();
  }
  ~Pair() { second->tap().on_request = {}; }

  mad::SmState state() const { return second->manager().status().state; }
  sm::ManagerStatus of_second() const { return second->manager().status(); }
  bool read_all(mad::Duration limit = 60s) {
    return runtime.run_until([this] { return of_second().standby_view.has_value(); }, limit);
  }
  /// The most in any second.
  std::size_t reads_per_second() const {
    std::size_t most = 0;
    for (std::size_t first = 0, last = 0; last < reads.size(); ++last) {
      while (reads[last] - reads[first] > 1s) ++first;
      most = std::max(most, last - first + 1);
    }
    return most;
  }
  void outrank_the_master() {
    config::Options higher = second->options();
    higher.sm_priority = 9;
    second->reload(higher);
  }
  bool becomes_master(mad::Duration limit = 5s) {
    return runtime.run_until([this] { return state() == mad::SmState::master; }, limit);
  }

  Instance* second;
  bool reads_tables_as_master = false;
  std::vector<mad::TimePoint> reads, sets;  // requests of the second manager, SMInfo apart
};

TEST(Standby, AnswersClientsFromWhatItHasReadAsSoonAsItLeads) {
  Pair lab;
  ASSERT_TRUE(lab.read_all()) << lab.second->tail();
  lab.heddle().stop();
  ASSERT_TRUE(lab.becomes_master()) << lab.second->tail();
  const mad::Lid lid = lab.info(lab.port("H4")).lid();
  ASSERT_TRUE(lab.runtime.run_until([&] { return lab.info(lab.port("H7")).master_sm_lid() == lid; },
                                    200ms));
  EXPECT_FALSE(lab.reads_tables_as_master) << "clients learn of it before that";
  EXPECT_TRUE(lab.path("H7", lab.host("H9").gid()));
  EXPECT_TRUE(lab.join("H7"));
  EXPECT_FALSE(lab.second->says("SUBNET UP")) << "clients need not wait for the sweep";
  ASSERT_TRUE(lab.runtime.run_until([&] { return lab.second->says("SUBNET UP"); }, 10s));
  EXPECT_TRUE(lab.group_settles(lab.join("H9")->mlid(), {"H7", "H9"}));
}

TEST(Standby, AnswersAtOnceAfterAHandover) {
  Pair lab;
  ASSERT_TRUE(lab.read_all()) << lab.second->tail();
  lab.outrank_the_master();
  ASSERT_TRUE(lab.read_all()) << "the reload begins it again";
  ASSERT_TRUE(lab.becomes_master(15s)) << lab.second->tail();
  ASSERT_TRUE(lab.runtime.run_until(
      [&] { return lab.second->says("answers from the subnet read in STANDBY"); }, 500ms))
      << lab.second->tail();
  EXPECT_FALSE(lab.second->says("SUBNET UP"));
}

/// Each request is sent once, to where MasterSMLID leads then.
TEST(Standby, AHandoverLosesNoRequest) {
  Pair lab;
  ASSERT_TRUE(lab.read_all()) << lab.second->tail();
  lab.outrank_the_master();
  sim::SaClient& client = lab.host("H7");
  const sim::SaRequest question = lab.path_request("H7", lab.host("H9").gid());
  std::vector<std::uint64_t> sent, joins;
  const mad::TimePoint end = lab.runtime.now() + 20s;
  while (lab.runtime.now() < end) {
    sent.push_back(client.post(question));
    joins.push_back(client.post(lab.join_request("H7")));
    lab.runtime.run_for(10ms);
  }
  EXPECT_EQ(lab.state(), mad::SmState::master);
  EXPECT_TRUE(lab.heddle().says("clients ask the new master now")) << lab.tail();
  std::size_t lost = 0;
  for (const std::uint64_t id : sent) lost += !client.replies().contains(id);
  EXPECT_EQ(lost, 0u) << "of " << sent.size();
  std::size_t waiting = 0;
  for (const std::uint64_t id : joins) {
    const auto reply = client.take_reply(id);
    waiting += !reply;
    EXPECT_TRUE(!reply || reply->status() == mad::status::kOk) << reply->status();
  }
  EXPECT_GT(waiting, 0u) << "what writes waits for the new master; its client repeats it";
  EXPECT_LT(waiting, joins.size() / 2);
}

TEST(Standby, SetsClientReregisterOnceInATakeover) {
  Pair lab;
  ASSERT_TRUE(lab.read_all());
  unsigned orders = 0;
  lab.second->tap().on_request = [&](mad::ConstSmpView smp) {
    if (smp.method() == mad::Method::set && smp.attribute_id() == mad::AttributeId::port_info)
      orders += mad::PortInfo(smp.data()).client_reregister();
  };
  lab.heddle().stop();
  ASSERT_TRUE(lab.runtime.run_until([&] { return lab.second->says("SUBNET UP"); }, 10s));
  lab.runtime.run_for(30s);
  std::size_t end_ports = 0;
  for (const sim::PortIndex port : lab.model.ports.indices())
    end_ports += lab.model.is_end_port(port) &&
                 (lab.model.ports[port].number == 0 || lab.model.link_up(port));
  EXPECT_LE(orders, end_ports);
  EXPECT_GE(orders, 12u) << "each host";
}

/// The port of the standby lost its LID when the master ended: no client can get ClientReregister
/// before the sweep sets it. Clients were registered with a manager that had this LID.
TEST(Standby, SetsClientReregisterInTheSweepIfItsOwnPortHasNoLidYet) {
  Pair lab;
  ASSERT_TRUE(lab.read_all());
  lab.heddle().stop();
  const mad::Lid own = lab.info(lab.port("H4")).lid();
  lab.info(lab.port("H4")).set_lid(mad::Lid{});
  for (const sim::PortIndex port : lab.model.ports.indices())
    if (lab.model.is_end_port(port)) lab.info(port).set_master_sm_lid(own);
  unsigned orders = 0;
  lab.second->tap().on_request = [&](mad::ConstSmpView smp) {
    if (smp.method() == mad::Method::set && smp.attribute_id() == mad::AttributeId::port_info)
      orders += mad::PortInfo(smp.data()).client_reregister();
  };
  ASSERT_TRUE(lab.runtime.run_until([&] { return lab.second->says("SUBNET UP"); }, 60s));
  lab.runtime.run_for(10s);
  EXPECT_GE(orders, 12u) << "each host\n" << lab.second->tail();
}

TEST(Standby, KeepsToItsRateAndWritesNothing) {
  config::Options options;
  options.standby_read_rate = 100;
  Pair lab(options);
  ASSERT_TRUE(lab.read_all()) << lab.second->tail();
  lab.runtime.run_for(5min);
  EXPECT_TRUE(lab.sets.empty());
  EXPECT_GE(lab.reads.size(), 500u) << "it reads again and again";
  EXPECT_LE(lab.reads_per_second(), 102u);
}

/// Deciding may take seconds on a large fabric.
TEST(Standby, ReadsTablesAgainOnlyAfterAChangeOrTenMinutes) {
  Pair lab;
  ASSERT_TRUE(lab.read_all());
  const auto tables = [&] {
    return lab.second->attachment().sent(mad::Method::get,
                                         mad::AttributeId::linear_forwarding_table);
  };
  std::uint64_t before = tables();
  const mad::TimePoint read = lab.of_second().standby_view->read;
  lab.runtime.run_for(5min);
  EXPECT_EQ(tables(), before);
  EXPECT_GE(lab.of_second().standby_view->read - read, 4min) << "it surveys meanwhile";
  lab.world.cut(lab.port("H9"));
  lab.runtime.run_for(2min);
  EXPECT_GT(tables(), before);
  before = tables();
  lab.runtime.run_for(11min);
  EXPECT_GT(tables(), before);
}

TEST(Standby, WithRateZeroReadsNothing) {
  config::Options options;
  options.standby_read_rate = 0;
  Pair lab(options);
  lab.runtime.run_for(5min);
  EXPECT_TRUE(lab.reads.empty());
  EXPECT_FALSE(lab.of_second().standby_view);
  lab.heddle().stop();
  ASSERT_TRUE(lab.runtime.run_until([&] { return lab.second->says("SUBNET UP"); }, 10s));
}

TEST(Standby, FollowsChangesWithinTwoMinutes) {
  Pair lab;
  ASSERT_TRUE(lab.read_all());
  const std::size_t nodes = lab.of_second().subnet->fabric.nodes.size();
  const sim::PortIndex host = lab.port("H9"), leaf = lab.far(host);
  lab.world.cut(host);
  ASSERT_TRUE(lab.runtime.run_until(
      [&] { return lab.of_second().subnet->fabric.nodes.size() == nodes - 1; }, 2min));
  lab.plug(host, leaf);
  ASSERT_TRUE(lab.runtime.run_until(
      [&] { return lab.of_second().subnet->fabric.nodes.size() == nodes; }, 2min));
}

TEST(Standby, ReadingThatHangsDelaysNoTakeover) {
  config::Options options;
  options.standby_read_rate = 20;
  options.audit_interval = 0;  // it would read, too
  Pair lab(options);
  lab.runtime.run_for(2s);
  for (const char* const silent : {"H8", "H9", "H10"})
    lab.node(silent).health.agent_ignores_requests = true;
  lab.runtime.run_for(2s);
  EXPECT_FALSE(lab.of_second().standby_view);
  lab.heddle().stop();
  ASSERT_TRUE(lab.becomes_master()) << lab.second->tail();
  lab.runtime.run_for(3s);
  const std::size_t before = lab.reads.size();
  lab.runtime.run_for(5s);
  EXPECT_LT(lab.reads.size() - before, 60u) << "it still reads as a standby";
}

TEST(Standby, DoesNotAnswerFromWhatIsNoLongerThere) {
  Pair lab;
  ASSERT_TRUE(lab.read_all());
  // A rack goes down, with the master.
  for (const char* const host : {"H1", "H2", "H3", "H5", "H6", "H7", "H8", "H9", "H10", "H11"})
    lab.world.cut(lab.port(host));
  lab.heddle().stop();
  ASSERT_TRUE(lab.becomes_master());
  EXPECT_FALSE(lab.second->says("answers from the subnet read in STANDBY")) << lab.second->tail();
  ASSERT_TRUE(lab.runtime.run_until([&] { return lab.second->says("SUBNET UP"); }, 10s));
}

/// Else requests of one count as those of the other, until the first sweep is over.
TEST(Standby, DoesNotAnswerWhereTheMasterHasGivenLidsToOthersSinceItRead) {
  Pair lab;
  ASSERT_TRUE(lab.read_all());
  mad::PortInfo &a = lab.info(lab.port("H7")), &b = lab.info(lab.port("H9"));
  const mad::Lid lid = a.lid();
  a.set_lid(b.lid());
  b.set_lid(lid);
  lab.heddle().stop();
  ASSERT_TRUE(lab.becomes_master());
  ASSERT_TRUE(lab.runtime.run_until([&] { return lab.second->says("SUBNET UP"); }, 10s));
  EXPECT_FALSE(lab.second->says("answers from the subnet read in STANDBY")) << lab.second->tail();
}

TEST(Standby, StopsWhileItReads) {
  for (const mad::Duration when : {0ms, 1ms, 7ms, 20ms, 100ms}) {
    Pair lab;
    lab.runtime.run_for(when);
    lab.second->stop();
  }
}

}  // namespace standby_test
