#pragma once
// What people name, as a part of the target of a request to the control socket.

#include <optional>
#include <string>
#include <string_view>

#include "mad/ids.h"

namespace sm {

/// Letters, digits and "-._~:" as they are, all else as %XX (RFC 3986, 2.1).
std::string in_target(std::string_view name);
/// The reverse. Nothing if a % has no two hexadecimal digits behind it.
std::optional<std::string> from_target(std::string_view part);

/// As IPv6 addresses are written: "ff12:401b:ffff::ffff:ffff".
std::optional<mad::Gid> read_gid(const std::string& text);

}  // namespace sm
