#include "config/check.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <gmock/gmock.h>
#include <sys/stat.h>

#include <cstdio>
#include <map>
#include <variant>

#include "config/engine_names.h"
#include "config/qos_settings.h"
#include "config/schema.h"
#include "option_samples.h"

namespace config {
namespace check_test {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(CheckConfig, AFileThatDoesNotExistIsAnError) {
  const CheckedConfig checked = check_config("/etc/x.conf", disk({}));
  EXPECT_THAT(texts(checked.diagnostics),
              ElementsAre("/etc/x.conf: error: cannot be read: No such file or directory; name the "
                          "file to check"));
  EXPECT_FALSE(checked.was_read);
  EXPECT_EQ(judge(checked.diagnostics, false).text, "not usable: 1 error");
}

TEST(CheckConfig, AVerdictCountsWhatHasNoEffect) {
  const auto verdict = [](const std::string& text, bool strict = false) {
    const Verdict found =
        judge(check_config("x.conf", disk({{"x.conf", text}})).diagnostics, strict);
    return std::string(found.usable ? "+" : "-") + found.text;
  };
  EXPECT_EQ(verdict("lmc 0\n"), "+usable");
  EXPECT_EQ(verdict("lmc 0\n", true), "+usable");
  const std::string ineffective = "cc_kye 5\nsharp_enabled 1\n";
  EXPECT_EQ(verdict(ineffective), "+usable, 2 features without effect");
  EXPECT_EQ(verdict(ineffective, true), "-not usable: 2 features without effect");
  for (const char* text :
       {"lmc_esp0 TRUE\n", "root_guid_file r\nrouting_engine updn\n", "shield_mode 1\n",
        "perfmgr_redir FALSE\n", "qos TRUE\nqos_sl2vl 99\n", "routing_engine dfp\n"})
    EXPECT_EQ(verdict(text), "+usable, 1 feature without effect") << text;
  const std::string advice = "sweep_interval 0\nsweep_on_trap FALSE\n";
  EXPECT_EQ(verdict(advice), "+usable, 1 warning");
  EXPECT_EQ(verdict(advice, true), "+usable, 1 warning");
  EXPECT_EQ(verdict(ineffective + advice), "+usable, 2 features without effect, 1 warning");
  EXPECT_EQ(verdict(ineffective + "lmc 9\nsm_priority 99\n"), "-not usable: 2 errors");
}

TEST(CheckConfig, FindingsAreInTheOrderOfTheirLines) {
  Diagnostics found =
      check_config("x.conf", disk({{"x.conf",
                                    "lmc_esp0 TRUE\nroot_guid_file r\nlmcc 1\nlmc 9\n"
                                    "http_users_file u\nrouting_engine updn\n"},
                                   {"r", "0x1\nx\n"}}))
          .diagnostics;
  found.push_back({Severity::error, "x.conf", 2, 1, "found late", ""});
  found.insert(found.begin() + 1, {Severity::error, "", 0, 0, "without a file", ""});
  sort_by_position(found);
  std::vector<std::string> places;
  for (const Diagnostic& diagnostic : found)
    places.push_back(fmt::format("{}:{}", diagnostic.file, diagnostic.line));
  EXPECT_THAT(places,
              ElementsAre("x.conf:1", "x.conf:2", "x.conf:3", "x.conf:4", "r:2", ":0", ":0"));
}

TEST(CheckConfig, ASharpConfigurationWithAdaptiveRoutingIsUsable) {
  const auto check = check_config(
      "x.conf", disk({{"x.conf",
                       "routing_engine ar_updn\nar_mode 1\nshield_mode 1\n"
                       "ar_sl_mask 0xFFFE\nar_transport_mask 0xA\nsharp_enabled 2\n"}}));
  EXPECT_EQ(judge(check.diagnostics, false).text, "usable, 1 feature without effect");
  EXPECT_TRUE(judge(check.diagnostics, false).usable);
  EXPECT_FALSE(judge(check.diagnostics, true).usable);
}

/// Returns "ar_updn, ar_ftree or ar_minhop".
std::string adaptive_engines() {
  std::vector<std::string_view> names;
  for (const std::string_view engine : built_engines())
    if (routes_adaptively(engine)) names.push_back(engine);
  const std::string_view last = names.back();
  names.pop_back();
  return fmt::format("{} or {}", fmt::join(names, ", "), last);
}

TEST(CheckConfig, AdaptiveSettingsNeedAnEngineThatReadsThem) {
  EXPECT_THAT(texts(check_config("x.conf", disk({{"x.conf",
                                                  "routing_engine updn\nar_sl_mask 1\n"
                                                  "shield_mode 0\n"}}))
                        .diagnostics),
              ElementsAre(fmt::format(
                  "x.conf:3:13: warning: shield_mode, ar_sl_mask have no effect without "
                  "routing_engine {0}; set routing_engine {0}, or leave them out",
                  adaptive_engines())));
}

TEST(CheckConfig, UnreadableFileIsAnError) {
  EXPECT_THAT(texts(check_config("x.conf", disk({{"x.conf", kUnreadable}})).diagnostics),
              ElementsAre("x.conf: error: cannot be read: Permission denied; make it readable, or "
                          "name another file with --config"));
}

TEST(CheckConfig, ActionsOfHealthAreChecked) {
  const auto found = [](const std::string& text) {
    return texts(check_config("x.conf", disk({{"x.conf", text + "perfmgr TRUE\n"}})).diagnostics);
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
  const auto files =
      disk({{"x.yaml",
             "lmc: 8\nhop_weights_file: w\nroot_guid_file: r\nevent_plugin_options: x\n"
             "lmc_esp0: true\nrouting_engine: [updn, minhop]\n"},
            {"w", "0x1 1\n"}});
  const CheckedConfig checked = check_config("x.yaml", files);
  EXPECT_THAT(
      texts(checked.diagnostics),
      ElementsAre("x.yaml:1:6: error: lmc '8' is out of range; write a number in 0..7",
                  "x.yaml:4:23: warning: event_plugin_options is known, but what it configures is "
                  "not built yet; use event_command, which is run with each event, or /v1/events "
                  "of the HTTP service",
                  "x.yaml:5:11: warning: lmc_esp0 TRUE has no effect with lmc 0; set lmc, or leave "
                  "lmc_esp0 out",
                  "w:1:6: error: the line ends before the weight; write a weight in 1..255",
                  "x.yaml:3:17: warning: root_guid_file r cannot be read: No such file or "
                  "directory; its feature stays off"));
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
      ElementsAre("x.conf:1:20: warning: prefix_routes_file p cannot be read: No such file or "
                  "directory; its feature stays off"));
  const auto hidden = disk({{"x.conf", ""}, {"/etc/opensm/prefix-routes.conf", kUnreadable}});
  EXPECT_THAT(texts(check_config("x.conf", hidden).diagnostics),
              ElementsAre("warning: prefix_routes_file /etc/opensm/prefix-routes.conf cannot be "
                          "read: Permission denied; its feature stays off"));
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
      ElementsAre("x.conf:2:17: warning: qos_policy_file p cannot be read: No such file or "
                  "directory; its feature stays off"));
}

TEST(CheckConfig, WordsOfMetricsAndLog) {
  const auto findings = [](const std::string& lines) {
    return texts(check_config("x.conf", disk({{"x.conf", lines}})).diagnostics);
  };
  for (const std::string lines :
       {"perfmgr TRUE\nmetrics_ports switch\n", "perfmgr TRUE\nmetrics_ports all\n",
        "metrics_ports off\n", "metrics_compat guilbaults\n", "log_format text\n",
        "log_format human\n", "log_format json\nlog_syslog TRUE\n"})
    EXPECT_THAT(findings(lines), testing::Not(Contains(HasSubstr("metrics_")))) << lines;
  EXPECT_THAT(findings("metrics_ports switches\n"),
              Contains("x.conf:1:15: error: metrics_ports 'switches' is unknown; write off, switch "
                       "or all"));
  EXPECT_THAT(findings("metrics_compat node\n"),
              Contains("x.conf:1:16: error: metrics_compat 'node' is unknown; write guilbaults, or "
                       "leave it out"));
  EXPECT_THAT(findings("metrics_ports off\nmetrics_compat guilbaults\n"),
              ElementsAre("x.conf:2:16: warning: metrics_compat has no effect with metrics_ports "
                          "off; set metrics_ports switch or all, or leave it out"));
  EXPECT_THAT(findings("metrics_ports all\n"),
              ElementsAre("x.conf:1:15: warning: metrics_ports all has no counters without "
                          "perfmgr; set perfmgr TRUE, or metrics_ports off"));
  EXPECT_THAT(
      findings("log_format JSON\n"),
      ElementsAre("x.conf:1:12: error: log_format 'JSON' is unknown; write text, human or json"));
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
       {"", "0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,16", "0,16", "0,,2", "x", ",", "0 1"}) {
    EXPECT_FALSE(parse_sl_to_vl(list)) << list;
  }
  for (const char* list : {"0", "15:1", "1:256", "1:1,,", ":", "1:1:1", "-1:1"})
    EXPECT_FALSE(parse_vl_weights(list)) << list;
  options.qos = true;
  set(QosScope::ca).sl2vl = "0,16";
  set(QosScope::swe).vlarb_low = "0:1,15:1";
  options.origins["qos_ca_sl2vl"] = {"x.conf", 4, 14};
  EXPECT_THAT(texts(check_options(options)),
              ElementsAre("x.conf:4:14: warning: qos_ca_sl2vl '0,16' is not used; write 16 VLs "
                          "0..15, comma separated",
                          "warning: qos_swe_vlarb_low '0:1,15:1' is not used; write at most 64 of "
                          "VL:WEIGHT, comma separated, with VLs 0..14 and weights 0..255"));
  EXPECT_EQ(qos_settings(options, QosScope::ca).sl_to_vl[15], 15) << "as if it were unset";
  EXPECT_EQ(qos_settings(Options{}, QosScope::rtr).sl_to_vl[15], 7);
}

TEST(CheckOptions, ShortAndLongVlListsAreUsedAsInOpenSm) {
  Options options;
  options.qos = true;
  options.qos_sets[0].sl2vl = "0,1";
  EXPECT_EQ(qos_settings(options, QosScope::swe).sl_to_vl, (SlToVlList{0, 1}));
  EXPECT_THAT(texts(check_options(options)),
              ElementsAre("warning: qos_sl2vl '0,1' has 2 of 16 VLs: SL 2 and above use VL 0; "
                          "write a VL for each of the 16 SLs"));
  options.qos_sets[0].sl2vl = "15,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,3,";
  EXPECT_EQ(qos_settings(options, QosScope::swe).sl_to_vl,
            (SlToVlList{15, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}));
  EXPECT_THAT(texts(check_options(options)),
              ElementsAre(HasSubstr("qos_sl2vl has 17 VLs, of which the first 16 count")));
  options.qos_sets[0].sl2vl.clear();
  for (int i = 0; i < 65; ++i)
    options.qos_sets[0].vlarb_low += fmt::format("{}{}:1", i > 0 ? "," : "", i % 15);
  EXPECT_EQ(qos_settings(options, QosScope::rtr).low.size(), 64u);
  EXPECT_THAT(texts(check_options(options)),
              ElementsAre(HasSubstr("qos_vlarb_low has 65 entries, of which the first 64 count")));
}

TEST(CheckConfig, QosListsHaveNoEffectWithoutQos) {
  const auto found = [](const std::string& text) {
    return texts(check_config("x.conf", disk({{"x.conf", text}})).diagnostics);
  };
  EXPECT_THAT(found("qos_max_vls 2\nqos_high_limit 255\nqos_vlarb_high 1:4\n"
                    "qos_vlarb_low 0:1,1:4\nqos_sl2vl 0,1\n"),
              Contains("x.conf:1:13: warning: qos_max_vls, qos_high_limit, qos_vlarb_high, "
                       "qos_vlarb_low, qos_sl2vl have no effect without qos TRUE; set qos TRUE, or "
                       "leave them out"));
  for (const std::string scope : {"qos", "qos_ca", "qos_sw0", "qos_swe", "qos_rtr"})
    for (const char* line : {"_max_vls 2", "_high_limit 3", "_vlarb_high 1:4", "_vlarb_low 1:4",
                             "_sl2vl 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,7"}) {
      const std::string key = scope + std::string(line).substr(0, std::string(line).find(' '));
      EXPECT_THAT(found(scope + line + "\n"),
                  ElementsAre(HasSubstr("warning: " + key + " has no effect without qos TRUE")));
      EXPECT_THAT(found("qos TRUE\n" + scope + line + "\n"), IsEmpty());
    }
  EXPECT_THAT(found("qos FALSE\nqos_max_vls 0\nqos_high_limit -1\nqos_sl2vl (null)\n"), IsEmpty())
      << "as OpenSM writes a file of its defaults";
}

TEST(CheckConfig, KeysWithoutEffectAreNamedWithWhatTheyNeed) {
  struct Case {
    const char* lines;   // without what is needed
    const char* needed;  // the line that gives an effect
    const char* says;
  };
  const Case cases[] = {
      {"m_key_lease_period 60\n", "m_key 5\nsm_key 6\nsa_key 7\n",
       "m_key_lease_period has no effect without m_key"},
      {"perfmgr_sweep_time_s 60\nhm_num_noisy_hours 3\n", "perfmgr TRUE\n",
       "perfmgr_sweep_time_s, hm_num_noisy_hours have no effect without perfmgr TRUE"},
      {"cc_key 0x1\ncc_cct 0:0,0:1\n", "congestion_control TRUE\n",
       "cc_key, cc_cct have no effect without congestion_control TRUE"},
      {"congestion_control TRUE\ncc_key_lease_period 5\n", "cc_key_enable 2\n",
       "cc_key_lease_period has no effect without cc_key_enable 2"},
      {"perfmgr TRUE\nperfmgr_xmit_wait_threshold 9\n", "perfmgr_xmit_wait_log TRUE\n",
       "perfmgr_xmit_wait_threshold has no effect without perfmgr_xmit_wait_log TRUE"},
      {"console_port 10001\n", "console loopback\n",
       "console_port has no effect without console loopback"},
      {"pid_file /run/x.pid\n", "daemon TRUE\n", "pid_file has no effect without daemon TRUE"},
      {"enable_subnet_lst FALSE\nsubnet_lst_file x\n", nullptr,
       "subnet_lst_file has no effect without enable_subnet_lst TRUE"},
      {"virt_probe_timeout 5\n", "virt_enabled 2\n",
       "virt_probe_timeout has no effect without virt_enabled 2"},
      {"ignore_other_sm TRUE\npolling_retry_number 5\n", nullptr,
       "polling_retry_number has no effect without ignore_other_sm FALSE"},
      {"scatter_ports 3\nguid_routing_order_no_scatter TRUE\n", "guid_routing_order_file f\n",
       "guid_routing_order_no_scatter has no effect without guid_routing_order_file"},
      {"use_optimized_slvl TRUE\n", "qos TRUE\n",
       "use_optimized_slvl has no effect without qos TRUE"},
      {"root_guid_file f\n", "routing_engine updn\n",
       "root_guid_file has no effect without routing_engine updn"},
      {"root_guid_file f\n", "routing_engine auto\n",
       "root_guid_file has no effect without routing_engine updn"},
      {"routing_engine dor\nids_guid_file f\n", nullptr,
       "ids_guid_file has no effect without routing_engine updn"},
      {"cn_guid_file f\nio_guid_file f\n", "routing_engine ftree\n",
       "cn_guid_file, io_guid_file have no effect without routing_engine ftree"},
      {"cn_guid_file f\n", "routing_engine nue\n", "cn_guid_file has no effect"},
      {"max_reverse_hops 2\n", "routing_engine ftree\n",
       "max_reverse_hops has no effect without routing_engine ftree"},
      {"lfts_file f\n", "routing_engine file\n",
       "lfts_file has no effect without routing_engine file"},
      {"hop_weights_file f\n", "routing_engine minhop\n", nullptr},
      {"routing_engine ftree\nhop_weights_file f\n", nullptr,
       "hop_weights_file has no effect without routing_engine minhop"},
      {"routing_engine ftree\nport_shifting TRUE\n", nullptr,
       "port_shifting has no effect without routing_engine minhop"},
      {"avoid_throttled_links TRUE\n", "routing_engine nue\n",
       "avoid_throttled_links has no effect without routing_engine sssp"},
      {"do_mesh_analysis TRUE\n", "routing_engine lash\n",
       "do_mesh_analysis has no effect without routing_engine lash"},
      {"nue_max_num_vls 2\n", "routing_engine nue\n",
       "nue_max_num_vls has no effect without routing_engine nue"},
      {"torus_config f\n", "routing_engine torus-2QoS\n",
       "torus_config has no effect without routing_engine torus-2QoS"},
      {"torus_config f\n", "routing_engine ar_torus\n",
       "torus_config has no effect without routing_engine torus-2QoS"},
      {"torus_config f\n", "routing_engine auto\n",
       "torus_config has no effect without routing_engine torus-2QoS"},
      {"routing_engine auto\nlfts_file f\n", nullptr,
       "lfts_file has no effect without routing_engine file"},
      {"routing_engine chain\nrch_policy_file f\nlash_start_vl 1\n", nullptr,
       "lash_start_vl has no effect without routing_engine lash"},
  };
  for (const Case& c : cases) {
    const auto found = [&](const std::string& text) {
      return texts(check_config("x.conf", disk({{"x.conf", text}, {"f", ""}})).diagnostics);
    };
    if (c.says != nullptr) {
      EXPECT_THAT(found(c.lines), Contains(HasSubstr(c.says)));
    }
    if (c.says == nullptr || c.needed == nullptr) continue;
    EXPECT_THAT(found(std::string(c.lines) + c.needed), testing::Not(Contains(HasSubstr(c.says))));
  }
}

/// Returns the keys of files that an engine reads, beside those that all engines read.
std::vector<std::string_view> files_of(std::string_view engine) {
  std::vector<std::string_view> files;
  Options options;
  for (const Key& key : keys())
    if (engine_reads(engine, key.name) && std::holds_alternative<std::string*>(key.ref(options)))
      files.push_back(key.name);
  return files;
}

/// Returns a content for the file of each of these keys.
std::string_view content_of(std::string_view key) {
  if (key == "hop_weights_file") return "0x1 1 2\n";
  if (key == "port_search_ordering_file" || key == "port_prof_ignore_file") return "0x1 1\n";
  if (key == "ids_guid_file") return "0x1 7\n";
  if (key == "torus_config") return "torus 3 1 1\nxp_link 1 2\n";
  if (key == "lfts_file") return "Unicast lids guid 0x5:\n0x1 3\n";
  if (key == "lid_matrix_dump_file") return "Switch: guid 0x5\n0x2: 00 01\n";
  if (key == "rch_policy_file") return "unicast-step\nid: 1\nengine: minhop\nend-unicast-step\n";
  if (key == "topo_policy_file")
    return "topology\nid: 7\nsw-grp: ALL_SWITCHES\nhca-grp: ALL_CAS\nend-topology\n";
  return "0x1\n";
}

TEST(CheckConfig, EachFileOfEachEngineIsReadOrReportedAtItsLine) {
  std::size_t cases = 0;
  for (const std::string_view engine : built_engines()) {
    for (const std::string_view key : files_of(engine)) {
      SCOPED_TRACE(fmt::format("{} {}", engine, key));
      ++cases;
      // The other files that the engine needs are there.
      std::string text = fmt::format("{} f\nrouting_engine {}\n", key, engine);
      std::map<std::string, std::string> others;
      for (const std::string_view other : files_needed(engine)) {
        if (other == key) continue;
        text += fmt::format("{0} {0}\n", other);
        others[std::string(other)] = content_of(other);
      }
      std::map<std::string, std::string> all = others;
      all["x.conf"] = text;
      const CheckedConfig missing = check_config("x.conf", disk(all));
      EXPECT_THAT(texts(missing.diagnostics),
                  ElementsAre(HasSubstr(fmt::format("x.conf:1:{}: warning: {} f cannot be read: No "
                                                    "such file or directory; ",
                                                    key.size() + 2, key))));
      all["f"] = content_of(key);
      const CheckedConfig present = check_config("x.conf", disk(all));
      EXPECT_THAT(texts(present.diagnostics), IsEmpty());
      EXPECT_FALSE(present.files == missing.files) << "its content is there";
    }
  }
  EXPECT_GT(cases, 50u);
}

/// An engine with nothing to begin with never routes: that is no "usable".
TEST(CheckConfig, AnEngineWithoutItsFileIsReported) {
  const auto found = [](const std::string& text, std::map<std::string, std::string> files = {}) {
    files["x.conf"] = text;
    return texts(check_config("x.conf", disk(files)).diagnostics);
  };
  for (const std::string engine : {"torus-2QoS", "ar_torus"}) {
    EXPECT_THAT(found("routing_engine " + engine + "\n"),
                ElementsAre("x.conf:1:16: warning: torus_config /etc/opensm/torus-2QoS.conf cannot "
                            "be read: No such file or directory; " +
                            engine +
                            " does not route without it: correct it, or name another "
                            "engine"));
    EXPECT_THAT(found("routing_engine " + engine + "\ntorus_config t\n", {{"t", "# later\n"}}),
                ElementsAre("x.conf:2:14: warning: torus_config t has no entry; " + engine +
                            " does not route without it: correct it, or name another engine"));
    EXPECT_THAT(
        found("routing_engine " + engine + ",no_fallback\ntorus_config t\n"),
        ElementsAre(HasSubstr("x.conf:2:14: warning: torus_config t cannot be read"),
                    "x.conf:1:16: error: no_fallback excludes minhop, and no engine of " + engine +
                        ",no_fallback has the file that it needs; leave no_fallback out, "
                        "or give an engine its file"));
    EXPECT_THAT(found("routing_engine " + engine + ",updn,no_fallback\ntorus_config t\n"),
                ElementsAre(HasSubstr("x.conf:2:14: warning: torus_config t cannot be read")));
  }
  EXPECT_THAT(found("routing_engine file\nlfts_file l\nlid_matrix_dump_file m\n"),
              ElementsAre(HasSubstr("lfts_file l cannot be read: No such file or directory; file "
                                    "does not route without it"),
                          HasSubstr("lid_matrix_dump_file m cannot be read")));
  EXPECT_THAT(found("routing_engine file\nlfts_file l\nlid_matrix_dump_file m\n",
                    {{"m", "Switch: guid 0x5\n0x2: 00 01\n"}}),
              ElementsAre(HasSubstr("lfts_file l cannot be read: No such file or directory; its "
                                    "feature stays off")));
  EXPECT_THAT(
      found("routing_engine chain\nrch_policy_file r\n", {{"r", ""}}),
      ElementsAre(HasSubstr("x.conf:2:17: warning: rch_policy_file r has no entry; chain")));
}

/// `auto` chooses torus-2QoS for a torus that is described, and does without the description.
TEST(CheckConfig, AutoReadsTheTorusThatIsThere) {
  const std::string usual = "/etc/opensm/torus-2QoS.conf", torus = "torus 3 1 1\nxp_link 1 2\n";
  const auto check = [&](std::map<std::string, std::string> files) {
    files["x.conf"] = "routing_engine auto\n";
    return check_config("x.conf", disk(files));
  };
  EXPECT_THAT(texts(check({}).diagnostics), IsEmpty());
  const CheckedConfig there = check({{usual, torus}});
  EXPECT_THAT(texts(there.diagnostics), IsEmpty());
  EXPECT_EQ(there.files.torus.dimensions[0].radix, 3u);
  const CheckedConfig wrong = check({{usual, torus + "yq_link 1 2\n"}});
  EXPECT_FALSE(has_errors(wrong.diagnostics));
  EXPECT_THAT(texts(wrong.diagnostics),
              ElementsAre(HasSubstr(usual + ":3:1: warning: 'yq_link' is not a keyword: the file "
                                            "is not used")));
  EXPECT_EQ(wrong.files.torus, TorusFile{});
}

TEST(CheckConfig, CosmeticFilesNeverKeepTheDaemonFromItsWork) {
  const CheckedConfig checked =
      check_config("x.conf", disk({{"x.conf", "node_name_map_name n\nper_module_logging_file m\n"},
                                   {"n", "<guid> \"a\"\n0x2 \"b\"\n0x3 c\nbad\n"}}));
  EXPECT_FALSE(has_errors(checked.diagnostics));
  EXPECT_THAT(checked.files.node_names, ElementsAre(NodeName{2, "b"}));
  EXPECT_THAT(texts(checked.diagnostics),
              ElementsAre(HasSubstr("x.conf:2:"),
                          HasSubstr("n:1:1: warning: '<guid>' is not a GUID: the line is left out"),
                          HasSubstr("n:3:5: warning: "), HasSubstr("n:4:1: warning: ")));
}

TEST(CheckConfig, NamesAreNamedAsSuchWhereGuidsBelong) {
  for (const std::string key : {"root_guid_file", "cn_guid_file", "io_guid_file",
                                "guid_routing_order_file", "held_back_sw_file", "ids_guid_file"}) {
    const CheckedConfig checked = check_config(
        "x.conf",
        disk({{"x.conf", "routing_engine ftree,updn\n" + key + " g\n"}, {"g", "root_switches\n"}}));
    EXPECT_THAT(texts(checked.diagnostics),
                ElementsAre("g:1:1: error: 'root_switches' is not a GUID; write a GUID, such as "
                            "0x0002c90300a1b2c3; names of port groups of pgrp_policy_file may be "
                            "in root_guid_file, cn_guid_file, io_guid_file and "
                            "guid_routing_order_file"))
        << key;
  }
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
         o.etcd_endpoints = {"https://a", "https://b:0"};
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
      {[](Options& o) { o.m_key_per_port = true; }, Severity::warning,
       "no effect without key_mgr_seed or m_key"},
      {[](Options& o) { o.m_key_per_port = true, o.key_mgr_seed = ~0ull, o.sa_key = o.sm_key = 6; },
       Severity::error, "a random seed"},
      {[](Options& o) { o.m_key_per_port = true, o.m_key = 5, o.sa_key = o.sm_key = 6; },
       Severity::warning, "derived from m_key"},
      {[](Options& o) {
         o.m_key_per_port = true, o.key_mgr_seed = 5, o.sa_key = o.sm_key = 6;
         o.m_key_protection_level = 2;
       },
       Severity::warning, "lacks neighbors of the subnet, and starts while no master runs"},
      {[](Options& o) { o.periodic_key_update = 60; }, Severity::warning,
       "no effect where no keys are derived"},
      {[](Options& o) { o.vs_key_enable = 2; }, Severity::error,
       "vs_key_enable 2 needs a seed to derive keys from"},
      {[](Options& o) { o.n2n_key_enable = 2, o.m_key = 5, o.sa_key = o.sm_key = 6; },
       Severity::error, "other than m_key"},
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
      {[](Options& o) { o.lmc = 1, o.routing_engine = {"ar_ftree"}; }, Severity::warning,
       "ar_ftree does not work with lmc"},
      {[](Options& o) { o.routing_engine = {"file"}; }, Severity::warning,
       "routing engine file needs lfts_file or lid_matrix_dump_file"},
      {[](Options& o) { o.routing_engine = {"ar_torus"}, o.torus_config.clear(); },
       Severity::warning, "routing engine ar_torus needs torus_config"},
      {[](Options& o) { o.routing_engine = {"chain"}; }, Severity::error,
       "routing engine chain needs rch_policy_file"},
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
