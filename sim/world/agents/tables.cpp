// Tables of switches and ports: forwarding, partitions, service levels, arbitration, GUIDs (IBTA
// Vol 1, 14.2.5.4, 14.2.5.5, 14.2.5.7 to 12).

#include <algorithm>
#include <array>

#include "mad/attributes/forwarding_blocks.h"
#include "mad/attributes/port_tables.h"
#include "mad/attributes/switch_info.h"
#include "sim/world/agents/agents.h"

namespace sim {
namespace {

using mad::Method;
namespace status = mad::status;

}  // namespace

Verdict serve_switch_info(const Arrival& arrival, mad::SmpView smp) {
  mad::SwitchInfo& info = arrival.at().sw->info;
  std::uint16_t verdict = status::kOk;
  if (smp.method() == Method::set) {
    const mad::SwitchInfo requested(smp.data());
    // A switch without a table shows 0, and accepts that it stays so.
    if (requested.linear_fdb_top() >= info.linear_fdb_cap() &&
        requested.linear_fdb_top() != info.linear_fdb_top()) {
      verdict = status::kInvalidValue;
    } else {
      info.set_linear_fdb_top(requested.linear_fdb_top());
      info.set_default_port(requested.default_port());
      info.set_default_multicast_primary_port(requested.default_multicast_primary_port());
      info.set_default_multicast_not_primary_port(requested.default_multicast_not_primary_port());
      info.set_life_time_value(requested.life_time_value());
      info.set_multicast_fdb_top(requested.multicast_fdb_top());
      if (requested.port_state_change()) info.set_port_state_change(false);
    }
  }
  smp.set_data(info.bytes());
  return verdict;
}

Verdict serve_lft(const Arrival& arrival, mad::SmpView smp) {
  SwitchState& sw = *arrival.at().sw;
  const std::size_t first = std::size_t{smp.attribute_modifier()} * 64;
  if (first >= sw.lft.size()) return status::kInvalidValue;
  const auto block = std::span(sw.lft).subspan(first).first<64>();
  const auto is_above_top = [&](std::size_t entry) {
    return first + entry > sw.info.linear_fdb_top();
  };
  for (std::size_t entry = 0; smp.method() == Method::set && entry < block.size(); ++entry)
    if (sw.lft_firmware != LftFirmware::ignores_above_top || !is_above_top(entry))
      block[entry] = smp.data()[entry];
  if (smp.method() == Method::set && sw.adaptive)
    sw.adaptive->entries.lft_was_set(smp.attribute_modifier());
  std::array<std::uint8_t, 64> shown{};
  for (std::size_t entry = 0; entry < block.size(); ++entry) {
    shown[entry] = block[entry];
    if ((sw.lft_firmware == LftFirmware::hides_above_top && is_above_top(entry)) ||
        (sw.lft_firmware == LftFirmware::hides_ports && block[entry] > arrival.at().port_count()))
      shown[entry] = mad::kNoPort.value;
    if (sw.lft_firmware == LftFirmware::sets_unused && block[entry] == mad::kNoPort.value)
      shown[entry] = 0;
  }
  smp.set_data(shown);
  return status::kOk;
}

Verdict serve_mft(const Arrival& arrival, mad::SmpView smp) {
  SwitchState& sw = *arrival.at().sw;
  const unsigned block = smp.attribute_modifier() & 0x1FFu,
                 position = smp.attribute_modifier() >> 28;
  const std::size_t first = std::size_t{block} * mad::MulticastForwardingTable::kEntries;
  if (first >= sw.info.multicast_fdb_cap() || position * 16 > arrival.at().port_count())
    return status::kInvalidValue;
  mad::MulticastForwardingTable table;
  if (smp.method() == Method::set) {
    table = mad::MulticastForwardingTable(smp.data());
    if (sw.mft.size() <= position) sw.mft.resize(position + 1);
    auto& masks = sw.mft[position];
    if (masks.size() < first + mad::MulticastForwardingTable::kEntries)
      masks.resize(first + mad::MulticastForwardingTable::kEntries);
    for (unsigned entry = 0; entry < mad::MulticastForwardingTable::kEntries; ++entry)
      masks[first + entry] = table.port_mask(entry);
  } else if (position < sw.mft.size() && first < sw.mft[position].size()) {
    for (unsigned entry = 0; entry < mad::MulticastForwardingTable::kEntries; ++entry)
      table.set_port_mask(entry, sw.mft[position][first + entry]);
  }
  smp.set_data(table.bytes());
  return status::kOk;
}

Verdict serve_p_keys(const Arrival& arrival, mad::SmpView smp) {
  Model& model = arrival.world.model;
  const unsigned block = smp.attribute_modifier() & 0xFFFFu,
                 number = smp.attribute_modifier() >> 16;
  const PortIndex port =
      arrival.at().is_switch() ? model.port(arrival.node, number) : arrival.entry;
  if (port == kNone || block >= model.p_key_blocks(port)) return status::kInvalidValue;
  if (smp.method() == Method::set) model.set_p_keys(port, block, mad::PKeyTable(smp.data()));
  smp.set_data(model.p_keys(port, block).bytes());
  return status::kOk;
}

Verdict serve_sl_to_vl(const Arrival& arrival, mad::SmpView smp) {
  NodeModel& node = arrival.at();
  Model& model = arrival.world.model;
  const std::uint32_t modifier = smp.attribute_modifier();
  const auto entries = smp.data().first<8>();
  if (!node.is_switch() ||
      ((modifier & 0xFFFFu) == 0 && (modifier >> 16 & 3u) == 0)) {  // an end port
    const PortIndex port = node.is_switch() ? node.first_port : arrival.entry;
    PortExtras& extras = model.extras(port);
    if (smp.method() == Method::set) {
      std::ranges::copy(entries, extras.sl_to_vl.begin());
      extras.sl_to_vl_written = true;
    }
    smp.set_data(mad::SlToVlMappingTable{}.bytes());
    std::ranges::copy(extras.sl_to_vl, smp.data().begin());
    return status::kOk;
  }
  const unsigned side = node.port_count() + 1;
  const unsigned in = modifier >> 8 & 0xFFu, out = modifier & 0xFFu;
  const bool all_in = (modifier >> 17 & 1u) != 0, all_out = (modifier >> 16 & 1u) != 0;
  const bool wildcard = all_in || all_out;
  if (wildcard &&
      (node.sw->info.optimized_sl_to_vl_mapping_programming() != mad::OptimizedSlToVl::wildcard ||
       smp.method() != Method::set)) {
    return status::kInvalidValue;
  }
  if ((!all_in && in >= side) || (!all_out && out >= side)) return status::kInvalidValue;
  auto& tables = node.sw->sl_to_vl;
  if (tables.empty() && smp.method() == Method::set) {
    tables.resize(std::size_t{side} * side);
    for (unsigned from = 0; from < side; ++from) {
      for (unsigned to = 0; to < side; ++to) {
        SlToVl& table = tables[from * side + to];
        const unsigned vls =
            std::max(1u, mad::data_vls(model.ports[node.first_port + to].info.operational_vls()));
        for (unsigned sl = 0; sl < 16; sl += 2)
          table[sl / 2] = static_cast<std::uint8_t>((sl % vls) << 4 | (sl + 1) % vls);
      }
    }
  }
  if (smp.method() == Method::set) {
    for (unsigned from = all_in ? 0 : in; from <= (all_in ? side - 1 : in); ++from) {
      for (unsigned to = all_out ? 0 : out; to <= (all_out ? side - 1 : out); ++to)
        std::ranges::copy(entries, tables[from * side + to].begin());
    }
    return status::kOk;
  }
  mad::SlToVlMappingTable shown;
  for (std::uint8_t sl = 0; sl < mad::SlToVlMappingTable::kEntries; ++sl)
    shown.set_vl({sl}, model.vl(node, in, out, {sl}));
  smp.set_data(shown.bytes());
  return status::kOk;
}

Verdict serve_vl_arbitration(const Arrival& arrival, mad::SmpView smp) {
  Model& model = arrival.world.model;
  const unsigned block = smp.attribute_modifier() >> 16,
                 number = smp.attribute_modifier() & 0xFFFFu;
  const PortIndex port = arrival.at().is_switch()
                             ? (number > 0xFF ? kNone : model.port(arrival.node, number))
                             : arrival.entry;
  if (port == kNone || block < 1 || block > 4) return status::kInvalidValue;
  mad::VlArbitrationTable& table = model.extras(port).vl_arbitration[block - 1];
  if (smp.method() == Method::set) table = mad::VlArbitrationTable(smp.data());
  smp.set_data(table.bytes());
  return status::kOk;
}

Verdict serve_guid_info(const Arrival& arrival, mad::SmpView smp) {
  Model& model = arrival.world.model;
  const PortIndex port = arrival.management_port();
  const std::size_t first = std::size_t{smp.attribute_modifier()} * mad::GuidInfo::kEntries,
                    capacity = model.ports[port].info.guid_cap();
  if (first >= capacity) return status::kInvalidValue;
  auto& guids = model.extras(port).alias_guids;
  guids.resize(capacity);
  mad::GuidInfo block(smp.data());
  for (unsigned entry = 0; entry < mad::GuidInfo::kEntries && first + entry < capacity; ++entry) {
    if (smp.method() == Method::set && first + entry != 0) guids[first + entry] = block.guid(entry);
    block.set_guid(entry, first + entry == 0 ? model.ports[port].guid : guids[first + entry]);
  }
  smp.set_data(block.bytes());
  return status::kOk;
}

}  // namespace sim
