#pragma once
// GIDs of end ports and vports, and partition membership.

#include <string>

#include "config/options.h"
#include "fabric/subnet.h"
#include "mad/ids.h"
#include "sm/sa/query/client.h"
#include "sm/sa/registrations/alias_guids.h"

namespace sa {

inline constexpr std::uint64_t kDefaultPrefix =
    0xfe80000000000000;  // link-local: valid for every port (IBTA Vol 1, 4.1.1)

inline bool is_local_prefix(std::uint64_t prefix, std::uint64_t subnet_prefix) {
  return prefix == subnet_prefix || prefix == kDefaultPrefix;
}

/// Returns the GID by which registrations know a port: with the subnet's prefix, also if the
/// request has the default one, since both name one port (IBTA Vol 1, 4.1.1). A GID of another
/// subnet stays as it is.
inline mad::Gid canonical_gid(mad::Gid gid, std::uint64_t subnet_prefix) {
  return is_local_prefix(gid.prefix, subnet_prefix) ? mad::Gid{subnet_prefix, gid.guid} : gid;
}
/// Returns a canonical GID in the form in which a response has it: that of the request, if the
/// request names this GID, since clients compare both and look up their own GID in the response.
inline mad::Gid as_requested(mad::Gid canonical, mad::Gid requested, std::uint64_t subnet_prefix) {
  return canonical_gid(requested, subnet_prefix) == canonical ? requested : canonical;
}

/// Returns the end port or vport with this port GUID or alias GUID; port kNoIndex if there is none.
fabric::EndPoint find_end_point(mad::Guid guid, const fabric::Subnet& subnet,
                                const AliasGuids& aliases);
/// Returns the physical port of that end.
inline fabric::PortIndex port_of(mad::Guid guid, const fabric::Subnet& subnet,
                                 const AliasGuids& aliases) {
  return find_end_point(guid, subnet, aliases).port;
}
/// Returns the client whose bounds apply to this end.
inline Client make_client(const fabric::Subnet& subnet, fabric::EndPoint end) {
  return {subnet.fabric.ports[end.port].guid, subnet.find_guid(end)};
}
/// Returns, for logs, "H0-3 mlx5_0" (0x0002c90000000030) port 1, with "vport 2 (0x0002c90000000132)
/// of" before it.
std::string find_name(const fabric::Subnet& subnet, fabric::EndPoint end);

/// Returns the HopLimit of packets from or to a vport, which need a global route header. It is at
/// least 2, since older clients add a header only for more than 1.
std::uint8_t vport_hop_limit(const config::Options& options);
/// Returns the LID whose routes packets to `lid` take. For a vport's own LID it is the base LID of
/// its port, since all tables forward both alike.
mad::Lid routed_as(const fabric::Subnet& subnet, mad::Lid lid);

/// True if the end is a full or limited member of the key's partition.
bool is_in_partition(const fabric::Subnet& subnet, fabric::EndPoint end, mad::PKey key);
/// True if the end may communicate with an end that has one of `keys`.
bool may_talk_to_any(const fabric::Subnet& subnet, fabric::EndPoint end,
                     std::span<const mad::PKey> keys);

/// Returns "ff12:401b:ffff::ffff:ffff": the text form of IPv6 addresses (RFC 5952).
std::string gid_text(mad::Gid gid);

}  // namespace sa
