// Functions under Linux on vports of whole managers: joins, paths, delivery and isolation, and the
// same after all that happens to a fabric.

#include <gtest/gtest.h>

#include <algorithm>

#include "sim/linux_functions.h"
#include "sm/ctl/topology/generators.h"

namespace vport_functions_test {

using laboratory::PairedFunctions;
using laboratory::Virtualized;
using mad::PortState;
using namespace std::chrono_literals;

TEST(VPortFunctions, OfManyHostsWorkAndAreIsolated) {
  PairedFunctions lab(topology::xgft({.children = {15, 20}, .parents = {1, 5}, .cables = {}}), 8,
                      20ms);
  ASSERT_TRUE(lab.come_up()) << lab.function_complaint() << lab.tail();
}

/// Linux shows the state of vport 0 as that of the physical function.
TEST(VPortFunctions, PhysicalOnesAreInactiveForMillisecondsWhenVPortsAreSwitchedOn) {
  PairedFunctions lab(topology::xgft({.children = {3, 4}, .parents = {1, 2}, .cables = {}}), 4);
  lab.options.virt_enabled = 0;
  ASSERT_TRUE(lab.start_and_settle()) << lab.tail();
  for (const sim::PortIndex host : lab.hosts) lab.functions.probe({host, 0});
  lab.runtime.run_for(10ms);
  lab.options.virt_enabled = 2;
  lab.heddle().reload(lab.options);
  std::map<sim::PortIndex, unsigned> inactive_ms;
  for (unsigned ms = 0; ms < 1000; ++ms) {
    lab.runtime.run_for(1ms);
    for (const sim::PortIndex host : lab.hosts)
      if (lab.functions.at({host, 0}).attributes().state != PortState::active) ++inactive_ms[host];
  }
  for (const sim::PortIndex host : lab.hosts) {
    EXPECT_TRUE(sim::has_vports(lab.model.ports[host]));
    EXPECT_LE(inactive_ms[host], 3u) << lab.model.name(host);
  }
}

/// Functions that work, and what happens then.
class VPortFunctionsAfter : public testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(lab.come_up()) << lab.function_complaint() << lab.tail(); }
  void expect_work() {
    EXPECT_TRUE(lab.functions_work()) << lab.function_complaint() << lab.tail();
  }
  sim::VPortPlace place(std::size_t host, std::uint16_t index) const {
    return {lab.hosts[host], index};
  }
  /// Drivers in virtual machines find their functions again.
  void probe_all(std::size_t host) {
    for (std::uint16_t index = 1; index <= lab.vfs; ++index)
      lab.functions.probe(place(host, index));
  }

  PairedFunctions lab{topology::xgft({.children = {3, 4}, .parents = {1, 2}, .cables = {}}), 4};
};

TEST_F(VPortFunctionsAfter, Rebind) {
  for (const std::uint16_t index : {std::uint16_t{1}, std::uint16_t{2}}) {
    sim::bind_vport(lab.world, lab.hosts[3], index, false);
    lab.runtime.run_for(50ms);
    EXPECT_NE(lab.function_complaint(), "");
    sim::bind_vport(lab.world, lab.hosts[3], index, true);
    lab.functions.probe(place(3, index));
  }
  expect_work();
}

TEST_F(VPortFunctionsAfter, ReloadOfThePhysicalFunctionsDriver) {
  sim::reload_driver(lab.world, lab.hosts[3], true);
  lab.runtime.run_for(500ms);
  EXPECT_EQ(lab.state(3, 0), PortState::active);
  EXPECT_EQ(lab.state(3, 1), PortState::down) << "no GUID, and policy Down";
  for (std::uint16_t index = 1; index <= lab.vfs; ++index) {
    sim::set_vport_guid(lab.world, lab.hosts[3], index, Virtualized::guid(3, index));
    sim::set_vport_policy(lab.world, lab.hosts[3], index, sim::VPortPolicy::follow);
  }
  probe_all(3);
  expect_work();
}

TEST_F(VPortFunctionsAfter, RebootOfTheHost) {
  lab.world.reboot(lab.owning_node(lab.hosts[4]));
  lab.runtime.run_for(50ms);
  EXPECT_NE(lab.function_complaint(), "");
  lab.let_nodes_boot();
  probe_all(4);
  expect_work();
}

TEST_F(VPortFunctionsAfter, LinkFlap) {
  lab.world.bounce(lab.hosts[4]);
  lab.runtime.run_for(lab.world.timing.training / 2);
  EXPECT_NE(lab.function_complaint(), "");
  lab.let_links_train();
  expect_work();
}

/// The policy Up: vports stay Active without a link, and Linux sees no event.
TEST_F(VPortFunctionsAfter, LinkFlapThatTheyDoNotSee) {
  for (std::uint16_t index = 1; index <= lab.vfs; ++index)
    sim::set_vport_policy(lab.world, lab.hosts[4], index, sim::VPortPolicy::up);
  const sim::PortIndex far = lab.far(lab.hosts[4]);
  lab.world.cut(lab.hosts[4]);
  lab.runtime.run_for(5s);
  EXPECT_NE(lab.function_complaint(), "");
  EXPECT_EQ(lab.state(4, 1), PortState::active);
  lab.plug(lab.hosts[4], far);
  expect_work();
}

TEST_F(VPortFunctionsAfter, ChangeOfAGuid) {
  const mad::Guid old = Virtualized::guid(2, 1), fresh{0x5000000000009999};
  const std::uint16_t key = lab.make_key(old);
  sim::set_vport_guid(lab.world, lab.hosts[2], 1, fresh);
  sim::LinuxFunction& function = lab.functions.probe(place(2, 1));
  lab.forget(old);
  lab.settle();
  EXPECT_TRUE(function.is_up());
  EXPECT_EQ(function.partition(), mad::kDefaultPKeyFull) << "in no other partition";
  expect_work();
  lab.move_to_partition(fresh, key);
  lab.heddle().partitioning = lab.configuration();
  lab.heddle().reload(lab.options);
  lab.settle();
  expect_work();
  EXPECT_EQ(function.partition(), mad::full_member_key(key));
}

TEST_F(VPortFunctionsAfter, Migration) {
  const mad::Guid guid = Virtualized::guid(1, 2);
  const mad::Lid lid = lab.find_lid(1, 2);
  lab.forget(Virtualized::guid(6, 2));
  lab.functions.remove(place(6, 2));
  sim::destroy_vport(lab.world, lab.hosts[6], 2);
  lab.settle();
  for (const bool overlapping : {false, true}) {
    const auto from = overlapping ? place(6, 2) : place(1, 2),
               to = overlapping ? place(1, 2) : place(6, 2);
    ASSERT_TRUE(
        sim::migrate_vport(lab.world, from, to, {.time = 50ms, .overlapping = overlapping}));
    lab.functions.remove(from);
    const sim::LinuxFunction& moved = lab.functions.probe(to);
    lab.settle();
    expect_work();
    EXPECT_EQ(moved.attributes().gid.guid, guid);
    EXPECT_EQ(moved.attributes().lid, lid);
  }
}

TEST_F(VPortFunctionsAfter, SighupThatMovesOneToAnotherPartition) {
  lab.settle();
  const mad::Guid guid = Virtualized::guid(2, 1);
  lab.move_to_partition(guid, lab.make_key(Virtualized::guid(5, 2)));
  lab.heddle().partitioning = lab.configuration();
  lab.forget_counts();
  lab.heddle().reload(lab.options);
  lab.settle();
  expect_work();
  EXPECT_EQ(lab.sent(mad::Method::set, mad::AttributeId::vport_p_key_table), 1u);
  EXPECT_LE(lab.sent(mad::Method::set, mad::AttributeId::p_key_table), 1u);
  EXPECT_EQ(lab.sent(mad::Method::set, mad::AttributeId::linear_forwarding_table), 0u);
  EXPECT_EQ(lab.functions.at(place(2, 1)).events().back(), sim::FunctionEvent::p_key_change);
}

/// mlx5_ib has no event for another SM LID: without ClientReregister, functions send their requests
/// to the former master.
TEST_F(VPortFunctionsAfter, Takeover) {
  laboratory::Instance& second = lab.add_standby();
  const auto reregistered = [&] {
    std::ptrdiff_t times = 0;
    for (const auto& [at, function] : lab.functions.all())
      times += std::ranges::count(function->events(), sim::FunctionEvent::client_reregister);
    return times;
  };
  const std::ptrdiff_t before = reregistered();
  lab.heddle().stop();
  const auto leads = [&] { return second.manager().status().state == mad::SmState::master; };
  ASSERT_TRUE(lab.runtime.run_until(leads, laboratory::kTakeover)) << second.tail();
  lab.settle();
  expect_work();
  EXPECT_EQ(reregistered() - before, std::ssize(lab.functions.all())) << "each once";
  for (const auto& [at, function] : lab.functions.all())
    EXPECT_EQ(function->manager().lid, lab.info(lab.hosts[11]).lid()) << at.index;
}

TEST_F(VPortFunctionsAfter, Restart) {
  std::size_t events = 0;
  for (const auto& [at, function] : lab.functions.all()) events += function->events().size();
  lab.heddle().stop();
  lab.start();
  lab.settle();
  expect_work();
  for (const auto& [at, function] : lab.functions.all()) events -= function->events().size();
  EXPECT_EQ(events, 0u) << "its state survives: no function registers again";
}

TEST_F(VPortFunctionsAfter, SwitchingOffAndOn) {
  lab.options.virt_enabled = 1;
  lab.heddle().reload(lab.options);
  lab.runtime.run_for(laboratory::kComesUp);
  for (const auto& [at, function] : lab.functions.all())
    EXPECT_EQ(function->attributes().state, PortState::down);
  lab.options.virt_enabled = 2;
  lab.heddle().reload(lab.options);
  expect_work();
}

}  // namespace vport_functions_test
