#pragma once
#include "mad/sa_attribute.h"

namespace mad {

/// A service that is registered for a port.
/// Units: the lease in seconds; kForever means that it does not end.
/// Source: IBTA Vol 1, 15.2.5.14.
class ServiceRecord : public SaRecord<ServiceRecord, SaAttributeId::service_record, 176> {
 public:
  static constexpr std::size_t kKeyBytes = 16, kNameBytes = 64, kDataBytes = 64;
  static constexpr std::uint32_t kForever = 0xFFFFFFFF;
  static constexpr auto kFields = joined(
      std::array{
          Field{0, 64, "ServiceID"},
          Field{64, 64, "ServiceGID.prefix"},
          Field{128, 64, "ServiceGID.guid"},
          Field{192, 16, "ServiceP_Key"},
          Field{224, 32, "ServiceLease"},
      },
      repeated<2>(256, 64, "ServiceKey"), repeated<8>(384, 64, "ServiceName"),
      repeated<16>(896, 8, "ServiceData8"), repeated<8>(1024, 16, "ServiceData16"),
      repeated<4>(1152, 32, "ServiceData32"), repeated<2>(1280, 64, "ServiceData64"));
  /// Bits of the component mask; the data fields follow one by one.
  enum Mask : unsigned {
    kServiceId = 0,
    kServiceGid = 1,
    kPKey = 2,
    kLease = 4,
    kKey = 5,
    kName = 6,
    kData8 = 7,
    kData16 = 23,
    kData32 = 31,
    kData64 = 35
  };
  using WireRecord::WireRecord;

  constexpr std::uint64_t service_id() const { return get<std::uint64_t, "ServiceID">(); }
  constexpr void set_service_id(std::uint64_t value) { set<"ServiceID">(value); }
  constexpr Gid service_gid() const { return get_gid<"ServiceGID.prefix", "ServiceGID.guid">(); }
  constexpr void set_service_gid(Gid value) {
    set_gid_at<"ServiceGID.prefix", "ServiceGID.guid">(value);
  }
  constexpr PKey p_key() const { return get<PKey, "ServiceP_Key">(); }
  constexpr void set_p_key(PKey value) { set<"ServiceP_Key">(value); }
  constexpr std::uint32_t lease() const { return get<std::uint32_t, "ServiceLease">(); }
  constexpr void set_lease(std::uint32_t value) { set<"ServiceLease">(value); }
  constexpr std::span<const std::uint8_t, kKeyBytes> key() const {
    return bytes().subspan<32, kKeyBytes>();
  }
  constexpr std::span<std::uint8_t, kKeyBytes> key() { return bytes().subspan<32, kKeyBytes>(); }
  /// Returns the name: by convention text, with a zero byte at the end if it is shorter than 64.
  constexpr std::span<const std::uint8_t, kNameBytes> name() const {
    return bytes().subspan<48, kNameBytes>();
  }
  constexpr std::span<std::uint8_t, kNameBytes> name() { return bytes().subspan<48, kNameBytes>(); }
  /// Returns Data8, Data16, Data32 and Data64, 16 bytes each.
  constexpr std::span<const std::uint8_t, kDataBytes> data() const {
    return bytes().subspan<112, kDataBytes>();
  }
  constexpr std::span<std::uint8_t, kDataBytes> data() {
    return bytes().subspan<112, kDataBytes>();
  }
};

}  // namespace mad
