#pragma once

#include <cstdint>
#include <string_view>

#include "mad/ids.h"

namespace sm {

/// The key of a port for one purpose ("heddle m_key", "heddle vs_key"): the first 64 bits of
/// HMAC-SHA256 (RFC 2104) over the purpose, a counter byte and the PortGUID, with the seed as the
/// HMAC's key. The counter, 0 at first, grows until the key is neither 0 nor all ones. With a
/// version other than 0 (KeyVersion) its 8 bytes follow the PortGUID. From keys of one port,
/// purpose or version those of another do not follow. 0: without a seed, and for Guid{}.
std::uint64_t derive_key(std::string_view purpose, std::uint64_t seed, std::uint64_t version,
                         mad::Guid port);

}  // namespace sm
