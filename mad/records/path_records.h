#pragma once
// Records of paths between ports.

#include "mad/sa_attribute.h"

namespace mad {

/// The parameters of a path between two ports. Units: MTU, Rate and PacketLifeTime are the codes of
/// path_units.h, each after its Selector (2, exactly, in responses). Source: IBTA Vol 1, 15.2.5.16.
struct PathRecordFields {
  static constexpr std::size_t kBytes = 64;
  static constexpr std::array kFields{
      Field{0, 64, "ServiceID"},
      Field{64, 64, "DGID.prefix"},
      Field{128, 64, "DGID.guid"},
      Field{192, 64, "SGID.prefix"},
      Field{256, 64, "SGID.guid"},
      Field{320, 16, "DLID"},
      Field{336, 16, "SLID"},
      Field{352, 1, "RawTraffic"},
      Field{356, 20, "FlowLabel"},
      Field{376, 8, "HopLimit"},
      Field{384, 8, "TClass"},
      Field{392, 1, "Reversible"},
      Field{393, 7, "NumbPath"},
      Field{400, 16, "P_Key"},
      Field{416, 12, "QoSClass"},
      Field{428, 4, "SL"},
      Field{432, 2, "MTUSelector"},
      Field{434, 6, "MTU"},
      Field{440, 2, "RateSelector"},
      Field{442, 6, "Rate"},
      Field{448, 2, "PacketLifeTimeSelector"},
      Field{450, 6, "PacketLifeTime"},
      Field{456, 8, "Preference"},
  };
  /// Bits of the ComponentMask.
  enum Mask : unsigned {
    kServiceIdHigh,
    kServiceIdLow,
    kDgid,
    kSgid,
    kDlid,
    kSlid,
    kRawTraffic,
    kReserved,
    kFlowLabel,
    kHopLimit,
    kTClass,
    kReversible,
    kNumbPath,
    kPKey,
    kQosClass,
    kSl,
    kMtuSelector,
    kMtu,
    kRateSelector,
    kRate,
    kLifeSelector,
    kLife,
  };
};
using PathRecord = SaRecord<PathRecordFields, SaAttributeId::path_record>;

/// Queries paths between several source and several destination GIDs, which follow it: SGIDCount
/// sources, then DGIDCount destinations. Units: as in PathRecord. IndependenceSelector: 0 any
/// paths, 1 paths that fail independently of each other.
/// Source: IBTA Vol 1, 15.2.5.20.
struct MultiPathRecordFields {
  static constexpr std::size_t kBytes = 24;  // without the GIDs
  static constexpr std::size_t kGidBytes = 16;
  static constexpr std::array kFields{
      Field{0, 1, "RawTraffic"},
      Field{4, 20, "FlowLabel"},
      Field{24, 8, "HopLimit"},
      Field{32, 8, "TClass"},
      Field{40, 1, "Reversible"},
      Field{41, 7, "NumbPath"},
      Field{48, 16, "P_Key"},
      Field{64, 12, "QoSClass"},
      Field{76, 4, "SL"},
      Field{80, 2, "MTUSelector"},
      Field{82, 6, "MTU"},
      Field{88, 2, "RateSelector"},
      Field{90, 6, "Rate"},
      Field{96, 2, "PacketLifeTimeSelector"},
      Field{98, 6, "PacketLifeTime"},
      Field{104, 8, "ServiceID.msb"},
      Field{112, 2, "IndependenceSelector"},
      Field{120, 8, "SGIDCount"},
      Field{128, 8, "DGIDCount"},
      Field{136, 56, "ServiceID.lsb"},
  };
  /// Bits of the ComponentMask.
  enum Mask : unsigned {
    kRawTraffic,
    kReserved,
    kFlowLabel,
    kHopLimit,
    kTClass,
    kReversible,
    kNumbPath,
    kPKey,
    kQosClass,
    kSl,
    kMtuSelector,
    kMtu,
    kRateSelector,
    kRate,
    kLifeSelector,
    kLife,
    kServiceIdHigh,
    kIndependence,
    kReserved2,
    kSgidCount,
    kDgidCount,
    kServiceIdLow,
  };
};
using MultiPathRecord = SaRecord<MultiPathRecordFields, SaAttributeId::multi_path_record>;

/// One node on a path. Units: IDs are GUIDs of nodes, of systems and of ports; a port number is 0
/// if the path starts or ends in the node. Source: IBTA Vol 1, 15.2.5.19.
struct TraceRecordFields {
  static constexpr std::size_t kBytes = 46;
  static constexpr std::array kFields{
      Field{0, 64, "GIDPrefix"},    Field{64, 16, "IDGeneration"}, Field{88, 8, "NodeType"},
      Field{96, 64, "NodeID"},      Field{160, 64, "ChassisID"},   Field{224, 64, "EntryPortID"},
      Field{288, 64, "ExitPortID"}, Field{352, 8, "EntryPort"},    Field{360, 8, "ExitPort"},
  };
};
using TraceRecord = SaRecord<TraceRecordFields, SaAttributeId::trace_record>;

}  // namespace mad
