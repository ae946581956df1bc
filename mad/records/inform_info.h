#pragma once
#include "mad/sa_attribute.h"

namespace mad {

/// A subscription to notices. Shape: with is_generic, trap_number and producer_type select notices;
/// else the same bits are a device and a vendor. Units: if the GID is zero, the range of LIDs
/// selects; 0xFFFF and 0xFFFFFF mean all. Source: IBTA Vol 1, 13.4.8.3.
class InformInfo : public SaRecord<InformInfo, SaAttributeId::inform_info, 36> {
 public:
  static constexpr std::uint16_t kAll = 0xFFFF;
  static constexpr std::uint32_t kAllProducers = 0xFFFFFF;
  static constexpr std::array kFields{
      Field{0, 64, "GID.prefix"},      Field{64, 64, "GID.guid"},
      Field{128, 16, "LIDRangeBegin"}, Field{144, 16, "LIDRangeEnd"},
      Field{176, 8, "IsGeneric"},      Field{184, 8, "Subscribe"},
      Field{192, 16, "Type"},          Field{208, 16, "TrapNumber"},
      Field{224, 24, "QPN"},           Field{251, 5, "RespTimeValue"},
      Field{264, 24, "ProducerType"},
  };
  using WireRecord::WireRecord;

  constexpr Gid gid() const { return get_gid<"GID.prefix", "GID.guid">(); }
  constexpr void set_gid(Gid value) { set_gid_at<"GID.prefix", "GID.guid">(value); }
  constexpr Lid lid_range_begin() const { return get<Lid, "LIDRangeBegin">(); }
  constexpr void set_lid_range_begin(Lid value) { set<"LIDRangeBegin">(value); }
  constexpr Lid lid_range_end() const { return get<Lid, "LIDRangeEnd">(); }
  constexpr void set_lid_range_end(Lid value) { set<"LIDRangeEnd">(value); }
  constexpr std::uint8_t is_generic() const { return get<std::uint8_t, "IsGeneric">(); }
  constexpr void set_is_generic(std::uint8_t value) { set<"IsGeneric">(value); }
  constexpr std::uint8_t subscribe() const { return get<std::uint8_t, "Subscribe">(); }
  constexpr void set_subscribe(std::uint8_t value) { set<"Subscribe">(value); }
  constexpr std::uint16_t type() const { return get<std::uint16_t, "Type">(); }
  constexpr void set_type(std::uint16_t value) { set<"Type">(value); }
  constexpr std::uint16_t trap_number() const { return get<std::uint16_t, "TrapNumber">(); }
  constexpr void set_trap_number(std::uint16_t value) { set<"TrapNumber">(value); }
  constexpr std::uint32_t qpn() const { return get<std::uint32_t, "QPN">(); }
  constexpr void set_qpn(std::uint32_t value) { set<"QPN">(value); }
  constexpr std::uint8_t resp_time_value() const { return get<std::uint8_t, "RespTimeValue">(); }
  constexpr void set_resp_time_value(std::uint8_t value) { set<"RespTimeValue">(value); }
  constexpr std::uint32_t producer_type() const { return get<std::uint32_t, "ProducerType">(); }
  constexpr void set_producer_type(std::uint32_t value) { set<"ProducerType">(value); }
};

/// A record of a subscription: the subscriber's GID, the subscription's number, the InformInfo.
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
