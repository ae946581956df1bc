#pragma once
// The state of a simulated switch for adaptive routing: settings, groups of output ports,
// forwarding entries. As hardware does, it keeps the bytes that were written; only the subnet
// manager knows their purpose. Memory grows with what is written: 3.4 bytes for each LID, 8 bytes
// for each group of a switch with up to 63 ports.

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "mad/attributes/adaptive_routing.h"
#include "mad/runtime.h"

namespace sim {

/// A Set writes these fields of ARInfo; the other fields are capabilities.
inline constexpr std::array kArSettings{mad::AdaptiveRoutingInfo::field<"BySLEn">(),
                                        mad::AdaptiveRoutingInfo::field<"SubGroupsActive">(),
                                        mad::AdaptiveRoutingInfo::field<"RNXmitEn">(),
                                        mad::AdaptiveRoutingInfo::field<"FREn">(),
                                        mad::AdaptiveRoutingInfo::field<"E">(),
                                        mad::AdaptiveRoutingInfo::field<"GroupTop">(),
                                        mad::AdaptiveRoutingInfo::field<"EnableBySLMask">(),
                                        mad::AdaptiveRoutingInfo::field<"ByTransportDisable">(),
                                        mad::AdaptiveRoutingInfo::field<"AgeingTime">(),
                                        mad::AdaptiveRoutingInfo::field<"HBFEn">(),
                                        mad::AdaptiveRoutingInfo::field<"WHBFEn">(),
                                        mad::AdaptiveRoutingInfo::field<"ByVLEn">(),
                                        mad::AdaptiveRoutingInfo::field<"pFRNEn">(),
                                        mad::AdaptiveRoutingInfo::field<"HBFEnableBySLMask">()};

/// Describes how firmware behaves where no public source says it: a subnet manager must work with
/// each variant. A reboot changes nothing here.
struct ArFirmware {
  /// Applies when E and FREn become 0. If true, LIDs whose ARLFT block was set use its static ports
  /// until their block of the LinearForwardingTable is set. If false, they use that table at once,
  /// as it was last written.
  bool static_ports_stay = true;
  /// If true, a Set of a block of the LinearForwardingTable ends adaptive routing of its LIDs at
  /// once. If false, it has no effect on them until E and FREn are 0.
  bool lft_set_counts_at_once = true;
  /// If true, LIDs whose ARLFT block was never set use the LinearForwardingTable while E or FREn is
  /// 1. If false, they use the entries after power-on, whose group is empty.
  bool unset_blocks_use_lft = true;
  /// If true, static ports of an ARLFT block are used from its Set on, before E or FREn is ever 1.
  bool static_ports_at_once = false;
  /// If true, groups above GroupTop have no ports.
  bool group_top_counts = true;
  /// If true, GroupCap counts groups of one sub-group, and shrinks when SubGroupsActive grows.
  bool group_cap_shrinks = false;
};

/// Maps a name to a field of ArFirmware.
struct ArFirmwareRow {
  std::string_view name;
  bool ArFirmware::* member;
};
inline constexpr std::array kArFirmwareRows{
    ArFirmwareRow{"static-ports-stay", &ArFirmware::static_ports_stay},
    ArFirmwareRow{"lft-set-counts-at-once", &ArFirmware::lft_set_counts_at_once},
    ArFirmwareRow{"unset-blocks-use-lft", &ArFirmware::unset_blocks_use_lft},
    ArFirmwareRow{"static-ports-at-once", &ArFirmware::static_ports_at_once},
    ArFirmwareRow{"group-top-counts", &ArFirmware::group_top_counts},
    ArFirmwareRow{"group-cap-shrinks", &ArFirmware::group_cap_shrinks}};

/// Refuses an SMP about adaptive routing: with no answer, or with an answer that has `status`.
struct ArRefusal {
  std::uint16_t attribute = 0;  // 0: any of them
  bool sets_only = false;
  std::optional<std::uint16_t> status{};  // nullopt: no answer
  std::optional<unsigned> times{};        // then it is served again; nullopt: never
};

/// The place of the blocks of a device's ARLFT and group table, by modifier.
enum class ArBlocks : std::uint8_t {
  by_modifier,
  above_low_byte,  // block n is that of modifier n * 256; modifiers below 256 all are block 0
  other_tables,    // the same; modifiers with another low byte than 0 are of tables without use
};

struct ArFaults {
  bool short_info = false;  // ARInfo has 20 bytes
  std::vector<ArRefusal> refusals{};
  std::optional<std::uint16_t> group_cap_after_set{};  // GroupCap from the first Set of ARInfo on
  ArBlocks blocks = ArBlocks::by_modifier;
  std::set<std::uint16_t> without_effect{};    // attributes: their Sets are acknowledged
  std::optional<unsigned> sets_until_reset{};  // of these attributes; then all tables are lost
};

/// Holds masks of output ports, by index in the group table: group * sub-groups + sub-group.
class ArGroups {
 public:
  explicit ArGroups(unsigned port_count) : words_(port_count / 64 + 1) {}

  /// Stores a mask without the bits beyond the ports of the switch.
  void set(std::size_t index, std::span<const std::uint8_t, 32> mask);
  void copy(std::size_t from, std::size_t to);
  void get(std::size_t index, std::span<std::uint8_t, 32> mask) const;
  bool has(std::size_t index, unsigned port) const {
    return (word(index, port / 64) >> port % 64 & 1u) != 0;
  }
  template <class Visit>
  void for_each(std::size_t index, Visit visit) const {
    for (unsigned at = 0; at < words_; ++at)
      for (std::uint64_t left = word(index, at); left != 0; left &= left - 1)
        visit(static_cast<std::uint8_t>(64 * at + static_cast<unsigned>(std::countr_zero(left))));
  }
  /// Returns the number of masks up to the highest one that was set.
  std::size_t size() const { return bits_.size() / words_; }
  void clear() { bits_ = {}; }

 private:
  std::uint64_t word(std::size_t index, std::size_t at) const {
    const std::size_t place = index * words_ + at;
    return at < words_ && place < bits_.size() ? bits_[place] : 0;
  }
  void grow(std::size_t index);
  std::size_t words_;
  std::vector<std::uint64_t> bits_;
};

/// Forwarding entries by LID, and which of their blocks were set, by SMPs of 16 LIDs and before or
/// after the same LIDs of the LinearForwardingTable.
class ArEntries {
 public:
  using Entry = mad::ArLinearForwardingTable::Entry;
  enum class Standing : std::uint8_t { never_set, in_use, behind_lft };

  void set_block(std::uint32_t block, const mad::ArLinearForwardingTable& from);
  mad::ArLinearForwardingTable block(std::uint32_t block) const;
  void lft_was_set(std::size_t lft_block);
  Standing standing(unsigned lid) const;
  Entry entry(unsigned lid) const;
  void clear() { chunks_.clear(); }

 private:
  /// The LIDs of a block of the LinearForwardingTable, which are those of four blocks of 16.
  struct Chunk {
    static constexpr unsigned kLids = 64;
    std::array<std::uint8_t, kLids> static_port{};
    std::array<std::uint16_t, kLids> state_and_group{};  // 2 and 12 bits
    std::uint8_t set = 0, behind = 0;                    // by block of 16
  };
  const Chunk* chunk(std::size_t index) const {
    return index < chunks_.size() ? chunks_[index].get() : nullptr;
  }
  std::vector<std::unique_ptr<Chunk>> chunks_;
};

/// Excludes a port from a group, because the neighbour there reported that it lost its last path
/// (pFRN).
struct PfrnMask {
  mad::TimePoint first, last;  // notices
};

struct ArSwitch {
  /// Ignores the settings in `capabilities`.
  ArSwitch(const mad::AdaptiveRoutingInfo& capabilities, unsigned port_count)
      : announced(capabilities), groups(port_count) {
    for (const mad::Field& field : kArSettings) mad::write(announced.bytes(), field, 0);
    power_on();
  }

  mad::AdaptiveRoutingInfo announced;  // the capabilities after power-on
  mad::AdaptiveRoutingInfo info;       // capabilities and settings
  ArFirmware firmware;
  ArFaults faults;
  bool was_enabled = false;  // since power-on
  ArGroups groups;
  ArEntries entries;
  mad::PfrnConfig pfrn;
  std::map<std::pair<std::uint16_t, std::uint8_t>, PfrnMask> masks;  // by group and port

  bool enabled() const { return info.enable() || info.fr_en(); }
  bool sends_pfrn_notices() const { return info.fr_en() && info.pfrn_en(); }
  unsigned sub_groups() const { return std::max<unsigned>(1, info.sub_groups_active()); }
  /// Returns the number of masks that the group table can have.
  std::size_t masks_max() const { return std::size_t{info.group_cap()} * sub_groups(); }
  /// Returns the entry that forwards data packets to this LID; nullopt: LinearForwardingTable.
  std::optional<ArEntries::Entry> entry_in_use(unsigned lid) const;
  /// Visits the ports in this sub-group that may be used and that no neighbour has excluded.
  template <class Visit>
  void for_each_member(std::uint16_t group, unsigned sub_group, Visit visit) const {
    if (group >= info.group_cap() || (firmware.group_top_counts && group > info.group_top()))
      return;
    groups.for_each(std::size_t{group} * sub_groups() + sub_group, [&](std::uint8_t port) {
      if (masks.empty() || !masks.contains({group, port})) visit(port);
    });
  }
  /// Resets settings and tables.
  void power_on();
};

}  // namespace sim
