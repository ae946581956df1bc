#pragma once
// Adaptive routing of one update: what switches are to hold beside their LinearForwardingTables,
// and what they may do while the tables change.
//
// A LinearForwardingTable always has the static ports, so that a switch which leaves adaptive
// routing, for whatever reason, forwards as before. The order of writes keeps two rules at every
// moment. First, the ports that a switch may choose are among those of the desired routing, which
// was verified with all of them. So groups lose ports before forwarding tables change, and gain
// them when all of these have changed. Second, an entry becomes adaptive only when its group is
// there.

#include <optional>
#include <vector>

#include "sm/sweep/decide/adaptive_settings.h"
#include "sm/sweep/decide/target.h"
#include "sm/sweep/devices/device_state.h"

namespace sm {

class AdaptiveUpdate {
 public:
  using Device = AdaptiveDevice;

  /// Owns none of the references. If `target.adaptive` is null, no switch is to route adaptively.
  AdaptiveUpdate(const Fabric& fabric, DeviceState& devices, const Target& target,
                 const config::Options& options);

  /// True if no switch is known to be able to route adaptively.
  bool is_empty() const { return empty_; }
  const AdaptiveSettings& settings() const { return settings_; }
  /// Returns null if the switch cannot route adaptively, or is not known to.
  Device* device(SwitchIndex sw) const { return devices_by_switch_[sw]; }
  /// Returns what is known of the switch's PfrnConfig.
  HeldBlock& notification(SwitchIndex sw) const {
    return devices_.table.blocks[{place(sw), mad::PfrnConfig::kId, mad::PfrnConfig::kModifier}];
  }
  bool holds_notification(SwitchIndex sw) const {
    return devices_.table.read<mad::PfrnConfig>(place(sw), mad::PfrnConfig::kModifier) ==
           settings_.notification;
  }
  bool is_active(SwitchIndex sw) const {
    return devices_by_switch_[sw] != nullptr && devices_by_switch_[sw]->is_active();
  }
  /// True if the switch is to route adaptively.
  bool is_wanted(SwitchIndex sw) const {
    return target_.adaptive != nullptr && settings_.any() && devices_by_switch_[sw] != nullptr &&
           devices_by_switch_[sw]->is_usable();
  }

  const PortSet& wanted_ports(SwitchIndex sw, GroupId group) const;
  /// True if the switch is known to hold all groups of the target, without a comparison of each.
  bool holds_groups(SwitchIndex sw) const;
  /// Returns the highest group that switches are to hold.
  GroupId top() const { return top_; }
  /// Returns the highest group that this switch is to hold; LIDs of higher groups are static there.
  GroupId top_of(SwitchIndex sw) const;
  std::size_t form_blocks() const { return form_blocks_; }

  /// Returns the forms that the switch is to have in the end.
  FormBlocks::Id wanted_form(SwitchIndex sw, std::size_t block) const;
  /// Returns the final forms of all blocks.
  std::vector<FormBlocks::Id> wanted_forms(SwitchIndex sw) const;
  FormBlocks::Id all_static() const { return all_static_; }
  /// Returns the forms that a block gets with its new static ports. Entries that are adaptive
  /// already stay so; entries of LIDs that no switch forwards yet become adaptive.
  FormBlocks::Id form_while_changing(SwitchIndex sw, std::size_t block) const;
  /// Returns the forms before static ports change: an entry that would choose among other ports
  /// than desired, or for packets that must keep their order, is static.
  FormBlocks::Id reduced_form(SwitchIndex sw, std::size_t block) const;

  AdaptiveModel model(SwitchIndex sw) const {
    return AdaptiveModel::of(fabric_.nodes[fabric_.switches[sw].node].info);
  }
  /// True if the switch can be ordered to copy groups. If it already chooses among their ports,
  /// copies of its model must be proven. Precondition: is_wanted(sw).
  bool may_copy(SwitchIndex sw) const {
    return settings_.copy && device(sw)->info->group_table_copy_sup() != 0 &&
           !devices_.adaptive.without_copies.contains(model(sw)) &&
           (!is_active(sw) || has_proven_copies(sw));
  }
  bool has_proven_copies(SwitchIndex sw) const {
    return devices_.adaptive.copies_proven.contains(model(sw));
  }
  void trust_copies(SwitchIndex sw) const { devices_.adaptive.copies_proven.insert(model(sw)); }
  void forbid_copies(SwitchIndex sw) const {
    devices_.adaptive.copies_proven.erase(model(sw));
    devices_.adaptive.without_copies.insert(model(sw));
  }

  /// True if every choice that switches have now is one of the desired routing.
  bool choices_are_wanted() const;
  /// Returns the ports that the switch may choose now for this LID.
  const PortSet& choices(SwitchIndex sw, mad::Lid lid) const;

  const FormBlock& forms(FormBlocks::Id id) const { return devices_.adaptive.blocks.block(id); }

 private:
  PortPlace place(SwitchIndex sw) const {
    return {.node = fabric_.nodes[fabric_.switches[sw].node].guid};
  }
  AdaptiveForm wanted_entry(SwitchIndex sw, std::size_t lid) const;
  FormBlocks::Id number(const FormBlock& block) const {
    return devices_.adaptive.blocks.number(block);
  }
  bool is_fresh(std::size_t lid) const;
  void find_common_forms();

  const Fabric& fabric_;
  DeviceState& devices_;
  const Target& target_;
  const AdaptiveSettings settings_;
  std::vector<Device*> devices_by_switch_;
  bool empty_ = true;
  GroupId top_ = 0;
  std::size_t form_blocks_ = 0;
  FormBlocks::Id all_static_ = 0;
  std::vector<AdaptiveForm> form_of_lid_;  // where all groups have ports
  std::vector<FormBlocks::Id> common_;     // by block, likewise
  std::vector<std::vector<std::uint32_t>> blocks_of_group_;
  mutable std::vector<std::int8_t> fresh_;  // by LID: 1 yes, 0 no, -1 not known
};

}  // namespace sm
