// Metrics of whole managers in virtual time, read by promtool.

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <map>

#include "sim/laboratory.h"
#include "sm/ctl/topology/generators.h"
#include "sm/ops/metrics/metrics_resource.h"
#include "support/require_tool.h"
#include "support/scrape.h"

namespace metrics_test {

using laboratory::Instance;
using laboratory::Laboratory;
using laboratory::Solo;
using scrape::Samples;
using testing::HasSubstr;
using testing::Not;
using namespace std::chrono_literals;

topology::Topology tree() {
  return topology::xgft({.children = {3, 4}, .parents = {1, 3}, .cables = {}});
}

/// As the daemon publishes it.
std::shared_ptr<const sm::View> make_view(const sm::Manager& manager) {
  auto view = std::make_shared<sm::View>();
  view->status = manager.status();
  view->groups = sm::summaries(manager.administrator().registrations().groups);
  view->context = manager.context();
  return view;
}

class Scraped {
 public:
  std::string text(const sm::Manager& manager, const std::string& accept = "") {
    fixed_.view = make_view(manager);
    return scrape::ask(resources_, accept).text;
  }
  Samples samples(const sm::Manager& manager) { return scrape::read_samples(text(manager)); }

 private:
  scrape::FixedView fixed_;
  sm::web::Resources resources_ = sm::metrics_resources(fixed_.source()).resources;
};

/// Runs promtool; its output if it finds something.
std::string complaint_of_promtool(const std::string& arguments, const laboratory::Folder& folder) {
  const std::string out = folder.text() + "/promtool.out";
  const std::string command =
      fmt::format("'{}' {} > '{}' 2>&1", support::find_tool("promtool").string(), arguments, out);
  const int status = std::system(command.c_str());
  if (status == 0) return {};
  std::ifstream file(out);
  return fmt::format("status {}: {}", status,
                     std::string(std::istreambuf_iterator<char>(file), {}));
}

std::string write(const laboratory::Folder& folder, const std::string& name,
                  const std::string& text) {
  const std::string path = folder.text() + "/" + name;
  std::ofstream(path, std::ios::binary) << text;
  return path;
}

TEST(MetricsSim, PromtoolTakesWhatAManagerSays) {
  HEDDLE_REQUIRE_TOOL("promtool", "prometheus");
  Solo lab(tree());
  lab.options.perfmgr = true;
  lab.options.perfmgr_sweep_time_s = 10;
  lab.options.metrics_ports = "all";
  lab.options.metrics_compat = "guilbaults";
  ASSERT_TRUE(lab.start_and_settle()) << lab.tail();
  lab.runtime.run_for(30s);
  Scraped scraped;
  const laboratory::Folder folder;
  const sm::Manager& manager = lab.heddle().manager();
  const std::string text = write(folder, "metrics.txt", scraped.text(manager));
  // Its advice about names of others (a counter in words) is no fault of the format: exit code 3.
  const std::string advice = complaint_of_promtool("check metrics < '" + text + "'", folder);
  if (!advice.empty()) {
    EXPECT_THAT(advice, HasSubstr("status 768: ")) << "3: advice, 1: not the format";
    EXPECT_THAT(advice, Not(HasSubstr("heddle_"))) << advice;
    EXPECT_THAT(advice, Not(HasSubstr("infiniband_switch_port_"))) << advice;
  }
  EXPECT_THAT(complaint_of_promtool(
                  "check metrics < '" + write(folder, "bad.txt", "x{a=\"b} 1\n") + "'", folder),
              Not(testing::IsEmpty()))
      << "it complains about what is no text of metrics";

  // promtool reads OpenMetrics only to make blocks of it, and wants times for that.
  std::istringstream lines(scraped.text(manager, "application/openmetrics-text"));
  std::string timed;
  for (std::string line; std::getline(lines, line);)
    timed += line.starts_with('#') ? line + "\n" : line + " 1793691157\n";
  EXPECT_EQ(complaint_of_promtool(
                fmt::format("tsdb create-blocks-from openmetrics '{}' '{}'",
                            write(folder, "metrics.om", timed), folder.text() + "/blocks"),
                folder),
            "");
  timed.resize(timed.size() - std::string_view("# EOF\n").size());
  EXPECT_NE(
      complaint_of_promtool(fmt::format("tsdb create-blocks-from openmetrics '{}' '{}'",
                                        write(folder, "cut.om", timed), folder.text() + "/blocks"),
                            folder),
      "")
      << "a text that was cut off is told from a whole one";
}

TEST(MetricsSim, TheFabricAndTheManagersWork) {
  Solo lab(tree());
  ASSERT_TRUE(lab.start_and_settle()) << lab.tail();
  Scraped scraped;
  const Samples before = scraped.samples(lab.heddle().manager());
  EXPECT_EQ(before.repeated, "");
  EXPECT_EQ(before.value("heddle_sm_state{state=\"master\"}"), 1);
  EXPECT_EQ(before.value("heddle_subnet_up"), 1);
  EXPECT_EQ(before.value("heddle_nodes{type=\"ca\"}"), 12);
  EXPECT_EQ(before.value("heddle_nodes{type=\"switch\"}"), 7);
  EXPECT_EQ(before.value("heddle_ports{state=\"active\"}"), 2 * (12 + 12));
  EXPECT_EQ(before.value("heddle_lids_used"), 19);
  EXPECT_EQ(before.value("heddle_routing_engine_info{engine=\"minhop\"}"), 1);
  EXPECT_GE(before.value("heddle_sweeps_total{kind=\"heavy\",result=\"subnet_up\"}"), 1);
  EXPECT_EQ(before.value("heddle_sweep_duration_seconds_count{kind=\"heavy\"}"),
            before.value("heddle_sweeps_total{kind=\"heavy\",result=\"subnet_up\"}"));
  EXPECT_GE(before.value("heddle_routing_duration_seconds_count"), 1);
  EXPECT_EQ(before.value("heddle_lft_blocks_written_total"), 7);
  EXPECT_EQ(before.value("heddle_smp_timeouts_total"), 0);
  EXPECT_EQ(before.value("heddle_smp_outstanding"), 0);
  EXPECT_EQ(before.count("infiniband_switch_uplink_info{"), 2u * 12 + 12);
  EXPECT_EQ(before.count("infiniband_switch_info{"), 7u);

  // A host is lost: a trap, and a sweep of what has changed.
  lab.world.power(lab.model.find("H5"), false);
  lab.settle();
  const Samples after = scraped.samples(lab.heddle().manager());
  EXPECT_EQ(after.value("heddle_nodes{type=\"ca\"}"), 11);
  EXPECT_EQ(after.count("infiniband_switch_uplink_info{"), 2u * 12 + 11);
  EXPECT_GE(after.value("heddle_traps_total{number=\"128\"}"), 1);
  EXPECT_GE(after.value("heddle_sweeps_total{kind=\"repair\",result=\"subnet_up\"}"), 1);
  for (const auto& [series, value] : before.values) {
    const bool counts =
        series.find("_total") != std::string::npos || series.find("_count") != std::string::npos;
    if (counts) {
      EXPECT_GE(after.value(series).value_or(-1), value) << series << " went back";
    }
  }
}

TEST(MetricsSim, OfTwoManagersOneHasThePorts) {
  Laboratory lab(tree());
  config::Options options;
  options.sm_priority = 5;
  Instance& first = lab.start("H1", options);
  ASSERT_TRUE(lab.settles()) << first.tail();
  options.sm_priority = 3;
  Instance& second = lab.start("H7", options);
  lab.runtime.run_for(30s);
  Scraped of_first, of_second;
  const Samples master = of_first.samples(first.manager());
  const Samples standby = of_second.samples(second.manager());
  EXPECT_GT(master.count("infiniband_"), 0u);
  EXPECT_EQ(standby.count("infiniband_"), 0u);
  EXPECT_EQ(standby.value("heddle_sm_state{state=\"standby\"}"), 1);
  EXPECT_EQ(standby.value("heddle_subnet_up"), 0);
  first.stop();
  ASSERT_TRUE(lab.runtime.run_until(
      [&] { return of_second.samples(second.manager()).value("heddle_subnet_up") == 1; },
      laboratory::kTakeover))
      << second.tail();
  EXPECT_GT(of_second.samples(second.manager()).count("infiniband_switch_uplink_info{"), 0u);
}

/// Series that count, of ports, by their text.
std::map<std::string, double> port_counters(const Samples& samples) {
  std::map<std::string, double> all;
  for (const auto& [series, value] : samples.values)
    if (series.starts_with("infiniband_switch_port_") &&
        series.find("_total{") != std::string::npos)
      all.emplace(series, value);
  return all;
}

/// A day in virtual time with traffic, while others clear counters, counters saturate, a switch
/// restarts and a link is replaced: what was scraped never decreases, and no series occurs twice.
TEST(MetricsSim, ADayOfScrapesNeverGoesBack) {
  Laboratory lab(tree());
  config::Options options;
  options.perfmgr = true;
  options.perfmgr_sweep_time_s = 180;
  // Time passes on the virtual clock only when something happens: less of that.
  options.sweep_interval = 300;
  options.audit_interval = 0;
  options.standby_read_rate = 0;
  options.sm_priority = 5;
  Instance& first = lab.start("H1", options);
  ASSERT_TRUE(lab.settles()) << first.tail();
  options.sm_priority = 3;
  Instance& second = lab.start("H7", options);
  lab.runtime.run_for(30s);

  const auto traffic = [&](std::uint64_t words) {
    for (const sim::PortIndex port : lab.model.ports.indices()) {
      lab.model.extras(port).counters.xmit_data += words;
      lab.model.extras(port).counters.rcv_data += words;
      lab.model.extras(port).counters.symbol_errors += 1;
      lab.model.extras(port).counters.xmit_wait += 1000;
    }
  };
  const auto clear = [&] {
    for (const sim::PortIndex port : lab.model.ports.indices())
      lab.model.extras(port).counters = {};
  };
  Scraped scraped;
  std::map<std::string, double> before;
  std::size_t grew = 0;
  const auto scrape_and_compare = [&](const sm::Manager& manager) {
    const Samples samples = scraped.samples(manager);
    ASSERT_EQ(samples.repeated, "");
    const std::map<std::string, double> now = port_counters(samples);
    for (const auto& [series, value] : before) {
      const auto found = now.find(series);
      if (found == now.end()) continue;  // its node is absent
      ASSERT_GE(found->second, value) << series;
      grew += found->second > value;
    }
    for (const auto& [series, value] : now) before[series] = value;
  };
  const sim::NodeIndex host = lab.model.find("H5");
  constexpr unsigned kScrapes = 24 * 5;  // one in twelve minutes, four polls
  for (unsigned i = 0; i < kScrapes; ++i) {
    lab.runtime.run_for(12min);
    traffic(1'000'000);
    if (i % 25 == 12) clear();  // perfquery -R of another program
    if (i == 30) {
      for (const sim::PortIndex port : lab.model.ports.indices())
        lab.model.extras(port).counters.symbol_errors = 0xFFFF;
    }
    if (i == 50) lab.world.power(host, false);
    if (i == 53) lab.world.power(host, true);
    scrape_and_compare(first.manager());
    if (testing::Test::HasFatalFailure()) FAIL() << "scrape " << i;
  }
  ASSERT_FALSE(before.empty()) << first.tail();
  EXPECT_GT(grew, kScrapes * 10u) << "it counted";
  EXPECT_EQ(scraped.samples(second.manager()).count("infiniband_"), 0u)
      << "a standby counts nothing";

  // A takeover: the other one begins with what devices show, and its counters never go back either.
  first.stop();
  ASSERT_TRUE(
      lab.runtime.run_until([&] { return second.manager().status().counters != nullptr; }, 10min))
      << second.tail();
  before.clear();
  for (unsigned i = 0; i < 20; ++i) {
    lab.runtime.run_for(3min);
    traffic(1'000'000);
    scrape_and_compare(second.manager());
    if (testing::Test::HasFatalFailure()) FAIL() << "scrape " << i;
  }
  EXPECT_FALSE(before.empty());
}

}  // namespace metrics_test
