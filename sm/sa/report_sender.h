#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <unordered_map>
#include <vector>

#include "mad/ids.h"
#include "mad/round_trip.h"
#include "mad/runtime.h"
#include "mad/transport.h"
#include "sm/sa/port_share.h"
#include "sm/sa/query/client.h"
#include "sm/sa/statistics.h"

namespace sa {

/// A Notice in subnet administration's report: the 64 bytes of the attribute, then the IssuerGID
/// (IBTA Vol 1, 13.4.8.2).
using ReportedNotice = std::array<std::uint8_t, 80>;

/// Sends Report(Notice) to subscribers, and repeats each until it is acknowledged or its retries
/// are used up. A late acknowledgement of any attempt counts. Each port has its share of the queue
/// and of the reports in flight; a report that does not fit in the queue is dropped and counted.
/// Subscribers that are late with an acknowledgement have one report in flight, and few together,
/// so that others do not wait for them. The rate is bounded, too, since each report takes as much
/// time of the thread as the answer to a request.
class ReportSender {
 public:
  struct Limits {
    ShareLimits waiting{
        .total = 65536, .per_port = 16384, .per_vport = 4096, .reserved = 32768, .few = 256};
    ShareLimits in_flight{.total = 64, .per_port = 4, .per_vport = 2, .reserved = 32};
    /// Limits the reports in flight to subscribers that are late: to less than what the port's
    /// budget leaves to reports in any case.
    std::size_t late = 8;
    // Bounds one attempt. If a LID's acknowledgements were late, an attempt has as much time as
    // they take (mad::RoundTrip::timeout), up to `timeout` * (retries + 2).
    mad::Duration timeout = std::chrono::milliseconds(500);
    unsigned retries = 3;                                     // up to kAttemptsMax - 1
    mad::Duration interval = std::chrono::microseconds(100);  // between two reports, on average
    unsigned burst = 256;  // reports that are sent at once after a pause
  };
  static constexpr unsigned kAttemptsMax = 8;
  enum class End : std::uint8_t {
    delivered,  // the subscriber acknowledged it
    given_up,   // it did not, after all retries
    dropped,    // never sent: the queue was full
  };
  /// Called once for every report, from within send() for a dropped one. `subscription` is the
  /// argument of send().
  using Outcome = std::function<void(std::uint64_t subscription, End end)>;

  ReportSender(mad::Runtime& runtime, mad::MadTransport& transport, Outcome outcome)
      : ReportSender(runtime, transport, std::move(outcome), Limits{}) {}
  ReportSender(mad::Runtime& runtime, mad::MadTransport& transport, Outcome outcome,
               const Limits& limits);

  /// Queues a report. `subscriber` is the client at `to`, whatever its LIDs and queue pairs. If its
  /// LID differs from the previous report's, its unacknowledged reports go to the new LID, too.
  void send(const ReportedNotice& notice, const mad::MadAddress& to, const Client& subscriber,
            std::uint64_t subscription);
  /// Handles a ReportResp, or a report of this object that the kernel returns as timed out. Returns
  /// false if it belongs to no report in flight.
  bool on_mad(const mad::ReceivedMad& received);
  /// Counts a notice that was dropped before its recipients were known.
  void count_dropped() { ++statistics_.dropped; }
  /// Drops all reports, without calling their outcomes.
  void clear();

  std::size_t waiting() const { return waiting_; }
  std::size_t in_flight() const { return in_flight_.size(); }
  const ReportStatistics& statistics() const { return statistics_; }

 private:
  struct Report {
    ReportedNotice notice;
    mad::MadAddress to;
    Client subscriber;
    std::uint64_t subscription = 0;
    std::uint32_t transaction = 0;  // of the first attempt; the number of an attempt is added
    unsigned attempts = 0;
    std::array<mad::TimePoint, kAttemptsMax> sent_at{};
    mad::TimePoint deadline{};
    bool is_late = false;  // an attempt, or the subscriber's previous report, was not acknowledged
  };
  struct Subscriber {
    Client client;
    mad::Lid lid;  // to which its reports go
    std::deque<Report> waiting;
    std::size_t in_flight = 0;
    bool is_ready = false;  // in ready_, in late_ready_, or in its port's `blocked`
    bool is_late = false;   // its latest attempt was not acknowledged in time
  };
  struct Port {
    std::size_t waiting = 0, in_flight = 0;
    std::deque<mad::Guid> blocked;  // subscribers that are ready when others of the port are done
  };
  /// True if the window and the port's budget admit another report.
  bool has_room() const;
  void readdress(Subscriber& entry, const mad::MadAddress& to);
  void make_ready(Subscriber& entry);
  void enqueue(const Subscriber& entry);
  std::deque<mad::Guid>* find_ready();
  void pump();
  void transmit(Report& report);
  void note_late(Report& report);
  void finish(std::size_t at, End end);
  mad::Duration timeout_for(const Report& report) const;
  void measure(const Report& report, std::uint32_t attempt);
  void on_timer();
  void arm();
  /// True if the rate allows one more report.
  bool may_send() const { return runtime_.now() >= next_ - limits_.interval * limits_.burst; }

  mad::Runtime& runtime_;
  mad::MadTransport& transport_;
  Outcome outcome_;
  Limits limits_;
  std::unique_ptr<mad::Timer> timer_;
  std::unordered_map<mad::Guid, Subscriber> subscribers_;  // by GUID of the end port or vport
  std::unordered_map<mad::Guid, Port> ports_;              // physical ones
  std::deque<mad::Guid> ready_, late_ready_;  // subscribers with a report that may be sent now
  std::size_t waiting_ = 0;
  std::vector<Report> in_flight_;
  std::size_t late_ = 0;  // of in_flight_
  std::unordered_map<std::uint16_t, mad::RoundTrip>
      slow_;               // by LID: subscribers that take longer than a quarter of the timeout
  mad::TimePoint next_{};  // when the next report is due, without a burst
  ReportStatistics statistics_;
};

}  // namespace sa
