#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "fabric/index.h"
#include "mad/attributes/forwarding_blocks.h"
#include "mad/ids.h"

namespace fabric {

inline constexpr unsigned kMftBlockMlids = mad::MulticastForwardingTable::kEntries;
inline constexpr unsigned kMftPositionPorts = mad::MulticastForwardingTable::kPortsPerPosition;
inline constexpr unsigned kMftBytes =
    64;  // of one MulticastForwardingTable MAD: 32 masks of 16 bits (IBTA Vol 1, 14.2.5.12)

/// The part of a switch's multicast forwarding table that one MAD holds: 32 MLIDs by 16 ports.
struct MftUnit {
  SwitchIndex sw;
  std::uint16_t block = 0;    // MLIDs from 0xC000 + 32 * block
  std::uint8_t position = 0;  // ports from 16 * position
  std::uint32_t modifier() const {
    return mad::MulticastForwardingTable::modifier(block, position);
  }
  bool operator==(const MftUnit&) const = default;
};

/// MulticastForwardingTables of all switches. For each block, each switch with entries has a row:
/// an array of bytes [position]. A unit is 32 masks as on the wire: the block of a MAD is a slice,
/// and a difference is a memcmp. Memory: 4 bytes for each block and switch, and the rows of
/// switches with entries, so that groups of few members cost little on a fabric of many switches.
/// Holds blocks up to the highest MLID in use; all higher ones are empty. Copies share their blocks
/// until one of them writes: the cost of a copy, and of a comparison with it, grows with what has
/// changed. Different threads may use different objects.
class MulticastTables {
  struct Content;

 public:
  MulticastTables() = default;
  /// `positions` counts groups of 16 ports, for the switch with the most ports: 1..16.
  MulticastTables(std::size_t switches, std::size_t positions)
      : switches_(switches), positions_(positions) {}

  static std::size_t compute_index(mad::Mlid mlid) { return mlid.value - mad::kMlidMin.value; }
  static std::size_t block_index(mad::Mlid mlid) { return compute_index(mlid) / kMftBlockMlids; }

  std::size_t switches() const { return switches_; }
  IndexRange<SwitchIndex> all_switches() const { return {SwitchIndex{0}, SwitchIndex(switches_)}; }
  std::size_t positions() const { return positions_; }
  std::size_t blocks() const { return blocks_; }
  std::size_t units() const { return blocks_ * switches_ * positions_; }
  std::size_t unit_number(MftUnit unit) const {
    return (unit.block * switches_ + unit.sw) * positions_ + unit.position;
  }
  MftUnit unit(std::size_t number) const;

  /// Extends the tables to at least `blocks` blocks; new blocks are empty.
  void grow(std::size_t blocks);

  std::span<std::uint8_t, kMftBytes> bytes(MftUnit unit) {
    return std::span<std::uint8_t, kMftBytes>(
        writable(unit.block, unit.sw) + unit.position * std::size_t{kMftBytes}, kMftBytes);
  }
  /// The units of one switch and block follow each other in memory, by position.
  std::span<const std::uint8_t, kMftBytes> bytes(MftUnit unit) const {
    return std::span<const std::uint8_t, kMftBytes>(
        row(unit.block, unit.sw) + unit.position * std::size_t{kMftBytes}, kMftBytes);
  }
  /// Replaces the unit. Takes no memory where all is 0 before and after.
  void assign(MftUnit unit, std::span<const std::uint8_t, kMftBytes> content);
  /// Identifies the content of a block: while the caller holds it, a block with this address has
  /// the same content. Null beyond the blocks.
  std::shared_ptr<const void> content(std::size_t block) const {
    return block < blocks_ ? content_[block] : nullptr;
  }

  /// Returns the ports 16 * position .. 16 * position + 15 of an MLID, lowest bit first; 0 beyond
  /// the blocks.
  std::uint16_t mask(SwitchIndex sw, mad::Mlid mlid, std::size_t position) const {
    if (block_index(mlid) >= blocks_ || position >= positions_) return 0;
    const std::uint8_t* at = row(block_index(mlid), sw) + offset(mlid, position);
    return static_cast<std::uint16_t>(at[0] << 8 | at[1]);
  }
  /// Precondition: the block exists.
  void set_mask(SwitchIndex sw, mad::Mlid mlid, std::size_t position, std::uint16_t ports) {
    if (ports == 0 && !has_row(block_index(mlid), sw)) return;
    std::uint8_t* at = writable(block_index(mlid), sw) + offset(mlid, position);
    at[0] = static_cast<std::uint8_t>(ports >> 8);
    at[1] = static_cast<std::uint8_t>(ports);
  }
  bool test(SwitchIndex sw, mad::Mlid mlid, mad::PortNum port) const {
    return (mask(sw, mlid, port.value / kMftPositionPorts) >> (port.value % kMftPositionPorts) &
            1u) != 0;
  }
  /// Precondition: the block exists.
  void set(SwitchIndex sw, mad::Mlid mlid, mad::PortNum port) {
    const std::size_t position = port.value / kMftPositionPorts;
    set_mask(sw, mlid, position,
             static_cast<std::uint16_t>(mask(sw, mlid, position) |
                                        1u << (port.value % kMftPositionPorts)));
  }
  /// Returns the highest MLID with a port on any switch; 0xBFFF, "no entries" in MulticastFDBTop,
  /// if there is none.
  mad::Mlid top() const;

  /// Maps blocks of tables that were rearranged to their new blocks.
  class Moved {
    friend class MulticastTables;
    struct Block {
      std::shared_ptr<Content> before, after;
    };
    std::unordered_map<const Content*, Block> blocks_;
  };
  /// Returns a copy in which switch `i` has the table of switch sources[i], or an empty one for
  /// kNoIndex; with `positions` positions. `moved` is shared by calls that rearrange several tables
  /// in one way: blocks that the tables share stay shared.
  MulticastTables rearranged(std::span<const SwitchIndex> sources, std::size_t positions,
                             Moved& moved) const;
  MulticastTables rearranged(std::span<const SwitchIndex> sources, std::size_t positions) const {
    Moved moved;
    return rearranged(sources, positions, moved);
  }

  bool operator==(const MulticastTables& other) const;

 private:
  /// Identifies the object that may write to a block in place: the object that made the block,
  /// until it is copied.
  class Writer {
   public:
    Writer() : id_(next()) {}
    Writer(const Writer& copied) : id_(next()) { copied.id_ = next(); }
    Writer(Writer&& moved) noexcept : id_(moved.id_.exchange(next())) {}
    Writer& operator=(const Writer& copied) {
      copied.id_ = next();
      id_ = next();
      return *this;
    }
    Writer& operator=(Writer&& moved) noexcept {
      id_ = moved.id_.exchange(next());
      return *this;
    }
    ~Writer() = default;
    std::uint64_t id() const { return id_; }

   private:
    static std::uint64_t next();
    mutable std::atomic<std::uint64_t> id_;
  };
  struct Content {
    std::uint64_t writer = 0;
    std::vector<std::uint32_t> rows;  // by switch: 1 + the number of its row; 0: no row
    std::vector<std::uint8_t> bytes;  // [row][position][kMftBytes]
  };
  static constexpr std::size_t kPositionsMax = 16;
  static const std::array<std::uint8_t, kPositionsMax * kMftBytes> kEmptyRow;

  /// Returns the offset within a row.
  static std::size_t offset(mad::Mlid mlid, std::size_t position) {
    return position * kMftBytes + compute_index(mlid) % kMftBlockMlids * 2;
  }
  bool has_row(std::size_t block, SwitchIndex sw) const {
    return content_[block]->rows[sw.value] != 0;
  }
  std::size_t row_bytes() const { return positions_ * kMftBytes; }
  const std::uint8_t* row(std::size_t block, SwitchIndex sw) const {
    const Content& content = *content_[block];
    const std::uint32_t number = content.rows[sw.value];
    return number == 0 ? kEmptyRow.data() : content.bytes.data() + (number - 1) * row_bytes();
  }
  std::uint8_t* writable(std::size_t block, SwitchIndex sw) {
    if (content_[block]->writer != writer_.id()) detach(block);
    if (content_[block]->rows[sw.value] == 0) add_row(block, sw);
    return content_[block]->bytes.data() + (content_[block]->rows[sw.value] - 1) * row_bytes();
  }
  void detach(std::size_t block);
  void add_row(std::size_t block, SwitchIndex sw);

  std::size_t switches_ = 0, positions_ = 0, blocks_ = 0;
  std::vector<std::shared_ptr<Content>> content_;  // by block
  Writer writer_;
};

}  // namespace fabric
