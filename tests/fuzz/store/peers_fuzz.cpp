// Messages of managers that copy a store from each other, and lines of the file that keeps it: any
// bytes give an error in one printable line, or a value that is written and read back as it is.
#include "sm/store/peers/peer_messages.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>

namespace {

using namespace sm::peers;

void require(bool condition) {
  if (!condition) std::abort();
}

void require_line(std::string_view text) {
  require(!text.empty() && text.size() < 1000 &&
          std::ranges::all_of(text, [](char c) { return c >= 0x20 && c < 0x7F; }));
}

/// A message that was read gives the same text when it is read from its own text.
void check_message(std::string_view text) {
  const auto message = parse_message(text);
  if (!message) return require_line(message.error());
  if (std::holds_alternative<std::monostate>(*message)) return;
  const std::string frame = to_frame(*message);
  if (frame.size() > kFrameBytesMax) return;
  FrameBuffer buffer;
  buffer.append(frame);
  const auto own = buffer.next();
  require(own && *own);
  const auto again = parse_message(**own);
  require(again.has_value() && to_frame(*again) == frame);
}

void check_record(std::string_view line) {
  auto record = parse_record(line);
  if (!record) return require_line(record.error());
  const auto again = parse_record(to_line(*record));
  // A blank or a byte that needed no escape may have had one: the line may only become shorter.
  require(again.has_value() && *again == *record);
  StoreCopy copy;
  copy.put(std::move(*record));
  require(copy.entries().size() == 1 && copy.after(0, 2).size() == 1);
}

void check_frames(std::string_view bytes) {
  FrameBuffer buffer;
  std::size_t taken = 0;
  for (std::size_t at = 0; at < bytes.size(); at += 7) {
    buffer.append(bytes.substr(at, 7));
    for (;;) {
      const auto frame = buffer.next();
      if (!frame) return require_line(frame.error());
      if (!*frame) break;
      taken += 4 + (*frame)->size();
    }
  }
  require(taken <= bytes.size());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  switch (data[0] % 4) {
    case 0:
      check_message(text);
      break;
    case 1:
      check_record(text);
      break;
    case 2:
      check_frames(text);
      break;
    default:
      if (const auto term = parse_term(text)) require(parse_term(to_line(*term)) == term);
  }
  return 0;
}
