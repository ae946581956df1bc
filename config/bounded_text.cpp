#include "config/bounded_text.h"

#include <fmt/format.h>

namespace config {
namespace {

constexpr std::size_t kMarkBytesMax = 40;  // "... [18446744073709551615 more bytes]"
constexpr std::size_t kFollowersMax = 3;   // of the first byte of a character of UTF-8

/// True for a byte that continues a character of UTF-8.
bool is_follower(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

}  // namespace

std::string bounded_text(std::string_view text, std::size_t bytes_max) {
  if (text.size() <= bytes_max) return std::string(text);
  const std::size_t room = bytes_max - kMarkBytesMax;
  std::size_t end = room;
  while (room - end < kFollowersMax && is_follower(text[end])) --end;
  // A longer run of such bytes is no UTF-8, and may be divided anywhere.
  if (is_follower(text[end])) end = room;
  return fmt::format("{}... [{} more bytes]", text.substr(0, end), text.size() - end);
}

}  // namespace config
