#pragma once
// The header of the reliable multi-packet protocol (IBTA Vol 1, 13.6.2), and the header of subnet
// administration that follows it (15.2.1).

#include <algorithm>

#include "mad/mad_header.h"

namespace mad {

inline constexpr std::uint8_t kRmppVersion = 1;
inline constexpr std::size_t kRmppHeaderEnd = 36;  // common MAD header and RMPP header
/// PayloadLength counts the bytes after the RMPP header, including the header of the class.
inline constexpr std::size_t kRmppPayloadBytes = kMadBytes - kRmppHeaderEnd;

/// IBTA Vol 1, 13.6.2.1.
enum class RmppType : std::uint8_t { none = 0, data = 1, ack = 2, stop = 3, abort = 4 };

namespace rmpp_flag {
inline constexpr std::uint8_t kActive = 1;
inline constexpr std::uint8_t kFirst = 2;
inline constexpr std::uint8_t kLast = 4;
}  // namespace rmpp_flag

/// RMPPStatus of STOP and ABORT (IBTA Vol 1, 13.6.2.3). STOP has only the first two values, ABORT
/// only the values from 118.
namespace rmpp_status {
inline constexpr std::uint8_t kOk = 0;
inline constexpr std::uint8_t kResourcesExhausted = 1;
inline constexpr std::uint8_t kTooLong = 118;            // total time
inline constexpr std::uint8_t kInconsistentLast = 119;   // Last and PayloadLength
inline constexpr std::uint8_t kInconsistentFirst = 120;  // First and SegmentNumber
inline constexpr std::uint8_t kBadType = 121;
inline constexpr std::uint8_t kWindowTooSmall = 122;  // NewWindowLast below SegmentNumber
inline constexpr std::uint8_t kSegmentTooBig = 123;   // SegmentNumber of an ACK
inline constexpr std::uint8_t kIllegalStatus = 124;
inline constexpr std::uint8_t kUnsupportedVersion = 125;
inline constexpr std::uint8_t kTooManyRetries = 126;
inline constexpr std::uint8_t kUnspecified = 127;
}  // namespace rmpp_status

/// Returns the bytes of the headers that every segment repeats; 0 for a class without RMPP.
constexpr std::size_t rmpp_header_bytes(MgmtClass mgmt_class) {
  const auto raw = to_raw(mgmt_class);
  if (mgmt_class == MgmtClass::sa) return 56;
  if (mgmt_class == MgmtClass::device || raw == 0x10 || raw == 0x12)
    return 64;                                // device administration, boot information
  if (raw >= 0x30 && raw <= 0x4F) return 40;  // vendors with an OUI
  return 0;
}

struct RmppFields {
  static constexpr std::array kFields{
      Field{192, 8, "RMPPVersion"},    Field{200, 8, "RMPPType"},   Field{208, 5, "RRespTime"},
      Field{213, 3, "RMPPFlags"},      Field{216, 8, "RMPPStatus"}, Field{224, 32, "Data1"},
      Field{224, 32, "SegmentNumber"}, Field{256, 32, "Data2"},     Field{256, 32, "PayloadLength"},
      Field{256, 32, "NewWindowLast"},
  };
};

/// A MAD of a class that has an RMPP header. Data1 and Data2 have their names of DATA and ACK.
template <class Byte>
class BasicRmppView : public BasicMadView<Byte> {
 public:
  using BasicMadView<Byte>::BasicMadView;
  using BasicMadView<Byte>::bytes;

  constexpr std::uint8_t rmpp_version() const { return get<std::uint8_t, "RMPPVersion">(); }
  constexpr void set_rmpp_version(std::uint8_t value) { set<"RMPPVersion">(value); }
  constexpr RmppType rmpp_type() const { return get<RmppType, "RMPPType">(); }
  constexpr void set_rmpp_type(RmppType value) { set<"RMPPType">(value); }
  constexpr std::uint8_t rmpp_flags() const { return get<std::uint8_t, "RMPPFlags">(); }
  constexpr void set_rmpp_flags(std::uint8_t value) { set<"RMPPFlags">(value); }
  constexpr bool is_rmpp_active() const { return (rmpp_flags() & rmpp_flag::kActive) != 0; }
  constexpr bool is_first() const { return (rmpp_flags() & rmpp_flag::kFirst) != 0; }
  constexpr bool is_last() const { return (rmpp_flags() & rmpp_flag::kLast) != 0; }
  constexpr std::uint8_t rmpp_status() const { return get<std::uint8_t, "RMPPStatus">(); }
  constexpr void set_rmpp_status(std::uint8_t value) { set<"RMPPStatus">(value); }
  constexpr std::uint32_t segment_number() const { return get<std::uint32_t, "SegmentNumber">(); }
  constexpr void set_segment_number(std::uint32_t value) { set<"SegmentNumber">(value); }
  constexpr std::uint32_t payload_length() const { return get<std::uint32_t, "PayloadLength">(); }
  constexpr void set_payload_length(std::uint32_t value) { set<"PayloadLength">(value); }
  constexpr std::uint32_t new_window_last() const { return get<std::uint32_t, "NewWindowLast">(); }
  constexpr void set_new_window_last(std::uint32_t value) { set<"NewWindowLast">(value); }

 private:
  template <class T, FieldName name>
  constexpr T get() const {
    return get_field<T, RmppFields, name>(bytes());
  }
  template <FieldName name, class T>
  constexpr void set(T value) {
    set_field<RmppFields, name>(bytes(), value);
  }
};

using RmppView = BasicRmppView<std::uint8_t>;
using ConstRmppView = BasicRmppView<const std::uint8_t>;

struct SaFields {
  static constexpr unsigned kDataByte = 56;
  static constexpr std::array kFields{Field{288, 64, "SM_Key"}, Field{352, 16, "AttributeOffset"},
                                      Field{384, 64, "ComponentMask"}};
};

/// A MAD of class subnet administration.
template <class Byte>
class BasicSaView : public BasicRmppView<Byte> {
 public:
  static constexpr std::size_t kDataBytes = kMadBytes - SaFields::kDataByte;
  using BasicRmppView<Byte>::BasicRmppView;
  using BasicRmppView<Byte>::bytes;

  constexpr std::uint64_t sm_key() const { return get<std::uint64_t, "SM_Key">(); }
  constexpr void set_sm_key(std::uint64_t value) { set<"SM_Key">(value); }
  /// Counts units of 8 bytes; 0 without records.
  constexpr std::uint16_t attribute_offset() const {
    return get<std::uint16_t, "AttributeOffset">();
  }
  constexpr void set_attribute_offset(std::uint16_t value) { set<"AttributeOffset">(value); }
  constexpr std::uint64_t component_mask() const { return get<std::uint64_t, "ComponentMask">(); }
  constexpr void set_component_mask(std::uint64_t value) { set<"ComponentMask">(value); }
  constexpr std::span<Byte, kDataBytes> data() const {
    return bytes().template subspan<SaFields::kDataByte, kDataBytes>();
  }

 private:
  template <class T, FieldName name>
  constexpr T get() const {
    return get_field<T, SaFields, name>(bytes());
  }
  template <FieldName name, class T>
  constexpr void set(T value) {
    set_field<SaFields, name>(bytes(), value);
  }
};

using SaView = BasicSaView<std::uint8_t>;
using ConstSaView = BasicSaView<const std::uint8_t>;

/// Overwrites `out` with an ACK, STOP or ABORT for the sender of `to`: its headers with bit R of
/// the method inverted, and the given RMPP fields. `out` and `to` must not overlap.
inline void write_rmpp_answer(std::span<std::uint8_t, kMadBytes> out, ConstRmppView to,
                              RmppType type, std::uint8_t status, std::uint32_t data1,
                              std::uint32_t data2) {
  const std::size_t header = std::max(rmpp_header_bytes(to.mgmt_class()), kRmppHeaderEnd);
  std::copy_n(to.bytes().begin(), header, out.begin());
  std::fill(out.begin() + static_cast<std::ptrdiff_t>(header), out.end(), std::uint8_t{0});
  RmppView answer(out);
  answer.set_method(static_cast<Method>(to_raw(to.method()) ^ kResponseBit));
  answer.set_rmpp_version(kRmppVersion);
  answer.set_rmpp_type(type);
  answer.set_rmpp_flags(rmpp_flag::kActive);
  answer.set_rmpp_status(status);
  answer.set_segment_number(data1);
  answer.set_new_window_last(data2);
}

}  // namespace mad
