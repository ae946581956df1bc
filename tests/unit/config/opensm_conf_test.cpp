#include "config/option_files.h"

#include <fmt/ranges.h>
#include <gmock/gmock.h>

#include "config/engine_names.h"
#include "option_samples.h"

namespace config {
namespace opensm_conf_test {

using testing::ElementsAre;
using testing::IsEmpty;

struct Read {
  Options options;
  std::vector<std::string> findings;
};
Read read(std::string_view text) {
  Read result;
  Diagnostics found;
  parse_opensm_conf({"opensm.conf", text}, result.options, found);
  result.findings = texts(found);
  return result;
}

TEST(OpensmConf, EmptyFileMeansDefaults) {
  EXPECT_THAT(read("").findings, IsEmpty());
  EXPECT_THAT(read("# only this\n\n   \t\n").findings, IsEmpty());
  EXPECT_THAT(differences(read("\n").options, Options{}), IsEmpty());
}

TEST(OpensmConf, BlanksCommentsQuotesAndLineEnds) {
  const Read r = read(
      "\t lmc \t 3 # three\nlog_prefix ' a b '\nlog_file \"/x y\"\r\nsm_priority "
      "0xA\nsubnet_timeout 010\nsweep_interval +5");
  EXPECT_THAT(r.findings, IsEmpty());
  EXPECT_EQ(r.options.lmc, 3);
  EXPECT_EQ(r.options.log_prefix, " a b ");
  EXPECT_EQ(r.options.log_file, "/x y");
  EXPECT_EQ(r.options.sm_priority, 10);
  EXPECT_EQ(r.options.subnet_timeout, 8);
  EXPECT_EQ(r.options.sweep_interval, 5U);
}

TEST(OpensmConf, HashEndsTheLineInQuotesToo) {
  EXPECT_EQ(read("log_prefix 'a # b'\n").options.log_prefix, "'a");
}

TEST(OpensmConf, NullUnsetsTexts) {
  const Read r = read("partition_config_file (null)\nrouting_engine (null)\nlog_prefix\n");
  EXPECT_EQ(r.options.partition_config_file, "");
  EXPECT_THAT(r.options.routing_engine, IsEmpty());
  EXPECT_EQ(r.options.log_prefix, "");
}

TEST(OpensmConf, LastLineIsUsedWithAWarning) {
  const Read r = read("lmc 1\nlmc 2\n");
  EXPECT_EQ(r.options.lmc, 2);
  EXPECT_THAT(
      r.findings,
      ElementsAre(
          "opensm.conf:2:5: warning: lmc was set before, on line 1; the last value is used"));
}

TEST(OpensmConf, OnlyTrueIsTrue) {
  const Read r = read("daemon TRUE\nqos FALSE\nlmc_esp0 true\nexit_on_fatal 1\nm_key_lookup\n");
  EXPECT_TRUE(r.options.daemon);
  EXPECT_FALSE(r.options.lmc_esp0);
  EXPECT_FALSE(r.options.exit_on_fatal);
  EXPECT_THAT(r.findings, ElementsAre("opensm.conf:3:10: warning: lmc_esp0 'true' counts as FALSE, "
                                      "as in OpenSM; write TRUE or FALSE, in capitals",
                                      "opensm.conf:4:15: warning: exit_on_fatal '1' counts as "
                                      "FALSE, as in OpenSM; write TRUE or FALSE, in capitals",
                                      "opensm.conf:5:13: warning: m_key_lookup '' counts as FALSE, "
                                      "as in OpenSM; write TRUE or FALSE, in capitals"));
}

TEST(OpensmConf, UnknownAndForeignKeys) {
  const Read r = read("  swep_interval 5\nsharp_enabled 2\nsharp_enabled 1\nLMC 2\n");
  EXPECT_THAT(
      r.findings,
      ElementsAre(
          "opensm.conf:1:3: warning: unknown key 'swep_interval', ignored; did you mean "
          "'sweep_interval'?",
          "opensm.conf:2:1: warning: 'sharp_enabled' is known from other subnet managers, not "
          "supported, ignored",
          "opensm.conf:4:1: warning: unknown key 'LMC', ignored; did you mean 'lmc'?"));
}

TEST(OpensmConf, AllErrorsAtOnce) {
  const Read r = read(
      "lmc 8\nsm_priority abc\n sweep_interval 5x\nm_key_lease_period 65536\nguid "
      "0x1,zz\nforce_link_speed 9\npart_enforce sideways\n"
      "lmc\nm_key 0x12345678901234567\ncc_cct 1:2,3\ncc_ca_cong_setting_ccti_timer 16 "
      "1\nqos_high_limit 256\nsweep_interval -1\n"
      "cc_sw_cong_setting_victim_mask 0xxyz\nforce_link_width 32\n");
  EXPECT_THAT(differences(r.options, Options{}), IsEmpty());
  EXPECT_THAT(
      r.findings,
      ElementsAre(
          "opensm.conf:1:5: error: lmc '8' is out of range; write a number in 0..7",
          "opensm.conf:2:13: error: 'abc' is not a value for sm_priority; write a number in 0..15",
          "opensm.conf:3:17: error: '5x' is not a value for sweep_interval; write a number in "
          "0..4294",
          "opensm.conf:4:20: error: m_key_lease_period '65536' is out of range; write a number in "
          "0..65535",
          "opensm.conf:5:6: error: 'zz' is not a value for guid; write GUIDs such as "
          "0x0002c90300a1b2c3, separated by commas, or a single 0",
          "opensm.conf:6:18: error: force_link_speed '9' is out of range; write a number in 0..7 "
          "or 15",
          "opensm.conf:7:14: error: 'sideways' is not a value for part_enforce; write one of both, "
          "in, out, off",
          "opensm.conf:8:4: warning: lmc was set before, on line 1; the last value is used",
          "opensm.conf:8:4: error: lmc has no value; write a number in 0..7",
          "opensm.conf:9:7: error: m_key MASKED is out of range; write a 64-bit "
          "number such as 0x0002c90300a1b2c3",
          "opensm.conf:10:8: error: '3' is not a value for cc_cct; write up to 128 of "
          "shift:multiplier separated by commas, shift in 0..3 and multiplier in 0..16383, or "
          "(null)",
          "opensm.conf:11:31: error: cc_ca_cong_setting_ccti_timer '16 1' is out of range; write "
          "an SL in 0..15, a blank, and a number in 0..65535",
          "opensm.conf:12:16: error: qos_high_limit '256' is out of range; write a number in "
          "-2147483648..255",
          "opensm.conf:13:16: warning: sweep_interval was set before, on line 3; the last value is "
          "used",
          "opensm.conf:13:16: error: '-1' is not a value for sweep_interval; write a number in "
          "0..4294",
          "opensm.conf:14:32: error: '0xxyz' is not a value for cc_sw_cong_setting_victim_mask; "
          "write up to 64 hexadecimal digits",
          "opensm.conf:15:18: error: force_link_width '32' is out of range; write a number in "
          "0..31 or 255"));
}

TEST(OpensmConf, LongLines) {
  EXPECT_THAT(read("# " + std::string(5000, 'x') + "\nlmc 1 #" + std::string(5000, 'y')).findings,
              IsEmpty());
  EXPECT_THAT(
      read("log_prefix " + std::string(1012, 'x')).findings,
      ElementsAre(
          "opensm.conf:1:1023: error: the line is longer than 1022 characters; shorten it"));
  EXPECT_EQ(read("log_prefix " + std::string(1011, 'x')).options.log_prefix.size(), 1011U);
}

TEST(OpensmConf, UnbuiltFeaturesAreReportedUnlessAtTheirDefault) {
  const std::string engines = fmt::format("engines: {}", fmt::join(built_engines(), ", "));
  const Read r =
      read("qos FALSE\nqos TRUE\nrouting_engine pqft,minhop,foo\nallow_both_pkeys FALSE\n");
  EXPECT_THAT(
      r.findings,
      ElementsAre("opensm.conf:2:5: warning: qos was set before, on line 1; the last value is used",
                  "opensm.conf:3:16: warning: routing engine 'pqft' is not built: its tables are "
                  "not documented; dmodc has a closed form for fat trees; minhop is used without "
                  "it; " +
                      engines,
                  "opensm.conf:3:16: warning: routing engine 'foo' is unknown; minhop is used "
                  "without it; " +
                      engines));
  EXPECT_THAT(r.options.routing_engine, ElementsAre("pqft", "minhop", "foo"));
}

TEST(OpensmConf, EnginesWithAdaptiveRoutingAreBuilt) {
  const Read r = read("routing_engine ar_updn,ar_torus,minhop\n");
  EXPECT_THAT(r.options.routing_engine, ElementsAre("ar_updn", "ar_torus", "minhop"));
  EXPECT_THAT(r.findings, ElementsAre());
}

TEST(OpensmConf, IsSetForValuesOtherThanTheDefault) {
  const Read r = read("lmc 0\nmax_wire_smps 4\n   sm_priority 3\n");
  EXPECT_FALSE(r.options.is_set(
      "lmc"));  // a file of -c has every key, so that a default value does not count as set
  EXPECT_TRUE(r.options.is_set("max_wire_smps"));  // unset, the window adapts
  EXPECT_EQ(r.options.origins.at("sm_priority"), (Origin{"opensm.conf", 3, 16}));
}

TEST(OpensmConf, ImplicationsBetweenKeys) {
  EXPECT_EQ(read("max_wire_smps 0\n").options.max_wire_smps, 0x7fffffffU);
  const Read r = read("part_enforce in\nno_partition_enforcement TRUE\n");
  EXPECT_EQ(r.options.part_enforce, PartEnforce::off);
  EXPECT_THAT(r.findings, ElementsAre("opensm.conf:1:14: warning: part_enforce has no effect "
                                      "because of no_partition_enforcement TRUE; "
                                      "remove one of the two lines"));
}

TEST(OpensmConf, GuidLists) {
  EXPECT_THAT(read("guid 0x2c90300000001, 0x2c90300000002").options.guid,
              ElementsAre(0x2c90300000001, 0x2c90300000002));
  EXPECT_THAT(read("guid 0x0000000000000000").options.guid, IsEmpty());
  EXPECT_EQ(read("guid 0x1,0").findings.size(), 1U);
  EXPECT_THAT(read("guid 0x1,guid 0x2").options.guid, ElementsAre(1, 2));
  EXPECT_EQ(read("guid 0x1,lid 0x2").findings.size(), 1U);
}

TEST(OpensmConf, SubnetPrefixIsOneForAllPortsOrOneForEach) {
  EXPECT_THAT(read("subnet_prefix 0xfec0000000000001").options.subnet_prefix.values,
              ElementsAre(0xfec0000000000001));
  EXPECT_THAT(
      read("subnet_prefix 0xfe80000000000000, 0xfe80000000000001").options.subnet_prefix.values,
      ElementsAre(0xfe80000000000000, 0xfe80000000000001));
  for (const char* bad : {"subnet_prefix", "subnet_prefix 1,", "subnet_prefix 1,x"})
    EXPECT_EQ(read(bad).findings.size(), 1U) << bad;
}

TEST(OpensmConf, AliasOfOpenSM) {
  EXPECT_EQ(read("dimn_ports_file /x").options.port_search_ordering_file, "/x");
}

/// OpenSM takes these numbers and sends other ones: fields of the annex are narrower.
TEST(OpensmConf, CongestionControlValuesFitTheirFields) {
  const Read r = read(
      "cc_sw_cong_setting_threshold 16\ncc_sw_cong_setting_control_map 0x20\n"
      "cc_sw_cong_setting_credit_starvation_return_delay 4:0\ncc_cct 0:0,3:16384\n"
      "cc_ca_cong_setting_port_control 2\ncc_ca_cong_setting_ccti_increase 0 256\n"
      "cc_max_outstanding_mads 0\n");
  EXPECT_THAT(
      r.findings,
      ElementsAre(
          "opensm.conf:1:30: error: cc_sw_cong_setting_threshold '16' is out of range; write a "
          "number in 0..15",
          "opensm.conf:2:32: error: cc_sw_cong_setting_control_map '0x20' is out of range; write a "
          "number in 0..31",
          "opensm.conf:3:51: error: cc_sw_cong_setting_credit_starvation_return_delay '4:0' is out "
          "of range; write shift:multiplier, shift in 0..3 and multiplier in 0..16383",
          "opensm.conf:4:8: error: cc_cct '3:16384' is out of range; write up to 128 of "
          "shift:multiplier separated by commas, shift in 0..3 and multiplier in 0..16383, or "
          "(null)",
          "opensm.conf:5:33: error: cc_ca_cong_setting_port_control '2' is out of range; write a "
          "number in 0..1",
          "opensm.conf:6:34: error: cc_ca_cong_setting_ccti_increase '256' is out of range; write "
          "an SL in 0..15, a blank, and a number in 0..255",
          "opensm.conf:7:25: error: cc_max_outstanding_mads '0' is out of range; write a number in "
          "1..4096"));
  EXPECT_THAT(differences(r.options, Options{}), IsEmpty());
}

TEST(OpensmConf, PerSlValuesMayRepeat) {
  const Read r = read("cc_ca_cong_setting_ccti_min 0 4\ncc_ca_cong_setting_ccti_min 15 9\n");
  EXPECT_EQ(r.options.cc_ca_cong_setting_ccti_min[0], 4);
  EXPECT_EQ(r.options.cc_ca_cong_setting_ccti_min[15], 9);
  EXPECT_THAT(r.findings, IsEmpty());
}

}  // namespace opensm_conf_test
}  // namespace config
