#pragma once

#include <array>
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
/// them with an acknowledgement. An unknown block differs from every other block.
class TableMemory {
 public:
  /// Renumbers the rows to those of fabric.switches. Known switches keep their rows, new ones are
  /// unknown.
  void update_from(const Fabric& fabric);
  /// Makes the tables of this switch unknown (it restarted, or another manager may have written to
  /// it).
  void forget(SwitchIndex sw);
  void forget_all();

  bool knows_any_block(SwitchIndex sw) const;
  /// True if no block of tables() is unknown.
  bool is_all_known() const { return all_known_; }
  bool is_known(SwitchIndex sw, std::size_t block) const {
    return tables_ && block < tables_->blocks() && known_[sw * tables_->blocks() + block];
  }
  /// True if the switch is known to hold exactly these bytes in this block.
  bool holds(SwitchIndex sw, std::size_t block,
             std::span<const std::uint8_t, kLftBlockLids> bytes) const {
    return is_known(sw, block) && std::memcmp(std::as_const(*tables_).block(sw, block).data(),
                                              bytes.data(), kLftBlockLids) == 0;
  }

  /// True if the switch is known to hold all of its table in `tables`. If false, it may still hold
  /// an equal table in other memory.
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
  /// Notes that every block of `tables` is now in its switch; the caller forgets exceptions right
  /// after.
  void adopt(std::shared_ptr<ForwardingTables> tables);
  void forget_block(SwitchIndex sw, std::size_t block);

  /// Marks output ports of one switch.
  using Ports = std::bitset<256>;
  using Content = std::array<std::uint8_t, kLftBlockLids>;
  /// Describes a block of which a write was not acknowledged.
  struct Uncertain {
    Ports misled;                   // to which it may forward packets that must not go there
    std::vector<Content> contents;  // it holds one of these, or that of tables(); empty: anything
  };
  /// Forgets the block, because a write was not acknowledged.
  void invalidate_block(SwitchIndex sw, std::size_t block, Uncertain may_hold);
  /// Returns the argument of invalidate_block() for a block that is still unknown.
  Uncertain uncertain(SwitchIndex sw, std::size_t block) const;
  /// Returns all ports to which the switch may forward packets to any of these LIDs (ascending).
  Ports possible_ports(SwitchIndex sw, std::span<const mad::Lid> lids) const;

  /// Begins an update: no block was written in it yet.
  void begin_writes() { written_.clear(); }
  /// Notes that the switch acknowledged this block.
  void note_written(SwitchIndex sw, std::size_t block);
  /// Returns the block that shows whether the switch lost its tables since its SwitchInfo was read.
  /// It is a block that is not empty and was not written since, or else the one with the earliest
  /// latest write. Returns nullopt if no such block is known.
  std::optional<std::uint32_t> readback_block(SwitchIndex sw) const;

  /// Returns null while nothing is known. Rows as in the fabric of the latest update_from().
  const ForwardingTables* tables() const { return tables_.get(); }
  std::shared_ptr<const ForwardingTables> share() const { return tables_; }
  /// [switch][block of tables()]
  const std::vector<bool>& known() const { return known_; }

 private:
  IndexVector<SwitchIndex, mad::Guid> switches_;
  std::shared_ptr<ForwardingTables> tables_;  // written to only while it has no other owner
  std::vector<bool> known_;                   // [switch][block of tables_]
  bool all_known_ = false;
  std::map<std::pair<SwitchIndex, std::size_t>, Uncertain> uncertain_;  // by switch and block
  /// Blocks by switch, in the order of their writes; a block may be there twice. May be shorter
  /// than switches_.
  IndexVector<SwitchIndex, std::vector<std::uint16_t>> written_;
};

/// False for nodes that have just started, whose tables are empty: a switch without a forwarding
/// table, or a CA or router whose links carry nothing yet.
bool may_hold_tables(const Fabric& fabric, NodeIndex index);

}  // namespace sm
