#include "mad/format.h"
#include "partitions/load.h"

#include <gmock/gmock.h>

#include "partitions/group_values.h"

namespace partitions {
namespace partitions_conf_test {

using testing::ElementsAre;
using testing::IsEmpty;
using enum Member::Kind;
constexpr Membership full = Membership::full, limited = Membership::limited,
                     both = Membership::both;

struct Read {
  std::vector<Definition> definitions;  // without the default partition's own
  std::vector<std::string> findings;
};

Read read(std::string_view text) {
  config::Diagnostics found;
  Configuration configuration = parse_partitions_conf({"p.conf", text}, found);
  Read result{std::move(configuration.definitions), {}};
  result.definitions.erase(result.definitions.begin());
  for (const config::Diagnostic& diagnostic : found) result.findings.push_back(diagnostic.text());
  return result;
}

Member member(Member::Kind kind, Membership as) { return {.kind = kind, .membership = as}; }
Member port(std::uint64_t guid, Membership as) {
  return {.first = guid, .last = guid, .membership = as};
}

TEST(PartitionsConf, ReadsWholeGrammar) {
  const Read r = read(
      "# a comment\n"
      "Default = 0x7fff , ipoib:ALL,SELF = full;A=0x8010,defmember=full:  # comment\n"
      "  0x10 , 0x20=limited,,0x30-0x3f=both # another\n"
      "\t17\n"
      "ALL_CAS, ALL_SWITCHES=full, ALL_ROUTERS=limited, ALL_VCAS, NONE ;\n"
      "0x12:ALL ; =0x13 : SELF ; named : ALL; named : SELF; : ALL;\r\n");
  EXPECT_THAT(r.findings, IsEmpty());
  ASSERT_EQ(r.definitions.size(), 7u);
  EXPECT_EQ(r.definitions[0].key, 0x7fff);
  EXPECT_THAT(r.definitions[0].members, ElementsAre(member(all, limited), member(self, full)));
  EXPECT_EQ(r.definitions[0].groups.size(), 1u);
  EXPECT_EQ(r.definitions[1].key, 0x10);
  EXPECT_EQ(r.definitions[1].name, "A");
  EXPECT_THAT(r.definitions[1].members,
              ElementsAre(port(0x10, full), port(0x20, limited),
                          Member{.first = 0x30, .last = 0x3f, .membership = both}, port(17, full),
                          member(cas, full), member(switches, full), member(routers, limited),
                          member(virtual_cas, full)));
  EXPECT_EQ(r.definitions[2].key, 0x12);
  EXPECT_EQ(r.definitions[2].name, "0012");
  EXPECT_EQ(r.definitions[3].key, 0x13);
  EXPECT_EQ(r.definitions[4].key, 1) << "the lowest free key";
  EXPECT_EQ(r.definitions[5].key, 1) << "found by its name";
  EXPECT_EQ(r.definitions[6].key, 2);
}

TEST(PartitionsConf, KeywordsMayBeAbbreviated) {
  const Read r = read(
      "A=5,indx0,de=f,ipo,m=5,r=7,sc=5,Q=9,T=1,sl=3,Fl=2 : A, AL, ALL, ALL_C, ALL_S=l, ALL_R=b, S, "
      "N ;");
  EXPECT_THAT(r.findings, IsEmpty());
  ASSERT_EQ(r.definitions.size(), 1u);
  const Definition& d = r.definitions[0];
  EXPECT_TRUE(d.index0);
  EXPECT_EQ(d.sl, mad::Sl{3});
  EXPECT_THAT(d.members, ElementsAre(member(all, full), member(all, full), member(all, full),
                                     member(cas, full), member(switches, limited),
                                     member(routers, both), member(self, full)));
  EXPECT_THAT(d.groups,
              ElementsAre(fabric::WellKnownGroup{.mgid = {0xff12401b80050000, {0xffffffff}},
                                                 .p_key = {0x8005},
                                                 .mtu = 5,
                                                 .rate = 7,
                                                 .sl = {3},
                                                 .q_key = 9,
                                                 .t_class = 1,
                                                 .flow_label = 2,
                                                 .hop_limit = 0}));
}

// Measured with OpenSM 3.3.23: TClass is not inherited, scopes of header and line add up, a group
// of its own scope needs its broadcast group.
TEST(PartitionsConf, ReadsGroupsAsOpensm) {
  const Read r = read(
      "B=0x21,ipoib,FlowLabel=7,scope=5,TClass=3,Q_Key=0x77,rate=7 : ALL=full\n"
      "mgid=ff12:401b::1234,scope=2\n"
      "mgid=ff12::77:1,mtu=4096\n"
      "mgid=ff1e::77:3,scope=14,scope=8,FlowLabel=0 ;\n"
      "C=0x22,ipoib : mgid=ff15:401b::ffff:ffff,scope=5\n"
      "mgid=ff15:401b::1,scope=5\n"
      "mgid=ff12:601b::8\n"
      "mgid=ff12:401b:8022::9,rate=3; D=0x23 : SELF\n"
      "mgid=ff12:401b::5 ;");
  EXPECT_THAT(r.findings,
              ElementsAre("p.conf:2:6: warning: the IPoIB group is not created: the partition has "
                          "no broadcast group of scope 5; write mgid=ff15:401b::ffff:ffff,scope=5 "
                          "before it",
                          "p.conf:9:6: warning: the IPoIB group is not created: the partition has "
                          "no broadcast group of scope 2; add the flag ipoib"));
  ASSERT_EQ(r.definitions.size(), 3u);
  std::vector<std::string> groups;
  for (const Definition& definition : r.definitions)
    for (const fabric::WellKnownGroup& g : definition.groups)
      groups.push_back(fmt::format("{:016x} {:x} {} {} {:x} {} {} {}", g.mgid.prefix,
                                   g.mgid.guid.value, g.mtu, g.rate, g.q_key, g.t_class,
                                   g.flow_label, g.hop_limit));
  EXPECT_THAT(
      groups,
      ElementsAre(
          "ff12401b80210000 ffffffff 4 7 77 3 7 0", "ff12401b80210000 1234 4 7 77 0 7 0",
          "ff15000000000000 770001 5 7 77 0 7 255", "ff15000000000000 770003 4 7 77 0 0 255",
          "ff18000000000000 770003 4 7 77 0 0 255", "ff1e000000000000 770003 4 7 77 0 0 255",
          "ff12401b80220000 ffffffff 4 3 b1b 0 0 0", "ff15401b80220000 ffffffff 4 3 b1b 0 0 255",
          "ff15401b80220000 1 4 3 b1b 0 0 255", "ff12601b80220000 8 4 3 b1b 0 0 0",
          "ff12401b80220000 9 4 3 b1b 0 0 0"));
}

TEST(PartitionsConf, SecondDefinitionExtendsPartition) {
  const Read r = read("A=0x10,ipoib,sl=1 : ALL ;\nB=0x10,ipoib,mtu=5 : SELF ;\nA : ALL;");
  EXPECT_THAT(
      r.findings,
      ElementsAre("p.conf:2:1: warning: the partition has SL 1 in an earlier definition, and 0 "
                  "here: the last one is used; give every definition of a partition the same sl",
                  "p.conf:2:1: warning: this group was defined before, with other parameters; the "
                  "first ones count; leave one of the two out"));
  ASSERT_EQ(r.definitions.size(), 3u);
  EXPECT_EQ(r.definitions[1].name, "A");
  EXPECT_EQ(r.definitions[2].key, 0x10);
  EXPECT_THAT(r.definitions[1].groups, IsEmpty());
}

constexpr std::string_view kMembers =
    "write a port GUID such as 0x0002c90300a1b2c3, a range of them (0x...-0x...), or one of ALL, "
    "ALL_CAS, ALL_VCAS, ALL_SWITCHES, ALL_ROUTERS, SELF, NONE";

TEST(PartitionsConf, EveryErrorHasPositionAndRemedy) {
  const std::string members(kMembers);
  const std::pair<std::string, std::string> wrong[] = {
      {"A=0x10 ALL ;",
       "1:1: error: there is no ':' after the name and flags of a partition; write name=P_Key, "
       "flags and ':' on one line, in front of the members"},
      {"A=1:ALL; ;", "1:10: error: there is no definition before this ';'; remove it"},
      {"A=0x1g : ALL;",
       "1:3: error: '0x1g' is not a P_Key; write a number in 0x0001..0xffff, or leave it out to "
       "have one chosen"},
      {"A=0x10010 : ALL;",
       "1:3: error: '0x10010' is not a P_Key; write a number in 0x0001..0xffff, or leave it out to "
       "have one chosen"},
      {"A= : ALL;",
       "1:3: error: '' is not a P_Key; write a number in 0x0001..0xffff, or leave it out to have "
       "one chosen"},
      {"A=1,,ipoib : ALL;", "1:5: error: a flag is missing here; remove the comma"},
      {"A=1,mtu : ALL;",
       "1:5: error: mtu has no value; write 256, 512, 1024, 2048, 4096, or a code in 1..5"},
      {"A=1,mtu=0 : ALL;",
       "1:9: error: '0' is not a value for mtu; write 256, 512, 1024, 2048, 4096, or a code in "
       "1..5"},
      {"A=1,mtu=1500 : ALL;",
       "1:9: error: '1500' is not a value for mtu; write 256, 512, 1024, 2048, 4096, or a code in "
       "1..5"},
      {"A=1,rate=1 : ALL;",
       "1:10: error: '1' is not a value for rate; write Gb/s such as 100, 10G or 2.5, a speed such "
       "as EDR or 2xHDR, or a rate code in 2..26"},
      {"A=1,rate=99 : ALL;",
       "1:10: error: '99' is not a value for rate; write Gb/s such as 100, 10G or 2.5, a speed "
       "such "
       "as EDR or 2xHDR, or a rate code in 2..26"},
      {"A=1,sl=16 : ALL;", "1:8: error: '16' is not a value for sl; write a number in 0..15"},
      {"A=1,scope=0 : ALL;", "1:11: error: '0' is not a value for scope; write a number in 1..15"},
      {"A=1,scope=16 : ALL;",
       "1:11: error: '16' is not a value for scope; write a number in 1..15"},
      {"A=1,FlowLabel=0x100000 : ALL;",
       "1:15: error: '0x100000' is not a value for FlowLabel; write a number in 0..1048575"},
      {"A=1,TClass=256 : ALL;",
       "1:12: error: '256' is not a value for TClass; write a number in 0..255"},
      {"A=1,Q_Key=zz : ALL;",
       "1:11: error: 'zz' is not a value for Q_Key; write a number in 0..4294967295"},
      {"A=1,defmember : ALL;",
       "1:5: error: the membership is missing; write full, limited or both"},
      {"A=1,defmember=half : ALL;",
       "1:15: error: 'half' is not a membership; write full, limited or both"},
      {"A=1 : ALL=;", "1:11: error: the membership is missing; write full, limited or both"},
      {"A=1 : ALL=foo;", "1:11: error: 'foo' is not a membership; write full, limited or both"},
      {"A=1 : =full;",
       "1:8: error: the member before the '=' is missing; write a port GUID or a keyword such "
       "as ALL"},
      {"A=1 : ALLX;", "1:7: error: 'ALLX' is not a member; " + members},
      {"A=1 :\n 0,0x5;", "2:2: error: '0' is not a member; " + members},
      {"A=1 : 0x5-0x4;", "1:7: error: the range '0x5-0x4' ends before it begins; " + members},
      {"A=1 : 0x5-;", "1:7: error: '0x5-' is not a member; " + members},
      {"A=1 : ALL\nmgid=ff12:401b:ffff::1;",
       "2:6: error: 'ff12:401b:ffff::1' is an IPoIB group of P_Key 0xffff, and the partition has "
       "0x8001; write 8001, or 0 instead"},
      {"A=1,ipoib : ALL\nmgid=ff12:401b::1,mtu=5;",
       "2:6: error: 'ff12:401b::1' is an IPoIB group, and its MTU or rate is not that of the "
       "partition; leave mtu and rate out, or give them in front of the ':'"},
      {"A=1 : ALL\nmgid=fe80::1;",
       "2:6: error: 'fe80::1' is not a multicast GID; write one such as ff12:401b::1:2"},
      {"A=1 : ALL\nmgid;",
       "2:1: error: 'mgid' is not a multicast GID; write one such as ff12:401b::1:2"},
      {"A=1 : ALL\nmgid=ff12::1,mtu=9;",
       "2:18: error: '9' is not a value for mtu; write 256, 512, 1024, 2048, 4096, or a code in "
       "1..5"},
      {std::string("A=1 : A\0L;", 10), "1:8: error: the line holds a NUL character; remove it"},
  };
  for (const auto& [text, finding] : wrong)
    EXPECT_THAT(read(text).findings, testing::Contains("p.conf:" + finding)) << text;
}

TEST(PartitionsConf, LinesOfAnyLengthAreRead) {
  std::string line = "A=1 : ";
  for (unsigned guid = 1; guid <= 1000; ++guid)
    line += fmt::format("{}{:#x}", guid == 1 ? "" : ", ", guid);
  ASSERT_GT(line.size(), 4094u);
  const Read result = read(line + ";");
  EXPECT_THAT(result.findings, testing::IsEmpty());
  ASSERT_EQ(result.definitions.size(), 1u);
  EXPECT_EQ(result.definitions[0].members.size(), 1000u);
}

TEST(PartitionsConf, ReportsMissingSemicolon) {
  // OpenSM reads the A as ALL, and the rest as an unknown membership.
  EXPECT_THAT(read("X=0x30:ALL=full\nA=0x31 : SELF;").findings,
              ElementsAre("p.conf:2:3: error: '0x31 : SELF' is not a membership; is the ';' of the "
                          "previous definition missing?"));
  EXPECT_THAT(read("X=0x30:ALL=full\nY:SELF;").findings,
              ElementsAre("p.conf:2:1: error: 'Y:SELF' is not a member; is the ';' of the "
                          "previous definition missing?"));
}

TEST(PartitionsConf, ReportsAllErrorsOfAFile) {
  const Read r = read("A=zz,mtu=9 : ALLX ;\nB 0x10\nALL ;\nC=3,rate=EDRX : SELF=foo, 0 ;");
  EXPECT_EQ(r.findings.size(), 7u);
}

TEST(PartitionsConf, WarnsAboutIgnoredFlags) {
  EXPECT_THAT(
      read("A=0x10,bogus=1,ipoib=yes : ALL\nmgid=ff12::1,hops=3 ").findings,
      ElementsAre("p.conf:1:8: warning: unknown flag 'bogus', ignored; there are mtu, rate, scope, "
                  "Q_Key, TClass, sl, FlowLabel, ipoib, defmember and indx0",
                  "p.conf:1:22: warning: ipoib takes no value; this one is ignored",
                  "p.conf:2:14: warning: unknown flag 'hops' of a group, ignored; there are mtu, "
                  "rate, scope, Q_Key, TClass, sl and FlowLabel",
                  "p.conf:2:19: warning: the last definition is not ended; write ';' after it"));
}

TEST(PartitionsConf, FileWithoutDefinitionsCountsAsNone) {
  for (const std::string_view text : {"", "\n\n", "# nothing\n  # here\n"}) {
    config::Diagnostics found;
    EXPECT_EQ(parse_partitions_conf({"p.conf", text}, found), default_configuration());
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found[0].text(),
              "p.conf: warning: no partition is defined here: the file counts as missing, and "
              "every port becomes a full member of the default partition");
  }
}

TEST(PartitionsConf, ReportsWhenNoKeyIsFree) {
  std::string text;
  for (unsigned i = 0; i < 0x7fff; ++i) text += fmt::format("n{}:ALL;\n", i);
  EXPECT_THAT(read(text).findings, ElementsAre("p.conf:32767:1: error: there is no free P_Key left "
                                               "for this partition; define fewer partitions"));
}

TEST(GroupValues, ParsesMtu) {
  EXPECT_EQ(parse_mtu("4"), 4);
  EXPECT_EQ(parse_mtu("0x5"), 5);
  EXPECT_EQ(parse_mtu("256"), 1);
  EXPECT_EQ(parse_mtu("4096"), 5);
  for (const char* wrong : {"", "0", "6", "128", "8192", "2k", "-4", "18446744073709551616"})
    EXPECT_FALSE(parse_mtu(wrong)) << wrong;
}

TEST(GroupValues, ParsesRate) {
  const std::pair<const char*, int> right[] = {
      {"3", 3},      {"10", 10},   {"0x10", 16},  {"100", 16},   {"40", 7},     {"28", 19},
      {"10G", 3},    {"2400", 26}, {"EDR", 16},   {"edr", 16},   {"SDR", 3},    {"FDR", 12},
      {"NDR", 21},   {"XDR", 23},  {"1xEDR", 15}, {"2xHDR", 16}, {"12xSDR", 4}, {"1xSDR", 2},
      {"8xFDR", 13}, {"2.5", 2},   {"2.5G", 2},   {"2", 2}};
  for (const auto& [text, code] : right) EXPECT_EQ(parse_rate(text), code) << text;
  for (const char* wrong : {"", "0", "1", "27", "99", "G", "7G", "3xEDR", "xEDR", "EDRx", "4x",
                            "0xEDR", "13xSDR", "TDR", "2.5x", "2.50.", "3.5", "99999999999"})
    EXPECT_FALSE(parse_rate(wrong)) << wrong;
}

}  // namespace partitions_conf_test
}  // namespace partitions
