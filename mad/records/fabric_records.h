#pragma once
// Records that contain an attribute of subnet management: the LID of the node, port or block
// numbers, then the attribute.

#include "mad/attributes/node_description.h"
#include "mad/attributes/node_info.h"
#include "mad/attributes/port_info.h"
#include "mad/attributes/sm_info.h"
#include "mad/attributes/switch_info.h"
#include "mad/records/record.h"

namespace mad {

/// Source: IBTA Vol 1, 15.2.5.2. NodeDescription is the bytes from kDescriptionByte on.
struct NodeRecordFields {
  static constexpr std::size_t kBytes = 108, kInfoByte = 4, kDescriptionByte = 44;
  static constexpr auto kFields =
      joined(std::array{Field{0, 16, "LID"}}, shifted(NodeInfo::kFields, 32));
};
using NodeRecord = Record<NodeRecordFields>;

/// Source: IBTA Vol 1, 15.2.5.3.
struct PortInfoRecordFields {
  static constexpr std::size_t kBytes = 68, kInfoByte = 4;
  static constexpr std::uint8_t kExtendedSpeeds =
      0x80;  // in Options: the sender supports extended speeds
  static constexpr auto kFields = joined(
      std::array{Field{0, 16, "EndportLID"}, Field{16, 8, "PortNum"}, Field{24, 8, "Options"}},
      shifted(PortInfo::kFields, 32));
};
using PortInfoRecord = Record<PortInfoRecordFields>;

/// Source: IBTA Vol 1, 15.2.5.4.
struct SlToVlTableRecordFields {
  static constexpr std::size_t kBytes = 16, kTableByte = 8;
  static constexpr std::array kFields{Field{0, 16, "LID"}, Field{16, 8, "InputPortNum"},
                                      Field{24, 8, "OutputPortNum"}};
};
using SlToVlTableRecord = Record<SlToVlTableRecordFields>;

/// Source: IBTA Vol 1, 15.2.5.5.
struct SwitchInfoRecordFields {
  static constexpr std::size_t kBytes = 24, kInfoByte = 4;
  static constexpr auto kFields =
      joined(std::array{Field{0, 16, "LID"}}, shifted(SwitchInfo::kFields, 32));
};
using SwitchInfoRecord = Record<SwitchInfoRecordFields>;

/// Source: IBTA Vol 1, 15.2.5.6.
struct LinearForwardingTableRecordFields {
  static constexpr std::size_t kBytes = 72, kTableByte = 8;
  static constexpr std::array kFields{Field{0, 16, "LID"}, Field{16, 16, "BlockNum"}};
};
using LinearForwardingTableRecord = Record<LinearForwardingTableRecordFields>;

/// Source: IBTA Vol 1, 15.2.5.8.
struct MulticastForwardingTableRecordFields {
  static constexpr std::size_t kBytes = 72, kTableByte = 8;
  static constexpr std::array kFields{Field{0, 16, "LID"}, Field{16, 4, "Position"},
                                      Field{23, 9, "BlockNum"}};
};
using MulticastForwardingTableRecord = Record<MulticastForwardingTableRecordFields>;

/// Source: IBTA Vol 1, 15.2.5.10.
struct SmInfoRecordFields {
  static constexpr std::size_t kBytes = 25, kInfoByte = 4;
  static constexpr auto kFields =
      joined(std::array{Field{0, 16, "LID"}}, shifted(SmInfo::kFields, 32));
};
using SmInfoRecord = Record<SmInfoRecordFields>;

/// Source: IBTA Vol 1, 15.2.5.13.
struct LinkRecordFields {
  static constexpr std::size_t kBytes = 6;
  static constexpr std::array kFields{Field{0, 16, "FromLID"}, Field{16, 8, "FromPort"},
                                      Field{24, 8, "ToPort"}, Field{32, 16, "ToLID"}};
};
using LinkRecord = Record<LinkRecordFields>;

/// Source: IBTA Vol 1, 15.2.5.11.
struct PKeyTableRecordFields {
  static constexpr std::size_t kBytes = 72, kTableByte = 8;
  static constexpr std::array kFields{Field{0, 16, "LID"}, Field{16, 16, "BlockNum"},
                                      Field{32, 8, "PortNum"}};
};
using PKeyTableRecord = Record<PKeyTableRecordFields>;

/// Source: IBTA Vol 1, 15.2.5.9.
struct VlArbitrationTableRecordFields {
  static constexpr std::size_t kBytes = 72, kTableByte = 8;
  static constexpr std::array kFields{Field{0, 16, "LID"}, Field{16, 8, "OutputPortNum"},
                                      Field{24, 8, "BlockNum"}};
};
using VlArbitrationTableRecord = Record<VlArbitrationTableRecordFields>;

}  // namespace mad
