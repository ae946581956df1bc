#pragma once
// Parameters of multicast groups: those of a request, of an existing group, of a new group. Pure.

#include <cstdint>
#include <optional>
#include <string>

#include <tl/expected.hpp>

#include "config/options.h"
#include "fabric/subnet.h"
#include "mad/records/mc_member_record.h"
#include "sm/sa/registrations/groups.h"

namespace sa {

/// The component mask of a request.
struct Components {
  std::uint64_t mask = 0;
  bool has(unsigned bit) const { return (mask >> bit & 1u) != 0; }
  bool has_all(std::uint64_t bits) const { return (mask & bits) == bits; }
};
template <class... Bits>
constexpr std::uint64_t make_mask(Bits... bits) {
  return ((std::uint64_t{1} << bits) | ...);
}

/// MTU and rate of a port's link. 0: unknown; a base switch's port 0 has no link, and the switch
/// forwards at any rate.
struct PortLimits {
  std::uint8_t mtu = 0;   // code
  std::uint8_t rate = 0;  // code
};
PortLimits limits_of(const fabric::Fabric& fabric, fabric::PortIndex port);

/// "" if `group` satisfies the MTU and rate bounds of the request; else the bound that it violates,
/// as a phrase for the log.
std::string unmet_link_values(const mad::McMemberRecord& request, Components components,
                              const Group& group);
/// "" if every other component of the request equals the group's; else the one that differs, as a
/// phrase for the log.
std::string mismatch(const mad::McMemberRecord& request, Components components, const Group& group);
/// "" if the port can send and receive at the group's MTU and rate.
std::string beyond(PortLimits port, const Group& group);

/// The group that the request describes, without MGID and MLID; components that the request lacks
/// come from the creating port or from the options. Errors: the unsatisfiable component, as a
/// phrase for the log.
tl::expected<Group, std::string> requested_values(const mad::McMemberRecord& request,
                                                  Components components, PortLimits creator,
                                                  const config::Options& options);

/// "" if a client may create a group of this MGID; else why not (IBTA Vol 1, 4.1.1; RFC 4391, 4).
std::string illegal_mgid(mad::Gid mgid);
/// ff1s:401b or ff1s:601b: of an IPv4 or IPv6 group.
constexpr bool is_ip(mad::Gid mgid) {
  const auto signature = mgid.prefix >> 32 & 0xFFFF;
  return signature == 0x401B || signature == 0x601B;
}
/// The broadcast group of the same P_Key and scope as an IP group: its values hold for all of them
/// (RFC 4391, 5).
constexpr mad::Gid broadcast_of(mad::Gid ip_mgid) {
  return {(ip_mgid.prefix & 0xFFFF0000FFFF0000) | std::uint64_t{0x401B} << 32,
          {0x00000000FFFFFFFF}};
}
/// An MGID that no group has, of this scope: ff1s:a01b, the subnet prefix, a counter. nullopt: the
/// next kNumbersTried ones are in use; the next call goes on behind them.
std::optional<mad::Gid> unused_mgid(Groups& groups, std::uint8_t scope,
                                    std::uint64_t subnet_prefix);

}  // namespace sa
