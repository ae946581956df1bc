#pragma once

#include <bitset>
#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "fabric/fabric.h"
#include "fabric/forwarding_tables.h"

namespace sm {

/// Holds the LinearForwardingTables of the switches, as far as Heddle has read them back or written
/// them with an acknowledgement. Blocks of which nothing is known count as different from
/// everything.
class TableMemory {
 public:
  /// Rows become those of fabric.switches. Switches that were known keep theirs, new ones are
  /// unknown.
  void update_from(const Fabric& fabric);
  /// Makes the tables of this switch unknown (it restarted, or another manager may have written to
  /// it).
  void forget(SwitchIndex sw);
  void forget_all();

  bool knows_any_block(SwitchIndex sw) const;
  /// No block of tables() is unknown.
  bool is_all_known() const { return all_known_; }
  bool is_known(SwitchIndex sw, std::size_t block) const {
    return tables_ && block < tables_->blocks() && known_[sw * tables_->blocks() + block];
  }
  /// The switch is known to hold exactly these bytes in this block.
  bool holds(SwitchIndex sw, std::size_t block,
             std::span<const std::uint8_t, kLftBlockLids> bytes) const {
    return is_known(sw, block) && std::memcmp(std::as_const(*tables_).block(sw, block).data(),
                                              bytes.data(), kLftBlockLids) == 0;
  }

  /// The switch is known to hold all of its table in `tables`. False: it may hold it nevertheless,
  /// in some other memory.
  bool holds_row(SwitchIndex sw, const ForwardingTables& tables) const {
    if (!tables_ || !tables_->shares_row(sw, tables, sw)) return false;
    for (std::size_t block = 0; block < tables_->blocks(); ++block)
      if (!known_[sw * tables_->blocks() + block]) return false;
    return true;
  }

  /// Makes room for read-back blocks up to this LID.
  void make_room(mad::Lid lid_top);
  void read_back(SwitchIndex sw, std::size_t block,
                 std::span<const std::uint8_t, kLftBlockLids> bytes);
  /// Every block of `tables` is now in its switch, but for those that will be forgotten right after
  /// this.
  void adopt(std::shared_ptr<ForwardingTables> tables);
  void forget_block(SwitchIndex sw, std::size_t block);

  /// By output port of one switch.
  using Ports = std::bitset<256>;
  /// A write of this block was not acknowledged: the switch may forward to these ports what is not
  /// to go there, until the block is known again. Forgets the block.
  void invalidate_block(SwitchIndex sw, std::size_t block, const Ports& ports);
  /// Returns what invalidate_block() said of a block that has not become known since.
  Ports stale_ports(SwitchIndex sw, std::size_t block) const;

  /// An update begins: no block was written in it yet.
  void begin_writes() { written_.clear(); }
  /// The switch acknowledged this block.
  void note_written(SwitchIndex sw, std::size_t block);
  /// The block whose content shows whether the switch lost its tables at any time since its
  /// SwitchInfo was read: one that is not empty and was not written since, or else the one whose
  /// latest write is the earliest. nullopt: nothing that is not empty is known.
  std::optional<std::uint32_t> readback_block(SwitchIndex sw) const;

  /// Null while nothing is known. Rows as in the fabric that was last followed.
  const ForwardingTables* tables() const { return tables_.get(); }
  std::shared_ptr<const ForwardingTables> share() const { return tables_; }
  /// [switch][block of tables()]
  const std::vector<bool>& known() const { return known_; }

 private:
  IndexVector<SwitchIndex, mad::Guid> switches_;
  std::shared_ptr<ForwardingTables> tables_;  // written to only while it has no other owner
  std::vector<bool> known_;                   // [switch][block of tables_]
  bool all_known_ = false;
  std::map<std::pair<SwitchIndex, std::size_t>, Ports> stale_ports_;  // by switch and block
  /// Blocks by switch, in the order of their writes; a block may be there twice. May be shorter
  /// than switches_.
  IndexVector<SwitchIndex, std::vector<std::uint16_t>> written_;
};

/// The node's tables may say something: it is no switch without a forwarding table, and no CA or
/// router whose links carry nothing yet. Such have just started.
bool may_hold_tables(const Fabric& fabric, NodeIndex index);

}  // namespace sm
