#pragma once
// Transactions with the agents on queue pair 1 (GMPs): few at a time, paced, each with exactly one
// outcome. The client serves management classes whose data is the last 192 bytes of a MAD:
// performance management and congestion control.

#include <array>
#include <boost/asio/awaitable.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <unordered_map>

#include "mad/attributes/performance.h"
#include "mad/rate_limit.h"
#include "mad/round_trip.h"
#include "mad/runtime.h"
#include "mad/transaction_table.h"
#include "mad/transport.h"

namespace mad {

using GmpData = std::array<std::uint8_t, kGmpDataBytes>;

/// One Get or Set. A value that holds no references.
struct GmpRequest {
  Method method = Method::get;
  MgmtClass mgmt_class = MgmtClass::performance;
  std::uint8_t class_version = kPerformanceClassVersion;
  std::uint16_t attribute = 0;
  std::uint32_t modifier = 0;
  std::uint64_t key = 0;  // of bytes 24 to 31, where the class has one: the CC_Key
  MadAddress to;          // with QPN and Q_Key
  std::uint8_t lmc = 0;   // the response may come from any of the 2^LMC LIDs from the base LID on
  std::uint64_t cookie = 0;                            // for the batch's use
  std::uint8_t data_byte = kMadBytes - kGmpDataBytes;  // where `data` begins in the MAD
  GmpData data{};
};

enum class GmpFault : std::uint8_t {
  none,        // GetResp with status 0
  redirected,  // the response is a ClassPortInfo that names another agent (IBTA Vol 1, 13.5.2)
  bad_status,  // GetResp with another status (IBTA Vol 1, 13.4.7)
  timeout,     // no valid response to any attempt
  not_sent,    // the local port refused to send the last attempt; or abandon()
};
std::string_view name(GmpFault fault);

/// The outcome of a request. `data`, the last 192 bytes, and `mad`, the complete response, are
/// valid during the call; both are zero if there was no response.
struct GmpReply {
  GmpFault fault = GmpFault::none;
  std::uint16_t status = 0;
  std::span<const std::uint8_t, kGmpDataBytes> data;
  std::span<const std::uint8_t, kMadBytes> mad;
  unsigned attempts = 0;
};

/// A source of requests and the sink of their outcomes. The client's loop calls both functions and
/// never re-enters them.
class GmpBatch {
 public:
  virtual ~GmpBatch() = default;
  /// Fills `request` and returns true, or returns false if there is no request now (more may follow
  /// after a done()).
  virtual bool next(GmpRequest& request) = 0;
  virtual void done(const GmpRequest& request, const GmpReply& reply) = 0;
};

struct GmpLimits {
  // Bounds one attempt. If a LID's responses were late, an attempt has as much time as they take
  // (RoundTrip::timeout), up to `timeout` * (retries + 2).
  Duration timeout = std::chrono::milliseconds(200);
  unsigned retries = 3;
  // Requests without an outcome at a time, 1..GmpClient::kWindowMax, as far as the port's budget
  // admits them.
  unsigned window = 100;
  /// Limits new requests per second, in bursts of 1/40 of that; 0 means no limit but the window.
  unsigned per_second = 0;
};

struct GmpStatistics {
  std::uint64_t sent = 0, repeated = 0, answered = 0, timed_out = 0;
  std::uint64_t stray = 0;      // responses that match no request in flight: late or forged
  std::uint64_t malformed = 0;  // responses from another LID, of another attribute or class
  std::uint64_t in_flight_max = 0;
};

/// Runs GMP transactions, on the runtime's executor only. A response to any attempt ends the
/// request, however late. If an agent responds BUSY, the client queries it again after the timeout.
class GmpClient {
 public:
  static constexpr unsigned kWindowMax = 4096;

  GmpClient(Runtime& runtime, MadTransport& transport, GmpLimits limits = {});
  GmpClient(const GmpClient&) = delete;
  GmpClient& operator=(const GmpClient&) = delete;

  /// Runs a batch until next() returns false and every request has its outcome. One batch runs at a
  /// time, and must outlive the coroutine.
  boost::asio::awaitable<void> exchange(GmpBatch& batch);
  /// Handles a response (R bit set), or a request of this client that the transport returns as
  /// unanswered. Returns false if it belongs to no request in flight.
  bool on_mad(const ReceivedMad& received);
  /// Fails the requests in flight at once with not_sent, and calls the batch's next() no more.
  void abandon();
  void set_limits(const GmpLimits& limits);
  const GmpStatistics& statistics() const { return statistics_; }
  std::size_t in_flight() const { return in_flight_; }

 private:
  struct Slot : Transaction {
    GmpRequest request;
    bool refused = false;           // the latest attempt did not leave the port
    std::uint16_t busy_status = 0;  // of the latest response that said BUSY
  };

  bool has_room() const;
  void pump();
  void start(const GmpRequest& request);
  void transmit(std::uint32_t index);
  Duration timeout_for(const GmpRequest& request) const;
  void measure(const Slot& slot, unsigned attempt);
  void attempt_failed(std::uint32_t index);
  void finish(std::uint32_t index, GmpFault fault, std::uint16_t status, ConstMadView response);
  void on_deadline();
  void arm();

  Runtime& runtime_;
  MadTransport& transport_;
  TransactionTable<Slot> slots_;
  GmpLimits limits_;
  RateLimit rate_;
  GmpStatistics statistics_;
  std::unordered_map<std::uint16_t, RoundTrip>
      slow_;  // by LID: agents that take longer than a quarter of the timeout
  std::size_t in_flight_ = 0;
  GmpBatch* batch_ = nullptr;
  std::function<void()> on_finished_;
  std::unique_ptr<Timer> timer_;
  TimePoint armed_for_ = TimePoint::max();
  bool pumping_ = false, abandoned_ = false;
};

}  // namespace mad
