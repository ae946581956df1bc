#include "config/reload.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "config/engine_names.h"
#include "config/schema.h"
#include "config/value.h"
#include "option_samples.h"

namespace config {
namespace reload_test {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class ReloadTest : public testing::Test {
 protected:
  void start_with(const std::string& file, std::vector<const char*> flags = {}) {
    std::vector<const char*> args{"heddle", "-F", "f"};
    args.insert(args.end(), flags.begin(), flags.end());
    configured = parse_command_line(args, disk({{"f", file}}));
    ASSERT_EQ(configured.action, CommandLine::Action::run);
    running = configured.options;
  }
  Reloaded hup(const std::string& file) { return hup(disk({{"f", file}})); }
  Reloaded hup(const FileReader& reader) {
    Reloaded result = reload(configured, running, reader);
    running = result.options;
    configured = result.configured;
    return result;
  }
  CommandLine configured;
  Options running;
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
  const Reloaded set = hup("sm_priority 3\nmax_wire_smps 4\ntransaction_timeout 100\n");
  EXPECT_THAT(set.changed, ElementsAre("max_wire_smps", "transaction_timeout"));
  EXPECT_TRUE(running.is_set("max_wire_smps"));
  EXPECT_EQ(running.transaction_timeout, 100U);
  EXPECT_THAT(hup("sm_priority 3\ntransaction_timeout 100\n").changed,
              ElementsAre("max_wire_smps"));
  EXPECT_FALSE(running.is_set("max_wire_smps"));
}

TEST_F(ReloadTest, ReportsKeysThatNeedARestartEachTime) {
  start_with("lmc 1\n");
  for (int i = 0; i < 2; ++i) {
    const Reloaded result = hup("sm_priority 1\n lmc 2\n");
    EXPECT_THAT(
        texts(result.diagnostics),
        ElementsAre(
            "f:2:6: warning: lmc changed from 1 to 2, which has no effect now: end ports would get "
            "other LIDs, which ends their connections; restart Heddle"));
    EXPECT_EQ(running.lmc, 1);
  }
  EXPECT_EQ(running.sm_priority, 1);
}

TEST_F(ReloadTest, ALineThatIsGoneIsTheDefaultAgain) {
  const std::string keys = "sa_key 5\nsm_key 6\n";
  start_with(keys +
             "sm_priority 3\nqos_max_vls 4\ncc_ca_cong_setting_ccti_min 3 9\nm_key 0x12\n"
             "http_listen 127.0.0.1:1\n");
  const Reloaded result = hup(keys);
  EXPECT_THAT(result.changed,
              testing::UnorderedElementsAre("sm_priority", "qos_max_vls",
                                            "cc_ca_cong_setting_ccti_min", "m_key", "http_listen"));
  EXPECT_THAT(result.needs_restart, IsEmpty());
  Options expected;
  expected.sa_key = 5, expected.sm_key = 6;
  EXPECT_THAT(differences(running, expected), IsEmpty());
  EXPECT_FALSE(running.is_set("qos_max_vls"));
  EXPECT_FALSE(running.is_set("sm_priority"));
  EXPECT_THAT(hup(keys).changed, IsEmpty());
}

TEST_F(ReloadTest, ALineThatIsGoneNeedsARestartWhereAChangedOneDoes) {
  start_with("lmc 1\nsm_priority 3\n");
  for (int i = 0; i < 2; ++i) {
    const Reloaded result = hup("sm_priority 3\n");
    EXPECT_THAT(result.needs_restart, ElementsAre("lmc"));
    EXPECT_THAT(texts(result.diagnostics),
                ElementsAre("f: warning: lmc changed from 1 to 0, which has no effect now: end "
                            "ports would get other "
                            "LIDs, which ends their connections; restart Heddle"));
    EXPECT_EQ(running.lmc, 1);
  }
  EXPECT_THAT(hup("sm_priority 3\nlmc 1\n").needs_restart, IsEmpty());
}

TEST_F(ReloadTest, AFlagCountsMoreThanTheFileAsAtAStart) {
  start_with("sm_priority 3\nlmc 1\n", {"-p", "9", "-l", "2"});
  EXPECT_THAT(hup("sm_priority 3\nlmc 1\nsweep_interval 30\n").changed,
              ElementsAre("sweep_interval"));
  for (const char* file : {"sm_priority 4\nlmc 1\nsweep_interval 30\n", "sweep_interval 30\n"}) {
    const Reloaded result = hup(file);
    EXPECT_THAT(result.changed, IsEmpty()) << file;
    EXPECT_THAT(result.needs_restart, IsEmpty()) << file;
    EXPECT_EQ(running.sm_priority, 9);
    EXPECT_EQ(running.lmc, 2);
    EXPECT_EQ(running.origins.at("sm_priority"), (Origin{"command line"}));
  }
}

/// heddlectl, the console: they change what is in force, not what is configured.
TEST_F(ReloadTest, WhatAnOperatorHasSetStaysUntilTheConfigurationChanges) {
  start_with("log_flags 0x01\n");
  running.log_flags = 0x0f;
  EXPECT_THAT(hup("log_flags 0x01\nsm_priority 3\n").changed, ElementsAre("sm_priority"));
  EXPECT_EQ(running.log_flags, 0x0f);
  EXPECT_THAT(hup("sm_priority 3\n").changed, ElementsAre("log_flags"));
  EXPECT_EQ(running.log_flags, 0x03) << "the default";
}

/// OpenSM calls the file of the usual name a cached option file.
TEST(Reload, EachKeyMayGoFromACachedOptionFile) {
  const std::string path(kDefaultConfigFile);
  const char* const args[] = {"heddle"};
  const Options changed = all_changed();
  std::size_t live = 0, at_start = 0;
  for (const Key& key : keys()) {
    std::string lines;
    for (const std::string& value : value_lines(key, changed))
      lines += fmt::format("{} {}\n", key.name, value);
    const CommandLine start = parse_command_line(args, disk({{path, lines}}));
    // Some words of the samples are not among those that the key takes.
    if (start.action != CommandLine::Action::run || !start.options.is_set(key.name)) continue;
    const Reloaded result = reload(start, start.options, disk({{path, ""}}));
    EXPECT_FALSE(has_errors(result.diagnostics)) << key.name;
    EXPECT_EQ(value_text(key, result.options),
              value_text(key, key.hup ? start.defaults : start.options))
        << key.name;
    EXPECT_THAT(key.hup ? result.changed : result.needs_restart,
                testing::Contains(std::string(key.name)));
    ++(key.hup ? live : at_start);
  }
  EXPECT_GT(live, 80u);
  EXPECT_GT(at_start, 10u);
}

TEST(Reload, EachKeyTakesEffectOrSaysWhyNot) {
  for (const Key& key : keys()) {
    SCOPED_TRACE(key.name);
    EXPECT_EQ(key.hup, key.restart.empty());
    EXPECT_FALSE(key.reroutes && !key.hup);
    EXPECT_FALSE(key.restart.ends_with('.')) << "it ends a sentence";
  }
}

/// Keys that engines read are in force with the next routing.
TEST(Reload, EachKeyThatAnEngineReadsChoosesRoutesAgain) {
  for (const Key& key : keys()) {
    if (!engines_that_read(key.name).empty()) {
      EXPECT_TRUE(key.reroutes) << key.name;
    }
  }
  EXPECT_TRUE(find_key("routing_engine")->reroutes);
}

/// An operator must not read a line that is gone.
TEST_F(ReloadTest, AKeyOfALineThatIsGoneHasNoOrigin) {
  start_with("sm_priority 3\nperfmgr TRUE\nmetrics_ports all\n");
  EXPECT_EQ(running.origins.at("perfmgr"), (Origin{"f", 2, 9}));
  const Reloaded gone = hup("sm_priority 3\n");
  EXPECT_THAT(gone.changed, testing::UnorderedElementsAre("perfmgr", "metrics_ports"));
  EXPECT_FALSE(running.perfmgr);
  EXPECT_FALSE(running.is_set("perfmgr"));
  EXPECT_FALSE(running.is_set("metrics_ports"));
}

/// The value of the flag stays in force, and so does where it is from.
TEST_F(ReloadTest, AKeyOfALineThatIsGoneHasItsFlag) {
  start_with("lmc 2\nperfmgr TRUE\n", {"--perfmgr"});
  EXPECT_THAT(hup("lmc 2\n").changed, IsEmpty());
  EXPECT_TRUE(running.perfmgr);
  EXPECT_EQ(running.origins.at("perfmgr"), (Origin{"command line"}));
}

TEST_F(ReloadTest, TheDefaultsAreThoseOfTheProcess) {
  const char* const args[] = {"heddle"};
  const std::string path(kDefaultConfigFile);
  const Options defaults = default_options("/tmp/o", "/var/o");
  configured =
      parse_command_line(args, disk({{path, "dump_files_dir d\ncache_files_dir c\n"}}), defaults);
  running = configured.options;
  const Reloaded result = hup(disk({{path, ""}}));
  EXPECT_THAT(result.changed, ElementsAre("dump_files_dir"));
  EXPECT_EQ(running.dump_files_dir, "/tmp/o");
  EXPECT_THAT(texts(result.diagnostics),
              ElementsAre(HasSubstr("cache_files_dir changed from c to /var/o, which has no")));
}

TEST_F(ReloadTest, NamesStayBelowTheDirectoryThatTheProcessHasLeft) {
  start_with("torus_config t\nlog_file l\n");
  make_paths_absolute(configured.options, "/home");
  running = configured.options;
  const auto again = [&](const std::string& file) {
    return reload(configured, running, disk({{"f", file}}), "/home");
  };
  const Reloaded same = again("torus_config t\nlog_file l\n");
  EXPECT_THAT(same.changed, IsEmpty());
  EXPECT_THAT(same.needs_restart, IsEmpty());
  EXPECT_EQ(again("torus_config u\nlog_file l\n").options.torus_config, "/home/u");
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
  const std::string keys = "m_key 5\nm_key_protection_level 2\nsa_key 6\nsm_key 6\n";
  start_with(keys);
  EXPECT_TRUE(has_errors(hup(keys + "m_key_lease_period 5\n").diagnostics));
  EXPECT_EQ(running.m_key_lease_period, 0);
}

/// A file that is gone for a moment, as while another is written, takes no key from the fabric.
TEST_F(ReloadTest, AFileThatIsGoneRejectsTheReload) {
  start_with("sm_priority 3\nm_key 5\nsa_key 6\nsm_key 6\n");
  for (int i = 0; i < 2; ++i) {
    const Reloaded result = hup(disk({}));
    EXPECT_THAT(texts(result.diagnostics),
                ElementsAre("f: error: cannot be read: No such file or directory; write it again, "
                            "or restart Heddle to run with defaults"));
    EXPECT_EQ(running.sm_priority, 3);
    EXPECT_EQ(running.m_key, 5u);
  }
  EXPECT_THAT(hup("sa_key 6\nsm_key 6\n").changed,
              testing::UnorderedElementsAre("sm_priority", "m_key"));
}

TEST_F(ReloadTest, AFileThatWasNeverThereStaysAWarning) {
  const char* const args[] = {"heddle"};
  configured = parse_command_line(args, disk({}));
  running = configured.options;
  const Reloaded none = hup(disk({}));
  EXPECT_FALSE(has_errors(none.diagnostics));
  EXPECT_THAT(none.changed, IsEmpty());
  EXPECT_THAT(hup(disk({{std::string(kDefaultConfigFile), "sm_priority 3\n"}})).changed,
              ElementsAre("sm_priority"));
  EXPECT_TRUE(has_errors(hup(disk({})).diagnostics)) << "now it was there";
}

TEST_F(ReloadTest, NoSecretIsInMessages) {
  start_with("etcd_user 5ec7e71\n");
  EXPECT_THAT(
      texts(hup("etcd_user 5ec7e72\n").diagnostics),
      testing::Contains("f:1:11: warning: etcd_user changed from MASKED to MASKED, which has no "
                        "effect now: shared state is read before the first sweep; restart Heddle"));
}

}  // namespace reload_test
}  // namespace config
