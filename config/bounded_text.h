#pragma once
// Bounds texts that are kept or passed on, such as those of conditions, events and log lines.

#include <cstddef>
#include <string>
#include <string_view>

namespace config {

/// Returns the beginning of `text` and how many bytes were cut, "abc... [217 more bytes]", in
/// `bytes_max` bytes at most; the whole text if it fits. A character of UTF-8 is not divided.
/// Precondition: bytes_max is at least 64.
std::string bounded_text(std::string_view text, std::size_t bytes_max);

/// Bounds a text in its place; costs nothing if it fits.
inline void bound_text(std::string& text, std::size_t bytes_max) {
  if (text.size() > bytes_max) text = bounded_text(text, bytes_max);
}

}  // namespace config
