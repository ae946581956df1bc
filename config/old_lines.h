#pragma once
// Lines that this program or OpenSM wrote earlier, and that are shown to others now.

#include <string>
#include <string_view>

namespace config {

/// Masks the values of secret options (Key::is_secret), and user and password of URLs, in lines of
/// logs, journals and terminals. Earlier builds printed them, and OpenSM does: " Loading Cached
/// Option:m_key = 0x...", " SM Key <0x...>", "key_mgr_seed changed from 0x... to 0x...".
std::string without_secrets(std::string_view lines);

}  // namespace config
