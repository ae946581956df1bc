#include "config/check.h"

#include <gmock/gmock.h>
#include <sys/stat.h>

#include <cstdio>

#include "config/qos_settings.h"
#include "option_samples.h"

namespace config {
namespace check_test {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(CheckConfig, MissingFileIsAWarningAndDefaultsAreUsed) {
  const CheckedConfig checked = check_config("/etc/x.conf", disk({}));
  EXPECT_THAT(
      texts(checked.diagnostics),
      ElementsAre(
          "/etc/x.conf: warning: cannot be read: No such file or directory; defaults are used"));
  EXPECT_THAT(differences(checked.options, Options{}), IsEmpty());
}

TEST(CheckConfig, UnreadableFileIsAnError) {
  EXPECT_THAT(texts(check_config("x.conf", disk({{"x.conf", kUnreadable}})).diagnostics),
              ElementsAre("x.conf: error: cannot be read: Permission denied; make it readable, or "
                          "name another file with --config"));
}

TEST(CheckConfig, ActionsOfHealthAreChecked) {
  const auto found = [](const std::string& text) {
    return texts(check_config("x.conf", disk({{"x.conf", text}})).diagnostics);
  };
  for (const std::string key : {"hm_sw_flapping_action", "hm_ca_flapping_action",
                                "hm_sw_noisy_action", "hm_ca_noisy_action"}) {
    for (const char* word : {"ignore", "report", "isolate"})
      EXPECT_THAT(found(key + " " + word + "\n"), IsEmpty()) << key << word;
    EXPECT_THAT(found(key + " no_discover\n"),
                ElementsAre("x.conf:1:" + std::to_string(key.size() + 2) + ": error: " + key +
                            " 'no_discover' is unknown; write ignore, report or isolate"));
  }
  for (const std::string key : {"hm_sw_manual_action", "hm_ca_manual_action"}) {
    EXPECT_THAT(found(key + " no_discover\n"), IsEmpty());
    EXPECT_THAT(found(key + " Isolate\n"),
                ElementsAre(HasSubstr("write ignore, report, isolate or no_discover")));
  }
}

TEST(CheckConfig, HealthFilesAreReadWithPlaces) {
  const CheckedConfig checked =
      check_config("x.conf", disk({{"x.conf",
                                    "hm_ports_health_policy_file h\nheld_back_sw_file b\n"
                                    "topo_config_enabled TRUE\ntopo_config_file t\n"},
                                   {"h", "0xa0 1 UNHEALTHY isolate\n0xa1 1 SICK\n"},
                                   {"b", "0xb0\nx\n"},
                                   {"t", "0xa,1,0xb,1,Any,Active\n"}}));
  EXPECT_THAT(checked.files.port_health, testing::SizeIs(1));
  EXPECT_THAT(checked.files.held_back, ElementsAre(0xb0));
  ASSERT_TRUE(checked.files.expected_topology.text);
  EXPECT_EQ(*checked.files.expected_topology.text, "0xa,1,0xb,1,Any,Active\n");
  EXPECT_THAT(texts(checked.diagnostics),
              ElementsAre(HasSubstr("h:2:8: error: "), HasSubstr("b:2:1: error: ")));
  EXPECT_FALSE(check_config("x.conf", disk({{"x.conf", "lmc 0\n"}})).files.expected_topology.text);
}

TEST(CheckConfig, ReportsAllErrorsOfAllNamedFiles) {
  const auto files = disk({{"x.yaml",
                            "lmc: 8\nhop_weights_file: w\nroot_guid_file: r\nperfmgr: true\n"
                            "lmc_esp0: true\n"},
                           {"w", "0x1 1\n"}});
  const CheckedConfig checked = check_config("x.yaml", files);
  EXPECT_THAT(
      texts(checked.diagnostics),
      ElementsAre("x.yaml:1:6: error: lmc '8' is out of range; write a number in 0..7",
                  "x.yaml:4:10: warning: perfmgr is known, but what it configures is not "
                  "built yet",
                  "x.yaml:5:11: warning: lmc_esp0 TRUE has no effect with lmc 0; set lmc, or leave "
                  "lmc_esp0 out",
                  "w:1:6: error: the line ends before the weight; write a weight in 1..255",
                  "r: warning: cannot be read: No such file or directory; its feature stays off"));
}

TEST(CheckConfig, LogLevelsOfModulesAreReadUnderTheirUsualName) {
  const auto findings = [](const char* levels) {
    return texts(check_config("x.conf", disk({{"x.conf", ""},
                                              {"/etc/opensm/per-module-logging.conf", levels}}))
                     .diagnostics);
  };
  EXPECT_THAT(findings("osm_sm.c 3"), IsEmpty());
  EXPECT_THAT(findings("osm_sm.c x"),
              ElementsAre("/etc/opensm/per-module-logging.conf:1:10: error: 'x' is not a level; "
                          "write a level in 0..255"));
}

TEST(CheckConfig, ReturnsTheContentsOfTheFiles) {
  const auto files = disk({{"x.conf",
                            "hop_weights_file w\nport_search_ordering_file "
                            "o\nport_prof_ignore_file i\nguid_routing_order_file g\n"},
                           {"w", "0x1 1 2"},
                           {"o", "0x1 1 2"},
                           {"i", "0x1 1"},
                           {"g", "0x5\n0x4"}});
  const CheckedConfig checked = check_config("x.conf", files);
  EXPECT_THAT(texts(checked.diagnostics), IsEmpty());
  EXPECT_THAT(checked.files.hop_weights, ElementsAre(HopWeight{1, 1, 2}));
  EXPECT_THAT(checked.files.port_orders, ElementsAre(PortOrder{1, {1, 2}}));
  EXPECT_THAT(checked.files.ignored_ports, ElementsAre(IgnoredPort{1, 1}));
  EXPECT_THAT(checked.files.routing_order, ElementsAre(5, 4));
}

TEST(CheckConfig, PrefixRoutesOfTheDefaultNameMayBeMissing) {
  EXPECT_THAT(texts(check_config("x.conf", disk({{"x.conf", ""}})).diagnostics), IsEmpty());
  const CheckedConfig usual =
      check_config("x.conf", disk({{"x.conf", ""}, {"/etc/opensm/prefix-routes.conf", "* 0x5\n"}}));
  EXPECT_THAT(texts(usual.diagnostics), IsEmpty());
  EXPECT_THAT(usual.files.prefix_routes, ElementsAre(PrefixRoute{std::nullopt, 5}));
  EXPECT_THAT(
      texts(check_config("x.conf", disk({{"x.conf", "prefix_routes_file p\n"}})).diagnostics),
      ElementsAre("p: warning: cannot be read: No such file or directory; its feature stays off"));
}

TEST(CheckConfig, ReturnsTheTablesOfTheFileEngine) {
  const auto files = disk({{"x.conf", "routing_engine file\nlfts_file l\nlid_matrix_dump_file m\n"},
                           {"l", "Unicast lids guid 0x5:\n0x1 3\n"},
                           {"m", "Switch: guid 0x5\n0x2: 00 01\n0x3: 00 g\n"}});
  const CheckedConfig checked = check_config("x.conf", files);
  EXPECT_THAT(texts(checked.diagnostics),
              ElementsAre("m:3:9: error: 'g' is not a number of hops; write 0x0..0xff"));
  EXPECT_THAT(checked.files.lfts.rows, ElementsAre(ForwardingDump::SwitchTable{5, {255, 3}}));
  EXPECT_THAT(checked.files.lid_matrix.rows, ElementsAre(HopDump::SwitchHops{5, {{2, 0, {0, 1}}}}));
}

TEST(CheckConfig, QosPolicyIsReadWithQos) {
  const std::string policy = "qos-ulps\ndefault: 3\nend-qos-ulps\n";
  const auto policy_of = [](const CheckedConfig& checked) {
    return checked.files.qos_policy ? checked.files.qos_policy->levels.at(0).sl : 99u;
  };
  const auto usual = [&](const char* conf) {
    return check_config(
        "x.conf",
        disk({{"x.conf", conf}, {"/etc/opensm/qos-policy.conf", policy}, {"q", policy + "x"}}));
  };
  EXPECT_EQ(policy_of(usual("")), 99u);
  EXPECT_EQ(policy_of(usual("qos TRUE\n")), 3u);
  const CheckedConfig wrong = usual("qos TRUE\nqos_policy_file q\n");
  EXPECT_EQ(policy_of(wrong), 99u);
  EXPECT_TRUE(has_errors(wrong.diagnostics));
  EXPECT_THAT(texts(usual("qos_policy_file q\n").diagnostics),
              ElementsAre("x.conf:1:17: warning: qos_policy_file has no effect without qos; set "
                          "qos TRUE, or leave it out"));
  // A file of the default name may be missing.
  EXPECT_THAT(texts(check_config("x.conf", disk({{"x.conf", "qos TRUE\n"}})).diagnostics),
              IsEmpty());
  EXPECT_THAT(
      texts(
          check_config("x.conf", disk({{"x.conf", "qos TRUE\nqos_policy_file p\n"}})).diagnostics),
      ElementsAre("p: warning: cannot be read: No such file or directory; its feature stays off"));
}

TEST(CheckOptions, MalformedVlLists) {
  Options options;
  const auto set = [&](QosScope scope) -> QosSet& {
    return options.qos_sets[static_cast<std::size_t>(scope)];
  };
  set(QosScope::all).sl2vl = "0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,0x0f";
  set(QosScope::all).vlarb_high = "0:255, 14:0";
  EXPECT_THAT(texts(check_options(options)), IsEmpty());
  EXPECT_EQ(qos_settings(options, QosScope::ca).sl_to_vl[15], 15);
  EXPECT_THAT(qos_settings(options, QosScope::ca).high,
              ElementsAre(VlWeight{0, 255}, VlWeight{14, 0}));
  for (const char* list :
       {"0", "0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,16", "0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,0",
        "0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,"}) {
    EXPECT_FALSE(parse_sl_to_vl(list)) << list;
  }
  for (const char* list : {"0", "15:1", "1:256", "1:1,", ":", "1:1:1", "-1:1"})
    EXPECT_FALSE(parse_vl_weights(list)) << list;
  set(QosScope::ca).sl2vl = "0,1";
  set(QosScope::swe).vlarb_low = "0:1,15:1";
  options.origins["qos_ca_sl2vl"] = {"x.conf", 4, 14};
  EXPECT_THAT(texts(check_options(options)),
              ElementsAre("x.conf:4:14: warning: qos_ca_sl2vl '0,1' is not used; write 16 VLs "
                          "0..15, comma separated",
                          "warning: qos_swe_vlarb_low '0:1,15:1' is not used; write at most 64 of "
                          "VL:WEIGHT, comma separated, with VLs 0..14 and weights 0..255"));
  EXPECT_EQ(qos_settings(options, QosScope::ca).sl_to_vl[15], 15) << "as if it were unset";
  EXPECT_EQ(qos_settings(Options{}, QosScope::rtr).sl_to_vl[15], 7);
}

TEST(CheckOptions, DefaultsAreConsistent) {
  EXPECT_THAT(texts(check_options(Options{})), IsEmpty());
}

TEST(CheckOptions, MKeyThatExpiresBetweenSweeps) {
  Options options;
  options.m_key = 5, options.m_key_protection_level = 2, options.m_key_lease_period = 10;
  options.sa_key = options.sm_key = 6;
  options.origins["m_key_lease_period"] = {"x.conf", 4, 20};
  EXPECT_THAT(
      texts(check_options(options)),
      ElementsAre(
          "x.conf:4:20: error: ports drop their M_Key after 10 s (m_key_lease_period), before the "
          "next sweep renews it "
          "(sweep_interval 10); sweep_interval has to be above 0 and below m_key_lease_period"));
  options.m_key_lease_period = 60;
  EXPECT_THAT(texts(check_options(options)), IsEmpty());
  options.sweep_interval = 0;
  EXPECT_TRUE(has_errors(check_options(options)));
}

TEST(CheckOptions, ContradictionsAndOptionsWithoutEffect) {
  struct Case {
    void (*set)(Options&);
    Severity severity;
    const char* says;
  };
  const Case cases[] = {
      {[](Options& o) { o.guid = {1, 2, 1}; }, Severity::error, "guid names a port twice"},
      {[](Options& o) { o.subnet_prefix = 0xff12000000000000; }, Severity::error,
       "is a multicast prefix"},
      {[](Options& o) {
         o.guid = {1, 2}, o.subnet_prefix.values = {0xfe80000000000000, 0xff12000000000000};
       },
       Severity::error, "subnet_prefix 0xff12000000000000 is a multicast prefix"},
      {[](Options& o) { o.guid = {1, 2, 3}, o.subnet_prefix.values = {1, 2}; }, Severity::error,
       "subnet_prefix has 2 values, and guid names 3 ports"},
      {[](Options& o) { o.subnet_prefix.values = {1, 2}; }, Severity::error,
       "subnet_prefix has 2 values, and guid names 0 ports"},
      {[](Options& o) { o.routing_engine = {"pqft", "no_fallback"}; }, Severity::error,
       "no_fallback excludes minhop, and no engine of pqft,no_fallback is built"},
      {[](Options& o) { o.lmc_esp0 = true; }, Severity::warning, "lmc_esp0 TRUE has no effect"},
      {[](Options& o) { o.state_store = "redis"; }, Severity::error, "is unknown"},
      {[](Options& o) { o.state_store = "etcd", o.sm_key = 2; }, Severity::error,
       "needs etcd_endpoints"},
      {[](Options& o) {
         o.state_store = "etcd";
         o.sm_key = 2;
         o.etcd_endpoints = {"https://a", "b:2379"};
       },
       Severity::error, "is no URL of etcd"},
      {[](Options& o) {
         o.state_store = "etcd";
         o.sm_key = 2;
         o.etcd_endpoints = {"http://a"};
         o.etcd_user = "heddle";
         o.etcd_password_file = "p";
       },
       Severity::warning, "sent unprotected by http"},
      {[](Options& o) {
         o.state_store = "etcd";
         o.sm_key = 2;
         o.etcd_endpoints = {"https://a"};
         o.etcd_user = "heddle";
       },
       Severity::error, "need each other"},
      {[](Options& o) {
         o.state_store = "etcd";
         o.etcd_endpoints = {"https://a"};
       },
       Severity::warning, "authenticated by the default sm_key"},
      {[](Options& o) { o.etcd_user = "heddle"; }, Severity::warning, "with state_store files"},
      {[](Options& o) { o.m_key_protection_level = 1; }, Severity::warning,
       "no effect with m_key 0"},
      {[](Options& o) { o.sweep_interval = 0, o.sweep_on_trap = false; }, Severity::warning,
       "only SIGHUP"},
      {[](Options& o) { o.sweep_interval = 0, o.force_heavy_sweep = true; }, Severity::warning,
       "switches them off"},
      {[](Options& o) { o.reassign_lids = o.honor_guid2lid_file = true; }, Severity::warning,
       "discards the LIDs"},
      {[](Options& o) { o.sm_inactive = o.ignore_other_sm = true; }, Severity::warning,
       "ignore_other_sm ignores it"},
      {[](Options& o) { o.daemon = true, o.log_file = "stdout"; }, Severity::warning,
       "log_file stdout is lost"},
      {[](Options& o) { o.log_max_size = 5, o.log_file = "-", o.origins["log_max_size"] = {}; },
       Severity::warning, "log_max_size has no effect"},
      {[](Options& o) { o.lmc = 1, o.routing_engine = {"ftree"}; }, Severity::warning,
       "ftree does not work with lmc"},
      {[](Options& o) { o.routing_engine = {"torus-2QoS"}; }, Severity::warning, "without qos"},
      {[](Options& o) { o.max_wire_smps = 2, o.origins["max_wire_smps"] = {}; }, Severity::warning,
       "max_wire_smps_per_device 4 is above max_wire_smps 2"},
      {[](Options& o) { o.sa_enhanced_trust_model = true; }, Severity::warning,
       "sa_key is the default 1"},
      {[](Options& o) { o.origins["partition_config_file"] = {}; }, Severity::warning,
       "sa_key is the default 1"},
      {[](Options& o) { o.m_key = 5, o.sa_key = 7; }, Severity::warning, "sm_key is the default 1"},
      {[](Options& o) { o.sa_etm_max_num_mcgs = 3; }, Severity::warning,
       "no effect without sa_enhanced_trust_model"},
      {[](Options& o) { o.sa_etm_allow_guidinfo_rec_by_vf = false; }, Severity::warning,
       "no effect without sa_enhanced_trust_model"},
  };
  for (const Case& c : cases) {
    Options options;
    c.set(options);
    const Diagnostics found = check_options(options);
    ASSERT_EQ(found.size(), 1U) << c.says;
    EXPECT_EQ(found[0].severity, c.severity) << c.says;
    EXPECT_THAT(found[0].what, HasSubstr(c.says));
    EXPECT_FALSE(found[0].remedy.empty()) << c.says;
  }
}

TEST(RunnableEngines, FallBackToMinhopUnlessForbidden) {
  Options options;
  EXPECT_THAT(runnable_engines(options), ElementsAre("minhop"));
  options.routing_engine = {"pqft", "minhop"};
  EXPECT_THAT(runnable_engines(options), ElementsAre("minhop"));
  options.routing_engine = {"pqft", "updn"};
  EXPECT_THAT(runnable_engines(options), ElementsAre("updn", "minhop"));
  options.routing_engine = {"minhop", "no_fallback"};
  EXPECT_THAT(runnable_engines(options), ElementsAre("minhop"));
  options.routing_engine = {"pqft", "no_fallback"};
  EXPECT_THAT(runnable_engines(options), IsEmpty());
}

TEST(ReadFile, ContentOrReason) {
  const std::string path = testing::TempDir() + "heddle_read_file_test";
  std::FILE* file = std::fopen(path.c_str(), "w");
  std::fputs("a\nb", file);
  std::fclose(file);
  EXPECT_EQ(read_file(path).value(), "a\nb");
  std::remove(path.c_str());
  EXPECT_EQ(read_file(path).error(), std::errc::no_such_file_or_directory);
  EXPECT_EQ(read_file(testing::TempDir()).error(), std::errc::is_a_directory);
}

}  // namespace check_test
}  // namespace config
