#pragma once
// Base64 (RFC 4648, 4), with padding.

#include <optional>
#include <string>
#include <string_view>

namespace config {

std::string to_base64(std::string_view bytes);
/// Nothing if it is no base64.
std::optional<std::string> from_base64(std::string_view text);

}  // namespace config
