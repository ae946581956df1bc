// Answers of etcd's JSON gateway: any bytes give either an error in one printable line, or a result
// that is within what was received. The first byte chooses the parser.
#include "config/base64.h"
#include "sm/store/etcd/gateway.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>

namespace {

using namespace sm::etcd;
using config::from_base64;
using config::to_base64;

void require(bool condition) {
  if (!condition) std::abort();
}

void require_line(std::string_view text) {
  require(!text.empty() && text.size() < 1000 &&
          std::ranges::all_of(text, [](char c) { return c >= 0x20 && c < 0x7F; }));
}

/// Keys and values are base64: no more bytes than were received.
template <class Entries>
std::size_t get_bytes(const Entries& entries) {
  std::size_t bytes = 0;
  for (const auto& entry : entries) {
    require(!entry.key.empty() && entry.revision > 0);
    bytes += entry.key.size();
  }
  return bytes;
}

void check_range(std::string_view body) {
  const auto answer = parse_range(body);
  if (!answer) return require_line(answer.error().text);
  require(answer->revision > 0);
  std::size_t bytes = get_bytes(answer->entries);
  for (const sm::StoreEntry& entry : answer->entries) bytes += entry.value.size();
  require(bytes <= body.size());
}

void check_watch(std::string_view line) {
  const auto answer = parse_watch(line);
  if (!answer) return require_line(answer.error().text);
  require(answer->revision > 0);
  std::size_t bytes = get_bytes(answer->events);
  for (const sm::StoreEvent& event : answer->events) bytes += event.value ? event.value->size() : 0;
  require(bytes <= line.size());
}

void check_base64(std::string_view text) {
  require(from_base64(to_base64(text)) == text);
  const auto bytes = from_base64(text);
  if (bytes)
    require(bytes->size() <= text.size() / 4 * 3 && from_base64(to_base64(*bytes)) == bytes);
  const std::string end = end_of_prefix(text);
  require(end == std::string(1, '\0') || (end > text && end.size() <= text.size()));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view body(reinterpret_cast<const char*>(data) + 1, size - 1);
  switch (data[0] % 8) {
    case 0:
      check_range(body);
      break;
    case 1:
      check_watch(body);
      break;
    case 2:
      if (const auto answer = parse_txn(body)) {
        require(answer->revision > 0);
      } else {
        require_line(answer.error().text);
      }
      break;
    case 3:
      if (const auto token = parse_token(body)) {
        require(token->size() <= body.size());
        require_line(token->substr(0, 900));  // it goes into a header of HTTP
      }
      break;
    case 4:
      if (const auto lease = parse_grant(body)) require(*lease > 0);
      break;
    case 5:
      if (const auto alive = parse_keep_alive(body); !alive) require_line(alive.error().text);
      break;
    case 6:
      require_line(
          parse_error(body.empty() ? 0u : static_cast<std::uint8_t>(body[0]), body).error.text);
      break;
    default:
      check_base64(body);
  }
  return 0;
}
