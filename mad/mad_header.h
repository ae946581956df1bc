#pragma once
// The 24 bytes at the start of every MAD (IBTA Vol 1, 13.4.3), read and written in place.

#include <concepts>

#include "mad/attribute.h"

namespace mad {

inline constexpr std::size_t kMadBytes = 256;
inline constexpr std::size_t kMadHeaderBytes = 24;
inline constexpr std::uint8_t kBaseVersion = 1;
inline constexpr std::uint8_t kSmpClassVersion = 1;

struct MadHeaderFields {
  static constexpr std::array kFields{
      Field{0, 8, "BaseVersion"},
      Field{8, 8, "MgmtClass"},
      Field{16, 8, "ClassVersion"},
      Field{24, 8, "Method"},
      Field{32, 16, "Status"},
      Field{48, 16, "ClassSpecific"},
      Field{64, 64, "TransactionID"},
      Field{128, 16, "AttributeID"},
      Field{160, 32, "AttributeModifier"},
  };
};

/// A view: the 256 bytes must outlive it. `Byte` is std::uint8_t, or const std::uint8_t for a
/// read-only view. Method includes the R bit (Method::get_resp is 0x81); status() includes the D
/// bit of a directed-route SMP, see SmpView.
template <class Byte>
class BasicMadView {
 public:
  explicit constexpr BasicMadView(std::span<Byte, kMadBytes> bytes) : bytes_(bytes) {}
  constexpr std::span<Byte, kMadBytes> bytes() const { return bytes_; }

  constexpr std::uint8_t base_version() const { return get<std::uint8_t, "BaseVersion">(); }
  constexpr void set_base_version(std::uint8_t value) { set<"BaseVersion">(value); }
  constexpr MgmtClass mgmt_class() const { return get<MgmtClass, "MgmtClass">(); }
  constexpr void set_mgmt_class(MgmtClass value) { set<"MgmtClass">(value); }
  constexpr std::uint8_t class_version() const { return get<std::uint8_t, "ClassVersion">(); }
  constexpr void set_class_version(std::uint8_t value) { set<"ClassVersion">(value); }
  constexpr Method method() const { return get<Method, "Method">(); }
  constexpr void set_method(Method value) { set<"Method">(value); }
  constexpr std::uint16_t status() const { return get<std::uint16_t, "Status">(); }
  constexpr void set_status(std::uint16_t value) { set<"Status">(value); }
  constexpr std::uint64_t transaction_id() const { return get<std::uint64_t, "TransactionID">(); }
  constexpr void set_transaction_id(std::uint64_t value) { set<"TransactionID">(value); }
  constexpr AttributeId attribute_id() const { return get<AttributeId, "AttributeID">(); }
  constexpr void set_attribute_id(AttributeId value) { set<"AttributeID">(value); }
  constexpr std::uint32_t attribute_modifier() const {
    return get<std::uint32_t, "AttributeModifier">();
  }
  constexpr void set_attribute_modifier(std::uint32_t value) { set<"AttributeModifier">(value); }
  /// True for a subnet management packet: on QP 0, by LID or by directed route.
  constexpr bool is_smp() const {
    return mgmt_class() == MgmtClass::sm_lid || mgmt_class() == MgmtClass::sm_directed;
  }
  constexpr bool is_response() const {
    return (to_raw(method()) & kResponseBit) != 0 || method() == Method::trap_repress;
  }

 private:
  template <class T, FieldName name>
  constexpr T get() const {
    return get_field<T, MadHeaderFields, name>(bytes_);
  }
  template <FieldName name, class T>
  constexpr void set(T value) {
    set_field<MadHeaderFields, name>(bytes_, value);
  }
  std::span<Byte, kMadBytes> bytes_;
};

using MadView = BasicMadView<std::uint8_t>;
using ConstMadView = BasicMadView<const std::uint8_t>;

}  // namespace mad
