#pragma once
// Ethernet management: the class by which an Ethernet Manager configures the virtual network
// interfaces (VNICs) of Omni-Path ports. Its MADs have 2,048 bytes and go to queue pair 1.
// Source: Linux, drivers/infiniband/ulp/opa_vnic/opa_vnic_encap.h and include/rdma/ib_mad.h
// (opa_class_port_info), for the layouts; offsets count from the start of the attribute.

#include <algorithm>
#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <span>

#include "mad/mad_header.h"
#include "mad/wire_record.h"

namespace mad {

inline constexpr auto kEthernetManagementClass = static_cast<MgmtClass>(0x34);
/// Base version of MADs of up to 2,048 bytes, and the version of the Ethernet management class.
inline constexpr std::uint8_t kOpaBaseVersion = 0x80, kEthernetManagementVersion = 0x80;
inline constexpr std::size_t kOpaMadBytes = 2048;
/// A vendor's class has three headers: the common one, RMPP's (unused here), the OUI.
inline constexpr std::size_t kVendorHeaderBytes = 40, kVendorOuiByte = 37;
inline constexpr std::array<std::uint8_t, 3> kEthernetManagementOui{0x00, 0x06, 0x6A};
inline constexpr std::size_t kEthernetManagementDataBytes = kOpaMadBytes - kVendorHeaderBytes;

enum class EthernetAttribute : std::uint16_t {
  class_port_info = 0x0001,
  notice = 0x0002,
  vesw_port_info = 0x0011,
  mac_table = 0x0012,
  unicast_macs = 0x0013,
  multicast_macs = 0x0014,
  delete_vesw = 0x0015,
  summary_counters = 0x0020,
  error_counters = 0x0022,
};

/// An Ethernet address, as a number.
struct Mac {
  std::uint64_t value = 0;  // 48 bits; the first octet is the highest
  auto operator<=>(const Mac&) const = default;

  constexpr bool is_multicast() const { return (value >> 40 & 1) != 0; }
  constexpr bool is_local() const { return (value >> 41 & 1) != 0; }
};
inline constexpr std::size_t kMacBytes = 6;
constexpr Mac read_mac(std::span<const std::uint8_t, kMacBytes> bytes) {
  return {read_bits<0, 48>(bytes)};
}
constexpr void write_mac(std::span<std::uint8_t, kMacBytes> bytes, Mac mac) {
  write_bits<0, 48>(bytes, mac.value);
}

/// Configured and operational states of a VNIC.
enum class VnicState : std::uint8_t { drop_all = 1, forwarding = 3 };
enum class EthernetLink : std::uint8_t { up = 1, down = 2 };

template <class Self, EthernetAttribute id, std::size_t size>
using EthernetRecord = WireRecord<Self, id, size>;

/// ClassPortInfo of an Ethernet management agent. LIDs have 32 bits, unlike in InfiniBand's
/// classes.
class EthernetClassPortInfo
    : public EthernetRecord<EthernetClassPortInfo, EthernetAttribute::class_port_info, 80> {
 public:
  static constexpr std::array kFields{
      Field{0, 8, "BaseVersion"},         Field{8, 8, "ClassVersion"},
      Field{16, 8, "VnicsMax"},           Field{24, 8, "CapabilityMask"},
      Field{59, 5, "RespTimeValue"},      Field{64, 64, "RedirectGID.prefix"},
      Field{128, 64, "RedirectGID.guid"}, Field{224, 32, "RedirectLID"},
      Field{320, 64, "TrapGID.prefix"},   Field{384, 64, "TrapGID.guid"},
      Field{480, 32, "TrapLID"},          Field{520, 24, "TrapQP"},
      Field{544, 32, "TrapQ_Key"},        Field{576, 16, "TrapP_Key"},
      Field{592, 16, "RedirectP_Key"},    Field{608, 5, "TrapSL"},
  };
  using WireRecord::WireRecord;
  bool sends_traps() const { return (get<std::uint8_t, "CapabilityMask">() & 1) != 0; }
  std::uint32_t trap_lid() const { return get<std::uint32_t, "TrapLID">(); }
  void set_trap_lid(std::uint32_t lid) { set<"TrapLID">(lid); }
  Sl trap_sl() const { return get<Sl, "TrapSL">(); }
  void set_trap_sl(Sl sl) { set<"TrapSL">(sl); }
};

inline constexpr std::size_t kVeswDefaultPorts = 16, kVlanPriorities = 8;

/// VESWPortInfo: the virtual Ethernet switch (bytes 0 to 151) and one port of it, which is a VNIC.
/// A Set for a VNIC that does not exist creates it.
class VeswPortInfo : public EthernetRecord<VeswPortInfo, EthernetAttribute::vesw_port_info, 280> {
 public:
  static constexpr auto kFields = joined(
      std::array{Field{0, 16, "FabricID"}, Field{16, 16, "VESWID"},
                 Field{80, 16, "DefaultPortMask"}, Field{112, 16, "P_Key"},
                 Field{160, 32, "UnknownMulticastDLID"}},
      repeated<kVeswDefaultPorts>(192, 32, "UnknownUnicastDLID"),
      std::array{Field{704, 32, "RoutingControl"}, Field{1184, 16, "EthernetMTU"},
                 Field{1216, 32, "PortNum"}, Field{1248, 8, "EthernetLinkStatus"},
                 Field{1280, 48, "BaseMAC"}, Field{1328, 8, "ConfigState"},
                 Field{1336, 8, "OperState"}, Field{1344, 16, "MACTableEntriesMax"},
                 Field{1360, 16, "SourceMACsMax"}, Field{1376, 32, "MACTableDigest"},
                 Field{1440, 32, "EncapSLID"}},
      repeated<kVlanPriorities>(1472, 8, "PCPtoSC.unicast"),
      repeated<kVlanPriorities>(1536, 8, "PCPtoVL.unicast"),
      repeated<kVlanPriorities>(1600, 8, "PCPtoSC.multicast"),
      repeated<kVlanPriorities>(1664, 8, "PCPtoVL.multicast"),
      std::array{Field{1728, 8, "UntaggedSC.unicast"}, Field{1736, 8, "UntaggedVL.unicast"},
                 Field{1744, 8, "UntaggedSC.multicast"}, Field{1752, 8, "UntaggedVL.multicast"},
                 Field{2144, 16, "UnicastMACsGeneration"},
                 Field{2160, 16, "MulticastMACsGeneration"}});
  using WireRecord::WireRecord;

  Mac base_mac() const { return get<Mac, "BaseMAC">(); }
  VnicState config_state() const { return get<VnicState, "ConfigState">(); }
  VnicState oper_state() const { return get<VnicState, "OperState">(); }
  EthernetLink link() const { return get<EthernetLink, "EthernetLinkStatus">(); }
  std::uint16_t vesw_id() const { return get<std::uint16_t, "VESWID">(); }
  std::uint16_t table_entries_max() const { return get<std::uint16_t, "MACTableEntriesMax">(); }
  std::uint32_t table_digest() const { return get<std::uint32_t, "MACTableDigest">(); }
  std::uint16_t unicast_generation() const { return get<std::uint16_t, "UnicastMACsGeneration">(); }
};

/// The head of the attribute that has a part of a MAC table; the entries follow.
class MacTableHead : public EthernetRecord<MacTableHead, EthernetAttribute::mac_table, 8> {
 public:
  static constexpr std::array kFields{Field{0, 16, "Offset"}, Field{16, 16, "NumEntries"},
                                      Field{32, 32, "MACTableDigest"}};
  using WireRecord::WireRecord;
};
/// An entry of a MAC table. An entry with MAC 0 is unused.
class MacTableEntry : public EthernetRecord<MacTableEntry, EthernetAttribute::mac_table, 16> {
 public:
  static constexpr std::array kFields{Field{0, 48, "MAC"}, Field{48, 48, "Mask"},
                                      Field{96, 24, "DLID"}, Field{122, 1, "IsSourceMAC"}};
  static constexpr std::uint64_t kFullMask = 0xFFFF'FFFF'FFFF;
  using WireRecord::WireRecord;
};
inline constexpr std::size_t kMacTableEntriesPerMad =
    (kEthernetManagementDataBytes - MacTableHead::kBytes) / MacTableEntry::kBytes;

/// The head of the list of an interface's unicast or multicast MAC addresses, which follow.
class MacListHead : public EthernetRecord<MacListHead, EthernetAttribute::unicast_macs, 8> {
 public:
  static constexpr std::array kFields{Field{0, 16, "StartIndex"}, Field{16, 16, "NumInMessage"},
                                      Field{32, 16, "Total"}, Field{48, 16, "Generation"}};
  using WireRecord::WireRecord;
};
inline constexpr std::size_t kMacsPerMad =
    (kEthernetManagementDataBytes - MacListHead::kBytes) / kMacBytes;

/// The 30 counters of a VNIC, followed by 16 reserved ones.
class VnicSummaryCounters
    : public EthernetRecord<VnicSummaryCounters, EthernetAttribute::summary_counters, 360> {
 public:
  static constexpr std::array kFields{
      Field{0, 16, "VNIC"},
      Field{16, 16, "VESWID"},
      Field{32, 32, "PortNum"},
      Field{64, 64, "TxErrors"},
      Field{128, 64, "RxErrors"},
      Field{192, 64, "TxPackets"},
      Field{256, 64, "RxPackets"},
      Field{320, 64, "TxBytes"},
      Field{384, 64, "RxBytes"},
      Field{448, 64, "TxUnicast"},
      Field{512, 64, "TxMulticast"},
      Field{576, 64, "TxUntagged"},
      Field{640, 64, "TxVlan"},
      Field{704, 64, "Tx64"},
      Field{768, 64, "Tx65To127"},
      Field{832, 64, "Tx128To255"},
      Field{896, 64, "Tx256To511"},
      Field{960, 64, "Tx512To1023"},
      Field{1024, 64, "Tx1024To1518"},
      Field{1088, 64, "Tx1519ToMax"},
      Field{1152, 64, "RxUnicast"},
      Field{1216, 64, "RxMulticast"},
      Field{1280, 64, "RxUntagged"},
      Field{1344, 64, "RxVlan"},
      Field{1408, 64, "Rx64"},
      Field{1472, 64, "Rx65To127"},
      Field{1536, 64, "Rx128To255"},
      Field{1600, 64, "Rx256To511"},
      Field{1664, 64, "Rx512To1023"},
      Field{1728, 64, "Rx1024To1518"},
      Field{1792, 64, "Rx1519ToMax"},
  };
  using WireRecord::WireRecord;
};
class VnicErrorCounters
    : public EthernetRecord<VnicErrorCounters, EthernetAttribute::error_counters, 304> {
 public:
  static constexpr std::array kFields{
      Field{0, 16, "VNIC"},          Field{16, 16, "VESWID"},        Field{32, 32, "PortNum"},
      Field{64, 64, "TxErrors"},     Field{128, 64, "RxErrors"},     Field{256, 64, "TxSourceMAC"},
      Field{512, 64, "TxDLIDZero"},  Field{640, 64, "TxLogic"},      Field{768, 64, "TxDropState"},
      Field{832, 64, "RxBadVESWID"}, Field{960, 64, "RxRunt"},       Field{1024, 64, "RxOversize"},
      Field{1152, 64, "RxLinkDown"}, Field{1216, 64, "RxDropState"}, Field{1280, 64, "RxLogic"},
  };
  using WireRecord::WireRecord;
};

/// The reason of an agent's trap. It sends at most five in 1.07 s for a VNIC, and repeats none.
enum class VnicTrap : std::uint8_t { unicast_macs = 1, multicast_macs = 2, link = 3 };

/// Notice of an Ethernet management agent, up to the end of its details.
class EthernetNotice : public EthernetRecord<EthernetNotice, EthernetAttribute::notice, 96> {
 public:
  static constexpr std::array kFields{
      Field{0, 1, "IsGeneric"},    Field{1, 7, "Type"},        Field{8, 24, "OUI"},
      Field{32, 16, "TrapNumber"}, Field{64, 32, "IssuerLID"}, Field{256, 16, "FabricID"},
      Field{272, 16, "VESWID"},    Field{288, 32, "PortNum"},  Field{320, 16, "OpaPort"},
      Field{336, 8, "VNIC"},       Field{344, 8, "Opcode"},
  };
  using WireRecord::WireRecord;
  VnicTrap trap() const { return get<VnicTrap, "Opcode">(); }
  std::uint8_t vnic() const { return get<std::uint8_t, "VNIC">(); }
};

/// Bytes of a trap on the wire; Gets and Sets have another size.
inline constexpr std::size_t kEthernetTrapBytes = kVendorHeaderBytes + 232;

/// Fills in the header of a MAD of this class; `bytes` has the MAD's length. The number of the VNIC
/// is the low byte of the AttributeModifier.
inline void write_ethernet_header(std::span<std::uint8_t> bytes, Method method,
                                  EthernetAttribute attribute, std::uint8_t vnic) {
  MadView mad(bytes.first<kMadBytes>());
  mad.set_base_version(kOpaBaseVersion);
  mad.set_mgmt_class(kEthernetManagementClass);
  mad.set_class_version(kEthernetManagementVersion);
  mad.set_method(method);
  mad.set_attribute_id(static_cast<AttributeId>(attribute));
  mad.set_attribute_modifier(vnic);
  std::ranges::copy(kEthernetManagementOui,
                    bytes.begin() + static_cast<std::ptrdiff_t>(kVendorOuiByte));
}

/// True if the bytes are a complete MAD of this class.
inline bool is_ethernet_management(std::span<const std::uint8_t> bytes) {
  if (bytes.size() < kMadBytes) return false;
  const ConstMadView mad(bytes.first<kMadBytes>());
  return mad.base_version() == kOpaBaseVersion && mad.mgmt_class() == kEthernetManagementClass &&
         std::ranges::equal(bytes.subspan(kVendorOuiByte, kEthernetManagementOui.size()),
                            kEthernetManagementOui);
}

}  // namespace mad
