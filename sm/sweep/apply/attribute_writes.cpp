#include "sm/sweep/apply/attribute_writes.h"

#include <algorithm>
#include <utility>

#include "fabric/plausible.h"
#include "mad/format.h"

namespace sm {
namespace {

/// True if a Set for several parts of PortInfo has changed none: one of them may be the reason.
bool takes_nothing(const mad::PortInfo& before, const mad::PortInfo& asked,
                   const mad::PortInfo& answered) {
  std::size_t parts = 0;
  for (const PortInfoPart part : kPortInfoParts) {
    const PortInfoMask& mask = list_fields(part);
    const bool is_state = part == PortInfoPart::state;
    if (is_state ? answered.port_state() != before.port_state()
                 : only(answered, mask) != only(before, mask))
      return false;
    parts += is_state ? asked.port_state() > before.port_state()
                      : only(asked, mask) != only(before, mask);
  }
  return parts > 1;
}

}  // namespace

std::vector<PortInfoPart> parts_of(const mad::PortInfo& before, const mad::PortInfo& asked) {
  std::vector<PortInfoPart> parts;
  for (const PortInfoPart part : kPortInfoParts) {
    const PortInfoMask& mask = list_fields(part);
    const bool changes = part == PortInfoPart::state
                             ? asked.port_state() != mad::PortState::no_change
                             : only(before, mask) != only(asked, mask);
    if (changes || (part == PortInfoPart::end_port && asked.client_reregister()))
      parts.push_back(part);
  }
  return parts;
}

bool AttributeWrites::confirm(std::size_t number, std::span<const std::uint8_t, 64> data) {
  const NodeIndex node = fabric_.ports[writes_[number].port].node;
  return shows_same_tables(fabric_.switches[fabric_.nodes[node].switch_index].info,
                           mad::SwitchInfo(data));
}

void AttributeWrites::accept(std::size_t number, std::span<const std::uint8_t, 64> data,
                             ApplyReport& report) {
  ++report.writes;
  settle(writes_[number], 0, data, report);
}

void AttributeWrites::accept_rejected(std::size_t number, std::uint16_t status,
                                      std::span<const std::uint8_t, 64> data, ApplyReport& report) {
  if (settle(writes_[number], status, data, report)) ++report.writes;
}

bool AttributeWrites::refuse(std::size_t number, std::uint16_t status) {
  if (writes_[number].attribute != mad::AttributeId::guid_info) return false;
  note(writes_[number], status, "");
  return true;
}

bool AttributeWrites::settle(const Write& write, std::uint16_t status,
                             std::span<const std::uint8_t, 64> data, ApplyReport& report) {
  switch (write.attribute) {
    case mad::AttributeId::port_info:
      return settle_port_info(write, status, mad::PortInfo(data), report);
    case mad::AttributeId::switch_info:
      return settle_switch_info(write, status, mad::SwitchInfo(data));
    case mad::AttributeId::p_key_table:
      return settle_p_keys(write, status, data);
    default:
      break;
  }
  const bool is_guid_info = write.attribute == mad::AttributeId::guid_info;
  if ((status != 0 || is_guid_info) && !std::ranges::equal(data, write.data))
    return note(write, status, "");
  if (is_guid_info)
    devices_.router_aliases.due.erase({fabric_.ports[write.port].guid, write.modifier});
  devices_.refusals.forget(subject_of(fabric_, write.port, write.attribute, write.modifier));
  return true;
}

bool AttributeWrites::settle_switch_info(const Write& write, std::uint16_t status,
                                         const mad::SwitchInfo& answered) {
  mad::SwitchInfo& info = fabric_.switches[fabric_.owning_node(write.port).switch_index].info;
  if (!same_hardware(info, answered))
    return note(write, status, "the response has the capacities of another switch");
  info = answered;
  if (needs_set(answered, mad::SwitchInfo(write.data))) return note(write, status, "");
  devices_.refusals.forget(subject_of(fabric_, write.port, write.attribute));
  return true;
}

bool AttributeWrites::settle_p_keys(const Write& write, std::uint16_t status,
                                    std::span<const std::uint8_t, 64> data) {
  const Port& port = fabric_.ports[write.port];
  const unsigned block = write.modifier & 0xFFFFu;
  if (block >= port.p_key_blocks) return true;
  const std::size_t number = port.first_p_key_block + block;
  const bool taken = std::ranges::equal(data, write.data);
  if (!taken && !std::ranges::equal(data, fabric_.p_key_blocks[number].bytes()))
    return note(write, status, "the response has neither the old nor the new keys");
  fabric_.p_key_blocks.set(number, mad::PKeyTable(data));
  if (!taken) return note(write, status, fmt::format("block {}", block));
  devices_.refusals.forget(subject_of(fabric_, write.port, write.attribute, block));
  return true;
}

bool AttributeWrites::settle_port_info(const Write& write, std::uint16_t status,
                                       mad::PortInfo answered, ApplyReport& report) {
  Port& port = fabric_.ports[write.port];
  const mad::PortInfo before = port.info, asked(write.data);
  // A protected port shows its key only to a request with that key; the request that gives it
  // another key has the old one.
  if (answered.m_key() == mad::MKey{} && answered.m_key_protect_bits() != 0)
    answered.set_m_key(asked.m_key());
  const std::vector<PortInfoPart> parts = parts_of(before, asked);
  const mad::MKey shown = answered.m_key();
  const bool shows_foreign_key = fabric_.is_end_port(write.port) && shown != mad::MKey{} &&
                                 shown != asked.m_key() && shown != before.m_key();
  // The response is not stored: the next Set would write back its values, the key included.
  if (shows_foreign_key || !same_hardware(before, answered)) {
    for (const PortInfoPart part : parts)
      note_part(write, status, part,
                shows_foreign_key ? "the response has an M_Key that was not written"
                                  : "the response has the capabilities of another port");
    return false;
  }
  port.info = answered;
  if (answered.port_state() < before.port_state()) {
    // The link went down since, so that the response does not show what the device takes.
    report.recheck.push_back(write.port);
    return false;
  }
  if (status == 0 && divide_ != nullptr && takes_nothing(before, asked, answered)) {
    divide_->push_back(write);
    return false;
  }
  if (status == 0) learn(write, before, answered, report);
  if (status == 0 && asked.client_reregister()) devices_.reregistering.erase(port.guid);
  const PortInfoMask missing = without(unsupported_fields(asked, answered),
                                       devices_.refusals.unsupported(fabric_, write.port));
  const bool too_low = answered.port_state() < asked.port_state();
  const bool divides = status != 0 && divide_ != nullptr && parts.size() > 1 &&
                       (too_low || missing != PortInfoMask{});
  if (divides) {
    divide_->push_back(write);
    return false;
  }
  return settle_parts(write, status, before, missing, report);
}

/// Notes the parts that differ from what was requested: `missing` of the settings, or the state.
bool AttributeWrites::settle_parts(const Write& write, std::uint16_t status,
                                   const mad::PortInfo& before, PortInfoMask missing,
                                   ApplyReport& report) {
  const Port& port = fabric_.ports[write.port];
  const mad::PortInfo asked(write.data);
  const mad::PortInfo& answered = port.info;
  const bool too_low = answered.port_state() < asked.port_state();
  bool taken = true;
  for (const PortInfoPart part : parts_of(before, asked)) {
    std::string detail =
        part == PortInfoPart::state
            ? (too_low ? fmt::format("PortState stays {} (wanted {})", name(answered.port_state()),
                                     name(asked.port_state()))
                       : std::string())
            : differences(answered, asked, both(list_fields(part), missing));
    if (status != 0 && part == PortInfoPart::end_port && asked.client_reregister() &&
        detail.empty())
      detail = "ClientReregister";
    if (!detail.empty()) {
      taken = note_part(write, status, part, std::move(detail));
    } else if (devices_.refusals.forget(subject_of(fabric_, write.port, part)) &&
               part == PortInfoPart::state) {
      report.recheck.push_back(write.port);  // paths may use the link from the next sweep on
    }
  }
  return taken;
}

void AttributeWrites::learn(const Write& write, const mad::PortInfo& before,
                            const mad::PortInfo& answered, ApplyReport& report) {
  const auto fields =
      devices_.refusals.learn(fabric_, write.port, before, mad::PortInfo(write.data), answered);
  if (fields.empty()) return;
  report.refusals.push_back(
      fmt::format("{} acknowledges and does not take: {}; it is not set for these alone until it "
                  "restarts",
                  fabric_.port_name(write.port), fmt::join(fields, ", ")));
}

bool AttributeWrites::note(const Write& write, std::uint16_t status, std::string detail) {
  const std::uint32_t item =
      write.attribute == mad::AttributeId::p_key_table ? write.modifier & 0xFFFFu : write.modifier;
  devices_.refusals.note(subject_of(fabric_, write.port, write.attribute, item), write.data, status,
                         std::move(detail), fabric_.ports[write.port].info.port_state());
  return false;
}

bool AttributeWrites::note_part(const Write& write, std::uint16_t status, PortInfoPart part,
                                std::string detail) {
  devices_.refusals.note(subject_of(fabric_, write.port, part),
                         only(mad::PortInfo(write.data), list_fields(part)), status,
                         std::move(detail), fabric_.ports[write.port].info.port_state());
  return false;
}

}  // namespace sm
