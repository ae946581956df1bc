#include "mad/attribute_rows.h"

#include <algorithm>
#include <functional>
#include <initializer_list>
#include <utility>

#include "mad/attributes/adaptive_routing.h"
#include "mad/attributes/forwarding_blocks.h"
#include "mad/attributes/port_info_extended.h"
#include "mad/attributes/port_tables.h"
#include "mad/attributes/router_info.h"
#include "mad/attributes/sm_info.h"
#include "mad/attributes/vendor.h"
#include "mad/attributes/virtualization.h"
#include "mad/format.h"

namespace mad {
namespace {

using enum ReadStep;
using Modifiers = std::vector<std::uint32_t>;

constexpr unsigned kPKeyBlocksMax = 128;  // as in discovery
/// Bounds the MFT blocks of a switch that does not state its highest entry: 256 MLIDs.
constexpr unsigned kMftBlocksWithoutTop = 8;
constexpr unsigned kMftBlocksMax = 512, kMftPositionsMax = 16;
constexpr unsigned kLftBlocksMax = 0xC000 / LinearForwardingTable::kEntries;

/// Returns a mask of all fields of an attribute except for these.
template <AttributeType A>
constexpr AttributeBytes constant_fields(std::initializer_list<std::string_view> changing) {
  AttributeBytes mask{};
  for (const Field& field : A::kFields) {
    if (std::ranges::find(changing, field.name) == changing.end())
      write(mask, field, ~std::uint64_t{0});
  }
  return mask;
}
constexpr AttributeBytes kAllBytes = [] {
  AttributeBytes mask{};
  mask.fill(0xFF);
  return mask;
}();

// The modifiers of an attribute's blocks.

template <std::uint32_t modifier>
Modifiers fixed_modifier(const PortFacts&) {
  return {modifier};
}

Modifiers port_number(const PortFacts& port) {
  return {port.number.value != 0 ? port.number.value : port.entry.value};
}

/// Returns the first two blocks, which show the layout of a table.
Modifiers first_two(const PortFacts&) { return {0, 1}; }

Modifiers guid_blocks(const PortFacts& port) {
  Modifiers all;
  for (unsigned block = 0; block * GuidInfo::kEntries < port.info.guid_cap(); ++block)
    all.push_back(GuidInfo::modifier(block));
  return all;
}

Modifiers p_key_blocks(const PortFacts& port) {
  const unsigned capacity =
      port.is_external() ? port.switch_info.partition_enforcement_cap() : port.node.partition_cap();
  Modifiers all;
  for (unsigned block = 0; block < std::min(PKeyTable::blocks(capacity), kPKeyBlocksMax); ++block)
    all.push_back(PKeyTable::modifier(static_cast<std::uint16_t>(block), port.number));
  return all;
}

Modifiers input_ports(const PortFacts& port) {
  if (!port.is_switch()) return {0};
  Modifiers all;
  for (const PortNum input : port.inputs)
    all.push_back(SlToVlMappingTable::modifier(input, port.number));
  return all;
}

Modifiers arbitration_blocks(const PortFacts& port) {
  using Table = VlArbitrationTable;
  const unsigned low = port.info.vl_arbitration_low_cap(),
                 high = port.info.vl_arbitration_high_cap();
  Modifiers all;
  for (const auto& [cap, block] : {std::pair{low, 1}, {low, 2}, {high, 3}, {high, 4}}) {
    if (cap > (block % 2 == 0 ? Table::kEntries : 0))
      all.push_back(Table::modifier(static_cast<Table::Block>(block), port.number));
  }
  return all;
}

Modifiers linear_blocks(const PortFacts& port) {
  const SwitchInfo& info = port.switch_info;
  Modifiers all;
  const unsigned blocks =
      std::min(info.linear_fdb_top() / LinearForwardingTable::kEntries + 1u, kLftBlocksMax);
  for (unsigned block = 0; info.linear_fdb_cap() > 0 && block < blocks; ++block)
    all.push_back(LinearForwardingTable::modifier(block));
  return all;
}

Modifiers multicast_blocks(const PortFacts& port) {
  using Table = MulticastForwardingTable;
  const SwitchInfo& info = port.switch_info;
  const unsigned cap = (info.multicast_fdb_cap() + Table::kEntries - 1) / Table::kEntries,
                 top = info.multicast_fdb_top();
  unsigned blocks = std::min(cap, kMftBlocksWithoutTop);
  if (top >= kMlidMin.value) blocks = (top - kMlidMin.value) / Table::kEntries + 1;
  if (top == kMlidMin.value - 1u) blocks = 0;
  blocks = std::min({blocks, cap, kMftBlocksMax});
  const unsigned positions = port.node.num_ports() / Table::kPortsPerPosition + 1u;
  Modifiers all;
  for (unsigned position = 0; position < std::min(positions, kMftPositionsMax); ++position) {
    for (unsigned block = 0; block < blocks; ++block)
      all.push_back(Table::modifier(block, position));
  }
  return all;
}

// Texts of attributes whose fields alone do not say enough.

std::string general_info_text(ConstAttributeBytes bytes, std::uint32_t) {
  using enum GeneralCapability;
  const GeneralInfo info(bytes);
  std::string out;
  for (const auto& [capability, what] : {std::pair{adaptive_routing_rev1, "adaptive routing"},
                                         {fast_recovery, "fast recovery"},
                                         {private_lft, "private forwarding tables"},
                                         {ext_switch_info, "extended SwitchInfo"}})
    out += fmt::format("bit {}, {}: {}\n", static_cast<unsigned>(capability), what,
                       info.has(capability) ? "yes" : "no");
  return out;
}

std::string group_table_text(ConstAttributeBytes bytes, std::uint32_t block) {
  const ArGroupTable table(bytes);
  std::string out;
  for (unsigned index = 0; index < ArGroupTable::kSubGroups; ++index) {
    std::string ports;
    for (unsigned port = 0; port < 256; ++port)
      if (table.has_port(index, PortNum{static_cast<std::uint8_t>(port)}))
        ports += fmt::format("{}{}", ports.empty() ? "" : ", ", port);
    out += fmt::format("entry {}: {}\n", block * ArGroupTable::kSubGroups + index,
                       ports.empty() ? "no port" : "ports " + ports);
  }
  return out;
}

std::string adaptive_lft_text(ConstAttributeBytes bytes, std::uint32_t block) {
  constexpr std::array<std::string_view, 4> kStates{"bounded", "free", "static", "hash"};
  const ArLinearForwardingTable table(bytes);
  std::string out;
  for (unsigned index = 0; index < ArLinearForwardingTable::kEntries; ++index) {
    const auto entry = table.entry(index);
    out += fmt::format("LID {}: {}, static port {}, group {}, table {}\n",
                       block * ArLinearForwardingTable::kEntries + index,
                       kStates[static_cast<std::size_t>(entry.state) & 3], entry.static_port.value,
                       entry.group, entry.table);
  }
  return out;
}

template <AttributeType A>
constexpr AttributeRow make_row(ReadStep step, std::uint8_t places, AttributeRow rest = {}) {
  rest.id = A::kId;
  rest.fields = A::kFields;
  rest.step = step;
  rest.places = places;
  if (rest.modifiers == nullptr) rest.modifiers = fixed_modifier<0>;
  if (rest.constant == AttributeBytes{}) rest.constant = kAllBytes;
  return rest;
}

constexpr Announcement kOfNvidia{.vendor_id = kNvidia};

constexpr std::array kAttributeRows{
    make_row<NodeInfo>(discovery, place::kNode,
                       {.lists = {"nodeinfo"},
                        .constant = constant_fields<NodeInfo>({"PortGUID", "LocalPortNum"}),
                        .names_fields = true}),
    make_row<NodeDescription>(discovery, place::kNode),
    make_row<SwitchInfo>(discovery, place::kSwitch,
                         {.lists = {"switchinfo"},
                          .constant = constant_fields<SwitchInfo>({"PortStateChange"}),
                          .names_fields = true}),
    // ClientReregister stays set until the client has noticed it.
    make_row<PortInfo>(
        discovery, place::kEveryPort,
        {.modifiers = [](const PortFacts& port) -> Modifiers { return {port.number.value}; },
         .lists = {"portinfo", "vlarb"},
         .constant = constant_fields<PortInfo>(
             {"DiagCode", "LocalPortNum", "InitTypeReply", "M_KeyViolations", "P_KeyViolations",
              "Q_KeyViolations", "ClientReregister", "MaxCreditHint", "LinkRoundTripLatency"}),
         .names_fields = true,
         .block_name = " of port {port}"}),
    make_row<GuidInfo>(tables, place::kNode, {.modifiers = guid_blocks}),
    make_row<PKeyTable>(tables, place::kEveryPort,
                        {.modifiers = p_key_blocks,
                         .lists = {"pkeys"},
                         .block_name = " block {block} of port {port}"}),
    // Port 0 of a switch has no VLs to choose from.
    make_row<SlToVlMappingTable>(tables, place::kLinkPort,
                                 {.modifiers = input_ports,
                                  .lists = {"sl2vl"},
                                  .block_name = " from port {block} to port {port}"}),
    make_row<VlArbitrationTable>(tables, place::kLinkPort,
                                 {.modifiers = arbitration_blocks,
                                  .lists = {"vlarb"},
                                  .block_name = " block {block} of port {port}"}),
    make_row<SmInfo>(tables, place::kNode, {.announced = {.capability = capability::kIsSm}}),
    make_row<LedInfo>(
        tables, place::kNode,
        {.announced = {.capability = capability::kLedInfo}, .modifiers = port_number}),
    make_row<HierarchyInfo>(
        tables, place::kNode,
        {.announced = {.capability = capability::kHierarchyInfo}, .modifiers = port_number}),
    make_row<PortInfoExtended>(
        tables, place::kNode,
        {.announced = {.capability2 = capability2::kPortInfoExtended}, .modifiers = port_number}),
    make_row<SwitchPortStateTable>(
        tables, place::kSwitch, {.announced = {.capability2 = capability2::kSwitchPortStateTable}}),
    make_row<VirtualizationInfo>(tables, place::kHost,
                                 {.announced = {.capability2 = capability2::kVirtualization},
                                  .constant = constant_fields<VirtualizationInfo>(
                                      {"VClientReregistration", "VPortStateChange"})}),
    make_row<LinearForwardingTable>(forwarding, place::kSwitch,
                                    {.modifiers = linear_blocks, .block_name = " block {block}"}),
    make_row<MulticastForwardingTable>(
        forwarding, place::kSwitch,
        {.modifiers = multicast_blocks,
         .block_name = " block {block} for ports from {first_port}"}),
    make_row<GeneralInfo>(vendor, place::kNode,
                          {.announced = kOfNvidia,
                           .modifiers = fixed_modifier<GeneralInfo::kCapabilityMask>,
                           .lists = {"adaptive"},
                           .text = general_info_text}),
    make_row<ExtendedNodeInfo>(vendor, place::kNode, {.announced = kOfNvidia}),
    make_row<ExtendedSwitchInfo>(vendor, place::kSwitch, {.announced = kOfNvidia}),
    make_row<AdaptiveRoutingInfo>(vendor, place::kSwitch,
                                  {.announced = kOfNvidia, .lists = {"adaptive"}}),
    make_row<PrivateLftInfo>(vendor, place::kSwitch, {.announced = kOfNvidia}),
    make_row<MlnxExtPortInfo>(vendor, place::kLinkPort,
                              {.announced = kOfNvidia, .modifiers = port_number}),
    make_row<ArGroupTable>(adaptive, place::kSwitch,
                           {.announced = {.answered_before = AttributeId::adaptive_routing_info},
                            .modifiers = first_two,
                            .lists = {"adaptive"},
                            .text = group_table_text}),
    make_row<ArLinearForwardingTable>(
        adaptive, place::kSwitch,
        {.announced = {.answered_before = AttributeId::adaptive_routing_info},
         .modifiers = first_two,
         .lists = {"adaptive"},
         .text = adaptive_lft_text}),
    make_row<PfrnConfig>(none, 0, {.announced = kOfNvidia}),
    make_row<RouterInfo>(none, 0, {.announced = kOfNvidia}),
    make_row<AdjacentSubnetsTable>(none, 0, {.announced = kOfNvidia}),
    make_row<NextHopTable>(none, 0, {.announced = kOfNvidia}),
    make_row<VPortInfo>(
        none, 0,
        {.constant = constant_fields<VPortInfo>(
             {"VPortState", "ClientReregister", "P_KeyViolations", "Q_KeyViolations"}),
         .block_name = " of vport {vport} of port {port}"}),
    // The host may set another VNodeGUID.
    make_row<VNodeInfo>(none, 0,
                        {.constant = constant_fields<VNodeInfo>({"VNodeGUID"}),
                         .block_name = " of vport {vport} of port {port}"}),
    make_row<VPortPKeyTable>(none, 0,
                             {.block_name = " block {block} of vport {vport} of port {port}"}),
};

// smpquery has no adaptive.
constexpr std::array kAttributeLists{
    AttributeList{"portinfo", "portinfo", "pi", "Port info"},
    AttributeList{"switchinfo", "switchinfo", "si", "Switch info", true},
    AttributeList{"nodeinfo", "nodeinfo", "ni", "Node info"},
    AttributeList{"pkeys", "pkeytable", "pkeys", "P_Keys"},
    AttributeList{"sl2vl", "sl2vltable", "sl2vl", "SL2VL table"},
    AttributeList{"vlarb", "vlarbitration", "vlarb", "VLArbitration tables"},
    AttributeList{"adaptive", "arinfo", "ar", "Adaptive routing", true},
};

}  // namespace

std::span<const AttributeList> attribute_lists() { return kAttributeLists; }

bool Announcement::is_made(const NodeInfo& node, const PortInfo& end_port) const {
  const std::uint32_t mask = end_port.capability_mask();
  const std::uint32_t mask2 =
      (mask & capability::kCapabilityMask2) != 0 ? end_port.capability_mask2() : 0u;
  return (mask & capability) == capability && (mask2 & capability2) == capability2 &&
         (vendor_id == 0 || node.vendor_id() == vendor_id);
}

std::span<const AttributeRow> attribute_rows() { return kAttributeRows; }

const AttributeRow& attribute_row(AttributeId id) {
  static constexpr AttributeRow kNoRow{.constant = kAllBytes};
  const auto found = std::ranges::find(kAttributeRows, id, &AttributeRow::id);
  return found == kAttributeRows.end() ? kNoRow : *found;
}

bool same_constant(const AttributeRow& row, ConstAttributeBytes a, ConstAttributeBytes b) {
  for (std::size_t i = 0; i < kAttributeBytes; ++i)
    if (((a[i] ^ b[i]) & row.constant[i]) != 0) return false;
  return true;
}

std::vector<FieldChange> constant_changes(const AttributeRow& row, ConstAttributeBytes before,
                                          ConstAttributeBytes after) {
  AttributeBytes a{}, b{};
  std::ranges::transform(before, row.constant, a.begin(), std::bit_and<std::uint8_t>());
  std::ranges::transform(after, row.constant, b.begin(), std::bit_and<std::uint8_t>());
  return diff(row.fields, a, b);
}

std::string difference_text(std::span<const FieldChange> changes) {
  std::string text;
  for (const FieldChange& field : changes)
    text += fmt::format("{}{} {}, not {}", text.empty() ? "" : ", ", field.name, field.after,
                        field.before);
  return text;
}

bool clear_keys(AttributeId id, std::span<std::uint8_t, kAttributeBytes> bytes) {
  bool had_key = false;
  for (const Field& field : attribute_row(id).fields) {
    if (field.width != 64 || !field.name.ends_with("_Key") || read(bytes, field) == 0) continue;
    write(bytes, field, 0);
    had_key = true;
  }
  return had_key;
}

std::string block_text(AttributeId id, ConstAttributeBytes bytes, std::uint32_t modifier) {
  const AttributeRow& row = attribute_row(id);
  return row.text != nullptr ? row.text(bytes, modifier) : dump(row.fields, bytes);
}

}  // namespace mad
