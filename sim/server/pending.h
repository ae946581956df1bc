#pragma once
// Requests of clients that have no answer yet. On real hardware the kernel reports a timeout to the
// program; ibsim's clients leave that to the server, and subnet managers among them wait for ever
// without it.

#include <chrono>
#include <cstdint>
#include <optional>
#include <vector>

#include "mad/mad_header.h"
#include "sim/wire/ibsim_protocol.h"
#include "sim/world/event_queue.h"

namespace sim::server {

/// True if this MAD is a request with a response.
bool expects_answer(mad::ConstMadView mad);

/// A table by transaction id, and a queue by age: all have the same timeout. No allocation after it
/// has reached its size.
class PendingRequests {
 public:
  static constexpr std::size_t kMax = 1u << 16;  // beyond that, the oldest expire early

  /// Replaces a request of the same id. `expired` gets the oldest one if the table is full.
  void add(std::uint64_t transaction_id, const wire::Packet& packet, unsigned client,
           TimePoint deadline);
  void answered(std::uint64_t transaction_id);
  /// When the oldest expires; nullopt if none is pending.
  std::optional<TimePoint> next() const;
  struct Expired {
    unsigned client = 0;
    wire::Packet packet;
  };
  /// Removes and returns one that has expired.
  std::optional<Expired> take_expired(TimePoint now);
  void forget_client(unsigned client);
  std::size_t size() const { return size_; }

 private:
  static constexpr std::uint32_t kEnd = 0xFFFFFFFF;
  struct Entry {
    std::uint64_t transaction_id = 0;
    TimePoint deadline;
    unsigned client = 0;
    std::uint32_t older = kEnd, newer = kEnd, next_in_bucket = kEnd;
    wire::Packet packet;
  };
  std::size_t bucket(std::uint64_t transaction_id) const {
    return (transaction_id * 0x9E3779B97F4A7C15u) >> 52;
  }
  void remove(std::uint32_t index);

  std::vector<Entry> entries_;
  std::vector<std::uint32_t> free_;
  std::vector<std::uint32_t> buckets_ = std::vector<std::uint32_t>(4096, kEnd);
  std::uint32_t oldest_ = kEnd, newest_ = kEnd;
  std::size_t size_ = 0;
};

}  // namespace sim::server
