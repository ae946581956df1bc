#pragma once
#include "mad/attributes/guid_info.h"
#include "mad/sa_attribute.h"

namespace mad {

/// A block of a port's GUID table.
/// Source: IBTA Vol 1, 15.2.5.18.
class GuidInfoRecord : public SaRecord<GuidInfoRecord, SaAttributeId::guid_info_record, 72> {
 public:
  static constexpr std::size_t kGuidInfoByte = 8;
  static constexpr auto kFields = joined(std::array{Field{0, 16, "LID"}, Field{16, 8, "BlockNum"}},
                                         repeated<GuidInfo::kEntries>(64, 64, "GUID"));
  /// Bits of the component mask; kGuid0 + n is entry n.
  enum Mask : unsigned { kLid = 0, kBlockNum = 1, kGuid0 = 4 };
  using WireRecord::WireRecord;

  constexpr Lid lid() const { return get<Lid, "LID">(); }
  constexpr void set_lid(Lid value) { set<"LID">(value); }
  constexpr std::uint8_t block() const { return get<std::uint8_t, "BlockNum">(); }
  constexpr void set_block(std::uint8_t value) { set<"BlockNum">(value); }
  constexpr GuidInfo guid_info() const {
    GuidInfo out;
    std::copy_n(wire_.begin() + kGuidInfoByte, kAttributeBytes, out.bytes().begin());
    return out;
  }
  constexpr void set_guid_info(const GuidInfo& value) {
    std::copy(value.bytes().begin(), value.bytes().end(), wire_.begin() + kGuidInfoByte);
  }
};

}  // namespace mad
