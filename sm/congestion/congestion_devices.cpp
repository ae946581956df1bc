#include "sm/congestion/congestion_devices.h"

namespace sm {

std::string_view name(CongestionState state) {
  switch (state) {
    case CongestionState::pending:
      return "pending";
    case CongestionState::configured:
      return "configured";
    case CongestionState::unsupported:
      return "unsupported";
    case CongestionState::refused:
      return "refused";
    case CongestionState::other_key:
      return "other_key";
    case CongestionState::silent:
      return "silent";
  }
  return "";
}

std::string_view name(mad::CongestionControlAttribute attribute) {
  using Attribute = mad::CongestionControlAttribute;
  switch (attribute) {
    case Attribute::class_port_info:
      return "ClassPortInfo";
    case Attribute::congestion_info:
      return "CongestionInfo";
    case Attribute::congestion_key_info:
      return "CongestionKeyInfo";
    case Attribute::congestion_log:
      return "CongestionLog";
    case Attribute::switch_congestion_setting:
      return "SwitchCongestionSetting";
    case Attribute::switch_port_congestion_setting:
      return "SwitchPortCongestionSetting";
    case Attribute::ca_congestion_setting:
      return "CACongestionSetting";
    case Attribute::congestion_control_table:
      return "CongestionControlTable";
    case Attribute::time_stamp:
      return "TimeStamp";
  }
  return "an attribute";
}

}  // namespace sm
