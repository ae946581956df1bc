#pragma once
// Conditions of lost nodes and links: a cause comes first, and counts what it cut off. Pure.

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fabric/condition.h"
#include "mad/runtime.h"
#include "sm/sweep/decide/loss_causes.h"

namespace sm {

/// Shortens a list of NodeDescriptions: "H36..H47" for names that differ in their last number only,
/// in the order of prefixes and numbers; at most three names or ranges, then how many more there
/// are. The first word of a description is its name. Pure.
std::string name_ranges(const std::vector<std::string>& descriptions);

/// Describes a lost node or link for the operator.
struct LostThing {
  mad::Guid node;                         // NodeGUID; of a link, that of one end
  std::optional<mad::PortNum> port = {};  // of a link: its port there; nothing: the whole node
  std::string name;                       // NodeDescription
  // Holds the other end of a link, or the switch port in front of a node; GUID 0: not known.
  mad::Guid peer_node = {};
  std::optional<mad::PortNum> peer_port = {};
  std::string peer = {};
  bool is_switch = false;               // of a node
  mad::Guid behind = {};                // of a node: the switch that cuts it off while that is lost
  std::optional<LinkTier> tier = {};    // of a link between switches
  std::optional<mad::Guid> cause = {};  // in a list: the lost switch that it was lost behind
  std::string state = {};               // what keeps its ports without a link; "": not known
  std::size_t number = 0;               // in the order of loss
  mad::TimePoint since{};
  std::vector<mad::Guid> end_ports = {};  // of a node: the GUIDs of its end ports

  /// True if a person means it by "NODE", which is a GUID, a NodeDescription or its first word, or
  /// by "NODE:PORT" for either end of a link.
  bool is_called(std::string_view text) const;
  /// True if a person means a port of this node by "NODE:PORT".
  bool has_port_called(std::string_view text) const;
  /// Returns ""leaf-1" (0x...)", of a link with " port 3".
  std::string title() const;
  /// Returns "; it was behind "leaf-1" (0x...) port 3", of a link "; it led to ...", or "".
  std::string place_text() const;
};

/// Holds everything that is lost.
struct LossFacts {
  std::vector<LostThing> nodes, links;           // the oldest first; also links of lost nodes
  std::map<LinkTier, std::size_t> links_before;  // links between switches before the losses
};

/// Holds how much is lost, for metrics.
struct LossCounts {
  std::size_t switches = 0;
  std::size_t hosts = 0;                                  // CAs and routers
  std::size_t hosts_cut_off = 0;                          // those of them behind a lost switch
  std::size_t links_of_switches = 0, links_of_hosts = 0;  // whose nodes answer
  double capacity = 0;  // lost links between two tiers of switches, over those before; the worst

  bool operator==(const LossCounts&) const = default;
};

/// Arranges the lost nodes as a forest: each under the lost switch that cuts it off.
class LossTree {
 public:
  /// `facts` must outlive the tree.
  explicit LossTree(const LossFacts& facts);

  bool is_lost(mad::Guid node) const { return nodes_.contains(node); }
  /// Returns the lost switch in front of a lost node; null if there is none, or it is back.
  const LostThing* find_cause(const LostThing& node) const;
  const LostThing& find_root(const LostThing& node) const;
  /// Returns the root of a lost node; null if the node is not lost.
  const LostThing* find_root(mad::Guid node) const;

 private:
  std::map<mad::Guid, const LostThing*> nodes_;
};

inline constexpr std::size_t kLossesNamed = 100;     // conditions without a cause, of an identifier
inline constexpr std::size_t kLossesBehind = 1'000;  // conditions with one

/// Returns SM-NODE-LOST, SM-HOSTS-LOST and SM-LINK-LOST, those without a cause first, each kind in
/// the order of loss. One more condition counts what is beyond kLossesNamed. A lost switch has the
/// nodes behind it in its text, and is the cause of their conditions. Several hosts that were lost
/// behind a switch that answers have one condition of its port 0 as their cause. Links of lost
/// nodes have no condition.
std::vector<Condition> loss_conditions(const LossFacts& facts);
LossCounts loss_counts(const LossFacts& facts);
/// Returns all but links of lost nodes, the oldest first, each with its cause.
std::vector<LostThing> listed_losses(const LossFacts& facts);

}  // namespace sm
