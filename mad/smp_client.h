#pragma once
// SMP transactions: many requests in flight, each with exactly one outcome.

#include <algorithm>
#include <array>
#include <boost/asio/awaitable.hpp>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "mad/attribute.h"
#include "mad/directed_route.h"
#include "mad/rate_limit.h"
#include "mad/round_trip.h"
#include "mad/runtime.h"
#include "mad/smp.h"
#include "mad/smp_window.h"
#include "mad/transaction_table.h"
#include "mad/transport.h"

namespace mad {

using SmpData = std::array<std::uint8_t, 64>;

/// One SubnGet or SubnSet by directed route. A value that holds no references.
struct SmpRequest {
  Method method = Method::get;
  AttributeId attribute = AttributeId::node_info;
  std::uint32_t modifier = 0;
  DirectedRoute route;
  Guid node = {};  // NodeGUID: requests to one node share its cap, and its silence; 0: not known
  Guid port = {};  // PortGUID of the port by which it enters the node (of a switch: that of port
                   // 0), whose M_Key it carries; 0: not known
  bool is_of_entry = false;  // queries PortInfo of `port` (CA or router) by its number
  /// The first attempt carries this one of the port's M_Keys, further attempts the next ones.
  std::uint8_t first_key = 0;
  bool is_long = false;  // waits for SmpLimits::long_timeout, and is not repeated sooner
  /// A response is unlikely: the client makes one attempt with each M_Key, outside of the window.
  bool is_probe = false;
  /// The last attempt of a probe waits as long as a whole request, while SmpBatch::may_send().
  bool waits_full_time = false;
  std::uint64_t cookie = 0;  // for the batch's use
  SmpData data{};            // the attribute of a Set
};

enum class SmpFault : std::uint8_t {
  none,         // GetResp with status 0
  timeout,      // no response to any attempt: the node has disappeared, hangs, or has another M_Key
  bad_status,   // GetResp with another status (IBTA Vol 1, 13.4.7)
  not_sent,     // no response, and the local port refused to send the last attempt; or abandon()
  node_silent,  // not sent (again): others to the node by the same route had no response, or others
                // with the same optional attribute
  withheld,     // a Set that was not sent: SetGuard
  put_off,      // not sent (again): SmpBatch::may_send()
};

/// The outcome of a request. `data` is the attribute of the response: 64 bytes, valid during the
/// call, zeroes unless fault is none or bad_status.
struct SmpReply {
  SmpFault fault = SmpFault::none;
  std::uint16_t status = 0;
  std::span<const std::uint8_t, 64> data;
  Duration elapsed{};
  unsigned attempts = 0;

  bool ok() const { return fault == SmpFault::none; }
};

/// An outcome that owns its data.
struct SmpAnswer {
  SmpFault fault = SmpFault::none;
  std::uint16_t status = 0;
  SmpData data{};

  bool ok() const { return fault == SmpFault::none; }
};

std::string_view name(SmpFault fault);
/// Returns "SubnGet(PortInfo, mod 7) to 0,1,4: timeout after 4 attempts, 800 ms".
std::string describe(const SmpRequest& request, const SmpReply& reply);

/// Lists the M_Keys that a port may have, the likeliest first. The attempts of a request carry them
/// in turn, since a port does not answer a wrong one (IBTA Vol 1, 14.2.4).
class MKeyCandidates {
 public:
  static constexpr std::size_t kMax = 6;

  /// Adds the key, unless it is present or there are kMax keys.
  void add(MKey key) {
    const auto end = keys_.begin() + static_cast<std::ptrdiff_t>(count_);
    if (count_ < kMax && std::find(keys_.begin(), end, key) == end) keys_[count_++] = key;
  }
  std::span<const MKey> keys() const { return std::span(keys_).first(count_); }
  /// Returns the key of the n-th attempt, counted from 0; 0 if there are no keys.
  MKey of_attempt(unsigned attempt) const { return count_ == 0 ? MKey{} : keys_[attempt % count_]; }

 private:
  std::array<MKey, kMax> keys_{};
  std::size_t count_ = 0;
};

/// Knows the M_Keys of ports.
class MKeySource {
 public:
  virtual ~MKeySource() = default;
  /// Returns the M_Keys of the port with this PortGUID; 0 stands for a port that is not known.
  virtual MKeyCandidates m_keys(Guid port) const = 0;
  /// Returns the M_Keys that this request carries.
  virtual MKeyCandidates m_keys_of(const SmpRequest& request) const { return m_keys(request.port); }
  /// Notes that a port answered a request with this key. Called before the batch's done().
  virtual void answered(const SmpRequest& request, MKey carried, const SmpReply& reply) = 0;
};

/// Decides before each attempt of a Set whether it may be sent now. The client sends Set(SMInfo),
/// by which managers agree on the master, in any case.
class SetGuard {
 public:
  enum class Verdict : std::uint8_t {
    send,
    hold,    // until SmpClient::release_held()
    refuse,  // it fails with SmpFault::withheld
  };
  virtual ~SetGuard() = default;
  virtual Verdict verdict() = 0;
};

/// A source of requests and the sink of their outcomes. The client's loop calls both functions and
/// never re-enters them: new requests after a done() are returned by the following next().
class SmpBatch {
 public:
  virtual ~SmpBatch() = default;
  /// Fills `request` and returns true, or returns false if there is no request now (more may follow
  /// after a done()).
  virtual bool next(SmpRequest& request) = 0;
  virtual void done(const SmpRequest& request, const SmpReply& reply) = 0;
  /// Returns another route to the same node, for the second attempt and further ones.
  virtual std::optional<DirectedRoute> alternative_route(const SmpRequest&) { return std::nullopt; }
  /// The client calls this before each attempt, except for one directly after next(). If it returns
  /// false, the request ends with SmpFault::put_off.
  virtual bool may_send(const SmpRequest&) { return true; }
  /// Notes that the response to this Set names another modifier, where the node may have written
  /// the data. Called before done(), which follows when another attempt has its outcome.
  virtual void misplaced(const SmpRequest&, std::uint32_t /*modifier*/) {}
};

struct SmpLimits {
  // Bounds one attempt, if nothing is known of the node. Else the first attempt has the time that
  // the node's responses take (RoundTrip::timeout), at least 35 ms, at most `timeout` * (retries +
  // 2); if nothing is known of the node, twice the time that responses of all nodes take, at most
  // `timeout`. Further attempts have twice as long each, while that is less than `timeout`; the
  // last one has the rest of `timeout` * (retries + 1). Where many requests are lost (LossShare),
  // the first attempt has at least 10 ms, and up to 8 fit into that time.
  Duration timeout = std::chrono::milliseconds(200);
  unsigned retries = 3;
  // Limits SMPs in flight over all nodes. 0 means adaptive (SmpWindow): the window then does not
  // count requests that had no response within a timeout. In any case the port's budget counts
  // all requests that were sent and have no outcome.
  unsigned window = 0;
  unsigned window_max = 96;         // upper limit of the adaptive window
  unsigned window_slow_max = 1024;  // its limit if responses take long
  // Limits SMPs in flight to one node: fewer if a slow agent has a queue, up to `per_node_max` if
  // it has none (AgentPace).
  unsigned per_node = 4, per_node_max = 0;
  Duration long_timeout = std::chrono::milliseconds(500);  // not below `timeout`
  // Limits SMPs in flight while a request has had no response for `late_after`, noticed at a
  // deadline: slow nodes then do not keep others waiting. 0 means the usual limit.
  unsigned window_late = 0;
  Duration late_after = std::chrono::milliseconds(600);
  // Limits new requests per second, in bursts of 1/40 of that; 0 means no limit but the window.
  unsigned per_second = 0;
};

struct SmpCounters {
  std::uint64_t sent = 0, answered = 0, retried = 0, timed_out = 0, bad_status = 0;
};

/// Counts SMPs per attribute and method since the start. Attributes outside 0x10..0x3F share one
/// counter.
class SmpStatistics {
 public:
  SmpCounters& at(Method method, AttributeId attribute) { return rows_[index(method, attribute)]; }
  const SmpCounters& at(Method method, AttributeId attribute) const {
    return rows_[index(method, attribute)];
  }
  SmpCounters total(Method method) const;
  std::uint64_t stray = 0;  // responses that match no request in flight: late, duplicated or forged
  std::uint64_t malformed = 0;  // too short, or about another attribute or modifier than requested
  std::uint64_t lost = 0;       // as responses to repetitions prove
  std::uint64_t in_flight_max = 0;

 private:
  static std::size_t index(Method method, AttributeId attribute);
  std::array<SmpCounters, std::size_t{2} * 49> rows_{};
};

/// Runs SMP transactions. Single-threaded: everything runs on the runtime's executor.
///
/// A node that stops answering costs kSilentAttempts timeouts, however many requests there are for
/// it. When an attempt has no response, and the node has sent none since, the client repeats only
/// one of its requests. The others wait for that request's outcome. When requests with
/// kSilentAttempts attempts (four times as many where many are lost) were given up since the node's
/// latest response, all others by the same route fail at once, until forget_silence(). Requests for
/// an optional attribute (is_optional()) count for that attribute only: a node may ignore it, and
/// answer all that it must.
///
/// A response to any attempt ends the request, however late. The client measures the time to each
/// response; it does not repeat a request while the node answers requests that were sent before.
class SmpClient {
 public:
  static constexpr unsigned kSilentAttempts = 8;

  SmpClient(Runtime& runtime, MadTransport& transport, SmpLimits limits);
  TimePoint now() const { return runtime_.now(); }
  ~SmpClient();
  SmpClient(const SmpClient&) = delete;
  SmpClient& operator=(const SmpClient&) = delete;

  /// Runs a batch until next() returns false and every request has its outcome. Batches may run
  /// concurrently and share the window. The batch must outlive the coroutine.
  boost::asio::awaitable<void> exchange(SmpBatch& batch);
  /// Runs a single request.
  boost::asio::awaitable<SmpAnswer> ask(SmpRequest request);

  /// Handles a response (R bit set), or a request of this client that the transport returns as
  /// unanswered. Returns false if it belongs to no request in flight.
  bool on_mad(const ReceivedMad& mad);
  /// Fails all requests, present and future, at once with not_sent, so that their callers end.
  void abandon();

  void set_limits(const SmpLimits& limits);
  /// `source` is not owned. Null means that all requests carry M_Key 0.
  void set_m_keys(MKeySource* source) { m_keys_ = source; }
  /// `guard` is not owned. Null means that all Sets are sent.
  void set_guard(SetGuard* guard) { guard_ = guard; }
  /// Queries the guard again for each Set that it held.
  void release_held();
  /// Lets nodes that did not answer in the previous sweep get requests again, in a new sweep.
  void forget_silence();
  const SmpStatistics& statistics() const { return statistics_; }
  unsigned window() const { return window_.size(); }
  std::size_t in_flight() const { return in_flight_; }
  /// Counts the requests in flight that belong to the adaptive window.
  std::size_t in_window() const { return in_flight_ - overdue_; }

 private:
  struct Running {
    SmpBatch* batch;
    std::size_t outstanding = 0;  // in flight, held or parked
    std::size_t held = 0;         // while above 0, no further request of this batch is sent
    bool finished = false;
    std::function<void()> on_finished;
  };
  static constexpr std::uint32_t kNone = Transaction::kNone;
  struct Silence {  // of a node about an optional attribute
    AttributeId attribute;
    unsigned given_up = 0;  // attempts since the latest response to such a request
    DirectedRoute route{};  // of the latest such request
  };
  struct NodeState {
    std::uint32_t first_parked = kNone, last_parked = kNone;
    std::vector<std::uint32_t> waiting;  // slots that wait for the outcome of a repeated one, in
                                         // order; few, and mostly none
    unsigned in_flight = 0;              // including requests in ready_
    unsigned given_up = 0;  // attempts of requests that were given up since the latest response
    DirectedRoute silent_route;                    // the latest such request's route
    std::vector<Silence> silences;                 // few, and mostly none
    TimePoint heard = TimePoint::min();            // the latest response
    TimePoint newest_answered = TimePoint::min();  // send time of the newest answered attempt
    AgentPace pace;
    bool is_idle() const { return in_flight == 0 && first_parked == kNone && waiting.empty(); }
  };
  enum class SlotState : std::uint8_t {
    free,
    in_flight,
    waiting,  // sent, had no response, and is repeated when the node has answered another request
    ready,    // to be repeated as soon as the window admits it
    held,     // SetGuard; in no window until it is released
  };
  struct Slot : Transaction {  // one request that was sent
    SmpRequest request;
    MKeyCandidates keys;
    Running* owner = nullptr;
    NodeState* node = nullptr;  // null: not known which
    TimePoint first_sent{}, sent{};
    TimePoint limit{};                         // the latest attempt may be late until then
    Duration timeout{};                        // of one attempt
    std::optional<DirectedRoute> first_route;  // of attempts before `rerouted_from`, if it differs
    unsigned rerouted_from = 0;
    SlotState state = SlotState::free;
    bool rerouted = false;
    bool refused = false;  // the last attempt did not leave the port
    bool late = false;     // as of SmpLimits::late_after
    bool overdue = false;  // has had no response within a timeout
    unsigned counted = 0;  // attempts in the port's budget, at least one from the first on
  };
  struct Parked {  // a request whose node is at its cap
    SmpRequest request;
    Running* owner;
    NodeState* node;
    std::uint32_t next;
  };
  struct WaitingProbe {  // for others to end
    SmpRequest request;
    Running* owner;
  };
  struct Ready {  // a request whose node is below its cap again
    std::uint32_t index;
    bool parked;                   // else a slot
    std::uint32_t generation = 0;  // of the slot, whose request may have been answered since
  };

  void pump();
  bool pull(Running& running);
  void start(const SmpRequest& request, Running& owner, NodeState* node);
  void repeat(std::uint32_t index);
  void transmit(std::uint32_t index);
  unsigned retries_of(const Slot& slot) const;
  unsigned retries() const;
  unsigned attempts_left(const Slot& slot) const;
  Duration usual_timeout(const SmpRequest& request) const;
  TimePoint request_deadline(const Slot& slot) const;
  Duration timeout_for(const Slot& slot) const;
  Duration open_time(const Slot& slot) const;
  void enter_flight(const Slot& slot);
  void leave_flight(const Slot& slot);
  void leave_budget(Slot& slot);
  SetGuard::Verdict verdict_on(const SmpRequest& request) const;
  void measure(Slot& slot, unsigned attempt, ConstSmpView smp);
  void answered(std::uint32_t index, unsigned attempt, ConstSmpView smp);
  void answered_elsewhere(std::uint32_t index, bool latest, std::uint32_t modifier);
  TimePoint late_deadline(const Slot& slot) const;
  void deadline_passed(std::uint32_t index);
  void attempt_failed(std::uint32_t index);
  void finish(std::uint32_t index, SmpFault fault, std::uint16_t status,
              std::span<const std::uint8_t, 64> data);
  void park(const SmpRequest& request, Running& owner, NodeState& node);
  void start_ready(const Ready& ready);
  std::uint32_t take_parked(NodeState& node);
  void release(NodeState& node);
  void fail_all(NodeState& node);
  void fail_parked(NodeState& node, SmpFault fault);
  void fail(const SmpRequest& request, Running& owner, SmpFault fault = SmpFault::node_silent);
  bool window_open() const;
  bool rate_admits();
  unsigned cap(const NodeState& node) const;
  AgentLimits agent_limits() const { return {limits_.per_node, limits_.per_node_max}; }
  unsigned silent_attempts() const;
  bool is_silent(const NodeState& node, const DirectedRoute& route) const;
  bool is_silent(const NodeState& node, const SmpRequest& request) const;
  static void note_outcome(NodeState& node, const Slot& slot, bool answered);
  unsigned probes_max() const;
  void start_probe();
  void retire_finished();
  void on_deadline();
  void arm();

  Runtime& runtime_;
  MadTransport& transport_;
  MKeySource* m_keys_ = nullptr;
  SetGuard* guard_ = nullptr;
  std::vector<std::uint32_t> held_;  // slots
  TransactionTable<Slot> slots_;
  SmpLimits limits_;
  RateLimit rate_;  // SmpLimits::per_second
  SmpStatistics statistics_;
  std::vector<Parked> parked_;
  std::vector<std::uint32_t> free_parked_;
  std::size_t parked_count_ = 0;
  std::deque<Ready> ready_;
  std::deque<WaitingProbe> waiting_probes_;    // counted in parked_count_, too
  std::size_t probes_ = 0;                     // sent, without an outcome
  std::unordered_map<Guid, NodeState> nodes_;  // since forget_silence(), and slow ones
  std::vector<std::unique_ptr<Running>> running_;
  std::size_t next_batch_ = 0;
  std::size_t in_flight_ = 0;
  std::size_t late_ = 0;                          // requests with Slot::late
  std::size_t overdue_ = 0;                       // in flight, with Slot::overdue
  TimePoint newest_answered_ = TimePoint::min();  // send time of the newest answered attempt
  RoundTrip round_trip_;                          // of all nodes
  LossShare losses_;
  std::unique_ptr<Timer> timer_;
  TimePoint armed_for_ = TimePoint::max();
  SmpWindow window_;
  bool pumping_ = false;
  bool abandoned_ = false;
};

}  // namespace mad
