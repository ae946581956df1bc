#include "routing/trees/shortest_in_tree.h"

namespace routing {

using fabric::kNoIndex;
using fabric::SwitchIndex;
using Hops = HopTable<std::uint8_t>;

bool ShortestInTree::turns(SwitchIndex sw, SwitchIndex to) const {
  const SwitchIndex next = lengths_->distances.next_to_leaf[sw];
  return next != kNoIndex && lengths_->distances.turns(sw, to) &&
         lengths_->hops->row(next)[to] + 1 == lengths_->hops->row(sw)[to];
}

void ShortestInTree::find(SwitchIndex sw, std::span<const fabric::ChannelIndex> channels,
                          CandidateMasks& masks) const {
  // These are lengths if packets go that way, otherwise kNoPath, which matches no other length.
  const UpDownDistances& distances = lengths_->distances;
  const std::size_t pitch = lengths_->hops->pitch();
  const std::uint8_t *const hops = lengths_->hops->row(sw), *const down = distances.down.row(sw),
                            *const legal = distances.legal.row(sw);
  std::vector<std::uint8_t> goes_down(pitch, Hops::kNoPath), goes_up(pitch, Hops::kNoPath),
      rest(pitch, Hops::kNoPath);
  std::vector<SwitchIndex> turning;
  bool any_rest = false;
  for (std::size_t d = 0; d < graph_.switches(); ++d) {
    if (hops[d] == Hops::kNoPath) continue;
    if (down[d] == hops[d]) {
      goes_down[d] = hops[d];
    } else if (down[d] == Hops::kNoPath && legal[d] == hops[d]) {
      goes_up[d] = hops[d];
    } else if (turns(sw, SwitchIndex(d))) {
      turning.push_back(SwitchIndex(d));
    } else {
      rest[d] = hops[d];
      any_rest = true;
    }
  }
  masks.clear(channels.size());
  for (std::size_t i = 0; i < channels.size(); ++i) {
    const SwitchIndex other = graph_.neighbour[channels[i]];
    if (lengths_->order[other] > lengths_->order[sw])
      masks.add<std::uint8_t>(i, goes_down.data(), distances.down.row(other), 1);
    else
      masks.add<std::uint8_t>(i, goes_up.data(), distances.legal.row(other), 1);
    if (any_rest) masks.add<std::uint8_t>(i, rest.data(), lengths_->hops->row(other), 1);
  }
  masks.finish();
  for (const SwitchIndex to : turning)
    for (std::size_t i = 0; i < channels.size(); ++i)
      if (graph_.neighbour[channels[i]] == distances.next_to_leaf[sw])
        masks.word(i / 64, to) |= std::uint64_t{1} << i % 64;
}

CandidateSet ShortestInTree::find_for(SwitchIndex sw,
                                      std::span<const fabric::ChannelIndex> channels,
                                      SwitchIndex destination) const {
  const UpDownDistances& distances = lengths_->distances;
  const auto length = [&](const Hops& table, SwitchIndex from) {
    return table.row(from)[destination];
  };
  const std::uint8_t hops = length(*lengths_->hops, sw), down = length(distances.down, sw);
  CandidateSet set{};
  if (hops == Hops::kNoPath) return set;
  const bool goes_down = down == hops,
             goes_up = down == Hops::kNoPath && length(distances.legal, sw) == hops,
             turning = !goes_down && !goes_up && turns(sw, destination);
  for (std::size_t i = 0; i < channels.size(); ++i) {
    const SwitchIndex other = graph_.neighbour[channels[i]];
    const bool is_below = lengths_->order[other] > lengths_->order[sw];
    const bool is_candidate = goes_down ? is_below && length(distances.down, other) + 1 == hops
                              : goes_up ? !is_below && length(distances.legal, other) + 1 == hops
                              : turning ? other == distances.next_to_leaf[sw]
                                        : length(*lengths_->hops, other) + 1 == hops;
    if (is_candidate) set[i / 64] |= std::uint64_t{1} << i % 64;
  }
  return set;
}

}  // namespace routing
