#pragma once
// GIDs of end ports, and partition membership.

#include <string>

#include "fabric/subnet.h"
#include "mad/ids.h"
#include "sm/sa/registrations/alias_guids.h"

namespace sa {

inline constexpr std::uint64_t kDefaultPrefix =
    0xfe80000000000000;  // link-local: valid for every port (IBTA Vol 1, 4.1.1)

inline bool is_local_prefix(std::uint64_t prefix, std::uint64_t subnet_prefix) {
  return prefix == subnet_prefix || prefix == kDefaultPrefix;
}

/// The end port with this port GUID or alias GUID; kNoIndex if there is none.
sm::PortIndex port_of(mad::Guid guid, const sm::Subnet& subnet, const AliasGuids& aliases);

/// The port is a full or limited member of the key's partition.
bool is_in_partition(const sm::Subnet& subnet, sm::PortIndex port, mad::PKey key);
/// The port may communicate with a port that has one of `keys`.
bool may_talk_to_any(const sm::Subnet& subnet, sm::PortIndex port, std::span<const mad::PKey> keys);

/// "ff12:401b:ffff::ffff:ffff": the text form of IPv6 addresses (RFC 5952).
std::string gid_text(mad::Gid gid);

}  // namespace sa
