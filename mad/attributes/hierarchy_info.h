#pragma once
#include "mad/attribute.h"

namespace mad {

/// The position of a port in its machine (rack, tray, ASIC, ...), as numbers whose meaning a
/// template defines; for ports with capability::kHierarchyInfo. Read only. Shape:  13 levels, of
/// which the first active_levels() are valid; the wire allows active_levels() up to 15.
/// Source: IBTA Vol 1, 14.2.5 (HierarchyInfo).
class HierarchyInfo : public Attribute<HierarchyInfo, AttributeId::hierarchy_info> {
 public:
  static constexpr unsigned kLevels = 13;
  static constexpr auto kFields = joined(
      std::array{
          Field{0, 64, "TemplateGUID"},
          Field{64, 8, "MaxSupportedIndex"},
          Field{72, 8, "MaxActiveIndex"},
          Field{80, 4, "ActiveLevels"},
      },
      repeated<kLevels>(96, 32, "Level"));
  static constexpr std::uint32_t modifier(std::uint8_t index, PortNum port) {
    return std::uint32_t{index} << 8 | port.value;
  }
  using WireRecord::WireRecord;

  constexpr Guid template_guid() const { return get<Guid, "TemplateGUID">(); }
  constexpr void set_template_guid(Guid value) { set<"TemplateGUID">(value); }
  constexpr std::uint8_t max_supported_index() const {
    return get<std::uint8_t, "MaxSupportedIndex">();
  }
  constexpr void set_max_supported_index(std::uint8_t value) { set<"MaxSupportedIndex">(value); }
  constexpr std::uint8_t max_active_index() const { return get<std::uint8_t, "MaxActiveIndex">(); }
  constexpr void set_max_active_index(std::uint8_t value) { set<"MaxActiveIndex">(value); }
  constexpr std::uint8_t active_levels() const { return get<std::uint8_t, "ActiveLevels">(); }
  constexpr void set_active_levels(std::uint8_t value) { set<"ActiveLevels">(value); }
  /// Level `index`, 0..12.
  constexpr std::uint32_t level(unsigned index) const {
    return static_cast<std::uint32_t>(read(wire_, level_field(index)));
  }
  constexpr void set_level(unsigned index, std::uint32_t value) {
    write(wire_, level_field(index), value);
  }

 private:
  static constexpr const Field& level_field(unsigned index) {
    return kFields[kFields.size() - kLevels + index];
  }
};

}  // namespace mad
