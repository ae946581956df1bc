#pragma once
// Characters that control a terminal: C0, DEL and C1. C1 is C2 80 .. C2 9F in UTF-8, and a byte of
// its own (80 .. 9F) to terminals that do not read UTF-8.

#include <cstddef>
#include <string>
#include <string_view>

namespace config {

/// One character of UTF-8, or a byte that belongs to none.
struct TextPart {
  std::size_t bytes = 0;
  bool is_control = false;
};
/// The beginning of a text; 0 bytes: it is empty.
TextPart first_part(std::string_view text);

bool has_control_characters(std::string_view text);
/// '?' in place of each.
std::string without_control_characters(std::string_view text);
/// Returns the text with "\x1b" in place of ESC, and so on: a name stays recognizable.
std::string escape_control_characters(std::string_view text);
/// Escapes each line of a text; the ends of lines stay.
std::string escape_lines(std::string_view text);

}  // namespace config
