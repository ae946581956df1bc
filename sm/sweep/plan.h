#pragma once
// The difference between what is and what should be, as attribute writes in a safe order.

#include <string>
#include <vector>

#include "config/options.h"
#include "fabric/fabric.h"
#include "fabric/forwarding_tables.h"
#include "fabric/lid_map.h"
#include "fabric/partition_map.h"
#include "mad/smp_client.h"
#include "partitions/p_key_tables.h"
#include "routing/registry.h"
#include "sm/sweep/refused_settings.h"
#include "sm/sweep/table_memory.h"

namespace sm {

/// What Heddle wants of a fabric.
struct Target {
  LidMap lids;
  std::shared_ptr<ForwardingTables> lfts;  // rows as in Fabric::switches
  std::shared_ptr<const routing::ChainResult> routing =
      {};  // that lfts are of; its own lfts are gone
  PartitionMap partition_map;
  partitions::PKeyTargets p_keys;    // what partition_map means for ports
  bool reregister_clients = false;   // ClientReregister is set on every end port
  std::vector<bool> newcomers = {};  // by PortIndex, or empty: end ports that the last subnet did
                                     // not have: what they registered was forgotten
  std::vector<PortIndex> hold_back = {};  // sorted: links of these ports must not become Active now
                                          // (a multicast packet could enter a forwarding loop)
};

/// One SubnSet to the node that `port` is on.
struct Write {
  mad::AttributeId attribute{};
  std::uint32_t modifier = 0;
  PortIndex port = kNoIndex;
  mad::SmpData data{};
};

struct LftWrite {
  SwitchIndex sw;
  std::uint32_t block;
  bool operator==(const LftWrite&) const = default;
};

/// Writes by stage. A stage begins when the one before it is acknowledged, so that a port carries
/// data only after the tables that it needs are there (activation, the last stage, follows from
/// what the ports then say: see apply()).
struct Plan {
  std::vector<LftWrite> tables;  // LinearForwardingTable blocks, bytes from Target::lfts
  std::vector<Write> nodes;      // SwitchInfo (LinearFDBTop after the tables it opens), P_KeyTables
  std::vector<Write> ports;      // PortInfo: settings, and Armed for ports in Init
  std::vector<Write> restarts;   // PortInfo: Down for the nearer end of links whose MTU or VLs
                                 // changed while they ran

  std::size_t size() const { return tables.size() + nodes.size() + ports.size() + restarts.size(); }
};

/// Pure. `memory` follows `fabric`.
Plan make_plan(const Fabric& fabric, const Target& target, const TableMemory& memory,
               const RefusedSettings& refused, const config::Options& options);

/// The part of it that partitions determine: P_Key tables, and which switch ports check them.
/// Everything else stays as it is.
Plan make_partition_plan(const Fabric& fabric, const Target& target);

/// The link of this port may carry data: cabled, up, not held back, and both ends have what they
/// need (an end port has a LID).
bool may_activate(const Fabric& fabric, const Target& target, PortIndex port);

}  // namespace sm
