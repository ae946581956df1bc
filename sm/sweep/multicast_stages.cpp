#include "sm/sweep/multicast_stages.h"

#include <algorithm>

#include "fabric/plausible.h"
#include "fabric/switch_graph.h"
#include "mad/attributes/forwarding_tables.h"
#include "mad/format.h"
#include "sm/sweep/held.h"

namespace sm {
namespace {

using routing::HeldMulticast;
using routing::MftContent;
using routing::MftKnowledge;

class UnitReads final : public Stage {
 public:
  UnitReads(const Fabric& fabric, HeldMulticast& held, std::vector<MftUnit> units)
      : Stage(StageKind::multicast_addition),
        fabric_(fabric),
        held_(held),
        units_(std::move(units)) {}

  std::size_t size() const override { return units_.size(); }
  Write write(std::size_t number) const override {
    const MftUnit& unit = units_[number];
    return {.attribute = mad::AttributeId::multicast_forwarding_table,
            .modifier = unit.modifier(),
            .port = fabric_.nodes[fabric_.switches[unit.sw].node].first_port,
            .data = {}};
  }
  void accept(std::size_t number, std::span<const std::uint8_t, 64> data, ApplyReport&) override {
    held_.learn(units_[number], data);
  }

 private:
  const Fabric& fabric_;
  HeldMulticast& held_;
  const std::vector<MftUnit> units_;
};

struct UnitWrite {
  MftUnit unit;
  MftContent content;
};

class UnitWrites final : public Stage {
 public:
  UnitWrites(StageKind kind, const Fabric& fabric, HeldMulticast& held,
             std::vector<UnitWrite> writes)
      : Stage(kind), fabric_(fabric), held_(held), writes_(std::move(writes)) {
    // Until a switch has responded, it may have done it or not.
    for (const UnitWrite& write : writes_) held.doubt(write.unit, write.content);
  }

  std::size_t size() const override { return writes_.size(); }
  Write write(std::size_t number) const override {
    const UnitWrite& write = writes_[number];
    return {.attribute = mad::AttributeId::multicast_forwarding_table,
            .modifier = write.unit.modifier(),
            .port = fabric_.nodes[node_of(write)].first_port,
            .data = write.content};
  }
  void accept(std::size_t number, std::span<const std::uint8_t, 64> data,
              ApplyReport& report) override {
    const UnitWrite& write = writes_[number];
    held_.learn(write.unit, data);
    ++report.writes;
    if (std::ranges::equal(data, write.content)) return;
    report.fail(fmt::format(
        "{} took block {} of its multicast table for ports from {}, but answers with another "
        "content",
        fabric_.name(node_of(write)), write.unit.block, write.unit.position * kMftPositionPorts));
  }

 private:
  NodeIndex node_of(const UnitWrite& write) const { return fabric_.switches[write.unit.sw].node; }

  const Fabric& fabric_;
  HeldMulticast& held_;
  const std::vector<UnitWrite> writes_;
};

struct TopWrite {
  SwitchIndex sw;
  mad::Mlid top;
};

class TopWrites final : public Stage {
 public:
  TopWrites(StageKind kind, Fabric& fabric, MulticastMemory& memory, std::vector<TopWrite> writes)
      : Stage(kind), fabric_(fabric), memory_(memory), writes_(std::move(writes)) {}

  std::size_t size() const override { return writes_.size(); }
  Write write(std::size_t number) const override {
    const Switch& sw = fabric_.switches[writes_[number].sw];
    mad::SwitchInfo info = sw.info;
    info.set_multicast_fdb_top(writes_[number].top.value);
    info.set_port_state_change(false);  // 1 would be the order to clear it
    Write out{.attribute = mad::AttributeId::switch_info,
              .modifier = 0,
              .port = fabric_.nodes[sw.node].first_port,
              .data = {}};
    std::ranges::copy(info.bytes(), out.data.begin());
    return out;
  }
  /// The write contains LinearFDBTop, too, which shows whether the switch lost its tables.
  bool reads_first() const override { return true; }
  bool confirm(std::size_t number, std::span<const std::uint8_t, 64> data) override {
    return shows_same_tables(fabric_.switches[writes_[number].sw].info, mad::SwitchInfo(data));
  }

  void accept(std::size_t number, std::span<const std::uint8_t, 64> data,
              ApplyReport& report) override {
    Switch& sw = fabric_.switches[writes_[number].sw];
    const mad::SwitchInfo answered(data);
    if (!same_hardware(sw.info, answered))
      return report.fail(
          fmt::format("{} answers SubnSet(SwitchInfo) with the capacities of another switch",
                      fabric_.name(sw.node)));
    ++report.writes;
    sw.info = answered;
    if (answered.multicast_fdb_top() == writes_[number].top.value) return;
    memory_.note_ignores_top(fabric_.nodes[sw.node].guid);
    report.refusals.push_back(fmt::format(
        "{} acknowledges MulticastFDBTop and does not take it; it is not written to it again",
        fabric_.name(sw.node)));
  }

 private:
  Fabric& fabric_;
  MulticastMemory& memory_;
  const std::vector<TopWrite> writes_;
};

/// Units of which nothing is known. Neighbours in the list are different switches, so that none is
/// flooded.
std::vector<MftUnit> unknown_units(const Fabric& fabric, const HeldMulticast& held) {
  std::vector<MftUnit> units;
  for (std::size_t block = 0; block < held.tables.blocks(); ++block) {
    if (held.is_settled(block)) continue;
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

enum class Tops { raise, lower };

/// Switches whose MulticastFDBTop is to move in this direction.
std::vector<TopWrite> top_writes(const Fabric& fabric, mad::Mlid top, const MulticastMemory& memory,
                                 Tops tops) {
  const HeldMulticast& held = memory.held();
  std::vector<bool> in_doubt(fabric.switches.size(), false);
  for (const MftUnit unit : unknown_units(fabric, held)) in_doubt[unit.sw] = true;
  std::vector<TopWrite> writes;
  for (const SwitchIndex sw : fabric.switches.indices()) {
    const Node& node = fabric.nodes[fabric.switches[sw].node];
    const mad::SwitchInfo& info = fabric.switches[sw].info;
    const bool has_top = (fabric.ports[node.first_port].info.capability_mask() &
                          mad::capability::kMulticastFdbTop) != 0;
    if (!has_top || info.multicast_fdb_cap() == 0 || memory.ignores_top(node.guid)) continue;
    // The table of `cap` entries ends at 0xBFFF + cap.
    const auto last =
        static_cast<unsigned>(mad::SwitchInfo::kNoMulticastEntries) + info.multicast_fdb_cap();
    const mad::Mlid its{static_cast<std::uint16_t>(std::min<unsigned>(top.value, last))};
    const unsigned now = info.multicast_fdb_top();
    const bool raises = now < its.value;
    if (now == its.value || raises != (tops == Tops::raise) || (raises && in_doubt[sw])) continue;
    writes.push_back({sw, its});
  }
  return writes;
}

class UnitReadStages final : public StageSource {
 public:
  UnitReadStages(const Fabric& fabric, HeldMulticast& held) : fabric_(fabric), held_(held) {}
  std::unique_ptr<Stage> next() override {
    if (std::exchange(done_, true)) return nullptr;
    return std::make_unique<UnitReads>(fabric_, held_, unknown_units(fabric_, held_));
  }

 private:
  const Fabric& fabric_;
  HeldMulticast& held_;
  bool done_ = false;
};

class UnitWriteStages final : public StageSource {
 public:
  UnitWriteStages(Fabric& fabric, MulticastMemory& memory, const MulticastTables& wanted,
                  bool use_top, std::vector<bool>& hold_back)
      : fabric_(fabric),
        memory_(memory),
        held_(memory.held()),
        wanted_(wanted),
        use_top_(use_top),
        hold_back_(hold_back) {}

  std::unique_ptr<Stage> next() override {
    switch (step_++) {
      case 0:
        return removals();
      case 1:
        return tops(StageKind::multicast_top_raise, Tops::raise);
      case 2:
        return additions();
      case 3:
        held_.settle(fabric_, wanted_);  // now, and not when the next host waits for its join
        return tops(StageKind::multicast_top_lower, Tops::lower);
      default:
        return nullptr;
    }
  }

 private:
  std::unique_ptr<Stage> removals() {
    held_.settle(fabric_, wanted_);
    std::vector<UnitWrite> writes;
    for (const MftUnit unit : routing::mft_removals(fabric_, held_, wanted_))
      writes.push_back({unit, routing::mft_remainder(held_, wanted_, unit)});
    return std::make_unique<UnitWrites>(StageKind::multicast_removal, fabric_, held_,
                                        std::move(writes));
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
    return std::make_unique<UnitWrites>(StageKind::multicast_addition, fabric_, held_,
                                        std::move(writes));
  }

  std::unique_ptr<Stage> tops(StageKind kind, Tops direction) {
    std::vector<TopWrite> writes;
    if (use_top_) writes = top_writes(fabric_, wanted_.top(), memory_, direction);
    return std::make_unique<TopWrites>(kind, fabric_, memory_, std::move(writes));
  }

  Fabric& fabric_;
  MulticastMemory& memory_;
  HeldMulticast& held_;
  const MulticastTables& wanted_;
  const bool use_top_;
  std::vector<bool>& hold_back_;
  unsigned step_ = 0;
};

}  // namespace

std::unique_ptr<StageSource> multicast_reads(const Fabric& fabric, MulticastMemory& memory) {
  return std::make_unique<UnitReadStages>(fabric, memory.held());
}

std::unique_ptr<StageSource> multicast_stages(Fabric& fabric, MulticastMemory& memory,
                                              const MulticastTables& wanted, bool use_top,
                                              std::vector<bool>& hold_back) {
  memory.held().grow(wanted.blocks());
  return std::make_unique<UnitWriteStages>(fabric, memory, wanted, use_top, hold_back);
}

}  // namespace sm
