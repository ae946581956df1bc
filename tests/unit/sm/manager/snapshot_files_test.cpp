#include "sm/manager/snapshot_files.h"

#include <gtest/gtest.h>
#include <spdlog/sinks/null_sink.h>
#include <filesystem>
#include <fstream>

#include "sim/world/virtual_runtime.h"
#include "sm/conditions/manager_conditions.h"
#include "sm/manager/upkeep.h"
#include "sm/store/cache_files.h"
#include "sm/sweep/decide/adoption_price.h"
#include "support/fabrics.h"
#include "support/subnets.h"
#include "unit/sm/temporary_directory.h"

namespace snapshot_files_test {

using namespace std::chrono_literals;

struct Files : testing::Test {
  TemporaryDirectory dir;
  sim::VirtualRuntime runtime;
  spdlog::logger log{"test", std::make_shared<spdlog::sinks::null_sink_st>()};
  sm::ConditionLog conditions{[this] { return runtime.now(); }, log};
  sm::SnapshotFiles files{runtime, log, conditions};
  const std::filesystem::path list = dir / "opensm-subnet.lst";

  /// The subnet with this number of nodes.
  void write(std::size_t nodes) {
    config::Options options;
    options.dump_files_dir = options.cache_files_dir = dir.path();
    fabric::Subnet subnet = subnets::bring_up(fabrics::random_fabric(3));
    subnet.fabric.nodes.front().description.set_text(std::to_string(nodes));
    files.write(sm::make_context(options, {}, partitions::default_configuration()),
                std::make_shared<const fabric::Subnet>(std::move(subnet)), false);
    runtime.run_for(0ms);
  }
  /// Whether the list was written since the latest call.
  bool was_written() { return std::filesystem::remove(list); }
};

TEST_F(Files, AreWrittenOnceInFiveSecondsUnderChange) {
  unsigned times = 0;
  for (unsigned i = 0; i < 100; ++i) {
    write(i);
    times += was_written();
    runtime.run_for(100ms);
    times += was_written();
  }
  EXPECT_EQ(times, 2u + 1u) << "at 0, 5 and 10 s";
  runtime.run_for(1h);
  EXPECT_FALSE(was_written()) << "the latest was written already";
}

TEST_F(Files, WhatTakesLongIsWrittenMoreRarely) {
  runtime.aside_time = 20ms;
  const auto written_in = [&](mad::Duration time) {
    unsigned times = 0;
    for (mad::Duration passed{}; passed < time; passed += 1s) {
      write(static_cast<std::size_t>(passed / 1s));
      runtime.run_for(1s);
      times += was_written();
    }
    return times;
  };
  EXPECT_EQ(written_in(59s), 3u) << "at 0, 20 and 40 s";
  runtime.run_for(1h);
  runtime.aside_time = 10s;
  EXPECT_EQ(written_in(179s), 3u) << "once a minute at least";
}

TEST_F(Files, TheLatestIsWrittenWhenTheManagerEnds) {
  write(1);
  EXPECT_TRUE(was_written());
  write(2);
  EXPECT_FALSE(was_written()) << "within five seconds";
  bool ended = false;
  boost::asio::co_spawn(runtime.executor(), files.finish(),
                        [&](std::exception_ptr) { ended = true; });
  EXPECT_TRUE(runtime.run_until([&] { return ended; }, 1s)) << "it does not wait for the pause";
  EXPECT_TRUE(was_written());
}

/// neighbors of a star with these hosts.
struct NeighborsFile : Files {
  void write_hosts(std::vector<unsigned> hosts) {
    config::Options options;
    options.dump_files_dir = options.cache_files_dir = dir.path();
    fabrics::Maker maker;
    maker.sw(8);
    for (const unsigned host : hosts)
      maker.cable(fabric::NodeIndex{0}, host + 1,
                  maker.add(mad::NodeType::ca, 1, "", mad::Guid{0x100 + 16 * host}), 1);
    fabric::Subnet subnet = subnets::bring_up(maker.build());
    files.write(sm::make_context(options, {}, partitions::default_configuration()),
                std::make_shared<const fabric::Subnet>(std::move(subnet)), true);
    runtime.run_for(0ms);
  }
  std::size_t listed() {
    const auto guids = sm::load_neighbor_guids(dir.path());
    return guids ? guids->size() : 0;
  }
};

TEST_F(NeighborsFile, AreWrittenWithinThePause) {
  write_hosts({0, 1});
  EXPECT_EQ(listed(), 3u);
  runtime.run_for(100ms);
  write_hosts({0, 1, 2});
  write_hosts({0, 1, 2, 3});
  EXPECT_EQ(listed(), 3u) << "hosts that appear one after the other are one file";
  runtime.run_for(sm::SnapshotFiles::kPause);
  EXPECT_EQ(listed(), 5u);
  write_hosts({0, 1, 2, 3, 4});
  write_hosts({1, 2, 3, 4});
  runtime.run_for(sm::SnapshotFiles::kPause);
  EXPECT_EQ(listed(), 5u) << "without the host that is lost";
  EXPECT_FALSE(sm::load_neighbor_guids(dir.path())->contains(mad::Guid{0x101}));
}

TEST_F(NeighborsFile, AreWrittenWhenTheManagerEnds) {
  write_hosts({0, 1});
  runtime.run_for(100ms);
  write_hosts({0, 1, 2});
  EXPECT_EQ(listed(), 3u);
  bool ended = false;
  boost::asio::co_spawn(runtime.executor(), files.finish(),
                        [&](std::exception_ptr) { ended = true; });
  EXPECT_TRUE(runtime.run_until([&] { return ended; }, 1s));
  EXPECT_EQ(listed(), 4u);
}

TEST_F(Files, WhatCannotBeWrittenIsAConditionUntilItIsWritten) {
  std::filesystem::create_directory(list);  // a file cannot replace it
  std::ofstream(list / "inside").put('x');
  write(1);
  ASSERT_EQ(conditions.raised().size(), 1u);
  EXPECT_EQ(conditions.raised().front().condition.id, sm::kOutputConditions.output_failed);
  EXPECT_NE(conditions.raised().front().condition.text.find("opensm-subnet.lst"),
            std::string::npos);
  std::filesystem::remove_all(list);
  runtime.run_for(10s);
  write(2);
  runtime.run_for(10s);
  EXPECT_TRUE(was_written());
  EXPECT_TRUE(conditions.raised().empty());
}

mad::TimePoint at(unsigned s) { return mad::TimePoint{} + std::chrono::seconds(s); }
constexpr mad::TimePoint kNever = mad::TimePoint::max();

TEST(Rebalancing, ComparesAfterQuietWhereSomethingWasAdded) {
  config::Options options;
  EXPECT_TRUE(options.rebalance) << "on by default";
  options.rebalance_quiet_time = 60;
  sm::Rebalancing rebalancing;
  rebalancing.swept(at(0), true);
  EXPECT_EQ(rebalancing.due(options, true, false), at(60));
  EXPECT_EQ(rebalancing.due(options, false, false), kNever);
  rebalancing.swept(at(50), true);
  rebalancing.swept(at(80), false);
  EXPECT_EQ(rebalancing.due(options, true, false), at(110))
      << "what changes no route disturbs nothing";
  options.rebalance = false;
  EXPECT_EQ(rebalancing.due(options, true, false), kNever);
}

TEST(Rebalancing, ComparesOnceAfterALoss) {
  config::Options options;
  options.rebalance = false;
  options.rebalance_quiet_time = 60;
  sm::Rebalancing rebalancing;
  rebalancing.swept(at(0), true);
  EXPECT_EQ(rebalancing.due(options, false, true), at(60));
  rebalancing.compared();
  rebalancing.swept(at(70), false);
  EXPECT_EQ(rebalancing.due(options, false, true), kNever);
  rebalancing.swept(at(80), true);
  EXPECT_EQ(rebalancing.due(options, false, true), at(140));
}

TEST(Rebalancing, IsWorthItForATwentiethOrForUnusedChannels) {
  const auto price = [](std::uint64_t worst, std::size_t unused) {
    return sm::RoutingPrice{.changes = {},
                            .worst_load = worst,
                            .worst_load_rerouted = 100,
                            .unused = unused,
                            .unused_rerouted = 2};
  };
  EXPECT_TRUE(sm::is_unbalanced(price(106, 2)));
  EXPECT_FALSE(sm::is_unbalanced(price(105, 2)));
  EXPECT_TRUE(sm::is_unbalanced(price(100, 3)));
  EXPECT_FALSE(sm::is_unbalanced(price(100, 1)));
  EXPECT_TRUE(sm::imbalance(price(106, 2), {}, sm::UnevenSince::gained)->text.find("after 300 s") !=
              std::string::npos);
  EXPECT_EQ(sm::imbalance(price(105, 2), {}, sm::UnevenSince::gained), std::nullopt);
  EXPECT_TRUE(sm::imbalance(price(106, 2), {}, sm::UnevenSince::lost)->text.find("after 300 s") ==
              std::string::npos)
      << "nothing is moved because of a loss";
  EXPECT_EQ(sm::load_ratio(price(150, 2)), 1.5);
}

}  // namespace snapshot_files_test
