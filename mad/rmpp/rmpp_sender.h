#pragma once

#include <algorithm>
#include <array>
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

  /// Starts a message whose data is produced while it is sent: supply() gives `data_bytes` in all,
  /// and this class forgets what the peer has acknowledged. False also for more than a message can
  /// have.
  bool start(std::span<const std::uint8_t> header, std::size_t data_bytes, const Options& options,
             Clock::time_point now);
  /// The next data. Precondition: sending, and no more than is missing. As long as some is missing,
  /// held_bytes() has to be kept above the peer's window: it may acknowledge at its end alone.
  void supply(std::span<const std::uint8_t> data);
  /// Data in order that supply() has not given yet.
  std::size_t missing_bytes() const { return data_bytes_ - supplied_bytes(); }
  /// Data that supply() has given and the peer has not acknowledged.
  std::size_t held_bytes() const {
    return supplied_bytes() - std::min(supplied_bytes(), std::size_t{acknowledged_} * chunk());
  }
  /// Gives up. `answer` holds an ABORT for the peer. Precondition: sending.
  void abort(std::span<std::uint8_t, kMadBytes> answer);

  /// Writes the next segment of the window to `out`; false if none may be sent before an ACK or the
  /// deadline, or before its data is supplied.
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
  static constexpr std::size_t kHeaderBytesMax = 64;  // rmpp_header_bytes()

  bool begin(std::span<const std::uint8_t> header, std::size_t data_bytes, const Options& options,
             Clock::time_point now);
  void refuse(std::uint8_t status);
  std::size_t chunk() const { return kMadBytes - header_bytes_; }
  std::size_t supplied_bytes() const { return forgotten_bytes_ + data_.size(); }
  /// The data of the segment that is next, as far as it was supplied, is all of it.
  bool has_next() const;
  std::uint32_t window_end() const {
    const std::uint32_t last = window_last_ < segments_ ? window_last_ : segments_;
    return last - acknowledged_ > kWindowMax ? acknowledged_ + kWindowMax : last;
  }

  std::array<std::uint8_t, kHeaderBytesMax> header_{};
  std::vector<std::uint8_t> data_;   // from forgotten_bytes_ on
  std::size_t forgotten_bytes_ = 0;  // of data that was acknowledged
  std::size_t data_bytes_ = 0;       // of the whole message
  Options options_;
  State state_ = State::idle;
  std::uint8_t refused_with_ = 0;
  std::size_t header_bytes_ = 0;
  std::uint32_t segments_ = 0, next_ = 1, acknowledged_ = 0, window_last_ = 1;
  unsigned retries_ = 0;
  Clock::time_point deadline_{};
};

}  // namespace mad
