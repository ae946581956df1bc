#include "config/control_characters.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace config {
namespace {

/// Returns the number of bytes that follow the first byte of a UTF-8 character; 0 if none do, or if
/// the byte is not a first one.
std::size_t followers(unsigned char first) {
  if (first >= 0xF0) return first <= 0xF4 ? 3 : 0;
  if (first >= 0xE0) return 2;
  return first >= 0xC2 ? 1 : 0;
}

bool is_c0(unsigned char byte) { return byte < 0x20 || byte == 0x7F; }
bool is_c1(unsigned char byte) { return byte >= 0x80 && byte <= 0x9F; }

}  // namespace

TextPart first_part(std::string_view text) {
  if (text.empty()) return {};
  const auto first = static_cast<unsigned char>(text.front());
  if (is_c0(first) || is_c1(first)) return {.bytes = 1, .is_control = true};
  const std::size_t more = followers(first);
  const std::string_view rest = text.substr(1, more);
  const bool is_whole = rest.size() == more && std::ranges::all_of(rest, [](char c) {
                          return (static_cast<unsigned char>(c) & 0xC0) == 0x80;
                        });
  if (!is_whole) return {.bytes = 1, .is_control = false};
  return {.bytes = 1 + more,
          .is_control = first == 0xC2 && is_c1(static_cast<unsigned char>(rest.front()))};
}

bool has_control_characters(std::string_view text) {
  while (!text.empty()) {
    const TextPart part = first_part(text);
    if (part.is_control) return true;
    text.remove_prefix(part.bytes);
  }
  return false;
}

std::string escape_control_characters(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const TextPart part = first_part(text);
    const std::string_view bytes = text.substr(0, part.bytes);
    text.remove_prefix(part.bytes);
    if (!part.is_control) {
      out += bytes;
      continue;
    }
    for (const char c : bytes)
      fmt::format_to(std::back_inserter(out), "\\x{:02x}", static_cast<unsigned char>(c));
  }
  return out;
}

std::string escape_lines(std::string_view text) {
  std::string out;
  for (;;) {
    const std::size_t end = text.find('\n');
    out += escape_control_characters(text.substr(0, end));
    if (end == std::string_view::npos) return out;
    out += '\n';
    text.remove_prefix(end + 1);
  }
}

std::string without_control_characters(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const TextPart part = first_part(text);
    if (part.is_control)
      out += '?';
    else
      out += text.substr(0, part.bytes);
    text.remove_prefix(part.bytes);
  }
  return out;
}

}  // namespace config
