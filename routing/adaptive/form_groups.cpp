#include "routing/adaptive/form_groups.h"

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>
#include <unordered_map>

#include "fabric/parallel.h"
#include "mad/format.h"
#include "routing/adaptive/leaves.h"
#include "routing/core/routing_state.h"
#include "routing/graph/candidates.h"
#include "routing/graph/channel_table.h"

namespace routing {

using fabric::AdaptiveGroups;
using fabric::ChannelIndex;
using fabric::GroupId;
using fabric::kNoIndex;
using fabric::PortSet;
using fabric::SwitchIndex;

namespace {

constexpr GroupId kHighestGroup = 4095;

/// Holds the groups that can be assigned, lowest first: first those that no switch has, then those
/// of switches that have left.
class FreeGroups {
 public:
  FreeGroups(GroupIds& ids, std::span<const mad::Guid> sorted_leaves, GroupId limit)
      : ids_(ids), limit_(limit), owners_(limit + std::size_t{1}) {
    for (const auto& [guid, group] : ids)
      if (group >= 1 && group <= limit)
        owners_[group] =
            std::ranges::binary_search(sorted_leaves, guid) ? Owner::leaf : Owner::gone;
  }

  /// Returns 0 if no group is left.
  GroupId take(mad::Guid leaf) {
    while (next_ <= limit_ && owners_[next_] != Owner::none) ++next_;
    GroupId group = next_ <= limit_ ? static_cast<GroupId>(next_) : GroupId{0};
    if (group == 0) {
      const auto gone = std::ranges::find(owners_, Owner::gone);
      if (gone == owners_.end()) return 0;
      group = static_cast<GroupId>(gone - owners_.begin());
      std::erase_if(ids_, [&](const auto& entry) { return entry.second == group; });
    }
    owners_[group] = Owner::leaf;
    ids_[leaf] = group;
    return group;
  }

 private:
  enum class Owner : std::uint8_t { none, leaf, gone };
  GroupIds& ids_;
  std::size_t limit_, next_ = 1;
  std::vector<Owner> owners_;
};

}  // namespace

AssignedGroups assign_groups(std::span<const mad::Guid> leaves,
                             const std::shared_ptr<const GroupIds>& known, GroupId limit,
                             std::span<const mad::Guid> neighbours) {
  limit = std::min(limit, kHighestGroup);
  AssignedGroups out;
  out.of_leaf.assign(leaves.size(), 0);
  std::vector<std::size_t> order(leaves.size()), open;
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t leaf) { return leaves[leaf]; });
  std::vector<bool> taken(limit + std::size_t{1});
  for (const std::size_t leaf : order) {
    const auto found = known == nullptr ? GroupIds::const_iterator{} : known->find(leaves[leaf]);
    const GroupId group = known == nullptr || found == known->end() ? GroupId{0} : found->second;
    if (group == 0 || group > limit || taken[group]) {
      open.push_back(leaf);
      continue;
    }
    taken[group] = true;
    out.of_leaf[leaf] = group;
  }
  if (open.empty()) {
    out.ids = known == nullptr ? std::make_shared<const GroupIds>() : known;
    return out;
  }
  auto ids = known == nullptr ? std::make_shared<GroupIds>() : std::make_shared<GroupIds>(*known);
  for (const std::size_t leaf : open) ids->erase(leaves[leaf]);
  std::vector<mad::Guid> sorted;
  sorted.reserve(order.size());
  for (const std::size_t leaf : order) sorted.push_back(leaves[leaf]);
  if (!neighbours.empty())
    std::ranges::sort(open, {},
                      [&](std::size_t leaf) { return std::pair(neighbours[leaf], leaves[leaf]); });
  FreeGroups free(*ids, sorted, limit);
  for (const std::size_t leaf : open) {
    out.of_leaf[leaf] = free.take(leaves[leaf]);
    if (out.of_leaf[leaf] == 0) ++out.without;
  }
  out.ids = std::move(ids);
  return out;
}

namespace {

/// Makes the rows of switches, one after the other.
class RowMaker {
 public:
  /// `order` contains the leaves by group, so that equal rows do not depend on indices.
  RowMaker(const RoutingInput& input, const Leaves& leaves, std::span<const GroupId> group_of_leaf,
           std::span<const std::uint32_t> order, GroupRule rule, RoutingResult& result,
           const ChannelTable& channels)
      : input_(input),
        leaves_(leaves),
        groups_(group_of_leaf),
        order_(order),
        rule_(rule),
        result_(result),
        channels_(channels),
        masks_(input.graph.switches()),
        sets_of_leaf_(leaves.count()) {}

  /// Makes a row. It may change entries of the switch's forwarding table; it sets `moved` then.
  AdaptiveGroups::Row make(SwitchIndex sw, bool& moved) {
    AdaptiveGroups::Row row;
    sets_.assign(1, CandidateSet{});
    by_first_.fill(0);
    find_candidates(sw);
    for (const std::uint32_t leaf : order_) {
      sets_of_leaf_[leaf] = 0;
      if (leaves_.switches[leaf] == sw) continue;
      const std::uint16_t set = number(candidates(sw, leaf));
      sets_of_leaf_[leaf] = set;
      if (set == 0) continue;
      if (row.set_of.size() <= groups_[leaf]) row.set_of.resize(groups_[leaf] + std::size_t{1});
      row.set_of[groups_[leaf]] = set;
    }
    const auto ports = input_.graph.out_ports(sw);
    for (std::size_t i = 1; i < sets_.size(); ++i) {
      PortSet& members = row.sets.emplace_back();
      for (std::size_t word = 0; word < sets_[i].size(); ++word)
        for (std::uint64_t bits = sets_[i][word]; bits != 0; bits &= bits - 1)
          members.set(ports[word * 64 + static_cast<unsigned>(std::countr_zero(bits))].value);
    }
    moved |= move_static_ports(sw, row);
    return row;
  }

 private:
  void find_candidates(SwitchIndex sw) {
    if (rule_ != GroupRule::candidates) return;
    all_.resize(input_.graph.degree(sw));
    std::iota(all_.begin(), all_.end(), input_.graph.offsets[sw]);
    result_.candidates->find(sw, all_, masks_);
  }

  CandidateSet candidates(SwitchIndex sw, std::uint32_t leaf) const {
    CandidateSet set{};
    if (rule_ == GroupRule::candidates) {
      for (std::size_t word = 0; word < masks_.words(); ++word)
        set[word] = masks_.word(word, leaves_.switches[leaf]);
      return set;
    }
    const mad::Lid lid{leaves_.lids_of(leaf).front()};
    const ChannelIndex channel = channels_.channel(sw, result_.lfts.at(sw, lid).value);
    if (channel == kNoIndex) return set;
    const auto neighbours = input_.graph.neighbours(sw);
    for (std::size_t i = 0; i < neighbours.size(); ++i)
      if (neighbours[i] == input_.graph.neighbour[channel])
        set[i / 64] |= std::uint64_t{1} << i % 64;
    return set;
  }

  /// Returns the index of a set in sets_; few switches have two sets with the same first channel.
  std::uint16_t number(const CandidateSet& set) {
    std::size_t word = 0;
    while (word < set.size() && set[word] == 0) ++word;
    if (word == set.size()) return 0;
    std::uint16_t& hint = by_first_[word * 64 + static_cast<unsigned>(std::countr_zero(set[word]))];
    if (hint != 0 && sets_[hint] == set) return hint;
    const auto found = std::ranges::find(sets_, set);
    hint = static_cast<std::uint16_t>(found - sets_.begin());
    if (found == sets_.end()) sets_.push_back(set);
    return hint;
  }

  bool move_static_ports(SwitchIndex sw, const AdaptiveGroups::Row& row) {
    const std::size_t cap = input_.fabric.switches[sw].info.linear_fdb_cap();
    std::span<const std::uint8_t> lft = result_.lfts.row(sw);
    bool counted = false;
    for (const std::uint32_t leaf : order_) {
      if (sets_of_leaf_[leaf] == 0) continue;
      const PortSet& members = row.sets[sets_of_leaf_[leaf]];
      for (const std::uint16_t lid : leaves_.lids_of(leaf)) {
        if (lid >= lft.size() || members[lft[lid]] || lid >= cap) continue;
        if (!counted) count_loads(lft);
        counted = true;
        const std::span<std::uint8_t> entries = result_.lfts.writable_row(sw);
        if (loads_[entries[lid]] > 0) --loads_[entries[lid]];
        entries[lid] = least_loaded(members);
        ++loads_[entries[lid]];
        lft = entries;
      }
    }
    return counted;
  }

  void count_loads(std::span<const std::uint8_t> lft) {
    loads_.fill(0);
    for (const std::uint16_t lid : leaves_.lids)
      if (lid < lft.size()) ++loads_[lft[lid]];
  }

  std::uint8_t least_loaded(const PortSet& members) const {
    std::uint8_t best = mad::kNoPort.value;
    for (std::size_t port = members._Find_first(); port < members.size();
         port = members._Find_next(port))
      if (best == mad::kNoPort.value || loads_[port] < loads_[best])
        best = static_cast<std::uint8_t>(port);
    return best;
  }

  const RoutingInput& input_;
  const Leaves& leaves_;
  const std::span<const GroupId> groups_;
  const std::span<const std::uint32_t> order_;
  const GroupRule rule_;
  RoutingResult& result_;
  const ChannelTable& channels_;

  // This is the state of the current switch.
  CandidateMasks masks_;
  std::vector<ChannelIndex> all_;
  std::vector<CandidateSet> sets_;  // the first one is empty
  std::array<std::uint16_t, 256> by_first_{};
  std::vector<std::uint16_t> sets_of_leaf_;
  std::array<std::uint32_t, 256> loads_{};
};

/// Makes equal rows share one object, that of the previous routing if possible.
class SharedRows {
 public:
  using Pointer = std::shared_ptr<const AdaptiveGroups::Row>;

  explicit SharedRows(const RoutingInput& input) {
    if (input.previous_routing == nullptr) return;
    const AdaptiveGroups* const groups = input.previous_routing->published.adaptive.get();
    const auto& switches = input.previous_routing->memory.rows->switches;
    if (groups == nullptr || groups->rows.size() != switches.size()) return;
    for (const SwitchIndex sw : switches.indices()) share(groups->rows[sw]);
  }

  Pointer share(Pointer row) {
    auto& alike = rows_[hash(*row)];
    const auto found = std::ranges::find_if(
        alike, [&](const Pointer& other) { return other == row || *other == *row; });
    if (found != alike.end()) return *found;
    alike.push_back(row);
    return row;
  }

 private:
  static std::uint64_t hash(const AdaptiveGroups::Row& row) {
    std::uint64_t out = row.set_of.size();
    for (const std::uint16_t set : row.set_of) out = (out ^ set) * 0x9E3779B97F4A7C15u;
    for (const PortSet& set : row.sets)
      out = (out ^ std::hash<PortSet>{}(set)) * 0xD6E8FEB86659FD93u;
    return out ^ out >> 32;
  }
  std::unordered_map<std::uint64_t, std::vector<Pointer>> rows_;
};

void number_groups(const RoutingInput& input, const Leaves& leaves, const AssignedGroups& assigned,
                   AdaptiveGroups& groups) {
  groups.group_to.assign(input.graph.switches(), 0);
  groups.group_of_lid.assign(input.lids.port_of_lid.size(), 0);
  const auto is_static = [&](std::uint16_t lid) {
    return input.static_lids != nullptr && lid < input.static_lids->size() &&
           (*input.static_lids)[lid];
  };
  for (std::size_t leaf = 0; leaf < leaves.count(); ++leaf) {
    groups.group_to[leaves.switches[leaf]] = assigned.of_leaf[leaf];
    for (const std::uint16_t lid : leaves.lids_of(leaf))
      if (!is_static(lid)) groups.group_of_lid[lid] = assigned.of_leaf[leaf];
  }
}

/// True if each channel existed before, so that each port leads to the same switch as before.
bool has_no_new_channel(const Correspondence& was, const fabric::SwitchGraph& graph) {
  const auto known =
      std::ranges::count_if(was.current_channel, [](ChannelIndex at) { return at != kNoIndex; });
  return static_cast<std::size_t>(known) == graph.port.size();
}

/// True if hosts send packets to the group from this switch, or neighbouring switches may do so.
bool may_receive_packets(const fabric::SwitchGraph& graph, const AdaptiveGroups& groups,
                         SwitchIndex sw, GroupId group) {
  if (groups.group_to[sw] != 0) return true;
  return std::ranges::any_of(graph.channels(sw), [&](ChannelIndex out) {
    return groups.ports(graph.neighbour[out], group)[graph.port[graph.reverse[out]].value];
  });
}

/// True if no group of the switch has a new member or has lost its last member that packets need.
bool is_part(const fabric::SwitchGraph& graph, const AdaptiveGroups& now, SwitchIndex sw,
             const AdaptiveGroups::Row& before) {
  const AdaptiveGroups::Row& row = *now.rows[sw];
  if (&row == &before) return true;
  const std::size_t groups = std::max(row.set_of.size(), before.set_of.size());
  for (std::size_t i = 1; i < groups; ++i) {
    const auto group = static_cast<GroupId>(i);
    const PortSet &ports = row.ports(group), &ports_before = before.ports(group);
    if ((ports & ~ports_before).any()) return false;
    if (ports.none() && ports_before.any() && may_receive_packets(graph, now, sw, group))
      return false;
  }
  return true;
}

}  // namespace

FormedGroups form_groups(const RoutingInput& input, GroupRule rule, RoutingResult& result) {
  const Leaves leaves = find_leaves(input.graph, input.lids);
  std::vector<mad::Guid> guids, neighbours;
  const auto guid = [&](SwitchIndex sw) {
    return input.fabric.nodes[input.fabric.switches[sw].node].guid;
  };
  for (const SwitchIndex sw : leaves.switches) {
    guids.push_back(guid(sw));
    mad::Guid lowest = guids.back();
    for (const SwitchIndex other : input.graph.neighbours(sw))
      lowest = lowest == guids.back() ? guid(other) : std::min(lowest, guid(other));
    neighbours.push_back(lowest);
  }
  const AssignedGroups assigned =
      assign_groups(guids, input.group_ids, input.group_limit, neighbours);
  auto groups = std::make_shared<AdaptiveGroups>();
  number_groups(input, leaves, assigned, *groups);
  std::vector<std::uint32_t> order;
  for (std::uint32_t leaf = 0; leaf < leaves.count(); ++leaf)
    if (assigned.of_leaf[leaf] != 0) order.push_back(leaf);
  std::ranges::sort(order, {}, [&](std::uint32_t leaf) { return assigned.of_leaf[leaf]; });

  const ChannelTable channels(input.graph);
  const std::size_t switches = input.graph.switches();
  std::vector<std::shared_ptr<const AdaptiveGroups::Row>> rows(switches);
  std::vector<std::uint8_t> moved(switches, 0);
  constexpr std::size_t kEntriesWorthAThread = 200'000;
  fabric::in_parallel(
      switches, kEntriesWorthAThread / (leaves.lids.size() + 1) + 1,
      [&](std::size_t begin, std::size_t end) {
        RowMaker maker(input, leaves, assigned.of_leaf, order, rule, result, channels);
        for (std::size_t i = begin; i < end; ++i) {
          bool any = false;
          rows[i] = std::make_shared<const AdaptiveGroups::Row>(maker.make(SwitchIndex(i), any));
          moved[i] = any ? 1 : 0;
        }
      });
  SharedRows shared(input);
  for (auto& row : rows) groups->rows.push_back(shared.share(std::move(row)));
  if (assigned.without > 0)
    result.note(fmt::format(
        "{} of {} destination switches {} beyond the {} groups that all switches hold: routes to "
        "their hosts are static",
        assigned.without, leaves.count(), assigned.without == 1 ? "is" : "are",
        std::min<unsigned>(input.group_limit, 4095u)));
  result.adaptive = std::move(groups);
  result.group_ids = assigned.ids;
  return {std::ranges::find(moved, 1) != moved.end(), assigned.without};
}

bool are_verified_choices(const RoutingInput& input, const RoutingResult& result) {
  if (input.previous_routing == nullptr) return false;
  const RoutingState& memory = input.previous_routing->memory;
  const fabric::PublishedRouting& before = input.previous_routing->published;
  // The previous verification did not check dependencies of switches whose tables are too small.
  if (before.adaptive == nullptr || !memory.verification.small_switches.empty() ||
      before.adaptive->group_to != result.adaptive->group_to || before.sls != result.sls ||
      before.sl_to_vl != result.sl_to_vl)
    return false;
  const Correspondence was = correspondence(*memory.rows, input.fabric, input.graph);
  if (!was.same_switches || !has_no_new_channel(was, input.graph)) return false;
  return std::ranges::all_of(result.adaptive->rows.indices(), [&](SwitchIndex sw) {
    return is_part(input.graph, *result.adaptive, sw, *before.adaptive->rows[sw]);
  });
}

}  // namespace routing
