#include "routing/multicast/multicast_update.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace routing {

using fabric::MftUnit;
using fabric::SwitchIndex;
using mad::Mlid;

void HeldMulticast::grow(std::size_t blocks) {
  tables.grow(blocks);
  knowledge.resize(tables.units(), MftKnowledge::unknown);
}

void HeldMulticast::learn(MftUnit unit, std::span<const std::uint8_t, fabric::kMftBytes> content) {
  MftKnowledge& known = knowledge[tables.unit_number(unit)];
  // An unknown unit of a converged block does not matter: the target has no entry in it.
  const bool is_empty = std::ranges::all_of(content, [](std::uint8_t byte) { return byte == 0; });
  if (known != MftKnowledge::unknown || !is_empty) mark_pending(unit.block);
  tables.assign(unit, content);
  known = MftKnowledge::exact;
}

void HeldMulticast::mark_unknown(MftUnit unit,
                                 std::span<const std::uint8_t, fabric::kMftBytes> content) {
  MftKnowledge& known = knowledge[tables.unit_number(unit)];
  if (known == MftKnowledge::unknown) return;
  mark_pending(unit.block);
  known = MftKnowledge::at_most;
  const auto bytes = tables.bytes(unit);
  for (std::size_t i = 0; i < fabric::kMftBytes; ++i) bytes[i] |= content[i];
}

void HeldMulticast::forget(SwitchIndex sw) {
  mark_pending();
  for (std::size_t block = 0; block < tables.blocks(); ++block) {
    for (std::size_t position = 0; position < tables.positions(); ++position) {
      const MftUnit unit{sw, static_cast<std::uint16_t>(block),
                         static_cast<std::uint8_t>(position)};
      knowledge[tables.unit_number(unit)] = MftKnowledge::unknown;
      tables.assign(unit, MftContent{});
    }
  }
}

void HeldMulticast::settle(const fabric::Fabric& fabric, const fabric::MulticastTables& wanted) {
  converged_.resize(tables.blocks());
  for (std::size_t block = 0; block < std::min(tables.blocks(), wanted.blocks()); ++block) {
    if (agrees(block, wanted)) continue;
    MattersNow matters(fabric, wanted, block);
    const auto agrees_at = [&](SwitchIndex sw) {
      for (std::size_t position = 0; position < tables.positions(); ++position) {
        const MftUnit unit{sw, static_cast<std::uint16_t>(block),
                           static_cast<std::uint8_t>(position)};
        if (!has_unit(fabric, unit)) continue;
        if (of(unit) == MftKnowledge::unknown && !matters.includes(unit)) continue;
        if (of(unit) != MftKnowledge::exact ||
            !std::ranges::equal(std::as_const(tables).bytes(unit), wanted.bytes(unit)))
          return false;
      }
      return true;
    };
    if (std::ranges::all_of(tables.all_switches(), agrees_at))
      converged_[block] = wanted.content(block);
    else
      converged_[block] = nullptr;
  }
}

void MattersNow::find() {
  const std::size_t positions = wanted_.positions();
  units_.assign(wanted_.switches() * positions, false);
  std::vector<bool> in_tree(wanted_.switches(), false);
  const auto is_active = [&](fabric::PortIndex port) {
    return fabric_.ports[port].info.port_state() == mad::PortState::active;
  };
  const auto visit_links = [&](SwitchIndex sw, auto visit) {
    const fabric::NodeIndex node = fabric_.switches[sw].node;
    const fabric::PortIndex first = fabric_.nodes[node].first_port;
    for (fabric::PortIndex port = first; port < first + fabric_.node_ports(node).size(); ++port) {
      const fabric::PortIndex peer = fabric_.ports[port].peer;
      if (peer != fabric::kNoIndex && fabric_.owning_node(peer).is_switch())
        visit(port, fabric_.owning_node(peer).switch_index);
    }
  };
  for (const SwitchIndex sw : wanted_.all_switches()) {
    std::vector<std::uint16_t> ports(positions, 0);  // of all MLIDs of the block
    for (std::size_t position = 0; position < positions; ++position) {
      const auto bytes = wanted_.bytes(
          {sw, static_cast<std::uint16_t>(block_), static_cast<std::uint8_t>(position)});
      for (std::size_t i = 0; i < fabric::kMftBytes; i += 2)
        ports[position] |= static_cast<std::uint16_t>(bytes[i] << 8 | bytes[i + 1]);
    }
    if (std::ranges::all_of(ports, [](std::uint16_t mask) { return mask == 0; })) continue;
    in_tree[sw] = true;
    visit_links(sw, [&](fabric::PortIndex port, SwitchIndex other) {
      const unsigned number = fabric_.ports[port].number.value;
      if ((ports[number / fabric::kMftPositionPorts] >> number % fabric::kMftPositionPorts & 1u) !=
          0)
        in_tree[other] = true;
    });
  }
  for (const SwitchIndex sw : wanted_.all_switches()) {
    if (!in_tree[sw]) continue;
    for (std::size_t position = 0; position < positions; ++position)
      units_[sw * positions + position] = true;
    visit_links(sw, [&](fabric::PortIndex port, SwitchIndex other) {
      const fabric::PortIndex there = fabric_.ports[port].peer;
      if (is_active(port) && is_active(there)) return;
      units_[other * positions + fabric_.ports[there].number.value / fabric::kMftPositionPorts] =
          true;
    });
  }
}

bool has_unit(const fabric::Fabric& fabric, MftUnit unit) {
  const fabric::Switch& sw = fabric.switches[unit.sw];
  return unit.block * fabric::kMftBlockMlids < sw.info.multicast_fdb_cap() &&
         unit.position * fabric::kMftPositionPorts <= fabric.nodes[sw.node].num_ports;
}

namespace {

constexpr MftContent kEmpty{};

std::span<const std::uint8_t, fabric::kMftBytes> get_bytes(const fabric::MulticastTables& tables,
                                                           MftUnit unit) {
  return unit.block < tables.blocks() ? tables.bytes(unit)
                                      : std::span<const std::uint8_t, fabric::kMftBytes>(kEmpty);
}

/// True if the switch may forward to ports that are not wanted.
bool has_excess(const HeldMulticast& held, const fabric::MulticastTables& wanted, MftUnit unit) {
  if (held.of(unit) == MftKnowledge::unknown) return true;
  const auto is = held.tables.bytes(unit), should = get_bytes(wanted, unit);
  for (std::size_t i = 0; i < fabric::kMftBytes; ++i) {
    if ((is[i] & ~should[i]) != 0) return true;
  }
  return false;
}

/// Lists the units that `keep` admits of blocks that may differ, without unknown ones that do not
/// matter now.
template <class Keep>
std::vector<MftUnit> units_where(const fabric::Fabric& fabric, const HeldMulticast& held,
                                 const fabric::MulticastTables& wanted, Keep keep) {
  std::vector<MftUnit> units;
  for (std::size_t block = 0; block < held.tables.blocks(); ++block) {
    if (held.agrees(block, wanted)) continue;
    MattersNow matters(fabric, wanted, block);
    for (std::size_t position = 0; position < held.tables.positions(); ++position) {
      for (const SwitchIndex sw : held.tables.all_switches()) {
        const MftUnit unit{sw, static_cast<std::uint16_t>(block),
                           static_cast<std::uint8_t>(position)};
        if (!has_unit(fabric, unit)) continue;
        if (held.of(unit) == MftKnowledge::unknown && !matters.includes(unit)) continue;
        if (keep(unit)) units.push_back(unit);
      }
    }
  }
  return units;
}

/// Limits phase 2 for one MLID if some switches did not acknowledge phase 1.
class LimitedAdditions {
 public:
  LimitedAdditions(const fabric::Fabric& fabric, const fabric::SwitchGraph& graph,
                   const HeldMulticast& held, const fabric::MulticastTables& wanted)
      : fabric_(fabric),
        graph_(graph),
        held_(held),
        wanted_(wanted),
        has_hosts_(graph.switches(), false) {
    for (const auto& end : graph.end_ports) {
      if (end.out.value != 0) has_hosts_[end.sw] = true;
    }
  }

  void apply(Mlid mlid, Attainable& result) {
    mlid_ = mlid;
    group_.resize(graph_.switches());
    std::iota(group_.begin(), group_.end(), SwitchIndex{0});
    closed_.assign(graph_.switches(), false);
    find_harmless();
    // These links may be in use now.
    std::vector<bool> present(graph_.port.size(), false);
    for_each_link([&](fabric::ChannelIndex channel, fabric::ChannelIndex back) {
      if (!counts(channel) && !counts(back)) return;
      present[channel] = true;
      if (!join(channel)) closed_[find(near(channel))] = true;
    });
    // These links can be added.
    std::vector<bool> allowed(graph_.port.size(), false);
    for_each_link([&](fabric::ChannelIndex channel, fabric::ChannelIndex back) {
      if (!wants(channel) && !wants(back)) return;
      const bool open = !closed_[find(near(channel))] && !closed_[find(far(channel))];
      allowed[channel] = allowed[back] = open && (present[channel] || join(channel));
    });
    write(allowed, result.tables);
    result.hold_back.resize(graph_.port.size(), false);
    for_each_link([&](fabric::ChannelIndex channel, fabric::ChannelIndex back) {
      if (present[channel] && closed_[find(near(channel))])
        result.hold_back[channel] = result.hold_back[back] = true;
    });
  }

 private:
  SwitchIndex far(fabric::ChannelIndex channel) const { return graph_.neighbour[channel]; }
  SwitchIndex near(fabric::ChannelIndex channel) const {
    return graph_.neighbour[graph_.reverse[channel]];
  }
  bool wants(fabric::ChannelIndex channel) const {
    return wanted_.test(near(channel), mlid_, graph_.port[channel]);
  }
  bool may_send(fabric::ChannelIndex channel) const {
    const MftUnit unit{
        near(channel), static_cast<std::uint16_t>(fabric::MulticastTables::block_index(mlid_)),
        static_cast<std::uint8_t>(graph_.port[channel].value / fabric::kMftPositionPorts)};
    if (!has_unit(fabric_, unit)) return false;
    return held_.of(unit) == MftKnowledge::unknown ||
           held_.tables.test(unit.sw, mlid_, graph_.port[channel]);
  }
  bool counts(fabric::ChannelIndex channel) const {
    return may_send(channel) && !harmless_[near(channel)];
  }

  template <class Visit>
  void for_each_link(Visit visit) const {
    for (const fabric::ChannelIndex channel : graph_.port.indices()) {
      if (channel < graph_.reverse[channel]) visit(channel, graph_.reverse[channel]);
    }
  }

  /// Finds switches that no packet of the group can enter: they have no hosts, and no switch sends
  /// to them in the held or the wanted tables.
  void find_harmless() {
    harmless_.assign(graph_.switches(), true);
    for (const SwitchIndex sw : graph_.all_switches()) harmless_[sw] = !has_hosts_[sw];
    for (const fabric::ChannelIndex channel : graph_.port.indices()) {
      if (may_send(channel) || wants(channel)) harmless_[far(channel)] = false;
    }
  }

  SwitchIndex find(SwitchIndex sw) {
    while (group_[sw] != sw) sw = group_[sw] = group_[group_[sw]];
    return sw;
  }
  /// Joins the components of both ends; returns false if it is already one component.
  bool join(fabric::ChannelIndex channel) {
    const SwitchIndex a = find(near(channel)), b = find(far(channel));
    if (a == b) return false;
    group_[a] = b;
    closed_[b] = closed_[a] || closed_[b];
    return true;
  }

  void write(const std::vector<bool>& allowed, fabric::MulticastTables& target) {
    for (const SwitchIndex sw : graph_.all_switches()) {
      const bool closed = closed_[find(sw)];
      fabric::ChannelIndex channel = graph_.offsets[sw];
      for (std::size_t position = 0; position < target.positions(); ++position) {
        const std::uint16_t wanted = wanted_.mask(sw, mlid_, position),
                            kept = wanted & held_.tables.mask(sw, mlid_, position);
        std::uint16_t mask = closed ? kept : wanted;
        for (; channel < graph_.offsets[sw + 1] &&
               graph_.port[channel].value / fabric::kMftPositionPorts == position;
             ++channel) {
          const unsigned bit = 1u << graph_.port[channel].value % fabric::kMftPositionPorts;
          if ((mask & bit) != 0 && (kept & bit) == 0 && !allowed[channel])
            mask = static_cast<std::uint16_t>(mask & ~bit);
        }
        target.set_mask(sw, mlid_, position, mask);
      }
    }
  }

  const fabric::Fabric& fabric_;
  const fabric::SwitchGraph& graph_;
  const HeldMulticast& held_;
  const fabric::MulticastTables& wanted_;
  std::vector<bool> has_hosts_;
  Mlid mlid_;
  std::vector<SwitchIndex> group_;  // union-find
  std::vector<bool> closed_;        // by representative: may have a cycle
  std::vector<bool> harmless_;
};

}  // namespace

std::vector<MftUnit> mft_missing(const fabric::Fabric& fabric, const HeldMulticast& held,
                                 const fabric::MulticastTables& wanted) {
  return units_where(fabric, held, wanted,
                     [&](MftUnit unit) { return held.of(unit) == MftKnowledge::unknown; });
}

std::vector<MftUnit> mft_removals(const fabric::Fabric& fabric, const HeldMulticast& held,
                                  const fabric::MulticastTables& wanted) {
  return units_where(fabric, held, wanted,
                     [&](MftUnit unit) { return has_excess(held, wanted, unit); });
}

MftContent mft_remainder(const HeldMulticast& held, const fabric::MulticastTables& wanted,
                         MftUnit unit) {
  MftContent content{};
  if (held.of(unit) == MftKnowledge::unknown) return content;
  const auto is = held.tables.bytes(unit), should = get_bytes(wanted, unit);
  for (std::size_t i = 0; i < fabric::kMftBytes; ++i) content[i] = is[i] & should[i];
  return content;
}

Attainable attainable(const fabric::Fabric& fabric, const fabric::SwitchGraph& graph,
                      const HeldMulticast& held, const fabric::MulticastTables& wanted) {
  Attainable result{.tables = wanted, .hold_back = {}};
  std::vector<std::uint32_t> stale_mlids(held.tables.blocks(), 0);  // MLIDs by block, as bits
  for (const MftUnit unit : mft_removals(fabric, held, wanted)) {
    if (unit.block >= wanted.blocks()) continue;
    if (held.of(unit) == MftKnowledge::unknown) {
      stale_mlids[unit.block] = ~0u;
      continue;
    }
    const auto is = held.tables.bytes(unit), should = wanted.bytes(unit);
    for (std::size_t i = 0; i < fabric::kMftBytes; ++i) {
      if ((is[i] & ~should[i]) != 0) stale_mlids[unit.block] |= 1u << i / 2;
    }
  }
  if (std::ranges::all_of(stale_mlids, [](std::uint32_t bits) { return bits == 0; })) return result;
  LimitedAdditions additions(fabric, graph, held, wanted);
  for (std::size_t block = 0; block < stale_mlids.size(); ++block) {
    for (unsigned entry = 0; entry < fabric::kMftBlockMlids; ++entry) {
      if ((stale_mlids[block] >> entry & 1u) != 0) {
        additions.apply(Mlid{static_cast<std::uint16_t>(mad::kMlidMin.value +
                                                        block * fabric::kMftBlockMlids + entry)},
                        result);
      }
    }
  }
  return result;
}

std::vector<MftUnit> mft_additions(const fabric::Fabric& fabric, const HeldMulticast& held,
                                   const fabric::MulticastTables& wanted,
                                   const fabric::MulticastTables& target) {
  return units_where(fabric, held, wanted, [&](MftUnit unit) {
    if (held.of(unit) != MftKnowledge::exact) return !has_excess(held, wanted, unit);
    return !std::ranges::equal(held.tables.bytes(unit), get_bytes(target, unit)) &&
           !has_excess(held, wanted, unit);
  });
}

void multicast_dependencies(const fabric::SwitchGraph& graph, const fabric::MulticastTables& tables,
                            Mlid mlid, std::vector<ChannelDependency>& dependencies) {
  for (const SwitchIndex sw : graph.all_switches()) {
    for (const fabric::ChannelIndex in : graph.channels(sw)) {
      if (!tables.test(graph.neighbour[in], mlid, graph.port[graph.reverse[in]])) continue;
      for (const fabric::ChannelIndex out : graph.channels(sw)) {
        if (out != in && tables.test(sw, mlid, graph.port[out]))
          dependencies.push_back({graph.reverse[in], out});
      }
    }
  }
}

}  // namespace routing
