#pragma once
// Parameters of multicast groups: in a request, of an existing group, of a new group. Pure.

#include <cstdint>
#include <optional>
#include <string>

#include <tl/expected.hpp>

#include "config/options.h"
#include "fabric/subnet.h"
#include "mad/records/mc_member_record.h"
#include "sm/sa/query/record_type.h"
#include "sm/sa/registrations/groups.h"

namespace sa {

// `query` says which components `request` has.

/// MTU and rate of a port's link. 0 means unknown; a base switch's port 0 has no link, and the
/// switch forwards at any rate.
struct PortLimits {
  std::uint8_t mtu = 0;   // code
  std::uint8_t rate = 0;  // code
};
PortLimits limits_of(const fabric::Fabric& fabric, fabric::PortIndex port);

/// Returns "" if `group` satisfies the MTU and rate bounds of the request; else the bound that it
/// violates, as a phrase for the log.
std::string mismatched_link_values(const mad::McMemberRecord& request, const Query& query,
                                   const Group& group);
/// Returns "" if every other component of the request equals the group's; else the one that
/// differs, as a phrase for the log.
std::string mismatch(const mad::McMemberRecord& request, const Query& query, const Group& group);
/// Returns "" if the port supports the group's MTU and rate; else a phrase for the log.
std::string beyond(PortLimits port, const Group& group);

/// Returns the group that the request describes, without MGID and MLID. Components that the request
/// lacks come from the creating port or from the options. Errors: the unsatisfiable component, as a
/// phrase for the log.
tl::expected<Group, std::string> requested_values(const mad::McMemberRecord& request,
                                                  const Query& query, PortLimits creator,
                                                  const config::Options& options);

/// True for the reserved scopes (IBTA Vol 1, 4.1.1; RFC 4291, 2.7): routers do not know how far
/// packets of such a group go.
constexpr bool is_reserved_scope(std::uint8_t scope) { return scope == 0 || scope == 0xF; }
/// Returns "", or why a client may not create this MGID (IBTA Vol 1, 4.1.1; RFC 4391, 4).
std::string illegal_mgid(mad::Gid mgid);
/// True for ff1s:401b or ff1s:601b, the MGID of an IPv4 or IPv6 group.
constexpr bool is_ip(mad::Gid mgid) {
  const auto signature = mgid.prefix >> 32 & 0xFFFF;
  return signature == 0x401B || signature == 0x601B;
}
/// Returns the broadcast group of the P_Key and scope of an IP group. Its parameters apply to all
/// these groups (RFC 4391, 5).
constexpr mad::Gid broadcast_of(mad::Gid ip_mgid) {
  return {(ip_mgid.prefix & 0xFFFF0000FFFF0000) | std::uint64_t{0x401B} << 32,
          {0x00000000FFFFFFFF}};
}
/// Returns an MGID of this scope that no group has: ff1s:a01b, the subnet prefix, a counter.
/// Returns nullopt if the next kNumbersTried ones are in use; the next call continues behind them.
std::optional<mad::Gid> unused_mgid(Groups& groups, std::uint8_t scope,
                                    std::uint64_t subnet_prefix);

}  // namespace sa
