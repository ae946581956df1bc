// Any 64 bytes are an attribute. Input: one byte that selects the class (its index in
// AllAttributes), then up to 64 bytes.
#include <algorithm>
#include <cstdlib>

#include "mad/attributes/all.h"

namespace mad {
namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

void check_modifier_builders(std::uint8_t port, std::uint16_t block) {
  const std::uint32_t p_key = PKeyTable::modifier(block, PortNum{port});
  require((p_key & 0xFFFF) == block && p_key >> 16 == port);
  const std::uint32_t port_info = PortInfo::modifier(PortNum{port}, (block & 1) != 0);
  require((port_info & 0xFF) == port && port_info >> 31 == (block & 1u) &&
          (port_info & 0x7FFFFF00u) == 0);
  const std::uint32_t multicast = MulticastForwardingTable::modifier(block & 0x1FFu, port & 15u);
  require((multicast & 0x1FF) == (block & 0x1FFu) && multicast >> 28 == (port & 15u) &&
          (multicast & 0x0FFFFE00u) == 0);
  const std::uint32_t sl_to_vl =
      SlToVlMappingTable::modifier(PortNum{port}, PortNum{static_cast<std::uint8_t>(block)});
  require(sl_to_vl >> 8 == port && (sl_to_vl & 0xFF) == (block & 0xFFu));
  const std::uint32_t states = SwitchPortStateTable::modifier(block, port > 127);
  require((states & ~0x8001u) == 0);
}

// Accessors that do more than decode one field of the table.
template <class A>
void check_details(const A&) {}
void check_details(const NodeInfo& info) {
  require(info.node_type_raw() == to_raw(info.node_type()));
  require(name(info.node_type()).size() <= 6);
}
void check_details(const NodeDescription& description) {
  const std::string text = description.text();
  require(text.size() <= 64 &&
          std::all_of(text.begin(), text.end(), [](char c) { return c >= 0x20 && c <= 0x7E; }));
  NodeDescription copy;
  copy.set_text(text);
  require(copy.text() == text);
}
void check_details(const PortInfo& info) {
  require(mtu_bytes(info.mtu_cap()).value_or(256) >= 256 &&
          mtu_bytes(info.neighbor_mtu()).value_or(4096) <= 4096);
  require(data_vls(info.vl_cap()) <= 15 && data_vls(info.operational_vls()) <= 15);
  require(name(info.port_state()).size() <= 11 && name(info.port_physical_state()).size() <= 13);
  require(info.lmc() <= 7 && info.m_key_protect_bits() <= 3 && info.master_sm_sl().value <= 15);
}
void check_details(const GuidInfo& table) {
  for (unsigned i = 0; i < GuidInfo::kEntries; ++i)
    require(table.guid(i).value == read(table.bytes(), GuidInfo::kFields[i]));
}
void check_details(const PKeyTable& table) {
  for (unsigned i = 0; i < PKeyTable::kEntries; ++i)
    require(table.p_key(i).value == read(table.bytes(), PKeyTable::kFields[i]));
}
void check_details(const SlToVlMappingTable& table) {
  for (std::uint8_t sl = 0; sl < SlToVlMappingTable::kEntries; ++sl)
    require(table.vl({sl}).value <= 15);
}
void check_details(const VlArbitrationTable& table) {
  for (unsigned i = 0; i < VlArbitrationTable::kEntries; ++i)
    require(table.entry(i).vl.value <= 15);
}
void check_details(const LinearForwardingTable& table) {
  for (unsigned i = 0; i < LinearForwardingTable::kEntries; ++i)
    require(table.port(i).value == table.bytes()[i]);
}
void check_details(const MulticastForwardingTable& table) {
  MulticastForwardingTable copy;
  for (unsigned i = 0; i < MulticastForwardingTable::kEntries; ++i)
    copy.set_port_mask(i, table.port_mask(i));
  require(copy == table);
}
void check_details(const SwitchPortStateTable& table) {
  SwitchPortStateTable copy;
  for (unsigned i = 0; i < SwitchPortStateTable::kEntries; ++i)
    copy.set_port_state(i, table.port_state(i));
  require(copy == table);
}
void check_details(const HierarchyInfo& info) {
  for (unsigned i = 0; i < std::min<unsigned>(info.active_levels(), HierarchyInfo::kLevels); ++i)
    require(info.level(i) == read(info.bytes(), Field{96 + 32 * i, 32, "Level"}));
}
void check_details(const VendorDiag& diag) { require(diag.data().size() == 62); }
void check_details(const SmInfo& info) {
  require(!name(info.sm_state()).empty() || to_raw(info.sm_state()) > 3);
}
void check_details(const BadMKeyNotice& notice) {
  require(notice.dr_hop_count() <= 63 && notice.return_path().size() == 30);
}
void check_details(const Notice& notice) {
  unsigned views = 0;
  for_each_attribute_type([&]<class A>() {
    if constexpr (requires { A::kTraps; }) {
      if (const auto view = notice.as<A>()) {
        require(Notice::of(*view) == notice);
        ++views;
      }
    }
  });
  require(views <= 1 && (notice.is_generic() || views == 0));
}

template <class A>
void check(std::span<const std::uint8_t, kAttributeBytes> bytes) {
  const A attribute(bytes);
  require(std::equal(bytes.begin(), bytes.end(), attribute.bytes().begin()));
  A rewritten = attribute, inverted = attribute;
  for (const Field& field : A::kFields) {
    const std::uint64_t value = read(bytes, field), all = ~std::uint64_t{0} >> (64 - field.width);
    require((value & ~all) == 0);
    write(rewritten.bytes(), field, value);
    write(inverted.bytes(), field, ~value);
    require(read(inverted.bytes(), field) == (~value & all));
  }
  require(rewritten == attribute && diff(attribute, rewritten).empty());
  const std::string text = dump(A::kId, bytes);
  require(!text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return c == '\n' || (c >= 0x20 && c <= 0x7E);
  }));
  check_details(attribute);
}

}  // namespace
}  // namespace mad

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 1) return 0;
  std::array<std::uint8_t, mad::kAttributeBytes> bytes{};
  std::copy_n(data + 1, std::min(size - 1, bytes.size()), bytes.begin());
  mad::check_modifier_builders(bytes[0], static_cast<std::uint16_t>(bytes[1] << 8 | bytes[2]));
  std::size_t place = data[0] % std::tuple_size_v<mad::AllAttributes>;
  mad::for_each_attribute_type([&]<class A>() {
    if (place-- == 0) mad::check<A>(bytes);
  });
  return 0;
}
