#pragma once
#include "mad/attribute.h"

namespace mad {

enum class SmState : std::uint8_t { not_active = 0, discovering = 1, standby = 2, master = 3 };

constexpr std::string_view name(SmState state) {
  switch (state) {
    case SmState::not_active:
      return "NotActive";
    case SmState::discovering:
      return "Discovering";
    case SmState::standby:
      return "Standby";
    case SmState::master:
      return "Master";
  }
  return "";
}

/// The modifier of a Set(SMInfo) is the control packet's type (IBTA Vol 1, 14.4.1).
enum class SmControl : std::uint32_t {
  handover = 1,
  acknowledge = 2,
  disable = 3,
  standby = 4,
  discover = 5
};

constexpr std::string_view name(SmControl control) {
  switch (control) {
    case SmControl::handover:
      return "HANDOVER";
    case SmControl::acknowledge:
      return "ACKNOWLEDGE";
    case SmControl::disable:
      return "DISABLE";
    case SmControl::standby:
      return "STANDBY";
    case SmControl::discover:
      return "DISCOVER";
  }
  return "";
}

/// Holds the state and priority of an SM. A Get has modifier 0, a Set has a SmControl.
/// Units: priority is 0..15; the higher priority wins, then the lower GUID. act_count grows while
/// the SM runs. Source: IBTA Vol 1, 14.2.5.13.
class SmInfo : public Attribute<SmInfo, AttributeId::sm_info> {
 public:
  static constexpr std::array kFields{
      Field{0, 64, "GUID"},      Field{64, 64, "SM_Key"},  Field{128, 32, "ActCount"},
      Field{160, 4, "Priority"}, Field{164, 4, "SMState"},
  };
  static constexpr std::uint32_t modifier(SmControl control) {
    return static_cast<std::uint32_t>(control);
  }
  using WireRecord::WireRecord;

  constexpr Guid guid() const { return get<Guid, "GUID">(); }
  constexpr void set_guid(Guid value) { set<"GUID">(value); }
  constexpr std::uint64_t sm_key() const { return get<std::uint64_t, "SM_Key">(); }
  constexpr void set_sm_key(std::uint64_t value) { set<"SM_Key">(value); }
  constexpr std::uint32_t act_count() const { return get<std::uint32_t, "ActCount">(); }
  constexpr void set_act_count(std::uint32_t value) { set<"ActCount">(value); }
  constexpr std::uint8_t priority() const { return get<std::uint8_t, "Priority">(); }
  constexpr void set_priority(std::uint8_t value) { set<"Priority">(value); }
  constexpr SmState sm_state() const { return get<SmState, "SMState">(); }
  constexpr void set_sm_state(SmState value) { set<"SMState">(value); }
};

}  // namespace mad
