#pragma once
// Ways that first climb and then descend, in any strict order of the switches. No packet that
// descends climbs again, so no packets can wait for each other in a circle: one lane is enough, on
// any fabric.

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "fabric/switch_graph.h"
#include "routing/graph/candidates.h"
#include "routing/graph/hops.h"

namespace routing {

/// Place of each switch in the order: 0 is the top, and all are different. Across a cable, the end
/// with the lower place is above.
using UpDownOrder = std::vector<std::uint32_t>;

/// Orders by `rank` (0: top), then by `id`, then by switch GUID as `guid` has it; all are per
/// switch.
UpDownOrder order_by_rank(std::span<const std::uint32_t> rank, std::span<const std::uint64_t> id,
                          std::span<const std::uint64_t> guid);

/// Lengths of ways between all pairs of switches.
///
/// A switch has one next hop for a destination and does not know where a packet comes from. So one
/// that has a way down must take it, even if climbing first would be shorter: else a packet that
/// already descends would climb again. On layered fabrics (trees) ways down are never longer.
struct UpDownWays {
  HopTable<std::uint8_t> down;  // all the way down
  HopTable<std::uint8_t>
      legal;  // that packets take: down, or else up and then on as the switch there goes
  /// `legal`, completed over any cables where there is no legal way, for those destinations that it
  /// was asked for. No packet on a legal way comes to where such a way begins; packets that begin
  /// there may take part in a deadlock.
  HopTable<std::uint8_t> completed;
};
inline constexpr std::uint8_t kLongestUpDown = 253;

/// `complete`: per destination switch, 1 if ways there are to be completed. Nothing when some way
/// is longer than kLongestUpDown hops.
std::optional<UpDownWays> up_down_ways(const sm::SwitchGraph& graph, const UpDownOrder& order,
                                       std::span<const std::uint8_t> complete);

/// The next hops on those ways. Keeps references to all three.
class UpDownCandidates final : public Candidates, public LocalCandidates {
 public:
  UpDownCandidates(const sm::SwitchGraph& graph, const UpDownOrder& order, const UpDownWays& ways)
      : graph_(graph), order_(order), ways_(ways) {}
  void find(sm::SwitchIndex sw, std::span<const std::uint32_t> slots,
            CandidateMasks& masks) const override;
  const LocalCandidates* local() const override { return this; }
  CandidateSet find_for(sm::SwitchIndex sw, std::span<const std::uint32_t> slots,
                        sm::SwitchIndex destination) const override;
  std::vector<const HopTable<std::uint8_t>*> tables() const override {
    return {&ways_.down, &ways_.legal, &ways_.completed};
  }
  /// 1: leads down.
  std::vector<std::uint8_t> slot_flags() const override;

 private:
  const sm::SwitchGraph& graph_;
  const UpDownOrder& order_;
  const UpDownWays& ways_;
};

}  // namespace routing
