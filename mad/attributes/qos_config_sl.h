#pragma once
#include "mad/attribute.h"

namespace mad {

/// Share of the bandwidth and limit of the rate of every SL, at a port or a vport.
/// Source: NVIDIA (id 0xFF82), no clause of the IBTA. The units are not confirmed.
class QosConfigSl : public Attribute<QosConfigSl, AttributeId::qos_config_sl> {
 public:
  static constexpr unsigned kEntries = 16;
  static constexpr auto kFields = [] {
    std::array<Field, std::size_t{2} * kEntries> out{};
    for (unsigned sl = 0; sl < kEntries; ++sl) {
      out[2 * sl] = {32 * sl, 12, "BWAlloc"};
      out[2 * sl + 1] = {32 * sl + 12, 20, "RateLimit"};
    }
    return out;
  }();
  static constexpr std::uint32_t kVPort =
      1u << 31;  // of the modifier: the rest is the index of a vport
  static constexpr std::uint32_t vport_modifier(std::uint16_t index) { return kVPort | index; }
  using WireRecord::WireRecord;

  struct Entry {
    std::uint16_t bw_alloc = 0;
    std::uint32_t rate_limit = 0;
    bool operator==(const Entry&) const = default;
  };
  constexpr Entry entry(Sl sl) const {
    return {static_cast<std::uint16_t>(read(wire_, kFields[2u * sl.value])),
            static_cast<std::uint32_t>(read(wire_, kFields[2u * sl.value + 1]))};
  }
  constexpr void set_entry(Sl sl, const Entry& entry) {
    write(wire_, kFields[2u * sl.value], entry.bw_alloc);
    write(wire_, kFields[2u * sl.value + 1], entry.rate_limit);
  }
};

}  // namespace mad
