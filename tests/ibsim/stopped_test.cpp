// The simulator stops in the middle of work, as a device does whose firmware hangs: nothing waits
// for it without end, and all goes on when it continues.

#include <chrono>

#include "ibsim/fixture.h"
#include "sm/ctl/topology/generators.h"

namespace harness {
namespace stopped_test {

/// The daemon promises two seconds; machines may be three times slower.
constexpr Milliseconds kEndsWithin(6'000);
/// How long the simulator is stopped at most: until the manager reports it, which it does after a
/// second if the sockets are full.
constexpr Milliseconds kStopped(5'000);

struct StoppedCase {
  std::string name;
  std::vector<std::string> args;
  bool blocks;  // more MADs are under way than the sockets hold, at once
};

class Stopped : public OnIbsim, public ::testing::WithParamInterface<StoppedCase> {
 protected:
  /// Stops the simulator when the manager has read the fabric, before it has written all.
  SubnetManager& stop_during_bring_up() {
    // Large enough for a bring-up of a second.
    start_fabric(topology::fat_tree({.hosts = 972, .radix = 36, .levels = 3}));
    SubnetManager& sm = start_sm({.args = GetParam().args});
    EXPECT_TRUE(sm.wait_log("Entering MASTER state"));
    fabric().simulator().stop();
    return sm;
  }
};

TEST_P(Stopped, SigtermEndsTheManager) {
  SubnetManager& sm = stop_during_bring_up();
  const bool blocked = sm.wait_log("SM-PORT-BLOCKED", 0, kStopped).has_value();
  EXPECT_TRUE(blocked || !GetParam().blocks);
  const auto begin = std::chrono::steady_clock::now();
  sm.signal(SIGTERM);
  const auto exit = sm.wait_exit(kEndsWithin);
  const auto took = std::chrono::steady_clock::now() - begin;
  ASSERT_TRUE(exit.has_value()) << "still running";
  EXPECT_EQ(exit->code, 0);
  EXPECT_THAT(sm.log(), ::testing::ContainsRegex("ibsim0 port 1, GUID 0x[0-9a-f]+ hangs"));
  RecordProperty("ms", static_cast<int>(std::chrono::duration_cast<Milliseconds>(took).count()));
}

TEST_P(Stopped, TheBringUpGoesOnWhenItContinues) {
  SubnetManager& sm = stop_during_bring_up();
  const bool blocked = sm.wait_log("SM-PORT-BLOCKED", 0, kStopped).has_value();
  EXPECT_TRUE(blocked || !GetParam().blocks);
  fabric().simulator().signal(SIGCONT);
  ASSERT_TRUE(sm.wait_subnet_up(Milliseconds(120'000)));
  expect_converges(sm, 0, {.traces_max = 10});
}

INSTANTIATE_TEST_SUITE_P(
    With, Stopped,
    ::testing::Values(StoppedCase{"Defaults", {}, false},
                      StoppedCase{"FewSmps", {"--maxsmps", "8"}, false},
                      StoppedCase{"MoreSmpsThanTheSocketsHold", {"--maxsmps", "1000"}, true}),
    [](const auto& test) { return test.param.name; });

}  // namespace stopped_test
}  // namespace harness
