#pragma once
#include "mad/attribute.h"

namespace mad {

/// Diagnostic data of a vendor's choice, chained by indexes: next_index() 0 ends the chain.
/// Source: IBTA Vol 1, 14.2.5.14. No modifier builder: which bits select index and port is not
/// confirmed yet.
class VendorDiag : public Attribute<VendorDiag, AttributeId::vendor_diag> {
 public:
  static constexpr unsigned kDataBytes = 62;
  static constexpr auto kFields = joined(
      std::array{
          Field{0, 16, "NextIndex"},
      },
      repeated<kDataBytes>(16, 8, "DiagData"));
  using WireRecord::WireRecord;

  constexpr std::uint16_t next_index() const { return get<std::uint16_t, "NextIndex">(); }
  constexpr void set_next_index(std::uint16_t value) { set<"NextIndex">(value); }
  constexpr std::span<const std::uint8_t, kDataBytes> data() const { return bytes().subspan<2>(); }
};

}  // namespace mad
