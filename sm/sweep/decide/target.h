#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "fabric/adaptive_groups.h"
#include "fabric/fabric.h"
#include "fabric/forwarding_tables.h"
#include "fabric/lid_map.h"
#include "fabric/multicast_tables.h"
#include "fabric/partition_map.h"
#include "fabric/published_routing.h"
#include "mad/attributes/port_tables.h"
#include "partitions/p_key_tables.h"
#include "sm/store/m_key_policy.h"

namespace sm {

/// Holds eight entries of an end port's GUID table, as clients registered them.
struct GuidInfoBlock {
  mad::Guid port_guid;
  std::uint32_t block = 0;
  mad::GuidInfo content;
};

struct VPortTargets;

/// Target is the state that a fabric should have. It names switches, ports and end ports by their
/// indices in that fabric.
struct Target {
  LidMap lids;
  std::shared_ptr<ForwardingTables> lfts;  // null: they stay as they are
  /// Groups of ports that belong to lfts; null means that packets go by lfts alone.
  std::shared_ptr<const AdaptiveGroups> adaptive = {};
  /// The routing that made lfts; null means that VL tables stay as they are.
  std::shared_ptr<const PublishedRouting> routing = {};
  std::shared_ptr<const MulticastTables> mfts = {};  // null: they stay as they are
  /// Switches of which mfts brings pairs of ports into use (routing::PairsInUse). The planner reads
  /// the list if it compares nothing but mfts.
  std::vector<SwitchIndex> newly_used = {};
  PartitionMap partition_map;
  partitions::PKeyTargets p_keys;         // what partition_map means for ports
  std::optional<MKeyPolicy> m_keys = {};  // nullopt: by the options, of version 0
  mad::Lid known_manager = {};            // registrations with this one are known; 0: with none
  bool reregister_clients = false;        // ClientReregister is set on every end port
  std::vector<bool> newcomers = {};  // by PortIndex, or empty: end ports that get ClientReregister,
                                     // since what they registered was dropped or never known
  std::vector<GuidInfoBlock> alias_guids = {};                // of ports that may have lost theirs
  std::shared_ptr<const VPortTargets> vports = {};            // null: they stay as they are
  std::shared_ptr<const ForwardingTables> current_lfts = {};  // that LIDs of vports need: lfts, or
                                                              // what switches should hold already
};

/// True if the link of this port may carry data: it is up, and both ends have what they need (an
/// end port has a LID).
bool may_activate(const Fabric& fabric, const LidMap& lids, PortIndex port);

}  // namespace sm
