#include "routing/multicast/multicast_trees.h"

#include <algorithm>
#include <bit>
#include <numeric>
#include <tuple>
#include <utility>

#include "routing/graph/hops.h"

namespace routing {

using fabric::ChannelIndex;
using fabric::SwitchIndex;
using mad::Mlid;

namespace {

std::uint64_t mixed(std::uint64_t z) {  // the finisher of splitmix64
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return z ^ (z >> 31);
}

bool is_empty(const fabric::MulticastTables& tables, fabric::MftUnit unit) {
  return std::ranges::all_of(tables.bytes(unit), [](std::uint8_t byte) { return byte == 0; });
}

}  // namespace

std::uint64_t MulticastTrees::load_level(std::uint64_t load) const {
  if (!gathers_) return load;
  constexpr unsigned kBits = 4;
  const auto width = static_cast<unsigned>(std::bit_width(load));
  const unsigned dropped = width > kBits ? width - kBits : 0;
  return (load >> dropped) + (std::uint64_t{dropped} << (kBits - 1));
}

std::uint64_t MulticastTrees::hash(Mlid mlid, SwitchIndex sw, unsigned port) const {
  return mixed(node_guid_[sw].value * 0x9E3779B97F4A7C15u + (std::uint64_t{mlid.value} << 8) +
               port);
}

bool MulticastTrees::shares_block(Mlid mlid, SwitchIndex sw) const {
  if (!gathers_) return false;
  const std::size_t block = fabric::MulticastTables::block_index(mlid);
  if (block >= tables.blocks()) return false;
  for (std::size_t position = 0; position < tables.positions(); ++position)
    if (!is_empty(tables,
                  {sw, static_cast<std::uint16_t>(block), static_cast<std::uint8_t>(position)}))
      return true;
  return false;
}

/// Makes a tree over the needed switches of one connected component, and keeps as much of the
/// previous tree as possible.
void MulticastTrees::make_tree(Mlid mlid, std::span<const SwitchIndex> needed,
                               std::vector<MulticastFinding>& findings) {
  gathers_ = needed.size() <= kGatheredSwitchesMax;
  const std::vector<Component> components = previous_components(mlid, needed);
  const Component* base = nullptr;
  for (const Component& component : components) {
    if (component.has_cycle) continue;
    if (base == nullptr ||
        std::tuple(component.needed, base->lowest) > std::tuple(base->needed, component.lowest))
      base = &component;
  }
  if (base != nullptr && base->legal && extend(mlid, *base, needed, Turns::none)) return prune();
  if (const SwitchIndex root = best_root(mlid, needed, Turns::none); root != kNoIndex) {
    build(mlid, root, needed, Turns::none);
    return prune();
  }
  findings.push_back({MulticastFinding::Kind::turns, mlid, kNoIndex});
  if (base != nullptr && extend(mlid, *base, needed, Turns::any)) return prune();
  const SwitchIndex root = best_root(mlid, needed, Turns::any);
  // Only a path of more than 254 links has no such root.
  build(mlid, root == kNoIndex ? needed.front() : root, needed, Turns::any);
  prune();
}

/// Returns the components of the previous tree that hold needed switches. A link counts only if it
/// is up and both ends send on it.
std::vector<MulticastTrees::Component> MulticastTrees::previous_components(
    Mlid mlid, std::span<const SwitchIndex> needed) {
  std::vector<Component> components;
  const std::size_t positions = tables.positions();
  std::vector<SwitchIndex> met;
  for (const SwitchIndex first : needed) {
    if (component_mark_[first] != kUnmarked) continue;
    const auto number = static_cast<std::uint32_t>(components.size());
    Component& component = components.emplace_back();
    const std::size_t begin = met.size();
    met.push_back(first);
    component_mark_[first] = number;
    came_by_[first] = kNoIndex;
    for (std::size_t i = begin; i < met.size(); ++i) {
      const SwitchIndex sw = met[i];
      unsigned ups = 0;
      for (std::size_t position = 0; position < positions; ++position) {
        for (unsigned ports =
                 tables.mask(sw, mlid, position) & switch_ports_[sw * positions + position];
             ports != 0; ports &= ports - 1) {
          const ChannelIndex channel =
              channel_of_[sw * ports_pitch_ + position * fabric::kMftPositionPorts +
                          static_cast<unsigned>(std::countr_zero(ports))];
          if (excluded_[far(channel)] || !was_used(mlid, channel)) continue;
          ups += goes_up(channel);
          if (channel == came_by_[sw]) continue;
          if (component_mark_[far(channel)] == number) {
            component.has_cycle = true;
            continue;
          }
          component_mark_[far(channel)] = number;
          came_by_[far(channel)] = graph_.reverse[channel];
          component.links.push_back(channel);
          met.push_back(far(channel));
        }
      }
      component.needed += need_mark_[sw] == epoch_;
      component.lowest = std::min(component.lowest, node_guid_[sw]);
      if (ups == 0) component.root = sw;
      if (ups > 1) component.legal = false;
    }
  }
  for (const SwitchIndex sw : met) component_mark_[sw] = kUnmarked;
  return components;
}

void MulticastTrees::start_tree(SwitchIndex root) {
  ++tree_epoch_;
  tree_.assign(1, root);
  tree_mark_[root] = tree_epoch_;
  degree_[root] = channels_xor_[root] = 0;
  links_.clear();
  root_ = root;
}

/// Joins the two ends; at most one of them is not in the tree yet.
void MulticastTrees::add_link(ChannelIndex channel) {
  links_.push_back(channel);
  const ChannelIndex back = graph_.reverse[channel];
  for (const ChannelIndex half : {channel, back}) {
    const SwitchIndex sw = near(half);
    if (std::exchange(tree_mark_[sw], tree_epoch_) != tree_epoch_) {
      tree_.push_back(sw);
      degree_[sw] = channels_xor_[sw] = 0;
    }
    ++degree_[sw];
    channels_xor_[sw] ^= half;  // of a switch with one link left, its channel
  }
}

/// Makes a tree of the component and branches to all needed switches outside it. Returns false if
/// one of them has no legal branch.
bool MulticastTrees::extend(Mlid mlid, const Component& component,
                            std::span<const SwitchIndex> needed, Turns turns) {
  start_tree(component.root);
  for (const ChannelIndex channel : component.links) add_link(channel);
  for (const SwitchIndex sw : needed) {
    if (tree_mark_[sw] == tree_epoch_ || graft(mlid, sw, turns)) continue;
    if (turns == Turns::any || !raise_root(mlid, sw)) return false;
    if (sw != root_ && !graft(mlid, sw, turns)) return false;
  }
  return true;
}

/// Adds a shortest path up from the switch to the tree. Returns false if there is none.
bool MulticastTrees::graft(Mlid mlid, SwitchIndex sw, Turns turns) {
  queue_.assign(1, sw);
  distance_[sw] = 0;
  came_by_[sw] = kNoIndex;
  ChannelIndex best = kNoIndex;
  std::uint32_t best_distance = kUnreachable;
  for (std::size_t i = 0; i < queue_.size() && distance_[queue_[i]] < best_distance; ++i) {
    const SwitchIndex from = queue_[i];
    for (const ChannelIndex channel : graph_.channels(from)) {
      if (!climbs(channel, turns)) continue;
      const SwitchIndex to = far(channel);
      if (tree_mark_[to] == tree_epoch_) {
        best_distance = distance_[from] + 1;
        if (best == kNoIndex || preference(mlid, channel) < preference(mlid, best)) best = channel;
      } else if (distance_[to] == kUnreachable) {
        distance_[to] = distance_[from] + 1;
        came_by_[to] = channel;
        queue_.push_back(to);
      } else if (distance_[to] == distance_[from] + 1 &&
                 preference(mlid, channel) < preference(mlid, came_by_[to])) {
        came_by_[to] = channel;
      }
    }
  }
  for (const SwitchIndex met : queue_) distance_[met] = kUnreachable;
  if (best == kNoIndex) return false;
  for (ChannelIndex channel = best; channel != kNoIndex; channel = came_by_[near(channel)])
    add_link(channel);
  return true;
}

/// Moves the root of the tree up to the nearest switch that is also above the new switch. All links
/// of the tree stay.
bool MulticastTrees::raise_root(Mlid mlid, SwitchIndex added) {
  const std::array<SwitchIndex, 2> both{root_, added};
  const SwitchIndex top = best_root(mlid, both, Turns::none);
  if (top == kNoIndex) return false;
  // The new links are the path from the new root down to the old one, from its lower end.
  const SwitchIndex old_root = root_;
  SwitchIndex at = old_root;
  while (at != top) {
    const std::uint8_t left = hops_from(at, Turns::none)[top];
    ChannelIndex best = kNoIndex;
    for (const ChannelIndex channel : graph_.channels(at)) {
      if (!climbs(channel, Turns::none) || hops_from(far(channel), Turns::none)[top] + 1 != left)
        continue;
      if (best == kNoIndex || preference(mlid, channel) < preference(mlid, best)) best = channel;
    }
    add_link(best);
    at = far(best);
  }
  root_ = top;
  return true;
}

/// Returns the switch with the smallest distances to all needed switches below it; kNoIndex if no
/// switch is above all of them.
SwitchIndex MulticastTrees::best_root(Mlid mlid, std::span<const SwitchIndex> needed, Turns turns) {
  const std::size_t switches = graph_.switches();
  std::vector<std::uint8_t> farthest(switches, 0);
  std::vector<std::uint32_t> sum(switches, 0);
  for (const SwitchIndex sw : needed) {
    const auto row = hops_from(sw, turns);
    for (std::size_t i = 0; i < switches; ++i) {
      farthest[i] = std::max(farthest[i], row[i]);
      sum[i] += row[i];
    }
  }
  std::pair<std::uint8_t, std::uint32_t> least{kNoPath, 0xFFFFFFFFu};
  for (std::size_t i = 0; i < switches; ++i) least = std::min(least, {farthest[i], sum[i]});
  if (least.first == kNoPath) return kNoIndex;

  const auto rank = [&](SwitchIndex sw) {
    std::uint64_t load = switch_load_[sw];
    bool was_in_tree = false;
    for (const ChannelIndex channel : graph_.channels(sw)) {
      if (!excluded_[far(channel)]) load += switch_load_[far(channel)];
      was_in_tree = was_in_tree || was_used(mlid, channel);
    }
    return std::tuple(!was_in_tree, load_level(load), !shares_block(mlid, sw), load, hash(mlid, sw),
                      sw);
  };
  constexpr std::uint64_t kMost = ~std::uint64_t{0};
  auto best = std::tuple(true, kMost, true, kMost, kMost, SwitchIndex(kNoIndex));
  for (SwitchIndex sw{0}; sw < switches; ++sw) {
    if (std::pair(farthest[sw], sum[sw]) == least) best = std::min(best, rank(sw));
  }
  return std::get<SwitchIndex>(best);
}

/// Builds the shortest path from every needed switch to the root, one link up for every switch.
void MulticastTrees::build(Mlid mlid, SwitchIndex root, std::span<const SwitchIndex> needed,
                           Turns turns) {
  start_tree(root);
  queue_.assign(1, root);
  distance_[root] = 0;
  for (std::size_t i = 0; i < queue_.size(); ++i) {
    const SwitchIndex from = queue_[i];
    for (const ChannelIndex channel : graph_.channels(from)) {
      const SwitchIndex below = far(channel);
      if (excluded_[below] || distance_[below] != kUnreachable ||
          !climbs(graph_.reverse[channel], turns))
        continue;
      distance_[below] = distance_[from] + 1;
      queue_.push_back(below);
    }
  }
  for (SwitchIndex sw : needed) {
    for (bool joined = tree_mark_[sw] == tree_epoch_; !joined;) {
      ChannelIndex best = kNoIndex;
      for (const ChannelIndex channel : graph_.channels(sw)) {
        if (!climbs(channel, turns) || distance_[far(channel)] == kUnreachable ||
            distance_[far(channel)] + 1 != distance_[sw])
          continue;
        if (best == kNoIndex || preference(mlid, channel) < preference(mlid, best)) best = channel;
      }
      joined = tree_mark_[far(best)] == tree_epoch_;
      add_link(best);
      sw = far(best);
    }
  }
  for (const SwitchIndex met : queue_) distance_[met] = kUnreachable;
}

/// Removes branches that end at a switch without members.
void MulticastTrees::prune() {
  for (SwitchIndex sw : tree_) {
    while (degree_[sw] == 1 && need_mark_[sw] != epoch_) {
      const ChannelIndex last(channels_xor_[sw]);
      degree_[sw] = 0;
      sw = far(last);
      --degree_[sw];
      channels_xor_[sw] ^= graph_.reverse[last];
    }
  }
  std::erase_if(links_, [&](ChannelIndex channel) {
    return degree_[near(channel)] == 0 || degree_[far(channel)] == 0;
  });
}

}  // namespace routing
