#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "mad/rmpp/receiver.h"
#include "mad/rmpp/rmpp_sender.h"
#include "mad/runtime.h"
#include "mad/transport.h"
#include "sm/sa/port_share.h"
#include "sm/sa/query/client.h"

namespace sa {

/// The end that a MAD came from, or goes to. Vports that share a LID draw their own transaction
/// identifiers and queue pairs, and differ only by the GID in the global route header.
struct EndAddress {
  mad::Lid lid;
  std::uint32_t qpn = 0;
  mad::Guid gid;  // its lower half; Guid{}: without a global route header
  explicit EndAddress(const mad::MadAddress& address)
      : lid(address.lid),
        qpn(address.qpn),
        gid(address.grh ? address.grh->peer.guid : mad::Guid{}) {}
  auto operator<=>(const EndAddress&) const = default;
};

/// Sends responses as RMPP messages, each paced by the acknowledgements of its requester, and all
/// together by the port's budget. Each port has its share of places and memory. If ports with more
/// have everything, their oldest messages end for a port without any (find_displaced()).
class Transfers {
 public:
  static constexpr ShareLimits kPlaces{
      .total = 512, .per_port = 8, .per_vport = 2, .free_share = 8, .reserved = 256};
  /// Limits the bytes of messages. A port that has only a short one may get another one of any
  /// length.
  static constexpr ShareLimits kMemory{.total = std::size_t{256} << 20,
                                       .per_port = std::size_t{96} << 20,
                                       .reserved = std::size_t{64} << 20,
                                       .few = std::size_t{1} << 20};
  static constexpr unsigned kSegmentsAtATime = 64;  // of one port, before others have their turn
  /// Limits the bytes kept beyond the last acknowledgement of a message that is produced while it
  /// is sent. It is more than the largest window, which is 200 KiB.
  static constexpr std::size_t kAheadBytes = std::size_t{256} << 10;

  /// `on_stream` is called when a stream takes more, or has ended. May be empty.
  Transfers(mad::Runtime& runtime, mad::MadTransport& transport,
            std::function<void()> on_stream = {});

  /// Begins to send `message` (56 bytes of headers, then records). `requester` is the client at
  /// `to`. Returns false and sends nothing if the requester has its share.
  bool start(std::span<const std::uint8_t> message, const mad::MadAddress& to,
             const Client& requester);
  /// True if another message to the requester may begin, unless it is too long. `pending` other
  /// messages of its port and `pending_own` of its own count as running.
  bool has_room(const Client& requester, std::size_t pending = 0,
                std::size_t pending_own = 0) const;

  /// Begins to send a message that is produced while it is sent: `headers` (56 bytes), then
  /// `data_bytes`, which supply() adds. Whatever its length, it takes twice kAheadBytes. Returns
  /// nullopt if the requester has its share.
  using StreamId = std::uint64_t;
  std::optional<StreamId> start_stream(std::span<const std::uint8_t> headers,
                                       std::size_t data_bytes, const mad::MadAddress& to,
                                       const Client& requester);
  /// Returns the bytes that the stream takes now, 0 while that is little; nullopt if it has ended.
  std::optional<std::size_t> takes(StreamId id) const;
  /// Returns when a requester that acknowledges has got the stream; long ago if it has ended.
  mad::TimePoint due(StreamId id) const;
  void supply(StreamId id, std::span<const std::uint8_t> data);
  /// Ends the stream with an ABORT, if it has not ended.
  void abort(StreamId id);
  /// True if the response to this request is being sent: the request is a repetition.
  bool is_running(const mad::MadAddress& requester, std::uint64_t transaction_id) const;
  /// Handles an ACK, STOP or ABORT. Returns false if it belongs to none of these transfers.
  bool on_mad(const mad::ReceivedMad& received);

  std::size_t running() const { return running_.size(); }
  /// Returns an upper bound of the bytes that all messages take.
  std::size_t bytes() const { return bytes_; }
  std::uint64_t finished() const { return finished_; }
  std::uint64_t failed() const { return failed_; }

 private:
  struct Transfer {
    mad::MadAddress to;
    Client requester;
    std::uint64_t transaction_id = 0;
    std::size_t bytes = 0;
    mad::TimePoint began{}, due{};
    StreamId stream = 0;  // 0: the message was complete from the start
    mad::RmppSender rmpp;
    unsigned counted = 0;   // segments in the port's budget
    mad::TimePoint sent{};  // the latest segment
    bool has_more = true;   // the window may not be used up
  };
  /// Returns a transfer that takes `bytes` for a message of `length`, or null if there is no room.
  std::unique_ptr<Transfer> admit(std::size_t bytes, std::size_t length, const mad::MadAddress& to,
                                  const Client& requester, std::uint64_t transaction_id);
  bool make_room(std::size_t bytes, const Client& requester);
  /// Returns those of running_ that end so that the requester gets `bytes`; none if that is not
  /// enough.
  std::vector<std::size_t> find_displaced_by(const Client& requester, std::size_t bytes) const;
  void run(std::unique_ptr<Transfer> transfer);
  void send_abort(Transfer& transfer);
  Transfer* find(StreamId id) const;
  void send_windows();
  bool send_window(Transfer& transfer);
  void leave_budget(Transfer& transfer, unsigned kept);
  bool has_left(const Transfer& transfer) const;
  mad::TimePoint next_room() const;
  void retire();
  void on_timer();
  void arm();

  mad::Runtime& runtime_;
  mad::MadTransport& transport_;
  std::function<void()> on_stream_;
  std::unique_ptr<mad::Timer> timer_;
  std::vector<std::unique_ptr<Transfer>> running_, spare_;  // spare ones keep their memory
  std::unordered_map<mad::Guid, unsigned> of_port_;         // running ones
  std::size_t bytes_ = 0;
  std::size_t first_ = 0;  // in running_: has the next turn
  std::uint64_t finished_ = 0, failed_ = 0;
  StreamId streams_ = 0;
};

/// Receives requests of several MADs (RMPP). Each port has its share of the unfinished ones; if
/// ports with more have everything, the oldest of these make room for a port without any. A request
/// that is not complete in time is dropped, and its client sends it again. Requests that have ended
/// are kept to acknowledge repeated segments, and make room for others.
class Assemblies {
 public:
  static constexpr ShareLimits kLimits{
      .total = 256, .per_port = 16, .per_vport = 4, .free_share = 4, .reserved = 128};
  static constexpr mad::Duration kLife = std::chrono::seconds(30);
  static constexpr std::size_t kBytesMax = 16384;  // a MultiPathRecord with 2 * 255 GIDs has 8,184

  struct Taken {
    bool has_room = true;                 // false: the segment was not taken
    std::optional<mad::MadBytes> answer;  // to the sender: ACK, STOP or ABORT
    /// The headers and all data of a request, only from the segment that completes it.
    std::optional<std::vector<std::uint8_t>> message;
  };
  /// Takes a DATA segment of client `by`.
  Taken take(const mad::ReceivedMad& segment, const Client& by, mad::TimePoint now);

  std::size_t size() const { return all_.size(); }
  void clear() { all_.clear(); }

 private:
  struct Assembly {
    mad::RmppReceiver rmpp;
    Client requester;
    mad::TimePoint began{};
    bool has_ended() const;
  };
  using Key = std::pair<EndAddress, std::uint64_t>;  // and the transaction
  using All = std::map<Key, Assembly>;
  bool make_room(const Client& requester, mad::TimePoint now);
  bool displace(const Client& requester, mad::TimePoint now);

  All all_;
};

}  // namespace sa
