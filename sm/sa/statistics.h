#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <map>
#include <string_view>

#include "mad/duration_histogram.h"
#include "mad/sa_attribute.h"
#include "sm/sa/request_validation.h"

namespace sa {

/// The outcome of a request.
enum class RequestEnd : std::uint8_t {
  answered,    // with records, or the registration is done
  no_records,  // with status ERR_NO_RECORDS
  refused,     // with any other status
  busy,        // without an answer, for want of room or time (is_overload())
  dropped,     // without an answer, for another reason (Drop)
  repeated,    // its answer was under way already
};
inline constexpr std::array<std::string_view, 6> kRequestEnds{"answered", "no_records", "refused",
                                                              "busy",     "dropped",    "repeated"};

/// Counts requests by attribute, method and outcome. The number of kinds is bounded: all attributes
/// without a name count as attribute 0, all methods without one as method 0.
struct RequestKind {
  mad::SaAttributeId attribute{};
  mad::Method method{};
  RequestEnd end{};
  auto operator<=>(const RequestKind&) const = default;
};
class RequestCounts {
 public:
  void count(mad::SaAttributeId attribute, mad::Method method, RequestEnd end) {
    if (mad::name(attribute).empty()) attribute = {};
    if (mad::name(method).empty()) method = {};
    ++counts_[{attribute, method, end}];
  }
  const std::map<RequestKind, std::uint64_t>& counts() const { return counts_; }

 private:
  std::map<RequestKind, std::uint64_t> counts_;
};

/// Bounds of the histogram of latencies, in seconds.
inline constexpr std::array kLatencyBoundsS{0.00001, 0.0000316, 0.0001, 0.000316, 0.001, 0.00316,
                                            0.01,    0.0316,    0.1,    0.316,    1.0,   10.0};

/// Counts requests since the start.
struct Statistics {
  std::uint64_t received = 0, answered = 0,
                refused = 0;   // refused: answered with another status than kOk
  std::uint64_t repeated = 0;  // requests whose answer was under way already
  std::uint64_t slices = 0;    // of answers that were too long to be produced at once
  std::array<std::uint64_t, kDrops> dropped{};  // by Drop
  std::uint64_t of(Drop reason) const { return dropped[static_cast<std::size_t>(reason)]; }
  /// Counts requests dropped for want of room or time.
  std::uint64_t busy() const { return of(Drop::queue_full) + of(Drop::waited) + of(Drop::no_room); }
  RequestCounts requests;
  /// Measures answered requests, from their arrival to the response or its first segment.
  mad::DurationHistogram latency{kLatencyBoundsS};
};

/// Counts reports to subscribers since the start.
struct ReportStatistics {
  std::uint64_t delivered = 0;
  std::uint64_t given_up = 0;  // not acknowledged after all retries
  std::uint64_t dropped = 0;   // never sent: the queue was full
};

}  // namespace sa
