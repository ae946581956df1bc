#include "config/qos_policy_reader.h"

#include <gmock/gmock.h>

#include <random>
#include <set>

#include "option_samples.h"
#include "support/seeds.h"

namespace config {
namespace qos_policy_test {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

const std::string kDefaultLevel =
    "qos-levels\nqos-level\nname: DEFAULT\nsl: 0\nend-qos-level\nend-qos-levels\n";  // 6 lines

struct Read {
  std::optional<QosPolicy> policy;
  std::vector<std::string> findings;
};
Read read(const std::string& text) {
  Diagnostics found;
  Read result{parse_qos_policy({"qos", text}, found), {}};
  result.findings = texts(found);
  return result;
}

TEST(NumberRanges, AreSetsOfNumbers) {
  seeds::for_each(300, [](std::uint64_t seed) {
    std::mt19937_64 random(seed);
    // Near both ends of the type's range.
    const std::uint64_t base = seed % 2 == 0 ? 0 : ~std::uint64_t{0} - 63;
    NumberRanges ranges;
    std::set<std::uint64_t> expected;
    for (int i = 0; i < 8; ++i) {
      const std::uint64_t first = random() % 64,
                          last = first + random() % std::min<std::uint64_t>(64 - first, 9);
      ranges.add({base + first, base + last});
      for (std::uint64_t n = first; n <= last; ++n) expected.insert(base + n);
    }
    for (std::uint64_t n = 0; n < 64; ++n)
      ASSERT_EQ(ranges.contains(base + n), expected.contains(base + n)) << n;
    for (std::size_t i = 1; i < ranges.ranges().size(); ++i)
      ASSERT_LT(ranges.ranges()[i - 1].last + 1, ranges.ranges()[i].first);
  });
}

TEST(QosPolicy, EverySection) {
  const Read r = read(
      "# all of it\n"
      "port-groups\n"
      "  port-group\n    name: Storage Servers\n    use: SRP targets\n    port-guid: 0x10, "
      "0x20-0x2F\n    port-guid: 0x30\n  end-port-group\n"
      "  port-group\n    name : names\n    port-name: vs1 HCA-1/P1, a/b/P2\n  end-port-group\n"
      "  port-group\n    name: parts\n    partition: Part1, Part2\n    pkey: 0x8001-0x8003,5\n  "
      "end-port-group\n"
      "  port-group\n    name: types\n    node-type: ca, SELF\n  end-port-group\n"
      "  port-group\n    name: all_nodes\n    node-type: ALL\n  end-port-group\n"
      "end-port-groups\n"
      "qos-match-rules\n"
      "  qos-match-rule\n    qos-class: 7-9,11\n    source: names, storage servers\n    "
      "destination: parts\n    service-id: 0x10000-0x1FFFF\n"
      "    pkey: 0x0F00-0x0FFF\n    use: all of it\n    qos-level-name: wholeset\n  "
      "end-qos-match-rule\n"
      "  qos-match-rule\n    qos-level-name: default\n  end-qos-match-rule\n"
      "end-qos-match-rules\n"
      "qos-levels\n"
      "  qos-level\n    name: DEFAULT\n    sl: 3  # three\n  end-qos-level\n"
      "  qos-level\n    name: WholeSet\n    use: x\n    sl: 1\n    mtu-limit: 4\n    rate-limit: "
      "5\n    packet-life: 8\n    path-bits: 2,4,8-32\n    pkey: 0x1234\n  end-qos-level\n"
      "end-qos-levels\n");
  EXPECT_THAT(r.findings, IsEmpty());
  ASSERT_TRUE(r.policy);
  const QosPolicy& policy = *r.policy;
  ASSERT_THAT(policy.port_groups, SizeIs(5));
  EXPECT_EQ(policy.port_groups[0].name, "Storage Servers");
  EXPECT_EQ(policy.port_groups[0].port_guids, (NumberRanges{{0x10, 0x10}, {0x20, 0x30}}));
  EXPECT_THAT(policy.port_groups[1].port_names,
              ElementsAre(QosPortName{"vs1 HCA-1", 1}, QosPortName{"a/b", 2}));
  EXPECT_THAT(policy.port_groups[2].partitions, ElementsAre("Part1", "Part2"));
  EXPECT_EQ(policy.port_groups[2].p_keys, (NumberRanges{{1, 3}, {5, 5}}));
  const auto types = [&](std::size_t i) {
    const QosPortGroup& group = policy.port_groups[i];
    return std::array{group.cas, group.switches, group.routers, group.self};
  };
  EXPECT_THAT(types(3), ElementsAre(true, false, false, true));
  EXPECT_THAT(types(4), ElementsAre(true, true, true, false));
  EXPECT_THAT(
      policy.levels,
      ElementsAre(QosLevel{"DEFAULT", 3, {}, {}, {}, {}, {}},
                  QosLevel{"WholeSet", 1, 4, 5, 8, {{2, 2}, {4, 4}, {8, 32}}, {{0x1234, 0x1234}}}));
  EXPECT_THAT(
      policy.rules,
      ElementsAre(
          QosRule{1, {1, 0}, {2}, {{7, 9}, {11, 11}}, {{0x10000, 0x1FFFF}}, {{0xF00, 0xFFF}}},
          QosRule{0, {}, {}, {}, {}, {}}));
  EXPECT_EQ(policy.default_level, 0u);
}

TEST(QosPolicy, EveryProtocol) {
  struct Case {
    const char* line;
    NumberRanges service_ids, p_keys, sources, destinations;
  };
  const Case cases[] = {
      {"sdp : 1", {{0x10000, 0x1FFFF}}, {}, {}, {}},
      {"SDP, port-num 30000 : 1", {{0x10000 + 30000, 0x10000 + 30000}}, {}, {}, {}},
      {"sdp,port-num 10000-20000,5:1", {{0x10005, 0x10005}, {0x12710, 0x14E20}}, {}, {}, {}},
      {"rds : 1", {{0x10648CA, 0x10648CA}}, {}, {}, {}},
      {"rds, port-num 1 : 1", {{0x1060001, 0x1060001}}, {}, {}, {}},
      {"iser : 1", {{0x1060CBC, 0x1060CBC}}, {}, {}, {}},
      {"iser, port-num 900 : 1", {{0x1060384, 0x1060384}}, {}, {}, {}},
      {"ipoib : 1", {}, {{0x7FFF, 0x7FFF}}, {}, {}},
      {"ipoib, pkey 0x8001 : 1", {}, {{1, 1}}, {}, {}},
      {"srp, target-port-guid 0x1234 : 1", {}, {}, {}, {{0x1234, 0x1234}}},
      {"any, service-id 0x6234 : 1", {{0x6234, 0x6234}}, {}, {}, {}},
      {"any, service-id 0-0xffffffffffffffff : 1", {{0, ~std::uint64_t{0}}}, {}, {}, {}},
      {"any, pkey 0x0ABC : 1", {}, {{0xABC, 0xABC}}, {}, {}},
      {"any, target-port-guid 0x0ABC-0xFFFFF : 1", {}, {}, {}, {{0xABC, 0xFFFFF}}},
      {"any, source-port-guid 0x5678 : 1", {}, {}, {{0x5678, 0x5678}}, {}},
      {"any, source-target-port-guid 0x5678 : 1", {}, {}, {{0x5678, 0x5678}}, {{0x5678, 0x5678}}},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.line);
    const Read r = read(std::string("qos-ulps\ndefault : 7\n") + c.line + "\nend-qos-ulps\n");
    EXPECT_THAT(r.findings, IsEmpty());
    ASSERT_TRUE(r.policy);
    ASSERT_THAT(r.policy->rules, SizeIs(1));
    const QosRule& rule = r.policy->rules[0];
    EXPECT_EQ(r.policy->levels[rule.level].sl, 1u);
    EXPECT_EQ(r.policy->levels[r.policy->default_level].sl, 7u);
    EXPECT_EQ(rule.service_ids, c.service_ids);
    EXPECT_EQ(rule.p_keys, c.p_keys);
    const auto guids = [&](const std::vector<std::size_t>& groups) {
      return groups.empty() ? NumberRanges() : r.policy->port_groups[groups.at(0)].port_guids;
    };
    EXPECT_EQ(guids(rule.sources), c.sources);
    EXPECT_EQ(guids(rule.destinations), c.destinations);
  }
}

TEST(QosPolicy, RulesOfUlpsFollowMatchRulesWhateverTheOrder) {
  const Read r = read("qos-ulps\ndefault : 5\nsdp : 1\nend-qos-ulps\n" + kDefaultLevel +
                      "qos-match-rules\nqos-match-rule\nqos-class: 1\nqos-level-name: "
                      "DEFAULT\nend-qos-match-rule\nend-qos-match-rules\n");
  ASSERT_TRUE(r.policy);
  ASSERT_THAT(r.policy->rules, SizeIs(2));
  EXPECT_FALSE(r.policy->rules[0].qos_classes.empty());
  EXPECT_FALSE(r.policy->rules[1].service_ids.empty());
  EXPECT_EQ(r.policy->levels[r.policy->rules[1].level].sl, 1u);
  EXPECT_EQ(r.policy->levels[r.policy->default_level].name, "DEFAULT");  // not that of qos-ulps
}

TEST(QosPolicy, SetupIsCheckedAndHasNoEffect) {
  const std::string setup =
      "qos-setup\nvlarb-tables\nvlarb-scope\ngroup: x\nacross: y, z\nvlarb-high: "
      "0:255,1:127\nvlarb-low: 8:255\nvl-high-limit: 10\nend-vlarb-scope\nend-vlarb-tables\n"
      "sl2vl-tables\nsl2vl-scope\ngroup: x\nfrom: *\nto: 1,3-5\nacross-from: y\nacross-to: "
      "y\nsl2vl-table: 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,7\n"
      "end-sl2vl-scope\nend-sl2vl-tables\nend-qos-setup\n";
  const Read r = read(kDefaultLevel + setup);
  EXPECT_THAT(r.findings,
              ElementsAre("qos:7:1: warning: qos-setup has no effect; SL to VL tables and VL "
                          "arbitration belong into the configuration (keys qos_*)"));
  EXPECT_EQ(r.policy, read(kDefaultLevel).policy);
}

TEST(QosPolicy, OfDuplicateNamesTheFirstIsUsed) {
  const Read r = read(
      "qos-levels\nqos-level\nname: Default\nsl: 1\nend-qos-level\nqos-level\nname: DEFAULT\nsl: "
      "2\nend-qos-level\nend-qos-levels\n");
  EXPECT_THAT(
      r.findings,
      ElementsAre(
          "qos:6:1: warning: there is a qos-level 'DEFAULT' already; the first one is used"));
  ASSERT_TRUE(r.policy);
  EXPECT_EQ(r.policy->levels[r.policy->default_level].sl, 1u);
}

// ---- Errors: one malformed line in these sections.

std::string in_level(const std::string& line) {
  return kDefaultLevel + "qos-levels\nqos-level\nname: x\nsl: 1\n" + line +
         "\nend-qos-level\nend-qos-levels\n";
}  // line 11
std::string in_group(const std::string& line) {
  return kDefaultLevel + "port-groups\nport-group\nname: g\n" + line +
         "\nend-port-group\nend-port-groups\n";
}  // line 10
std::string in_rule(const std::string& line) {
  return kDefaultLevel + "qos-match-rules\nqos-match-rule\n" + line +
         "\nend-qos-match-rule\nend-qos-match-rules\n";
}  // 9
std::string in_ulps(const std::string& line) {
  return "qos-ulps\ndefault: 0\n" + line + "\nend-qos-ulps\n";
}  // line 3
std::string in_vlarb(const std::string& line) {
  return kDefaultLevel + "qos-setup\nvlarb-tables\nvlarb-scope\n" + line +
         "\nend-vlarb-scope\nend-vlarb-tables\nend-qos-setup\n";
}  // 10
std::string in_sl2vl(const std::string& line) {
  return kDefaultLevel + "qos-setup\nsl2vl-tables\nsl2vl-scope\n" + line +
         "\nend-sl2vl-scope\nend-sl2vl-tables\nend-qos-setup\n";
}  // 10

TEST(QosPolicy, Errors) {
  struct Case {
    std::string text;
    const char* finding;
  };
  const Case cases[] = {
      {"",
       "qos: error: no level is given to paths that no rule matches; define a qos-level DEFAULT, "
       "or write 'default: SL' in qos-ulps"},
      {"hello\n" + kDefaultLevel,
       "qos:1:1: error: 'hello' is not known outside of all sections; allowed: qos-ulps, "
       "port-groups, qos-setup, qos-levels, qos-match-rules"},
      {kDefaultLevel + "port-group\n",
       "qos:7:1: error: a port-group cannot begin outside of all sections; it belongs into "
       "port-groups"},
      {kDefaultLevel + "end-port-group\n",
       "qos:7:1: error: there is no port-group to end here; remove the line"},
      {kDefaultLevel + "  qos-levels\nqos-level\nname: x\nsl: 1\nend-qos-level",
       "qos:7:3: error: the qos-levels that begins here does not end; write end-qos-levels after "
       "it"},
      {"qos-ulps\ndefault: 0\nqos-levels\nend-qos-levels\n",
       "qos:3:1: error: a qos-levels cannot begin in qos-ulps; write end-qos-ulps in front of it"},
      {kDefaultLevel + "port-groups\nport-group\nname: g\nend-port-groups\n",
       "qos:10:1: error: there is no port-groups to end here; write end-port-group in front of it"},

      {in_level("colour: 1"),
       "qos:11:1: error: 'colour' is not known in qos-level; allowed: name, use, sl, mtu-limit, "
       "rate-limit, packet-life, path-bits, pkey"},
      {in_level(" name: y"), "qos:11:2: error: name appears twice; remove one of the two"},
      {in_level("pkey"), "qos:11:1: error: there is no ':' after pkey; write 'pkey: ...'"},
      {in_level("pkey:"), "qos:11:6: error: pkey has no value; write 'pkey: ...'"},
      {in_level("pkey: 1,,2"),
       "qos:11:9: error: a value is missing here; write one, or remove the comma"},
      {in_level("pkey: 1,"), "qos:11:9: error: a value is missing here; write one"},
      {in_level("pkey: 0x30-0x20"),
       "qos:11:7: error: the range '0x30-0x20' is descending; write the smaller number first"},
      {in_level("pkey: 0x10000"),
       "qos:11:7: error: P_Key '0x10000' is out of range; write a P_Key in 0..65535"},
      {in_level("pkey: 0x7000-0x9000"),
       "qos:11:7: error: the range '0x7000-0x9000' goes from limited to full P_Keys; write P_Keys "
       "in 0..0x7fff"},
      {in_level("mtu-limit: 6"),
       "qos:11:12: error: MTU code '6' is out of range; write a MTU code in 1..5"},
      {in_level("rate-limit: 1"),
       "qos:11:13: error: rate code '1' is out of range; write a rate code in 2..26"},
      {in_level("packet-life: 64"),
       "qos:11:14: error: packet lifetime code '64' is out of range; write a packet lifetime code "
       "in 0..63"},
      {in_level("path-bits: 128"),
       "qos:11:12: error: number of path bits '128' is out of range; write a number of path bits "
       "in 0..127"},
      {in_level("end-qos-level\nqos-level\nsl: 1"),
       "qos:12:1: error: this qos-level has no name; write a line 'name: ...'"},
      {in_level("end-qos-level\nqos-level\nname: y"),
       "qos:12:1: error: this qos-level has no sl; write a line 'sl: ...'"},
      {in_level("end-qos-level\nqos-level\nname: y\nsl: 16"),
       "qos:14:5: error: SL '16' is out of range; write a SL in 0..15"},
      {in_level("end-qos-level\nqos-level\nname: y\nsl: -1"),
       "qos:14:5: error: '-1' is not a SL; write a SL in 0..15"},

      {in_group("port-guid: x"), "qos:10:12: error: 'x' is not a GUID; write a GUID of 64 bits"},
      {in_group("port-guid: 0x12345678901234567"),
       "qos:10:12: error: GUID '0x12345678901234567' is out of range; write a GUID of 64 bits"},
      {in_group("port-name: a/P1, b"),
       "qos:10:18: error: 'b' is not the name of a port; write the description of the node, '/P' "
       "and the port's number: node1 HCA-1/P1"},
      {in_group("port-name: a/1"),
       "qos:10:12: error: 'a/1' is not the name of a port; write the description of the node, '/P' "
       "and the port's number: node1 HCA-1/P1"},
      {in_group("port-name: a/P255"),
       "qos:10:15: error: port number '255' is out of range; write a port number in 0..254"},
      {in_group("node-type: CA, HCA"),
       "qos:10:16: error: 'HCA' is not a node type; write CA, SWITCH, ROUTER, SELF or ALL"},
      {in_group("end-port-group\nport-group\nport-guid: 1"),
       "qos:11:1: error: this port-group has no name; write a line 'name: ...'"},

      {in_rule("qos-class: 1"),
       "qos:8:1: error: this qos-match-rule has no qos-level-name; write a line 'qos-level-name: "
       "...'"},
      {in_rule("qos-level-name: nix"),
       "qos:9:17: error: there is no qos-level 'nix'; define it in qos-levels"},
      {in_rule("qos-level-name: DEFAULT\nsource: a"),
       "qos:10:9: error: there is no port-group 'a'; define it in port-groups"},
      {in_rule("qos-level-name: DEFAULT\ndestination: a"),
       "qos:10:14: error: there is no port-group 'a'; define it in port-groups"},
      {in_rule("qos-level-name: DEFAULT\nqos-class: 4096"),
       "qos:10:12: error: QoS class '4096' is out of range; write a QoS class in 0..4095"},
      {in_rule("qos-level-name: DEFAULT\nservice-id: 1-x"),
       "qos:10:15: error: 'x' is not a ServiceID; write a ServiceID of 64 bits"},

      {in_ulps("nfs: 1"),
       "qos:3:1: error: 'nfs' is not a protocol known here; write default, sdp, rds, iser, srp, "
       "ipoib or any"},
      {in_ulps("srp: 1"),
       "qos:3:1: error: srp cannot be selected like this; write 'srp, target-port-guid ...' in "
       "front of the ':'"},
      {in_ulps("sdp, pkey 3: 1"),
       "qos:3:1: error: sdp cannot be selected like this; write 'sdp' or 'sdp, port-num ...' in "
       "front of the ':'"},
      {in_ulps("sdp, : 1"),
       "qos:3:1: error: sdp cannot be selected like this; write 'sdp' or 'sdp, port-num ...' in "
       "front of the ':'"},
      {in_ulps("sdp"), "qos:3:1: error: there is no SL here; write ': SL' at the end of the line"},
      {in_ulps("sdp: 16"), "qos:3:6: error: SL '16' is out of range; write a SL in 0..15"},
      {in_ulps("sdp, port-num 70000: 1"),
       "qos:3:15: error: port-num '70000' is out of range; write a port-num in 0..65535"},
      {in_ulps("any, pkey : 1"), "qos:3:10: error: a value is missing here; write one"},
      {in_ulps("default: 1"), "qos:3:1: error: default appears twice; remove one of the two"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.text);
    const Read r = read(c.text);
    EXPECT_THAT(r.findings, ElementsAre(c.finding));
    EXPECT_FALSE(r.policy);
  }
}

TEST(QosPolicy, ErrorsInSetup) {
  struct Case {
    std::string text;
    const char* finding;
  };
  const Case cases[] = {
      {in_vlarb("vlarb-high: 16:1"),
       "qos:10:13: error: VL '16' is out of range; write a VL in 0..15"},
      {in_vlarb("vlarb-low: 1:256"),
       "qos:10:14: error: weight '256' is out of range; write a weight in 0..255"},
      {in_vlarb("vlarb-low: 1"), "qos:10:12: error: '1' has no weight; write VL:weight"},
      {in_vlarb("vl-high-limit: 256"),
       "qos:10:16: error: limit '256' is out of range; write a limit in 0..255"},
      {in_sl2vl("sl2vl-table: 0,1"),
       "qos:10:14: error: there are 2 VLs here; write one for each of the 16 SLs"},
      {in_sl2vl("from: x"),
       "qos:10:7: error: 'x' is not a port number; write a port number in 0..254"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.text);
    const Read r = read(c.text);
    EXPECT_THAT(r.findings, ElementsAre(HasSubstr("no effect"), c.finding));
    EXPECT_FALSE(r.policy);
  }
}

TEST(QosPolicy, AllErrorsAtOnce) {
  EXPECT_THAT(read("qos-ulps\nsdp: x\nnfs: 1\nend-qos-ulps\nqos-levels\nqos-level\nname: "
                   "y\nqos-level\nend-qos-levels\n")
                  .findings,
              SizeIs(5));
}

}  // namespace qos_policy_test
}  // namespace config
