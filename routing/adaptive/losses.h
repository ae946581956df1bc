#pragma once
// Counts the paths that adaptive routing keeps after links are lost and before the manager reacts.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "fabric/adaptive_groups.h"
#include "fabric/forwarding_tables.h"
#include "fabric/lid_map.h"
#include "fabric/switch_graph.h"

namespace routing {

/// Selects how a switch forwards while ports of a group are down.
enum class LocalChoice : std::uint8_t {
  any_member,  // adaptive routing: any member that is up
  recovery,    // fast recovery alone: the static port, and while that is down any member that is up
};

struct LossSettings {
  unsigned links = 1;          // lost at once. 1: each link is tried; more: samples
  std::size_t samples = 1000;  // for more than one link
  std::uint64_t seed = 1;
  LocalChoice choice = LocalChoice::any_member;
  std::size_t examples = 10;
  /// If not empty, exactly these losses are tried; the lower channel stands for a link.
  std::vector<std::vector<fabric::ChannelIndex>> losses = {};
};

struct LossReport {
  /// Identifies packets from hosts at one switch to hosts at another.
  struct Pair {
    fabric::SwitchIndex from, to;
    bool operator==(const Pair&) const = default;
  };
  struct Example {
    std::vector<fabric::ChannelIndex> links;  // lost, each by one of its channels
    Pair pair;
    bool is_cut = false;  // no choice of ports arrives
  };
  std::size_t links = 0;    // between switches, of the fabric
  std::size_t losses = 0;   // that were tried, each of LossSettings::links links
  std::uint64_t pairs = 0;  // that have a path before a loss
  std::uint64_t tried = 0;  // losses * pairs
  std::uint64_t kept = 0;   // of these: packets arrive over any choice of ports
  std::uint64_t at_risk =
      0;                  // packets arrive or not, depending on choices further away from the loss
  std::uint64_t cut = 0;  // no choice arrives
  std::size_t losses_without_effect = 0;  // all pairs are kept
  std::vector<Example> examples;          // the first pairs that are not kept, one a loss
};

/// Removes links, and follows packets between the hosts of different switches over the unchanged
/// groups and tables. A switch knows only which of its own ports are down; it cannot forward if all
/// ports that it may choose are down. With LocalChoice::recovery, a pair counts as kept if the
/// packets to all LIDs of hosts at the destination switch arrive. Source: NVIDIA's documents
/// describe the local replacement of a port as SHIELD.
LossReport lose_links(const fabric::SwitchGraph& graph, const fabric::LidMap& lids,
                      const fabric::ForwardingTables& lfts, const fabric::AdaptiveGroups* groups,
                      const LossSettings& settings);

}  // namespace routing
