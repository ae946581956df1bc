#pragma once
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

}  // namespace mad
