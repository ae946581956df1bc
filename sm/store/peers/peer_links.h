#pragma once
// Connections of a PeerStore: readers fetch another manager's copy, sessions serve this one's.

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "mad/backoff.h"
#include "sm/store/peers/peer_store.h"

namespace sm::peers {

inline constexpr std::size_t kSessionsMax = 16;
inline constexpr std::size_t kBatchRecords = 256, kBatchBytes = std::size_t{64} << 10;

/// An open connection.
struct PeerStore::Link {
  Link(mad::Runtime& runtime, std::shared_ptr<ByteStream> connection)
      : stream(std::move(connection)), wake(runtime), heard_at(runtime.now()) {}

  std::shared_ptr<ByteStream> stream;
  mad::WakeUp wake;  // there is something to send
  FrameBuffer frames{};
  mad::Guid port{};  // 0: it has not said hello
  mad::Guid leader{};
  mad::TimePoint heard_at;
  bool must_send_hello = true, must_send_status = false, has_ended = false;
  std::string why{};  // why it ended
  std::uint64_t bytes = 0;
};

struct PeerStore::Reader {
  Reader(mad::Runtime& runtime, PeerAddress where) : address(std::move(where)), wake(runtime) {}

  PeerAddress address;
  std::shared_ptr<Link> link{};  // null: not connected
  bool was_tried = false;        // there was an answer, or an error
  bool is_itself = false;
  mad::Guid port{};  // as it was seen last
  std::string why_not{};
  mad::Backoff pause{std::chrono::milliseconds(500), std::chrono::seconds(30)};
  mad::WakeUp wake;

  // These belong to the present connection.
  TermHistory theirs{};
  Position at{};                      // received up to here
  bool is_complete = false;           // everything that the peer has was received
  bool receives_all = false;          // a full copy arrives, until it is complete
  std::optional<StoreCopy> branch{};  // records of another branch
  bool branch_is_full = false;
  Position acknowledged{};  // sent
};

struct PeerStore::Session {
  explicit Session(std::shared_ptr<Link> connection) : link(std::move(connection)) {}

  std::shared_ptr<Link> link;
  StoreRevision cursor = 0;  // sent up to here
  bool is_served = false, has_said_end = false;
  bool begins_full = false, sends_all = false;  // a full copy
  std::optional<TermHistory> history_sent{};
  Position acknowledged{};
  std::optional<mad::TimePoint> behind_since{};
  bool is_slow = false;  // a commit has waited in vain for it
};

}  // namespace sm::peers
