#pragma once

#include <set>
#include <span>
#include <vector>

#include "fabric/condition.h"
#include "fabric/lid_map.h"
#include "fabric/vl_tables.h"
#include "routing/qos/pairs_in_use.h"
#include "sm/health/link_health.h"
#include "sm/sweep/devices/adaptive_devices.h"
#include "sm/sweep/devices/fdr10.h"
#include "sm/sweep/devices/link_restarts.h"
#include "sm/sweep/devices/masked_tables.h"
#include "sm/sweep/devices/multicast_memory.h"
#include "sm/sweep/devices/port_disabling.h"
#include "sm/sweep/devices/rejected_sets.h"
#include "sm/sweep/devices/router_devices.h"
#include "sm/sweep/devices/table_memory.h"
#include "sm/sweep/devices/unsupported_settings.h"
#include "sm/sweep/devices/vl_refusals.h"
#include "virt/facts.h"
#include "virt/models.h"

namespace sm {

/// Holds what devices have, besides what a Fabric says, and which settings they do not take.
/// A value: a plan is made on a copy.
struct DeviceState {
  TableMemory lfts;
  MaskedTables masked_lfts;
  MulticastMemory mfts;
  VlTables vl_tables;
  VlRefusals vl_refusals;
  routing::PairsInUse pairs;  // of vl_tables, by what is held and wanted
  UnsupportedSettings unsupported;
  RejectedSets rejected;
  LinkRestarts restarts;
  Fdr10Ports fdr10;
  AdaptiveDevices adaptive;
  RouterDevices routers;
  DisabledPorts disabled;
  /// End ports (port GUIDs) whose clients are to register again, until they acknowledged
  /// ClientReregister.
  std::set<mad::Guid> reregistering;
  RouterAliases router_aliases;
  /// Ports of which the last survey did not read the whole P_Key table.
  std::set<PortPlace> unread_p_keys;
  /// By PortIndex of the fabric that is programmed, or empty: ports of which only the first block
  /// of the P_Key table was read.
  std::vector<bool> waiting_p_keys;
  virt::Facts vports;
  virt::Trials trials;  // of device models with vports

  /// Another manager was master, and may have written to all of them.
  void forget_tables();
  /// All of vports is read again; until then it counts.
  void invalidate_vports();
  /// Which state vports have is read again, and ports that have refused to show any are asked
  /// again.
  void reread_vport_states();
  /// Returns end ports that take ClientReregister, are to get it, and have not acknowledged it yet.
  std::set<mad::Guid> unregistered(const Fabric& fabric) const;
  bool is_waiting_for_p_keys(PortIndex port) const {
    return !waiting_p_keys.empty() && waiting_p_keys[port];
  }
  /// The port's P_Key table is known to its end.
  bool knows_p_keys(const Fabric& fabric, PortIndex port) const;
  /// After a survey that has read these nodes (NodeGUIDs), and not the tables of `unread`.
  void update_p_keys(const Fabric& fabric, std::span<const mad::Guid> read,
                     std::span<const PortPlace> unread);
  /// Nothing is kept of ports that are gone.
  void update_vports(const Fabric& fabric);
  /// Makes all tables of this node unknown.
  void forget_tables(const Fabric& fabric, NodeIndex node);
  /// The node holds something else than it said. All that it showed becomes unknown: what
  /// it seemed to reject or not to support is set again.
  void forget_node(const Fabric& fabric, NodeIndex node);

  /// After a survey: which memories of switch tables still hold. `last`: the fabric as it was
  /// programmed last, or null. `trust` false: none does. Returns which switches show tables that
  /// were not written to them.
  std::vector<Condition> update_tables(const Fabric& fabric, const Fabric* last, bool trust);
  /// Updates VL tables likewise: nodes that restarted have lost theirs.
  void update_vl_tables(const Fabric& fabric, const Fabric* last, bool trust);
  /// Which pairs of ports packets can use while what switches hold becomes what is wanted.
  void update_pairs(const Fabric& fabric, std::shared_ptr<const ForwardingTables> wanted,
                    std::shared_ptr<const MulticastTables> wanted_multicast, bool trust);
  /// Updates which Sets ports rejected and when those are sent again; marks links that ports keep
  /// from carrying data (Port::withheld).
  void update_rejections(Fabric& fabric, mad::TimePoint now);
};

/// Both were read from a switch that still holds the tables that it held: the fields agree that its
/// reset, or another manager, would change.
bool shows_same_tables(const mad::SwitchInfo& a, const mad::SwitchInfo& b);

/// A block that the switch shows is the one that it is known to hold, but for what it does not show
/// (masked_lfts).
bool shows_held_block(const Fabric& fabric, const DeviceState& devices, const LidMap& lids,
                      SwitchIndex sw, std::uint32_t block,
                      std::span<const std::uint8_t, kLftBlockLids> shown);

}  // namespace sm
