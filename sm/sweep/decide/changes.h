#pragma once
// Describes to operators which nodes and links appeared or were lost.

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fabric/condition.h"
#include "fabric/fabric.h"
#include "fabric/subnet.h"
#include "fabric/touched.h"
#include "mad/runtime.h"
#include "sm/sweep/decide/loss_conditions.h"
#include "sm/sweep/decide/node_places.h"

namespace sm {

/// Says what keeps a port without a link: "Disabled (by an administrator)", "Polling (no signal: no
/// cable, or nothing at its other end)", or that it has one: "LinkUp (PortState Active)"; "" for a
/// state that has no such reason. Pure.
std::string explain_state(const mad::PortInfo& info);

/// Says what keeps two ports from being linked: "both ports are Polling (...)", "\"S1-1\" port 2 is
/// Disabled (by an administrator)", which explains the other port, too. kNoIndex, or a port that
/// was not read: it is left out. "": neither says anything. Pure.
std::string link_state_text(const Fabric& fabric, PortIndex a, PortIndex b);

/// Returns log lines for nodes that only `after` has, then for links that came up between nodes
/// that both have. It does not list links of a new node, whose line names a neighbour.
std::vector<std::string> arrivals(const Fabric& before, const Fabric& after,
                                  const Touched& touched = {});

/// True if more than a tenth of the LIDs or switches of `before` are missing in `after`, and at
/// least kMassChange. One wrong response is more probable than so many faults at a time. Pure.
inline constexpr std::size_t kMassChange = 10;
bool is_mass_change(const Fabric& before, const Fabric& after);

/// True if a port of `surveyed` has a LID that belongs to another port in `known`. Pure.
bool has_lids_of_others(const Fabric& surveyed, const Subnet& known);

/// True if both have equal nodes and links, in one order, with equal states, LIDs, speeds and
/// tables, as far as surveys show them. Decisions on LIDs and routes would be equal, too. Pure.
bool decides_the_same(const Fabric& before, const Fabric& after);

/// Holds nodes and links that were lost and have not been seen since. Pure: the time is passed in.
class Losses {
 public:
  static constexpr std::size_t kKept = 10'000;  // nodes, and links; what is lost beyond is not kept
  static constexpr mad::Duration kRetention = std::chrono::hours(7 * 24);

  /// Adds what `before` has and `after` has not. Removes what `after` has again, links with a port
  /// that has another link now, and losses that are kRetention old.
  void update_from(const Fabric& before, const Fabric& after, mad::TimePoint now,
                   const Touched& touched = {});

  /// Returns all losses, for conditions and counts.
  LossFacts facts() const;
  /// Returns the losses for lists, the oldest first: all but links of lost nodes.
  std::vector<LostThing> list() const { return listed_losses(facts()); }
  std::vector<Condition> conditions() const { return loss_conditions(facts()); }
  /// Removes the losses with this name; of a node, also its links and what was lost behind it.
  /// Returns false if none has this name.
  bool forget(std::string_view name);

  /// Returns SM-NODE-MOVED for nodes that were found at another place since the last call.
  std::vector<Condition> take_moves() { return places_.take_moves(); }
  /// Maps each lost node that has a successor at its place to that replacement.
  const std::map<mad::Guid, Replacement>& replacements() const { return places_.replacements(); }

 private:
  using End = PortPlace;
  using Link = NodePlaces::Link;  // the smaller end first

  void find_moves(const Fabric& before, const Fabric& after, const Touched& touched);
  void add_nodes(const Fabric& before, const Fabric& after, mad::TimePoint now);
  void add_links(const Fabric& before, const Fabric& after, mad::TimePoint now,
                 const Touched& touched);
  void update_states(const Fabric& after);
  void remove_returned(const Fabric& after, mad::TimePoint now);

  std::map<mad::Guid, LostThing> nodes_;
  std::map<Link, LostThing> links_;
  std::map<LinkTier, std::size_t> links_before_;  // of each tier, before the oldest of links_
  std::size_t next_number_ = 0;
  NodePlaces places_;  // of nodes_
};

}  // namespace sm
