#include "routing/multicast/multicast.h"

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>
#include <tuple>
#include <utility>

#include "routing/graph/hops.h"
#include "routing/graph/tree_order.h"
#include "routing/multicast/engine_tree.h"

namespace routing {

using fabric::ChannelIndex;
using fabric::kNoIndex;
using fabric::PortIndex;
using fabric::SwitchIndex;
using mad::Mlid;

namespace {

constexpr std::uint8_t kNoPath = 0xFF;
constexpr std::uint32_t kUnmarked = 0xFFFFFFFFu;  // switch of no component

std::uint64_t mixed(std::uint64_t z) {  // the finisher of splitmix64
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return z ^ (z >> 31);
}

/// Which links lead up a tree: those that TreeOrder calls up, or all.
enum class Turns : std::uint8_t { none, any };

}  // namespace

class MulticastRouter::Impl {
 public:
  Impl(const fabric::Fabric& fabric, const fabric::SwitchGraph& graph,
       fabric::MulticastTables previous, std::span<const mad::Guid> previous_centres,
       std::span<const ChannelIndex> up);

  void route(const MulticastGroup& group, std::vector<MulticastFinding>& findings);
  void clear(Mlid mlid);
  void route_all(std::span<const MulticastGroup> groups, std::vector<MulticastFinding>& findings);

  fabric::MulticastTables tables;
  TreeOrder order;

 private:
  struct Attachment {  // of an end port
    SwitchIndex sw = kNoIndex;
    mad::PortNum out;
  };
  struct Component {  // of the previous tree
    std::size_t needed = 0;
    bool legal = true;            // all switches are below its root
    bool has_cycle = false;       // no tree at all
    SwitchIndex root = kNoIndex;  // the switch with no link up; in an illegal one any of these
    mad::Guid lowest{~std::uint64_t{0}};
    std::vector<ChannelIndex> links;  // each once, from either end
  };

  // The fabric
  SwitchIndex far(ChannelIndex channel) const { return graph_.neighbour[channel]; }
  SwitchIndex near(ChannelIndex channel) const { return graph_.neighbour[graph_.reverse[channel]]; }
  bool goes_up(ChannelIndex channel) const {
    return order.position[far(channel)] < order.position[near(channel)];
  }
  bool climbs(ChannelIndex channel, Turns turns) const {
    return !excluded_[far(channel)] && (turns == Turns::any || goes_up(channel));
  }
  void exclude_for(Mlid mlid);
  void count_loads();
  std::span<const std::uint8_t> hops_from(SwitchIndex sw, Turns turns);

  // One group
  void gather(const MulticastGroup& group, std::vector<MulticastFinding>& findings);
  void report_disconnected(const MulticastGroup& group,
                           std::vector<MulticastFinding>& findings) const;
  void make_tree(Mlid mlid, std::span<const SwitchIndex> needed,
                 std::vector<MulticastFinding>& findings);
  std::vector<Component> previous_components(Mlid mlid, std::span<const SwitchIndex> needed);
  bool extend(Mlid mlid, const Component& component, std::span<const SwitchIndex> needed,
              Turns turns);
  bool raise_root(Mlid mlid, SwitchIndex added);
  bool graft(Mlid mlid, SwitchIndex sw, Turns turns);
  SwitchIndex best_root(Mlid mlid, std::span<const SwitchIndex> needed, Turns turns);
  void build(Mlid mlid, SwitchIndex root, std::span<const SwitchIndex> needed, Turns turns);
  void start_tree(SwitchIndex root);
  void add_link(ChannelIndex channel);
  void prune();
  void write(Mlid mlid);

  bool was_used(Mlid mlid, ChannelIndex channel) const {
    return tables.test(near(channel), mlid, graph_.port[channel]) &&
           tables.test(far(channel), mlid, graph_.port[graph_.reverse[channel]]);
  }
  std::uint64_t hash(Mlid mlid, SwitchIndex sw, unsigned port = 0) const {
    return mixed(node_guid_[sw].value * 0x9E3779B97F4A7C15u + (std::uint64_t{mlid.value} << 8) +
                 port);
  }
  /// Order of equally short paths: one that is used already, then the least loaded link, then by
  /// hash.
  auto preference(Mlid mlid, ChannelIndex channel) const {
    return std::tuple(!was_used(mlid, channel), link_load_[channel],
                      hash(mlid, far(channel), graph_.port[graph_.reverse[channel]].value));
  }

  fabric::SwitchGraph graph_;
  const bool one_tree_;               // graph_ has the links of one tree alone
  std::vector<mad::Guid> node_guid_;  // by switch
  std::vector<unsigned> capacity_;    // by switch: MLIDs that its table holds
  std::vector<unsigned> capacities_;  // the distinct values, sorted
  std::vector<mad::Guid> previous_centres_;
  std::vector<Attachment> attachment_;  // by PortIndex
  std::vector<ChannelIndex>
      channel_of_;  // [switch][port]: kNoIndex for ports that lead to no switch
  std::size_t ports_pitch_ = 0;
  std::vector<std::uint16_t> switch_ports_;  // [switch][position]: ports that lead to switches

  std::size_t excluded_class_ =
      ~std::size_t{0};  // how many of capacities_ are too small for the current MLID
  std::vector<bool> excluded_;
  std::vector<std::uint32_t>
      component_;  // by switch: connected component of switches that are not excluded
  std::array<std::vector<std::vector<std::uint8_t>>, 2>
      hops_;  // by Turns, by switch: hops from it to every switch; made on first use

  std::vector<std::uint32_t> link_load_;    // by channel: MLIDs that use the link
  std::vector<std::uint32_t> switch_load_;  // sum over its channels

  // The current group. A switch is needed, or in the tree, if its mark is the current epoch.
  std::uint32_t epoch_ = 0, tree_epoch_ = 0;
  std::vector<std::uint32_t> need_mark_, tree_mark_, component_mark_;
  std::vector<SwitchIndex> needed_, tree_;
  std::vector<Attachment> host_bits_;
  SwitchIndex root_ = kNoIndex;
  std::vector<ChannelIndex> links_, group_links_;  // of the current tree; of all trees of the group
  std::vector<std::uint32_t> degree_;
  std::vector<std::uint32_t> channels_xor_;  // by switch: exclusive or of its channels in the tree
  std::vector<SwitchIndex> queue_;
  std::vector<ChannelIndex> came_by_;
  std::vector<std::uint32_t> distance_;
};

MulticastRouter::Impl::Impl(const fabric::Fabric& fabric, const fabric::SwitchGraph& whole,
                            fabric::MulticastTables previous,
                            std::span<const mad::Guid> previous_centres,
                            std::span<const ChannelIndex> up)
    : tables(std::move(previous)),
      graph_(up.empty() ? whole : tree_of(whole, up)),
      one_tree_(!up.empty()),
      previous_centres_(previous_centres.begin(), previous_centres.end()) {
  const fabric::SwitchGraph& graph = graph_;
  if (one_tree_) order = order_of_tree(graph, whole, up);
  const std::size_t switches = graph.switches();
  std::size_t positions = 1;
  for (const fabric::Switch& sw : fabric.switches) {
    const fabric::Node& node = fabric.nodes[sw.node];
    node_guid_.push_back(node.guid);
    capacity_.push_back(sw.info.multicast_fdb_cap());
    positions = std::max<std::size_t>(positions, node.num_ports / fabric::kMftPositionPorts + 1u);
  }
  if (tables.switches() != switches) tables = fabric::MulticastTables(switches, positions);
  if (tables.positions() != positions) {
    std::vector<SwitchIndex> same(switches);
    std::iota(same.begin(), same.end(), SwitchIndex{0});
    tables = tables.rearranged(same, positions);
  }
  capacities_ = capacity_;
  std::ranges::sort(capacities_);
  capacities_.erase(std::unique(capacities_.begin(), capacities_.end()), capacities_.end());

  attachment_.resize(fabric.ports.size());
  for (const auto& end : graph.end_ports) attachment_[end.port] = {end.sw, end.out};
  ports_pitch_ = positions * fabric::kMftPositionPorts;
  channel_of_.assign(switches * ports_pitch_, kNoIndex);
  switch_ports_.assign(switches * positions, 0);
  for (SwitchIndex sw{0}; sw < switches; ++sw) {
    for (const ChannelIndex channel : graph.channels(sw)) {
      const unsigned port = graph.port[channel].value;
      channel_of_[sw * ports_pitch_ + port] = channel;
      switch_ports_[sw * positions + port / fabric::kMftPositionPorts] |=
          static_cast<std::uint16_t>(1u << port % fabric::kMftPositionPorts);
    }
  }
  need_mark_.assign(switches, 0);
  tree_mark_.assign(switches, 0);
  component_mark_.assign(switches, kUnmarked);
  degree_.assign(switches, 0);
  channels_xor_.assign(switches, 0);
  came_by_.assign(switches, kNoIndex);
  distance_.assign(switches, kUnreachable);
  count_loads();
  exclude_for(mad::kMlidMin);
}

void MulticastRouter::Impl::count_loads() {
  link_load_.assign(graph_.port.size(), 0);
  switch_load_.assign(graph_.switches(), 0);
  const std::size_t positions = tables.positions();
  for (std::size_t number = 0; number < tables.units(); ++number) {
    const fabric::MftUnit unit = tables.unit(number);
    const std::uint16_t to_switches = switch_ports_[unit.sw * positions + unit.position];
    if (to_switches == 0) continue;
    const auto bytes = tables.bytes(unit);
    for (std::size_t i = 0; i < fabric::kMftBytes; i += 2) {
      for (unsigned ports = static_cast<unsigned>(bytes[i] << 8 | bytes[i + 1]) & to_switches;
           ports != 0; ports &= ports - 1) {
        const auto port = unit.position * fabric::kMftPositionPorts +
                          static_cast<unsigned>(std::countr_zero(ports));
        ++link_load_[channel_of_[unit.sw * ports_pitch_ + port]];
        ++switch_load_[unit.sw];
      }
    }
  }
}

/// Switches whose table ends before the MLID do not forward it. Few fabrics have any; everything
/// that depends on them is computed again when the set changes.
void MulticastRouter::Impl::exclude_for(Mlid mlid) {
  const auto too_small = static_cast<std::size_t>(
      std::ranges::upper_bound(capacities_, fabric::MulticastTables::compute_index(mlid)) -
      capacities_.begin());
  if (too_small == excluded_class_) return;
  excluded_class_ = too_small;
  const std::size_t switches = graph_.switches();
  excluded_.assign(switches, false);
  for (SwitchIndex sw{0}; sw < switches; ++sw)
    excluded_[sw] = capacity_[sw] <= fabric::MulticastTables::compute_index(mlid);
  if (!one_tree_) order = tree_order(graph_, node_guid_, excluded_, previous_centres_);
  for (auto& rows : hops_) rows.assign(switches, {});
  component_ = components(graph_, excluded_);
}

std::span<const std::uint8_t> MulticastRouter::Impl::hops_from(SwitchIndex sw, Turns turns) {
  std::vector<std::uint8_t>& row = hops_[static_cast<std::size_t>(turns)][sw];
  if (!row.empty()) return row;
  row.assign(graph_.switches(), kNoPath);
  row[sw] = 0;
  queue_.assign(1, sw);
  for (std::size_t i = 0; i < queue_.size(); ++i) {
    const SwitchIndex from = queue_[i];
    if (row[from] + 1 == kNoPath) break;
    for (const ChannelIndex channel : graph_.channels(from)) {
      if (!climbs(channel, turns) || row[far(channel)] != kNoPath) continue;
      row[far(channel)] = static_cast<std::uint8_t>(row[from] + 1);
      queue_.push_back(far(channel));
    }
  }
  return row;
}

void MulticastRouter::Impl::gather(const MulticastGroup& group,
                                   std::vector<MulticastFinding>& findings) {
  ++epoch_;
  needed_.clear();
  host_bits_.clear();
  const auto add = [&](PortIndex port, bool receives) {
    const Attachment& at = attachment_[port];
    if (at.sw == kNoIndex) return;  // attached to no switch: no table to write
    if (excluded_[at.sw])
      return findings.push_back({MulticastFinding::Kind::no_multicast, group.mlid, port});
    if (receives) host_bits_.push_back(at);
    if (std::exchange(need_mark_[at.sw], epoch_) != epoch_) needed_.push_back(at.sw);
  };
  for (const PortIndex port : group.receivers) add(port, true);
  for (const PortIndex port : group.senders) add(port, false);
  // By component, then in an order that does not depend on the numbers of switches.
  std::ranges::sort(needed_, [&](SwitchIndex a, SwitchIndex b) {
    return std::tuple(component_[a], node_guid_[a], a) <
           std::tuple(component_[b], node_guid_[b], b);
  });
}

void MulticastRouter::Impl::report_disconnected(const MulticastGroup& group,
                                                std::vector<MulticastFinding>& findings) const {
  if (needed_.empty() || component_[needed_.front()] == component_[needed_.back()]) return;
  std::vector<std::size_t> members(graph_.switches(), 0);
  const auto each = [&](auto&& visit) {
    for (const auto* ports : {&group.receivers, &group.senders}) {
      for (const PortIndex port : *ports) {
        if (attachment_[port].sw != kNoIndex && !excluded_[attachment_[port].sw])
          visit(port, component_[attachment_[port].sw]);
      }
    }
  };
  each([&](PortIndex, std::uint32_t component) { ++members[component]; });
  const auto largest =
      static_cast<std::uint32_t>(std::ranges::max_element(members) - members.begin());
  each([&](PortIndex port, std::uint32_t component) {
    if (component != largest)
      findings.push_back({MulticastFinding::Kind::not_connected, group.mlid, port});
  });
}

void MulticastRouter::Impl::route(const MulticastGroup& group,
                                  std::vector<MulticastFinding>& findings) {
  exclude_for(group.mlid);
  gather(group, findings);
  report_disconnected(group, findings);
  if (!needed_.empty()) tables.grow(fabric::MulticastTables::block_index(group.mlid) + 1);
  group_links_.clear();
  const std::span<const SwitchIndex> all(needed_);
  for (std::size_t first = 0, last = 0; first < all.size(); first = last) {
    while (last < all.size() && component_[all[last]] == component_[all[first]]) ++last;
    make_tree(group.mlid, all.subspan(first, last - first), findings);
    group_links_.insert(group_links_.end(), links_.begin(), links_.end());
  }
  write(group.mlid);
}

/// A tree over the needed switches of one connected component, with as much of the previous tree as
/// can be kept.
void MulticastRouter::Impl::make_tree(Mlid mlid, std::span<const SwitchIndex> needed,
                                      std::vector<MulticastFinding>& findings) {
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

/// The components of the previous tree that hold needed switches. Only links that are up and that
/// both ends send on count.
std::vector<MulticastRouter::Impl::Component> MulticastRouter::Impl::previous_components(
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

void MulticastRouter::Impl::start_tree(SwitchIndex root) {
  ++tree_epoch_;
  tree_.assign(1, root);
  tree_mark_[root] = tree_epoch_;
  degree_[root] = channels_xor_[root] = 0;
  links_.clear();
  root_ = root;
}

/// Joins the two ends; at most one of them is not in the tree yet.
void MulticastRouter::Impl::add_link(ChannelIndex channel) {
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

/// The component, and branches to all needed switches outside it. False if one of them has no legal
/// branch.
bool MulticastRouter::Impl::extend(Mlid mlid, const Component& component,
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

/// Adds a shortest path up from the switch to the tree. False if there is none.
bool MulticastRouter::Impl::graft(Mlid mlid, SwitchIndex sw, Turns turns) {
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

/// Moves the root of the tree up to the nearest switch that is above the new switch, too. All links
/// of the tree stay.
bool MulticastRouter::Impl::raise_root(Mlid mlid, SwitchIndex added) {
  const std::array<SwitchIndex, 2> both{root_, added};
  const SwitchIndex top = best_root(mlid, both, Turns::none);
  if (top == kNoIndex) return false;
  // The path from the new root down to the old one, from its lower end.
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

/// The switch with the smallest distances to all needed ones below it. kNoIndex if none is above
/// all of them.
SwitchIndex MulticastRouter::Impl::best_root(Mlid mlid, std::span<const SwitchIndex> needed,
                                             Turns turns) {
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
    return std::tuple(!was_in_tree, load, hash(mlid, sw), sw);
  };
  auto best = std::tuple(true, ~std::uint64_t{0}, ~std::uint64_t{0}, SwitchIndex(kNoIndex));
  for (SwitchIndex sw{0}; sw < switches; ++sw) {
    if (std::pair(farthest[sw], sum[sw]) == least) best = std::min(best, rank(sw));
  }
  return std::get<3>(best);
}

/// The shortest path from every needed switch to the root, one link up for every switch.
void MulticastRouter::Impl::build(Mlid mlid, SwitchIndex root, std::span<const SwitchIndex> needed,
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
void MulticastRouter::Impl::prune() {
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

void MulticastRouter::Impl::write(Mlid mlid) {
  clear(mlid);
  for (const ChannelIndex channel : group_links_) {
    for (const ChannelIndex half : {channel, graph_.reverse[channel]}) {
      tables.set(near(half), mlid, graph_.port[half]);
      ++link_load_[half];
      ++switch_load_[near(half)];
    }
  }
  for (const Attachment& host : host_bits_) tables.set(host.sw, mlid, host.out);
}

void MulticastRouter::Impl::clear(Mlid mlid) {
  if (fabric::MulticastTables::block_index(mlid) >= tables.blocks()) return;
  const std::size_t positions = tables.positions();
  for (const SwitchIndex sw : graph_.all_switches()) {
    for (std::size_t position = 0; position < positions; ++position) {
      const std::uint16_t mask = tables.mask(sw, mlid, position);
      if (mask == 0) continue;
      for (unsigned ports = mask & switch_ports_[sw * positions + position]; ports != 0;
           ports &= ports - 1) {
        --link_load_[channel_of_[sw * ports_pitch_ + position * fabric::kMftPositionPorts +
                                 static_cast<unsigned>(std::countr_zero(ports))]];
        --switch_load_[sw];
      }
      tables.set_mask(sw, mlid, position, 0);
    }
  }
}

void MulticastRouter::Impl::route_all(std::span<const MulticastGroup> groups,
                                      std::vector<MulticastFinding>& findings) {
  std::vector<bool> has_tree(tables.blocks() * fabric::kMftBlockMlids, false),
      wanted(has_tree.size(), false);
  for (std::size_t number = 0; number < tables.units(); ++number) {
    const fabric::MftUnit unit = tables.unit(number);
    const auto bytes = tables.bytes(unit);
    for (unsigned entry = 0; entry < fabric::kMftBlockMlids; ++entry) {
      if ((bytes[std::size_t{2} * entry] | bytes[std::size_t{2} * entry + 1]) != 0)
        has_tree[std::size_t{unit.block} * fabric::kMftBlockMlids + entry] = true;
    }
  }
  std::vector<const MulticastGroup*> in_turn;
  const auto is_old = [&](const MulticastGroup& group) {
    const std::size_t index = fabric::MulticastTables::compute_index(group.mlid);
    return index < has_tree.size() && has_tree[index];
  };
  for (const MulticastGroup& group : groups) {
    in_turn.push_back(&group);
    if (is_old(group)) wanted[fabric::MulticastTables::compute_index(group.mlid)] = true;
  }
  for (std::size_t index = 0; index < has_tree.size(); ++index) {
    if (has_tree[index] && !wanted[index])
      clear(Mlid{static_cast<std::uint16_t>(mad::kMlidMin.value + index)});
  }
  const auto size = [](const MulticastGroup* group) {
    return group->receivers.size() + group->senders.size();
  };
  std::ranges::sort(in_turn, [&](const MulticastGroup* a, const MulticastGroup* b) {
    return std::tuple(!is_old(*a), size(b), a->mlid) < std::tuple(!is_old(*b), size(a), b->mlid);
  });
  for (const MulticastGroup* group : in_turn) route(*group, findings);
}

MulticastRouter::MulticastRouter(const fabric::Fabric& fabric, const fabric::SwitchGraph& graph,
                                 fabric::MulticastTables previous,
                                 std::span<const mad::Guid> previous_centres,
                                 std::span<const ChannelIndex> up)
    : impl_(std::make_unique<Impl>(fabric, graph, std::move(previous), previous_centres, up)) {}
MulticastRouter::~MulticastRouter() = default;
MulticastRouter::MulticastRouter(MulticastRouter&&) noexcept = default;
MulticastRouter& MulticastRouter::operator=(MulticastRouter&&) noexcept = default;

void MulticastRouter::route(const MulticastGroup& group, std::vector<MulticastFinding>& findings) {
  impl_->route(group, findings);
}
void MulticastRouter::clear(Mlid mlid) { impl_->clear(mlid); }
void MulticastRouter::route_all(std::span<const MulticastGroup> groups,
                                std::vector<MulticastFinding>& findings) {
  impl_->route_all(groups, findings);
}
const fabric::MulticastTables& MulticastRouter::tables() const { return impl_->tables; }
std::span<const mad::Guid> MulticastRouter::centres() const { return impl_->order.centres; }

}  // namespace routing
