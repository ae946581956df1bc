#pragma once
// Records that contain an attribute of subnet management: first the LID of the node and port or
// block numbers, then the attribute.

#include "mad/attributes/node_info.h"
#include "mad/attributes/port_info.h"
#include "mad/attributes/port_tables.h"
#include "mad/attributes/sm_info.h"
#include "mad/attributes/switch_info.h"
#include "mad/sa_attribute.h"

namespace mad {

/// Source: IBTA Vol 1, 15.2.5.2. NodeDescription begins at kDescriptionByte.
struct NodeRecordFields {
  static constexpr std::size_t kBytes = 108, kInfoByte = 4, kDescriptionByte = 44;
  static constexpr auto kFields =
      joined(std::array{Field{0, 16, "LID"}}, shifted(NodeInfo::kFields, 32));
};
using NodeRecord = SaRecord<NodeRecordFields, SaAttributeId::node_record>;

/// Source: IBTA Vol 1, 15.2.5.3.
struct PortInfoRecordFields {
  static constexpr std::size_t kBytes = 68, kInfoByte = 4;
  static constexpr std::uint8_t kExtendedSpeeds =
      0x80;  // in Options: the sender supports extended speeds
  static constexpr auto kFields = joined(
      std::array{Field{0, 16, "EndportLID"}, Field{16, 8, "PortNum"}, Field{24, 8, "Options"}},
      shifted(PortInfo::kFields, 32));
};
using PortInfoRecord = SaRecord<PortInfoRecordFields, SaAttributeId::port_info_record>;

/// Source: IBTA Vol 1, 15.2.5.4.
struct SlToVlTableRecordFields {
  static constexpr std::size_t kBytes = 16, kTableByte = 8;
  static constexpr std::array kFields{Field{0, 16, "LID"}, Field{16, 8, "InputPortNum"},
                                      Field{24, 8, "OutputPortNum"}};
};
using SlToVlTableRecord = SaRecord<SlToVlTableRecordFields, SaAttributeId::sl_to_vl_table_record>;

/// Source: IBTA Vol 1, 15.2.5.5.
struct SwitchInfoRecordFields {
  static constexpr std::size_t kBytes = 24, kInfoByte = 4;
  static constexpr auto kFields =
      joined(std::array{Field{0, 16, "LID"}}, shifted(SwitchInfo::kFields, 32));
};
using SwitchInfoRecord = SaRecord<SwitchInfoRecordFields, SaAttributeId::switch_info_record>;

/// Source: IBTA Vol 1, 15.2.5.6.
struct LinearForwardingTableRecordFields {
  static constexpr std::size_t kBytes = 72, kTableByte = 8;
  static constexpr std::array kFields{Field{0, 16, "LID"}, Field{16, 16, "BlockNum"}};
};
using LinearForwardingTableRecord =
    SaRecord<LinearForwardingTableRecordFields, SaAttributeId::linear_forwarding_table_record>;

/// Source: IBTA Vol 1, 15.2.5.8.
struct MulticastForwardingTableRecordFields {
  static constexpr std::size_t kBytes = 72, kTableByte = 8;
  static constexpr std::array kFields{Field{0, 16, "LID"}, Field{16, 4, "Position"},
                                      Field{23, 9, "BlockNum"}};
};
using MulticastForwardingTableRecord = SaRecord<MulticastForwardingTableRecordFields,
                                                SaAttributeId::multicast_forwarding_table_record>;

/// Source: IBTA Vol 1, 15.2.5.10.
struct SmInfoRecordFields {
  static constexpr std::size_t kBytes = 25, kInfoByte = 4;
  static constexpr auto kFields =
      joined(std::array{Field{0, 16, "LID"}}, shifted(SmInfo::kFields, 32));
};
using SmInfoRecord = SaRecord<SmInfoRecordFields, SaAttributeId::sm_info_record>;

/// Source: IBTA Vol 1, 15.2.5.13.
struct LinkRecordFields {
  static constexpr std::size_t kBytes = 6;
  static constexpr std::array kFields{Field{0, 16, "FromLID"}, Field{16, 8, "FromPort"},
                                      Field{24, 8, "ToPort"}, Field{32, 16, "ToLID"}};
};
using LinkRecord = SaRecord<LinkRecordFields, SaAttributeId::link_record>;

/// Source: IBTA Vol 1, 15.2.5.11.
struct PKeyTableRecordFields {
  static constexpr std::size_t kBytes = 72, kTableByte = 8;
  static constexpr std::array kFields{Field{0, 16, "LID"}, Field{16, 16, "BlockNum"},
                                      Field{32, 8, "PortNum"}};
};
using PKeyTableRecord = SaRecord<PKeyTableRecordFields, SaAttributeId::p_key_table_record>;

/// Source: IBTA Vol 1, 15.2.5.9.
struct VlArbitrationTableRecordFields {
  static constexpr std::size_t kBytes = 72, kTableByte = 8;
  static constexpr std::array kFields{Field{0, 16, "LID"}, Field{16, 8, "OutputPortNum"},
                                      Field{24, 8, "BlockNum"}};
};
using VlArbitrationTableRecord =
    SaRecord<VlArbitrationTableRecordFields, SaAttributeId::vl_arbitration_table_record>;

/// A block of a port's GUID table.
/// Source: IBTA Vol 1, 15.2.5.18.
class GuidInfoRecord : public SaRecord<GuidInfoRecord, SaAttributeId::guid_info_record, 72> {
 public:
  static constexpr std::size_t kGuidInfoByte = 8;
  static constexpr auto kFields = joined(std::array{Field{0, 16, "LID"}, Field{16, 8, "BlockNum"}},
                                         repeated<GuidInfo::kEntries>(64, 64, "GUID"));
  /// Bits of the component mask; kGuid0 + n is entry n.
  enum Mask : unsigned { kLid = 0, kBlockNum = 1, kGuid0 = 4 };
  using WireRecord::WireRecord;

  constexpr Lid lid() const { return get<Lid, "LID">(); }
  constexpr void set_lid(Lid value) { set<"LID">(value); }
  constexpr std::uint8_t block() const { return get<std::uint8_t, "BlockNum">(); }
  constexpr void set_block(std::uint8_t value) { set<"BlockNum">(value); }
  constexpr GuidInfo guid_info() const {
    GuidInfo out;
    std::copy_n(wire_.begin() + kGuidInfoByte, kAttributeBytes, out.bytes().begin());
    return out;
  }
  constexpr void set_guid_info(const GuidInfo& value) {
    std::copy(value.bytes().begin(), value.bytes().end(), wire_.begin() + kGuidInfoByte);
  }
};

}  // namespace mad
