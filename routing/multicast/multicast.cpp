#include "routing/multicast/multicast.h"

#include <algorithm>
#include <bit>
#include <numeric>
#include <set>
#include <tuple>
#include <utility>

#include "routing/graph/hops.h"
#include "routing/multicast/engine_tree.h"
#include "routing/multicast/multicast_trees.h"

namespace routing {

using fabric::ChannelIndex;
using fabric::PortIndex;
using fabric::SwitchIndex;
using mad::Mlid;

MulticastTrees::MulticastTrees(const fabric::Fabric& fabric, const fabric::SwitchGraph& whole,
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

  attach(fabric);
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

void MulticastTrees::attach(const fabric::Fabric& fabric) {
  attachment_.assign(fabric.ports.size(), {});
  for (const auto& end : graph_.end_ports) attachment_[end.port] = {end.sw, end.out};
}

/// With switches that hold fewer MLIDs than others the order depends on the MLID.
bool MulticastTrees::fits(const fabric::Fabric& fabric, const fabric::SwitchGraph& graph) const {
  if (one_tree_ || capacities_.size() > 1 || !graph_.has_same_channels(graph)) return false;
  for (const SwitchIndex sw : graph.all_switches()) {
    const fabric::Switch& own = fabric.switches[sw];
    const fabric::Node& node = fabric.nodes[own.node];
    if (node.guid != node_guid_[sw] || own.info.multicast_fdb_cap() != capacity_[sw] ||
        node.num_ports / fabric::kMftPositionPorts >= tables.positions())
      return false;
  }
  // The order may depend on which switches have hosts.
  return tree_order(graph, node_guid_, excluded_, order.centres).position == order.position;
}

void MulticastTrees::count_loads() {
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
void MulticastTrees::exclude_for(Mlid mlid) {
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

std::span<const std::uint8_t> MulticastTrees::hops_from(SwitchIndex sw, Turns turns) {
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

void MulticastTrees::gather(const MulticastGroup& group, std::vector<MulticastFinding>& findings) {
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

void MulticastTrees::report_disconnected(const MulticastGroup& group,
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

void MulticastTrees::route(const MulticastGroup& group, std::vector<MulticastFinding>& findings) {
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
  write(group);
}

void MulticastTrees::write(const MulticastGroup& group) {
  const Mlid mlid = group.mlid;
  const auto is_new = [&](ChannelIndex channel) { return !was_used(mlid, channel); };
  const std::size_t index = fabric::MulticastTables::compute_index(mlid);
  if (index >= sls_.size()) sls_.resize(index + 1, 0);
  const bool has_other_sls = std::exchange(sls_[index], group.sls) != group.sls;
  if ((has_other_sls && !group_links_.empty()) || std::ranges::any_of(group_links_, is_new))
    has_new_dependencies = true;
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

void MulticastTrees::clear(Mlid mlid) {
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

void MulticastTrees::move_to(const fabric::Fabric& fabric, const fabric::SwitchGraph& graph) {
  graph_.end_ports = graph.end_ports;
  previous_centres_ = order.centres;
  attach(fabric);
}

bool MulticastTrees::has_tree(Mlid mlid) const {
  for (const SwitchIndex sw : graph_.all_switches())
    for (std::size_t position = 0; position < tables.positions(); ++position)
      if (tables.mask(sw, mlid, position) != 0) return true;
  return false;
}

/// Groups with a tree come before new ones, larger groups before smaller ones.
template <class HasTree>
void MulticastTrees::route_in_turn(std::vector<const MulticastGroup*> groups, HasTree&& has_tree,
                                   std::vector<MulticastFinding>& findings) {
  const auto size = [](const MulticastGroup* group) {
    return group->receivers.size() + group->senders.size();
  };
  std::ranges::sort(groups, [&](const MulticastGroup* a, const MulticastGroup* b) {
    return std::tuple(!has_tree(a->mlid), size(b), a->mlid) <
           std::tuple(!has_tree(b->mlid), size(a), b->mlid);
  });
  for (const MulticastGroup* group : groups) route(*group, findings);
}

void MulticastTrees::route_all(std::span<const MulticastGroup> groups,
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
  const auto is_old = [&](Mlid mlid) {
    const std::size_t index = fabric::MulticastTables::compute_index(mlid);
    return index < has_tree.size() && has_tree[index];
  };
  for (const MulticastGroup& group : groups) {
    in_turn.push_back(&group);
    if (is_old(group.mlid)) wanted[fabric::MulticastTables::compute_index(group.mlid)] = true;
  }
  for (std::size_t index = 0; index < has_tree.size(); ++index) {
    if (has_tree[index] && !wanted[index])
      clear(Mlid{static_cast<std::uint16_t>(mad::kMlidMin.value + index)});
  }
  route_in_turn(std::move(in_turn), is_old, findings);
}

/// The members are at the same ports of switches as before, in the same order.
bool MulticastTrees::has_same_places(const MulticastTrees& before,
                                     const std::vector<PortIndex>& was,
                                     const std::vector<PortIndex>& is) const {
  return std::ranges::equal(was, is, [&](PortIndex then, PortIndex now) {
    return before.attachment_[then] == attachment_[now];
  });
}

void MulticastTrees::update_from(const MulticastTrees& before,
                                 std::span<const MulticastGroup> known,
                                 std::span<const MulticastFinding> known_findings,
                                 std::span<const MulticastGroup> groups,
                                 std::vector<MulticastFinding>& findings) {
  std::set<Mlid> limited;
  for (const MulticastFinding& finding : known_findings) limited.insert(finding.mlid);
  std::vector<const MulticastGroup*> changed;
  auto was = known.begin();
  for (const MulticastGroup& group : groups) {
    while (was != known.end() && was->mlid < group.mlid) clear((was++)->mlid);
    const bool is_known = was != known.end() && was->mlid == group.mlid;
    // The findings on a group name ports by their indices.
    const bool stays = is_known && was->sls == group.sls && !limited.contains(group.mlid) &&
                       has_same_places(before, was->receivers, group.receivers) &&
                       has_same_places(before, was->senders, group.senders);
    if (!stays) changed.push_back(&group);
    if (is_known) ++was;
  }
  while (was != known.end()) clear((was++)->mlid);
  std::set<Mlid> with_tree;
  for (const MulticastGroup* group : changed)
    if (has_tree(group->mlid)) with_tree.insert(group->mlid);
  route_in_turn(std::move(changed), [&](Mlid mlid) { return with_tree.contains(mlid); }, findings);
}

MulticastRouter::MulticastRouter(const fabric::Fabric& fabric, const fabric::SwitchGraph& graph,
                                 fabric::MulticastTables previous,
                                 std::span<const mad::Guid> previous_centres,
                                 std::span<const ChannelIndex> up)
    : trees_(std::make_unique<MulticastTrees>(fabric, graph, std::move(previous), previous_centres,
                                              up)) {}
MulticastRouter::MulticastRouter(std::unique_ptr<MulticastTrees> trees)
    : trees_(std::move(trees)) {}
MulticastRouter::~MulticastRouter() = default;
MulticastRouter::MulticastRouter(MulticastRouter&&) noexcept = default;
MulticastRouter& MulticastRouter::operator=(MulticastRouter&&) noexcept = default;

void MulticastRouter::route(const MulticastGroup& group, std::vector<MulticastFinding>& findings) {
  trees_->route(group, findings);
}
void MulticastRouter::clear(Mlid mlid) { trees_->clear(mlid); }
void MulticastRouter::route_all(std::span<const MulticastGroup> groups,
                                std::vector<MulticastFinding>& findings) {
  trees_->route_all(groups, findings);
}
std::optional<MulticastRouter> MulticastRouter::updated(
    const fabric::Fabric& fabric, const fabric::SwitchGraph& graph,
    std::span<const MulticastGroup> known, std::span<const MulticastFinding> known_findings,
    std::span<const MulticastGroup> groups, std::vector<MulticastFinding>& findings) const {
  if (!trees_->fits(fabric, graph)) return std::nullopt;
  auto trees = std::make_unique<MulticastTrees>(*trees_);
  trees->move_to(fabric, graph);
  trees->update_from(*trees_, known, known_findings, groups, findings);
  return MulticastRouter(std::move(trees));
}
bool MulticastRouter::has_new_dependencies() const { return trees_->has_new_dependencies; }
void MulticastRouter::note_dependencies_checked() { trees_->has_new_dependencies = false; }
const fabric::MulticastTables& MulticastRouter::tables() const { return trees_->tables; }
std::span<const mad::Guid> MulticastRouter::centres() const { return trees_->order.centres; }

}  // namespace routing
