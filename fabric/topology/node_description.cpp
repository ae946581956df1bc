#include "fabric/topology/node_description.h"

#include <cstdint>

namespace topology {
namespace {

constexpr std::size_t kDescriptionBytes = 64;

/// Length of the character that `text` begins with; 0 if it begins with none (Unicode 15, table
/// 3-7, and section 23.7 on noncharacters).
std::size_t character_bytes(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<std::uint8_t>(text[i]); };
  const std::uint8_t lead = byte(0);
  if (lead < 0x80) return 1;
  const std::size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || text.size() < length) return 0;
  std::uint32_t code = lead & (0x7Fu >> length);
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return 0;
    code = code << 6 | (byte(i) & 0x3Fu);
  }
  constexpr std::uint32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = code >= 0xD800 && code <= 0xDFFF;
  const bool noncharacter = (code & 0xFFFE) == 0xFFFE || (code >= 0xFDD0 && code <= 0xFDEF);
  return code < kLeast[length] || code > 0x10FFFF || surrogate || noncharacter ? 0 : length;
}

}  // namespace

std::string node_description(std::string_view bytes) {
  std::string out;
  for (bytes = bytes.substr(0, kDescriptionBytes); !bytes.empty();) {
    const std::size_t length = character_bytes(bytes);
    if (length == 0) {
      out += '?';
    } else {
      out += bytes.substr(0, length);
    }
    bytes.remove_prefix(length == 0 ? 1 : length);
  }
  return out;
}

}  // namespace topology
