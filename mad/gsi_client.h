#pragma once
// Requests on queue pair 1 as coroutines: the client repeats each a few times until it has a
// response, and each has exactly one outcome.

#include <boost/asio/awaitable.hpp>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "mad/gsi_transport.h"
#include "mad/runtime.h"

namespace mad {

struct GsiStatistics {
  std::uint64_t sent = 0, repeated = 0, answered = 0, timed_out = 0;
  std::uint64_t stray = 0;  // responses to no open request: late, forged, or from another LID
};

/// Runs requests on queue pair 1. Single-threaded: everything runs on the runtime's executor.
class GsiClient {
 public:
  static constexpr std::size_t kOpenMax = 4096;

  GsiClient(Runtime& runtime, GsiTransport& transport) : runtime_(runtime), transport_(transport) {}
  GsiClient(const GsiClient&) = delete;
  GsiClient& operator=(const GsiClient&) = delete;

  struct Request {
    std::vector<std::uint8_t> bytes;  // at least the header; the transaction id is the client's
    MadAddress to;
    Duration timeout = std::chrono::milliseconds(500);  // of one attempt
    unsigned attempts = 3;
  };
  /// Returns the response: same class, attribute and LID as the request. Returns nullopt if none
  /// came in time, or after abandon(). A response that says BUSY counts as none.
  boost::asio::awaitable<std::optional<std::vector<std::uint8_t>>> exchange(Request request);
  /// True if the MAD was the response to an open request, or is one that the transport returns.
  bool on_mad(const GsiMad& mad);
  /// Ends open requests at once, and further ones without sending them.
  void abandon();
  const GsiStatistics& statistics() const { return statistics_; }

 private:
  struct Pending {
    WakeUp* arrived;
    const Request* request;
    std::vector<std::uint8_t> response;
  };
  std::uint32_t draw_id();

  Runtime& runtime_;
  GsiTransport& transport_;
  std::unordered_map<std::uint32_t, Pending*> open_;  // by the low half of the transaction id
  GsiStatistics statistics_;
  bool abandoned_ = false;
};

}  // namespace mad
