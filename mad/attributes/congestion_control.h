#pragma once
// Attributes of congestion control (class 0x21), as tables of fields for get_field() and
// set_field(). The CC_Key follows the header, the log is at byte 32, all other data at byte 64.
// Source: IBTA Vol 1, annex A10.

#include "mad/attributes/performance.h"

namespace mad {

inline constexpr std::uint8_t kCongestionControlClassVersion = 2;

enum class CongestionControlAttribute : std::uint16_t {
  class_port_info = 0x01,
  congestion_info = 0x11,
  congestion_key_info = 0x12,
  congestion_log = 0x13,
  switch_congestion_setting = 0x14,
  switch_port_congestion_setting = 0x15,
  ca_congestion_setting = 0x16,
  congestion_control_table = 0x17,
  time_stamp = 0x18,
};

/// These fields follow the common MAD header; offsets count from the start of the MAD.
struct CongestionControlHeaderFields {
  static constexpr std::array kFields{Field{192, 64, "CC_Key"}};
};
inline constexpr std::size_t kCongestionLogByte = 32,
                             kCongestionLogBytes = kMadBytes - kCongestionLogByte;

/// ControlTableCap counts blocks of 64 entries.
struct CongestionInfoFields {
  static constexpr std::array kFields{Field{0, 16, "CongestionInfo"},
                                      Field{16, 8, "ControlTableCap"}};
};
struct CongestionKeyInfoFields {
  static constexpr std::array kFields{Field{0, 64, "CC_Key"}, Field{64, 1, "CC_KeyProtectBit"},
                                      Field{80, 16, "CC_KeyLeasePeriod"},
                                      Field{96, 16, "CC_KeyViolations"}};
};
/// VictimMask and CreditMask are 256 bits each, at bytes 4 and 36.
struct SwitchCongestionSettingFields {
  static constexpr std::array kFields{
      Field{0, 32, "ControlMap"},   Field{544, 4, "Threshold"},      Field{552, 8, "PacketSize"},
      Field{560, 4, "CSThreshold"}, Field{576, 16, "CSReturnDelay"}, Field{592, 16, "MarkingRate"},
  };
};
/// One port of a block of SwitchPortCongestionSetting; element n at byte 4 * n. The modifier is the
/// block.
struct SwitchPortCongestionElementFields {
  static constexpr unsigned kElements = 32;
  static constexpr std::array kFields{Field{0, 1, "Valid"}, Field{1, 1, "ControlType"},
                                      Field{4, 4, "Threshold"}, Field{8, 8, "PacketSize"},
                                      Field{16, 16, "MarkingRate"}};
};
struct CaCongestionSettingFields {
  static constexpr std::array kFields{Field{0, 16, "PortControl"}, Field{16, 16, "ControlMap"}};
};
/// Settings of one SL, SL n at byte 4 + 8 * n of CACongestionSetting.
struct CaCongestionEntryFields {
  static constexpr std::array kFields{Field{0, 16, "CCTITimer"}, Field{16, 8, "CCTIIncrease"},
                                      Field{24, 8, "TriggerThreshold"}, Field{32, 8, "CCTIMin"}};
};
/// A block of 64 entries, entry n at byte 4 + 2 * n. The modifier is the block.
struct CongestionControlTableFields {
  static constexpr unsigned kEntries = 64;
  static constexpr std::array kFields{Field{0, 16, "CCTILimit"}};
};
struct CongestionControlTableEntryFields {
  static constexpr std::array kFields{Field{0, 2, "Shift"}, Field{2, 14, "Multiplier"}};
};
/// Time stamps count units of 1.024 us.
struct CongestionTimeStampFields {
  static constexpr std::array kFields{Field{0, 32, "TimeStamp"}};
};
struct SwitchCongestionLogFields {
  static constexpr std::uint8_t kLogType = 1;
  static constexpr std::array kFields{Field{0, 8, "LogType"}, Field{8, 8, "CongestionFlags"},
                                      Field{16, 16, "EventCounter"},
                                      Field{32, 32, "CurrentTimeStamp"}};
};
/// The fields of the events are not confirmed.
struct CaCongestionLogFields {
  static constexpr std::uint8_t kLogType = 2;
  static constexpr std::array kFields{Field{0, 8, "LogType"}, Field{8, 8, "CongestionFlags"},
                                      Field{16, 16, "EventCounter"}, Field{32, 16, "EventMap"},
                                      Field{64, 32, "CurrentTimeStamp"}};
};

}  // namespace mad
