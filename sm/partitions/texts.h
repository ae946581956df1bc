#pragma once
// Values of partitions as clients write them.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "mad/ids.h"
#include "partitions/configuration.h"
#include "partitions/runtime/runtime_partitions.h"

namespace sm {

/// The number of "0x10", "16"; nothing for other text, and beyond 0xffff. Which values are P_Keys
/// is for the caller to say.
std::optional<std::uint16_t> parse_p_key(std::string_view text);
/// 1 to 16 hexadecimal digits after 0x, 16 digits without it, or 8 pairs with colons. Nothing for
/// other text, and for 0 and all ones, which no port has.
std::optional<mad::Guid> parse_member_guid(std::string_view text);
/// 16 lower-case digits, without 0x.
std::string guid_digits(mad::Guid guid);
/// "2026-11-24T12:00:00Z", with Z or an offset, in capitals (RFC 3339); fractions of seconds are
/// cut off. Nothing for other text, for days that do not exist, and before 1970.
std::optional<partitions::UnixTime> parse_time(std::string_view text);
std::string time_text(partitions::UnixTime time);

/// partitions.conf names this GUID in this partition, alone or in a range, or all ports.
bool is_configured(const partitions::Configuration& configuration, std::uint16_t key,
                   mad::Guid guid);
bool has_partition(const partitions::Configuration& configuration, std::uint16_t key);

}  // namespace sm
