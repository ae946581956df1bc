#pragma once
// What all records of subnet administration share: a value that owns its wire bytes, with fields
// that are named as in the specification.

#include <array>
#include <cstdint>
#include <span>

#include "mad/attribute.h"
#include "mad/field_access.h"
#include "mad/records/wire_bytes.h"

namespace mad {

/// A record by value, all zero at first; any bytes are a valid one.
/// Shape:  `Layout` has `kBytes`, the size without padding, and `kFields`, a table of fields by
/// offset. Units:  get() returns host order and what the wire says, unchecked: ranges are the
/// caller's to test.
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
  /// The 64 bytes of an attribute of subnet management that the record holds from byte `at` on, cut
  /// at the end of the record.
  template <std::size_t at>
  constexpr void set_attribute(std::span<const std::uint8_t, kAttributeBytes> attribute) {
    std::copy_n(attribute.begin(), std::min(kAttributeBytes, kBytes - at), wire_.begin() + at);
  }
};

/// The fields of an attribute of subnet management inside a record, `bits` further on.
template <std::size_t count>
constexpr std::array<Field, count> shifted(std::array<Field, count> fields, unsigned bits) {
  for (Field& field : fields) field.bit += bits;
  return fields;
}

}  // namespace mad
