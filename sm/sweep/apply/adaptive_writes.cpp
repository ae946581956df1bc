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

// ------------------------------------------------------------------------------------------
// AdaptiveWrites

bool AdaptiveWrites::is_taken(std::size_t number, std::span<const std::uint8_t, 64> data) const {
  return std::ranges::equal(write(number).data, data);
}

void AdaptiveWrites::accept(std::size_t number, std::span<const std::uint8_t, 64> data,
                            ApplyReport& report) {
  if (is_taken(number, data)) {
    ++report.writes;
    return hold(number, data);
  }
  const Write asked = write(number);
  may_hold(number);
  obstruct(
      number, AdaptiveState::mismatch,
      fmt::format("{} with modifier {:#x} shows another content than was written: {}",
                  mad::name(asked.attribute), asked.modifier, differing_bytes(asked.data, data)));
}

void AdaptiveWrites::accept_rejected(std::size_t number, std::uint16_t status,
                                     std::span<const std::uint8_t, 64> data, ApplyReport& report) {
  if (is_taken(number, data)) return accept(number, data, report);
  refuse(number, status);
}

bool AdaptiveWrites::refuse(std::size_t number, std::uint16_t status) {
  may_hold(number);
  const Write asked = write(number);
  obstruct(number, AdaptiveState::refused,
           fmt::format("it rejects SubnSet({}) with modifier {:#x}: status {:#06x}",
                       mad::name(asked.attribute), asked.modifier, status));
  return true;
}

void AdaptiveWrites::lose(std::size_t number) {
  may_hold(number);
  obstruct(number, AdaptiveState::silent,
           fmt::format("no response to SubnSet({})", mad::name(write(number).attribute)));
}

void AdaptiveWrites::obstruct(std::size_t number, AdaptiveState state, std::string reason) {
  device(number).obstruct(state, std::move(reason));
}

// ------------------------------------------------------------------------------------------
// GroupWrites

Write GroupWrites::write(std::size_t number) const {
  const TableBlock& at = blocks_[number];
  const auto first = static_cast<GroupId>(at.block * mad::ArGroupTable::kSubGroups);
  return {
      .attribute = mad::AttributeId::ar_group_table,
      .modifier = mad::ArGroupTable::modifier(static_cast<std::uint16_t>(at.block)),
      .port = port_of(at.sw),
      .data = group_block(ports_(at.sw, first), ports_(at.sw, static_cast<GroupId>(first + 1)))};
}

void GroupWrites::hold(std::size_t number, std::span<const std::uint8_t, 64>) {
  const TableBlock& at = blocks_[number];
  HeldGroups& groups = device(number).groups;
  for (unsigned half = 0; half < mad::ArGroupTable::kSubGroups; ++half) {
    const auto group = static_cast<GroupId>(at.block * mad::ArGroupTable::kSubGroups + half);
    groups.set(group, ports_(at.sw, group));
  }
  groups.set_known(static_cast<std::uint16_t>(at.block), true);
}

/// The switch holds the old ports or the new ones.
void GroupWrites::may_hold(std::size_t number) {
  const TableBlock& at = blocks_[number];
  HeldGroups& groups = device(number).groups;
  for (unsigned half = 0; half < mad::ArGroupTable::kSubGroups; ++half) {
    const auto group = static_cast<GroupId>(at.block * mad::ArGroupTable::kSubGroups + half);
    groups.set(group, groups.row().ports(group) | ports_(at.sw, group));
  }
  groups.set_known(static_cast<std::uint16_t>(at.block), false);
}

// ------------------------------------------------------------------------------------------
// EntryWrites

Write EntryWrites::write(std::size_t number) const {
  const TableBlock& at = blocks_[number];
  return {.attribute = mad::AttributeId::ar_linear_forwarding_table,
          .modifier = mad::ArLinearForwardingTable::modifier(at.block),
          .port = port_of(at.sw),
          .data = entry_block(update_.forms(at.form), static_ports_(number))};
}

void EntryWrites::hold(std::size_t number, std::span<const std::uint8_t, 64>) {
  device(number).set_form(blocks_[number].block, blocks_[number].form);
}

void EntryWrites::may_hold(std::size_t number) {
  device(number).set_form(blocks_[number].block, 0);
  if (lost_ != nullptr) lost_->push_back(static_cast<std::uint32_t>(number));
}

// ------------------------------------------------------------------------------------------
// InfoWrites

Write InfoWrites::write(std::size_t number) const {
  return make_write(settings_[number].info, mad::AdaptiveRoutingInfo::kModifier,
                    port_of(settings_[number].sw));
}

bool InfoWrites::is_taken(std::size_t number, std::span<const std::uint8_t, 64> data) const {
  return same_settings(settings_[number].info, mad::AdaptiveRoutingInfo(data));
}

void InfoWrites::hold(std::size_t number, std::span<const std::uint8_t, 64> data) {
  AdaptiveDevice& its = device(number);
  its.info = mad::AdaptiveRoutingInfo(data);
  its.tables_read = its.is_active();  // they are those that were written
  // From now on only the switch's forwarding table is written.
  if (!its.is_active()) its.forms.clear();
}

/// Requests that ARInfo is read again.
void InfoWrites::may_hold(std::size_t number) { device(number).info_stale = true; }

// ------------------------------------------------------------------------------------------
// NotificationWrites

Write NotificationWrites::write(std::size_t number) const {
  return make_write(update_.settings().notification, mad::PfrnConfig::kModifier,
                    port_of(switches_[number]));
}

void NotificationWrites::hold(std::size_t number, std::span<const std::uint8_t, 64> data) {
  device(number).notification = mad::PfrnConfig(data);
}

void NotificationWrites::may_hold(std::size_t number) { device(number).notification.reset(); }

}  // namespace sm
