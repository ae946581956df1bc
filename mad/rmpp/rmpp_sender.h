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
/// window, at most kWindowMax segments ahead: a larger window would only fill queues. After
/// `ack_timeout` without progress the sender repeats the segments after the last ACK, at most
/// `retries_max` times in succession.
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

  /// Copies `message`: header of its class (rmpp_header_bytes()), then data, any length. This class
  /// fills in the RMPP header, except RRespTime. Returns false, and stays idle, if the class has no
  /// RMPP or the message is shorter than the header.
  bool start(std::span<const std::uint8_t> message, const Options& options, Clock::time_point now);

  /// Starts a message whose data is produced while it is sent: supply() adds `data_bytes` in all,
  /// and this class forgets data that the peer has acknowledged. Returns false also for more data
  /// than a message can have.
  bool start(std::span<const std::uint8_t> header, std::size_t data_bytes, const Options& options,
             Clock::time_point now);
  /// Adds the next data. Precondition: sending, and no more data than is missing. While data is
  /// missing, held_bytes() must exceed the peer's window: the peer may acknowledge only at its end.
  void supply(std::span<const std::uint8_t> data);
  /// Returns the bytes that supply() has not added yet.
  std::size_t missing_bytes() const { return data_bytes_ - supplied_bytes(); }
  /// Returns the bytes that supply() has added and the peer has not acknowledged.
  std::size_t held_bytes() const {
    return supplied_bytes() - std::min(supplied_bytes(), std::size_t{acknowledged_} * chunk());
  }
  /// Aborts the transfer. `answer` holds an ABORT for the peer. Precondition: sending.
  void abort(std::span<std::uint8_t, kMadBytes> answer);

  /// Writes the next segment of the window to `out`. Returns false if it must wait for an ACK, for
  /// the deadline, or for its data.
  bool next_segment(std::span<std::uint8_t, kMadBytes> out, Clock::time_point now);

  /// Handles an ACK, STOP or ABORT of this transaction. True if `answer` holds an ABORT to send.
  bool on_mad(ConstRmppView mad, Clock::time_point now, std::span<std::uint8_t, kMadBytes> answer);

  /// Returns the time at which the caller has to call on_timer() if nothing happens before.
  std::optional<Clock::time_point> deadline() const;
  void on_timer(Clock::time_point now);

  State state() const { return state_; }
  /// Returns the RMPPStatus that ended the transfer, this side's or the peer's.
  std::uint8_t refused_with() const { return refused_with_; }
  std::uint32_t segments() const { return segments_; }
  std::uint32_t acknowledged() const { return acknowledged_; }
  /// Returns the segments that were sent after the last acknowledged one.
  std::uint32_t unacknowledged() const { return next_ - 1 - acknowledged_; }

 private:
  static constexpr std::size_t kHeaderBytesMax = 64;  // rmpp_header_bytes()

  bool begin(std::span<const std::uint8_t> header, std::size_t data_bytes, const Options& options,
             Clock::time_point now);
  void refuse(std::uint8_t status);
  std::size_t chunk() const { return kMadBytes - header_bytes_; }
  std::size_t supplied_bytes() const { return forgotten_bytes_ + data_.size(); }
  /// True if all data of the next segment was supplied.
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
