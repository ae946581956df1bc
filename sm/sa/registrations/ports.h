#pragma once
// GIDs of end ports, and who may talk to whom.

#include <string>

#include "fabric/subnet.h"
#include "mad/ids.h"
#include "sm/sa/registrations/alias_guids.h"

namespace sa {

inline constexpr std::uint64_t kDefaultPrefix =
    0xfe80000000000000;  // link-local: every port answers to it (IBTA Vol 1, 4.1.1)

inline bool is_local_prefix(std::uint64_t prefix, std::uint64_t subnet_prefix) {
  return prefix == subnet_prefix || prefix == kDefaultPrefix;
}

/// The end port with this port GUID or alias GUID; kNoIndex if there is none.
sm::PortIndex port_of(mad::Guid guid, const sm::Subnet& subnet, const AliasGuids& aliases);

/// The port is in the key's partition, as whatever kind of member.
bool is_in_partition(const sm::Subnet& subnet, sm::PortIndex port, mad::PKey key);
/// The port may talk to a holder of one of `keys`.
bool may_talk_to_any(const sm::Subnet& subnet, sm::PortIndex port, std::span<const mad::PKey> keys);

/// "ff12:401b:ffff::ffff:ffff": as IPv6 addresses are written (RFC 5952).
std::string gid_text(mad::Gid gid);

}  // namespace sa
