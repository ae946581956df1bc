#pragma once
// Computes Up*/Down* paths in any strict order of the switches: no packet goes up after it has gone
// down. There is therefore no channel-dependency cycle on one VL, on any topology. Source:
// Schroeder et al., Autonet: a high-speed, self-configuring local area network using point-to-point
// links, IEEE JSAC 9(8), 1991.

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "fabric/switch_graph.h"
#include "routing/graph/candidates.h"
#include "routing/graph/hops.h"

namespace routing {

/// Holds the unique position of each switch in the order; 0 is the top. The end of a link with the
/// lower position is above.
using UpDownOrder = std::vector<std::uint32_t>;

/// Orders by `rank` (0: top), then by `id`, then by `guid`. All three are by switch.
UpDownOrder order_by_rank(std::span<const std::uint32_t> rank, std::span<const std::uint64_t> id,
                          std::span<const std::uint64_t> guid);

/// Returns, by channel, 1 if it leads down.
std::vector<std::uint8_t> down_flags(const fabric::SwitchGraph& graph, const UpDownOrder& order);

/// Lengths of paths between all pairs of switches, in hops.
///
/// A switch has one next hop for a destination, whichever port a packet arrives at. A switch with a
/// path that only goes down must therefore use it, even if a path that goes up first is shorter:
/// otherwise a packet that has gone down would go up again. In layered fabrics (trees) downward
/// paths are never longer.
struct UpDownDistances {
  HopTable<std::uint8_t> down;   // downward paths
  HopTable<std::uint8_t> legal;  // the paths that packets take: downward, or else up and then as
                                 // the next switch routes
  /// `legal`, completed if there is no legal path, for the requested destinations: first towards
  /// the leaf `turn`, as packets to that leaf go, up to a switch with a legal path. Where that
  /// leads nowhere: over any links. No legal path reaches a switch where such a path begins;
  /// packets that begin there may be part of a credit loop.
  HopTable<std::uint8_t> completed;
  /// By switch, one for each connected component: where paths may go up after going down. Two such
  /// leaves can close a cycle of channel dependencies; one cannot on two levels. kNoIndex: every
  /// pair has a legal path.
  std::vector<fabric::SwitchIndex> turn;
  std::vector<fabric::SwitchIndex> next_to_leaf;  // by switch: the next one for packets that turn
  TurningPairs turning;

  /// True if packets from `sw` to `to` go towards the leaf first.
  bool turns(fabric::SwitchIndex sw, fabric::SwitchIndex to) const { return turning.has(sw, to); }
};
inline constexpr std::uint8_t kLongestUpDown = 253;

/// The distances before a change, of the same switches with the same indices.
struct UpDownBefore {
  const HopTable<std::uint8_t>*down, *legal;
  std::vector<std::uint8_t>
      changed;  // by switch: 1 if a link, or the direction of one, has changed
};

/// Says which pairs of switches need a path although no legal one exists, and where it may turn.
struct UpDownNeeds {
  std::vector<std::uint8_t> complete;  // by destination switch: 1 if paths to it are completed
  std::vector<std::uint32_t> hosts;    // by switch; a turning leaf has some
  std::vector<std::uint8_t>
      limited;  // by switch: 1 if its packets turn only to switches with hosts; empty: none

  bool has(fabric::SwitchIndex from, fabric::SwitchIndex to) const {
    return complete[to] != 0 && (limited.empty() || limited[from] == 0 || hosts[to] > 0);
  }
};

/// Computes the distances. With `before`, only rows that a change can affect are computed; the
/// result is the same. Returns nullopt if a path is longer than kLongestUpDown hops.
std::optional<UpDownDistances> up_down_distances(const fabric::SwitchGraph& graph,
                                                 const UpDownOrder& order, const UpDownNeeds& needs,
                                                 const UpDownBefore* before = nullptr);

/// Describes the pairs of switches with senders that have no legal path.
struct PairsWithoutPath {
  std::size_t pairs = 0;
  fabric::SwitchIndex from = fabric::kNoIndex, to = fabric::kNoIndex;  // the first ones
  fabric::SwitchIndex leaf = fabric::kNoIndex;  // where their packets turn; kNoIndex: anywhere
};
PairsWithoutPath pairs_without_path(const UpDownDistances& distances,
                                    std::span<const std::uint32_t> senders);

/// Gives the next hops on these paths. Keeps references to the graph and the order.
class UpDownCandidates final : public Candidates, public LocalCandidates {
 public:
  UpDownCandidates(const fabric::SwitchGraph& graph, const UpDownOrder& order,
                   const UpDownDistances& distances)
      : graph_(graph), order_(order), distances_(distances) {}  // a reference, too
  UpDownCandidates(const fabric::SwitchGraph& graph, const UpDownOrder& order,
                   std::shared_ptr<const UpDownDistances> distances)
      : graph_(graph), order_(order), distances_(*distances), owner_(std::move(distances)) {}
  /// Returns the next hops on legal paths alone, without those of UpDownDistances::completed. Keeps
  /// a reference to the graph.
  static std::shared_ptr<const Candidates> make_legal(
      const fabric::SwitchGraph& graph, UpDownOrder order,
      std::shared_ptr<const UpDownDistances> distances);
  void find(fabric::SwitchIndex sw, std::span<const fabric::ChannelIndex> channels,
            CandidateMasks& masks) const override;
  const LocalCandidates* local() const override { return this; }
  CandidateSet find_for(fabric::SwitchIndex sw, std::span<const fabric::ChannelIndex> channels,
                        fabric::SwitchIndex destination) const override;
  std::vector<const HopTable<std::uint8_t>*> tables() const override {
    return {&distances_.down, &distances_.legal, &distances_.completed};
  }
  std::shared_ptr<const void> owner_of_tables() const override { return owner_; }
  std::vector<std::uint8_t> channel_flags() const override { return down_flags(graph_, order_); }
  TurningHops turning_hops() const override {
    return {distances_.next_to_leaf, distances_.turning};
  }
  bool turns(fabric::SwitchIndex sw, fabric::SwitchIndex to) const override {
    return !legal_only_ && distances_.turns(sw, to);
  }

 private:
  const fabric::SwitchGraph& graph_;
  const UpDownOrder& order_;
  const UpDownDistances& distances_;
  std::shared_ptr<const void> owner_;
  bool legal_only_ = false;
};

}  // namespace routing
