#include "sm/ctl/attributes_text.h"

#include <infiniband/mad.h>

#include <algorithm>
#include <array>
#include <utility>

#include "mad/attribute_rows.h"
#include "mad/attributes/node_info.h"
#include "mad/attributes/port_info.h"
#include "mad/attributes/port_tables.h"
#include "mad/attributes/switch_info.h"
#include "mad/format.h"
#include "mad/number.h"
#include "sm/ctl/lists_text.h"

namespace sm::ctl {

namespace {

using Json = nlohmann::ordered_json;
using Bytes = std::array<std::uint8_t, mad::kAttributeBytes>;

constexpr std::size_t kFieldColumn = 32;  // where libibmad's values begin

Bytes get_bytes(const Json& attribute) {
  const auto text = attribute.at("data").get<std::string>();
  Bytes bytes{};
  for (std::size_t i = 0; i < bytes.size() && 2 * i + 2 <= text.size(); ++i)
    bytes[i] = mad::parse_number<std::uint8_t>(text.substr(2 * i, 2), 16).value_or(0);
  return bytes;
}

/// Returns the first attribute of that name. A list without it comes from a daemon of another
/// version.
const Json& first_of(const Json& answer, mad::AttributeId id) {
  const Json& all = answer.at("attributes");
  const auto found = std::ranges::find_if(
      all, [&](const Json& each) { return each.at("attribute") == mad::name(id); });
  return found == all.end() ? all.at(all.size()) : *found;
}

/// Returns libibmad's text of `bytes` bytes of an attribute.
std::string dumped(ib_mad_dump_fn* dump, Bytes wire, std::size_t bytes = mad::kAttributeBytes) {
  std::array<char, 4096> text{};
  dump(text.data(), static_cast<int>(text.size()), wire.data(), static_cast<int>(bytes));
  return text.data();
}

std::string field_line(MAD_FIELDS field, Bytes wire) {
  std::array<char, 1024> text{};
  std::array<std::uint8_t, 64> value{};
  if (field == IB_PORT_MKEY_F)
    return fmt::format("{:.<{}}<not displayed>\n", std::string(mad_field_name(field)) + ":",
                       kFieldColumn + 1);
  mad_decode_field(wire.data(), field, value.data());
  if (mad_dump_field(field, text.data(), static_cast<int>(text.size()), value.data()) == nullptr)
    return "";
  return std::string(text.data()) + "\n";
}

std::string fields(const Bytes& wire, int first, int end) {
  std::string out;
  for (int field = first; field < end; ++field)
    out += field_line(static_cast<MAD_FIELDS>(field), wire);
  return out;
}

/// Fields of XDR, which libibmad has since rdma-core 56; smpquery prints what its library has.
template <class Fields = MAD_FIELDS>
std::string xdr_fields(const Bytes& wire) {
  if constexpr (requires { Fields::IB_PORT_LINK_SPEED_EXT_ACTIVE_2_F; })
    return fields(wire, Fields::IB_PORT_LINK_SPEED_EXT_ACTIVE_2_F,
                  Fields::IB_PORT_LINK_SPEED_EXT_2_LAST_F);
  else
    return {};
}

std::string p_keys_text(const Json& answer) {
  const bool is_switch = answer.at("node_type") == mad::name(mad::NodeType::switch_);
  const unsigned capacity =
      is_switch && answer.at("port") != 0
          ? mad::SwitchInfo{get_bytes(first_of(answer, mad::AttributeId::switch_info))}
                .partition_enforcement_cap()
          : mad::NodeInfo{get_bytes(first_of(answer, mad::AttributeId::node_info))}.partition_cap();
  std::string out;
  unsigned at = 0;
  for (const Json& each : answer.at("attributes")) {
    if (each.at("attribute") != mad::name(mad::AttributeId::p_key_table)) continue;
    const mad::PKeyTable table{get_bytes(each)};
    for (unsigned i = 0; i < mad::PKeyTable::kEntries && at < capacity; ++i, ++at) {
      if (at % 8 == 0) out += fmt::format("{:4}:", at);
      out += fmt::format(" 0x{:04x}", table.p_key(i).value);
      if (at % 8 == 7) out += '\n';
    }
  }
  // smpquery fills the last line up to eight keys; keys beyond the capacity are 0.
  for (; at % 8 != 0; ++at) out += at % 8 == 7 ? " 0x0000\n" : " 0x0000";
  return out + fmt::format("{} pkeys capacity for this port\n", capacity);
}

std::string sl_to_vl_text(const Json& answer) {
  std::string out = fmt::format("# SL2VL table: Lid {}\n#                 SL: |",
                                answer.at("lid").get<unsigned>());
  for (unsigned sl = 0; sl < 16; ++sl) out += fmt::format("{:2}|", sl);
  out += '\n';
  for (const Json& each : answer.at("attributes")) {
    if (each.at("attribute") != mad::name(mad::AttributeId::sl_to_vl_mapping_table)) continue;
    const auto modifier = each.at("modifier").get<std::uint32_t>();
    out += fmt::format("ports: in {:2}, out {:2}: {}", modifier >> 8 & 0xFF, modifier & 0xFF,
                       dumped(mad_dump_sltovl, get_bytes(each)));
  }
  return out;
}

std::string vl_arb_text(const Json& answer) {
  const auto lid = answer.at("lid").get<unsigned>(), port = answer.at("port").get<unsigned>();
  const bool is_switch = answer.at("node_type") == mad::name(mad::NodeType::switch_);
  if (is_switch && port == 0 &&
      !mad::SwitchInfo{get_bytes(first_of(answer, mad::AttributeId::switch_info))}
           .enhanced_port_0())
    return fmt::format("# No VLArbitration tables (BSP0): Lid {} port 0\n", lid);
  const mad::PortInfo info{get_bytes(first_of(answer, mad::AttributeId::port_info))};
  const unsigned low = info.vl_arbitration_low_cap(), high = info.vl_arbitration_high_cap();
  std::string out = fmt::format("# VLArbitration tables: Lid {} port {} LowCap {} HighCap {}\n",
                                lid, port, low, high);
  constexpr unsigned kPerBlock = mad::VlArbitrationTable::kEntries;
  for (const Json& each : answer.at("attributes")) {
    if (each.at("attribute") != mad::name(mad::AttributeId::vl_arbitration_table)) continue;
    const unsigned block = each.at("modifier").get<std::uint32_t>() >> 16;  // 1 to 4
    const unsigned cap = block <= 2 ? low : high;
    if (block % 2 == 1)
      out += fmt::format("# {} priority VL Arbitration Table:", block == 1 ? "Low" : "High");
    const unsigned entries = block % 2 == 1 ? std::min(cap, kPerBlock) : cap - kPerBlock;
    out += dumped(mad_dump_vlarbitration, get_bytes(each), std::size_t{2} * entries);
  }
  return out;
}

/// Returns two lines of 32 bytes each.
std::string bytes_lines(const Json& attribute) {
  const auto text = attribute.at("data").get<std::string>();
  std::string out;
  for (std::size_t at = 0; at < text.size(); at += 64)
    out += fmt::format("  {}\n", text.substr(at, 64));
  return out;
}

std::string indented(std::string_view lines) {
  std::string out;
  for (std::size_t end = 0; (end = lines.find('\n')) != std::string_view::npos;
       lines.remove_prefix(end + 1))
    out += fmt::format("  {}\n", lines.substr(0, end));
  return out;
}

/// Returns a list that smpquery does not have: bytes and words of each block.
std::string list_text(std::string_view title, const Json& answer) {
  std::string out =
      fmt::format("# {}: Lid {}, {} \"{}\"\n", title, answer.at("lid").get<unsigned>(),
                  field_text(answer, "node_guid"), printable(field_text(answer, "description")));
  for (const Json& each : answer.at("attributes")) {
    const auto name = each.at("attribute").get<std::string>();
    const auto modifier = each.at("modifier").get<std::uint32_t>();
    const auto id = std::ranges::find(mad::kAttributeNames, name, &mad::AttributeName::name);
    if (name == mad::name(mad::AttributeId::node_info) ||
        name == mad::name(mad::AttributeId::switch_info))
      continue;
    out += fmt::format("{}, modifier {}\n", name, modifier);
    if (each.contains("error")) {
      out += "  " + printable(field_text(each, "error")) + "\n";
      continue;
    }
    out += bytes_lines(each);
    if (id != mad::kAttributeNames.end())
      out += indented(mad::block_text(id->id, get_bytes(each), modifier));
  }
  return out;
}

std::string node_info_text(const Json& answer) {
  return fmt::format(
      "# Node info: Lid {}\n{}", answer.at("lid").get<unsigned>(),
      dumped(mad_dump_nodeinfo, get_bytes(first_of(answer, mad::AttributeId::node_info))));
}

std::string switch_info_text(const Json& answer) {
  return fmt::format(
      "# Switch info: Lid {}\n{}", answer.at("lid").get<unsigned>(),
      dumped(mad_dump_switchinfo, get_bytes(first_of(answer, mad::AttributeId::switch_info))));
}

std::string port_info_text(const Json& answer) {
  const Bytes info = get_bytes(first_of(answer, mad::AttributeId::port_info));
  return fmt::format(
      "# Port info: Lid {} port {}\n{}{}{}", answer.at("lid").get<unsigned>(),
      answer.at("port").get<unsigned>(), fields(info, IB_PORT_FIRST_F, IB_PORT_LAST_F),
      fields(info, IB_PORT_CAPMASK2_F, IB_PORT_LINK_SPEED_EXT_LAST_F), xdr_fields(info));
}

using ListText = std::string (*)(const Json&);
/// Lists in the format of smpquery.
constexpr std::array kListTexts{
    std::pair<std::string_view, ListText>{"portinfo", port_info_text},
    std::pair<std::string_view, ListText>{"switchinfo", switch_info_text},
    std::pair<std::string_view, ListText>{"nodeinfo", node_info_text},
    std::pair<std::string_view, ListText>{"pkeys", p_keys_text},
    std::pair<std::string_view, ListText>{"sl2vl", sl_to_vl_text},
    std::pair<std::string_view, ListText>{"vlarb", vl_arb_text},
};

}  // namespace

std::string attributes_text(const mad::AttributeList& list, const Json& answer) {
  for (const auto& [name, text] : kListTexts)
    if (name == list.name) return text(answer);
  return list_text(list.title, answer);
}

}  // namespace sm::ctl
