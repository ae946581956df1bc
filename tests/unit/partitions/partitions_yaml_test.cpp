#include "partitions/load.h"

#include <gmock/gmock.h>

#include "config/option_files.h"

namespace partitions {
namespace partitions_yaml_test {

using testing::ElementsAre;

std::vector<std::string> findings(std::string_view text) {
  config::Diagnostics found;
  parse_partitions_yaml({"h.yaml", text}, found);
  std::vector<std::string> texts;
  for (const config::Diagnostic& diagnostic : found) texts.push_back(diagnostic.text());
  return texts;
}

TEST(PartitionsYaml, EqualsTheSamePartitionsConf) {
  config::Diagnostics found;
  const Configuration from_yaml =
      parse_partitions_yaml({"h.yaml",
                             "lmc: 1\n"
                             "partitions:\n"
                             "  - name: Default\n"
                             "    key: 0x7fff\n"
                             "    ipoib: true\n"
                             "    indx0: false\n"
                             "    members: {ALL: limited, SELF: full}\n"
                             "  - name: storage\n"
                             "    key: 0x10\n"
                             "    indx0: true\n"
                             "    defmember: full\n"
                             "    mtu: 4096\n"
                             "    rate: EDR\n"
                             "    sl: 3\n"
                             "    scope: [2, 5]\n"
                             "    members: [ALL_CAS, 0x10-0x1f, 0x2c90000000041]\n"
                             "    groups:\n"
                             "      - {mgid: \"ff12::1:2\", Q_Key: 0x99, TClass: 1}\n"
                             "  - {name: other}\n"},
                            found);
  const Configuration from_conf =
      parse_partitions_conf({"p.conf",
                             "Default=0x7fff,ipoib : ALL=limited, SELF=full "
                             ";\nstorage=0x10,indx0,defmember=full,mtu=4096,rate=EDR,sl=3,scope=2,"
                             "scope=5 : ALL_CAS, 0x10-0x1f,"
                             "0x2c90000000041\nmgid=ff12::1:2,Q_Key=0x99,TClass=1;\nother : ;"},
                            found);
  EXPECT_TRUE(found.empty()) << found.front().text();
  EXPECT_EQ(from_yaml, from_conf);
}

TEST(PartitionsYaml, ReportsAllErrorsWithPositions) {
  EXPECT_THAT(
      findings("partitions:\n"
               "  - name: a\n"
               "    key: zz\n"
               "    mtu: 1500\n"
               "    ipoib: yes\n"
               "    sl:\n"
               "    members: {ALL: half, 0: full}\n"
               "    groups: [{mtu: 5}, {mgid: fe80, rate: [1]}]\n"
               "  - {members: [ALL]}\n"
               "  - word\n"
               "  - {key: 5, members: 7, groups: {}}\n"
               "  - {key: 6, colour: red}\n"),
      ElementsAre("h.yaml:3:10: error: 'zz' is not a P_Key; write a number in 0x0001..0xffff, or "
                  "leave it out to have one chosen",
                  "h.yaml:4:10: error: '1500' is not a value for mtu; write 256, 512, 1024, 2048, "
                  "4096, or a code in 1..5",
                  "h.yaml:5:12: error: 'yes' is not a value for ipoib; write true or false",
                  "h.yaml:6:5: error: sl has no value; write a number or a word",
                  "h.yaml:7:20: error: 'half' is not a membership; write full, limited or both",
                  testing::StartsWith("h.yaml:7:26: error: '0' is not a member; "),
                  "h.yaml:8:14: error: a group has no mgid; write one such as {mgid: "
                  "\"ff12::1:2\", mtu: 4096}",
                  testing::StartsWith("h.yaml:8:44: error: '1' is not a value for rate; "),
                  testing::StartsWith("h.yaml:8:31: error: 'fe80' is not a multicast GID"),
                  "h.yaml:9:5: error: a partition has neither name nor key; add one of them",
                  testing::StartsWith("h.yaml:10:5: error: a partition is not a map"),
                  testing::StartsWith("h.yaml:11:23: error: members is neither a list nor a map"),
                  testing::StartsWith("h.yaml:11:34: error: groups is not a list"),
                  testing::StartsWith("h.yaml:12:14: warning: unknown flag 'colour', ignored")));
  EXPECT_THAT(findings("partitions: {a: b}\n"),
              ElementsAre(testing::StartsWith("h.yaml:1:13: error: partitions is not a list")));
  EXPECT_THAT(
      findings("partitions: []\n"),
      ElementsAre(
          "h.yaml:1:13: error: the list of partitions is empty; define one, or remove the list"));
  EXPECT_THAT(findings("partitions: [\n"), ElementsAre(testing::HasSubstr("not YAML")));
}

TEST(PartitionsYaml, OptionsKeepTheText) {
  config::Options options;
  config::Diagnostics found;
  const std::string text = "lmc: 1\npartitions: [{key: 1}]\n";
  config::parse_yaml({"h.yaml", text}, options, found);
  EXPECT_TRUE(found.empty());
  EXPECT_EQ(options.partitions, (config::NamedText{"h.yaml", text}));
  config::parse_yaml({"g.yaml", "lmc: 1\n"}, options = {}, found);
  EXPECT_EQ(options.partitions, config::NamedText{});
}

}  // namespace partitions_yaml_test
}  // namespace partitions
