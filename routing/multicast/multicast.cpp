#include "routing/multicast/multicast.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <set>
#include <tuple>
#include <utility>

#include "routing/graph/hops.h"
#include "routing/graph/tree_order.h"
#include "routing/multicast/multicast_trees.h"

namespace routing {

using fabric::ChannelIndex;
using fabric::kNoIndex;
using fabric::PortIndex;
using fabric::SwitchIndex;
using mad::Mlid;

namespace {

/// Returns the graph with the links to parents alone.
fabric::SwitchGraph tree_of(const fabric::SwitchGraph& graph, std::span<const ChannelIndex> up) {
  fabric::IndexVector<ChannelIndex, ChannelIndex> number(graph.port.size(), kNoIndex);
  for (const ChannelIndex channel : up) {
    if (channel != kNoIndex) number[channel] = number[graph.reverse[channel]] = ChannelIndex{0};
  }
  ChannelIndex kept{0};
  for (ChannelIndex& channel : number) {
    if (channel != kNoIndex) channel = kept++;
  }
  fabric::SwitchGraph tree;
  tree.end_ports = graph.end_ports;
  tree.offsets.push_back(ChannelIndex{0});
  for (const SwitchIndex sw : graph.all_switches()) {
    for (const ChannelIndex channel : graph.channels(sw)) {
      if (number[channel] == kNoIndex) continue;
      tree.neighbour.push_back(graph.neighbour[channel]);
      tree.port.push_back(graph.port[channel]);
      tree.reverse.push_back(number[graph.reverse[channel]]);
    }
    tree.offsets.push_back(tree.neighbour.next_index());
  }
  return tree;
}

/// Returns an order with parents before their children, so that up is towards the root. `tree`:
/// tree_of(whole, up).
TreeOrder order_of_tree(const fabric::SwitchGraph& tree, const fabric::SwitchGraph& whole,
                        std::span<const ChannelIndex> up) {
  TreeOrder order;
  constexpr std::uint32_t kNotPlaced = 0xFFFFFFFFu;
  order.position.assign(tree.switches(), kNotPlaced);
  std::vector<SwitchIndex> queue;
  std::uint32_t position = 0;
  const auto descend_from = [&](SwitchIndex root) {
    queue.assign(1, root);
    order.position[root] = position++;
    for (std::size_t i = 0; i < queue.size(); ++i) {
      for (const SwitchIndex next : tree.neighbours(queue[i])) {
        if (order.position[next] != kNotPlaced || up[next] == kNoIndex ||
            whole.neighbour[up[next]] != queue[i])
          continue;
        order.position[next] = position++;
        queue.push_back(next);
      }
    }
  };
  for (const SwitchIndex sw : tree.all_switches())
    if (up[sw] == kNoIndex) descend_from(sw);
  for (std::uint32_t& of : order.position)
    if (of == kNotPlaced) of = position++;  // parents in a cycle: no tree
  return order;
}

}  // namespace

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
  row_ports_.assign(switches * positions, 0);
  take_tables();
  exclude_for(mad::kMlidMin);
}

void MulticastTrees::attach(const fabric::Fabric& fabric) {
  attachment_.assign(fabric.ports.size(), {});
  for (const auto& end : graph_.end_ports) attachment_[end.port] = {end.sw, end.out};
}

/// If some switches hold fewer MLIDs than others, the order depends on the MLID.
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

void MulticastTrees::take_tables() {
  link_load_.assign(graph_.port.size(), 0);
  switch_load_.assign(graph_.switches(), 0);
  rows_of_.assign(tables.blocks() * fabric::kMftBlockMlids, {});
  constexpr std::array<std::uint8_t, fabric::kMftBytes> kEmpty{};
  for (std::size_t number = 0; number < tables.units(); ++number) {
    const fabric::MftUnit unit = tables.unit(number);
    const auto bytes = tables.bytes(unit);
    if (std::memcmp(bytes.data(), kEmpty.data(), kEmpty.size()) == 0) continue;
    const std::uint32_t row =
        unit.sw.value * static_cast<std::uint32_t>(tables.positions()) + unit.position;
    for (std::size_t entry = 0; entry < fabric::kMftBlockMlids; ++entry) {
      const auto ports = static_cast<std::uint16_t>(bytes[2 * entry] << 8 | bytes[2 * entry + 1]);
      if (ports == 0) continue;
      rows_of_[std::size_t{unit.block} * fabric::kMftBlockMlids + entry].push_back(row);
      count_links(row, 0, ports);
    }
  }
}

/// Adds the MLID to the links that the ports of a row lead to, or removes it.
void MulticastTrees::count_links(std::uint32_t row, std::uint16_t was, std::uint16_t is) {
  const std::size_t positions = tables.positions(), sw = row / positions;
  for (unsigned ports = (was ^ is) & switch_ports_[row]; ports != 0; ports &= ports - 1) {
    const auto bit = static_cast<unsigned>(std::countr_zero(ports));
    const bool is_added = (is >> bit & 1u) != 0;
    const std::size_t port = row % positions * fabric::kMftPositionPorts + bit;
    link_load_[channel_of_[sw * ports_pitch_ + port]] += is_added ? 1u : ~0u;
    switch_load_[SwitchIndex(sw)] += is_added ? 1u : ~0u;
    has_new_dependencies = has_new_dependencies || is_added;
  }
}

/// Switches whose table ends before the MLID do not forward it. Few fabrics have such switches;
/// when their set changes, everything that depends on it is computed again.
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
  // The order is by component, then independent of the indices of switches.
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

/// Writes only differences, because tables share equal content with previous tables.
void MulticastTrees::write(const MulticastGroup& group) {
  const Mlid mlid = group.mlid;
  const std::size_t index = fabric::MulticastTables::compute_index(mlid);
  if (index >= sls_.size()) sls_.resize(index + 1, 0);
  const bool has_other_sls = std::exchange(sls_[index], group.sls) != group.sls;
  if (has_other_sls && !group_links_.empty()) has_new_dependencies = true;
  std::vector<std::uint32_t> rows;
  const auto add = [&](SwitchIndex sw, mad::PortNum port) {
    const auto row = static_cast<std::uint32_t>(sw.value * tables.positions() +
                                                port.value / fabric::kMftPositionPorts);
    if (row_ports_[row] == 0) rows.push_back(row);
    row_ports_[row] |= static_cast<std::uint16_t>(1u << port.value % fabric::kMftPositionPorts);
  };
  for (const ChannelIndex channel : group_links_)
    for (const ChannelIndex half : {channel, graph_.reverse[channel]})
      add(near(half), graph_.port[half]);
  for (const Attachment& host : host_bits_) add(host.sw, host.out);
  if (index >= rows_of_.size()) rows_of_.resize(tables.blocks() * fabric::kMftBlockMlids);
  if (index >= rows_of_.size()) return;  // without members there is no block for the MLID
  for (const std::uint32_t row : rows_of_[index])
    if (row_ports_[row] == 0) set_row(row, mlid, 0);
  for (const std::uint32_t row : rows)
    set_row(row, mlid, std::exchange(row_ports_[row], std::uint16_t{0}));
  rows_of_[index] = std::move(rows);
}

void MulticastTrees::set_row(std::uint32_t row, Mlid mlid, std::uint16_t ports) {
  const SwitchIndex sw(row / tables.positions());
  const std::size_t position = row % tables.positions();
  const std::uint16_t was = tables.mask(sw, mlid, position);
  if (was == ports) return;
  count_links(row, was, ports);
  tables.set_mask(sw, mlid, position, ports);
}

void MulticastTrees::clear(Mlid mlid) {
  if (!has_tree(mlid)) return;
  for (const std::uint32_t row :
       std::exchange(rows_of_[fabric::MulticastTables::compute_index(mlid)], {}))
    set_row(row, mlid, 0);
}

void MulticastTrees::move_to(const fabric::Fabric& fabric, const fabric::SwitchGraph& graph) {
  graph_.end_ports = graph.end_ports;
  previous_centres_ = order.centres;
  attach(fabric);
}

bool MulticastTrees::has_tree(Mlid mlid) const {
  const std::size_t index = fabric::MulticastTables::compute_index(mlid);
  return index < rows_of_.size() && !rows_of_[index].empty();
}

/// Groups with a tree come before new ones, larger groups before smaller ones.
void MulticastTrees::route_in_turn(std::vector<const MulticastGroup*> groups,
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
  std::vector<const MulticastGroup*> in_turn;
  std::vector<bool> wanted(rows_of_.size(), false);
  for (const MulticastGroup& group : groups) {
    in_turn.push_back(&group);
    if (has_tree(group.mlid)) wanted[fabric::MulticastTables::compute_index(group.mlid)] = true;
  }
  for (std::size_t index = 0; index < wanted.size(); ++index)
    if (!wanted[index]) clear(Mlid{static_cast<std::uint16_t>(mad::kMlidMin.value + index)});
  route_in_turn(std::move(in_turn), findings);
}

/// True if the members are at the same ports of switches as before, in the same order.
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
  route_in_turn(std::move(changed), findings);
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
