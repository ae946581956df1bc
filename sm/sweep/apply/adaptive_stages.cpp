// Adaptive routing: writes what comes before forwarding tables change, and with them.

#include "sm/sweep/apply/adaptive_stages.h"

#include <algorithm>

#include "sm/sweep/apply/adaptive_copies.h"
#include "sm/sweep/apply/adaptive_writes.h"

namespace sm {
namespace {

class RemovalStages final : public StageSource {
 public:
  RemovalStages(const Fabric& fabric, DeviceState& devices, const Target& target,
                const config::Options& options)
      : fabric_(fabric), devices_(devices), target_(target), options_(options) {}

  std::unique_ptr<Stage> next() override {
    if (!devices_.adaptive.any_active()) return nullptr;
    if (!update_) update_.emplace(fabric_, devices_, target_, options_);
    switch (step_++) {
      case 0:
        return info_writes(StageKind::adaptive_removal, fabric_, *update_, switches_to_stop());
      case 1: {
        GroupPlan plan = with_copies(groups_to_reduce(), reduced_,
                                     [this](SwitchIndex sw) { return update_->may_copy(sw); });
        copies_ = std::move(plan.copies);
        return group_writes(StageKind::adaptive_removal, fabric_, *update_, std::move(plan.blocks),
                            reduced_);
      }
      case 2:
        return copy_writes(StageKind::adaptive_removal, fabric_, *update_, copies_, reduced_);
      case 3: {
        const std::vector<TableBlock> blocks = entries_to_reduce();
        const auto ports = [this, blocks](std::size_t number) {
          return held_static_ports(devices_.lfts, blocks[number].sw, blocks[number].block);
        };
        return entry_writes(StageKind::adaptive_removal, fabric_, *update_, blocks, ports);
      }
      default:
        return nullptr;
    }
  }

 private:
  /// Returns switches whose forwarding tables are valid already. Others get these tables first.
  std::vector<InfoSetting> switches_to_stop() const {
    std::vector<InfoSetting> settings;
    for (const SwitchIndex sw : fabric_.switches.indices())
      if (update_->is_active(sw) && !update_->is_wanted(sw) &&
          update_->device(sw)->stale_blocks.empty())
        settings.push_back({sw, switched_off(*update_->device(sw)->info)});
    return settings;
  }

  /// Returns the ports that a group has and keeps. If there are none, its entries become static.
  PortSet reduced(SwitchIndex sw, GroupId group) const {
    const PortSet& held = update_->device(sw)->groups.row().ports(group);
    const PortSet both = held & update_->wanted_ports(sw, group);
    return both.any() ? both : held;
  }

  std::vector<TableBlock> groups_to_reduce() const {
    std::vector<TableBlock> blocks;
    for (const SwitchIndex sw : fabric_.switches.indices()) {
      if (!update_->is_active(sw) || !update_->is_wanted(sw) || update_->holds_groups(sw)) continue;
      const HeldGroups& held = update_->device(sw)->groups;
      for (std::size_t group = 1; group < held.row().set_of.size(); ++group) {
        const auto id = static_cast<GroupId>(group);
        if (reduced(sw, id) == held.row().ports(id)) continue;
        const std::uint32_t block = mad::ArGroupTable::block_of(id);
        if (blocks.empty() || blocks.back().sw != sw || blocks.back().block != block)
          blocks.push_back({.sw = sw, .block = block});
      }
    }
    return blocks;
  }

  std::vector<TableBlock> entries_to_reduce() const {
    std::vector<TableBlock> blocks;
    for (const SwitchIndex sw : fabric_.switches.indices()) {
      if (!update_->is_active(sw)) continue;
      const AdaptiveDevice& device = *update_->device(sw);
      const std::vector<FormBlocks::Id> wanted = update_->wanted_forms(sw);
      const bool same_groups = !update_->is_wanted(sw) || keeps_all_groups(sw);
      for (std::uint32_t block = 0; block < device.forms.size(); ++block) {
        const FormBlocks::Id held = device.forms[block];
        if (held == 0 || (same_groups && block < wanted.size() && held == wanted[block])) continue;
        const FormBlocks::Id form =
            block < wanted.size() ? update_->reduced_form(sw, block) : update_->all_static();
        if (form != held) blocks.push_back({.sw = sw, .block = block, .form = form});
      }
    }
    return in_turns(std::move(blocks));
  }

  bool keeps_all_groups(SwitchIndex sw) const {
    if (update_->holds_groups(sw)) return true;
    const AdaptiveGroups::Row& held = update_->device(sw)->groups.row();
    for (std::size_t group = 1; group < held.set_of.size(); ++group) {
      const PortSet& ports = held.ports(static_cast<GroupId>(group));
      if (ports.any() && (ports & update_->wanted_ports(sw, static_cast<GroupId>(group))).none())
        return false;
    }
    return true;
  }

  /// Orders one block of each switch before the next block of any.
  static std::vector<TableBlock> in_turns(std::vector<TableBlock> blocks) {
    std::ranges::sort(blocks, {}, [](const TableBlock& at) { return std::pair(at.block, at.sw); });
    return blocks;
  }

  const Fabric& fabric_;
  DeviceState& devices_;
  const Target& target_;
  const config::Options& options_;
  std::optional<AdaptiveUpdate> update_;
  const GroupPorts reduced_ = [this](SwitchIndex sw, GroupId group) { return reduced(sw, group); };
  std::vector<GroupCopy> copies_;
  unsigned step_ = 0;
};

}  // namespace

std::unique_ptr<StageSource> adaptive_removal_stages(const Fabric& fabric, DeviceState& devices,
                                                     const Target& target,
                                                     const config::Options& options) {
  return std::make_unique<RemovalStages>(fabric, devices, target, options);
}

std::unique_ptr<Stage> adaptive_block_stage(const Fabric& fabric, const AdaptiveUpdate& update,
                                            std::vector<AdaptiveBlock> blocks,
                                            std::vector<std::uint32_t>& lost) {
  std::vector<TableBlock> tables;
  tables.reserve(blocks.size());
  for (const AdaptiveBlock& at : blocks)
    tables.push_back(
        {.sw = at.sw, .block = at.block, .form = update.form_while_changing(at.sw, at.block)});
  return entry_writes(
      StageKind::adaptive_entries, fabric, update, tables,
      [blocks = std::move(blocks)](std::size_t number) { return blocks[number].static_ports; },
      &lost);
}

}  // namespace sm
