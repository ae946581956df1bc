#pragma once
// What all records of subnet administration share: a value that owns its wire bytes, as
// mad::Attribute does for subnet management.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "mad/field_access.h"
#include "mad/ids.h"
#include "mad/records/wire_bytes.h"
#include "mad/sa_attribute.h"

namespace mad {

/// Base of a record: `size` bytes in wire order, all zero at first, without the padding to 8 that
/// RMPP adds. Shape:  `Self` has `static constexpr std::array kFields`; any bytes are a valid
/// object. Units: getters return host order and do not check values: the caller checks ranges.
/// Source: IBTA Vol 1, 15.2.5.
template <class Self, SaAttributeId id, std::size_t size>
class SaRecord : public WireBytes<size> {
 public:
  static constexpr SaAttributeId kId = id;
  using WireBytes<size>::WireBytes;
  constexpr bool operator==(const SaRecord&) const = default;

 protected:
  using WireBytes<size>::wire_;
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
};

}  // namespace mad
