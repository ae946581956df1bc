#pragma once

#include <set>
#include <span>
#include <vector>

#include "fabric/lid_map.h"
#include "fabric/vl_tables.h"
#include "routing/qos/pairs_in_use.h"
#include "sm/health/link_health.h"
#include "sm/sweep/devices/adaptive_devices.h"
#include "sm/sweep/devices/device_table.h"
#include "sm/sweep/devices/link_restarts.h"
#include "sm/sweep/devices/masked_tables.h"
#include "sm/sweep/devices/multicast_memory.h"
#include "sm/sweep/devices/port_disabling.h"
#include "sm/sweep/devices/refusals.h"
#include "sm/sweep/devices/router_devices.h"
#include "sm/sweep/devices/table_memory.h"
#include "virt/facts.h"
#include "virt/models.h"

namespace sm {

/// Holds what devices have, besides what a Fabric has, and which settings they do not take. A
/// value: a plan is made on a copy. device_events.h says which parts an event
/// makes invalid.
struct DeviceState {
  TableMemory lfts;
  MaskedTables masked_lfts;
  MulticastMemory mfts;
  VlTables vl_tables;
  routing::PairsInUse pairs;  // of vl_tables, by what is held and wanted
  Refusals refusals;
  LinkRestarts restarts;
  DeviceTable table;
  AdaptiveDevices adaptive;
  RouterDevices routers;
  DisabledPorts disabled;
  /// End ports (port GUIDs) that have not acknowledged ClientReregister yet.
  std::set<mad::Guid> reregistering;
  RouterAliases router_aliases;
  /// Ports whose P_Key table the last survey did not read completely.
  std::set<PortPlace> unread_p_keys;
  /// Marks ports whose P_Key table was read in its first block only. By PortIndex of the fabric
  /// that is programmed, or empty.
  std::vector<bool> waiting_p_keys;
  virt::Facts vports;
  virt::Trials trials;  // of device models with vports

  /// Forgets all tables: another manager was master, and may have written to them.
  void forget_tables();
  /// Requests that all of vports is read again; until then the known values apply.
  void invalidate_vports();
  /// Requests that the states of vports are read again, also of ports that have refused to show
  /// any.
  void reread_vport_states();
  bool is_waiting_for_p_keys(PortIndex port) const {
    return !waiting_p_keys.empty() && waiting_p_keys[port];
  }
  /// True if the port's P_Key table is known to its end.
  bool knows_p_keys(const Fabric& fabric, PortIndex port) const;
  /// Updates what is known of P_Key tables after a survey that has read the nodes `read`
  /// (NodeGUIDs), but not the tables of `unread`.
  void update_p_keys(const Fabric& fabric, std::span<const mad::Guid> read,
                     std::span<const PortPlace> unread);
  /// Updates vports, and forgets ports that disappeared.
  void update_vports(const Fabric& fabric);

  /// Keeps the known VL tables that are still valid after a survey; no table if `trust` is false.
  /// Nodes that restarted since `last`, the fabric as it was programmed last or null, have lost
  /// theirs.
  void update_vl_tables(const Fabric& fabric, const Fabric* last, bool trust);
  /// Updates the pairs of ports that packets can use while switches change to the desired tables.
  void update_pairs(const Fabric& fabric, std::shared_ptr<const ForwardingTables> wanted,
                    std::shared_ptr<const MulticastTables> wanted_multicast, bool trust);
};

/// True if a switch with SwitchInfo `a` and later `b` still holds its tables: a reset or another
/// manager would change one of the compared fields.
bool shows_same_tables(const mad::SwitchInfo& a, const mad::SwitchInfo& b);

/// True if the switch shows the LinearFDBTop and MulticastFDBTop that it showed last. Otherwise it
/// has restarted, or another manager wrote to it.
bool shows_our_tables(const Fabric& fabric, SwitchIndex sw, const Fabric& last);

/// True if the block that the switch shows is the known one, except for entries that the switch
/// does not show (masked_lfts).
bool shows_held_block(const Fabric& fabric, const DeviceState& devices, const LidMap& lids,
                      SwitchIndex sw, std::uint32_t block,
                      std::span<const std::uint8_t, kLftBlockLids> shown);

}  // namespace sm
