#pragma once
// Holds what devices reported about adaptive routing, and what switches hold of its tables.

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "fabric/adaptive_groups.h"
#include "fabric/fabric.h"
#include "mad/attributes/adaptive_routing.h"
#include "mad/attributes/vendor.h"
#include "mad/backoff.h"
#include "sm/sweep/devices/device_table.h"

namespace sm {

/// Describes the entry of a LID in an ARLinearForwardingTable without its static port: the state in
/// the two highest bits, and the group.
using AdaptiveForm = std::uint16_t;
constexpr AdaptiveForm adaptive_form(mad::ArLidState state, fabric::GroupId group) {
  return static_cast<AdaptiveForm>(static_cast<unsigned>(state) << 14 | (group & 0xFFFu));
}
inline constexpr AdaptiveForm kStaticForm = adaptive_form(mad::ArLidState::static_, 0);
constexpr mad::ArLidState state_of(AdaptiveForm form) {
  return static_cast<mad::ArLidState>(form >> 14);
}
constexpr fabric::GroupId group_of(AdaptiveForm form) { return form & 0xFFFu; }

/// The number of LIDs of one ARLinearForwardingTable block.
inline constexpr std::size_t kArBlockLids = mad::ArLinearForwardingTable::kEntries;

/// Holds the forms of the LIDs of one ARLinearForwardingTable block.
using FormBlock = std::array<AdaptiveForm, kArBlockLids>;

/// Holds blocks of forms by number, equal blocks only once: switches differ in few. Number 0 means
/// that the block is not known.
class FormBlocks {
 public:
  using Id = std::uint32_t;
  Id number(const FormBlock& block);
  const FormBlock& block(Id id) const { return blocks_[id - 1]; }
  std::size_t size() const { return blocks_.size(); }

 private:
  std::vector<FormBlock> blocks_;
  std::map<FormBlock, Id> numbers_;
};

/// Holds the ports of the groups of one switch, as far as they are known.
class HeldGroups {
 public:
  using Row = fabric::AdaptiveGroups::Row;

  const Row& row() const { return shared_ ? *shared_ : own_; }
  /// True if the switch is known to hold this row, without a comparison of groups.
  bool shares(const std::shared_ptr<const Row>& row) const { return shared_ == row; }
  /// Notes that the switch holds the groups of this row, which equals row().
  void share(std::shared_ptr<const Row> row) {
    shared_ = std::move(row);
    own_ = {};
  }
  void set(fabric::GroupId group, const fabric::PortSet& ports);

  /// Returns which ARGroupTable blocks are known.
  const std::vector<bool>& known() const { return known_; }
  bool is_known(fabric::GroupId group) const {
    const std::size_t block = mad::ArGroupTable::block_of(group);
    return block < known_.size() && known_[block];
  }
  void set_known(std::uint16_t block, bool value);

 private:
  std::shared_ptr<const Row> shared_;  // that of the routing; null: own_
  Row own_;
  std::vector<bool> known_;
};

/// True if the device has said that it has the capability.
bool has_capability(const DeviceTable& table, mad::Guid node, mad::GeneralCapability capability);

/// Describes a switch that can route adaptively.
struct AdaptiveDevice {
  std::optional<mad::AdaptiveRoutingInfo> info;  // as it said last
  bool info_stale = false;                       // a Set of ARInfo was not acknowledged
  fabric::AdaptiveState obstacle = fabric::AdaptiveState::off;  // off: none
  std::string reason;                                           // of the obstacle
  mad::Retry retry{kDeviceRetryFirst, kDeviceRetryLast};        // when it is tried again
  bool rewrites = false;     // its entries are to be written, whatever they are
  bool tables_read = false;  // those that it had when it was found
  HeldGroups groups;
  std::vector<FormBlocks::Id> forms;  // by ARLinearForwardingTable block
  /// Blocks of the LinearForwardingTable that do not show how the switch forwards: it uses static
  /// ports of another manager's ARLinearForwardingTable.
  std::set<std::uint32_t> stale_blocks;

  /// True if the switch forwards by its ARLinearForwardingTable.
  bool is_active() const { return info && (info->enable() || info->fr_en()); }
  /// A switch that routes adaptively stays usable if it does not answer a write.
  bool is_usable() const {
    return info && (obstacle == fabric::AdaptiveState::off ||
                    (obstacle == fabric::AdaptiveState::silent && is_active()));
  }
  /// True for an obstacle that may have been one lost or false answer, or a device that was busy.
  bool may_recover() const {
    return obstacle == fabric::AdaptiveState::silent ||
           obstacle == fabric::AdaptiveState::mismatch ||
           obstacle == fabric::AdaptiveState::refused;
  }
  /// Records the obstacle, unless there is an earlier one.
  void obstruct(fabric::AdaptiveState state, std::string why) {
    if (obstacle != fabric::AdaptiveState::off) return;
    obstacle = state;
    reason = std::move(why);
  }
  /// Makes all tables be written again. A switch that uses them may hold what it had.
  void forget_tables() {
    forms.clear();
    for (std::size_t block = 0; block < groups.known().size(); ++block)
      groups.set_known(static_cast<std::uint16_t>(block), false);
  }
  FormBlocks::Id form(std::size_t block) const { return block < forms.size() ? forms[block] : 0; }
  void set_form(std::size_t block, FormBlocks::Id id) {
    if (block >= forms.size()) forms.resize(block + 1, 0);
    forms[block] = id;
  }
  /// Returns the highest group that the switch can hold.
  fabric::GroupId group_limit() const {
    return info && info->group_cap() > 0 ? static_cast<fabric::GroupId>(info->group_cap() - 1)
                                         : fabric::GroupId{0};
  }
};

/// Identifies a model by VendorID, DeviceID and Revision; the firmware is not known. If its tables
/// were read back once, writes to other switches of the model are trusted.
struct AdaptiveModel {
  std::uint32_t vendor = 0;
  std::uint16_t device = 0;
  std::uint32_t revision = 0;
  static AdaptiveModel of(const mad::NodeInfo& info) {
    return {info.vendor_id(), info.device_id(), info.revision()};
  }
  auto operator<=>(const AdaptiveModel&) const = default;
};

/// Holds the switches that can route adaptively, by NodeGUID. A value, as DeviceState is. It
/// forgets a switch that restarts.
class AdaptiveDevices {
 public:
  FormBlocks blocks;
  std::set<AdaptiveModel> proven;
  std::set<AdaptiveModel> copies_proven;   // copies of groups do what they are expected to
  std::set<AdaptiveModel> without_copies;  // they do not

  AdaptiveDevice& at(mad::Guid node) { return switches_[node]; }
  /// Returns null for another node.
  const AdaptiveDevice* find(mad::Guid node) const {
    const auto found = switches_.find(node);
    return found == switches_.end() ? nullptr : &found->second;
  }
  AdaptiveDevice* find(mad::Guid node) {
    const auto found = switches_.find(node);
    return found == switches_.end() ? nullptr : &found->second;
  }
  /// Finds the device of this switch of the fabric.
  const AdaptiveDevice* find(const fabric::Fabric& fabric, fabric::SwitchIndex sw) const {
    return find(fabric.nodes[fabric.switches[sw].node].guid);
  }
  bool is_active(const fabric::Fabric& fabric, fabric::SwitchIndex sw) const {
    const AdaptiveDevice* const device = find(fabric, sw);
    return device != nullptr && device->is_active();
  }
  bool any_active() const;
  /// True if some switch can route adaptively, so that there is something to read or write.
  bool is_in_use() const { return !switches_.empty(); }

  /// Makes the next read query a switch that restarted, or that another manager may have written.
  void forget(mad::Guid node) { switches_.erase(node); }
  void forget_all() { switches_.clear(); }
  /// Notes that another manager may have written to switches: their entries are written again.
  void invalidate();
  /// Forgets nodes that disappeared.
  void update_from(const fabric::Fabric& fabric);
  /// Begins a sweep: what a device did not do, and is due, is tried again.
  void begin(const fabric::Fabric& fabric, mad::TimePoint now);
  /// Returns the nodes with something that is due again, by NodeGUID.
  std::vector<mad::Guid> due(mad::TimePoint now) const;

 private:
  void compact();

  std::map<mad::Guid, AdaptiveDevice> switches_;
  std::size_t blocks_in_use_ = 0;  // when they were counted last
};

}  // namespace sm
