#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "mad/rmpp.h"

namespace mad {

/// Sends one message as RMPP segments. Segment 1 is sent alone; every ACK then sets the end of the
/// window, at most kWindowMax segments ahead of it: a larger one would only fill queues.
/// Without progress for `ack_timeout` the segments after the last ACK are sent again, at
/// most `retries_max` times in succession.
class RmppSender {
 public:
  using Clock = std::chrono::steady_clock;
  /// The kernel's receivers announce an eighth of their receive queue, which has at most 8192
  /// entries.
  static constexpr std::uint32_t kWindowMax = 1024;
  struct Options {
    Clock::duration ack_timeout = std::chrono::seconds(2);
    unsigned retries_max = 3;
  };
  enum class State : std::uint8_t {
    idle,       // start() was not called
    sending,    //
    done,       // the peer has acknowledged everything
    timed_out,  // no ACK after all retries
    refused,    // STOP or ABORT received, or the peer violated the protocol; see refused_with()
  };

  /// Copies `message`: header of its class (rmpp_header_bytes()), then data, any length. The RMPP
  /// header is filled by this class, except RRespTime. False, and still idle, if the class has no
  /// RMPP or the message is shorter than the header.
  bool start(std::span<const std::uint8_t> message, const Options& options, Clock::time_point now);

  /// Writes the next segment of the window to `out`; false if none may be sent before an ACK or the
  /// deadline.
  bool next_segment(std::span<std::uint8_t, kMadBytes> out, Clock::time_point now);

  /// Handles an ACK, STOP or ABORT of this transaction. True: `answer` holds an ABORT for the peer.
  bool on_mad(ConstRmppView mad, Clock::time_point now, std::span<std::uint8_t, kMadBytes> answer);

  /// When to call on_timer() if nothing happens before.
  std::optional<Clock::time_point> deadline() const;
  void on_timer(Clock::time_point now);

  State state() const { return state_; }
  /// RMPPStatus that ended it, ours or the peer's.
  std::uint8_t refused_with() const { return refused_with_; }
  std::uint32_t segments() const { return segments_; }
  std::uint32_t acknowledged() const { return acknowledged_; }

 private:
  void refuse(std::uint8_t status);
  std::uint32_t window_end() const {
    const std::uint32_t last = window_last_ < segments_ ? window_last_ : segments_;
    return last - acknowledged_ > kWindowMax ? acknowledged_ + kWindowMax : last;
  }

  std::vector<std::uint8_t> message_;
  Options options_;
  State state_ = State::idle;
  std::uint8_t refused_with_ = 0;
  std::size_t header_bytes_ = 0;
  std::uint32_t segments_ = 0, next_ = 1, acknowledged_ = 0, window_last_ = 1;
  unsigned retries_ = 0;
  Clock::time_point deadline_{};
};

}  // namespace mad
