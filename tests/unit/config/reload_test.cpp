#include "config/reload.h"

#include <gmock/gmock.h>

#include "config/check.h"
#include "option_samples.h"

namespace config {
namespace reload_test {

using testing::ElementsAre;
using testing::IsEmpty;

class ReloadTest : public testing::Test {
 protected:
  void start_with(const std::string& file) {
    Diagnostics found;
    load_config("f", disk({{"f", file}}), from_file, found);
    running = from_file;
  }
  Reloaded hup(const std::string& file) {
    Reloaded result = reload("f", disk({{"f", file}}), running, from_file);
    running = result.options;
    from_file = result.from_file;
    return result;
  }
  Options running, from_file;
};

TEST_F(ReloadTest, NothingChanged) {
  start_with("lmc 1\nsm_priority 3\n");
  const Reloaded result = hup("lmc 1\nsm_priority 3\n");
  EXPECT_THAT(result.changed, IsEmpty());
  EXPECT_THAT(texts(result.diagnostics), IsEmpty());
}

TEST_F(ReloadTest, AppliesKeysThatMayChange) {
  start_with("sm_priority 3\n");
  const Reloaded result = hup("sm_priority 4\nsweep_interval 30\n");
  EXPECT_THAT(result.changed, ElementsAre("sweep_interval", "sm_priority"));
  EXPECT_EQ(running.sm_priority, 4);
  EXPECT_EQ(running.sweep_interval, 30U);
}

/// Without a line the window of SMPs adapts.
TEST_F(ReloadTest, ADefaultInTheFileCounts) {
  start_with("sm_priority 3\n");
  ASSERT_FALSE(running.is_set("max_wire_smps"));
  hup("sm_priority 3\nmax_wire_smps 4\ntransaction_timeout 100\n");
  EXPECT_TRUE(running.is_set("max_wire_smps"));
  EXPECT_EQ(running.transaction_timeout, 100U);
}

TEST_F(ReloadTest, ReportsKeysThatNeedARestartEachTime) {
  start_with("lmc 1\n");
  for (int i = 0; i < 2; ++i) {
    const Reloaded result = hup("sm_priority 1\n lmc 2\n");
    EXPECT_THAT(
        texts(result.diagnostics),
        ElementsAre(
            "f:2:6: warning: lmc changed from 1 to 2, which has no effect now; restart Heddle"));
    EXPECT_EQ(running.lmc, 1);
  }
  EXPECT_EQ(running.sm_priority, 1);
}

TEST_F(ReloadTest, AFlagIsInEffectUntilTheLineIsEdited) {
  start_with("sm_priority 3\n");
  running.sm_priority = 9;  // -p 9
  running.origins["sm_priority"] = {"command line"};
  EXPECT_THAT(hup("sm_priority 3\nsweep_interval 30\n").changed, ElementsAre("sweep_interval"));
  EXPECT_EQ(running.sm_priority, 9);
  EXPECT_THAT(hup("sm_priority 4\nsweep_interval 30\n").changed, ElementsAre("sm_priority"));
  EXPECT_EQ(running.sm_priority, 4);
  EXPECT_EQ(running.origins.at("sm_priority").line, 1);
}

TEST_F(ReloadTest, RemovedLinesChangeNothingExceptQosSets) {
  start_with("sm_priority 3\nqos_max_vls 4\ncc_ca_cong_setting_ccti_min 3 9\n");
  const Reloaded result = hup("\n");
  EXPECT_THAT(result.changed, ElementsAre("qos_max_vls"));
  EXPECT_EQ(running.sm_priority, 3);
  EXPECT_EQ(running.qos_sets[0].max_vls, 0U);
  EXPECT_FALSE(running.is_set("qos_max_vls"));
  EXPECT_EQ(running.cc_ca_cong_setting_ccti_min[3], 9);
}

TEST_F(ReloadTest, ErrorsKeepTheOldOptions) {
  start_with("sm_priority 3\n");
  const Reloaded result = hup("sm_priority 4\nsweep_interval x\n");
  EXPECT_THAT(
      texts(result.diagnostics),
      ElementsAre(
          "f:2:16: error: 'x' is not a value for sweep_interval; write a number in 0..4294"));
  EXPECT_THAT(result.changed, IsEmpty());
  EXPECT_EQ(running.sm_priority, 3);
}

TEST_F(ReloadTest, ContradictionsKeepTheOldOptions) {
  start_with("m_key 5\nm_key_protection_level 2\n");
  EXPECT_TRUE(has_errors(hup("m_key_lease_period 5\n").diagnostics));
  EXPECT_EQ(running.m_key_lease_period, 0);
}

TEST_F(ReloadTest, MissingFileChangesNothing) {
  start_with("sm_priority 3\n");
  const Reloaded result = reload("f", disk({}), running, from_file);
  EXPECT_THAT(
      texts(result.diagnostics),
      ElementsAre("f: warning: cannot be read: No such file or directory; defaults are used"));
  EXPECT_EQ(result.options.sm_priority, 3);
}

}  // namespace reload_test
}  // namespace config
