#include "sm/sweep/apply/adaptive_writes.h"

#include <algorithm>

#include "mad/format.h"

namespace sm {

std::string differing_bytes(std::span<const std::uint8_t, 64> wanted,
                            std::span<const std::uint8_t, 64> shown) {
  constexpr std::size_t kNamed = 4;
  std::string text;
  std::size_t differing = 0;
  for (std::size_t at = 0; at < wanted.size(); ++at) {
    if (wanted[at] == shown[at] || ++differing > kNamed) continue;
    text += fmt::format("{}byte {} is {:#04x}, not {:#04x}", text.empty() ? "" : "; ", at,
                        shown[at], wanted[at]);
  }
  if (differing > kNamed) text += fmt::format("; and {} more", differing - kNamed);
  return text;
}

void note_mismatch(const Fabric& fabric, const AdaptiveUpdate& update, const Write& asked,
                   std::span<const std::uint8_t, 64> shown) {
  update.device(fabric.owning_node(asked.port).switch_index)
      ->obstruct(AdaptiveState::mismatch,
                 fmt::format("{} with modifier {:#x} shows another content than was written: {}",
                             mad::name(asked.attribute), asked.modifier,
                             differing_bytes(asked.data, shown)));
}

void note_failure(const Fabric& fabric, const AdaptiveUpdate& update, const Write& asked,
                  std::uint16_t status) {
  AdaptiveDevice& device = *update.device(fabric.owning_node(asked.port).switch_index);
  if (status == 0)
    return device.obstruct(AdaptiveState::silent,
                           fmt::format("no response to SubnSet({})", mad::name(asked.attribute)));
  device.obstruct(AdaptiveState::refused,
                  fmt::format("it rejects SubnSet({}) with modifier {:#x}: status {:#06x}",
                              mad::name(asked.attribute), asked.modifier, status));
}

void note_group(HeldGroups& groups, GroupId group, const PortSet& ports, bool is_known) {
  groups.set(group, is_known ? ports : groups.row().ports(group) | ports);
  groups.set_known(mad::ArGroupTable::block_of(group), is_known);
}

std::unique_ptr<Stage> group_writes(StageKind kind, const Fabric& fabric,
                                    const AdaptiveUpdate& update, std::vector<TableBlock> blocks,
                                    GroupPorts ports) {
  const auto first_of_block = [](const TableBlock& at) {
    return static_cast<GroupId>(at.block * mad::ArGroupTable::kSubGroups);
  };
  const auto write = [&, ports, first_of_block](const TableBlock& at) -> Write {
    const GroupId first = first_of_block(at);
    return {
        .attribute = mad::AttributeId::ar_group_table,
        .modifier = mad::ArGroupTable::modifier(static_cast<std::uint16_t>(at.block)),
        .port = port_of(fabric, at.sw),
        .data = group_block(ports(at.sw, first), ports(at.sw, static_cast<GroupId>(first + 1)))};
  };
  const auto note = [&, ports, first_of_block](const TableBlock& at, bool is_known) {
    for (unsigned half = 0; half < mad::ArGroupTable::kSubGroups; ++half) {
      const auto group = static_cast<GroupId>(first_of_block(at) + half);
      note_group(update.device(at.sw)->groups, group, ports(at.sw, group), is_known);
    }
  };
  return adaptive_writes<TableBlock>(
      kind, fabric, update, std::move(blocks),
      {.write = write,
       .hold = [note](const TableBlock& at, std::span<const std::uint8_t, 64>) { note(at, true); },
       .may_hold = [note](const TableBlock& at) { note(at, false); }});
}

std::unique_ptr<Stage> entry_writes(StageKind kind, const Fabric& fabric,
                                    const AdaptiveUpdate& update,
                                    const std::vector<TableBlock>& blocks,
                                    std::function<StaticPorts(std::size_t number)> static_ports,
                                    std::vector<std::uint32_t>* lost) {
  struct Entries {
    TableBlock at;
    std::uint32_t number = 0;
  };
  std::vector<Entries> items;
  items.reserve(blocks.size());
  for (const TableBlock& at : blocks)
    items.push_back({.at = at, .number = static_cast<std::uint32_t>(items.size())});
  return adaptive_writes<Entries>(
      kind, fabric, update, std::move(items),
      {.write = [&, static_ports = std::move(static_ports)](const Entries& item) -> Write {
         return {.attribute = mad::AttributeId::ar_linear_forwarding_table,
                 .modifier = mad::ArLinearForwardingTable::modifier(item.at.block),
                 .port = port_of(fabric, item.at.sw),
                 .data = entry_block(update.forms(item.at.form), static_ports(item.number))};
       },
       .hold =
           [&](const Entries& item, std::span<const std::uint8_t, 64>) {
             update.device(item.at.sw)->set_form(item.at.block, item.at.form);
           },
       .may_hold =
           [&, lost](const Entries& item) {
             update.device(item.at.sw)->set_form(item.at.block, 0);
             if (lost != nullptr) lost->push_back(item.number);
           }});
}

std::unique_ptr<Stage> info_writes(StageKind kind, const Fabric& fabric,
                                   const AdaptiveUpdate& update,
                                   std::vector<InfoSetting> settings) {
  return adaptive_writes<InfoSetting>(
      kind, fabric, update, std::move(settings),
      {.write =
           [&](const InfoSetting& setting) {
             return make_write(setting.info, mad::AdaptiveRoutingInfo::kModifier,
                               port_of(fabric, setting.sw));
           },
       .hold =
           [&](const InfoSetting& setting, std::span<const std::uint8_t, 64> data) {
             AdaptiveDevice& its = *update.device(setting.sw);
             its.info = mad::AdaptiveRoutingInfo(data);
             its.tables_read = its.is_active();  // they are those that were written
             // From now on only the switch's forwarding table is written.
             if (!its.is_active()) its.forms.clear();
           },
       // ARInfo is read again.
       .may_hold =
           [&](const InfoSetting& setting) { update.device(setting.sw)->info_stale = true; },
       .is_taken =
           [](const InfoSetting& setting, std::span<const std::uint8_t, 64> data) {
             return same_settings(setting.info, mad::AdaptiveRoutingInfo(data));
           }});
}

std::unique_ptr<Stage> notification_writes(StageKind kind, const Fabric& fabric,
                                           const AdaptiveUpdate& update,
                                           std::vector<SwitchIndex> switches) {
  return adaptive_writes<SwitchIndex>(
      kind, fabric, update, std::move(switches),
      {.write =
           [&](const SwitchIndex& sw) {
             return make_write(update.settings().notification, mad::PfrnConfig::kModifier,
                               port_of(fabric, sw));
           },
       .hold = [&](const SwitchIndex& sw,
                   std::span<const std::uint8_t, 64> data) { update.notification(sw).store(data); },
       .may_hold = [&](const SwitchIndex& sw) { update.notification(sw).invalidate(1); }});
}

}  // namespace sm
