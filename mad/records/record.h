#pragma once
// What all records of subnet administration share: a value that owns its wire bytes, with the
// specification's field names.

#include <array>
#include <cstdint>
#include <span>

#include "mad/attribute.h"
#include "mad/field_access.h"
#include "mad/records/wire_bytes.h"

namespace mad {

/// A record by value, all zero at first; any bytes are a valid one.
/// Shape:  `Layout` has `kBytes`, the size without padding, and `kFields`, a table of fields by
/// offset. Units: get() returns host order and does not check values: the caller checks ranges.
template <class Layout>
class Record : public WireBytes<Layout::kBytes> {
  using Base = WireBytes<Layout::kBytes>;
  using Base::wire_;

 public:
  using Base::Base;
  using Base::kBytes;
  constexpr bool operator==(const Record&) const = default;

  template <class T, FieldName name>
  constexpr T get() const {
    return get_field<T, Layout, name>(wire_);
  }
  template <FieldName name, class T>
  constexpr void set(T value) {
    set_field<Layout, name>(std::span<std::uint8_t>(wire_), value);
  }
  /// The 64 bytes of an attribute of subnet management that the record holds from byte `at` on,
  /// truncated at the end of the record.
  template <std::size_t at>
  constexpr void set_attribute(std::span<const std::uint8_t, kAttributeBytes> attribute) {
    std::copy_n(attribute.begin(), std::min(kAttributeBytes, kBytes - at), wire_.begin() + at);
  }
};

/// The fields of an attribute of subnet management inside a record, shifted by `bits`.
template <std::size_t count>
constexpr std::array<Field, count> shifted(std::array<Field, count> fields, unsigned bits) {
  for (Field& field : fields) field.bit += bits;
  return fields;
}

}  // namespace mad
