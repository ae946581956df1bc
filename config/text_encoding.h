#pragma once
// This file turns the bytes of a file that people or their programs saved into text.

#include <cstddef>
#include <string>
#include <system_error>

#include <tl/expected.hpp>

namespace config {

/// Returns the text of a file in UTF-8. Shape: a byte order mark of UTF-8 is left out, UTF-16 (with
/// a byte order mark, or with ASCII at its beginning) is converted, and the content of gzip (RFC
/// 1952) is read in the same way; all other bytes are returned as they are. Half a character of
/// UTF-16 becomes U+FFFD.
/// Errors: damaged gzip data, content above `bytes_max`, and formats that have to be decompressed
/// or converted first; the message says what the file is and what to do.
tl::expected<std::string, std::error_code> decode_text(std::string bytes, std::size_t bytes_max);

}  // namespace config
