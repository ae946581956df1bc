#pragma once
// State is one value that lasts from pass to pass and has one owner (Sweeper).

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "fabric/subnet.h"
#include "partitions/kept_keys.h"
#include "routing/core/routing_state.h"
#include "routing/multicast/multicast.h"
#include "routing/registry.h"
#include "sm/context/sweep_context.h"
#include "sm/sweep/apply/plan.h"
#include "sm/sweep/decide/kept_lids.h"
#include "sm/sweep/devices/device_state.h"
#include "sm/sweep/devices/m_keys.h"
#include "sm/sweep/devices/stored_state.h"
#include "virt/find.h"

namespace sm {

/// Holds a routing and all that it depends on: if nothing of that changes, the routing stays.
struct Routed {
  SharedContext context;
  std::vector<std::uint8_t> facts;                    // routing_facts()
  std::shared_ptr<const routing::ChainResult> chain;  // null: there is none
  std::shared_ptr<const routing::RoutingState> state;
  std::shared_ptr<ForwardingTables> lfts;  // without LIDs of vports
  std::vector<Condition> conditions;
};

/// Holds trees of a remembered routing from before a loss. Tables share equal blocks.
struct RememberedTrees {
  std::shared_ptr<const routing::RememberedRouting> routing;
  std::shared_ptr<const MulticastTables> tables;  // by the switches of `routing`
  std::vector<mad::Guid> centres;
};

/// Holds the trees of the published subnet.
struct Trees {
  std::optional<routing::MulticastRouter> router;  // of `groups`
  std::vector<routing::MulticastGroup> groups;     // by MLID
  std::vector<routing::MulticastFinding> limits;   // of groups
  std::vector<RememberedTrees> remembered;
  bool has_credit_loop = false;  // SM-MCAST-CREDIT-LOOP is active
  bool all_groups_due = true;    // a decision took all groups, and they have not become `groups`
  bool is_behind = false;        // some switch does not hold yet what it should
};

/// Holds what is known of P_Keys that no membership explains, and its file.
struct PKeyOrigins {
  partitions::KeyOrigins known;
  partitions::SharedKept kept;  // of `known`, for readers; may be null
  bool is_loaded = false;
  std::string text;  // of the file
  /// The file has `known`, with this revision of the partitions of the API. Nothing: it may differ.
  std::optional<std::uint64_t> saved_revision = {};
};

/// Records whether another manager programmed the fabric before.
struct Succession {
  bool left_standby = false;          // another manager was master since the latest pass began
  bool has_noted_origins = false;     // ... and the origins of P_Keys say so
  bool leaving_standby = false;       // until a sweep as master succeeds
  bool is_first = true;               // no sweep as master has succeeded
  std::uint64_t clients_led = 0;      // by announce_master(), for this Registered::reregistration
  std::set<mad::Guid> announced;      // end ports that acknowledged ClientReregister then
  std::optional<Guid2Lid> lids;       // of the other manager
  std::optional<GroupIds> group_ids;  // of the other manager
};

struct State {
  std::shared_ptr<const Subnet> subnet;  // published latest; null before the first
  DeviceState devices;
  Routed routing;  // that the tables of `subnet` are of
  Trees trees;
  KeptLids kept;  // of ports that `subnet` does not have
  PKeyOrigins p_keys;
  MKeys m_keys;
  SharedContext configured;  // that m_keys has followed
  StoredState stored;
  Succession succession;
  bool reregister_vports = false;  // of ports whose vports run already
  bool vport_lfts_behind = false;  // some switch did not take the LID of some vport

  // Active conditions that a later pass updates in part
  std::vector<Condition> p_key_conditions;                          // of end ports
  std::vector<Condition> member_guids;                              // of partitions of the API
  std::map<PlanScope, std::map<mad::Guid, std::string>> unwritten;  // ApplyReport::unwritten

  // The survey
  std::vector<mad::Guid> claimed;  // Survey::claimed of the sweep that runs
  bool cleared_changes = false;    // the latest survey cleared PortStateChange before it read ports

  /// True if the clients of this port's vports are still to be asked to register again.
  bool awaits_vports(const Port& port) const {
    if (!virt::can_have_vports(port)) return false;
    const auto facts = devices.vports.find(port.guid);
    return reregister_vports ||
           (facts != devices.vports.end() && facts->second.owes_reregistration());
  }
  /// True if links or switches were added that carry less than they could, as far as is known.
  bool has_gained() const { return routing.state && routing.state->gained; }
  /// True if flows of shift permutations may share links although other routes are possible.
  bool has_conflicts() const {
    return routing.state && !routing.state->adopted && !routing.state->conflicts_removed;
  }
  /// True if routes were moved off links or switches that are still lost or out of use.
  bool has_lost() const { return routing.state && !routing.state->remembered.empty(); }
};

}  // namespace sm
