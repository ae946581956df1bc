#pragma once
// Finds nodes that were plugged in elsewhere, and new nodes at the places of lost ones. Pure.

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "fabric/condition.h"
#include "fabric/fabric.h"
#include "sm/health/link_health.h"

namespace sm {

/// Describes a node whose link leads elsewhere than it did.
struct Move {
  mad::Guid node;
  std::string name;                // description, GUID and, if the node has several ports, port
  PortPlace from, to;              // the other end of its link
  std::string from_name, to_name;  // description, GUID and port
  std::size_t more = 0;            // other links of the node that lead elsewhere, too
};

inline constexpr std::size_t kMovesNamed = 10;

/// Returns SM-NODE-MOVED for each of these moves. Two nodes that exchanged their places have one
/// text. More than kMovesNamed moves have one condition, which counts them. `earlier` are moves
/// that were reported before, by NodeGUID.
std::vector<Condition> move_conditions(std::span<const Move> moves,
                                       const std::map<mad::Guid, Move>& earlier);

/// Describes a lost node, and the new one that has its links.
struct Replacement {
  mad::Guid lost, successor;               // NodeGUIDs
  std::string lost_name, successor_name;   // description and GUID
  std::vector<mad::Guid> lost_ports = {};  // PortGUIDs of the lost node
  bool is_switch = false;
  std::string place = {};             // the other end of a link that both had
  std::size_t links = 0, before = 0;  // that the new node has of those that the lost one had
};

/// Remembers where lost nodes were. A node has moved if a link of it leads elsewhere than its
/// latest known one; a switch, if that holds for all of its links to switches. A new node replaces
/// a lost one if most of the links of a lost switch, or half of those of a lost CA or router, lead
/// to it now; its neighbours have not moved then.
class NodePlaces {
 public:
  using Link = std::pair<PortPlace, PortPlace>;

  /// Notes that `node` of `before` is lost.
  void lose(const Fabric& before, NodeIndex node);
  /// Adds links of lost nodes which these had lost earlier.
  void add_lost(const Link& link);
  /// Forgets a node that has returned, or was forgotten by order.
  void forget(mad::Guid node);

  /// Compares two fabrics in turn. `fresh` are both ends of the links that are up in `after` alone,
  /// `lost` the links that were lost earlier.
  void update_from(const Fabric& before, const Fabric& after, std::span<const PortIndex> fresh,
                   std::span<const Link> lost);
  /// Compares new nodes with the places of nodes that are still lost.
  void find_replacements(const Fabric& after);

  /// Returns the conditions of moves since the last call.
  std::vector<Condition> take_moves();
  /// Maps each lost node that was replaced to its replacement.
  const std::map<mad::Guid, Replacement>& replacements() const { return replacements_; }

 private:
  static constexpr std::size_t kEarlierMax = 1'000, kArrivedMax = 10'000;

  struct LostNode {
    std::string name;
    bool is_switch = false;
    std::vector<mad::Guid> ports;  // PortGUIDs
    std::map<mad::PortNum, PortPlace> links;
  };
  void note_arrivals(const Fabric& before, const Fabric& after);
  std::optional<PortPlace> find_former(const Fabric& before, const PortPlace& port,
                                       const std::map<PortPlace, PortPlace>& lost) const;
  bool has_moved(const Fabric& before, const Fabric& after, NodeIndex node) const;
  std::string describe(const Fabric& before, const Fabric& after, const PortPlace& place) const;
  std::optional<Replacement> find_lost(const Fabric& after, NodeIndex successor) const;

  std::map<mad::Guid, LostNode> lost_;
  std::map<PortPlace, mad::Guid> places_;  // ends of links of lost nodes: the lost node
  std::set<mad::Guid> arrived_;            // new nodes since the first of lost_
  std::map<mad::Guid, Replacement> replacements_;
  std::vector<Move> moves_;            // that take_moves() has not returned
  std::map<mad::Guid, Move> earlier_;  // that it has returned
};

}  // namespace sm
