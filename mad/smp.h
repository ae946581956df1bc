#pragma once
// Subnet management packets (IBTA Vol 1, 14.2.1): views over their 256 bytes, and builders of
// requests and responses.

#include "mad/directed_route.h"
#include "mad/mad_header.h"

namespace mad {

struct SmpFields {
  static constexpr unsigned kDataByte = 64;
  static constexpr unsigned kInitialPathByte = 128;
  static constexpr unsigned kReturnPathByte = 192;
  static constexpr auto kFields = joined(
      std::array{
          Field{32, 1, "D"},
          Field{33, 15, "DirectedStatus"},
          Field{48, 8, "HopPointer"},
          Field{56, 8, "HopCount"},
          Field{192, 64, "M_Key"},
          Field{256, 16, "DrSLID"},
          Field{272, 16, "DrDLID"},
      },
      repeated<64>(kDataByte * 8, 8, "Data"), repeated<64>(kInitialPathByte * 8, 8, "InitialPath"),
      repeated<64>(kReturnPathByte * 8, 8, "ReturnPath"));
};

/// A MAD of one of the two SMP classes. The second half of the accessors is for directed-route SMPs
/// only; a LID-routed SMP has zeroes there, and `status` instead of D.
template <class Byte>
class BasicSmpView : public BasicMadView<Byte> {
  using Mad = BasicMadView<Byte>;

 public:
  using Mad::bytes;
  using Mad::Mad;
  /// Converts a mutable view to a const one.
  constexpr operator BasicSmpView<const std::uint8_t>()
      const  // NOLINT(google-explicit-constructor)
    requires(!std::is_const_v<Byte>)
  {
    return BasicSmpView<const std::uint8_t>(bytes());
  }

  constexpr bool is_directed() const { return Mad::mgmt_class() == MgmtClass::sm_directed; }
  /// Returns the status, without the D bit if this is a directed-route SMP.
  constexpr std::uint16_t status() const {
    return is_directed() ? get<std::uint16_t, "DirectedStatus">() : Mad::status();
  }
  constexpr void set_status(std::uint16_t value) {
    if (is_directed())
      set<"DirectedStatus">(value);
    else
      Mad::set_status(value);
  }
  constexpr MKey m_key() const { return get<MKey, "M_Key">(); }
  constexpr void set_m_key(MKey value) { set<"M_Key">(value); }
  constexpr std::span<Byte, kAttributeBytes> data() const {
    return bytes().template subspan<SmpFields::kDataByte, kAttributeBytes>();
  }
  constexpr void set_data(std::span<const std::uint8_t, kAttributeBytes> value) {
    std::copy(value.begin(), value.end(), data().begin());
  }

  // The accessors from here on are for directed-route SMPs only.
  /// The D bit: false in a request, true in a response.
  constexpr bool is_returning() const { return get<bool, "D">(); }
  constexpr void set_returning(bool value) { set<"D">(value); }
  constexpr std::uint8_t hop_pointer() const { return get<std::uint8_t, "HopPointer">(); }
  constexpr void set_hop_pointer(std::uint8_t value) { set<"HopPointer">(value); }
  constexpr std::uint8_t hop_count() const { return get<std::uint8_t, "HopCount">(); }
  constexpr void set_hop_count(std::uint8_t value) { set<"HopCount">(value); }
  constexpr Lid dr_slid() const { return get<Lid, "DrSLID">(); }
  constexpr void set_dr_slid(Lid value) { set<"DrSLID">(value); }
  constexpr Lid dr_dlid() const { return get<Lid, "DrDLID">(); }
  constexpr void set_dr_dlid(Lid value) { set<"DrDLID">(value); }
  constexpr std::span<Byte, DirectedRoute::kPathBytes> initial_path() const {
    return bytes().template subspan<SmpFields::kInitialPathByte, DirectedRoute::kPathBytes>();
  }
  constexpr std::span<Byte, DirectedRoute::kPathBytes> return_path() const {
    return bytes().template subspan<SmpFields::kReturnPathByte, DirectedRoute::kPathBytes>();
  }
  /// Returns InitialPath as a value, or nullopt if hop_count() exceeds its length.
  constexpr std::optional<DirectedRoute> route() const {
    if (hop_count() > DirectedRoute::kHopsMax) return std::nullopt;
    return DirectedRoute::of(std::span<const std::uint8_t>(initial_path()).subspan(1, hop_count()));
  }

 private:
  template <class T, FieldName name>
  constexpr T get() const {
    return get_field<T, SmpFields, name>(bytes());
  }
  template <FieldName name, class T>
  constexpr void set(T value) {
    set_field<SmpFields, name>(bytes(), value);
  }
};

using SmpView = BasicSmpView<std::uint8_t>;
using ConstSmpView = BasicSmpView<const std::uint8_t>;

/// Overwrites all 256 bytes with a LID-routed request whose data is zero; SmpView(out).set_data()
/// fills it.
constexpr SmpView make_lid_smp(std::span<std::uint8_t, kMadBytes> out, Method method,
                               AttributeId attribute, std::uint32_t modifier, MKey m_key,
                               std::uint64_t transaction_id) {
  std::fill(out.begin(), out.end(), std::uint8_t{0});
  SmpView smp(out);
  smp.set_base_version(kBaseVersion);
  smp.set_mgmt_class(MgmtClass::sm_lid);
  smp.set_class_version(kSmpClassVersion);
  smp.set_method(method);
  smp.set_transaction_id(transaction_id);
  smp.set_attribute_id(attribute);
  smp.set_attribute_modifier(modifier);
  smp.set_m_key(m_key);
  return smp;
}

/// Makes a request of pure directed route, without a LID-routed part. Source: IBTA Vol 1, 14.2.2.1:
/// HopPointer 0, both DR LIDs permissive.
constexpr SmpView make_dr_smp(std::span<std::uint8_t, kMadBytes> out, Method method,
                              AttributeId attribute, std::uint32_t modifier,
                              const DirectedRoute& route, MKey m_key,
                              std::uint64_t transaction_id) {
  SmpView smp = make_lid_smp(out, method, attribute, modifier, m_key, transaction_id);
  smp.set_mgmt_class(MgmtClass::sm_directed);
  smp.set_hop_count(route.hop_count());
  smp.set_dr_slid(kPermissiveLid);
  smp.set_dr_dlid(kPermissiveLid);
  std::copy(route.path().begin(), route.path().end(), smp.initial_path().begin());
  return smp;
}

/// Turns a received request into its response, in place: Get and Set into GetResp, Trap into
/// TrapRepress (modifier 0). The data, the transaction id and the M_Key stay: the caller writes
/// data for a Get and the issuer's M_Key for a TrapRepress. In a directed-route response D is set.
/// HopPointer stays as delivered, which is the start of the return path (the kernel leaves it after
/// the last hop; ibsim accepts only its own value). The DR LIDs keep their meaning on the return
/// path (source and destination of the request), so they stay.
/// Errors: returns false and changes nothing if the MAD is no SMP, no request, already returning,
/// or has more hops than a path holds. Source: IBTA Vol 1, 13.4.5, 14.2.2.
constexpr bool make_response(SmpView smp, std::uint16_t status = status::kOk) {
  const Method method = smp.method();
  if (!smp.is_directed() && smp.mgmt_class() != MgmtClass::sm_lid) return false;
  if (method != Method::get && method != Method::set && method != Method::trap) return false;
  if (smp.is_directed() && (smp.is_returning() || smp.hop_count() > DirectedRoute::kHopsMax))
    return false;
  smp.set_method(method == Method::trap ? Method::trap_repress : Method::get_resp);
  if (method == Method::trap) smp.set_attribute_modifier(0);
  smp.set_status(status);
  if (smp.is_directed()) smp.set_returning(true);
  return true;
}

}  // namespace mad
