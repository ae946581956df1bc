#include "sm/sweep/apply/unicast_stages.h"

#include <algorithm>
#include <functional>
#include <mutex>
#include <optional>

#include "fabric/parallel.h"
#include "fabric/plausible.h"
#include "fabric/switch_graph.h"
#include "mad/format.h"
#include "routing/verify/unicast_update.h"
#include "sm/sweep/apply/adaptive_stages.h"
#include "sm/sweep/apply/attribute_writes.h"
#include "sm/sweep/apply/port_stages.h"
#include "sm/sweep/apply/unicast_phase.h"
#include "sm/sweep/devices/masked_tables.h"
#include "sm/sweep/devices/stage_requests.h"
#include "sm/sweep/devices/table_memory.h"

namespace sm {
namespace {

using routing::LftUnit;

/// Returns unknown blocks of switches that have a table, one block of every switch before the next
/// block of any: reads have the order of writes. Makes room for them.
std::vector<LftUnit> unknown_blocks(const Fabric& fabric, TableMemory& memory) {
  std::vector<LftUnit> blocks;
  mad::Lid top;
  const std::size_t all_known =
      memory.is_all_known() && memory.tables() != nullptr ? memory.tables()->blocks() : 0;
  for (const SwitchIndex sw : fabric.switches.indices()) {
    const mad::SwitchInfo& info = fabric.switches[sw].info;
    const mad::Lid its_top{
        std::min({linear_fdb_top(info), info.linear_fdb_cap(), mad::kUnicastLidMax.value})};
    if (its_top == mad::Lid{} || its_top.value / kLftBlockLids < all_known) continue;
    for (std::uint32_t block = 0; block <= its_top.value / kLftBlockLids; ++block) {
      if (memory.is_known(sw, block)) continue;
      top = std::max(top, its_top);
      blocks.push_back({sw, block});
    }
  }
  std::ranges::sort(blocks, {}, [](const LftUnit& unit) { return std::pair(unit.block, unit.sw); });
  if (!blocks.empty()) memory.make_room(top);
  return blocks;
}

/// Reads these blocks.
std::unique_ptr<Stage> block_reads(
    const Fabric& fabric, std::vector<LftUnit> blocks,
    std::function<void(const LftUnit&, std::span<const std::uint8_t, 64>)> accept) {
  return make_reads<LftUnit>(
      StageKind::forwarding_tables, std::move(blocks),
      [&](const LftUnit& unit) { return lft_request(fabric, unit); },
      {.accept = [accept = std::move(accept)](const LftUnit& unit,
                                              std::span<const std::uint8_t, 64> data,
                                              ApplyReport&) { accept(unit, data); }});
}

mad::Lid lid_of_manager(const Fabric& fabric, const LidMap& lids) {
  const auto found = std::ranges::lower_bound(fabric.end_ports, fabric.sm_port);
  if (found == fabric.end_ports.end() || *found != fabric.sm_port) return {};
  return lids.of_end_port[EndPortIndex(found - fabric.end_ports.begin())].base;
}

class BlockWriteStages final : public Steps {
 public:
  BlockWriteStages(Fabric& fabric, DeviceState& devices, const Target& target,
                   const config::Options& options, LftPart part, std::vector<bool>& hold_back)
      : Steps({once([this] { return state_.masked_lfts.any_needs_top_first() ? tops() : nullptr; }),
               [this] { return next_phase(); },
               once([this] { return hidden_.empty() ? nullptr : tops(); }),
               once([this] { return hidden_.empty() ? nullptr : repetitions(); })}),
        fabric_(fabric),
        state_(devices),
        memory_(devices.lfts),
        target_(target),
        options_(options),
        part_(part),
        hold_back_(hold_back) {}

 private:
  /// Raises LinearFDBTop where it is too low, at switches that need that first.
  std::unique_ptr<Stage> tops() {
    std::vector<Write> writes =
        switch_writes(fabric_, state_.refusals, lid_top_below(target_, part_.end), options_);
    std::erase_if(writes, [&](const Write& write) {
      const Node& node = fabric_.owning_node(write.port);
      return !state_.masked_lfts.needs_top_first(node.guid) ||
             mad::SwitchInfo(write.data).linear_fdb_top() <=
                 linear_fdb_top(fabric_.switches[node.switch_index].info);
    });
    return std::make_unique<AttributeWrites>(StageKind::switches, fabric_, state_,
                                             std::move(writes));
  }

  std::unique_ptr<Stage> next_phase() {
    if (!update_) {
      if (!begin()) return nullptr;
    } else {
      if (std::unique_ptr<Stage> entries = adaptive_entries()) return entries;
      finish_phase();
    }
    std::vector<std::uint32_t> units = update_->next_phase();
    if (units.empty()) {
      end();
      return nullptr;
    }
    phase_ = std::make_shared<UnicastPhase>(fabric_, state_, target_.lids, *update_,
                                            std::move(units), hidden_);
    return phase_->stage();
  }

  /// Returns the adaptive blocks after a phase. Returns null if there are none, or they had their
  /// outcome.
  std::unique_ptr<Stage> adaptive_entries() {
    if (entries_written_ || !has_active_) return nullptr;
    std::vector<AdaptiveBlock> blocks = phase_->adaptive_blocks(*adaptive_);
    if (blocks.empty()) return nullptr;
    entries_written_ = true;
    return adaptive_block_stage(fabric_, *adaptive_, std::move(blocks), lost_entries_);
  }

  void finish_phase() {
    phase_->lose_adaptive(std::exchange(lost_entries_, {}));
    entries_written_ = false;
    phase_->finish(*update_);
  }

  std::unique_ptr<Stage> repetitions() {
    std::ranges::sort(hidden_);  // a unit can be in two phases
    const auto same = std::ranges::unique(hidden_);
    hidden_.erase(same.begin(), same.end());
    std::vector<LftUnit> units;
    units.reserve(hidden_.size());
    for (const std::uint32_t unit : hidden_) units.push_back(update_->units()[unit]);
    return sm::repetitions(fabric_, state_, target_, std::move(units));
  }

  /// Prepares the update. Returns false if there is nothing to write.
  bool begin() {
    adaptive_.emplace(fabric_, state_, target_, options_);
    has_active_ = state_.adaptive.any_active();
    std::vector<LftUnit> units = differing();
    if (units.empty()) {
      adopt();
      return false;
    }
    std::vector<LftUnit> first;  // few, where there are many units
    std::erase_if(units, [&](const LftUnit& unit) {
      if (!loses_packets(unit)) return false;
      first.push_back(unit);
      return true;
    });
    units.insert(units.begin(), first.begin(), first.end());
    before_ = memory_.share();
    graph_ = make_switch_graph(fabric_);
    held_ = {before_.get(), memory_.known(), idle_channels()};
    if (has_active_)
      held_.choices = [this](SwitchIndex sw, mad::Lid lid) -> const PortSet& {
        return adaptive_->choices(sw, lid);
      };
    if (has_active_ && adaptive_->choices_are_wanted())
      held_.wanted_groups = target_.adaptive.get();
    update_.emplace(graph_, held_, *target_.lfts, std::move(units),
                    lid_of_manager(fabric_, target_.lids), with_short_tables());
    return true;
  }

  /// Returns links that are in Init. A cable between switches may have replaced that of a host, and
  /// entries of the host's LID lead over it.
  std::vector<bool> idle_channels() const {
    std::vector<bool> idle(graph_.port.size(), false);
    const auto passes = [](const Port& port) {
      return port.info.port_state() >= mad::PortState::armed;
    };
    for (const SwitchIndex sw : fabric_.switches.indices())
      for (ChannelIndex channel(graph_.offsets[sw]); channel < graph_.offsets[sw + 1]; ++channel) {
        const Port& port =
            fabric_.ports[fabric_.port(fabric_.switches[sw].node, graph_.port[channel])];
        idle[channel] = !passes(port) || !passes(fabric_.ports[port.peer]);
      }
    return idle;
  }

  /// Returns how many blocks of the desired tables fit into the switch.
  std::size_t fitting_blocks(SwitchIndex sw) const {
    const std::size_t cap = fabric_.switches[sw].info.linear_fdb_cap();
    return std::min(target_.lfts->blocks(), (cap + kLftBlockLids - 1) / kLftBlockLids);
  }
  std::vector<SwitchIndex> with_short_tables() const {
    std::vector<SwitchIndex> switches;
    for (const SwitchIndex sw : fabric_.switches.indices())
      if (fitting_blocks(sw) < target_.lfts->blocks()) switches.push_back(sw);
    return switches;
  }

  /// Returns blocks that switches are not known to hold, one block of every switch before the next
  /// block of any. It compares tables one after the other, in the order of memory.
  std::vector<LftUnit> differing() const {
    std::vector<LftUnit> units;
    const ForwardingTables& wanted = *target_.lfts;
    if (memory_.tables() == &wanted && memory_.is_all_known() && !has_active_) return units;
    constexpr std::size_t kTablesWorthAThread = 256;
    std::mutex mutex;
    in_parallel(
        fabric_.switches.size(), kTablesWorthAThread, [&](std::size_t begin, std::size_t end) {
          std::vector<LftUnit> found;
          for (auto sw = SwitchIndex(begin); sw < end; ++sw) {
            const AdaptiveDevice* const device = adaptive_->device(sw);
            const bool is_stale = device != nullptr && !device->stale_blocks.empty();
            if (memory_.holds_row(sw, wanted) && !is_stale) continue;
            const std::size_t blocks_end = std::min<std::size_t>(fitting_blocks(sw), part_.end);
            for (std::uint32_t block = part_.begin; block < blocks_end; ++block)
              if (!memory_.holds(sw, block, wanted.block(sw, block)) ||
                  (is_stale && device->stale_blocks.contains(block)))
                found.push_back({sw, block});
          }
          const std::lock_guard lock(mutex);
          units.insert(units.end(), found.begin(), found.end());
        });
    std::ranges::sort(units, {},
                      [](const LftUnit& unit) { return std::pair(unit.block, unit.sw); });
    return units;
  }

  /// True if the switch forwards some LID of the block to a link that is gone, and is to forward it
  /// elsewhere.
  bool loses_packets(const LftUnit& unit) const {
    if (!memory_.is_known(unit.sw, unit.block)) return false;
    const Node& node = fabric_.nodes[fabric_.switches[unit.sw].node];
    const auto held = memory_.tables()->block(unit.sw, unit.block);
    const auto wanted = std::as_const(*target_.lfts).block(unit.sw, unit.block);
    for (std::size_t entry = 0; entry < held.size(); ++entry)
      if (held[entry] != wanted[entry] && held[entry] != 0 && held[entry] <= node.num_ports &&
          !fabric_.is_link_up(node.first_port + held[entry]))
        return true;
    return false;
  }

  bool was_known(const LftUnit& unit) const {
    return before_ && unit.block < before_->blocks() &&
           held_.known[unit.sw * before_->blocks() + unit.block];
  }

  /// Returns what a switch that did not acknowledge a block may hold there.
  TableMemory::Uncertain uncertain(const LftUnit& unit) const {
    constexpr std::size_t kContentsMax = 8;  // beyond them, it may hold anything
    TableMemory::Uncertain its = memory_.uncertain(unit.sw, unit.block);
    TableMemory::Content held{};
    if (before_ && unit.block < before_->blocks())
      std::ranges::copy(before_->block(unit.sw, unit.block), held.begin());
    if (was_known(unit)) {
      const auto wanted = std::as_const(*target_.lfts).block(unit.sw, unit.block);
      for (std::size_t entry = 0; entry < held.size(); ++entry)
        if (held[entry] != wanted[entry]) its.misled.set(held[entry]);
      its.contents = {held};
    } else if (!its.contents.empty() &&
               std::ranges::find(its.contents, held) == its.contents.end()) {
      its.contents.push_back(held);  // from the write before
    }
    if (its.contents.size() > kContentsMax) its.contents.clear();
    return its;
  }

  /// Holds back the links of these ports that carry no data yet.
  void hold_back_links(SwitchIndex sw, const TableMemory::Ports& ports) {
    const Node& node = fabric_.nodes[fabric_.switches[sw].node];
    for (std::size_t number = 1; number <= node.num_ports; ++number) {
      const PortIndex port = node.first_port + static_cast<std::uint32_t>(number);
      if (!ports[number] || fabric_.ports[port].peer == kNoIndex ||
          fabric_.ports[port].info.port_state() >= mad::PortState::armed)
        continue;
      hold_back_.resize(fabric_.ports.size());
      hold_back_[port] = true;
    }
  }

  /// Notes that the switches hold the blocks of this part; end() invalidates exceptions right
  /// after. Unknown blocks of other parts stay unknown; the other blocks hold the desired content.
  void adopt() {
    struct Unknown {
      LftUnit unit;
      TableMemory::Uncertain its;
    };
    std::vector<Unknown> others;
    const auto blocks = static_cast<std::uint32_t>(target_.lfts->blocks());
    const auto note_unknown = [&](std::uint32_t begin, std::uint32_t end) {
      for (const SwitchIndex sw : fabric_.switches.indices())
        for (std::uint32_t block = begin; block < end; ++block)
          if (!memory_.is_known(sw, block))
            others.push_back({{sw, block}, memory_.uncertain(sw, block)});
    };
    note_unknown(0, part_.begin);
    note_unknown(part_.end, blocks);
    memory_.adopt(target_.lfts);
    for (const Unknown& other : others)
      memory_.invalidate_block(other.unit.sw, other.unit.block, other.its);
  }

  void end() {
    const std::vector<routing::UnicastUpdate::Left> left = update_->left();
    std::vector<TableMemory::Uncertain> uncertain_blocks;
    uncertain_blocks.reserve(left.size());
    for (const auto& [number, sent] : left)
      uncertain_blocks.push_back(uncertain(update_->units()[number]));
    adopt();
    for (std::size_t i = 0; i < left.size(); ++i) {
      const LftUnit& unit = update_->units()[left[i].unit];
      TableMemory::Uncertain& its = uncertain_blocks[i];
      hold_back_links(unit.sw, its.misled);
      if (!left[i].sent && was_known(unit)) {
        memory_.read_back(unit.sw, unit.block, before_->block(unit.sw, unit.block));
        continue;
      }
      if (left[i].sent)  // what it may hold now can be wrong when something else is wanted
        for (const std::uint8_t port : std::as_const(*target_.lfts).block(unit.sw, unit.block))
          its.misled.set(port);
      memory_.invalidate_block(unit.sw, unit.block, std::move(its));
    }
  }

  Fabric& fabric_;
  DeviceState& state_;
  TableMemory& memory_;
  const Target& target_;
  const config::Options& options_;
  const LftPart part_;
  std::vector<bool>& hold_back_;
  std::shared_ptr<const ForwardingTables> before_;
  routing::HeldUnicast held_;
  SwitchGraph graph_;
  std::optional<routing::UnicastUpdate> update_;
  std::shared_ptr<UnicastPhase> phase_;  // the latest one
  std::optional<AdaptiveUpdate> adaptive_;
  bool has_active_ = false;  // some switch routes adaptively
  bool entries_written_ = false;
  std::vector<std::uint32_t> lost_entries_;
  std::vector<std::uint32_t> hidden_;  // units that may not be there, above LinearFDBTop
};

}  // namespace

std::unique_ptr<Stage> table_readbacks(const Fabric& fabric, const DeviceState& devices,
                                       const LidMap& lids, std::span<const SwitchIndex> switches,
                                       std::vector<SwitchIndex>& lost) {
  std::vector<LftUnit> units;
  for (const SwitchIndex sw : switches) {
    if (const auto block = devices.lfts.readback_block(sw)) units.push_back({sw, *block});
  }
  return block_reads(fabric, std::move(units),
                     [&](const LftUnit& unit, std::span<const std::uint8_t, 64> data) {
                       if (!shows_held_block(fabric, devices, lids, unit.sw, unit.block, data))
                         lost.push_back(unit.sw);
                     });
}

std::unique_ptr<StageSource> unicast_reads(const Fabric& fabric, TableMemory& memory) {
  return make_steps({once([&] {
    return block_reads(fabric, unknown_blocks(fabric, memory),
                       [&](const LftUnit& unit, std::span<const std::uint8_t, 64> data) {
                         memory.read_back(unit.sw, unit.block, data);
                       });
  })});
}

std::unique_ptr<StageSource> unicast_stages(Fabric& fabric, DeviceState& devices,
                                            const Target& target, const config::Options& options,
                                            LftPart part, std::vector<bool>& hold_back) {
  return std::make_unique<BlockWriteStages>(fabric, devices, target, options, part, hold_back);
}

namespace {

/// Waiting costs each switch a Get and a Set of LinearFDBTop: fewer blocks are not worth that.
constexpr std::uint32_t kWaitingBlocksMin = 4;

/// True if the LID is that of a switch's port 0, at which only management packets end.
bool is_for_management(const Fabric& fabric, PortIndex owner) {
  if (owner == kNoIndex || owner == fabric.sm_port) return false;
  const Node& node = fabric.owning_node(owner);
  return node.is_switch() && !fabric.switches[node.switch_index].info.enhanced_port_0();
}

}  // namespace

std::uint32_t first_waiting_block(const Fabric& fabric, const TableMemory& memory,
                                  const Target& target) {
  const auto blocks = static_cast<std::uint32_t>(target.lfts->blocks());
  std::uint32_t first = blocks;
  const auto holds_only_switches = [&](std::uint32_t block) {
    for (unsigned lid = block * kLftBlockLids;
         lid < (block + 1) * kLftBlockLids && lid <= target.lids.lid_top.value; ++lid)
      if (!is_for_management(fabric, target.lids.owner(mad::Lid{static_cast<std::uint16_t>(lid)})))
        return false;
    return true;
  };
  while (first > 1 && holds_only_switches(first - 1)) --first;
  if (blocks - first < kWaitingBlocksMin) return blocks;
  for (const SwitchIndex sw : fabric.switches.indices()) {
    if (linear_fdb_top(fabric.switches[sw].info) >= first * kLftBlockLids) return blocks;
    for (std::uint32_t block = first; block < blocks; ++block)
      if (memory.is_known(sw, block)) return blocks;
  }
  return first;
}

mad::Lid lid_top_below(const Target& target, std::uint32_t end) {
  if (!target.lfts || end >= target.lfts->blocks()) return target.lids.lid_top;
  return std::min(target.lids.lid_top,
                  mad::Lid{static_cast<std::uint16_t>(end * kLftBlockLids - 1)});
}

}  // namespace sm
