#pragma once
// Groups of output ports between which a switch chooses for each packet (adaptive routing), and the
// switches that do so. Routing and the sweep build them; they are published with the subnet.

#include <bitset>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "fabric/index.h"
#include "fabric/namespace.h"
#include "mad/ids.h"

namespace fabric {

/// A set of port numbers; port 0 is never a member of a group.
using PortSet = std::bitset<256>;

/// The number of a group, 1 .. 4095, equal on all switches for one destination switch; 0: none.
using GroupId = std::uint16_t;

/// Holds, for each switch and each destination switch that hosts are attached to, the output ports
/// on minimal legal paths. A packet to a LID of that group may leave through any of these ports;
/// one of them is the LID's entry in the LinearForwardingTable. Switches may share a row.
class AdaptiveGroups {
 public:
  /// The groups of one switch. Few sets differ, so each distinct set is stored once.
  struct Row {
    std::vector<PortSet> sets{PortSet{}};  // the first one is empty
    std::vector<std::uint16_t> set_of;     // by group: index into sets; may be shorter

    const PortSet& ports(GroupId group) const {
      return sets[group < set_of.size() ? set_of[group] : 0];
    }
    bool operator==(const Row&) const = default;
  };

  IndexVector<SwitchIndex, GroupId> group_to;  // by destination switch; 0: static routes only
  std::vector<GroupId> group_of_lid;           // 0: static, as are LIDs beyond the end
  IndexVector<SwitchIndex, std::shared_ptr<const Row>> rows;  // by switch; not null

  /// Returns the empty set if packets to this group use the LinearForwardingTable alone: at the
  /// destination switch itself, and where there is no path.
  const PortSet& ports(SwitchIndex sw, GroupId group) const { return rows[sw]->ports(group); }
  GroupId find_group(mad::Lid lid) const {
    return lid.value < group_of_lid.size() ? group_of_lid[lid.value] : GroupId{0};
  }
  /// Returns the highest group in use.
  GroupId top() const;
};

/// Says whether a switch routes adaptively, and if not, why.
enum class AdaptiveState : std::uint8_t {
  off,          // the configuration does not ask for it
  active,       // it chooses among the ports of groups, or recovers with them
  pending,      // its tables are being written, or a write is repeated
  unsupported,  // it says that it cannot, or has no such attribute
  refused,      // it rejected its settings or tables
  mismatch,     // it showed other tables than were written to it
  silent,       // it did not answer requests about it
};
/// Returns a text for people, e.g. "no adaptive routing capability".
std::string_view text(AdaptiveState state);

struct AdaptiveSwitch {
  AdaptiveState state = AdaptiveState::off;
  bool fast_recovery = false;  // FREn: a group member replaces a static port that is down
  bool pfrn = false;           // pFRNEn: neighbours learn of lost paths
  std::uint16_t groups = 0;    // with ports
  std::string reason = {};     // where it is not active: what it answered
  bool operator==(const AdaptiveSwitch&) const = default;
};

/// Describes adaptive routing as it is in effect.
struct AdaptiveRouting {
  IndexVector<SwitchIndex, AdaptiveSwitch> switches;
  std::shared_ptr<const AdaptiveGroups> groups;  // not null
  std::uint16_t sl_mask = 0xFFFF;                // SLs that are routed adaptively
  std::uint8_t transport_mask = 0;               // ar_transport_mask: 1 UD, 2 RC, 4 UC, 8 DC

  /// Compares groups by address.
  bool operator==(const AdaptiveRouting&) const = default;
  /// True if the switch chooses for packets of this SL.
  bool is_adaptive(SwitchIndex sw, mad::Sl sl) const {
    return switches[sw].state == AdaptiveState::active && (sl_mask >> sl.value & 1) != 0;
  }
};

}  // namespace fabric
