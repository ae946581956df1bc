#include "partitions/load.h"

#include <gmock/gmock.h>

#include <map>

#include "config/option_files.h"
#include "config/reload.h"

namespace partitions {
namespace load_test {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr const char* kDefaultPath = "/etc/opensm/partitions.conf";

struct Loaded {
  Configuration configuration;
  std::vector<std::string> findings;
};

Loaded load(const config::Options& options, const std::map<std::string, std::string>& disk) {
  config::Diagnostics found;
  const config::FileReader reader =
      [&](const std::string& path) -> tl::expected<std::string, std::error_code> {
    const auto file = disk.find(path);
    if (file == disk.end())
      return tl::unexpected(std::make_error_code(std::errc::no_such_file_or_directory));
    if (file->second == "secret")
      return tl::unexpected(std::make_error_code(std::errc::permission_denied));
    return file->second;
  };
  Loaded loaded{partitions::load(options, reader, found), {}};
  for (const config::Diagnostic& diagnostic : found) loaded.findings.push_back(diagnostic.text());
  return loaded;
}

TEST(LoadPartitions, WithoutFileUsesTheDefaultPartition) {
  const Loaded usual = load({}, {});
  EXPECT_EQ(usual.configuration, default_configuration());
  EXPECT_THAT(usual.findings, IsEmpty());
  config::Options options;
  options.partition_config_file = "mine";
  options.origins["partition_config_file"] = {"x.conf", 1, 1};
  EXPECT_THAT(load(options, {}).findings,
              ElementsAre(testing::StartsWith("mine: warning: cannot be read: ")));
  options.partition_config_file = "";
  EXPECT_THAT(load(options, {}).findings, IsEmpty());
}

TEST(LoadPartitions, AnSlHasNoEffectWithoutQos) {
  const std::string text =
      "A=0x10, sl=3 : ALL ;\nB=0x11 : ALL ;\nC=0x12 : ALL, mgid=ff12::5, sl=1 ;";
  config::Options options;
  EXPECT_THAT(load(options, {{kDefaultPath, text}}).findings,
              ElementsAre("/etc/opensm/partitions.conf: warning: sl has no effect without qos TRUE "
                          "(partition 0x0010, 'A'; 2 definitions in all); set qos TRUE, or leave "
                          "sl out"));
  options.qos = true;
  EXPECT_THAT(load(options, {{kDefaultPath, text}}).findings, IsEmpty());
}

TEST(LoadPartitions, ReadsTheFile) {
  const std::string text = "A=0x10 : ALL ;";
  config::Diagnostics found;
  EXPECT_EQ(load({}, {{kDefaultPath, text}}).configuration,
            parse_partitions_conf({"p.conf", text}, found));
  EXPECT_THAT(load({}, {{kDefaultPath, "A=zz:ALL;"}}).findings,
              ElementsAre(testing::StartsWith("/etc/opensm/partitions.conf:1:3: error: ")));
}

TEST(LoadPartitions, UnreadableFileIsAnError) {
  EXPECT_THAT(load({}, {{kDefaultPath, "secret"}}).findings,
              ElementsAre(testing::StartsWith(
                  "/etc/opensm/partitions.conf: error: cannot be read: Permission denied")));
}

TEST(LoadPartitions, YamlTogetherWithAFileIsAnError) {
  config::Options options;
  options.partitions = {"h.yaml", "partitions: [{key: 0x10, members: [ALL]}]"};
  const Loaded yaml = load(options, {});
  EXPECT_THAT(yaml.findings, IsEmpty());
  EXPECT_EQ(yaml.configuration.definitions.back().key, 0x10);
  EXPECT_THAT(load(options, {{kDefaultPath, "A=0x11 : ALL ;"}}).findings,
              ElementsAre("/etc/opensm/partitions.conf: error: partitions are defined here and in "
                          "h.yaml; keep one of the two, or set partition_config_file to null"));
  EXPECT_FALSE(config::dump_for("x.conf", options)) << "a dump would lose them";
}

TEST(LoadPartitions, ReloadUsesTheNewYaml) {
  std::string text = "partitions: [{key: 1}]\n";
  const config::FileReader reader =
      [&](const std::string&) -> tl::expected<std::string, std::error_code> { return text; };
  const char* const args[] = {"heddle", "-F", "h.yaml"};
  const config::CommandLine start = config::parse_command_line(args, reader);
  EXPECT_EQ(start.options.partitions.text, text);
  text = "lmc: 0\npartitions: [{key: 2}]\n";
  const config::Reloaded changed = config::reload(start, start.options, reader);
  EXPECT_EQ(changed.options.partitions.text, text);
  text = "lmc: 0\n";
  EXPECT_EQ(config::reload(changed.configured, changed.options, reader).options.partitions,
            config::NamedText{});
}

}  // namespace load_test
}  // namespace partitions
