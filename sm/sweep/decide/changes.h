#pragma once
// Describes to operators which nodes and links appeared or were lost.

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fabric/condition.h"
#include "fabric/fabric.h"
#include "fabric/subnet.h"
#include "fabric/touched.h"
#include "mad/runtime.h"

namespace sm {

/// Log lines: nodes of `after` that `before` does not have, then links that are up between nodes
/// that both have. A link of a new node is not listed: the line of the node names its neighbour.
std::vector<std::string> arrivals(const Fabric& before, const Fabric& after,
                                  const Touched& touched = {});

/// More than a tenth of the LIDs or of the switches of `before` are missing in `after`, and at
/// least kMassChange: rather one wrong answer than so many faults at a time. Pure.
inline constexpr std::size_t kMassChange = 10;
bool is_mass_change(const Fabric& before, const Fabric& after);

/// True if a port of `surveyed` has a LID that is another port's in `known`. Pure.
bool has_lids_of_others(const Fabric& surveyed, const Subnet& known);

/// True if both have equal nodes and links, in one order, with equal states, LIDs, speeds and
/// tables, as far as surveys show it: LIDs and routes would be decided as before. Pure.
bool decides_the_same(const Fabric& before, const Fabric& after);

/// A node or link that was lost, for the operator.
struct LostThing {
  mad::Guid node;                    // NodeGUID; of a link, that of one end
  std::optional<mad::PortNum> port;  // of a link: its port there; nothing: the whole node
  std::string name;                  // NodeDescription
  // Holds the other end of a link, or the switch port in front of a node; GUID 0: not known.
  mad::Guid peer_node;
  std::optional<mad::PortNum> peer_port;
  std::string peer;
  mad::TimePoint since{};

  /// True if a person means it by "NODE", which is a GUID, a NodeDescription or its first word, or
  /// by "NODE:PORT" for either end of a link.
  bool is_called(std::string_view text) const;
};

/// Nodes and links that were lost and have not been seen since. Pure: the time is passed in.
class Losses {
 public:
  static constexpr std::size_t kNamed = 100;    // conditions of an identifier; the rest is counted
  static constexpr std::size_t kKept = 10'000;  // nodes, and links; what is lost beyond is not kept
  static constexpr mad::Duration kStands = std::chrono::hours(7 * 24);

  /// Adds what `after` does not have of `before`, and removes what `after` has again, links with a
  /// port that has another link now, and what was lost kStands ago.
  void update_from(const Fabric& before, const Fabric& after, mad::TimePoint now,
                   const Touched& touched = {});

  /// SM-NODE-LOST and SM-LINK-LOST, the oldest first. Links of lost nodes are not among them: the
  /// condition of the node names its neighbour.
  std::vector<Condition> conditions() const;
  /// Returns all of them as data, the oldest first.
  std::vector<LostThing> list() const;
  /// Removes what is called so, and the links of a node that is. False: nothing is.
  bool forget(std::string_view name);

 private:
  using End = std::pair<mad::Guid, mad::PortNum>;  // NodeGUID, port
  using Link = std::pair<End, End>;                // the smaller end first
  struct Lost {
    std::string text;
    mad::TimePoint since;
    std::size_t number;  // in the order of loss
    LostThing what;
  };

  std::map<mad::Guid, Lost> nodes_;
  std::map<Link, Lost> links_;
  std::size_t next_number_ = 0;
};

}  // namespace sm
