#pragma once
// Notices about packets to vports.

#include <algorithm>
#include <array>
#include <span>

#include "mad/attributes/notice.h"
#include "mad/attributes/virtualization.h"

namespace mad {

/// NVIDIA's traps 1257 and 1258: a packet went from lid1 to lid2 with a P_Key, or Q_Key, that the
/// vport at `vport_index` does not have. A P_Key is in the low 16 bits of `key`. They are traps 257
/// and 258 with an index. Source: NVIDIA's OpenSM.
template <std::uint16_t kNumber>
class VPortBadKeyNotice : public VendorNoticeBase<VPortBadKeyNotice<kNumber>> {
 public:
  using Base = VendorNoticeBase<VPortBadKeyNotice<kNumber>>;
  static constexpr std::uint16_t kVendorTrap = kNumber;
  static constexpr auto kFields = joined(Base::kHeaderFields, [] {
    constexpr std::size_t kHeader = BadKeyNotice::kHeaderFields.size();
    std::array<Field, BadKeyNotice::kFields.size() - kHeader + 1> fields{};
    std::ranges::copy(std::span(BadKeyNotice::kFields).subspan(kHeader), fields.begin());
    fields.back() = {480, 16, "VPortIndex"};
    return fields;
  }());
  using Base::Base;

  constexpr Lid lid1() const { return this->template get<Lid, "LID1">(); }
  constexpr void set_lid1(Lid value) { this->template set<"LID1">(value); }
  constexpr Lid lid2() const { return this->template get<Lid, "LID2">(); }
  constexpr void set_lid2(Lid value) { this->template set<"LID2">(value); }
  constexpr std::uint32_t key() const { return this->template get<std::uint32_t, "Key">(); }
  constexpr void set_key(std::uint32_t value) { this->template set<"Key">(value); }
  constexpr Sl sl() const { return this->template get<Sl, "SL">(); }
  constexpr void set_sl(Sl value) { this->template set<"SL">(value); }
  constexpr std::uint16_t vport_index() const {
    return this->template get<std::uint16_t, "VPortIndex">();
  }
  constexpr void set_vport_index(std::uint16_t value) { this->template set<"VPortIndex">(value); }
};
using VPortBadPKeyNotice = VPortBadKeyNotice<1257>;
using VPortBadQKeyNotice = VPortBadKeyNotice<1258>;

}  // namespace mad
