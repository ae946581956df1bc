#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "mad/rmpp.h"

namespace mad {

/// Reassembles one message from RMPP segments in any order, and acknowledges them at the end of
/// each window (IBTA Vol 1, 13.6).
class RmppReceiver {
 public:
  using Clock = std::chrono::steady_clock;
  struct Options {
    std::uint32_t window_segments = 64;                     // not acknowledged at once
    std::size_t message_bytes_max = std::size_t{64} << 20;  // a longer message is stopped
    Clock::duration idle_timeout = std::chrono::seconds(40);
  };
  enum class State : std::uint8_t {
    idle,       // nothing received yet
    receiving,  //
    complete,   // message() is complete; repeated segments are acknowledged again
    failed,     // this side or the peer gave up; further segments are ignored
  };

  /// Returns to idle, with these options; keeps the allocated memory.
  void reset(const Options& options);

  /// Handles a DATA segment, STOP or ABORT of this transaction; ignores other types. Returns true
  /// if `answer` holds a MAD for the peer.
  bool on_mad(ConstRmppView mad, Clock::time_point now, std::span<std::uint8_t, kMadBytes> answer);

  /// Returns the time at which the caller has to call on_timer() if nothing arrives before.
  std::optional<Clock::time_point> deadline() const;
  /// Returns true if nothing was received for too long; then `answer` holds an ABORT for the peer.
  bool on_timer(Clock::time_point now, std::span<std::uint8_t, kMadBytes> answer);

  State state() const { return state_; }
  /// Returns the RMPPStatus that ended the transfer, this side's or the peer's.
  std::uint8_t failed_with() const { return failed_with_; }
  /// Returns the headers of the first segment as received, then the data of all segments. Valid
  /// while complete, until the next reset().
  std::span<const std::uint8_t> message() const { return message_; }

 private:
  bool refuse(ConstRmppView mad, RmppType type, std::uint8_t status,
              std::span<std::uint8_t, kMadBytes> answer);
  bool acknowledge(ConstRmppView mad, std::span<std::uint8_t, kMadBytes> answer);
  void store(ConstRmppView mad, std::uint32_t segment);
  bool has(std::uint32_t segment) const {
    return present_[segment % options_.window_segments] != 0;
  }

  Options options_;
  State state_ = State::idle;
  std::uint8_t failed_with_ = 0;
  std::vector<std::uint8_t> message_;
  std::vector<std::uint8_t> present_;  // of the window after in_order_, by number modulo its size
  std::size_t header_bytes_ = 0;
  std::uint32_t in_order_ = 0, acknowledged_ = 0, window_last_ = 0, highest_ = 0;
  std::uint32_t last_ = 0;           // number of the segment with Last, 0: not seen
  std::size_t last_data_bytes_ = 0;  // of that segment
  Clock::time_point deadline_{};
};

}  // namespace mad
