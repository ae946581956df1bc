#pragma once
// Alias GUIDs that contain a LID: some routers take the DLID of a packet from its DGID.

#include <cstddef>
#include <optional>
#include <set>

#include "fabric/subnet.h"
#include "sm/sa/registrations/alias_guids.h"

namespace sa {

/// 48 reserved bits, and the LID. Source: NVIDIA's documentation of MLNX_OFED, "IB Router", which
/// does not say what the reserved bits are: 0 here.
constexpr mad::Guid make_router_alias(mad::Lid lid) { return {lid.value}; }
constexpr bool is_router_alias(mad::Guid guid) {
  return guid.value != 0 && guid.value <= mad::kUnicastLidMax.value;
}

struct RouterAliasUpdate {
  std::set<AliasGuids::Block> changed;
  std::set<mad::Guid> without_entry;  // port GUIDs: their GUID tables have no free entry
};

/// Gives the ports of CAs alias GUIDs with their LIDs, in the first free entry of their GUID
/// tables, or takes those that they have (`set` false). Ports that a client is changing are left
/// out. Handles 1,024 end ports, from number `first` on, and adds to `update`. Returns the first
/// that is left; nullopt after the last one.
std::optional<std::size_t> update_router_aliases(AliasGuids& aliases, const fabric::Subnet& subnet,
                                                 bool set, std::size_t first,
                                                 RouterAliasUpdate& update);

/// Drops what the port has not acknowledged, when it is no longer to be written.
void drop_router_aliases(AliasGuids& aliases, mad::Guid port_guid);

}  // namespace sa
