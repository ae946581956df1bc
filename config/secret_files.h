#pragma once
// This file finds secrets in files that others than their owner may access.

#include <cstddef>
#include <string>
#include <string_view>

#include "config/diagnostic.h"
#include "config/options.h"

namespace config {

/// Returns a finding for each configuration file that has a key (m_key, sm_key, ...) and that
/// others than its owner may access, at the line of the first key: an error if it has the seed or
/// the value of M_Keys (heddle-security(7) demands mode 0600), a warning for other keys. A file
/// that cannot be found has no finding.
Diagnostics exposed_secrets(const Options& options);

/// The least length of the secret of state_store peers. An attacker who connects can try secrets
/// afterwards, without a limit: a short one is found.
inline constexpr std::size_t kPeerSecretBytesMin = 16;
/// Returns what is wrong with the secret in state_store_key_file, as the end of a sentence about
/// it; "" if peers can use it. `secret` is the first line of the file.
std::string peer_secret_fault(std::string_view secret);

/// Returns errors about files that have nothing but a secret, such as state_store_key_file, and
/// about certificates that are used with them: the daemon refuses to start with them. They are read
/// only with state_store etcd or peers.
Diagnostics unusable_secret_files(const Options& options);

/// Returns the mode of a file that is written with these options: 0600 if one is a secret.
unsigned configuration_mode(const Options& options);

/// Masks the values of secret options (Key::is_secret), and user and password of URLs, in lines of
/// logs, journals and terminals. Earlier builds printed them, and OpenSM does: " Loading Cached
/// Option:m_key = 0x...", " SM Key <0x...>", "key_mgr_seed changed from 0x... to 0x...".
std::string without_secrets(std::string_view lines);

}  // namespace config
