#pragma once
#include "mad/records/inform_info.h"

namespace mad {

/// A subscription: the subscriber's GID, its number, the InformInfo.
/// Source: IBTA Vol 1, 15.2.5.12.
class InformInfoRecord : public SaRecord<InformInfoRecord, SaAttributeId::inform_info_record, 60> {
 public:
  static constexpr std::size_t kInformInfoByte = 24;
  static constexpr std::array kFields{Field{0, 64, "SubscriberGID.prefix"},
                                      Field{64, 64, "SubscriberGID.guid"}, Field{128, 16, "Enum"}};
  /// Bits of the component mask.
  enum Mask : unsigned {
    kSubscriberGid = 0,
    kEnum = 1,
    kGid = 3,
    kLidRangeBegin = 4,
    kLidRangeEnd = 5,
    kIsGeneric = 7,
    kSubscribe = 8,
    kType = 9,
    kTrapNumber = 10,
    kQpn = 11,
    kRespTimeValue = 13,
    kProducerType = 15,
  };
  using WireRecord::WireRecord;

  constexpr Gid subscriber_gid() const {
    return get_gid<"SubscriberGID.prefix", "SubscriberGID.guid">();
  }
  constexpr void set_subscriber_gid(Gid value) {
    set_gid_at<"SubscriberGID.prefix", "SubscriberGID.guid">(value);
  }
  constexpr std::uint16_t enumeration() const { return get<std::uint16_t, "Enum">(); }
  constexpr void set_enumeration(std::uint16_t value) { set<"Enum">(value); }
  constexpr InformInfo inform_info() const {
    return InformInfo(bytes().subspan<kInformInfoByte, InformInfo::kBytes>());
  }
  constexpr void set_inform_info(const InformInfo& value) {
    std::copy(value.bytes().begin(), value.bytes().end(), wire_.begin() + kInformInfoByte);
  }
};

}  // namespace mad
