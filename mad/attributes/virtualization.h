#pragma once
// Attributes of a CA port with capability2::kVirtualization: its virtual ports (vports), each of
// which other nodes address as a port. These are vendor attributes; requests go to the physical
// port. Source: NVIDIA's implementation of the IBTA virtualization annex.

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>

#include "mad/attribute.h"
#include "mad/attributes/node_info.h"
#include "mad/attributes/notice.h"
#include "mad/attributes/port_info.h"

namespace mad {

/// Virtualization capabilities and state of the port. Modifier 0.
/// Units: VPortCap counts vports; VPortIndexTop is the highest index in use.
class VirtualizationInfo : public Attribute<VirtualizationInfo, AttributeId::virtualization_info> {
 public:
  static constexpr std::array kFields{
      Field{0, 16, "VPortCap"},
      Field{16, 16, "VPortIndexTop"},
      Field{32, 1, "VirtualizationEnable"},
      Field{33, 1, "VClientReregistration"},
      Field{34, 1, "VPortStateChange"},
      Field{48, 8, "VirtualizationRevision"},
      Field{56, 8, "CapabilityMask"},
  };
  using WireRecord::WireRecord;

  constexpr std::uint16_t vport_cap() const { return get<std::uint16_t, "VPortCap">(); }
  constexpr void set_vport_cap(std::uint16_t value) { set<"VPortCap">(value); }
  constexpr std::uint16_t vport_index_top() const { return get<std::uint16_t, "VPortIndexTop">(); }
  constexpr void set_vport_index_top(std::uint16_t value) { set<"VPortIndexTop">(value); }
  constexpr bool virtualization_enable() const { return get<bool, "VirtualizationEnable">(); }
  constexpr void set_virtualization_enable(bool value) { set<"VirtualizationEnable">(value); }
  constexpr bool vclient_reregistration() const { return get<bool, "VClientReregistration">(); }
  constexpr void set_vclient_reregistration(bool value) { set<"VClientReregistration">(value); }
  constexpr bool vport_state_change() const { return get<bool, "VPortStateChange">(); }
  constexpr void set_vport_state_change(bool value) { set<"VPortStateChange">(value); }
  constexpr std::uint8_t virtualization_revision() const {
    return get<std::uint8_t, "VirtualizationRevision">();
  }
  constexpr void set_virtualization_revision(std::uint8_t value) {
    set<"VirtualizationRevision">(value);
  }
  constexpr std::uint8_t capability_mask() const { return get<std::uint8_t, "CapabilityMask">(); }
  constexpr void set_capability_mask(std::uint8_t value) { set<"CapabilityMask">(value); }
};

/// One vport. The modifier is its index.
/// Shape: with lid_required() the vport has a LID of its own (vport_lid()); else it uses the LID of
/// the vport lid_by_vport_index(), or the physical port's.
class VPortInfo : public Attribute<VPortInfo, AttributeId::vport_info> {
 public:
  static constexpr std::array kFields{
      Field{0, 4, "VPortState"},        Field{4, 1, "ClientReregister"},
      Field{5, 1, "LidRequired"},       Field{8, 8, "GUIDCap"},
      Field{16, 16, "CapabilityMask"},  Field{32, 16, "P_KeyViolations"},
      Field{48, 16, "Q_KeyViolations"}, Field{64, 16, "VPortLID"},
      Field{80, 16, "LIDByVPortIndex"}, Field{96, 64, "PortGUID"},
      Field{160, 64, "PortProfile"},
  };
  static constexpr std::uint32_t modifier(std::uint16_t index) { return index; }
  using WireRecord::WireRecord;

  constexpr PortState vport_state() const { return get<PortState, "VPortState">(); }
  constexpr void set_vport_state(PortState value) { set<"VPortState">(value); }
  constexpr bool client_reregister() const { return get<bool, "ClientReregister">(); }
  constexpr void set_client_reregister(bool value) { set<"ClientReregister">(value); }
  constexpr bool lid_required() const { return get<bool, "LidRequired">(); }
  constexpr void set_lid_required(bool value) { set<"LidRequired">(value); }
  constexpr std::uint8_t guid_cap() const { return get<std::uint8_t, "GUIDCap">(); }
  constexpr void set_guid_cap(std::uint8_t value) { set<"GUIDCap">(value); }
  constexpr std::uint16_t capability_mask() const { return get<std::uint16_t, "CapabilityMask">(); }
  constexpr void set_capability_mask(std::uint16_t value) { set<"CapabilityMask">(value); }
  constexpr std::uint16_t p_key_violations() const {
    return get<std::uint16_t, "P_KeyViolations">();
  }
  constexpr void set_p_key_violations(std::uint16_t value) { set<"P_KeyViolations">(value); }
  constexpr std::uint16_t q_key_violations() const {
    return get<std::uint16_t, "Q_KeyViolations">();
  }
  constexpr void set_q_key_violations(std::uint16_t value) { set<"Q_KeyViolations">(value); }
  constexpr Lid vport_lid() const { return get<Lid, "VPortLID">(); }
  constexpr void set_vport_lid(Lid value) { set<"VPortLID">(value); }
  constexpr std::uint16_t lid_by_vport_index() const {
    return get<std::uint16_t, "LIDByVPortIndex">();
  }
  constexpr void set_lid_by_vport_index(std::uint16_t value) { set<"LIDByVPortIndex">(value); }
  constexpr Guid port_guid() const { return get<Guid, "PortGUID">(); }
  constexpr void set_port_guid(Guid value) { set<"PortGUID">(value); }
};

/// The virtual node of a vport. The modifier is the vport's index.
class VNodeInfo : public Attribute<VNodeInfo, AttributeId::vnode_info> {
 public:
  static constexpr std::array kFields{
      Field{0, 16, "PartitionCap"},
      Field{16, 8, "LocalPortNum"},
      Field{24, 8, "NumPorts"},
      Field{32, 64, "VNodeGUID"},
  };
  static constexpr std::uint32_t modifier(std::uint16_t index) { return index; }
  using WireRecord::WireRecord;

  constexpr std::uint16_t partition_cap() const { return get<std::uint16_t, "PartitionCap">(); }
  constexpr void set_partition_cap(std::uint16_t value) { set<"PartitionCap">(value); }
  constexpr PortNum local_port_num() const { return get<PortNum, "LocalPortNum">(); }
  constexpr void set_local_port_num(PortNum value) { set<"LocalPortNum">(value); }
  constexpr std::uint8_t num_ports() const { return get<std::uint8_t, "NumPorts">(); }
  constexpr void set_num_ports(std::uint8_t value) { set<"NumPorts">(value); }
  constexpr Guid vnode_guid() const { return get<Guid, "VNodeGUID">(); }
  constexpr void set_vnode_guid(Guid value) { set<"VNodeGUID">(value); }
};

/// States of 128 vports. The modifier is the block.
class VPortState : public Attribute<VPortState, AttributeId::vport_state> {
 public:
  static constexpr unsigned kEntries = 128;
  static constexpr auto kFields = repeated<kEntries>(0, 4, "VPortState");
  static constexpr std::uint32_t modifier(unsigned block) { return block; }
  using WireRecord::WireRecord;

  /// Returns entry `index` of the block, 0..127.
  constexpr PortState state(unsigned index) const {
    return from_raw<PortState>(read(wire_, kFields[index]));
  }
  constexpr void set_state(unsigned index, PortState state) {
    write(wire_, kFields[index], to_raw(state));
  }
};

/// Bits of VPortInfo::capability_mask(). They are PortInfo's capabilities at other positions.
namespace vport_capability {
inline constexpr std::uint16_t kCommunicationManagement = 0x01, kSnmp = 0x02,
                               kDeviceManagement = 0x04, kVendorClass = 0x08,
                               kBootManagement = 0x10, kIsSm = 0x20, kSmDisabled = 0x40;
}  // namespace vport_capability

/// Returns the modifier of a vport's table (P_Keys, GUIDs). It is not documented; by analogy with
/// P_KeyTable the index is in the bits above the block.
constexpr std::uint32_t vport_table_modifier(std::uint16_t index, std::uint16_t block) {
  return std::uint32_t{index} << 16 | block;
}

/// The virtual node's description, like NodeDescription. The modifier is the vport's index.
class VNodeDescription : public Attribute<VNodeDescription, AttributeId::vnode_description> {
 public:
  static constexpr auto kFields = repeated<kAttributeBytes>(0, 8, "NodeString");
  static constexpr std::uint32_t modifier(std::uint16_t index) { return index; }
  using WireRecord::WireRecord;

  std::string text() const { return NodeDescription(bytes()).text(); }
  constexpr void set_text(std::string_view text) {
    NodeDescription description;
    description.set_text(text);
    std::copy(description.bytes().begin(), description.bytes().end(), wire_.begin());
  }
};

/// One block of a vport's GUID table, like GuidInfo: entry 0 of block 0 is the vport's PortGUID.
class VPortGuidInfo : public Attribute<VPortGuidInfo, AttributeId::vport_guid_info> {
 public:
  static constexpr unsigned kEntries = 8;
  static constexpr auto kFields = repeated<kEntries>(0, 64, "GUID");
  static constexpr std::uint32_t modifier(std::uint16_t index, std::uint16_t block) {
    return vport_table_modifier(index, block);
  }
  using WireRecord::WireRecord;

  /// Returns entry `index` of the block, 0..7.
  constexpr Guid guid(unsigned index) const { return {read(wire_, kFields[index])}; }
  constexpr void set_guid(unsigned index, Guid guid) { write(wire_, kFields[index], guid.value); }
};

/// One block of a vport's P_Key table, like PKeyTable. The capacity is VNodeInfo::partition_cap().
class VPortPKeyTable : public Attribute<VPortPKeyTable, AttributeId::vport_p_key_table> {
 public:
  static constexpr unsigned kEntries = 32;
  static constexpr auto kFields = repeated<kEntries>(0, 16, "P_Key");
  static constexpr std::uint32_t modifier(std::uint16_t index, std::uint16_t block) {
    return vport_table_modifier(index, block);
  }
  using WireRecord::WireRecord;

  /// Returns entry `index` of the block, 0..31.
  constexpr PKey p_key(unsigned index) const { return from_raw<PKey>(read(wire_, kFields[index])); }
  constexpr void set_p_key(unsigned index, PKey key) { write(wire_, kFields[index], key.value); }
};

/// Header of a vendor's notice. It names the vendor and the device instead of producer and trap;
/// the trap's number is at the end.
template <class Self>
class VendorNoticeBase
    : public Attribute<Self,
                       AttributeId::notice> {  // NOLINT(bugprone-crtp-constructor-accessibility):
                                               // see Attribute
 public:
  static constexpr std::array kHeaderFields{
      Field{0, 1, "IsGeneric"},     Field{1, 7, "Type"},
      Field{8, 24, "VendorID"},     Field{32, 16, "DeviceID"},
      Field{48, 16, "IssuerLID"},   Field{64, 1, "NoticeToggle"},
      Field{65, 15, "NoticeCount"}, Field{496, 16, "VendorTrapNumber"},
  };
  static constexpr std::uint32_t kVendor = 0x0002C9;
  using Base = Attribute<Self, AttributeId::notice>;
  using Base::Base;

  /// Returns the notice as this class, or nullopt for another trap or another vendor.
  static constexpr std::optional<Self> from(const Notice& notice) {
    const Self self(notice.bytes());
    if (notice.is_generic() || self.vendor_id() != kVendor ||
        self.vendor_trap_number() != Self::kVendorTrap)
      return std::nullopt;
    return self;
  }

  constexpr NoticeType type() const { return this->template get<NoticeType, "Type">(); }
  constexpr void set_type(NoticeType value) { this->template set<"Type">(value); }
  constexpr std::uint32_t vendor_id() const {
    return this->template get<std::uint32_t, "VendorID">();
  }
  constexpr void set_vendor_id(std::uint32_t value) { this->template set<"VendorID">(value); }
  constexpr std::uint16_t device_id() const {
    return this->template get<std::uint16_t, "DeviceID">();
  }
  constexpr void set_device_id(std::uint16_t value) { this->template set<"DeviceID">(value); }
  constexpr Lid issuer_lid() const { return this->template get<Lid, "IssuerLID">(); }
  constexpr void set_issuer_lid(Lid value) { this->template set<"IssuerLID">(value); }
  constexpr std::uint16_t vendor_trap_number() const {
    return this->template get<std::uint16_t, "VendorTrapNumber">();
  }
  constexpr void set_vendor_trap_number(std::uint16_t value) {
    this->template set<"VendorTrapNumber">(value);
  }
};

/// NVIDIA's trap 1144: capabilities of a vport of the port `lid` changed or, with
/// other_local_changes(), the items of change_flags().
class VPortLocalChangeNotice : public VendorNoticeBase<VPortLocalChangeNotice> {
 public:
  static constexpr std::uint16_t kVendorTrap = 1144;
  static constexpr auto kFields = joined(kHeaderFields, std::array{
                                                            Field{96, 16, "LID"},
                                                            Field{127, 1, "OtherLocalChanges"},
                                                            Field{128, 16, "VPortCapabilityMask"},
                                                            Field{144, 16, "ChangeFlags"},
                                                            Field{176, 16, "VPortIndex"},
                                                        });
  /// A bit of change_flags().
  static constexpr std::uint16_t kVNodeDescription = 0x0001;
  using VendorNoticeBase::VendorNoticeBase;

  constexpr Lid lid() const { return get<Lid, "LID">(); }
  constexpr void set_lid(Lid value) { set<"LID">(value); }
  constexpr bool other_local_changes() const { return get<bool, "OtherLocalChanges">(); }
  constexpr void set_other_local_changes(bool value) { set<"OtherLocalChanges">(value); }
  constexpr void set_vport_capability_mask(std::uint16_t value) {
    set<"VPortCapabilityMask">(value);
  }
  constexpr std::uint16_t change_flags() const { return get<std::uint16_t, "ChangeFlags">(); }
  constexpr void set_change_flags(std::uint16_t value) { set<"ChangeFlags">(value); }
  constexpr std::uint16_t vport_index() const { return get<std::uint16_t, "VPortIndex">(); }
  constexpr void set_vport_index(std::uint16_t value) { set<"VPortIndex">(value); }
};

/// NVIDIA's trap 1146: the state of some vport of the port `lid` changed;
/// VirtualizationInfo::vport_state_change() is set with it.
class VPortStateNotice : public VendorNoticeBase<VPortStateNotice> {
 public:
  static constexpr std::uint16_t kVendorTrap = 1146;
  static constexpr auto kFields = joined(kHeaderFields, std::array{Field{96, 16, "LID"}});
  using VendorNoticeBase::VendorNoticeBase;

  constexpr Lid lid() const { return get<Lid, "LID">(); }
  constexpr void set_lid(Lid value) { set<"LID">(value); }
};

struct VPortCapability {
  std::uint16_t of_vport;  // in VPortInfo:CapabilityMask
  std::uint32_t of_port;   // the same in PortInfo:CapabilityMask
};
/// Source: NVIDIA's OpenSM, whose dumps print the former as the latter; IsSmDisabled by analogy.
inline constexpr std::array kVPortCapabilities{
    VPortCapability{vport_capability::kCommunicationManagement,
                    capability::kCommunicationManagement},
    VPortCapability{vport_capability::kSnmp, capability::kSnmp},
    VPortCapability{vport_capability::kDeviceManagement, capability::kDeviceManagement},
    VPortCapability{vport_capability::kVendorClass, capability::kVendorClass},
    VPortCapability{vport_capability::kBootManagement, capability::kBootManagement},
    VPortCapability{vport_capability::kIsSm, capability::kIsSm},
    VPortCapability{vport_capability::kSmDisabled, capability::kSmDisabled}};

/// `port`, a PortInfo:CapabilityMask, with the capabilities that vports can have as `vport` says.
constexpr std::uint32_t port_capabilities_of(std::uint16_t vport, std::uint32_t port = 0) {
  for (const VPortCapability& each : kVPortCapabilities)
    port = (vport & each.of_vport) != 0 ? port | each.of_port : port & ~each.of_port;
  return port;
}
/// Returns the bits of a PortInfo:CapabilityMask that vports can have.
constexpr std::uint16_t vport_capabilities_of(std::uint32_t port) {
  std::uint16_t vport = 0;
  for (const VPortCapability& each : kVPortCapabilities)
    if ((port & each.of_port) != 0) vport = static_cast<std::uint16_t>(vport | each.of_vport);
  return vport;
}

/// NVIDIA's traps 1257 and 1258: a packet went from lid1 to lid2 with a P_Key, or Q_Key, that the
/// vport at `vport_index` does not have. A P_Key is in the low 16 bits of `key`. They are traps 257
/// and 258 with an index. Source: NVIDIA's OpenSM.
template <std::uint16_t kNumber>
class VPortBadKeyNotice : public VendorNoticeBase<VPortBadKeyNotice<kNumber>> {
 public:
  using Base = VendorNoticeBase<VPortBadKeyNotice<kNumber>>;
  static constexpr std::uint16_t kVendorTrap = kNumber;
  static constexpr auto kFields = joined(Base::kHeaderFields, [] {
    constexpr std::size_t kHeader = BadKeyNotice::kHeaderFields.size();
    std::array<Field, BadKeyNotice::kFields.size() - kHeader + 1> fields{};
    std::ranges::copy(std::span(BadKeyNotice::kFields).subspan(kHeader), fields.begin());
    fields.back() = {480, 16, "VPortIndex"};
    return fields;
  }());
  using Base::Base;

  constexpr Lid lid1() const { return this->template get<Lid, "LID1">(); }
  constexpr void set_lid1(Lid value) { this->template set<"LID1">(value); }
  constexpr Lid lid2() const { return this->template get<Lid, "LID2">(); }
  constexpr void set_lid2(Lid value) { this->template set<"LID2">(value); }
  constexpr std::uint32_t key() const { return this->template get<std::uint32_t, "Key">(); }
  constexpr void set_key(std::uint32_t value) { this->template set<"Key">(value); }
  constexpr Sl sl() const { return this->template get<Sl, "SL">(); }
  constexpr void set_sl(Sl value) { this->template set<"SL">(value); }
  constexpr std::uint16_t vport_index() const {
    return this->template get<std::uint16_t, "VPortIndex">();
  }
  constexpr void set_vport_index(std::uint16_t value) { this->template set<"VPortIndex">(value); }
};
using VPortBadPKeyNotice = VPortBadKeyNotice<1257>;
using VPortBadQKeyNotice = VPortBadKeyNotice<1258>;

}  // namespace mad
