#pragma once
// Follows packets through every choice that switches with adaptive routing may make. Tests check
// with it what must hold for every choice.

#include <unordered_map>
#include <vector>

#include "sim/world/forwarding.h"

namespace sim {

/// The end of a unicast packet, over all choices.
struct Reach {
  // The drop of a choice that does not arrive, if there is one. A forwarding loop (too_long) or a
  // wrong end has precedence over other drops, and P_Key drops come last.
  Drop drop = Drop::none;
  PortIndex end = kNone;  // where it was dropped, or entered a switch of its loop again
  std::vector<Hop> path;  // to there; where all choices arrive, the longest one
  bool delivered() const { return drop == Drop::none; }
};

/// Follows packets with one header from many ports; the results for a switch are cached. The model
/// must not change between walks.
class AllChoices {
 public:
  AllChoices(const Model& model, const PacketHeader& packet) : model_(model), packet_(packet) {}
  Reach walk(PortIndex from);

  /// A link that packets may cross after they entered a switch by `entry`.
  struct Step {
    PortIndex entry = kNone;
    Hop hop;
  };
  /// Returns all steps of the walks so far without duplicates, including walks that do not arrive.
  const std::vector<Step>& steps() const { return steps_; }
  /// Returns the first hops of walks from CAs and routers.
  const std::vector<Hop>& first_hops() const { return first_hops_; }

 private:
  /// The cached results for packets that entered a switch by a port.
  struct Station {
    bool done = false;
    Drop drop = Drop::none;
    PortIndex end = kNone;
    unsigned hops_max = 0;  // of those that arrive
    Hop next;               // towards the drop, or the longest way; in == kNone: it ends here
    std::vector<Hop> left;  // hops that were not followed yet
  };
  Station& enter(PortIndex here);
  void take(Station& into, const Hop& hop, const Station& from);
  void search(PortIndex first);

  const Model& model_;
  PacketHeader packet_;
  std::unordered_map<PortIndex, Station> stations_;  // by entry port
  std::vector<PortIndex> open_;                      // the way that is searched
  std::vector<Step> steps_;
  std::vector<Hop> first_hops_;
};

/// Follows one packet.
Reach walk_all(const Model& model, PortIndex from, const PacketHeader& packet);

}  // namespace sim
