#include "sm/congestion/congestion_settings.h"

#include <algorithm>
#include <array>

namespace sm {
namespace {

using mad::CongestionControlAttribute;

// cc_key_enable has these values in NVIDIA's OpenSM.
constexpr unsigned kClearKey = 1, kSetKey = 2;

constexpr std::size_t kVictimMaskByte = 4, kCreditMaskByte = 36;
constexpr unsigned kSls = 16;
constexpr std::size_t kCaEntryBytes = 8, kCaEntriesByte = 4, kTableEntriesByte = 4;

std::span<std::uint8_t> ca_entry(mad::GmpData& data, unsigned sl) {
  return std::span(data).subspan(kCaEntriesByte + sl * kCaEntryBytes, kCaEntryBytes);
}
std::span<std::uint8_t> table_entry(mad::GmpData& data, std::size_t entry) {
  return std::span(data).subspan(kTableEntriesByte + 2 * entry, 2);
}

/// Writes shift and multiplier as one number of 16 bits.
void put(std::span<std::uint8_t> bytes, const config::CctEntry& entry) {
  using Fields = mad::CongestionControlTableEntryFields;
  mad::set_field<Fields, "Shift">(bytes, entry.shift);
  mad::set_field<Fields, "Multiplier">(bytes, entry.multiplier);
}

CongestionSetting switch_setting(const config::Options& o) {
  using Fields = mad::SwitchCongestionSettingFields;
  CongestionSetting setting{.attribute = CongestionControlAttribute::switch_congestion_setting};
  const std::span<std::uint8_t> data(setting.data);
  mad::set_field<Fields, "ControlMap">(data, o.cc_sw_cong_setting_control_map);
  std::ranges::copy(o.cc_sw_cong_setting_victim_mask, data.begin() + kVictimMaskByte);
  std::ranges::copy(o.cc_sw_cong_setting_credit_mask, data.begin() + kCreditMaskByte);
  mad::set_field<Fields, "Threshold">(data, o.cc_sw_cong_setting_threshold);
  mad::set_field<Fields, "PacketSize">(data, o.cc_sw_cong_setting_packet_size);
  mad::set_field<Fields, "CSThreshold">(data, o.cc_sw_cong_setting_credit_starvation_threshold);
  put(data.subspan(mad::find_field(Fields::kFields, "CSReturnDelay").bit / 8, 2),
      o.cc_sw_cong_setting_credit_starvation_return_delay);
  mad::set_field<Fields, "MarkingRate">(data, o.cc_sw_cong_setting_marking_rate);
  return setting;
}

CongestionSetting ca_setting(const config::Options& o) {
  using Fields = mad::CaCongestionSettingFields;
  using Entry = mad::CaCongestionEntryFields;
  CongestionSetting setting{.attribute = CongestionControlAttribute::ca_congestion_setting};
  mad::set_field<Fields, "PortControl">(std::span(setting.data), o.cc_ca_cong_setting_port_control);
  mad::set_field<Fields, "ControlMap">(std::span(setting.data), o.cc_ca_cong_setting_control_map);
  const auto narrow = [](std::uint16_t value) { return static_cast<std::uint8_t>(value); };
  for (unsigned sl = 0; sl < kSls; ++sl) {
    const auto entry = ca_entry(setting.data, sl);
    mad::set_field<Entry, "CCTITimer">(entry, o.cc_ca_cong_setting_ccti_timer[sl]);
    mad::set_field<Entry, "CCTIIncrease">(entry, narrow(o.cc_ca_cong_setting_ccti_increase[sl]));
    mad::set_field<Entry, "TriggerThreshold">(entry,
                                              narrow(o.cc_ca_cong_setting_trigger_threshold[sl]));
    mad::set_field<Entry, "CCTIMin">(entry, narrow(o.cc_ca_cong_setting_ccti_min[sl]));
  }
  return setting;
}

/// Returns one block of zeroes if there are no entries.
std::vector<CongestionSetting> table_settings(const std::vector<config::CctEntry>& table) {
  using Fields = mad::CongestionControlTableFields;
  const std::size_t entries = std::max<std::size_t>(table.size(), 1);
  std::vector<CongestionSetting> blocks((entries - 1) / Fields::kEntries + 1);
  for (std::size_t block = 0; block < blocks.size(); ++block) {
    CongestionSetting& setting = blocks[block];
    setting.attribute = CongestionControlAttribute::congestion_control_table;
    setting.modifier = static_cast<std::uint32_t>(block);
    mad::set_field<Fields, "CCTILimit">(std::span(setting.data),
                                        static_cast<std::uint16_t>(entries - 1));
    const std::size_t first = block * Fields::kEntries;
    for (std::size_t at = 0; at < Fields::kEntries && first + at < table.size(); ++at)
      put(table_entry(setting.data, at), table[first + at]);
  }
  return blocks;
}

void add(mad::GmpData& bits, std::span<const mad::Field> fields, std::size_t byte = 0) {
  for (const mad::Field& field : fields)
    mad::write(std::span(bits).subspan(byte), field, field.value_max());
}

mad::GmpData make_defined_bits(CongestionControlAttribute attribute) {
  mad::GmpData bits{};
  if (attribute == CongestionControlAttribute::switch_congestion_setting) {
    add(bits, mad::SwitchCongestionSettingFields::kFields);
    std::fill_n(bits.begin() + kVictimMaskByte, std::size(config::PortMask{}), std::uint8_t{0xFF});
    std::fill_n(bits.begin() + kCreditMaskByte, std::size(config::PortMask{}), std::uint8_t{0xFF});
  } else if (attribute == CongestionControlAttribute::ca_congestion_setting) {
    add(bits, mad::CaCongestionSettingFields::kFields);
    for (unsigned sl = 0; sl < kSls; ++sl)
      add(bits, mad::CaCongestionEntryFields::kFields, kCaEntriesByte + sl * kCaEntryBytes);
  } else {
    add(bits, mad::CongestionControlTableFields::kFields);
    for (std::size_t at = 0; at < mad::CongestionControlTableFields::kEntries; ++at)
      add(bits, mad::CongestionControlTableEntryFields::kFields, kTableEntriesByte + 2 * at);
  }
  return bits;
}

const mad::GmpData& defined_bits(CongestionControlAttribute attribute) {
  static const std::array kBits{
      make_defined_bits(CongestionControlAttribute::switch_congestion_setting),
      make_defined_bits(CongestionControlAttribute::ca_congestion_setting),
      make_defined_bits(CongestionControlAttribute::congestion_control_table)};
  return kBits[attribute == CongestionControlAttribute::switch_congestion_setting ? 0
               : attribute == CongestionControlAttribute::ca_congestion_setting   ? 1
                                                                                  : 2];
}

}  // namespace

CongestionPlan decide_congestion(const config::Options& options) {
  CongestionPlan plan{.enabled = options.congestion_control, .key = options.cc_key};
  if (!plan.enabled) return plan;
  if (options.cc_key_enable == kClearKey) plan.key_info = CongestionKey{};
  if (options.cc_key_enable == kSetKey)
    plan.key_info = CongestionKey{.key = options.cc_key,
                                  .protect = options.cc_key_protect_bit != 0,
                                  .lease_period_s = options.cc_key_lease_period};
  plan.of_switch.push_back(switch_setting(options));
  plan.of_ca_port.push_back(ca_setting(options));
  const auto blocks = table_settings(options.cc_cct);
  plan.table_blocks = blocks.size();
  plan.of_ca_port.insert(plan.of_ca_port.end(), blocks.begin(), blocks.end());
  return plan;
}

std::vector<CongestionEnd> congestion_ends(const Fabric& fabric) {
  std::vector<CongestionEnd> ends;
  ends.reserve(fabric.end_ports.size());
  for (const PortIndex port : fabric.end_ports) {
    const Node& node = fabric.owning_node(port);
    if (node.type == mad::NodeType::router) continue;
    ends.push_back({.guid = fabric.ports[port].guid, .port = port, .is_switch = node.is_switch()});
  }
  std::ranges::sort(ends, {}, &CongestionEnd::guid);
  return ends;
}

bool have_same_fields(CongestionControlAttribute attribute, const mad::GmpData& a,
                      const mad::GmpData& b) {
  const mad::GmpData& bits = defined_bits(attribute);
  for (std::size_t at = 0; at < bits.size(); ++at)
    if (((a[at] ^ b[at]) & bits[at]) != 0) return false;
  return true;
}

}  // namespace sm
