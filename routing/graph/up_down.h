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
  /// `legal`, completed over any links if there is no legal path, for the requested destinations.
  /// No legal path reaches a switch where such a path begins; packets that begin there may be part
  /// of a credit loop.
  HopTable<std::uint8_t> completed;
};
inline constexpr std::uint8_t kLongestUpDown = 253;

/// The distances before a change, of the same switches with the same indices.
struct UpDownBefore {
  const HopTable<std::uint8_t>*down, *legal;
  std::vector<std::uint8_t>
      changed;  // by switch: 1 if a link, or the direction of one, has changed
};

/// Computes the distances. `complete`: by destination switch, 1 if paths to it are to be completed.
/// With `before`, only rows that a change can affect are computed; the result is the same. Returns
/// nullopt if a path is longer than kLongestUpDown hops.
std::optional<UpDownDistances> up_down_distances(const fabric::SwitchGraph& graph,
                                                 const UpDownOrder& order,
                                                 std::span<const std::uint8_t> complete,
                                                 const UpDownBefore* before = nullptr);

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

 private:
  const fabric::SwitchGraph& graph_;
  const UpDownOrder& order_;
  const UpDownDistances& distances_;
  std::shared_ptr<const void> owner_;
  bool legal_only_ = false;
};

}  // namespace routing
