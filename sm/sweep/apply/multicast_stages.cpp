#include "sm/sweep/apply/multicast_stages.h"

#include <algorithm>
#include <set>

#include "fabric/plausible.h"
#include "fabric/switch_graph.h"
#include "mad/attributes/forwarding_blocks.h"
#include "mad/format.h"
#include "sm/sweep/devices/device_state.h"
#include "sm/sweep/devices/stage_requests.h"

namespace sm {
namespace {

using routing::HeldMulticast;
using routing::MftContent;
using routing::MftKnowledge;

struct UnitWrite {
  MftUnit unit;
  MftContent content;
};

Write unit_request(const Fabric& fabric, const UnitWrite& write) {
  return {.attribute = mad::AttributeId::multicast_forwarding_table,
          .modifier = write.unit.modifier(),
          .port = fabric.nodes[fabric.switches[write.unit.sw].node].first_port,
          .data = write.content};
}

std::unique_ptr<Stage> unit_reads(const Fabric& fabric, HeldMulticast& held,
                                  std::vector<MftUnit> units) {
  return make_reads<MftUnit>(
      StageKind::multicast_addition, std::move(units),
      [&](const MftUnit& unit) { return unit_request(fabric, {.unit = unit, .content = {}}); },
      {.accept = [&](const MftUnit& unit, std::span<const std::uint8_t, 64> data, ApplyReport&) {
        held.learn(unit, data);
      }});
}

std::unique_ptr<Stage> unit_writes(StageKind kind, const Fabric& fabric, HeldMulticast& held,
                                   std::vector<UnitWrite> writes) {
  // Until a switch has responded, it may hold the old or the new content.
  for (const UnitWrite& write : writes) held.mark_unknown(write.unit, write.content);
  return std::make_unique<Requests<UnitWrite>>(
      kind, mad::Method::set, std::move(writes),
      [&](const UnitWrite& write) { return unit_request(fabric, write); },
      Outcomes<UnitWrite>{.accept = [&](const UnitWrite& write,
                                        std::span<const std::uint8_t, 64> data,
                                        ApplyReport& report) {
        held.learn(write.unit, data);
        ++report.writes;
        if (std::ranges::equal(data, write.content)) return;
        report.fail(fmt::format(
            "{} took block {} of its multicast table for ports from {}, but answers with "
            "another content",
            fabric.name(fabric.switches[write.unit.sw].node), write.unit.block,
            write.unit.position * kMftPositionPorts));
      }});
}

struct TopWrite {
  SwitchIndex sw;
  mad::Mlid top;
};

Write top_request(const Fabric& fabric, const TopWrite& write) {
  const Switch& sw = fabric.switches[write.sw];
  mad::SwitchInfo info = sw.info;
  info.set_multicast_fdb_top(write.top.value);
  info.set_port_state_change(false);  // 1 would be the order to clear it
  return make_write(info, 0, fabric.nodes[sw.node].first_port);
}

std::unique_ptr<Stage> top_stage(StageKind kind, Fabric& fabric, MulticastMemory& memory,
                                 std::vector<TopWrite> writes) {
  const auto accept = [&](const TopWrite& write, std::span<const std::uint8_t, 64> data,
                          ApplyReport& report) {
    Switch& sw = fabric.switches[write.sw];
    const mad::SwitchInfo answered(data);
    if (!same_hardware(sw.info, answered))
      return report.fail(
          fmt::format("{} answers SubnSet(SwitchInfo) with the capacities of another switch",
                      fabric.name(sw.node)));
    ++report.writes;
    sw.info = answered;
    if (answered.multicast_fdb_top() == write.top.value) return;
    memory.note_ignores_top(fabric.nodes[sw.node].guid);
    report.refusals.push_back(fmt::format(
        "{} acknowledges MulticastFDBTop and does not take it; it is not written to it again",
        fabric.name(sw.node)));
  };
  // The write also contains LinearFDBTop, which shows whether the switch lost its tables.
  const auto confirm = [&](const TopWrite& write, std::span<const std::uint8_t, 64> data) {
    return shows_same_tables(fabric.switches[write.sw].info, mad::SwitchInfo(data));
  };
  return std::make_unique<Requests<TopWrite>>(
      kind, mad::Method::set, std::move(writes),
      [&](const TopWrite& write) { return top_request(fabric, write); },
      Outcomes<TopWrite>{.accept = accept, .confirm = confirm});
}

std::vector<MftUnit> unknown_units(const Fabric& fabric, const HeldMulticast& held, SwitchIndex sw,
                                   std::size_t block) {
  std::vector<MftUnit> units;
  for (std::size_t position = 0; position < held.tables.positions(); ++position) {
    const MftUnit unit{sw, static_cast<std::uint16_t>(block), static_cast<std::uint8_t>(position)};
    if (held.of(unit) == MftKnowledge::unknown && routing::has_unit(fabric, unit))
      units.push_back(unit);
  }
  return units;
}

/// Returns the unknown units of these blocks. Consecutive units belong to different switches, so
/// that no switch is flooded.
std::vector<MftUnit> unknown_units(const Fabric& fabric, const HeldMulticast& held,
                                   const std::vector<bool>& blocks) {
  std::vector<MftUnit> units;
  for (std::size_t block = 0; block < held.tables.blocks(); ++block) {
    if (!blocks[block]) continue;
    for (std::size_t position = 0; position < held.tables.positions(); ++position) {
      for (const SwitchIndex sw : held.tables.all_switches()) {
        const MftUnit unit{sw, static_cast<std::uint16_t>(block),
                           static_cast<std::uint8_t>(position)};
        if (held.of(unit) == MftKnowledge::unknown && routing::has_unit(fabric, unit))
          units.push_back(unit);
      }
    }
  }
  return units;
}

/// True if MulticastFDBTop of the switch can be written.
bool has_top(const Fabric& fabric, const MulticastMemory& memory, SwitchIndex sw) {
  const Node& node = fabric.nodes[fabric.switches[sw].node];
  return (fabric.ports[node.first_port].info.capability_mask() &
          mad::capability::kMulticastFdbTop) != 0 &&
         fabric.switches[sw].info.multicast_fdb_cap() != 0 && !memory.ignores_top(node.guid);
}

/// Returns the first block with MLIDs above the present top of the switch.
std::size_t first_hidden(const Fabric& fabric, SwitchIndex sw) {
  const unsigned above = fabric.switches[sw].info.multicast_fdb_top() + 1u;
  return above <= mad::kMlidMin.value ? 0 : (above - mad::kMlidMin.value) / kMftBlockMlids;
}

/// Returns the highest MLID to which the top of the switch may be raised. The present top may hide
/// stale entries above it, in unknown units.
mad::Mlid highest_known(const Fabric& fabric, const HeldMulticast& held, SwitchIndex sw) {
  for (std::size_t block = first_hidden(fabric, sw); block < held.tables.blocks(); ++block) {
    if (!unknown_units(fabric, held, sw, block).empty())
      return {static_cast<std::uint16_t>(mad::kMlidMin.value + block * kMftBlockMlids - 1)};
  }
  return mad::kMlidMax;
}

enum class Tops { raise, lower };

/// Returns writes for switches whose MulticastFDBTop is to move in this direction.
std::vector<TopWrite> top_writes(const Fabric& fabric, mad::Mlid top, const MulticastMemory& memory,
                                 Tops tops) {
  const HeldMulticast& held = memory.held();
  std::vector<TopWrite> writes;
  for (const SwitchIndex sw : fabric.switches.indices()) {
    const mad::SwitchInfo& info = fabric.switches[sw].info;
    if (!has_top(fabric, memory, sw)) continue;
    // A table of `cap` entries ends at 0xBFFF + cap.
    const auto last =
        static_cast<unsigned>(mad::SwitchInfo::kNoMulticastEntries) + info.multicast_fdb_cap();
    mad::Mlid its{static_cast<std::uint16_t>(std::min<unsigned>(top.value, last))};
    const unsigned now = info.multicast_fdb_top();
    if (now == its.value || (now < its.value) != (tops == Tops::raise)) continue;
    if (tops == Tops::raise) its = std::min(its, highest_known(fabric, held, sw));
    if (tops == Tops::lower || its.value > now) writes.push_back({sw, its});
  }
  return writes;
}

class UnitReadStages final : public Steps {
 public:
  UnitReadStages(const Fabric& fabric, MulticastMemory& memory, const MulticastTables& wanted,
                 bool use_top)
      : Steps({once([this] { return unit_reads(fabric_, held_, missing()); }), once([this] {
                 return unit_reads(fabric_, held_, unknown_units(fabric_, held_, stale_switches()));
               })}),
        fabric_(fabric),
        memory_(memory),
        held_(memory.held()),
        wanted_(wanted),
        use_top_(use_top) {}

 private:
  /// Returns units that must be known before the desired tables are written.
  std::vector<MftUnit> missing() {
    held_.settle(fabric_, wanted_);
    std::vector<MftUnit> units = routing::mft_missing(fabric_, held_, wanted_);
    if (use_top_) add_hidden(units);
    return units;
  }
  /// Adds unknown units between the present top of a switch and its highest desired entry: the
  /// present top hides their content.
  void add_hidden(std::vector<MftUnit>& units) const {
    const std::set<std::uint32_t> listed = [&] {
      std::set<std::uint32_t> numbers;
      for (const MftUnit unit : units)
        numbers.insert(static_cast<std::uint32_t>(held_.tables.unit_number(unit)));
      return numbers;
    }();
    std::vector<std::size_t> ends(fabric_.switches.size(), 0);  // of wanted blocks
    for (std::size_t block = 0; block < wanted_.blocks(); ++block) {
      if (held_.agrees(block, wanted_)) continue;
      for (const SwitchIndex sw : wanted_.all_switches())
        if (has_entries(sw, block)) ends[sw] = block + 1;
    }
    for (const SwitchIndex sw : fabric_.switches.indices()) {
      if (ends[sw] == 0 || !has_top(fabric_, memory_, sw)) continue;
      for (std::size_t block = first_hidden(fabric_, sw); block < ends[sw]; ++block) {
        for (const MftUnit unit : unknown_units(fabric_, held_, sw, block))
          if (!listed.contains(static_cast<std::uint32_t>(held_.tables.unit_number(unit))))
            units.push_back(unit);
      }
    }
  }
  bool has_entries(SwitchIndex sw, std::size_t block) const {
    for (std::size_t position = 0; position < wanted_.positions(); ++position) {
      const MftUnit unit{sw, static_cast<std::uint16_t>(block),
                         static_cast<std::uint8_t>(position)};
      if (std::ranges::any_of(wanted_.bytes(unit), [](std::uint8_t byte) { return byte != 0; }))
        return true;
    }
    return false;
  }
  /// Returns the blocks in which a necessary switch did not answer. How far additions may go then
  /// depends on what all switches hold.
  std::vector<bool> stale_switches() const {
    std::vector<bool> blocks(held_.tables.blocks(), false);
    for (const MftUnit unit : routing::mft_missing(fabric_, held_, wanted_))
      blocks[unit.block] = true;
    for (const MftUnit unit : routing::mft_removals(fabric_, held_, wanted_))
      blocks[unit.block] = blocks[unit.block] || held_.of(unit) == MftKnowledge::at_most;
    return blocks;
  }

  const Fabric& fabric_;
  const MulticastMemory& memory_;
  HeldMulticast& held_;
  const MulticastTables& wanted_;
  const bool use_top_;
};

class UnitWriteStages final : public Steps {
 public:
  UnitWriteStages(Fabric& fabric, MulticastMemory& memory, const MulticastTables& wanted,
                  bool use_top, std::vector<bool>& hold_back)
      : Steps({once([this] { return removals(); }),
               once([this] { return tops(StageKind::multicast_top_raise, Tops::raise); }),
               once([this] { return additions(); }), once([this] {
                 held_.settle(fabric_,
                              wanted_);  // now, and not when the next host waits for its join
                 return tops(StageKind::multicast_top_lower, Tops::lower);
               })}),
        fabric_(fabric),
        memory_(memory),
        held_(memory.held()),
        wanted_(wanted),
        use_top_(use_top),
        hold_back_(hold_back) {}

 private:
  std::unique_ptr<Stage> removals() {
    held_.settle(fabric_, wanted_);
    std::vector<UnitWrite> writes;
    for (const MftUnit unit : routing::mft_removals(fabric_, held_, wanted_))
      writes.push_back({unit, routing::mft_remainder(held_, wanted_, unit)});
    return unit_writes(StageKind::multicast_removal, fabric_, held_, std::move(writes));
  }

  std::unique_ptr<Stage> additions() {
    routing::Attainable attainable{.tables = wanted_, .hold_back = {}};
    if (!routing::mft_removals(fabric_, held_, wanted_).empty()) {
      const SwitchGraph graph = make_switch_graph(fabric_);
      attainable = routing::attainable(fabric_, graph, held_, wanted_);
      for (ChannelIndex channel{0}; channel < attainable.hold_back.size(); ++channel) {
        if (!attainable.hold_back[channel]) continue;
        hold_back_.resize(fabric_.ports.size());
        hold_back_[fabric_.port(fabric_.switches[graph.neighbour[graph.reverse[channel]]].node,
                                graph.port[channel])] = true;
      }
    }
    std::vector<UnitWrite> writes;
    for (const MftUnit unit : routing::mft_additions(fabric_, held_, wanted_, attainable.tables)) {
      UnitWrite& write = writes.emplace_back(UnitWrite{.unit = unit, .content = {}});
      if (unit.block < attainable.tables.blocks())
        std::ranges::copy(attainable.tables.bytes(unit), write.content.begin());
    }
    return unit_writes(StageKind::multicast_addition, fabric_, held_, std::move(writes));
  }

  std::unique_ptr<Stage> tops(StageKind kind, Tops direction) {
    std::vector<TopWrite> writes;
    if (use_top_) writes = top_writes(fabric_, wanted_.top(), memory_, direction);
    return top_stage(kind, fabric_, memory_, std::move(writes));
  }

  Fabric& fabric_;
  MulticastMemory& memory_;
  HeldMulticast& held_;
  const MulticastTables& wanted_;
  const bool use_top_;
  std::vector<bool>& hold_back_;
};

}  // namespace

std::unique_ptr<StageSource> multicast_reads(const Fabric& fabric, MulticastMemory& memory) {
  return make_steps({once([&] {
    const std::vector<bool> all(memory.held().tables.blocks(), true);
    return unit_reads(fabric, memory.held(), unknown_units(fabric, memory.held(), all));
  })});
}

std::unique_ptr<StageSource> multicast_reads(const Fabric& fabric, MulticastMemory& memory,
                                             const MulticastTables& wanted, bool use_top) {
  memory.held().grow(wanted.blocks());
  return std::make_unique<UnitReadStages>(fabric, memory, wanted, use_top);
}

std::unique_ptr<StageSource> multicast_stages(Fabric& fabric, MulticastMemory& memory,
                                              const MulticastTables& wanted, bool use_top,
                                              std::vector<bool>& hold_back) {
  memory.held().grow(wanted.blocks());
  return std::make_unique<UnitWriteStages>(fabric, memory, wanted, use_top, hold_back);
}

}  // namespace sm
