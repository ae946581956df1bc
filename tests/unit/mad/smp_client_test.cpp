#include "mad/smp_client.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>
#include <map>
#include <set>

#include "fabric/topology/random_source.h"
#include "mad/attributes/node_info.h"
#include "mad/smp.h"
#include "sim/world/virtual_runtime.h"
#include "support/seeds.h"

namespace smp_client_test {

using mad::SmpFault;
using mad::SmpReply;
using mad::SmpRequest;
using sim::VirtualRuntime;
using namespace std::chrono_literals;

/// The data of the response to a request, unique within a test.
mad::SmpData answer_to(std::uint32_t modifier) {
  mad::SmpData data;
  for (std::size_t i = 0; i < data.size(); ++i)
    data[i] = static_cast<std::uint8_t>((modifier * 2654435761u) >> (i % 4 * 8));
  return data;
}

/// A network that answers every SMP, with random faults, behind the kernel's rule: it delivers the
/// first response to an open transaction and no other one, and refuses a request whose transaction
/// is open.
class Wire final : public mad::MadTransport {
 public:
  Wire(VirtualRuntime& time, std::uint64_t seed, unsigned mads_max) : runtime(time), random(seed) {
    budget().set_limit(mads_max);
  }

  // Percent
  unsigned lost = 0, duplicated = 0, late = 0, cut_short = 0, corrupt = 0, bad_status = 0,
           refused = 0;
  bool reports_timeouts = false;  // as the kernel: a request without a response in time is returned
  double lost_exactly = 0;        // percent
  std::function<bool(mad::ConstSmpView)> swallow;  // these are lost
  std::function<void(mad::SmpView)> edit;          // of responses
  mad::Duration latency = 10us;
  mad::Duration service_time{};  // of an agent that serves one request after the other
  unsigned queue = 8;            // that wait there; further ones are dropped

  struct Sent {
    mad::TimePoint when;
    std::uint32_t modifier;
    std::string route;
    std::uint64_t transaction_id;
  };
  std::vector<Sent> sent;
  std::map<std::uint64_t, mad::TimePoint> transactions;  // until when the kernel keeps them open
  bool counts_open = false;                              // transactions
  std::size_t open_max = 0;                              // transactions
  std::uint64_t drops = 0;                               // of the agent with a queue
  mad::TimePoint busy_until{};
  unsigned served = 0;  // requests in its queue or served
  std::function<void()> on_send;

  int send(std::span<const std::uint8_t> bytes, const mad::MadAddress& to,
           int timeout_ms) override {
    mad::MadBytes mad;
    std::copy_n(bytes.begin(), mad.size(), mad.begin());
    mad::SmpView smp{std::span<std::uint8_t, mad::kMadSizeBytes>(mad)};
    EXPECT_EQ(to.lid, mad::kPermissiveLid);
    EXPECT_EQ(smp.transaction_id() >> 32, 0u) << "the upper half belongs to the kernel";
    const mad::TimePoint closes = runtime.now() + std::chrono::milliseconds(timeout_ms);
    const auto [open, fresh] = transactions.emplace(smp.transaction_id(), closes);
    EXPECT_TRUE(fresh || open->second <= runtime.now())
        << "the kernel refuses a request whose transaction is still open";
    open->second = closes;
    if (counts_open) note_open();
    sent.push_back(
        {runtime.now(), smp.attribute_modifier(), smp.route()->text(), smp.transaction_id()});
    if (on_send) on_send();
    if (random.percent(refused)) return ENOBUFS;
    const mad::MadBytes request = mad;
    bool answered = false;
    if (!(swallow && swallow(smp)) && !random.percent(lost) && !random.chance(lost_exactly / 100) &&
        !is_dropped()) {
      const mad::Duration time =
          service() + latency + mad::Duration(random.below(1000)) +
          (random.percent(late) ? mad::Duration(std::chrono::milliseconds(random.below(700)))
                                : 0us);
      answered = time < std::chrono::milliseconds(timeout_ms);
      smp.set_data(answer_to(smp.attribute_modifier()));
      mad::make_response(smp, random.percent(bad_status) ? mad::status::kMethodAttributeUnsupported
                                                         : mad::status::kOk);
      std::size_t size = mad::kMadSizeBytes;
      if (edit) edit(smp);
      if (random.percent(corrupt)) {
        switch (random.below(4)) {
          case 0:
            smp.set_attribute_id(mad::AttributeId::notice);
            break;
          case 1:
            smp.set_attribute_modifier(smp.attribute_modifier() + 1);
            break;
          case 2:
            smp.set_method(mad::Method::report_resp);
            break;
          default:
            smp.set_transaction_id(random.next());
            break;
        }
      } else if (random.percent(cut_short)) {
        size = random.below(mad::kMadSizeBytes);
      }
      deliver_after(time, mad, size, 0);
      if (random.percent(duplicated))
        deliver_after(time + 1us + mad::Duration(random.below(1'000'000)), mad, size, 0);
    }
    if (reports_timeouts && !answered)
      deliver_after(std::chrono::milliseconds(timeout_ms), request, mad::kMadHeaderBytes,
                    ETIMEDOUT);
    return 0;
  }
  void set_receiver(std::function<void(std::span<const mad::ReceivedMad>)>) override {}

  void deliver_after(mad::Duration time, const mad::MadBytes& bytes, std::size_t size, int error) {
    runtime.after(time, [this, bytes, size, error] {
      if (error == 0 && !closes(bytes)) return;
      mad::ReceivedMad received;
      received.bytes = bytes;
      received.size = size;
      received.send_errno = error;
      client->on_mad(received);
    });
  }

  /// True if a response is delivered: its transaction was open.
  bool closes(const mad::MadBytes& bytes) {
    const auto open = transactions.find(
        mad::ConstSmpView{std::span<const std::uint8_t, mad::kMadSizeBytes>(bytes)}
            .transaction_id());
    if (open == transactions.end() || open->second <= runtime.now()) return false;
    open->second = runtime.now();
    return true;
  }
  void note_open() {
    const auto open = std::ranges::count_if(
        transactions, [&](const auto& each) { return each.second > runtime.now(); });
    open_max = std::max(open_max, static_cast<std::size_t>(open));
  }
  bool is_dropped() {
    if (service_time == mad::Duration{} || served <= queue) return false;
    ++drops;
    return true;
  }
  mad::Duration service() {
    if (service_time == mad::Duration{}) return {};
    ++served;
    busy_until = std::max(busy_until, runtime.now()) + service_time;
    runtime.after(busy_until - runtime.now(), [this] { --served; });
    return busy_until - runtime.now();
  }

  VirtualRuntime& runtime;
  topology::Random random;
  mad::SmpClient* client = nullptr;
};

/// A batch of `count` requests numbered from `first`, distributed over `nodes` nodes; records the
/// outcome of each.
class RequestBatch final : public mad::SmpBatch {
 public:
  RequestBatch(std::uint32_t first, std::uint32_t count, std::uint32_t nodes)
      : first_(first), count_(count), nodes_(nodes) {}

  bool next(SmpRequest& request) override {
    EXPECT_FALSE(inside_done_);
    if (taken == count_) return false;
    const std::uint32_t number = first_ + taken++;
    request = {};
    request.method = method;
    request.attribute = attribute ? attribute(number) : mad::AttributeId::port_info;
    request.modifier = number;
    request.node = nodes_ == 0 ? mad::Guid{} : mad::Guid{1 + number % nodes_};
    request.cookie = ~std::uint64_t{number};
    request.route = route;
    request.is_long = is_long && is_long(number);
    request.is_probe = request.waits_full_time = are_probes;
    return true;
  }
  void done(const SmpRequest& request, const SmpReply& reply) override {
    inside_done_ = true;
    EXPECT_EQ(request.cookie, ~std::uint64_t{request.modifier});
    ++outcomes[request.modifier];
    ++faults[reply.fault];
    attempts[request.modifier] = reply.attempts;
    elapsed[request.modifier] = reply.elapsed;
    const bool unanswered = reply.fault != SmpFault::none && reply.fault != SmpFault::bad_status;
    EXPECT_TRUE(
        std::ranges::equal(reply.data, unanswered ? mad::SmpData{} : answer_to(request.modifier)))
        << "the response to another request";
    order.push_back(request.modifier);
    routes[request.modifier] = request.route.text();
    if (on_done) on_done(request, reply);
    inside_done_ = false;
  }
  std::optional<mad::DirectedRoute> alternative_route(const SmpRequest&) override {
    ++alternatives_requested;
    return alternative;
  }
  bool may_send(const SmpRequest&) override { return repeats_allowed-- > 0; }
  void misplaced(const SmpRequest& request, std::uint32_t modifier) override {
    misplaced_at[request.modifier].push_back(modifier);
  }
  void add_requests(std::uint32_t count) { count_ += count; }
  bool each_once() const {
    return outcomes.size() == count_ &&
           std::ranges::all_of(outcomes, [](const auto& outcome) { return outcome.second == 1; });
  }

  mad::Method method = mad::Method::get;
  mad::DirectedRoute route = *mad::DirectedRoute::of({1});
  bool are_probes = false;
  std::uint32_t taken = 0;
  std::map<std::uint32_t, unsigned> outcomes, attempts;
  std::map<std::uint32_t, mad::Duration> elapsed;
  std::map<SmpFault, unsigned> faults;
  std::vector<std::uint32_t> order;
  std::map<std::uint32_t, std::string> routes;  // by which the response came
  std::map<std::uint32_t, std::vector<std::uint32_t>> misplaced_at;
  std::optional<mad::DirectedRoute> alternative;
  unsigned alternatives_requested = 0;
  long repeats_allowed = 1'000'000;
  std::function<void(const SmpRequest&, const SmpReply&)> on_done;
  std::function<bool(std::uint32_t)> is_long;
  std::function<mad::AttributeId(std::uint32_t)> attribute;  // empty: PortInfo

 private:
  std::uint32_t first_, count_, nodes_;
  bool inside_done_ = false;
};

struct Bench {
  /// `mads_max` is the limit of the port's budget.
  explicit Bench(mad::SmpLimits limits = {}, std::uint64_t seed = 1,
                 unsigned mads_max = mad::PortBudget::kLimit)
      : wire(runtime, seed, mads_max), client(runtime, wire, limits) {
    wire.client = &client;
  }

  boost::asio::awaitable<bool> exchange(mad::SmpBatch& batch) {
    co_await client.exchange(batch);
    co_return true;
  }
  /// True if the batch ended.
  bool run(mad::SmpBatch& batch, mad::Duration limit = 24h) {
    return runtime.run(exchange(batch), limit).has_value();
  }

  VirtualRuntime runtime;
  Wire wire;
  mad::SmpClient client;
};

TEST(SmpClient, EveryRequestHasOneOutcomeUnderRandomFaults) {
  seeds::for_each(3000, [](std::uint64_t seed) {
    topology::Random dice(seed * 77);
    const unsigned window = dice.percent(50) ? 1 + dice.below(40) : 0;
    const mad::SmpLimits limits{.timeout = std::chrono::milliseconds(1 + dice.below(400)),
                                .retries = dice.below(5),
                                .window = window,
                                .window_max = 1 + dice.below(100),
                                .window_slow_max = 1 + dice.below(200),
                                .per_node = 1 + dice.below(6)};
    Bench bench(limits, seed);
    Wire& wire = bench.wire;
    wire.lost = dice.below(40);
    wire.duplicated = dice.below(40);
    wire.late = dice.below(40);
    wire.cut_short = dice.below(20);
    wire.corrupt = dice.below(20);
    wire.bad_status = dice.below(20);
    wire.refused = dice.below(20);
    wire.reports_timeouts = dice.percent(50);
    wire.on_send = [&] {
      // Losses make the window smaller while more is in flight; it never admits more than its
      // limit.
      EXPECT_LE(window != 0 ? bench.client.in_flight() : bench.client.in_window(),
                window != 0 ? window : std::max(limits.window_max, limits.window_slow_max));
      EXPECT_LE(wire.budget().under_way(), wire.budget().limit() * 5 / 4);
    };
    RequestBatch batch(0, 1 + dice.below(120), dice.below(12));
    ASSERT_TRUE(bench.run(batch));
    EXPECT_TRUE(batch.each_once());
    EXPECT_EQ(bench.client.in_flight(), 0u);

    const mad::SmpCounters& counters =
        bench.client.statistics().at(mad::Method::get, mad::AttributeId::port_info);
    EXPECT_EQ(counters.sent, wire.sent.size());
    const unsigned not_sent = batch.faults[SmpFault::node_silent];
    EXPECT_EQ(counters.answered + counters.timed_out + not_sent, batch.outcomes.size());
    EXPECT_EQ(counters.sent - counters.retried + not_sent, batch.outcomes.size());
    EXPECT_EQ(counters.bad_status, batch.faults[SmpFault::bad_status]);
    EXPECT_EQ(counters.timed_out,
              batch.faults[SmpFault::timeout] + batch.faults[SmpFault::not_sent]);
    // Many are lost: then there are more attempts.
    for (const auto& [number, attempts] : batch.attempts)
      EXPECT_LE(attempts, limits.retries > 1 ? 8u : limits.retries + 1);
    bench.runtime.run_for(10s);  // late responses have no effect
    EXPECT_TRUE(batch.each_once());
    EXPECT_EQ(wire.budget().under_way(), 0u);
  });
}

TEST(SmpClient, FixedWindowIsFilledAndNeverExceeded) {
  for (const unsigned window : {1u, 4u, 64u, 4096u}) {
    Bench bench({.window = window}, 1, mad::PortBudget::find_limit(window));
    std::size_t most = 0;
    bench.wire.on_send = [&] { most = std::max(most, bench.client.in_flight()); };
    RequestBatch batch(0, 10'000, 0);
    ASSERT_TRUE(bench.run(batch));
    EXPECT_EQ(most, window);
    EXPECT_EQ(bench.client.statistics().in_flight_max, window);
    EXPECT_EQ(bench.client.window(), window);
  }
}

TEST(SmpClient, AdaptiveWindowGrowsToItsLimitAndHalvesOnProvenLoss) {
  Bench bench({.window_max = 40});
  bool loses = false;
  bench.wire.swallow = [&](mad::ConstSmpView) { return loses; };
  RequestBatch batch(0, 2000, 0);
  ASSERT_TRUE(bench.run(batch));
  EXPECT_EQ(bench.client.window(), 40u);
  EXPECT_EQ(bench.client.statistics().in_flight_max, 40u);

  loses = true;
  RequestBatch silent(10'000, 30, 0);
  ASSERT_TRUE(bench.run(silent));
  EXPECT_EQ(silent.faults[SmpFault::timeout], 30u);
  EXPECT_EQ(bench.client.window(), 40u) << "silence proves no loss";

  const auto lose_first_attempts = [&](std::uint32_t first) {
    const std::uint32_t count = std::min(30u, bench.client.window());
    RequestBatch lost(first, count, 0);
    const auto running = bench.runtime.start(bench.exchange(lost));
    bench.runtime.run_for(5ms);  // shorter than the time-out of an attempt
    loses = false;
    EXPECT_TRUE(bench.runtime.run_until([&] { return running->done; }, 1h));
    EXPECT_EQ(lost.faults[SmpFault::none], count);
    bench.runtime.run_for(300ms);  // longer than a burst of losses that is one event
    loses = true;
  };
  lose_first_attempts(20'000);
  EXPECT_EQ(bench.client.window(), 20u) << "all at once: one event";
  lose_first_attempts(30'000);
  EXPECT_EQ(bench.client.window(), 12u) << "the lower limit";
  lose_first_attempts(31'000);
  EXPECT_EQ(bench.client.window(), 40u) << "a smaller window does not help";

  loses = false;
  RequestBatch again(40'000, 10'000, 0);
  ASSERT_TRUE(bench.run(again));
  EXPECT_EQ(bench.client.window(), 40u) << "it grows again without losses";
}

/// Latency alone: more requests at a time take no longer. A server of all requests: they wait for
/// each other, and the window stays near its limit.
TEST(SmpClient, TheWindowGrowsBeyondItsLimitWhileTheRoundTripDoesNot) {
  for (const auto latency : {5ms, 20ms, 100ms}) {
    Bench bench({}, 1, mad::PortBudget::find_limit(1024));
    bench.wire.latency = latency;
    RequestBatch batch(0, 20'000, 0);
    const mad::TimePoint begin = bench.runtime.now();
    ASSERT_TRUE(bench.run(batch));
    EXPECT_GE(bench.client.statistics().in_flight_max, 1000u);
    EXPECT_LE(bench.client.statistics().in_flight_max, mad::SmpLimits{}.window_slow_max);
    EXPECT_LE(bench.runtime.now() - begin, 40 * latency);
  }
  for (const auto service_time : {30us, 100us}) {
    Bench bench;
    bench.wire.service_time = service_time;
    bench.wire.queue = 10'000;
    RequestBatch batch(0, 20'000, 0);
    ASSERT_TRUE(bench.run(batch));
    EXPECT_LE(bench.client.statistics().in_flight_max, 96u * 3 / 2);
    EXPECT_LE(bench.wire.sent.size(), 20'000u);
  }
}

/// What the kernel's receives or a simulator's sockets hold: with slow answers, silent nodes, nodes
/// that wake up, and a network that loses everything for a while, not more is ever unanswered.
TEST(SmpClient, RequestsWithoutAnOutcomeStayWithinThePortsBudget) {
  const auto expect_within = [](Bench& bench, std::uint32_t nodes, std::string_view what) {
    SCOPED_TRACE(what);
    std::set<std::uint64_t> open;  // requests, by their modifier
    std::size_t most = 0, most_mads = 0;
    bench.wire.on_send = [&] {
      open.insert(bench.wire.sent.back().modifier);
      most = std::max(most, open.size());
      most_mads = std::max<std::size_t>(most_mads, bench.wire.budget().under_way());
    };
    RequestBatch batch(0, 5000, nodes);
    batch.on_done = [&](const SmpRequest& request, const SmpReply&) {
      open.erase(request.modifier);
    };
    ASSERT_TRUE(bench.run(batch));
    EXPECT_LE(most, bench.wire.budget().most(mad::PortBudget::Use::smps));
    EXPECT_GT(most, 90u) << "it is used";
    EXPECT_LE(most_mads, mad::PortBudget::kLimit * 5 / 4);
  };
  for (const auto latency : {20ms, 150ms, 500ms}) {
    Bench bench;
    bench.wire.latency = latency;
    expect_within(bench, 1000, "all answers are slow");
  }
  {
    Bench bench;
    bench.wire.swallow = [](mad::ConstSmpView smp) { return smp.attribute_modifier() % 3 == 0; };
    expect_within(bench, 0, "a third has no answer");
    expect_within(bench, 1000, "a third of the nodes does not answer");
  }
  {
    Bench bench;
    bench.wire.swallow = [&](mad::ConstSmpView) {
      const auto at = bench.runtime.now().time_since_epoch() % 900ms;
      return at > 300ms;
    };
    bench.wire.latency = 10ms;
    expect_within(bench, 0, "the port loses everything for two thirds of the time");
  }
}

TEST(SmpClient, ASteadyLossDoesNotShrinkTheWindow) {
  for (const double loss : {0.1, 1.0, 5.0}) {
    Bench bench;
    bench.wire.lost_exactly = loss;
    bench.wire.latency = 1ms;
    RequestBatch batch(0, 10'000, 500);
    ASSERT_TRUE(bench.run(batch));
    EXPECT_EQ(bench.client.window(), 96u) << loss;
  }
}

TEST(SmpClient, AProbeHasOneAttemptAndNoPlaceInTheWindow) {
  Bench bench({.window_max = 8});
  bench.wire.swallow = [](mad::ConstSmpView smp) { return smp.attribute_modifier() < 500; };
  RequestBatch probes(0, 500, 0), others(500, 1000, 0);
  probes.are_probes = true;
  const mad::TimePoint begin = bench.runtime.now();
  const auto running = bench.runtime.start(bench.exchange(probes));
  ASSERT_TRUE(bench.run(others));
  EXPECT_LE(bench.runtime.now() - begin, 100ms) << "the others do not wait";
  EXPECT_TRUE(bench.runtime.run_until([&] { return running->done; }, 1h));
  // Half of the SMPs that the port's budget admits are probes.
  const unsigned at_a_time = bench.wire.budget().most(mad::PortBudget::Use::smps) / 2;
  EXPECT_EQ(bench.runtime.now() - begin, 800ms * ((500 + at_a_time - 1) / at_a_time));
  EXPECT_EQ(probes.faults[SmpFault::timeout], 500u);
  EXPECT_EQ(bench.wire.sent.size(), 1500u);

  RequestBatch yielding(0, 10, 0);
  yielding.are_probes = true;
  yielding.repeats_allowed = 0;
  const mad::TimePoint again = bench.runtime.now();
  ASSERT_TRUE(bench.run(yielding));
  EXPECT_EQ(yielding.faults[SmpFault::put_off], 10u);
  EXPECT_EQ(bench.runtime.now() - again, 200ms);

  bench.wire.latency = 790ms;
  RequestBatch late(1000, 10, 0);
  late.are_probes = true;
  ASSERT_TRUE(bench.run(late));
  EXPECT_EQ(late.faults[SmpFault::none], 10u);
}

TEST(SmpClient, LimitsMayChangeWhileRequestsAreInFlight) {
  Bench bench({.window = 4096});
  RequestBatch batch(0, 20'000, 0);
  const auto running = bench.runtime.start(bench.exchange(batch));
  bench.runtime.run_for(1ms);
  bench.client.set_limits({.window_max = 16});  // SIGHUP: from a fixed window to an adaptive one
  EXPECT_LE(bench.client.window(), 16u);
  bench.runtime.run_for(10ms);
  std::size_t most = 0;
  bench.wire.on_send = [&] { most = std::max(most, bench.client.in_flight()); };
  EXPECT_TRUE(bench.runtime.run_until([&] { return running->done; }, 1h));
  EXPECT_LE(most, 16u);
  EXPECT_TRUE(batch.each_once());
}

TEST(SmpClient, NewRequestsKeepToTheirRate) {
  Bench bench({.window = 64, .per_second = 1000});
  RequestBatch batch(0, 5000, 7);
  const mad::TimePoint begin = bench.runtime.now();
  ASSERT_TRUE(bench.run(batch));
  EXPECT_TRUE(batch.each_once());
  EXPECT_LE(bench.runtime.now() - begin, 6s);
  const auto& sent = bench.wire.sent;
  for (std::size_t first = 0, last = 0; last < sent.size(); ++last) {
    while (sent[last].when - sent[first].when > 1s) ++first;
    ASSERT_LE(last - first + 1, 1026u) << "in the second before number " << last;
  }
}

TEST(SmpClient, AbandonedRequestsAllEndAtOnce) {
  seeds::for_each(300, [](std::uint64_t seed) {
    topology::Random dice(seed * 79);
    Bench bench({.window = dice.below(40), .per_second = dice.percent(50) ? 2000u : 0u}, seed);
    Wire& wire = bench.wire;
    wire.lost = dice.below(60);
    wire.late = dice.below(40);
    RequestBatch batch(0, 2000, dice.below(12)), second(5000, 20, 3);
    const auto running = bench.runtime.start(bench.exchange(batch));
    bench.runtime.run_for(std::chrono::milliseconds(dice.below(2000)));
    bench.client.abandon();
    const auto later = bench.runtime.start(bench.exchange(second));
    const std::size_t sent = wire.sent.size();
    bench.runtime.run_for(0ms);
    EXPECT_TRUE(running->done);
    EXPECT_TRUE(later->done);
    EXPECT_TRUE(batch.each_once());
    EXPECT_EQ(second.faults[SmpFault::not_sent], 20u);
    EXPECT_EQ(bench.client.in_flight(), 0u);
    bench.runtime.run_for(10s);
    EXPECT_EQ(wire.sent.size(), sent);
  });
}

TEST(SmpClient, OneNodeGetsNoMoreThanItsCap) {
  Bench bench({.window = 64, .per_node = 3});
  std::map<std::uint32_t, int> load;
  std::map<std::uint32_t, int> most;
  RequestBatch batch(0, 700, 7);
  bench.wire.latency = 1ms;
  bench.wire.on_send = [&] {
    const std::uint32_t node = bench.wire.sent.back().modifier % 7;
    most[node] = std::max(most[node], ++load[node]);
  };
  batch.on_done = [&](const SmpRequest& request, const SmpReply&) { --load[request.modifier % 7]; };
  ASSERT_TRUE(bench.run(batch));
  EXPECT_TRUE(batch.each_once());
  for (const auto& [node, count] : most) EXPECT_EQ(count, 3) << node;
  EXPECT_EQ(bench.client.statistics().in_flight_max, 21u);
}

TEST(SmpClient, RetriesAtTheTimeoutAndThenGivesUp) {
  Bench bench({.timeout = 200ms, .retries = 3});
  bench.wire.swallow = [](mad::ConstSmpView) { return true; };
  RequestBatch batch(5, 1, 1);
  const mad::TimePoint begin = bench.runtime.now();
  ASSERT_TRUE(bench.run(batch));
  ASSERT_EQ(bench.wire.sent.size(), 4u);
  for (unsigned i = 0; i < 4; ++i) EXPECT_EQ(bench.wire.sent[i].when - begin, i * 200ms);
  EXPECT_EQ(bench.runtime.now() - begin, 800ms);
  EXPECT_EQ(batch.faults[SmpFault::timeout], 1u);
  EXPECT_EQ(batch.attempts[5], 4u);
  EXPECT_EQ(batch.elapsed[5], 800ms);
}

/// A node that has answered quickly: a lost request is repeated soon, and has its whole time.
TEST(SmpClient, AKnownNodeIsAskedAgainSoon) {
  Bench bench({.timeout = 200ms, .retries = 3});
  RequestBatch first(1, 1, 1);
  ASSERT_TRUE(bench.run(first));
  bench.wire.sent.clear();
  bench.wire.swallow = [](mad::ConstSmpView) { return true; };
  RequestBatch batch(5, 1, 1);
  const mad::TimePoint begin = bench.runtime.now();
  ASSERT_TRUE(bench.run(batch));
  ASSERT_EQ(bench.wire.sent.size(), 4u);
  const mad::Duration after[]{0ms, 35ms, 105ms, 245ms};
  for (unsigned i = 0; i < 4; ++i) EXPECT_EQ(bench.wire.sent[i].when - begin, after[i]);
  EXPECT_EQ(bench.runtime.now() - begin, 800ms);
  EXPECT_EQ(batch.attempts[5], 4u);

  bench.client.forget_silence();
  bench.wire.swallow = {};
  ASSERT_TRUE(bench.run(first = RequestBatch(1, 1, 1)));
  bench.wire.sent.clear();
  bench.wire.latency = 790ms;  // it has become slow
  RequestBatch late(9, 1, 1);
  ASSERT_TRUE(bench.run(late));
  EXPECT_EQ(late.faults[SmpFault::none], 1u);
}

TEST(SmpClient, LongRequestsHaveATimeoutOfTheirOwn) {
  Bench bench({.timeout = 200ms, .retries = 1, .window = 64, .long_timeout = 500ms});
  bench.wire.swallow = [](mad::ConstSmpView) { return true; };
  RequestBatch batch(0, 30, 0);
  batch.is_long = [](std::uint32_t number) { return number % 3 != 1; };
  ASSERT_TRUE(bench.run(batch));
  EXPECT_TRUE(batch.each_once());
  for (const auto& [number, elapsed] : batch.elapsed)
    EXPECT_EQ(elapsed, batch.is_long(number) ? 1000ms : 400ms) << number;
}

TEST(SmpClient, WhileARequestIsLateMoreMayBeInFlight) {
  Bench bench({.timeout = 200ms, .retries = 9, .window = 4, .window_late = 7, .late_after = 600ms});
  bench.wire.swallow = [](mad::ConstSmpView smp) {
    return smp.attribute_modifier() < 4;  // they fill the window until they are late
  };
  RequestBatch batch(0, 50, 0);
  std::size_t most = 0;
  bench.wire.on_send = [&] { most = std::max(most, bench.client.in_flight()); };
  const auto running = bench.runtime.start(bench.exchange(batch));
  bench.runtime.run_for(599ms);
  EXPECT_EQ(most, 4u);
  EXPECT_TRUE(batch.outcomes.empty());
  bench.runtime.run_for(100ms);
  EXPECT_EQ(most, 7u);
  EXPECT_EQ(batch.outcomes.size(), 46u) << "of the others; it is not yet the end of the four";
  ASSERT_TRUE(bench.runtime.run_until([&] { return running->done; }, 1h));
  EXPECT_TRUE(batch.each_once());
  most = 0;
  RequestBatch next(100, 50, 0);
  ASSERT_TRUE(bench.run(next));
  EXPECT_EQ(most, 4u) << "none is late any more";
}

TEST(SmpClient, AResponseToAnEarlierAttemptIsAccepted) {
  Bench bench({.timeout = 200ms, .retries = 3});
  bench.wire.latency = 250ms;  // while the second attempt is in flight
  RequestBatch batch(1, 1, 1);
  ASSERT_TRUE(bench.run(batch));
  EXPECT_EQ(batch.faults[SmpFault::none], 1u);
  EXPECT_EQ(batch.attempts[1], 2u);
  ASSERT_EQ(bench.wire.sent.size(), 2u);
  EXPECT_NE(bench.wire.sent[0].transaction_id, bench.wire.sent[1].transaction_id);
  bench.runtime.run_for(1s);
  EXPECT_EQ(bench.client.statistics().stray, 1u) << "the response to the second attempt";
}

TEST(SmpClient, LateResponsesAreStraysAndMatchNoOtherRequest) {
  Bench bench({.timeout = 100ms, .retries = 0, .window = 1});
  bench.wire.latency = 120ms;  // every response arrives when the next request has its slot
  RequestBatch batch(0, 50, 0);
  ASSERT_TRUE(bench.run(batch));
  bench.runtime.run_for(1s);
  EXPECT_TRUE(batch.each_once());
  EXPECT_EQ(batch.faults[SmpFault::timeout], 50u);
  EXPECT_EQ(bench.client.statistics().stray, 50u);
}

TEST(SmpClient, AlternativeRouteIsUsedFromTheSecondAttempt) {
  Bench bench({.timeout = 10ms, .retries = 3});
  bench.wire.swallow = [](mad::ConstSmpView smp) { return smp.route()->hop_count() == 1; };
  RequestBatch batch(1, 1, 1);
  batch.alternative = mad::DirectedRoute::of({1, 7, 3});
  ASSERT_TRUE(bench.run(batch));
  EXPECT_EQ(batch.faults[SmpFault::none], 1u);
  ASSERT_EQ(bench.wire.sent.size(), 2u);
  EXPECT_EQ(bench.wire.sent[0].route, "0,1");
  EXPECT_EQ(bench.wire.sent[1].route, "0,1,7,3");
  EXPECT_EQ(batch.alternatives_requested, 1u);
}

TEST(SmpClient, WithoutAnotherRouteTheFirstOneIsUsedAgain) {
  Bench bench({.timeout = 10ms, .retries = 2});
  bench.wire.swallow = [](mad::ConstSmpView) { return true; };
  RequestBatch batch(1, 1, 1);
  ASSERT_TRUE(bench.run(batch));
  for (const Wire::Sent& sent : bench.wire.sent) EXPECT_EQ(sent.route, "0,1");
  EXPECT_EQ(batch.alternatives_requested, 1u) << "requested once for each request";
}

TEST(SmpClient, ABatchMayForbidFurtherAttempts) {
  Bench bench({.timeout = 10ms, .retries = 3});
  bench.wire.swallow = [](mad::ConstSmpView) { return true; };
  RequestBatch batch(1, 1, 1);
  batch.repeats_allowed = 1;
  ASSERT_TRUE(bench.run(batch));
  EXPECT_EQ(batch.faults[SmpFault::put_off], 1u);
  EXPECT_EQ(bench.wire.sent.size(), 2u);
}

TEST(SmpClient, TheKernelsTimeoutEndsAnAttemptNearItsDeadlineAndNoOther) {
  Bench bench({.timeout = 200ms, .retries = 1});
  bench.wire.swallow = [](mad::ConstSmpView) { return true; };
  bench.wire.on_send = [&, first = true]() mutable {
    if (!std::exchange(first, false)) return;
    for (const auto after :
         {50ms, 150ms,
          190ms}) {  // too early, in time, and for the first attempt shortly after the second
      mad::MadBytes bytes;
      mad::make_dr_smp(bytes, mad::Method::get, mad::AttributeId::port_info, 1,
                       *mad::DirectedRoute::of({1}), {},
                       (std::uint64_t{0x77} << 32) | bench.wire.sent.front().transaction_id);
      bench.wire.deliver_after(after, bytes, mad::kMadHeaderBytes, ETIMEDOUT);
    }
  };
  RequestBatch batch(1, 1, 1);
  const mad::TimePoint begin = bench.runtime.now();
  ASSERT_TRUE(bench.run(batch));
  ASSERT_EQ(bench.wire.sent.size(), 2u);
  EXPECT_EQ(bench.wire.sent[1].when - begin, 150ms);
  EXPECT_EQ(bench.runtime.now() - begin, 350ms);
  EXPECT_EQ(batch.faults[SmpFault::timeout], 1u);
  EXPECT_EQ(bench.client.statistics().stray, 0u) << "our own returned requests are no responses";
}

TEST(SmpClient, SendErrorsAreRetriedAndReportedInTheOutcome) {
  Bench bench({.timeout = 20ms, .retries = 3});
  bench.wire.refused = 100;
  RequestBatch refused(1, 1, 1);
  ASSERT_TRUE(bench.run(refused));
  EXPECT_EQ(refused.faults[SmpFault::not_sent], 1u);
  EXPECT_EQ(bench.wire.sent.size(), 4u);
  bench.wire.on_send = [&] {
    if (bench.wire.sent.size() == 6) bench.wire.refused = 0;  // its queue accepts MADs again
  };
  RequestBatch later(2, 1, 1);
  ASSERT_TRUE(bench.run(later));
  EXPECT_EQ(later.faults[SmpFault::none], 1u);
}

TEST(SmpClient, ATimeoutAfterSendErrorsIsATimeout) {
  Bench bench({.timeout = 20ms, .retries = 1});
  bench.wire.refused = 100;
  bench.wire.swallow = [](mad::ConstSmpView) { return true; };
  bench.wire.on_send = [&] { bench.wire.refused = bench.wire.sent.size() == 1 ? 100 : 0; };
  RequestBatch batch(1, 1, 1);
  ASSERT_TRUE(bench.run(batch));
  EXPECT_EQ(batch.faults[SmpFault::timeout], 1u) << "the last attempt was sent";
}

TEST(SmpClient, MalformedResponsesAreCountedAndDoNotEndARequest) {
  Bench bench({.timeout = 20ms, .retries = 3});
  bench.wire.cut_short = 100;
  bench.wire.on_send = [&] { bench.wire.cut_short = bench.wire.sent.size() < 3 ? 100 : 0; };
  RequestBatch cut(1, 1, 1);
  ASSERT_TRUE(bench.run(cut));
  EXPECT_EQ(cut.faults[SmpFault::none], 1u);
  EXPECT_EQ(bench.client.statistics().malformed, 2u);
}

TEST(SmpClient, BadStatusIsAnOutcomeWithItsData) {
  Bench bench;
  bench.wire.bad_status = 100;
  RequestBatch batch(1, 1, 1);
  batch.on_done = [](const SmpRequest& request, const SmpReply& reply) {
    EXPECT_EQ(reply.status, 0x000c);
    EXPECT_TRUE(std::ranges::equal(reply.data, answer_to(1)));
    EXPECT_EQ(describe(request, {.fault = reply.fault,
                                 .status = reply.status,
                                 .data = reply.data,
                                 .elapsed = 312ms,
                                 .attempts = 2}),
              "SubnGet(PortInfo, mod 0x1) to 0,1: bad status 0x000c after 2 attempts, 312 ms");
  };
  ASSERT_TRUE(bench.run(batch));
  EXPECT_EQ(batch.faults[SmpFault::bad_status], 1u);
  EXPECT_EQ(bench.wire.sent.size(), 1u) << "a bad status is not retried";
}

TEST(SmpClient, ASilentNodeCostsTwoSeriesOfAttemptsAndDoesNotDelayOthers) {
  Bench bench({.timeout = 200ms, .retries = 3, .window = 8, .per_node = 4});
  bench.wire.swallow = [](mad::ConstSmpView smp) {
    return smp.attribute_modifier() % 4 == 0;
  };  // one node of four
  RequestBatch batch(0, 400, 4);
  std::map<std::uint32_t, mad::Duration> finished;  // by node: the time of its last response
  const mad::TimePoint begin = bench.runtime.now();
  batch.on_done = [&](const SmpRequest& request, const SmpReply&) {
    finished[request.modifier % 4] = bench.runtime.now() - begin;
  };
  ASSERT_TRUE(bench.run(batch));
  EXPECT_TRUE(batch.each_once());
  for (const std::uint32_t node : {1u, 2u, 3u}) EXPECT_LT(finished[node], 100ms) << node;
  EXPECT_GE(finished[0], 1300ms) << "two series, the first attempts at the same time";
  EXPECT_LE(finished[0], 1600ms);
  EXPECT_LE(bench.wire.sent.size(), 300u + 4 + 2 * 3) << "four at first, then one at a time";
  EXPECT_EQ(batch.faults[SmpFault::node_silent], 96u);
  EXPECT_EQ(batch.faults[SmpFault::timeout], 4u) << "those that were sent";

  bench.wire.sent.clear();
  RequestBatch more(1000, 400, 4);
  ASSERT_TRUE(bench.run(more));
  EXPECT_EQ(more.faults[SmpFault::node_silent], 100u);
  EXPECT_EQ(bench.wire.sent.size(), 300u) << "nothing is sent to it in this sweep";

  bench.client.forget_silence();
  bench.wire.swallow = {};
  RequestBatch next(2000, 400, 4);
  ASSERT_TRUE(bench.run(next));
  EXPECT_EQ(next.faults[SmpFault::none], 400u);
}

/// A node need not know an optional attribute: it may ignore it, first or last in its queue.
TEST(SmpClient, AnOptionalAttributeWithoutResponseDelaysRequiredOnesAndPreventsNone) {
  using mad::AttributeId;
  for (const AttributeId optional :
       {AttributeId::adaptive_routing_info, AttributeId::guid_info, AttributeId::sm_info}) {
    for (const bool comes_first : {true, false}) {
      SCOPED_TRACE(fmt::format("{} {}", mad::name(optional), comes_first));
      Bench bench({.timeout = 200ms, .retries = 3, .window = 8, .per_node = 4});
      bench.wire.swallow = [&](mad::ConstSmpView smp) { return smp.attribute_id() == optional; };
      RequestBatch batch(0, 200, 1);
      batch.attribute = [&](std::uint32_t number) {
        return (number < 100) == comes_first ? optional : AttributeId::linear_forwarding_table;
      };
      std::map<AttributeId, std::map<SmpFault, unsigned>> outcomes;
      batch.on_done = [&](const SmpRequest& request, const SmpReply& reply) {
        ++outcomes[request.attribute][reply.fault];
      };
      const mad::TimePoint begin = bench.runtime.now();
      ASSERT_TRUE(bench.run(batch));
      EXPECT_TRUE(batch.each_once());
      EXPECT_EQ(outcomes[AttributeId::linear_forwarding_table][SmpFault::none], 100u);
      EXPECT_EQ(outcomes[optional][SmpFault::none], 0u);
      EXPECT_GE(outcomes[optional][SmpFault::node_silent], 90u) << "those that were not sent";
      EXPECT_LE(bench.runtime.now() - begin, 2s) << "two series of attempts";

      // Silence lasts as long as the attribute has no response, whatever the node answers.
      bench.wire.sent.clear();
      RequestBatch more(1000, 50, 1);
      more.attribute = [&](std::uint32_t) { return optional; };
      ASSERT_TRUE(bench.run(more));
      EXPECT_EQ(more.faults[SmpFault::node_silent], 50u);
      EXPECT_TRUE(bench.wire.sent.empty());
      bench.client.forget_silence();
      bench.wire.swallow = {};
      RequestBatch next(2000, 50, 1);
      next.attribute = more.attribute;
      ASSERT_TRUE(bench.run(next));
      EXPECT_EQ(next.faults[SmpFault::none], 50u);
    }
  }
}

/// A node that hangs is silent for all attributes after the required ones have shown it.
TEST(SmpClient, ANodeThatHangsCostsTwoSeriesForRequiredAttributesAndTwoForEachOptionalOne) {
  using mad::AttributeId;
  Bench bench({.timeout = 200ms, .retries = 3, .window = 8, .per_node = 4});
  bench.wire.swallow = [](mad::ConstSmpView) { return true; };
  RequestBatch batch(0, 300, 1);
  batch.attribute = [](std::uint32_t number) {
    return number % 3 == 0   ? AttributeId::ar_group_table
           : number % 3 == 1 ? AttributeId::virtualization_info
                             : AttributeId::linear_forwarding_table;
  };
  const mad::TimePoint begin = bench.runtime.now();
  ASSERT_TRUE(bench.run(batch));
  EXPECT_TRUE(batch.each_once());
  EXPECT_EQ(batch.faults[SmpFault::none], 0u);
  EXPECT_LE(bench.runtime.now() - begin, 3 * 1600ms);
  EXPECT_LE(bench.wire.sent.size(), 3 * 8u + 4u);
}

TEST(SmpClient, ASilentNodeIsRequestedByAnotherRoute) {
  Bench bench;
  bench.wire.swallow = [](mad::ConstSmpView smp) { return smp.attribute_modifier() < 100; };
  RequestBatch batch(0, 10, 1);
  ASSERT_TRUE(bench.run(batch));
  EXPECT_EQ(batch.faults[SmpFault::none], 0u);
  RequestBatch other(100, 10, 1);
  other.route = *mad::DirectedRoute::of({2, 1});
  ASSERT_TRUE(bench.run(other));
  EXPECT_EQ(other.faults[SmpFault::none], 10u);
  RequestBatch again(200, 10, 1);
  ASSERT_TRUE(bench.run(again));
  EXPECT_EQ(again.faults[SmpFault::none], 10u) << "it answers";
}

TEST(SmpClient, ANodeThatLosesSomeSmpsIsNotSilent) {
  Bench bench({.timeout = 200ms, .retries = 3, .window = 8, .per_node = 4});
  topology::Random dice(3);
  bench.wire.swallow = [&](mad::ConstSmpView) { return dice.percent(36); };
  RequestBatch batch(0, 400, 4);
  ASSERT_TRUE(bench.run(batch));
  EXPECT_TRUE(batch.each_once());
  EXPECT_EQ(batch.faults[SmpFault::node_silent], 0u);
  EXPECT_GE(batch.faults[SmpFault::none], 385u);
}

TEST(SmpClient, ResponsesOfASlowNodeAreAcceptedAlthoughTheyAreLate) {
  Bench bench({.timeout = 200ms, .retries = 3, .window = 8, .per_node = 4});
  bench.wire.latency = 250ms;
  RequestBatch batch(0, 40, 1);
  const mad::TimePoint begin = bench.runtime.now();
  ASSERT_TRUE(bench.run(batch));
  EXPECT_EQ(batch.faults[SmpFault::none], 40u);
  EXPECT_LE(bench.runtime.now() - begin, 10 * 260ms) << "four at a time";
}

/// A CA and a switch: the first request goes to a node that is not known yet, as in discovery.
TEST(SmpClient, NodesThatAnswerLateAreAnsweredAndHardlyAskedTwice) {
  for (const auto latency : {50ms, 199ms, 201ms, 240ms, 260ms, 300ms, 500ms, 790ms}) {
    for (const double loss : {0.0, 0.1, 1.0, 5.0}) {
      Bench bench;
      bench.wire.counts_open = true;
      bench.wire.latency = latency;
      bench.wire.lost_exactly = loss;
      RequestBatch first(0, 1, 1), more(100, 100, 1);
      ASSERT_TRUE(bench.run(first));
      EXPECT_EQ(first.faults[SmpFault::none], 1u) << latency.count();
      const mad::TimePoint begin = bench.runtime.now();
      ASSERT_TRUE(bench.run(more));
      EXPECT_GE(more.faults[SmpFault::none], loss < 5 ? 100u : 99u) << latency.count();
      if (loss > 0) continue;
      EXPECT_EQ(bench.wire.sent.size() - first.attempts[0], 100u)
          << latency.count() << " ms: what is late is not repeated";
      EXPECT_LE(bench.runtime.now() - begin, 25 * latency + 50ms) << "four at a time";
      EXPECT_LE(bench.wire.open_max, 4u + 4u) << "transactions that the kernel keeps";
    }
  }
}

TEST(SmpClient, ANodeThatWasSlowInTheLastSweepHasItsTimeInThis) {
  Bench bench;
  bench.wire.latency = 300ms;
  RequestBatch first(0, 8, 1), second(100, 8, 1);
  ASSERT_TRUE(bench.run(first));
  bench.client.forget_silence();
  const std::size_t sent = bench.wire.sent.size();
  ASSERT_TRUE(bench.run(second));
  EXPECT_EQ(bench.wire.sent.size() - sent, 8u);
}

/// NodeInfo of a node whose GUID is not known says whose time was measured.
TEST(SmpClient, TheTimeOfNodeInfoIsThatOfTheNodeThatItNames) {
  Bench bench;
  bench.wire.latency = 300ms;
  bench.wire.edit = [](mad::SmpView smp) {
    if (smp.attribute_id() != mad::AttributeId::node_info) return;
    mad::NodeInfo info;
    info.set_node_guid(mad::Guid{1});
    smp.set_data(info.bytes());
  };
  SmpRequest request;
  request.route = *mad::DirectedRoute::of({1});
  ASSERT_TRUE(bench.runtime.run(bench.client.ask(request))->ok());
  const std::size_t sent = bench.wire.sent.size();
  RequestBatch batch(0, 4, 1);
  ASSERT_TRUE(bench.run(batch));
  EXPECT_EQ(batch.faults[SmpFault::none], 4u);
  EXPECT_EQ(bench.wire.sent.size() - sent, 4u);
}

TEST(SmpClient, AgentsThatServeOneRequestAfterTheOtherAreKeptBusyAndNotFlooded) {
  for (const auto service_time : {30ms, 60ms, 100ms}) {
    for (const unsigned queue : {8u, 2u}) {
      for (const double loss : {0.0, 0.1, 1.0, 5.0}) {
        Bench bench;
        bench.wire.service_time = service_time;
        bench.wire.queue = queue;
        bench.wire.lost_exactly = loss;
        RequestBatch batch(0, 200, 1);
        const mad::TimePoint begin = bench.runtime.now();
        ASSERT_TRUE(bench.run(batch));
        EXPECT_GE(batch.faults[SmpFault::none], loss < 5 ? 200u : 198u)
            << service_time.count() << " " << queue << " " << loss;
        if (loss > 0) continue;
        EXPECT_LE(bench.runtime.now() - begin, 200 * service_time + 1s)
            << service_time.count() << " " << queue;
        EXPECT_LE(bench.wire.sent.size(), 210u) << service_time.count() << " " << queue;
        EXPECT_LE(bench.wire.drops, queue == 8 ? 0u : 3u);
      }
    }
  }
}

/// A slow node that serves requests at the same time has more of them; one whose responses take
/// times at random has not fewer.
TEST(SmpClient, SlowNodesWithoutAQueueHaveMoreRequestsAtATime) {
  for (const auto latency : {50ms, 300ms}) {
    Bench bench({.per_node_max = 32});
    bench.wire.counts_open = true;
    bench.wire.latency = latency;
    RequestBatch batch(0, 300, 1);
    const mad::TimePoint begin = bench.runtime.now();
    ASSERT_TRUE(bench.run(batch));
    EXPECT_EQ(batch.faults[SmpFault::none], 300u);
    EXPECT_LE(bench.runtime.now() - begin, 16 * latency);
    EXPECT_LE(bench.wire.open_max, 36u);
  }
  // One switch whose latency is that of the way to it.
  Bench near({.per_node_max = 32});
  near.wire.latency = 1ms;
  RequestBatch ports(0, 1000, 1);
  const mad::TimePoint start = near.runtime.now();
  ASSERT_TRUE(near.run(ports));
  EXPECT_LE(near.runtime.now() - start, 1000 * 1ms / 16);

  Bench bench;
  bench.wire.late = 100;  // 0 to 700 ms each
  RequestBatch batch(0, 300, 1);
  const mad::TimePoint begin = bench.runtime.now();
  ASSERT_TRUE(bench.run(batch));
  EXPECT_EQ(batch.faults[SmpFault::none], 300u);
  EXPECT_LE(bench.runtime.now() - begin, 300 * 350ms / 3);
}

TEST(SmpClient, ALateResponseCountsForTheRouteAndTheKeyOfItsAttempt) {
  struct Keys final : mad::MKeySource {
    mad::MKeyCandidates m_keys(mad::Guid) const override {
      mad::MKeyCandidates keys;
      keys.add(mad::MKey{11});
      keys.add(mad::MKey{22});
      return keys;
    }
    void answered(const SmpRequest&, mad::MKey carried, const SmpReply&) override {
      carried_keys.push_back(carried.value);
    }
    std::vector<std::uint64_t> carried_keys;
  } keys;
  Bench bench;
  bench.client.set_m_keys(&keys);
  bench.wire.latency = 300ms;
  bench.wire.swallow = [](mad::ConstSmpView smp) { return smp.route()->hop_count() != 1; };
  RequestBatch batch(1, 1, 1);
  batch.alternative = mad::DirectedRoute::of({1, 7, 3});
  ASSERT_TRUE(bench.run(batch));
  EXPECT_EQ(batch.faults[SmpFault::none], 1u);
  EXPECT_EQ(batch.attempts[1], 2u);
  EXPECT_EQ(batch.routes[1], "0,1") << "the second attempt went by 0,1,7,3";
  EXPECT_EQ(keys.carried_keys, (std::vector<std::uint64_t>{11})) << "the second one carried 22";
}

TEST(SmpClient, SilentNodesDoNotShrinkTheWindowOfOthersAndLeaveIt) {
  Bench bench({.window_max = 40});
  bench.wire.latency = 1ms;
  bench.wire.swallow = [](mad::ConstSmpView smp) { return smp.attribute_modifier() % 10 == 0; };
  RequestBatch batch(0, 4000, 0);
  const mad::TimePoint begin = bench.runtime.now();
  mad::TimePoint last_answer = begin;
  batch.on_done = [&](const SmpRequest&, const SmpReply& reply) {
    if (reply.ok()) last_answer = bench.runtime.now();
  };
  ASSERT_TRUE(bench.run(batch));
  EXPECT_TRUE(batch.each_once());
  EXPECT_EQ(bench.client.window(), 40u);
  EXPECT_EQ(batch.faults[SmpFault::timeout], 400u);
  EXPECT_LE(last_answer - begin, 400 * 200ms / 30) << "each takes a place for one timeout";
}

TEST(SmpClient, TransactionIdsAreFreeWhenTheyAreUsedAgain) {
  Bench bench({.timeout = 100ms, .retries = 20}, 1, 4096);  // so that all are repeated
  bench.wire.swallow = [](mad::ConstSmpView) { return true; };
  RequestBatch batch(0, 40, 0);
  ASSERT_TRUE(bench.run(batch));  // the wire refuses ids that are open
  EXPECT_EQ(batch.faults[SmpFault::timeout], 40u);
  EXPECT_EQ(bench.wire.sent.size(), 40u * 21);
}

TEST(SmpClient, AResponseAboutAnotherModifierIsAFailedAttempt) {
  for (const mad::Method method : {mad::Method::get, mad::Method::set}) {
    Bench bench;
    bench.wire.edit = [&, wrong = 2](mad::SmpView smp) mutable {
      if (wrong-- > 0) smp.set_attribute_modifier(smp.attribute_modifier() + 70);
    };
    RequestBatch batch(1, 1, 1);
    batch.method = method;
    const mad::TimePoint begin = bench.runtime.now();
    ASSERT_TRUE(bench.run(batch));
    EXPECT_EQ(batch.faults[SmpFault::none], 1u);
    EXPECT_EQ(batch.attempts[1], 3u);
    EXPECT_LT(bench.runtime.now() - begin, 10ms) << "repeated at once";
    EXPECT_EQ(bench.client.statistics().malformed, 2u);
    const std::vector<std::uint32_t> where(method == mad::Method::set ? 2 : 0, 71u);
    EXPECT_EQ(batch.misplaced_at[1], where);
  }
}

TEST(SmpClient, ANodeThatAnswersAboutOtherModifiersIsNotSilent) {
  Bench bench;
  bench.wire.edit = [](mad::SmpView smp) {
    if (smp.attribute_modifier() < 5) smp.set_attribute_modifier(smp.attribute_modifier() + 70);
  };
  RequestBatch batch(0, 20, 1);
  ASSERT_TRUE(bench.run(batch));
  EXPECT_EQ(batch.faults[SmpFault::timeout], 5u);
  EXPECT_EQ(batch.faults[SmpFault::none], 15u);
}

TEST(SmpClient, TheNumberOfParkedRequestsIsBounded) {
  Bench bench({.window = 64, .per_node = 1});
  RequestBatch batch(0, 50'000, 1);
  std::uint32_t ahead = 0;
  batch.on_done = [&, finished = 0u](const SmpRequest&, const SmpReply&) mutable {
    ahead = std::max(ahead, batch.taken - ++finished);
  };
  bench.wire.latency = 1us;
  ASSERT_TRUE(bench.run(batch));
  EXPECT_TRUE(batch.each_once());
  EXPECT_LE(ahead, 8192u + 64u);
  EXPECT_TRUE(std::ranges::is_sorted(batch.order)) << "in order of the batch";
}

TEST(SmpClient, ConcurrentBatchesShareTheWindow) {
  Bench bench({.window = 10});
  std::vector<std::unique_ptr<RequestBatch>> batches;
  std::vector<std::shared_ptr<VirtualRuntime::Outcome<bool>>> ends;
  std::vector<std::uint32_t> finished;
  for (std::uint32_t i = 0; i < 4; ++i) {
    batches.push_back(std::make_unique<RequestBatch>(i * 100'000, i == 0 ? 2000 : 100, 5));
    batches.back()->on_done = [&, i](const SmpRequest&, const SmpReply&) {
      if (batches[i]->each_once()) finished.push_back(i);
    };
  }
  for (const auto& batch : batches) ends.push_back(bench.runtime.start(bench.exchange(*batch)));
  ASSERT_TRUE(bench.runtime.run_until(
      [&] { return std::ranges::all_of(ends, [](const auto& end) { return end->done; }); }, 1h));
  for (const auto& batch : batches) EXPECT_TRUE(batch->each_once());
  EXPECT_EQ(finished.size(), 4u);
  EXPECT_EQ(finished.back(), 0u) << "small batches do not wait for an earlier large one";
  EXPECT_LE(bench.client.statistics().in_flight_max, 10u);
}

TEST(SmpClient, ABatchMayAddRequestsInItsLastOutcome) {
  Bench bench({.window = 1});
  RequestBatch batch(0, 1, 3);
  batch.on_done = [&](const SmpRequest&, const SmpReply&) {
    if (batch.taken < 100) batch.add_requests(1);
  };
  ASSERT_TRUE(bench.run(batch));
  EXPECT_TRUE(batch.each_once());
  EXPECT_EQ(batch.taken, 100u);
  RequestBatch nothing(0, 0, 0);
  EXPECT_TRUE(bench.run(nothing, 1s)) << "an empty batch ends at once";
}

TEST(SmpClient, AskSendsOneRequest) {
  Bench bench;
  SmpRequest request;
  request.attribute = mad::AttributeId::sm_info;
  request.modifier = 9;
  auto answer = bench.runtime.run(bench.client.ask(request));
  ASSERT_TRUE(answer && answer->ok());
  EXPECT_EQ(answer->data, answer_to(9));
  bench.wire.swallow = [](mad::ConstSmpView) { return true; };
  answer = bench.runtime.run(bench.client.ask(request));
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->fault, SmpFault::timeout);
}

/// Admits as many Sets as the test says, then says what becomes of the others.
struct Guard final : mad::SetGuard {
  unsigned admitted = 0;
  Verdict then = Verdict::hold;
  Verdict verdict() override {
    if (admitted == 0) return then;
    --admitted;
    return Verdict::send;
  }
};

TEST(SmpClient, SetsWaitForTheGuardAndGetsDoNot) {
  for (const unsigned window : {1u, 16u, 0u}) {
    Bench bench({.window = window});
    bench.wire.lost = 10;
    Guard guard;
    guard.admitted = 50;
    bench.client.set_guard(&guard);
    RequestBatch sets(0, 200, 20), gets(1000, 200, 0);
    sets.method = mad::Method::set;
    const auto set_end = bench.runtime.start(bench.exchange(sets));
    bench.runtime.run_for(20s);
    const auto sent = [&] {
      return std::ranges::count_if(bench.wire.sent,
                                   [](const Wire::Sent& each) { return each.modifier < 1000; });
    };
    EXPECT_EQ(sent(), 50);
    EXPECT_FALSE(set_end->done);
    ASSERT_TRUE(bench.run(gets)) << window;
    EXPECT_EQ(sent(), 50);

    guard.admitted = 20;
    bench.client.release_held();
    bench.runtime.run_for(20s);
    EXPECT_EQ(sent(), 70);
    guard.admitted = 10'000;
    bench.client.release_held();
    bench.runtime.run_until([&] { return set_end->done; }, 1h);
    EXPECT_TRUE(sets.each_once());
    EXPECT_EQ(sets.faults[SmpFault::withheld], 0u);
    EXPECT_EQ(bench.client.in_flight(), 0u);
  }
}

TEST(SmpClient, SetsThatTheGuardRefusesFailAtOnceAndAreNotSent) {
  Bench bench;
  Guard guard;
  guard.admitted = 5;
  guard.then = mad::SetGuard::Verdict::refuse;
  bench.client.set_guard(&guard);
  RequestBatch sets(0, 20'000, 20);
  sets.method = mad::Method::set;
  const mad::TimePoint begin = bench.runtime.now();
  ASSERT_TRUE(bench.run(sets));
  EXPECT_LT(bench.runtime.now() - begin, 100ms);
  EXPECT_TRUE(sets.each_once());
  EXPECT_EQ(sets.faults[SmpFault::withheld], 20'000u - 5u);
  EXPECT_EQ(bench.wire.sent.size(), 5u);
  EXPECT_EQ(bench.client.in_flight(), 0u);
}

TEST(SmpClient, BatchesThatOutliveTheClientGetNoOutcomeAndLeakNothing) {
  VirtualRuntime runtime;
  Wire wire(runtime, 1, mad::PortBudget::kLimit);
  RequestBatch batch(0, 100, 3);
  {
    mad::SmpClient client(runtime, wire, {});
    wire.swallow = [](mad::ConstSmpView) { return true; };
    const auto exchange = [&](mad::SmpBatch& work) -> boost::asio::awaitable<bool> {
      co_await client.exchange(work);
      co_return true;
    };
    runtime.start(exchange(batch));
    runtime.run_for(1ms);
  }
  runtime.run_for(10s);
  EXPECT_TRUE(batch.outcomes.empty());
}

TEST(WakeUp, SignalsAreKeptOnceAndDeadlinesHold) {
  VirtualRuntime runtime;
  mad::WakeUp wake(runtime);
  const auto wait = [&](mad::Duration time) -> boost::asio::awaitable<bool> {
    co_return co_await wake.wait_until(runtime.now() + time);
  };
  wake.signal();
  wake.signal();
  EXPECT_EQ(runtime.run(wait(1s)), true) << "an earlier signal";
  const mad::TimePoint begin = runtime.now();
  EXPECT_EQ(runtime.run(wait(1s)), false) << "kept once, not twice";
  EXPECT_EQ(runtime.now() - begin, 1s);
  runtime.after(300ms, [&] { wake.signal(); });
  EXPECT_EQ(runtime.run(wait(1s)), true);
  EXPECT_EQ(runtime.now() - begin, 1300ms);
  EXPECT_EQ(runtime.run(wait(-1s)), false)
      << "a deadline in the past expires in the next iteration";
}

TEST(PseudorandomOrder, NoNumberRepeatsAndEachRuntimeHasItsOwnOrder) {
  sim::VirtualRuntime runtime;
  const mad::PseudorandomOrder order(runtime, 17), other(runtime, 17);
  std::vector<bool> seen(1u << 17);
  std::size_t same = 0, successors = 0;
  for (std::uint32_t place = 0; place < seen.size(); ++place) {
    ASSERT_FALSE(seen[order.at(place)]) << place;
    seen[order.at(place)] = true;
    same += order.at(place) == other.at(place);
    successors += order.at(place + 1) == order.at(place) + 1;
  }
  EXPECT_LT(same, 100u);
  EXPECT_LT(successors, 100u);
}

}  // namespace smp_client_test
