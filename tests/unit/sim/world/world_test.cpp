#include "unit/sim/world/requester.h"

#include <cerrno>
#include <set>

#include "mad/sa_attribute.h"
#include "sim/scenario/scenario.h"
#include "sim/world/open_requests.h"
#include "sim/world/vport_host.h"
#include "sm/ctl/topology/generators.h"
#include "support/seeds.h"

namespace world_test {

using mad::Method;
using requester::Requester;
using namespace std::chrono_literals;

topology::Topology chain() {
  return topology::row({.switches = 3, .cables = 1, .hosts_per_switch = 3});
}
topology::Topology tree() {
  return topology::xgft({.children = {3, 3}, .parents = {1, 2}, .cables = {}});
}

/// Sends `count` requests to the host's leaf; returns the number of answers, duplicates included.
std::size_t answers(Requester& a, unsigned count) {
  a.received.clear();
  for (unsigned i = 0; i < count; ++i) {
    mad::MadBytes bytes;
    mad::make_dr_smp(bytes, Method::get, mad::AttributeId::node_info, 0,
                     *mad::DirectedRoute::of({1}), {}, 100 + i);
    a.program->send(bytes, {}, 0);
  }
  a.runtime.run_for(5s);
  return a.received.size();
}

TEST(World, LinksLoseDuplicateDelayAndCorrupt) {
  Requester a(chain());
  EXPECT_EQ(answers(a, 1000), 1000u);
  EXPECT_EQ(a.program->in_flight(), 0u);
  a.world.set_quality(a.port("H0"), {.lost = 0.2});
  const std::size_t left = answers(a, 1000);
  EXPECT_GT(left, 550u);  // 64 % are expected
  EXPECT_LT(left, 720u);
  a.world.set_quality(a.port("H0"), {.duplicated = 0.5});
  EXPECT_GT(answers(a, 1000), 1800u);
  EXPECT_EQ(a.program->in_flight(), 0u) << "copies are counted, too";
  a.world.set_quality(a.port("H0"), {.late = 0.3});
  EXPECT_EQ(answers(a, 1000), 1000u);
  std::size_t overtaken = 0;
  for (std::size_t i = 1; i < a.received.size(); ++i) {
    const auto id = [&](std::size_t n) {
      return mad::ConstMadView{
          std::span<const std::uint8_t, mad::kMadSizeBytes>(a.received[n].bytes)}
          .transaction_id();
    };
    overtaken += id(i) < id(i - 1);
  }
  EXPECT_GT(overtaken, 100u);
  a.world.set_quality(a.port("H0"), {.corrupted = 1});
  answers(a, 200);
  std::size_t intact = 0;
  for (const mad::ReceivedMad& mad : a.received) {
    const mad::ConstSmpView smp{std::span<const std::uint8_t, mad::kMadSizeBytes>(mad.bytes)};
    intact += mad.size == 256 && smp.method() == Method::get_resp && smp.status() == 0 &&
              smp.attribute_id() == mad::AttributeId::node_info && smp.transaction_id() >= 100 &&
              smp.transaction_id() < 300 &&
              mad::NodeInfo(smp.data()).node_guid() ==
                  a.world.model.nodes[a.world.model.find("S0")].info.node_guid();
  }
  EXPECT_LT(intact, 150u);
  EXPECT_EQ(a.program->in_flight(), 0u);
}

TEST(World, ACopyOfAnAnswerWhoseProgramHasLeftIsDropped) {
  Requester a(chain());
  a.world.set_quality(a.port("H0"), {.duplicated = 1});
  for (unsigned i = 0; i < 8; ++i) {
    mad::MadBytes bytes;
    mad::make_dr_smp(bytes, Method::get, mad::AttributeId::node_info, 0,
                     *mad::DirectedRoute::of({1}), {}, 100 + i);
    a.program->send(bytes, {}, 0);
  }
  a.program.reset();
  a.runtime.run_for(1s);
  EXPECT_GT(a.world.statistics.mads_answered, 8u) << "each request arrived twice";
}

TEST(World, NodesHangAnswerLateAndAnswerGarbage) {
  Requester a(chain());
  sim::Health& health = a.world.model.nodes[a.world.model.find("S0")].health;
  health.silent = true;
  EXPECT_FALSE(a.get<mad::NodeInfo>(0, {1}));
  health = {};
  health.agent_ignores_requests = true;
  EXPECT_TRUE(a.get<mad::NodeInfo>(0, {1}));
  EXPECT_FALSE(a.get<mad::SwitchInfo>(0, {1}));
  health = {};
  health.bad_status = 1;
  EXPECT_EQ(a.get<mad::NodeInfo>(0, {1})->status(), mad::status::kInvalidValue);
  health = {};
  health.slow_min = health.slow_max = 20ms;
  EXPECT_FALSE(a.get<mad::NodeInfo>(0, {1})) << "not yet";
  a.runtime.run_for(30ms);
  EXPECT_EQ(a.received.size(), 1u);
  health = {};
  health.lies = 1;
  EXPECT_NE(a.get<mad::NodeInfo>(0, {1})->as<mad::NodeInfo>().node_guid(),
            a.world.model.nodes[a.world.model.find("S0")].info.node_guid());
}

TEST(World, AnAgentMayServeOneRequestAfterTheOther) {
  Requester a(chain());
  sim::NodeModel& node = a.world.model.nodes[a.world.model.find("S0")];
  node.health.service_time = 20ms;
  node.health.queue = 3;
  const auto send = [&](unsigned count) {
    for (unsigned i = 0; i < count; ++i) {
      mad::MadBytes bytes;
      mad::make_dr_smp(bytes, mad::Method::get, mad::AttributeId::node_info, 0,
                       *mad::DirectedRoute::of({1}), {}, ++a.transaction);
      EXPECT_EQ(a.program->send(bytes, {}, 1000), 0);
    }
  };
  send(10);
  for (unsigned served = 1; served <= 4; ++served) {
    a.runtime.run_for(20ms);
    a.runtime.run_for(100us);
    EXPECT_EQ(a.received.size(), served);
  }
  a.runtime.run_for(1s);
  EXPECT_EQ(a.received.size(), 4u) << "one that is served, and three that wait";
  EXPECT_EQ(node.agent_drops, 6u);
  send(2);
  node.health.powered = false;
  a.runtime.run_for(1s);
  EXPECT_EQ(a.received.size(), 4u);
  EXPECT_EQ(a.program->in_flight(), 0u);
}

/// As the kernel does.
TEST(World, AProgramGetsTheFirstResponseWhileItsRequestIsOpen) {
  Requester a(chain());
  sim::Health& health = a.world.model.nodes[a.world.model.find("S0")].health;
  health.slow_min = health.slow_max = 20ms;
  mad::MadBytes bytes;
  mad::make_dr_smp(bytes, mad::Method::get, mad::AttributeId::node_info, 0,
                   *mad::DirectedRoute::of({1}), {}, 77);
  EXPECT_EQ(a.program->send(bytes, {}, 30), 0);
  EXPECT_EQ(a.program->send(bytes, {}, 30), EINVAL) << "its transaction is open";
  a.runtime.run_for(25ms);
  EXPECT_EQ(a.received.size(), 1u);
  EXPECT_EQ(a.program->send(bytes, {}, 10), 0);
  a.runtime.run_for(100ms);
  EXPECT_EQ(a.received.size(), 1u) << "the second response was late";
  EXPECT_EQ(a.program->send(bytes, {}, 0), 0);
}

/// As the kernel does: only a program that has no kernel RMPP knows the end of its message.
TEST(World, AProgramGetsSegmentsOfRmppAfterTheFirstResponse) {
  sim::OpenRequests requests;
  mad::MadBytes bytes{};
  mad::SaView mad{std::span<std::uint8_t, mad::kMadBytes>(bytes)};
  mad.set_mgmt_class(mad::MgmtClass::sa);
  mad.set_method(Method::get_table);
  mad.set_transaction_id(77);
  const mad::TimePoint now{};
  ASSERT_TRUE(requests.open(mad::ConstMadView(bytes), now, 100ms));
  mad.set_method(Method::get_table_resp);
  mad.set_rmpp_flags(mad::rmpp_flag::kActive);
  EXPECT_TRUE(requests.takes(mad::ConstMadView(bytes), now));
  EXPECT_TRUE(requests.takes(mad::ConstMadView(bytes), now)) << "the second segment";
  mad.set_rmpp_flags(0);
  EXPECT_FALSE(requests.takes(mad::ConstMadView(bytes), now)) << "a second response";
}

TEST(World, RebootLosesSettings) {
  Requester a(chain());
  a.bring_up();
  const sim::NodeIndex leaf = a.world.model.find("S1");
  const mad::Guid guid = a.world.model.nodes[leaf].info.node_guid();
  a.world.reboot(leaf);
  EXPECT_EQ(a.info("H3").port_state(), mad::PortState::down);
  a.runtime.run_for(3s);
  EXPECT_EQ(a.info("H3").port_state(), mad::PortState::init);
  EXPECT_EQ(a.info("S1", 0).lid(), mad::Lid{});
  EXPECT_EQ(a.world.model.nodes[leaf].sw->lft[1], mad::kNoPort.value);
  EXPECT_EQ(a.world.model.nodes[leaf].info.node_guid(), guid);
  EXPECT_EQ(a.info("H3").lid(), mad::Lid{4}) << "its neighbours keep their settings";
}

TEST(World, ProgramsOfOnePortReceiveTheirOwnAnswers) {
  Requester a(tree());
  a.bring_up();
  const auto second = a.world.attach(a.port("H0"));
  std::vector<mad::ReceivedMad> seconds;
  second->set_receiver([&](std::span<const mad::ReceivedMad> mads) {
    seconds.insert(seconds.end(), mads.begin(), mads.end());
  });
  const auto manager = a.world.attach(a.port("H4"));
  manager->set_is_sm(true);
  std::vector<mad::ReceivedMad> requested;
  manager->set_receiver([&](std::span<const mad::ReceivedMad> mads) {
    for (const mad::ReceivedMad& mad : mads) {
      requested.push_back(mad);
      mad::MadBytes bytes = mad.bytes;
      mad::MadView view{std::span<std::uint8_t, mad::kMadSizeBytes>(bytes)};
      view.set_method(Method::get_resp);
      manager->send(bytes, mad.from, 0);
    }
  });
  a.runtime.run_for(1ms);
  requested.clear();
  const auto ask_sa = [&](sim::Attachment& from, std::uint64_t transaction) {
    mad::MadBytes bytes;
    mad::make_lid_smp(bytes, Method::get, mad::AttributeId::node_info, 0, {}, transaction)
        .set_mgmt_class(mad::MgmtClass::sa);
    EXPECT_EQ(from.send(bytes, {.lid = a.lid("H4"), .qpn = 1}, 100), 0);
  };
  ask_sa(*a.program, 1);
  ask_sa(*second, 2);
  a.runtime.run_for(1ms);
  EXPECT_EQ(requested.size(), 2u);
  ASSERT_EQ(a.received.size(), 1u);
  ASSERT_EQ(seconds.size(), 1u);
  EXPECT_EQ((mad::ConstMadView{std::span<const std::uint8_t, mad::kMadSizeBytes>(seconds[0].bytes)}
                 .transaction_id()),
            2u);
  EXPECT_EQ(seconds[0].from.lid, a.lid("H4"));
  EXPECT_EQ(seconds[0].from.qpn, 1u);
}

std::string trace_of(std::uint64_t seed) {
  Requester a(tree(), seed);
  std::string text;
  a.world.trace = [&](std::string_view line) { text.append(line).append("\n"); };
  a.world.qualities.front() = {
      .latency_max = 900us, .lost = 0.05, .duplicated = 0.05, .corrupted = 0.05, .late = 0.05};
  a.bring_up();
  sim::random_scenario(a.world.model, seed,
                       {.until = 20s, .mean_interval = 500ms, .kinds = sim::random_kinds()})
      .schedule(a.world);
  answers(a, 200);
  a.runtime.run_for(30s);
  return text;
}

TEST(World, TheSameSeedGivesTheSameEventsByteForByte) {
  seeds::for_each(20, [](std::uint64_t seed) {
    const std::string once = trace_of(seed);
    EXPECT_GT(once.size(), 10'000u);
    EXPECT_EQ(once, trace_of(seed));
    EXPECT_NE(once, trace_of(seed + 1));
  });
}

TEST(World, ARandomScenarioEndsWithTheWholeFabric) {
  seeds::for_each(50, [](std::uint64_t seed) {
    Requester a(tree(), seed);
    std::size_t cables = 0;
    for (const sim::PortModel& port : a.world.model.ports) cables += port.peer != sim::kNone;
    sim::random_scenario(a.world.model, seed,
                         {.until = 60s, .mean_interval = 300ms, .kinds = sim::random_kinds()})
        .schedule(a.world);
    a.runtime.run_for(61s);
    for (const sim::PortIndex port : a.world.model.ports.indices()) {
      const sim::PortModel& of = a.world.model.ports[port];
      cables -= of.peer != sim::kNone;
      EXPECT_TRUE(of.peer == sim::kNone || a.world.model.link_up(port)) << a.world.model.name(port);
    }
    EXPECT_EQ(cables, 0u);
    for (const sim::NodeIndex node : a.world.model.nodes.indices())
      EXPECT_TRUE(a.world.model.alive(node));
  });
}

TEST(World, VPortsAreThereAfterRandomFaultsOfThem) {
  seeds::for_each(50, [](std::uint64_t seed) {
    Requester a(tree(), seed);
    std::set<mad::Guid> guids;
    for (const sim::PortIndex port : a.world.model.ports.indices()) {
      if (!sim::enable_virtualization(a.world, port, 8)) continue;
      if (a.world.model.ports[port].peer == sim::kNone) continue;
      for (std::uint16_t index = 1; index <= 3; ++index) {
        guids.insert({0x100 * std::uint64_t{port} + index});
        sim::create_vport(a.world, port, index, {.guid = {0x100 * std::uint64_t{port} + index}});
      }
    }
    sim::random_scenario(a.world.model, seed,
                         {.until = 30s, .mean_interval = 1s, .kinds = sim::random_vport_kinds()})
        .schedule(a.world);
    a.runtime.run_for(31s);
    std::set<mad::Guid> left;
    std::size_t count = 0;
    for (const sim::PortModel& port : a.world.model.ports) {
      if (!sim::find_vport(port, 0)) continue;
      EXPECT_EQ(sim::vport_firmware(port).time, mad::Duration{});
      EXPECT_TRUE(sim::vport_firmware(port).refusals.empty());
      for (const auto& [index, vport] : port.extras->vports) {
        if (index == 0) continue;
        ++count;
        EXPECT_TRUE(vport.bound);
        const mad::Guid guid = sim::vport_info(vport).port_guid();
        if (sim::is_vport_guid(guid)) {
          EXPECT_TRUE(left.insert(guid).second) << "a GUID is there twice";
        }
      }
    }
    EXPECT_GE(count + 3, guids.size()) << "few find no place on hosts that are full";
  });
}

}  // namespace world_test
