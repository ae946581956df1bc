// A reload is taken or rejected as a whole, and says so.

#include "sm/daemon/configuration_reload.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <map>
#include <sstream>

#include "config/changed_files.h"
#include "config/file_reader.h"
#include "partitions/load.h"
#include "sm/daemon/terminal.h"
#include "unit/sm/temporary_directory.h"

namespace configuration_reload_test {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(Environment, NamesDefaultsThatFilesOverride) {
  std::map<std::string, std::string, std::less<>> set{{"OSM_CACHE_DIR", "/c"},
                                                      {"HEDDLE_LOG_FORMAT", "human"}};
  const auto read = [&](const char* name) {
    const auto found = set.find(name);
    return found == set.end() ? nullptr : found->second.c_str();
  };
  const config::Options options = sm::read_environment(read);
  EXPECT_EQ(options.cache_files_dir, "/c");
  EXPECT_EQ(options.log_format, "human");
  EXPECT_FALSE(options.is_set("log_format"));

  const char* const args[] = {"heddle", "-F", "c"};
  const auto log_format = [&](const std::string& text) {
    return config::parse_command_line(
               args,
               [&](const std::string&) -> tl::expected<std::string, std::error_code> {
                 return text;
               },
               options)
        .options.log_format;
  };
  EXPECT_EQ(log_format("sweep_interval 5\n"), "human");
  EXPECT_EQ(log_format("log_format text\n"), "text");
  set.erase("HEDDLE_LOG_FORMAT");
  EXPECT_EQ(sm::read_environment(read).log_format, "text") << "as OpenSM's";
}

class Reload : public testing::Test {
 protected:
  Reload() {
    files["c"] = kUsual;
    files["p"] = "A=0x10 : ALL=full ;\n";
    files["n"] = "0x1 \"one\"\n";
    start();
  }
  void start(bool expects_nothing = true) {
    config::Diagnostics found;
    const char* const args[] = {"heddle", "-F", "c"};
    running.configured = config::parse_command_line(args, reader());
    running.options = running.configured.options;
    running.files = config::read_input_files(running.options, reader(), found);
    running.partitioning = partitions::load(running.options, reader(), found);
    EXPECT_FALSE(config::has_errors(found));
    if (expects_nothing) {
      EXPECT_THAT(found, IsEmpty());
    }
  }
  config::FileReader reader() {
    return [this](const std::string& path) -> tl::expected<std::string, std::error_code> {
      const auto found = files.find(path);
      if (found != files.end()) return found->second;
      return tl::unexpected(std::make_error_code(std::errc::no_such_file_or_directory));
    };
  }
  sm::ConfigurationReload reload() { return sm::read_again(reader(), running, {}); }
  static std::vector<std::string> texts(const sm::ReloadResult& result) {
    std::vector<std::string> all;
    for (const fabric::Condition& condition : sm::reload_conditions(result))
      all.push_back(std::string(condition.id->name) + " " + condition.text);
    return all;
  }

  static constexpr const char* kUsual =
      "partition_config_file p\nnode_name_map_name n\nsweep_interval 10\n";
  std::map<std::string, std::string> files;
  sm::DaemonConfiguration running;
};

TEST_F(Reload, WithoutAChangeSaysSo) {
  const sm::ConfigurationReload same = reload();
  EXPECT_TRUE(same.result.taken);
  EXPECT_THAT(same.result.changed, IsEmpty());
  EXPECT_THAT(texts(same.result), IsEmpty());
}

TEST_F(Reload, NamesWhatChanged) {
  files["c"] = "partition_config_file p\nnode_name_map_name n\nsweep_interval 20\n";
  files["p"] = "A=0x10 : ALL=limited ;\n";
  files["n"] = "0x1 \"two\"\n";
  const sm::ConfigurationReload changed = reload();
  EXPECT_TRUE(changed.result.taken);
  EXPECT_THAT(changed.result.changed,
              ElementsAre("sweep_interval", "the file of node_name_map_name", "partitions"));
  EXPECT_EQ(changed.configuration.options.sweep_interval, 20u);
  EXPECT_EQ(changed.configuration.files.node_names.front().name, "two");
  EXPECT_NE(changed.configuration.partitioning, running.partitioning);
}

/// Each file that an option may name, with some content.
TEST_F(Reload, AFileThatIsNamedNoLongerIsInForceNoLonger) {
  const std::map<std::string, std::string> contents{
      {"hop_weights_file", "0x1 1 3\n"},
      {"port_search_ordering_file", "0x1 2 1\n"},
      {"port_prof_ignore_file", "0x1 1\n"},
      {"guid_routing_order_file", "0x1\n"},
      {"root_guid_file", "0x1\n"},
      {"cn_guid_file", "0x1\n"},
      {"io_guid_file", "0x1\n"},
      {"ids_guid_file", "0x1 1\n"},
      {"node_name_map_name", "0x1 \"one\"\n"},
      {"hm_ports_health_policy_file", "0x1 1 UNHEALTHY isolate\n"},
      {"held_back_sw_file", "0x1\n"},
      {"prefix_routes_file", "fec0000000000007 1\n"}};
  for (const auto& [key, content] : contents) {
    SCOPED_TRACE(key);
    files["x"] = content;
    files["c"] = "partition_config_file p\n" + key + " x\n";
    running = {};
    start(false);
    const config::InputFiles none;
    EXPECT_THAT(config::changed_files(none, running.files), ElementsAre(key));
    files["c"] = "partition_config_file p\n";
    const sm::ConfigurationReload gone = reload();
    EXPECT_THAT(gone.result.changed, ElementsAre(key));
    EXPECT_THAT(gone.result.needs_restart, IsEmpty());
    EXPECT_EQ(gone.configuration.files, none);
    EXPECT_FALSE(gone.configuration.options.is_set(key));
    // The same name, with another content.
    files["c"] += key + " x\n";
    files["x"] = "";
    EXPECT_THAT(reload().result.changed, ElementsAre("the file of " + key));
  }
}

/// A key, a key that counts at the start only, a line of each file, and the files themselves.
TEST_F(Reload, WhatIsGoneIsInForceNoLonger) {
  files["c"] += "sm_priority 5\nqos TRUE\nqos_policy_file q\nlmc 1\n";
  files["p"] += "B=0x11 : ALL=full ;\n";
  files["n"] += "0x2 \"two\"\n";
  files["q"] = "qos-ulps\ndefault: 3\nend-qos-ulps\n";
  start();
  ASSERT_EQ(running.files.node_names.size(), 2u);
  ASSERT_TRUE(running.files.qos_policy);

  files["c"] = kUsual;
  files["p"] = "A=0x10 : ALL=full ;\n";
  files["n"] = "0x1 \"one\"\n";
  const sm::ConfigurationReload gone = reload();
  EXPECT_TRUE(gone.result.taken);
  EXPECT_THAT(gone.result.changed,
              testing::UnorderedElementsAre("sm_priority", "qos", "qos_policy_file", "partitions",
                                            "the file of node_name_map_name"));
  EXPECT_THAT(gone.result.needs_restart, ElementsAre("lmc"));
  EXPECT_EQ(gone.configuration.options.sm_priority, 0);
  EXPECT_FALSE(gone.configuration.options.qos);
  EXPECT_EQ(gone.configuration.files.node_names.size(), 1u);
  EXPECT_FALSE(gone.configuration.files.qos_policy);
  EXPECT_NE(gone.configuration.partitioning, running.partitioning);
}

TEST_F(Reload, ARemovedLineThatCountsAtTheStartNeedsARestart) {
  files["c"] += "lmc 1\n";
  start();
  files["c"] = kUsual;
  const sm::ConfigurationReload gone = reload();
  EXPECT_THAT(texts(gone.result),
              ElementsAre("SM-RESTART-NEEDED restart needed for lmc: the configuration has "
                          "other values than the daemon was started with"));
  EXPECT_EQ(gone.configuration.options.lmc, 1);
}

TEST_F(Reload, WithoutTheConfigurationFileAllStaysInForce) {
  files.erase("c");
  files["p"] = "A=0x10 : ALL=limited ;\n";
  const sm::ConfigurationReload lost = reload();
  EXPECT_FALSE(lost.result.taken);
  EXPECT_EQ(lost.configuration.partitioning, running.partitioning);
  EXPECT_THAT(
      texts(lost.result),
      ElementsAre(HasSubstr("SM-CONFIG-REJECTED configuration rejected: c: error: cannot be "
                            "read: No such file or directory; write it again")));
}

TEST_F(Reload, OneErrorAnywhereRejectsTheWhole) {
  files["p"] = "A=0x10 : ALLX ;\n";
  files["c"] = "partition_config_file p\nnode_name_map_name n\nsweep_interval 20\n";
  files["n"] = "0x1 \"two\"\n";
  const sm::ConfigurationReload wrong = reload();
  EXPECT_FALSE(wrong.result.taken);
  EXPECT_THAT(wrong.result.changed, IsEmpty());
  EXPECT_EQ(wrong.configuration.options.sweep_interval, 10u);
  EXPECT_EQ(wrong.configuration.files, running.files);
  EXPECT_EQ(wrong.configuration.partitioning, running.partitioning);
  EXPECT_THAT(texts(wrong.result),
              ElementsAre(testing::AllOf(
                  HasSubstr("SM-CONFIG-REJECTED configuration rejected: p:1:10: error: 'ALLX' "),
                  HasSubstr("; the daemon keeps its configuration"))));
}

TEST_F(Reload, TheFirstErrorIsNamedAndTheOthersAreCounted) {
  files["c"] = "lmc 9\nsm_priority 99\nsweep_interval x\n";
  const sm::ConfigurationReload wrong = reload();
  EXPECT_THAT(texts(wrong.result),
              ElementsAre(testing::AllOf(HasSubstr("rejected: c:1:5: error: lmc '9' "),
                                         HasSubstr(", and 2 more errors; the daemon"))));
}

TEST_F(Reload, WhatCountsAtTheStartOnlyNeedsARestart) {
  files["c"] += "lmc 1\n";
  const sm::ConfigurationReload changed = reload();
  EXPECT_TRUE(changed.result.taken);
  EXPECT_THAT(changed.result.needs_restart, ElementsAre("lmc"));
  EXPECT_THAT(texts(changed.result),
              ElementsAre("SM-RESTART-NEEDED restart needed for lmc: the configuration has "
                          "other values than the daemon was started with"));
  running = changed.configuration;
  EXPECT_THAT(reload().result.needs_restart, ElementsAre("lmc")) << "until the restart";
  files["c"] = kUsual;
  EXPECT_THAT(texts(reload().result), IsEmpty()) << "the earlier value is back";
}

TEST(KeysInFiles, AReloadWarnsWhereOthersMayAccessThem) {
  const TemporaryDirectory dir;
  const std::string file = (dir / "opensm.conf").string();
  write_text(file, "lmc 0\nkey_mgr_seed 0x5f0c\n");
  const char* const args[] = {"heddle", "-F", file.c_str()};
  sm::DaemonConfiguration running;
  running.configured = config::parse_command_line(args, config::read_file);
  running.options = running.configured.options;
  const auto messages = [&](std::filesystem::perms mode) {
    std::filesystem::permissions(file, mode);
    const sm::ReloadResult result = sm::read_again(config::read_file, running, {}).result;
    EXPECT_TRUE(result.taken);
    return result.messages;
  };
  EXPECT_THAT(messages(std::filesystem::perms{0600}),
              testing::Not(testing::Contains(HasSubstr("key_mgr_seed, and"))));
  EXPECT_THAT(messages(std::filesystem::perms{0644}),
              testing::Contains(HasSubstr(
                  ":2:14: warning: this file has the secret key_mgr_seed, and others than its "
                  "owner may access it (mode 0644): Heddle uses it as it is; chmod 0600 " +
                  file)));
}

TEST(KeysInFiles, AFileThatIsWrittenWithKeysIsForItsOwner) {
  const TemporaryDirectory dir;
  config::CommandLine line;
  line.create_file = (dir / "new.conf").string();
  line.options.key_mgr_seed = 0x5f0c;
  std::ostringstream errors;
  EXPECT_EQ(sm::create_config(line, errors), 0) << errors.str();
  EXPECT_EQ(std::filesystem::status(line.create_file).permissions(), std::filesystem::perms{0600});
}

}  // namespace configuration_reload_test
