#include "config/option_files.h"

#include <gmock/gmock.h>

#include "option_samples.h"

namespace config {
namespace yaml_test {

using testing::ElementsAre;
using testing::IsEmpty;

struct Read {
  Options options;
  std::vector<std::string> findings;
};
Read read(std::string_view text) {
  Read result;
  Diagnostics found;
  parse_yaml({"heddle.yaml", text}, result.options, found);
  result.findings = texts(found);
  return result;
}

TEST(Yaml, NaturalForms) {
  const Read r = read(
      "# comment\nlmc: 2\ndaemon: true\nexit_on_fatal: false\nrouting_engine: [minhop]\nguid: "
      "[0x2c90300000001, 0x2c90300000002]\n"
      "log_file: \"/var/log/a # b\"\npart_enforce: off\nsubnet_lst_file: ~\nm_key: 0xff\n");
  EXPECT_THAT(r.findings, IsEmpty());
  EXPECT_EQ(r.options.lmc, 2);
  EXPECT_TRUE(r.options.daemon);
  EXPECT_FALSE(r.options.exit_on_fatal);
  EXPECT_THAT(r.options.routing_engine, ElementsAre("minhop"));
  EXPECT_THAT(r.options.guid, ElementsAre(0x2c90300000001, 0x2c90300000002));
  EXPECT_EQ(r.options.log_file, "/var/log/a # b");
  EXPECT_EQ(r.options.part_enforce, PartEnforce::off);
  EXPECT_EQ(r.options.subnet_lst_file, "");
  EXPECT_EQ(r.options.m_key, 0xffU);
}

TEST(Yaml, PerSlMaps) {
  EXPECT_EQ(read("cc_ca_cong_setting_ccti_timer: {3: 9}").options.cc_ca_cong_setting_ccti_timer[3],
            9);
}

TEST(Yaml, EmptyIsFine) {
  EXPECT_THAT(read("").findings, IsEmpty());
  EXPECT_THAT(read("# nothing\n---\n").findings, IsEmpty());
}

TEST(Yaml, AllErrorsAtOnce) {
  const Read r = read(
      "lmc: 9\nswep_interval: 3\ndaemon: yes\nsm_priority: [1, 2]\nlmc_esp0:\nrouting_engine: "
      "[[a]]\nlog_file: {a: b}\n[x, y]: 3\nlmc: 1\nsharp_enabled: 2\n");
  EXPECT_THAT(
      r.findings,
      ElementsAre(
          "heddle.yaml:1:6: error: lmc '9' is out of range; write a number in 0..7",
          "heddle.yaml:2:1: warning: unknown key 'swep_interval', ignored; did you mean "
          "'sweep_interval'?",
          "heddle.yaml:3:9: error: 'yes' is not a value for daemon; write true or false",
          "heddle.yaml:4:14: error: a list is not a value for sm_priority; write a number in 0..15",
          "heddle.yaml:5:1: error: '' is not a value for lmc_esp0; write true or false",
          "heddle.yaml:6:17: error: the list of routing_engine has an entry that is not a word; "
          "write words separated by commas, or (null)",
          "heddle.yaml:7:11: error: a map is not a value for log_file; write text, or (null)",
          "heddle.yaml:8:1: error: a key has to be a word; write key: value",
          "heddle.yaml:9:6: warning: lmc was set before, on line 1; the last value is used",
          "heddle.yaml:10:1: warning: 'sharp_enabled' is known from other subnet managers, not "
          "supported, ignored"));
}

TEST(Yaml, OnlyUtf8IsAccepted) {
  const auto findings = [](std::string_view text) { return read(text).findings; };
  EXPECT_THAT(findings("log_prefix: \xc3\xb6\n"), IsEmpty());
  const std::string what = " begins no UTF-8 character; save the file as UTF-8";
  EXPECT_THAT(findings("lmc: 2\nlog_prefix: |\n \xcetwo\n"),
              ElementsAre("heddle.yaml:3:2: error: not YAML: byte 0xCE" + what));
  EXPECT_THAT(findings("log_prefix: \xc3"),
              ElementsAre("heddle.yaml:1:13: error: not YAML: byte 0xC3" + what));
  EXPECT_THAT(findings("log_prefix: \xef\xbf\xbe\n"),
              ElementsAre("heddle.yaml:1:13: error: not YAML: byte 0xEF" + what));
  EXPECT_THAT(findings("\xff\xfel\0m\0c\0"),
              ElementsAre("heddle.yaml:1:1: error: not YAML: byte 0xFF" + what));
}

TEST(Yaml, SyntaxErrorsHaveAPosition) {
  EXPECT_THAT(read("lmc: 1\n  bad: [1,\n").findings,
              ElementsAre(testing::MatchesRegex("heddle.yaml:[23]:[0-9]+: error: not YAML: .*")));
  EXPECT_THAT(
      read("lmc: \"\\\n\"").findings,
      testing::Each(testing::Not(testing::HasSubstr("\n"))));  // the library quotes raw bytes
  EXPECT_THAT(
      read("just words\n").findings,
      ElementsAre(
          "heddle.yaml:1:1: error: the file is not a map; write lines of the form key: value"));
}

}  // namespace yaml_test
}  // namespace config
