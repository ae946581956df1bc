// Adaptive routing: writes what follows after all forwarding tables have changed.

#include <algorithm>
#include <functional>
#include <map>
#include <set>

#include "mad/attributes/vendor.h"
#include "mad/format.h"
#include "sm/sweep/apply/adaptive_copies.h"
#include "sm/sweep/apply/adaptive_stages.h"
#include "sm/sweep/apply/adaptive_writes.h"
#include "sm/sweep/apply/possible_loops.h"
#include "sm/sweep/devices/stage_requests.h"

namespace sm {
namespace {

/// Returns reads of what was written to switches of models that are not proven yet.
std::unique_ptr<Stage> proof_reads(const Fabric& fabric, const AdaptiveUpdate& update,
                                   std::vector<Write> requests) {
  const auto obstruct = [&](const Write& asked, AdaptiveState state, std::string reason) {
    update.device(fabric.owning_node(asked.port).switch_index)->obstruct(state, std::move(reason));
  };
  return make_reads<Write>(
      StageKind::adaptive_settings, std::move(requests), std::identity(),
      {.accept =
           [obstruct](const Write& asked, std::span<const std::uint8_t, 64> data, ApplyReport&) {
             if (std::ranges::equal(asked.data, data)) return;
             obstruct(
                 asked, AdaptiveState::mismatch,
                 fmt::format("{} with modifier {:#x}, read back: {}", mad::name(asked.attribute),
                             asked.modifier, differing_bytes(asked.data, data)));
           },
       .refuse =
           [obstruct](const Write& asked, std::uint16_t status) {
             obstruct(asked, AdaptiveState::refused,
                      fmt::format("it rejects SubnGet({}): status {:#06x}",
                                  mad::name(asked.attribute), status));
             return true;
           },
       .lose =
           [obstruct](const Write& asked) {
             obstruct(asked, AdaptiveState::silent,
                      fmt::format("no response to SubnGet({})", mad::name(asked.attribute)));
           }});
}

class AdditionStages final : public StageSource {
 public:
  AdditionStages(const Fabric& fabric, DeviceState& devices, const Target& target,
                 const config::Options& options)
      : fabric_(fabric), devices_(devices), target_(target), options_(options) {}

  std::unique_ptr<Stage> next() override {
    if (step_ == Step::begin) {
      update_.emplace(fabric_, devices_, target_, options_);
      if (update_->is_empty() || devices_.lfts.tables() == nullptr) return nullptr;
      find_uncertain();
      step_ = Step::groups;
    }
    if (step_ == Step::copies_read)
      step_ = are_copies_proven(*update_, copies_, copy_proofs_) ? Step::tops : Step::groups;
    switch (step_) {
      case Step::begin:
      case Step::copies_read:
        break;
      case Step::groups: {
        step_ = Step::copies;
        GroupPlan plan = with_copies(groups_to_write(), final_,
                                     [this](SwitchIndex sw) { return update_->may_copy(sw); });
        copies_ = std::move(plan.copies);
        return group_writes(StageKind::adaptive_addition, fabric_, *update_, std::move(plan.blocks),
                            final_);
      }
      case Step::copies:
        step_ = Step::copy_proofs;
        return copy_writes(StageKind::adaptive_addition, fabric_, *update_, copies_, final_);
      case Step::copy_proofs:
        step_ = Step::copies_read;
        copy_proofs_ = switches_to_prove(*update_, copies_);
        return copy_proofs(fabric_, *update_, copies_, copy_proofs_, final_);
      case Step::tops:
        step_ = Step::entries;
        return info_writes(StageKind::adaptive_addition, fabric_, *update_, tops_to_raise());
      case Step::entries: {
        const std::vector<TableBlock> blocks = entries_to_write();
        if (next_switch_ == fabric_.switches.size()) step_ = Step::proofs;
        const auto ports = [this, blocks](std::size_t number) {
          return held_static_ports(devices_.lfts, blocks[number].sw, blocks[number].block);
        };
        return entry_writes(StageKind::adaptive_addition, fabric_, *update_, blocks, ports);
      }
      case Step::proofs:
        if (std::unique_ptr<Stage> proofs = next_proofs()) return proofs;
        step_ = Step::settings;
        return notification_writes(StageKind::adaptive_settings, fabric_, *update_,
                                   switches_to_notify());
      case Step::settings:
        step_ = Step::end;
        return info_writes(StageKind::adaptive_settings, fabric_, *update_, settings());
      case Step::end:
        break;
    }
    return nullptr;
  }

 private:
  enum class Step : std::uint8_t {
    begin,
    groups,
    copies,
    copy_proofs,
    copies_read,
    tops,
    entries,
    proofs,
    settings,
    end
  };

  AdaptiveModel model(SwitchIndex sw) const { return update_->model(sw); }

  /// Finds the groups, and the blocks of their LIDs, that wait: some switch may still forward them
  /// as before, and packets could then come back to it by ports that the groups are to have.
  void find_uncertain() {
    const std::size_t blocks = devices_.lfts.tables()->blocks();
    uncertain_.assign(blocks, false);
    uncertain_groups_.assign(update_->top() + std::size_t{1}, false);
    if (devices_.lfts.is_all_known() || !target_.adaptive) return;
    std::vector<bool> unknown(blocks, false);
    for (const SwitchIndex sw : fabric_.switches.indices())
      for (std::size_t block = 0; block < blocks; ++block)
        if (is_unknown(sw, block)) unknown[block] = true;
    std::map<GroupId, std::vector<mad::Lid>> lids_of;  // LIDs by group, 0: without a choice
    for (std::size_t value = 0; value < blocks * kLftBlockLids; ++value) {
      const mad::Lid lid{static_cast<std::uint16_t>(value)};
      if (unknown[value / kLftBlockLids]) lids_of[target_.adaptive->find_group(lid)].push_back(lid);
    }
    for (const auto& [group, lids] : lids_of) {
      if (group == 0 || group >= uncertain_groups_.size() || !may_loop(fabric_, ways(group, lids)))
        continue;
      uncertain_groups_[group] = true;
      for (const mad::Lid lid : lids) uncertain_[lid.value / kLftBlockLids] = true;
    }
  }

  bool is_unknown(SwitchIndex sw, std::size_t block) const {
    return !devices_.lfts.is_known(sw, block) &&
           block * kLftBlockLids < fabric_.switches[sw].info.linear_fdb_cap();
  }

  /// Returns all ports that packets to these LIDs may take, with the ports that the group is to
  /// have.
  PossiblePorts ways(GroupId group, const std::vector<mad::Lid>& lids) const {
    return [this, group, &lids](SwitchIndex sw) {
      PortSet ports = update_->wanted_ports(sw, group);
      if (update_->is_active(sw)) ports |= update_->device(sw)->groups.row().ports(group);
      ports |= devices_.lfts.possible_ports(sw, lids);
      return ports;
    };
  }

  /// Returns the ports that a group gets. A group that waits keeps its ports.
  PortSet final_ports(SwitchIndex sw, GroupId group) const {
    if (group == 0 || group > update_->top_of(sw)) return {};
    if (update_->is_active(sw) && uncertain_groups_[group])
      return update_->device(sw)->groups.row().ports(group);
    return update_->wanted_ports(sw, group);
  }

  std::vector<TableBlock> groups_to_write() const {
    std::vector<TableBlock> blocks;
    for (const SwitchIndex sw : fabric_.switches.indices()) {
      if (!update_->is_wanted(sw) || update_->holds_groups(sw)) continue;
      const HeldGroups& held = update_->device(sw)->groups;
      const std::size_t end = mad::ArGroupTable::block_of(update_->top_of(sw)) + std::size_t{1};
      for (std::uint32_t block = 0; block < end; ++block) {
        const auto even = static_cast<GroupId>(block * mad::ArGroupTable::kSubGroups),
                   odd = static_cast<GroupId>(even + 1);
        if (held.is_known(even) && held.row().ports(even) == final_ports(sw, even) &&
            held.row().ports(odd) == final_ports(sw, odd))
          continue;
        blocks.push_back({.sw = sw, .block = block});
      }
    }
    return blocks;
  }

  /// Returns writes of GroupTop, which come before an entry has a group above it.
  std::vector<InfoSetting> tops_to_raise() const {
    std::vector<InfoSetting> out;
    for (const SwitchIndex sw : fabric_.switches.indices()) {
      if (!update_->is_active(sw) || !update_->is_wanted(sw)) continue;
      mad::AdaptiveRoutingInfo info = *update_->device(sw)->info;
      if (info.group_top() >= update_->top_of(sw)) continue;
      info.set_group_top(update_->top_of(sw));
      out.push_back({sw, info});
    }
    return out;
  }

  /// Returns the entries of the next switches: a stage holds only a part of a large fabric's blocks
  /// at a time.
  std::vector<TableBlock> entries_to_write() {
    constexpr std::size_t kBlocks = 300'000;
    std::vector<TableBlock> blocks;
    for (; next_switch_ < fabric_.switches.size() && blocks.size() < kBlocks; ++next_switch_) {
      const SwitchIndex sw = next_switch_;
      const bool is_wanted = update_->is_wanted(sw);
      if (!is_wanted && !update_->is_active(sw)) continue;
      const AdaptiveDevice& device = *update_->device(sw);
      const std::vector<FormBlocks::Id> wanted = update_->wanted_forms(sw);
      for (std::uint32_t block = 0; block < wanted.size(); ++block) {
        if (device.form(block) == wanted[block] && !device.rewrites) continue;
        const bool waits =
            uncertain_[std::min(block * kArBlockLids / kLftBlockLids, uncertain_.size() - 1)];
        if (!waits) blocks.push_back({.sw = sw, .block = block, .form = wanted[block]});
      }
    }
    return ordered(std::move(blocks));
  }

  static std::vector<TableBlock> ordered(std::vector<TableBlock> blocks) {
    std::ranges::sort(blocks, {}, [](const TableBlock& at) { return std::pair(at.block, at.sw); });
    return blocks;
  }

  bool has_groups(SwitchIndex sw) const {
    if (update_->holds_groups(sw)) return true;
    const HeldGroups& held = update_->device(sw)->groups;
    for (std::size_t group = 1; group <= update_->top_of(sw); ++group)
      if (!held.is_known(static_cast<GroupId>(group)) ||
          held.row().ports(static_cast<GroupId>(group)) !=
              update_->wanted_ports(sw, static_cast<GroupId>(group)))
        return false;
    return true;
  }
  /// Keeps equal ports in the numbering of the routing, so that the next comparison is short.
  void renumber(SwitchIndex sw) {
    if (!update_->is_wanted(sw) || update_->top() > update_->top_of(sw) ||
        update_->device(sw)->groups.shares(target_.adaptive->rows[sw]) || !has_groups(sw))
      return;
    update_->device(sw)->groups.share(target_.adaptive->rows[sw]);
  }

  /// True if the switch holds all that it needs to begin.
  bool is_complete(SwitchIndex sw) const {
    const AdaptiveDevice& device = *update_->device(sw);
    for (std::size_t block = 0; block < uncertain_.size(); ++block)
      if (!devices_.lfts.is_known(sw, block) &&
          block * kLftBlockLids < fabric_.switches[sw].info.linear_fdb_cap())
        return false;
    if (!has_groups(sw)) return false;
    const std::vector<FormBlocks::Id> wanted = update_->wanted_forms(sw);
    return device.forms.size() >= wanted.size() &&
           std::equal(wanted.begin(), wanted.end(), device.forms.begin());
  }

  bool is_to_begin(SwitchIndex sw) const {
    return update_->is_wanted(sw) && !update_->is_active(sw) && is_complete(sw);
  }

  /// Reads from switches of models that are not proven: from the first one of each, and from all
  /// others after one has shown other content. Returns null if none is left.
  std::unique_ptr<Stage> next_proofs() {
    for (const SwitchIndex sw : std::exchange(asked_, {}))
      if (update_->device(sw)->obstacle == AdaptiveState::off)
        devices_.adaptive.proven.insert(model(sw));
      else
        failed_models_.insert(model(sw));
    std::vector<Write> proofs;
    std::set<AdaptiveModel> begun;
    for (const SwitchIndex sw : fabric_.switches.indices()) {
      const bool is_doubtful = failed_models_.contains(model(sw));
      if (!is_to_begin(sw) || shown_.contains(sw) ||
          (devices_.adaptive.proven.contains(model(sw)) && !is_doubtful) ||
          (!begun.insert(model(sw)).second && !is_doubtful))
        continue;
      add_proofs(sw, proofs);
      asked_.push_back(sw);
      shown_.insert(sw);
    }
    if (proofs.empty()) return nullptr;
    return proof_reads(fabric_, *update_, std::move(proofs));
  }

  /// Adds the first block of each table, and the last one that has content: only a block above 0
  /// shows whether the device forms the modifier differently.
  void add_proofs(SwitchIndex sw, std::vector<Write>& proofs) const {
    const PortIndex port = fabric_.nodes[fabric_.switches[sw].node].first_port;
    const auto add_groups = [&](std::uint16_t block) {
      const auto even = static_cast<GroupId>(block * mad::ArGroupTable::kSubGroups);
      proofs.push_back({.attribute = mad::AttributeId::ar_group_table,
                        .modifier = mad::ArGroupTable::modifier(block),
                        .port = port,
                        .data = group_block(final_ports(sw, even),
                                            final_ports(sw, static_cast<GroupId>(even + 1)))});
    };
    const auto add_entries = [&](std::uint32_t block) {
      proofs.push_back({.attribute = mad::AttributeId::ar_linear_forwarding_table,
                        .modifier = mad::ArLinearForwardingTable::modifier(block),
                        .port = port,
                        .data = entry_block(update_->forms(update_->device(sw)->form(block)),
                                            held_static_ports(devices_.lfts, sw, block))});
    };
    add_groups(0);
    GroupId last = update_->top_of(sw);
    while (last > 1 && final_ports(sw, last).none()) --last;
    if (const std::uint16_t block = mad::ArGroupTable::block_of(last); block > 0) add_groups(block);
    add_entries(0);
    if (update_->form_blocks() > 1)
      add_entries(static_cast<std::uint32_t>(update_->form_blocks() - 1));
  }

  /// True if all switches take notifications of lost paths, and number groups alike.
  bool can_all_notify() const {
    if (!update_->settings().notify) return false;
    for (const SwitchIndex sw : fabric_.switches.indices())
      if (!update_->is_wanted(sw) || !update_->device(sw)->info->pfrn_sup() ||
          update_->top() > update_->top_of(sw))
        return false;
    return true;
  }

  std::vector<SwitchIndex> switches_to_notify() const {
    std::vector<SwitchIndex> out;
    if (!can_all_notify()) return out;
    for (const SwitchIndex sw : fabric_.switches.indices())
      if (!update_->holds_notification(sw)) out.push_back(sw);
    return out;
  }
  bool may_notify() const {
    return can_all_notify() &&
           std::ranges::all_of(fabric_.switches.indices(),
                               [this](SwitchIndex sw) { return update_->holds_notification(sw); });
  }

  std::vector<InfoSetting> settings() {
    const bool notifies = may_notify();
    std::vector<InfoSetting> out;
    for (const SwitchIndex sw : fabric_.switches.indices()) {
      AdaptiveDevice* const device = update_->device(sw);
      if (device == nullptr || !device->info) continue;
      device->rewrites = false;
      renumber(sw);
      if (!update_->is_wanted(sw)) {
        if (device->is_active()) out.push_back({sw, switched_off(*device->info)});
        continue;
      }
      const bool may_begin =
          device->is_active() || (is_to_begin(sw) && devices_.adaptive.proven.contains(model(sw)));
      const mad::AdaptiveRoutingInfo wanted =
          wanted_info(*device->info, update_->settings(), update_->top_of(sw), notifies);
      if (may_begin && !same_settings(*device->info, wanted)) out.push_back({sw, wanted});
    }
    return out;
  }

  const Fabric& fabric_;
  DeviceState& devices_;
  const Target& target_;
  const config::Options& options_;
  std::optional<AdaptiveUpdate> update_;
  std::vector<bool> uncertain_;         // by LinearForwardingTable block: has LIDs of these groups
  std::vector<bool> uncertain_groups_;  // that wait
  std::vector<SwitchIndex> asked_;      // by the stage before
  std::set<SwitchIndex> shown_;
  std::set<AdaptiveModel> failed_models_;
  const GroupPorts final_ = [this](SwitchIndex sw, GroupId group) {
    return final_ports(sw, group);
  };
  std::vector<GroupCopy> copies_;
  std::vector<SwitchIndex> copy_proofs_;  // switches whose copies were read back
  SwitchIndex next_switch_{0};            // whose entries come next
  Step step_ = Step::begin;
};

}  // namespace

std::unique_ptr<StageSource> adaptive_addition_stages(const Fabric& fabric, DeviceState& devices,
                                                      const Target& target,
                                                      const config::Options& options) {
  return std::make_unique<AdditionStages>(fabric, devices, target, options);
}

}  // namespace sm
