#pragma once
// Values of the flags of groups: codes of the wire format and their notations in files.

#include <cstdint>
#include <optional>
#include <string_view>

#include "mad/ids.h"

namespace partitions {

/// The MTU code of "4" (a code, 1..5) or "2048" (bytes). nullopt if it is neither.
std::optional<std::uint8_t> parse_mtu(std::string_view text);

/// The rate code of "3" (a code), "100" (Gb/s; numbers that are codes are codes, as in OpenSM),
/// "10G" (Gb/s in any case), "2.5", "EDR" (4x) or "12xEDR". nullopt if it is none of them, or if
/// InfiniBand has no code for it. Source: IBTA Vol 1, 15.2.5.16.
std::optional<std::uint8_t> parse_rate(std::string_view text);

/// A multicast GID in the notation of IPv6 (RFC 4291). nullopt for other text, and for GIDs that do
/// not begin with ff.
std::optional<mad::Gid> parse_mgid(std::string_view text);

}  // namespace partitions
