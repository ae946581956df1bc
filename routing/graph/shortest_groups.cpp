#include "routing/graph/shortest_groups.h"

#include <algorithm>
#include <array>

namespace routing {

using fabric::SwitchIndex;

namespace {
constexpr std::uint32_t kNoGroup = ~0u;
}

ShortestGroups::ShortestGroups(const fabric::SwitchGraph& graph, const HopTable<std::uint8_t>& hops,
                               std::span<const std::uint8_t> open, std::vector<SwitchIndex> order)
    : hops_(hops),
      switches_(graph.switches()),
      order_(std::move(order)),
      offsets_(graph.offsets.begin(), graph.offsets.end()),
      last_group_(graph.switches(), kNoGroup) {
  std::size_t degree = 0;
  for (const SwitchIndex sw : graph.all_switches()) {
    degree = std::max(degree, graph.degree(sw));
    for (const fabric::ChannelIndex channel : graph.channels(sw))
      neighbour_.push_back(
          static_cast<std::uint16_t>(open[channel] != 0 ? graph.neighbour[channel] : sw));
  }
  next_.resize(neighbour_.size() + switches_ * NextCosts::kPad + degree + NextCosts::kPad);
  sources_.resize(switches_);
  unsorted_.resize(switches_);
  group_of_.resize(switches_);
}

void ShortestGroups::find(SwitchIndex to) {
  const std::uint8_t* const distance = hops_.row(to);  // the same in both directions
  std::array<std::uint32_t, 257> index{};  // first switch of each distance; distance 0 and switches
                                           // that are not connected are left out
  for (const SwitchIndex sw : order_) ++index[distance[sw] + 1u];
  index[1] = 0;
  for (std::size_t i = 2; i < index.size(); ++i) index[i] += index[i - 1];
  near_first_.resize(index[255]);
  for (const SwitchIndex sw : order_)
    if (distance[sw] != 0 && distance[sw] != HopTable<std::uint8_t>::kNoPath)
      near_first_[index[distance[sw]]++] = sw;

  groups_.clear();
  std::uint32_t end = 0;  // of next_
  const auto absent = static_cast<std::uint16_t>(switches_);
  for (std::size_t i = 0; i < near_first_.size(); ++i) {
    const SwitchIndex sw = near_first_[i];
    const unsigned nearer = distance[sw] - 1u;
    fabric::ChannelIndex first = offsets_[sw], last = offsets_[sw + 1];
    while (distance[neighbour_[first]] != nearer) ++first;
    while (distance[neighbour_[last - 1]] != nearer) --last;
    std::uint16_t* const list = next_.data() + end;
    std::uint32_t count = 0;
    for (fabric::ChannelIndex channel = first; channel < last; ++channel) {
      const std::uint16_t other = neighbour_[channel];
      list[count++] = distance[other] == nearer ? other : absent;
    }
    while (count % NextCosts::kPad != 0) list[count++] = absent;
    std::uint32_t& group = last_group_[list[0]];
    if (group == kNoGroup || groups_[group].next_end - groups_[group].next_begin != count ||
        !std::equal(list, list + count, next_.data() + groups_[group].next_begin)) {
      group = static_cast<std::uint32_t>(groups_.size());
      groups_.push_back({end, end + count, 0, 0});
      end += count;
    }
    unsorted_[i] = {sw, first};
    group_of_[i] = group;
    ++groups_[group].source_end;
  }
  std::uint32_t begin = 0;
  for (Group& group : groups_) {
    last_group_[next_[group.next_begin]] = kNoGroup;
    group.source_begin = begin;
    begin += group.source_end;
    group.source_end = group.source_begin;
  }
  sources_.resize(near_first_.size());
  for (std::size_t i = 0; i < near_first_.size(); ++i)
    sources_[groups_[group_of_[i]].source_end++] = unsorted_[i];
}

}  // namespace routing
