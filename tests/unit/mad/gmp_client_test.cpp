#include "mad/gmp_client.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <set>

#include "unit/sm/performance/scripted_agents.h"

namespace gmp_client_test {

using namespace scripted;
using mad::GmpFault;

/// Queries of ClassPortInfo to LIDs in turn.
class Queries final : public mad::GmpBatch {
 public:
  Queries(sim::VirtualRuntime& runtime, unsigned count, unsigned lids)
      : runtime_(runtime), count_(count), lids_(lids) {}
  bool next(mad::GmpRequest& request) override {
    if (taken_ == count_) return false;
    request = {};
    request.attribute = static_cast<std::uint16_t>(PerformanceAttribute::class_port_info);
    request.to = {.lid = mad::Lid{static_cast<std::uint16_t>(1 + taken_ % lids_)},
                  .qpn = 1,
                  .qkey = mad::kQp1QKey};
    request.lmc = lmc;
    request.cookie = taken_++;
    times.push_back(runtime_.now());
    return true;
  }
  void done(const mad::GmpRequest& request, const mad::GmpReply& reply) override {
    EXPECT_TRUE(answered.insert(request.cookie).second) << "exactly one outcome each";
    ++outcomes[reply.fault];
    attempts += reply.attempts;
  }
  std::uint8_t lmc = 0;
  std::vector<mad::TimePoint> times;
  std::set<std::uint64_t> answered;
  std::map<GmpFault, unsigned> outcomes;
  unsigned attempts = 0;

 private:
  sim::VirtualRuntime& runtime_;
  unsigned count_, lids_, taken_ = 0;
};

class GmpClientTest : public testing::Test {
 protected:
  GmpClientTest() {
    agents.client = &client;
    for (unsigned lid = 1; lid <= 4; ++lid) agents.at(lid);
  }
  boost::asio::awaitable<bool> exchange(mad::GmpBatch& batch) {
    co_await client.exchange(batch);
    co_return true;
  }
  void run(Queries& queries) { EXPECT_TRUE(runtime.run(exchange(queries))) << "it does not end"; }

  sim::VirtualRuntime runtime;
  Agents agents{runtime};
  mad::GmpClient client{runtime, agents};
};

TEST_F(GmpClientTest, EveryRequestHasOneOutcomeWithinTheWindow) {
  client.set_limits({.window = 7});
  Queries queries(runtime, 500, 4);
  run(queries);
  EXPECT_EQ(queries.outcomes[GmpFault::none], 500u);
  EXPECT_EQ(client.statistics().in_flight_max, 7u);
  EXPECT_EQ(client.in_flight(), 0u);
}

TEST_F(GmpClientTest, KeepsThePace) {
  client.set_limits({.window = 500, .per_second = 1000});
  Queries queries(runtime, 3000, 4);
  run(queries);
  const auto seconds = std::chrono::duration<double>(queries.times.back() - queries.times.front());
  EXPECT_NEAR(seconds.count(), 3, 0.1);
  std::size_t first = 0;
  for (std::size_t at = 0; at < queries.times.size(); ++at) {
    while (queries.times[at] - queries.times[first] >= 20ms) ++first;
    ASSERT_LE(at - first, 25u) << "in bursts of a fortieth";
  }
}

TEST_F(GmpClientTest, RepeatsWhatIsNotAnsweredAndGivesUp) {
  agents.at(2).silent = true;
  client.set_limits({.timeout = 100ms, .retries = 3, .window = 10});
  Queries queries(runtime, 8, 4);
  const mad::TimePoint begin = runtime.now();
  run(queries);
  EXPECT_EQ(queries.outcomes[GmpFault::timeout], 2u);
  EXPECT_EQ(queries.outcomes[GmpFault::none], 6u);
  EXPECT_EQ(queries.attempts, 6u + 2 * 4);
  EXPECT_EQ(client.statistics().repeated, 6u);
  EXPECT_NEAR(std::chrono::duration<double>(runtime.now() - begin).count(), 0.4, 0.01);
}

TEST_F(GmpClientTest, LateResponsesCountAndSlowAgentsHaveTheirTime) {
  for (const auto latency : {240ms, 260ms, 300ms, 500ms, 790ms}) {
    agents.latency = latency;
    client.set_limits({.window = 1});
    Queries queries(runtime, 20, 1);
    const std::uint64_t repeated = client.statistics().repeated;
    run(queries);
    EXPECT_EQ(queries.outcomes[GmpFault::none], 20u) << latency.count();
    EXPECT_LE(client.statistics().repeated - repeated, 3u) << "those of the first query";
  }
}

TEST_F(GmpClientTest, TransactionIdsAreFreeWhenTheyAreUsedAgain) {
  agents.at(1).silent = true;
  client.set_limits({.timeout = 100ms, .retries = 20});
  Queries queries(runtime, 5, 1);
  run(queries);
  EXPECT_EQ(queries.outcomes[GmpFault::timeout], 5u);
}

TEST_F(GmpClientTest, TransactionIdsAreNotInOrder) {
  Queries queries(runtime, 200, 4);
  client.set_limits({.window = 1});
  run(queries);
  std::vector<std::uint32_t> ids(agents.transactions.begin(), agents.transactions.end());
  EXPECT_EQ(ids.size(), 200u);
  std::set<std::uint32_t> distances;
  for (std::size_t at = 1; at < ids.size(); ++at) distances.insert(ids[at] - ids[at - 1]);
  EXPECT_GT(distances.size(), 20u);
}

TEST_F(GmpClientTest, WithAnLmcAnyLidOfThePortAnswers) {
  agents.at(2).edit = [](mad::MadView, mad::MadAddress& from) { from.lid = mad::Lid{3}; };
  Queries queries(runtime, 2, 2);
  queries.lmc = 1;
  run(queries);
  EXPECT_EQ(queries.outcomes[GmpFault::none], 2u);
  EXPECT_EQ(client.statistics().malformed, 0u);
}

TEST_F(GmpClientTest, APortThatSendsNothingIsReported) {
  agents.refuse_with = ENETDOWN;
  Queries queries(runtime, 3, 4);
  run(queries);
  EXPECT_EQ(queries.outcomes[GmpFault::not_sent], 3u);
}

TEST_F(GmpClientTest, ShortAndStrayMadsHaveNoEffect) {
  mad::ReceivedMad stray{.bytes = {}, .size = mad::kMadSizeBytes, .from = {}};
  EXPECT_FALSE(client.on_mad(stray));
  stray.size = 10;
  EXPECT_FALSE(client.on_mad(stray));
  EXPECT_EQ(client.statistics().stray, 1u);
  EXPECT_EQ(client.statistics().malformed, 1u);
}

TEST_F(GmpClientTest, AbandonEndsEverythingAtOnce) {
  for (unsigned lid = 1; lid <= 4; ++lid) agents.at(lid).silent = true;
  client.set_limits({.window = 10});
  Queries queries(runtime, 100, 4);
  runtime.after(50ms, [&] { client.abandon(); });
  const mad::TimePoint begin = runtime.now();
  run(queries);
  EXPECT_EQ(queries.outcomes[GmpFault::not_sent], 10u);
  EXPECT_EQ(runtime.now() - begin, mad::Duration(50ms));
}

}  // namespace gmp_client_test
