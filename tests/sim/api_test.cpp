// The API above whole managers and sweeps, in virtual time.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <spdlog/logger.h>
#include <spdlog/sinks/null_sink.h>

#include "mad/format.h"
#include "sim/laboratory.h"
#include "sim/surveys.h"
#include "sm/ctl/topology/generators.h"
#include "sm/ops/api/api.h"
#include "sm/ops/api/what_if.h"
#include "sm/ops/cut_off.h"
#include "sm/sweep/sweeper.h"
#include "support/api_client.h"
#include "support/sweep_clients.h"

namespace api_test {

using namespace std::chrono_literals;
using api_client::Json;

/// A subnet that a sweep has programmed, and what heddlectl plan would print of it: a Sweeper of
/// its own that has programmed nothing.
class Planned : public surveys::Observer {
 public:
  explicit Planned(const topology::Topology& topology) : Observer(topology) {
    options.cache_files_dir = options.dump_files_dir = folder.text();
    options.enable_subnet_lst = false;
    options.fsync_high_avail_files = false;
  }

  void program() {
    const auto all = [&]() -> boost::asio::awaitable<bool> {
      sm::Survey survey = co_await sweeper.observe(context(), order, true);
      co_return (co_await sweeper.pass(context(), order, std::move(survey))).end ==
          sm::SweepEnd::subnet_up;
    };
    ASSERT_EQ(runtime.run(all()), true);
  }

  sm::Preview heddlectl(const std::vector<std::string>& without, const config::Options& with,
                        bool rebalance) {
    sm::Sweeper fresh(client, *log, conditions, clients);
    const auto shared = sm::make_context(with, {}, partitions::default_configuration());
    const sm::PassRequest how{.everything = true, .reroute = rebalance, .why = "plan"};
    const auto preview = [&]() -> boost::asio::awaitable<tl::expected<sm::Preview, std::string>> {
      sm::Survey survey = co_await fresh.observe(shared, how, false);
      const auto taken = sm::disable_links(survey.fabric, sweeper.subnet()->lids, without);
      if (!taken) co_return tl::unexpected(taken.error());
      co_return co_await fresh.preview(shared, how, std::move(survey));
    };
    auto result = runtime.run(preview());
    EXPECT_TRUE(result && *result) << (result && !*result ? result->error() : "");
    return std::move(**result);
  }

  sm::SharedContext context() const {
    return sm::make_context(options, {}, partitions::default_configuration());
  }

  laboratory::Folder folder;
  config::Options options = config::default_options(nullptr, nullptr);
  sm::PassRequest order{.everything = true, .why = "test"};
  std::shared_ptr<spdlog::logger> log =
      std::make_shared<spdlog::logger>("plan", std::make_shared<spdlog::sinks::null_sink_st>());
  sm::ConditionLog conditions{[this] { return runtime.now(); }, *log};
  support::SweepClients clients;
  sm::Sweeper sweeper{client, *log, conditions, clients};
};

std::string counts(const sm::Plan& plan) {
  std::string text;
  for (const sm::PlannedStage& stage : plan.stages)
    text += fmt::format("{} {}\n", stage.writes.size(), sm::text(stage.kind));
  return text;
}

TEST(Plan, IsWhatHeddlectlPlansForTheSameChange) {
  for (const auto& [shape, topology] : surveys::shapes()) {
    Planned lab(topology);
    lab.program();
    const fabric::Subnet& subnet = *lab.sweeper.subnet();
    if (subnet.fabric.switches.size() < 2) continue;
    const auto before = sm::api::routing_quality(subnet.fabric, subnet.lids, subnet.lfts.get(),
                                                 subnet.routing.get());
    ASSERT_TRUE(before);
    // A link between switches that is not the manager's.
    std::vector<std::string> link;
    for (const fabric::PortIndex port : subnet.fabric.ports.indices()) {
      const fabric::PortIndex peer = subnet.fabric.ports[port].peer;
      if (peer == fabric::kNoIndex || !subnet.fabric.owning_node(port).is_switch() ||
          !subnet.fabric.owning_node(peer).is_switch())
        continue;
      link = {fmt::format("{}:{}", subnet.fabric.owning_node(port).guid,
                          subnet.fabric.ports[port].number)};
    }
    for (const sm::api::WhatIf& change :
         {sm::api::WhatIf{}, sm::api::WhatIf{.without = link},
          sm::api::WhatIf{.routing_engine = {"sssp"}, .rebalance = true},
          sm::api::WhatIf{.without = link, .routing_engine = {"minhop"}, .rebalance = true}}) {
      SCOPED_TRACE(fmt::format("{} without {} engine {}", shape, fmt::join(change.without, ","),
                               fmt::join(change.routing_engine, ",")));
      config::Options with = lab.options;
      if (!change.routing_engine.empty())
        with.routing_engine = {change.routing_engine.front(), "no_fallback"};
      const sm::Preview expected = lab.heddlectl(change.without, with, change.rebalance);
      const auto planned = sm::api::what_if(subnet, *lab.context(), change, *before);
      ASSERT_TRUE(planned) << planned.error().body;
      EXPECT_EQ(planned->routing->engine, expected.subnet.routing->engine);
      EXPECT_EQ(counts(planned->plan), counts(expected.plan));
      EXPECT_TRUE(planned->plan.stages == expected.plan.stages);
    }
  }
}

class ApiEvents : public testing::Test {
 protected:
  ApiEvents() : lab(topology::xgft({.children = {2, 3}, .parents = {1, 2}, .cables = {}})) {}

  sm::api::Sources sources() {
    return {.views = [this]() -> boost::asio::awaitable<std::shared_ptr<const sm::View>> {
              co_return view();
            },
            .group = [](mad::Gid) -> boost::asio::awaitable<std::optional<sa::Group>> {
              co_return std::nullopt;
            },
            .join_states = {},
            .services = []() -> boost::asio::awaitable<std::vector<sa::Service>> {
              co_return std::vector<sa::Service>();
            },
            .start = "1"};
  }
  std::shared_ptr<const sm::View> view() const {
    const sm::Manager& manager = lab.instances.front().manager();
    return std::make_shared<const sm::View>(
        sm::View{.status = manager.status(),
                 .groups = sm::summaries(manager.administrator().registrations().groups),
                 .context = manager.context()});
  }
  /// Lets the manager run, and shows the API what it publishes meanwhile.
  void run_for(mad::Duration time) {
    for (mad::Duration passed{}; passed < time; passed += 100ms) {
      lab.runtime.run_for(100ms);
      api->observe(view());
      client->get("/v1/events?since=0");  // each View is compared before the next one
    }
  }
  std::vector<std::string> kinds_since(const std::string& id) {
    std::vector<std::string> kinds;
    const Json list = client->json("/v1/events?since=" + id);
    for (const Json& event : list["events"]) kinds.push_back(event["kind"]);
    return kinds;
  }
  std::string last() { return client->json("/v1/events?since=0")["last_id"]; }
  /// A link between two switches, neither of them the manager's.
  sim::PortIndex spine_link() const {
    for (const sim::PortIndex port : lab.model.ports.indices()) {
      const sim::PortIndex far = lab.far(port);
      if (far != sim::kNone && lab.model.owning_node(port).is_switch() &&
          lab.model.owning_node(far).is_switch())
        return port;
    }
    return sim::kNone;
  }

  laboratory::Solo lab;
  std::optional<sm::Api> api;
  std::optional<api_client::Client> client;
};

TEST_F(ApiEvents, OfAManagerThatComesUpAndLosesALink) {
  lab.start();
  api.emplace(sources());
  client.emplace(api->resources());
  api->observe(view());  // before it has read anything
  client->get("/v1/events?since=0");
  run_for(5s);
  const auto first = kinds_since("0");
  EXPECT_THAT(first,
              testing::IsSupersetOf({"sweep", "snapshot", "state_changed", "master_changed"}));
  EXPECT_THAT(first, testing::Not(testing::Contains("node_appeared")));

  const std::string up = last();
  const sim::PortIndex port = spine_link(), far = lab.far(port);
  lab.world.cut(port);
  run_for(laboratory::kLightSweep);
  EXPECT_EQ(std::ranges::count(kinds_since(up), "link_down"), 1);
  EXPECT_THAT(kinds_since(up), testing::Contains("sweep"));

  const std::string down = last();
  lab.plug(port, far);
  run_for(laboratory::kSweepsWithErrors);
  EXPECT_EQ(std::ranges::count(kinds_since(down), "link_up"), 1);
  EXPECT_EQ(std::ranges::count(kinds_since(down), "link_down"), 0);
}

}  // namespace api_test
