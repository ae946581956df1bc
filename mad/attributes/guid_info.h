#pragma once
#include "mad/attribute.h"

namespace mad {

/// One block of a port's GUID table. Entry 0 of block 0 is the port GUID, read only; the others are
/// alias GUIDs. Shape:  8 GUIDs; the table has PortInfo::guid_cap() of them. The modifier is the
/// block, 0..31. Source: IBTA Vol 1, 14.2.5.5.
class GuidInfo : public Attribute<GuidInfo, AttributeId::guid_info> {
 public:
  static constexpr unsigned kEntries = 8;
  static constexpr auto kFields = repeated<kEntries>(0, 64, "GUID");
  static constexpr std::uint32_t modifier(unsigned block) { return block; }
  using WireRecord::WireRecord;

  /// Entry `index` of the block, 0..7.
  constexpr Guid guid(unsigned index) const { return {read(wire_, kFields[index])}; }
  constexpr void set_guid(unsigned index, Guid guid) { write(wire_, kFields[index], guid.value); }
};

}  // namespace mad
