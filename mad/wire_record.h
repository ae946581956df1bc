#pragma once
// The base of attributes of subnet management and records of subnet administration: a value that
// owns its wire bytes. It keeps the bytes as they were read. Getters decode on access, setters
// change only their field, so that a read-modify-write keeps reserved bits and unknown fields.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "mad/field.h"
#include "mad/ids.h"

namespace mad {

inline constexpr std::size_t kAttributeBytes = 64;

/// `size` bytes in wire order, all zero at first, without padding; any bytes are a valid object.
/// Shape:  `Self` has `static constexpr std::array kFields`, the fields by offset. It is a class
/// that derives from this one, or only a table of fields. `id` is the AttributeID of its class.
/// Units:  get() returns host order and does not check values: the caller checks ranges.
template <class Self, auto id, std::size_t size>
class WireRecord {
 public:
  static constexpr auto kId = id;
  static constexpr std::size_t kBytes = size;

  // NOLINTBEGIN(bugprone-crtp-constructor-accessibility): private ones could not be inherited by a
  // using-declaration
  constexpr WireRecord() = default;
  explicit constexpr WireRecord(std::span<const std::uint8_t, size> wire) {
    std::copy(wire.begin(), wire.end(), wire_.begin());
  }
  // NOLINTEND(bugprone-crtp-constructor-accessibility)

  constexpr std::span<const std::uint8_t, size> bytes() const { return wire_; }
  constexpr std::span<std::uint8_t, size> bytes() { return wire_; }
  constexpr bool operator==(const WireRecord&) const = default;

  /// Returns the field called `name`, for read() and write() of mad/field.h.
  template <FieldName name>
  static consteval Field field() {
    return find_field(Self::kFields, name.view());
  }
  template <class T, FieldName name>
  constexpr T get() const {
    return get_field<T, Self, name>(wire_);
  }
  template <FieldName name, class T>
  constexpr void set(T value) {
    set_field<Self, name>(std::span<std::uint8_t>(wire_), value);
  }
  /// A GID is two consecutive fields of kFields.
  template <FieldName prefix, FieldName guid>
  constexpr Gid get_gid() const {
    return {get<std::uint64_t, prefix>(), get<Guid, guid>()};
  }
  template <FieldName prefix, FieldName guid>
  constexpr void set_gid_at(Gid value) {
    set<prefix>(value.prefix);
    set<guid>(value.guid);
  }
  /// Copies the 64 bytes of an attribute of subnet management into the record from byte `at` on,
  /// truncated at the end of the record.
  template <std::size_t at>
  constexpr void set_attribute(std::span<const std::uint8_t, kAttributeBytes> attribute) {
    std::copy_n(attribute.begin(), std::min(kAttributeBytes, kBytes - at), wire_.begin() + at);
  }

 protected:
  std::array<std::uint8_t, size> wire_{};
};

/// Returns the fields of an attribute of subnet management inside a record, shifted by `bits`.
template <std::size_t count>
constexpr std::array<Field, count> shifted(std::array<Field, count> fields, unsigned bits) {
  for (Field& field : fields) field.bit += bits;
  return fields;
}

}  // namespace mad
