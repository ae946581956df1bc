#include "sm/ops/metrics/metrics_resource.h"

#include <gmock/gmock.h>
#include <zlib.h>

#include <chrono>
#include <thread>

#include "fabric/fabric_conditions.h"
#include "sm/conditions/manager_conditions.h"
#include "sm/ops/metrics/metric_names.h"
#include "sm/ops/metrics/port_text.h"
#include "sm/sweep/devices/sweep_conditions.h"
#include "support/scrape.h"
#include "unit/sm/ops/api/published.h"
#include "unit/sm/ops/metrics/site.h"

namespace sm {
namespace metrics_resources_test {

using metrics_site::Site;
using scrape::Samples;
using ::testing::HasSubstr;
using ::testing::Not;

const std::string kOpenMetrics = "application/openmetrics-text; version=1.0.0";

config::Options with(std::string ports, std::string compat = "") {
  config::Options options;
  options.metrics_ports = std::move(ports);
  options.metrics_compat = std::move(compat);
  return options;
}

std::string text_of(const std::shared_ptr<View>& view, const std::string& accept = "") {
  const scrape::FixedView fixed{view};
  return scrape::ask(metrics_resources(fixed.source()).resources, accept).text;
}

std::string find_guid(const Site& site, NodeIndex node) {
  return fmt::format("{}", site.subnet.fabric.nodes[node].guid);
}

TEST(MetricsResource, FormatsDifferInHeadingsAndTheEnd) {
  const Site site = metrics_site::site();
  const scrape::FixedView fixed{metrics_site::make_view(site)};
  const web::Resources resources = metrics_resources(fixed.source()).resources;
  ASSERT_EQ(resources.routes.size(), 1u);
  EXPECT_EQ(resources.routes[0].path, "/metrics");
  EXPECT_EQ(resources.routes[0].least, web::Role::read);
  const scrape::Answer text = scrape::ask(resources), open = scrape::ask(resources, kOpenMetrics);
  EXPECT_EQ(text.response.content_type, "text/plain; version=0.0.4; charset=utf-8");
  EXPECT_EQ(open.response.content_type,
            "application/openmetrics-text; version=1.0.0; charset=utf-8");
  EXPECT_THAT(text.text, Not(HasSubstr("# EOF")));
  EXPECT_TRUE(open.text.ends_with("\n# EOF\n"));
  const Samples a = scrape::read_samples(text.text), b = scrape::read_samples(open.text);
  for (const auto& [series, value] : a.values) {
    if (series.find("le=\"") == std::string::npos) {  // 1 and 1.0
      EXPECT_EQ(b.value(series), value) << series;
    }
  }
  EXPECT_EQ(a.values.size(), b.values.size());
}

TEST(MetricsResource, EverySampleIsInTheTableOfNames) {
  const Site site = metrics_site::site();
  auto view = metrics_site::make_view(site, with("all", "guilbaults"));
  view->status.congestion = std::make_shared<sm::CongestionTable>();
  view->status.store.emplace().peers = {{.address = "192.0.2.7:6312", .connected = true}};
  auto subnet = std::make_shared<fabric::Subnet>(site.subnet);
  subnet->adaptive = published::adaptive_tree(*subnet);
  subnet->routers = std::make_shared<const fabric::Routers>();
  view->status.subnet = subnet;
  std::set<std::string> documented;
  for (const metrics::Section& section : metrics::all_metrics()) {
    for (const metrics::NamedMetric& metric : section.metrics) {
      if (metric.kind == metrics::Kind::histogram) {
        for (const char* const suffix : {"_bucket", "_count", "_sum"})
          documented.insert(metric.name + suffix);
      } else {
        documented.insert(metric.name);
      }
      const bool is_counter = metric.kind == metrics::Kind::counter;
      EXPECT_EQ(is_counter, metric.name.ends_with("_total")) << metric.name;
      EXPECT_EQ(metric.kind == metrics::Kind::info, metric.name.ends_with("_info")) << metric.name;
    }
  }
  const Samples samples = scrape::read_samples(text_of(view));
  EXPECT_EQ(samples.repeated, "");
  std::set<std::string> seen;
  for (const auto& [series, value] : samples.values)
    seen.insert(series.substr(0, series.find('{')));
  for (const std::string& name : seen) EXPECT_TRUE(documented.contains(name)) << name;
  for (const std::string& name : documented) {
    // Nothing of these has happened here.
    if (name.starts_with("heddle_smps_sent") || name.starts_with("heddle_sa_requests") ||
        name.starts_with("heddle_traps") || name == "heddle_conditions" ||
        name == "heddle_routing_engine_info")
      continue;
    EXPECT_TRUE(seen.contains(name)) << name;
  }
  EXPECT_EQ(samples.values.at("heddle_routing_load_ratio"), 1.25);
}

TEST(MetricsResource, DevicesWithCongestionControlAreCountedByState) {
  const Site site = metrics_site::site();
  auto view = metrics_site::make_view(site);
  auto table = std::make_shared<sm::CongestionTable>();
  for (const bool is_switch : {true, true, false})
    table->devices.push_back(
        {.guid = {},
         .node = {},
         .port = {},
         .is_switch = is_switch,
         .state = is_switch ? sm::CongestionState::configured : sm::CongestionState::silent,
         .events = 7});
  table->sets = 5;
  view->status.congestion = table;
  const Samples samples = scrape::read_samples(text_of(view));
  EXPECT_EQ(samples.value("heddle_congestion_devices{type=\"switch\",state=\"configured\"}"), 2);
  EXPECT_EQ(samples.value("heddle_congestion_devices{type=\"ca\",state=\"silent\"}"), 1);
  EXPECT_EQ(samples.value("heddle_congestion_devices{type=\"ca\",state=\"configured\"}"), 0);
  EXPECT_EQ(samples.value("heddle_congestion_events_total{type=\"switch\"}"), 14);
  EXPECT_EQ(samples.value("heddle_congestion_sets_total"), 5);
}

TEST(MetricsResource, SwitchesAreCountedByTheStateOfTheirAdaptiveRouting) {
  const Site site = metrics_site::site();
  auto view = metrics_site::make_view(site);
  EXPECT_THAT(text_of(view), Not(HasSubstr("heddle_adaptive_routing_switches{")));
  auto subnet = std::make_shared<fabric::Subnet>(site.subnet);
  auto adaptive = published::adaptive_tree(*subnet);
  adaptive->switches[SwitchIndex{0}].state = AdaptiveState::mismatch;
  subnet->adaptive = adaptive;
  view->status.subnet = subnet;
  const Samples samples = scrape::read_samples(text_of(view));
  EXPECT_EQ(samples.value("heddle_adaptive_routing_switches{state=\"active\"}"), 2);
  EXPECT_EQ(samples.value("heddle_adaptive_routing_switches{state=\"mismatch\"}"), 1);
  EXPECT_EQ(samples.value("heddle_adaptive_routing_switches{state=\"refused\"}"), 0);
  EXPECT_EQ(samples.value("heddle_adaptive_routing_groups"), 1) << "one switch is named leaf";
}

TEST(MetricsResource, PortsOfSwitchesByDefault) {
  const Site site = metrics_site::site();
  const Samples samples = scrape::read_samples(text_of(metrics_site::make_view(site)));
  const std::string leaf = find_guid(site, site.leaf);
  // PortXmitData is in units of 4 bytes.
  EXPECT_EQ(samples.value("infiniband_switch_port_transmit_data_bytes_total{guid=\"" + leaf +
                          "\",port=\"1\"}"),
            4000);
  EXPECT_EQ(samples.value("infiniband_switch_port_receive_data_bytes_total{guid=\"" + leaf +
                          "\",port=\"1\"}"),
            4004);
  EXPECT_EQ(
      samples.value("infiniband_switch_port_symbol_error_total{guid=\"" + leaf + "\",port=\"2\"}"),
      2008);
  EXPECT_EQ(samples.value("infiniband_switch_port_rate_bytes_per_second{guid=\"" + leaf +
                          "\",port=\"2\"}"),
            25e9)
      << "4X HDR: 200 Gb/s";
  EXPECT_EQ(samples.value("infiniband_switch_port_raw_rate_bytes_per_second{guid=\"" + leaf +
                          "\",port=\"2\"}"),
            26.5625e9);
  EXPECT_EQ(samples.count("infiniband_switch_port_symbol_error_total{guid=\"" + leaf), 3u)
      << "its fourth port has no link, and was never read";
  EXPECT_EQ(samples.count("infiniband_hca_"), 0u);
  EXPECT_EQ(samples.count("infiniband_linkdowned"), 0u);
  EXPECT_EQ(samples.value("infiniband_exporter_collector_duration_seconds{collector=\"switch\"}"),
            0.25);
  EXPECT_EQ(samples.value("infiniband_exporter_last_execution{collector=\"switch\"}"), 1793691157);
}

TEST(MetricsResource, OneUplinkForEachPortWithALink) {
  const Site site = metrics_site::site("spine \"1\"");
  const std::string text = text_of(metrics_site::make_view(site));
  const Fabric& fabric = site.subnet.fabric;
  std::size_t linked = 0;
  for (const Port& port : fabric.ports)
    linked +=
        fabric.nodes[port.node].is_switch() && port.number.value != 0 && port.peer != kNoIndex;
  const Samples samples = scrape::read_samples(text);
  EXPECT_EQ(samples.count("infiniband_switch_uplink_info{"), linked);
  const LidMap::Range spine = site.subnet.lid_range(fabric.nodes[site.spine].first_port);
  EXPECT_THAT(text,
              HasSubstr(fmt::format(
                  "infiniband_switch_uplink_info{{guid=\"{}\",port=\"1\",switch=\"leaf\","
                  "uplink=\"spine \\\"1\\\"\",uplink_guid=\"{}\",uplink_type=\"SW\","
                  "uplink_port=\"1\",uplink_lid=\"{}\"}} 1\n",
                  find_guid(site, site.leaf), find_guid(site, site.spine), spine.base.value)));
  EXPECT_THAT(text, HasSubstr(fmt::format("uplink_guid=\"{}\",uplink_type=\"CA\"",
                                          fabric.ports[site.host].guid)));
}

TEST(MetricsResource, AdaptersAreOptedIn) {
  const Site site = metrics_site::site();
  const Samples samples = scrape::read_samples(text_of(metrics_site::make_view(site, with("all"))));
  const std::string guid = fmt::format("{}", site.subnet.fabric.ports[site.host].guid);
  EXPECT_EQ(
      samples.value("infiniband_hca_port_symbol_error_total{guid=\"" + guid + "\",port=\"1\"}"),
      1008);
  EXPECT_EQ(samples.value("infiniband_hca_rate_bytes_per_second{guid=\"" + guid + "\"}"), 25e9);
  EXPECT_EQ(samples.count("infiniband_hca_uplink_info{"), 3u);
  EXPECT_EQ(samples.count("infiniband_hca_info{"), 3u);
}

TEST(MetricsResource, NamesOfTheOtherExporterCountWords) {
  const Site site = metrics_site::site();
  const std::string text = text_of(metrics_site::make_view(site, with("switch", "guilbaults")));
  const Fabric& fabric = site.subnet.fabric;
  EXPECT_THAT(text, HasSubstr(fmt::format(
                        "infiniband_portxmitdata_total{{component=\"switch\",local_name=\"leaf\","
                        "local_guid=\"{}\",local_port=\"2\",remote_guid=\"{}\",remote_port=\"1\","
                        "remote_name=\"{}\"}} 2000\n",
                        find_guid(site, site.leaf), fabric.ports[site.host].guid,
                        fabric.description(fabric.ports[site.host].node))));
  const Samples samples = scrape::read_samples(text);
  EXPECT_EQ(samples.repeated, "");
  EXPECT_EQ(samples.count("infiniband_linkdownedcounter_total{"), 9u);
  EXPECT_EQ(samples.value("infiniband_scrape_ok"), 1);
}

TEST(MetricsResource, PortsCanBeLeftOut) {
  const Site site = metrics_site::site();
  const std::string text =
      text_of(metrics_site::make_view(site, with("off", "guilbaults")), kOpenMetrics);
  EXPECT_THAT(text, Not(HasSubstr("infiniband_")));
  EXPECT_THAT(text, HasSubstr("heddle_nodes{type=\"switch\"} 3\n"));
  EXPECT_TRUE(text.ends_with("# EOF\n"));
}

TEST(MetricsResource, AStandbyHasNoPorts) {
  const Site site = metrics_site::site();
  auto view = metrics_site::make_view(site, with("all", "guilbaults"));
  view->status.state = mad::SmState::standby;
  const std::string text = text_of(view);
  EXPECT_THAT(text, Not(HasSubstr("infiniband_")));
  EXPECT_THAT(text, HasSubstr("heddle_sm_state{state=\"standby\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("heddle_sm_state{state=\"master\"} 0\n"));
}

TEST(MetricsResource, WithoutAPollThereAreLinksAndNoCounters) {
  const Site site = metrics_site::site();
  auto view = metrics_site::make_view(site);
  view->status.counters = nullptr;
  const Samples samples = scrape::read_samples(text_of(view));
  EXPECT_EQ(samples.count("infiniband_switch_port_symbol_error_total{"), 0u);
  EXPECT_EQ(samples.count("infiniband_exporter_"), 0u);
  EXPECT_GT(samples.count("infiniband_switch_uplink_info{"), 0u);
}

TEST(MetricsResource, TwoNodesWithOneGuidAreOneSeries) {
  fabrics::Maker maker;
  const NodeIndex a = maker.sw(4, "a"), b = maker.sw(4, "b");
  maker.cable(a, b);
  maker.host(a), maker.host(b);
  Fabric fabric = maker.build();
  Site site;
  site.subnet = subnets::bring_up(std::move(fabric));
  auto view = metrics_site::make_view(site, with("all", "guilbaults"));
  auto twins = std::make_shared<Subnet>(*view->status.subnet);
  twins->fabric.nodes[b].guid = twins->fabric.nodes[a].guid;
  view->status.subnet = twins;
  const Samples samples = scrape::read_samples(text_of(view));
  EXPECT_EQ(samples.repeated, "");
  EXPECT_EQ(samples.count("infiniband_switch_info{"), 1u);
}

/// The same with another value in one counter.
std::shared_ptr<View> polled_again(const std::shared_ptr<const View>& before, std::uint64_t value) {
  auto after = std::make_shared<View>(*before);
  auto table = std::make_shared<PortCounterTable>(*before->status.counters);
  auto node = std::make_shared<NodeCounters>(*table->nodes.back());
  node->ports.front().values.set_total(Counter::symbol_errors, value);
  table->nodes.back() = node;
  after->status.counters = table;
  return after;
}

TEST(MetricsResource, TextIsMadeOncePerSubnetAndPoll) {
  const Site site = metrics_site::site();
  scrape::FixedView fixed{metrics_site::make_view(site)};
  const web::Resources resources = metrics_resources(fixed.source()).resources;
  const std::string first = scrape::ask(resources).text;
  EXPECT_EQ(scrape::ask(resources).text, first);
  const auto polled = polled_again(fixed.view, 77777);
  fixed.view = polled;
  EXPECT_THAT(scrape::ask(resources).text, HasSubstr(" 77777\n"));
  auto reloaded = std::make_shared<View>(*polled);
  reloaded->context = make_context(with("off"), {}, partitions::default_configuration());
  fixed.view = reloaded;
  EXPECT_THAT(scrape::ask(resources).text, Not(HasSubstr("infiniband_")));
}

/// What a client makes of a gzip member; nothing if it is none, or if something follows it.
std::optional<std::string> inflated(const std::string& bytes) {
  z_stream stream{};
  if (inflateInit2(&stream, 15 + 16) != Z_OK) return std::nullopt;
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  std::string text;
  int result = Z_OK;
  while (result == Z_OK) {
    char part[16384];
    stream.next_out = reinterpret_cast<Bytef*>(part);
    stream.avail_out = sizeof part;
    result = inflate(&stream, Z_NO_FLUSH);
    text.append(part, sizeof part - stream.avail_out);
  }
  const bool whole = result == Z_STREAM_END && stream.avail_in == 0;
  inflateEnd(&stream);
  return whole ? std::optional(text) : std::nullopt;
}

TEST(MetricsResource, AsGzipItIsTheSameText) {
  const Site site = metrics_site::site();
  const scrape::FixedView fixed{metrics_site::make_view(site)};
  const web::Resources resources = metrics_resources(fixed.source()).resources;
  for (const std::string& accept : {std::string(), kOpenMetrics}) {
    const std::string plain = scrape::ask(resources, accept).text;
    for (const char* const when : {"the first", "from memory"}) {
      const scrape::Answer answer = scrape::ask(resources, accept, {}, true);
      EXPECT_EQ(inflated(answer.text), plain) << when;
      EXPECT_THAT(answer.response.headers, ::testing::Contains(std::pair<std::string, std::string>(
                                               "Content-Encoding", "gzip")));
    }
  }
}

TEST(MetricsResource, TheNextTextIsMadeBesideClientsOfGzip) {
  const Site site = metrics_site::site();
  scrape::FixedView fixed{metrics_site::make_view(site)};
  const MetricsResources metrics = metrics_resources(fixed.source());
  const auto gzip = [&] { return inflated(scrape::ask(metrics.resources, "", {}, true).text); };
  const auto first = gzip();
  metrics.observe(*fixed.view);
  fixed.view = polled_again(fixed.view, 77777);
  EXPECT_EQ(gzip(), first) << "it does not wait";
  EXPECT_THAT(scrape::ask(metrics.resources).text, HasSubstr(" 77777\n"));
  for (unsigned tries = 0; tries < 10'000 && gzip() == first; ++tries) {
    metrics.observe(*fixed.view);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  EXPECT_EQ(gzip(), scrape::ask(metrics.resources).text);
  EXPECT_THAT(gzip().value(), HasSubstr(" 77777\n"));

  auto standby = std::make_shared<View>(*fixed.view);
  standby->status.state = mad::SmState::standby;
  metrics.observe(*standby);
  fixed.view = polled_again(fixed.view, 88888);
  EXPECT_THAT(gzip().value(), HasSubstr(" 88888\n")) << "what was of the past is gone";
}

TEST(MetricsResource, WhatAManagerCounts) {
  const Site site = metrics_site::site();
  auto view = metrics_site::make_view(site);
  ManagerStatus& status = view->status;
  status.subnet_up = true;
  status.priority = 7;
  status.statistics.sweep_ended(SweepKind::heavy, SweepOutcome::subnet_up,
                                std::chrono::milliseconds(50));
  status.statistics.sweep_ended(SweepKind::light, SweepOutcome::changed,
                                std::chrono::microseconds(500));
  status.statistics.reloads_rejected = 2;
  status.smps.at(mad::Method::set, mad::AttributeId::linear_forwarding_table) = {
      .sent = 12, .answered = 10, .retried = 2, .timed_out = 1, .bad_status = 3};
  status.sa.requests.count(mad::SaAttributeId::path_record, mad::Method::get_table,
                           sa::RequestEnd::answered);
  status.sa.requests.count(static_cast<mad::SaAttributeId>(0x7777), static_cast<mad::Method>(0x66),
                           sa::RequestEnd::dropped);
  status.conditions = {
      {{.id = fabric::kFabricConditions.node_silent, .text = "a", .guid = {1}}, {}, 1},
      {{.id = fabric::kFabricConditions.node_silent, .text = "b", .guid = {2}}, {}, 1},
      {{.id = sm::kSweepConditions.node_lost,
        .text = "leaf",
        .guid = {3},
        .severity = Severity::critical},
       {},
       1},
      {{.id = sm::kSweepConditions.node_lost,
        .text = "host",
        .guid = {4},
        .caused_by = ConditionSubject{sm::kSweepConditions.node_lost, {3}, {}}},
       {},
       1}};
  status.occurrence_counts[sm::kManagerConditions.m_key_violation] = 5;
  status.cleared_counts[{sm::kSweepConditions.mass_change, Severity::warning}] = 4;
  status.losses = {.switches = 1,
                   .hosts = 12,
                   .hosts_cut_off = 11,
                   .links_of_switches = 2,
                   .links_of_hosts = 3,
                   .capacity = 0.25};
  const Samples samples = scrape::read_samples(text_of(view, kOpenMetrics));
  EXPECT_EQ(samples.value("heddle_subnet_up"), 1);
  EXPECT_EQ(samples.value("heddle_sm_priority"), 7);
  EXPECT_EQ(samples.value("heddle_sweeps_total{kind=\"heavy\",result=\"subnet_up\"}"), 1);
  EXPECT_EQ(samples.value("heddle_sweeps_total{kind=\"light\",result=\"changed\"}"), 1);
  EXPECT_EQ(samples.value("heddle_sweeps_total{kind=\"repair\",result=\"errors\"}"), 0);
  EXPECT_EQ(samples.value("heddle_sweep_duration_seconds_count{kind=\"heavy\"}"), 1);
  EXPECT_EQ(samples.value("heddle_sweep_duration_seconds_sum{kind=\"heavy\"}"), 0.05);
  EXPECT_EQ(samples.value("heddle_sweep_duration_seconds_bucket{kind=\"heavy\",le=\"0.0316\"}"), 0);
  EXPECT_EQ(samples.value("heddle_sweep_duration_seconds_bucket{kind=\"heavy\",le=\"0.1\"}"), 1);
  EXPECT_EQ(samples.value("heddle_sweep_duration_seconds_bucket{kind=\"heavy\",le=\"+Inf\"}"), 1);
  EXPECT_EQ(samples.value("heddle_config_reload_total{result=\"rejected\"}"), 2);
  EXPECT_EQ(samples.value("heddle_lft_blocks_written_total"), 7);
  EXPECT_EQ(samples.value(
                "heddle_smps_sent_total{method=\"SubnSet\",attribute=\"LinearForwardingTable\"}"),
            12);
  EXPECT_EQ(samples.value("heddle_sa_requests_total{attribute=\"PathRecord\",method=\"GetTable\","
                          "result=\"answered\"}"),
            1);
  EXPECT_EQ(samples.value("heddle_sa_requests_total{attribute=\"other\",method=\"other\","
                          "result=\"dropped\"}"),
            1);
  const ConditionKind& silent = fabric::kFabricConditions.node_silent;
  EXPECT_EQ(samples.value(fmt::format("heddle_conditions{{severity=\"{}\",id=\"{}\"}}",
                                      name(silent.severity), silent.name)),
            2);
  EXPECT_EQ(samples.value("heddle_conditions{severity=\"critical\",id=\"SM-NODE-LOST\"}"), 1);
  EXPECT_EQ(samples.value("heddle_conditions{severity=\"warning\",id=\"SM-NODE-LOST\"}"),
            std::nullopt)
      << "its cause counts it";
  EXPECT_EQ(samples.value("heddle_occurrences_total{severity=\"error\",id=\"SM-M-KEY-VIOLATION\"}"),
            5);
  EXPECT_EQ(samples.value("heddle_occurrences_total{severity=\"warning\",id=\"SM-TABLES-LOST\"}"),
            0)
      << "from the start on, so that an increase shows";
  EXPECT_EQ(samples.value("heddle_conditions{severity=\"error\",id=\"SM-M-KEY-VIOLATION\"}"),
            std::nullopt);
  const auto cleared = [&](std::string_view severity, std::string_view id) {
    return samples.value(
        fmt::format("heddle_conditions_cleared_total{{severity=\"{}\",id=\"{}\"}}", severity, id));
  };
  EXPECT_EQ(cleared("warning", "SM-MASS-CHANGE"), 4);
  EXPECT_EQ(cleared("error", "SM-MASS-CHANGE"), std::nullopt);
  EXPECT_EQ(cleared("error", "SM-NODE-SILENT"), 0)
      << "from the start on, so that an increase shows";
  for (const std::string_view severity : {"info", "warning", "error", "critical"})
    EXPECT_EQ(cleared(severity, "SM-NODE-LOST"), 0) << "by consequence";
  EXPECT_EQ(cleared("error", "SM-M-KEY-VIOLATION"), std::nullopt) << "an occurrence does not end";
  EXPECT_EQ(samples.value("heddle_nodes_lost{type=\"switch\"}"), 1);
  EXPECT_EQ(samples.value("heddle_nodes_lost{type=\"ca\"}"), 12);
  EXPECT_EQ(samples.value("heddle_hosts_cut_off"), 11);
  EXPECT_EQ(samples.value("heddle_links_lost{between=\"switches\"}"), 2);
  EXPECT_EQ(samples.value("heddle_links_lost{between=\"hosts\"}"), 3);
  EXPECT_EQ(samples.value("heddle_capacity_lost_ratio"), 0.25);
  EXPECT_EQ(samples.value("heddle_nodes{type=\"ca\"}"), 3);
  EXPECT_EQ(samples.value("heddle_lids_used"), 6);
  EXPECT_EQ(samples.value("heddle_partitions"), 1);
}

TEST(MetricsCounts, WhatIsSentDoesNotAddSeriesWithoutBound) {
  sa::RequestCounts requests;
  for (unsigned attribute = 0; attribute < 0x10000; ++attribute)
    for (const unsigned method : {0x01u, 0x12u, 0x66u, 0xFFu})
      requests.count(static_cast<mad::SaAttributeId>(attribute), static_cast<mad::Method>(method),
                     sa::RequestEnd::refused);
  EXPECT_LE(requests.counts().size(), 24u * 3);
  TrapCounts traps;
  for (unsigned number = 0; number < 0x10000; ++number) {
    mad::Notice notice;
    notice.set_is_generic(number % 2 == 0);
    notice.set_trap_number(static_cast<mad::TrapNumber>(number));
    traps.count(notice);
  }
  EXPECT_LE(traps.counts().size(), 19u);
}

}  // namespace metrics_resources_test
}  // namespace sm
