#pragma once
#include "mad/sa_attribute.h"

namespace mad {

/// A query for paths between any of several source and several destination GIDs, which follow it:
/// SGIDCount sources, then DGIDCount destinations. Units:  as in PathRecord. IndependenceSelector:
/// 0 any paths, 1 paths that fail independently of each other.
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

}  // namespace mad
