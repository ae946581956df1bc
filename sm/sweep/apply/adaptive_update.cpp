#include "sm/sweep/apply/adaptive_update.h"

#include <algorithm>

#include "sm/sweep/devices/extended_port_infos.h"

namespace sm {
namespace {

const PortSet kNoPorts;

/// True if packets to this LID must keep their order: its port is not known to put them in order.
bool keeps_order(const Fabric& fabric, const LidMap& lids, const DeviceState& devices,
                 std::size_t lid, std::uint16_t sl_mask) {
  const PortIndex port = lids.owner(mad::Lid{static_cast<std::uint16_t>(lid)});
  if (port == kNoIndex) return false;
  const Node& node = fabric.owning_node(port);
  if (node.is_switch()) return false;
  if (!has_capability(devices.table, node.guid, mad::GeneralCapability::out_of_order)) return true;
  const auto known =
      devices.table.read<mad::MlnxExtPortInfo>(port_place(fabric, port), 0, kSlMaskPart);
  return !known || (sl_mask & ~known->ooo_sl_mask()) != 0;
}

}  // namespace

AdaptiveUpdate::AdaptiveUpdate(const Fabric& fabric, DeviceState& devices, const Target& target,
                               const config::Options& options)
    : fabric_(fabric),
      devices_(devices),
      target_(target),
      settings_(adaptive_settings(options)),
      form_blocks_(target.lids.lid_top.value / kArBlockLids + 1u) {
  for (const SwitchIndex sw : fabric.switches.indices()) {
    Device* const device = devices.adaptive.find(fabric.nodes[fabric.switches[sw].node].guid);
    devices_by_switch_.push_back(device);
    empty_ = empty_ && device == nullptr;
  }
  if (empty_) return;
  FormBlock block;
  block.fill(kStaticForm);
  all_static_ = number(block);
  if (target.adaptive != nullptr && settings_.any()) top_ = target.adaptive->top();
  find_common_forms();
}

void AdaptiveUpdate::find_common_forms() {
  form_of_lid_.assign(form_blocks_ * kArBlockLids, kStaticForm);
  blocks_of_group_.resize(top_ + std::size_t{1});
  if (target_.adaptive != nullptr && settings_.any()) {
    const std::vector<GroupId>& groups = target_.adaptive->group_of_lid;
    const std::size_t end = std::min(groups.size(), form_of_lid_.size());
    for (std::size_t lid = 0; lid < end; ++lid) {
      const GroupId group = groups[lid];
      if (group == 0) continue;
      const bool chooses = settings_.choose &&
                           !(settings_.only_capable &&
                             keeps_order(fabric_, target_.lids, devices_, lid, settings_.sl_mask));
      form_of_lid_[lid] =
          adaptive_form(chooses ? mad::ArLidState::free : mad::ArLidState::static_, group);
      std::vector<std::uint32_t>& blocks = blocks_of_group_[group];
      const auto of_lid = static_cast<std::uint32_t>(lid / kArBlockLids);
      if (blocks.empty() || blocks.back() != of_lid) blocks.push_back(of_lid);
    }
  }
  for (std::size_t block = 0; block < form_blocks_; ++block) {
    FormBlock forms;
    std::copy_n(form_of_lid_.begin() + static_cast<std::ptrdiff_t>(block * kArBlockLids),
                kArBlockLids, forms.begin());
    common_.push_back(number(forms));
  }
}

const PortSet& AdaptiveUpdate::wanted_ports(SwitchIndex sw, GroupId group) const {
  return target_.adaptive == nullptr ? kNoPorts : target_.adaptive->ports(sw, group);
}

bool AdaptiveUpdate::holds_groups(SwitchIndex sw) const {
  const HeldGroups& held = devices_by_switch_[sw]->groups;
  const std::size_t blocks = mad::ArGroupTable::block_of(top_of(sw)) + std::size_t{1};
  return target_.adaptive != nullptr && top_ <= top_of(sw) && held.known().size() >= blocks &&
         std::ranges::find(held.known(), false) == held.known().end() &&
         (held.shares(target_.adaptive->rows[sw]) || held.row() == *target_.adaptive->rows[sw]);
}

GroupId AdaptiveUpdate::top_of(SwitchIndex sw) const {
  return std::min(top_, devices_by_switch_[sw]->group_limit());
}

AdaptiveForm AdaptiveUpdate::wanted_entry(SwitchIndex sw, std::size_t lid) const {
  const AdaptiveForm form = form_of_lid_[lid];
  const GroupId group = group_of(form);
  return group == 0 || group > top_of(sw) || wanted_ports(sw, group).none() ? kStaticForm : form;
}

FormBlocks::Id AdaptiveUpdate::wanted_form(SwitchIndex sw, std::size_t block) const {
  if (!is_wanted(sw)) return all_static_;
  FormBlock forms;
  for (std::size_t entry = 0; entry < kArBlockLids; ++entry)
    forms[entry] = wanted_entry(sw, block * kArBlockLids + entry);
  return number(forms);
}

std::vector<FormBlocks::Id> AdaptiveUpdate::wanted_forms(SwitchIndex sw) const {
  std::vector<FormBlocks::Id> forms = common_;
  if (!is_wanted(sw)) {
    forms.assign(form_blocks_, all_static_);
    return forms;
  }
  const GroupId limit = top_of(sw);
  const AdaptiveGroups::Row& row = *target_.adaptive->rows[sw];
  for (GroupId group = 1; group <= top_; ++group)
    if (group > limit || group >= row.set_of.size() || row.set_of[group] == 0)
      for (const std::uint32_t block : blocks_of_group_[group])
        forms[block] = wanted_form(sw, block);
  return forms;
}

/// True if no switch is known to forward the LID.
bool AdaptiveUpdate::is_fresh(std::size_t lid) const {
  if (fresh_.empty()) fresh_.assign(form_blocks_ * kArBlockLids, -1);
  std::int8_t& known = fresh_[lid];
  if (known >= 0) return known == 1;
  const ForwardingTables* const held = devices_.lfts.tables();
  const std::size_t block = lid / kLftBlockLids;
  known = 1;
  if (held == nullptr || block >= held->blocks()) return true;
  for (const SwitchIndex sw : held->all_switches())
    if (!devices_.lfts.is_known(sw, block) ||
        held->block(sw, block)[lid % kLftBlockLids] != mad::kNoPort.value) {
      known = 0;
      break;
    }
  return known == 1;
}

FormBlocks::Id AdaptiveUpdate::form_while_changing(SwitchIndex sw, std::size_t block) const {
  const FormBlocks::Id held = devices_by_switch_[sw]->form(block);
  FormBlock forms;
  for (std::size_t entry = 0; entry < kArBlockLids; ++entry) {
    const std::size_t lid = block * kArBlockLids + entry;
    const AdaptiveForm wanted = is_wanted(sw) ? wanted_entry(sw, lid) : kStaticForm;
    const bool stays = held != 0 && devices_.adaptive.blocks.block(held)[entry] == wanted;
    const bool starts = is_fresh(lid) && devices_by_switch_[sw]->groups.is_known(group_of(wanted));
    forms[entry] = stays || starts ? wanted : kStaticForm;
  }
  return number(forms);
}

FormBlocks::Id AdaptiveUpdate::reduced_form(SwitchIndex sw, std::size_t block) const {
  const Device& device = *devices_by_switch_[sw];
  const FormBlocks::Id held = device.form(block);
  FormBlock forms;
  for (std::size_t entry = 0; entry < kArBlockLids; ++entry) {
    const AdaptiveForm wanted =
        is_wanted(sw) ? wanted_entry(sw, block * kArBlockLids + entry) : kStaticForm;
    const AdaptiveForm now = held == 0 ? kStaticForm : devices_.adaptive.blocks.block(held)[entry];
    const GroupId group = group_of(now);
    const bool stays = group == group_of(wanted) &&
                       (device.groups.row().ports(group) & wanted_ports(sw, group)).any();
    const bool ceases = state_of(now) == mad::ArLidState::free && state_of(wanted) != state_of(now);
    forms[entry] = !stays ? kStaticForm : ceases ? wanted : now;
  }
  return number(forms);
}

bool AdaptiveUpdate::choices_are_wanted() const {
  return std::ranges::all_of(fabric_.switches.indices(), [this](SwitchIndex sw) {
    if (!is_active(sw)) return true;
    if (!is_wanted(sw)) return false;
    const HeldGroups& held = devices_by_switch_[sw]->groups;
    if (held.shares(target_.adaptive->rows[sw])) return true;
    for (std::size_t i = 1; i < held.row().set_of.size(); ++i) {
      const auto group = static_cast<GroupId>(i);
      if ((held.row().ports(group) & ~wanted_ports(sw, group)).any()) return false;
    }
    return true;
  });
}

const PortSet& AdaptiveUpdate::choices(SwitchIndex sw, mad::Lid lid) const {
  const Device* const device = devices_by_switch_[sw];
  if (device == nullptr || !device->is_active()) return kNoPorts;
  const FormBlocks::Id held = device->form(lid.value / kArBlockLids);
  // An unknown entry counts as the desired one: adaptive, if that is adaptive.
  const AdaptiveForm form = held != 0
                                ? devices_.adaptive.blocks.block(held)[lid.value % kArBlockLids]
                            : lid.value < form_of_lid_.size() ? form_of_lid_[lid.value]
                                                              : kStaticForm;
  return device->groups.row().ports(group_of(form));
}

}  // namespace sm
