#pragma once
// The messages of managers that copy a store from each other. A frame is 4 bytes of length, most
// significant first, and lines of text. The manager that has connected reads the other one's copy.
//
//   reader: hello, status every second, an acknowledgement of what is in its file
//   server: hello or refusal, batches of records in the order of revisions, status every second
//
// Lines of unknown kinds are passed over; records of unknown kinds are kept (store_copy.h).

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <utility>
#include <variant>
#include <vector>

#include "mad/ids.h"
#include "sm/store/peers/store_copy.h"
#include "sm/store/peers/term_history.h"

namespace sm::peers {

inline constexpr std::size_t kFrameBytesMax = std::size_t{1} << 20;

/// Versions of the protocol that a program can use. A program uses the one before its own, too.
struct ProtocolVersions {
  unsigned newest = 1, oldest = 1;
};
/// Returns the latest version that both have.
std::optional<unsigned> agree(const ProtocolVersions& one, const ProtocolVersions& other);

struct Hello {
  ProtocolVersions versions{};
  std::uint64_t subnet_prefix = 0;
  mad::Guid port;     // of the manager
  mad::Guid leader;   // that leads, to the knowledge of the manager; 0: no manager
  bool lost = false;  // its copy lacks records of its history: it needs all of them
  TermHistory history{};
};
/// The server's answer to a hello that it does not serve.
struct Refusal {
  std::string why;
};
struct Status {
  mad::Guid leader;
};
struct Batch {
  bool begins_full = false;  // all records follow; those that are not among them were deleted
  bool has_more = false;     // the server's copy has records after this batch
  std::optional<TermHistory> history{};  // nothing: as in the batch before
  std::vector<Record> records{};
  StoreRevision at = 0;  // the copy up to this revision has been sent
};
struct Acknowledgement {
  Position position{};
};
using Message = std::variant<std::monostate, Hello, Refusal, Status, Batch, Acknowledgement>;

/// Returns the frame with its length. A batch must fit.
std::string to_frame(const Message& message);
/// Returns std::monostate for a message of an unknown kind. Errors: what is wrong with the text
/// after the length, as the end of a sentence.
tl::expected<Message, std::string> parse_message(std::string_view text);

/// Splits a stream of bytes into the texts of frames.
class FrameBuffer {
 public:
  void append(std::string_view bytes) {
    bytes_.erase(0, std::exchange(at_, 0));
    bytes_.append(bytes);
  }
  /// Returns nothing until a frame is complete. Errors: the frame is too long.
  tl::expected<std::optional<std::string>, std::string> next();

 private:
  std::string bytes_;
  std::size_t at_ = 0;  // returned up to here
};

}  // namespace sm::peers
