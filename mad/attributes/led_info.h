#pragma once
#include "mad/attribute.h"

namespace mad {

/// The LED of one port; for ports with capability::kLedInfo. The modifier is the port.
/// Source: IBTA Vol 1, 14.2.5.15.
class LedInfo : public Attribute<LedInfo, AttributeId::led_info> {
 public:
  static constexpr std::array kFields{
      Field{0, 1, "LedMask"},
  };
  static constexpr std::uint32_t modifier(PortNum port) { return port.value; }
  using WireRecord::WireRecord;

  constexpr bool led_mask() const { return get<bool, "LedMask">(); }
  constexpr void set_led_mask(bool on) { set<"LedMask">(on); }
};

}  // namespace mad
