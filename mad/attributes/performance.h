#pragma once
// Attributes of performance management (class 0x04), as tables of fields for get_field() and
// set_field(): 192 bytes of data after 64 bytes of headers. Source: IBTA Vol 1, 16.1.3 and 16.1.4.

#include "mad/field.h"
#include "mad/mad_header.h"

namespace mad {

inline constexpr std::uint8_t kPerformanceClassVersion = 1;

/// Performance and congestion control MADs have their data here.
inline constexpr std::size_t kGmpDataByte = 64, kGmpDataBytes = kMadBytes - kGmpDataByte;
template <class Byte>
constexpr std::span<Byte, kGmpDataBytes> gmp_data(BasicMadView<Byte> mad) {
  return mad.bytes().template subspan<kGmpDataByte, kGmpDataBytes>();
}

/// Ids are the class's own: 0x0012 is SwitchInfo in subnet management.
enum class PerformanceAttribute : std::uint16_t {
  class_port_info = 0x01,
  port_samples_control = 0x10,
  port_samples_result = 0x11,
  port_counters = 0x12,
  port_rcv_error_details = 0x15,
  port_xmit_discard_details = 0x16,
  port_counters_extended = 0x1D,
  port_xmit_data_sl = 0x36,
  port_rcv_data_sl = 0x37,
};

/// Bits of ClassPortInfo's masks in this class.
namespace performance_capability {
inline constexpr std::uint16_t kAllPortSelect = 0x0100, kExtendedWidth = 0x0200,
                               kExtendedWidthNoIetf = 0x0400, kSamplesOnly = 0x0800,
                               kPortCountersXmitWait = 0x1000,
                               kInhibitLimitedPKeyMulticast = 0x2000, kRsFec = 0x4000,
                               kQp1Drop = 0x8000;
inline constexpr std::uint32_t kPmKey = 0x1,
                               kAdditionalPortCountersExtended = 0x2;  // of CapabilityMask2
}  // namespace performance_capability

/// This PortSelect queries the sum of all ports, from agents with kAllPortSelect.
inline constexpr std::uint8_t kAllPorts = 0xFF;

/// Units: data count 4 bytes, waits count ticks. All counters saturate at their largest value.
struct PortCountersFields {
  static constexpr std::array kFields{
      Field{8, 8, "PortSelect"},
      Field{16, 16, "CounterSelect"},
      Field{32, 16, "SymbolErrorCounter"},
      Field{48, 8, "LinkErrorRecoveryCounter"},
      Field{56, 8, "LinkDownedCounter"},
      Field{64, 16, "PortRcvErrors"},
      Field{80, 16, "PortRcvRemotePhysicalErrors"},
      Field{96, 16, "PortRcvSwitchRelayErrors"},
      Field{112, 16, "PortXmitDiscards"},
      Field{128, 8, "PortXmitConstraintErrors"},
      Field{136, 8, "PortRcvConstraintErrors"},
      Field{144, 8, "CounterSelect2"},
      Field{152, 4, "LocalLinkIntegrityErrors"},
      Field{156, 4, "ExcessiveBufferOverrunErrors"},
      Field{160, 16, "QP1Dropped"},
      Field{176, 16, "VL15Dropped"},
      Field{192, 32, "PortXmitData"},
      Field{224, 32, "PortRcvData"},
      Field{256, 32, "PortXmitPkts"},
      Field{288, 32, "PortRcvPkts"},
      Field{320, 32, "PortXmitWait"},
  };
};

/// Agents with kAdditionalPortCountersExtended have the error counters.
struct PortCountersExtendedFields {
  static constexpr std::array kFields{
      Field{8, 8, "PortSelect"},
      Field{16, 16, "CounterSelect"},
      Field{32, 32, "CounterSelect2"},
      Field{64, 64, "PortXmitData"},
      Field{128, 64, "PortRcvData"},
      Field{192, 64, "PortXmitPkts"},
      Field{256, 64, "PortRcvPkts"},
      Field{320, 64, "PortUnicastXmitPkts"},
      Field{384, 64, "PortUnicastRcvPkts"},
      Field{448, 64, "PortMulticastXmitPkts"},
      Field{512, 64, "PortMulticastRcvPkts"},
      Field{576, 64, "SymbolErrorCounter"},
      Field{640, 64, "LinkErrorRecoveryCounter"},
      Field{704, 64, "LinkDownedCounter"},
      Field{768, 64, "PortRcvErrors"},
      Field{832, 64, "PortRcvRemotePhysicalErrors"},
      Field{896, 64, "PortRcvSwitchRelayErrors"},
      Field{960, 64, "PortXmitDiscards"},
      Field{1024, 64, "PortXmitConstraintErrors"},
      Field{1088, 64, "PortRcvConstraintErrors"},
      Field{1152, 64, "LocalLinkIntegrityErrors"},
      Field{1216, 64, "ExcessiveBufferOverrunErrors"},
      Field{1280, 64, "VL15Dropped"},
      Field{1344, 64, "PortXmitWait"},
      Field{1408, 64, "QP1Dropped"},
  };
};

/// Bit n of CounterSelect stands for the n-th counter in the attributes below. PortSelect and
/// CounterSelect have the same offsets as in PortCounters.
struct PortRcvErrorDetailsFields {
  static constexpr std::array kFields{
      Field{32, 16, "PortLocalPhysicalErrors"}, Field{48, 16, "PortMalformedPacketErrors"},
      Field{64, 16, "PortBufferOverrunErrors"}, Field{80, 16, "PortDLIDMappingErrors"},
      Field{96, 16, "PortVLMappingErrors"},     Field{112, 16, "PortLoopingErrors"},
  };
};
struct PortXmitDiscardDetailsFields {
  static constexpr std::array kFields{
      Field{32, 16, "PortInactiveDiscards"},
      Field{48, 16, "PortNeighborMTUDiscards"},
      Field{64, 16, "PortSwLifetimeLimitDiscards"},
      Field{80, 16, "PortSwHOQLifetimeLimitDiscards"},
  };
};
/// Data by SL, in units of 4 bytes.
struct PortXmitDataSlFields {
  static constexpr auto kFields = repeated<16>(32, 32, "PortXmitDataSL");
};
struct PortRcvDataSlFields {
  static constexpr auto kFields = repeated<16>(32, 32, "PortRcvDataSL");
};

}  // namespace mad
