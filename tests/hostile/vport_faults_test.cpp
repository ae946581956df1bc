// Hosts whose vports fail, or change without pause: what that costs, and how long the vports of
// other hosts wait meanwhile.

#include <gtest/gtest.h>

#include "sim/virtualized.h"

namespace vport_faults_test {

using laboratory::Virtualized;
using mad::AttributeId;
using mad::Method;
using mad::PortState;
using namespace std::chrono_literals;

class VPortFaults : public testing::Test {
 protected:
  VPortFaults() {
    lab.add_vports();
    lab.partition_by_index();
    lab.options.sweep_interval = 1;
  }
  void SetUp() override { ASSERT_TRUE(lab.bring_up()) << lab.tail(); }

  /// A function of a host is started again: the time from Init to Active, `limit` if it has passed.
  mad::Duration rebind(std::size_t host, std::uint16_t index, mad::Duration limit = 20s) {
    sim::bind_vport(lab.world, lab.hosts[host], index, false);
    lab.runtime.run_for(60ms);
    sim::bind_vport(lab.world, lab.hosts[host], index, true);
    const mad::TimePoint begin = lab.runtime.now();
    lab.runtime.run_until([&] { return lab.state(host, index) == PortState::active; }, limit);
    return lab.runtime.now() - begin;
  }
  /// Requests to the host's node since forget_counts().
  std::uint64_t smps(std::size_t host) const {
    const sim::NodeModel& node = lab.model.owning_node(lab.hosts[host]);
    return node.gets + node.sets;
  }

  Virtualized lab;
};

/// `status` nullopt: it does not answer. 10 minutes have 9 attempts, after 1, 2, 4, ... 256 s.
class OneVPort : public VPortFaults,
                 public testing::WithParamInterface<std::optional<std::uint16_t>> {};
INSTANTIATE_TEST_SUITE_P(Faults, OneVPort,
                         testing::Values(std::nullopt, mad::status::kInvalidValue),
                         [](const auto& param) { return param.param ? "Rejects" : "IsSilent"; });

TEST_P(OneVPort, IsTriedAgainAfterPausesThatGrowAndTheOthersOfItsPortAreServed) {
  sim::VPortFirmware& firmware = sim::vport_firmware(lab.world, lab.hosts[2]);
  firmware.refusals.push_back({.attribute = static_cast<std::uint16_t>(AttributeId::vport_info),
                               .index = std::uint16_t{1},
                               .sets_only = true,
                               .status = GetParam()});
  sim::rebind_vport(lab.world, lab.hosts[2], 1);
  lab.settle();
  lab.forget_counts();
  const std::uint64_t polls = 600;
  constexpr unsigned kRebinds = 60;
  unsigned late = 0;
  for (unsigned number = 0; number < kRebinds; ++number) {
    late += rebind(2, 3) > 50ms;
    late += rebind(7, 3) > 50ms;
    lab.runtime.run_for(10s - 120ms);
  }
  EXPECT_LE(late, 4u) << "what meets an attempt";
  EXPECT_EQ(lab.state(2, 1), PortState::init);
  const std::uint64_t of_rebinds = 2 * kRebinds;
  EXPECT_LE(lab.sent(Method::set, AttributeId::vport_info), of_rebinds + (GetParam() ? 12u : 120u));
  EXPECT_LE(smps(2), smps(7) + polls / 5);
  EXPECT_TRUE(lab.says("[SM-VPORT-REJECTED]"));
  firmware.refusals.clear();
  EXPECT_LE(rebind(2, 1), 50ms) << "which is a reason to try it again";
}

TEST_F(VPortFaults, APortThatNoLongerAnswersDelaysNoOtherByItsTraps) {
  const sim::NodeIndex node = lab.owning_node(lab.hosts[2]);
  lab.model.nodes[node].health.ignored_probability = 1;
  lab.model.nodes[node].health.ignored_attribute =
      static_cast<std::uint16_t>(AttributeId::virtualization_info);
  const mad::TimePoint end = lab.runtime.now() + 120s;
  unsigned late = 0, number = 0;
  for (; lab.runtime.now() < end; ++number) {
    lab.world.note_vport_change(lab.hosts[2]);
    late += rebind(7, 3) > 50ms;
    lab.runtime.run_for(500ms);
  }
  EXPECT_LE(late, 16u) << "of " << number << ": those that meet one of 7 attempts";
  lab.model.nodes[node].health.ignored_probability = 0;
  lab.runtime.run_for(130s);
  EXPECT_LE(rebind(2, 3), 50ms);
}

TEST_F(VPortFaults, AHostThatChangesItsVPortsWithoutPauseDelaysNoOther) {
  constexpr unsigned kSeconds = 20;
  lab.forget_counts();
  mad::Duration most{};
  unsigned changes = 0, rebinds = 0;
  for (unsigned ms = 0; ms < kSeconds * 1000; ++ms) {
    sim::bind_vport(lab.world, lab.hosts[7], static_cast<std::uint16_t>(1 + changes / 2 % 4),
                    changes % 2 == 1);
    ++changes;
    lab.runtime.run_for(1ms);
    if (ms % 500 != 499) continue;
    most = std::max(most, rebind(3, 3));
    ++rebinds;
  }
  EXPECT_LE(most, 50ms);
  const std::uint64_t decisions = sm::VPortPace::kAtOnce + kSeconds;
  EXPECT_LE(lab.sent(Method::get, AttributeId::virtualization_info),
            decisions + 3 * rebinds + (kSeconds + 5) * lab.hosts.size())
      << "decisions about its vports, those of the other host, and light sweeps";
  EXPECT_LE(smps(7), 40 * decisions);
  EXPECT_LE(lab.status().sweeps, 4u);
  lab.settle();
  for (std::uint16_t index = 1; index <= laboratory::kVfs; ++index)
    sim::bind_vport(lab.world, lab.hosts[7], index, true);
  EXPECT_TRUE(lab.recovers());
}

/// Traps alone, of which nothing is true.
TEST_F(VPortFaults, AFloodOfTrapsAboutVPortsIsAFewReadsASecond) {
  lab.forget_counts();
  mad::Duration most{};
  for (unsigned ms = 0; ms < 10'000; ++ms) {
    lab.world.note_vport_change(lab.hosts[7]);
    lab.runtime.run_for(1ms);
    if (ms % 500 == 499) most = std::max(most, rebind(3, 3));
  }
  EXPECT_LE(most, 50ms);
  EXPECT_LE(smps(7), 8u * (sm::VPortPace::kAtOnce + 20));
  EXPECT_LE(lab.heddle().count("\n"), 300u);
}

}  // namespace vport_faults_test
