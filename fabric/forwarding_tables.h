#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "fabric/index.h"
#include "fabric/namespace.h"
#include "mad/ids.h"

namespace fabric {

/// An array of bytes that copies share until one of them writes. Different threads may use
/// different copies. A std::shared_ptr does not suffice: a use_count() of 1 does not order the
/// reads of former owners before the writes of the last one.
class SharedBytes {
 public:
  SharedBytes() = default;
  SharedBytes(std::size_t size, std::uint8_t value);
  SharedBytes(const SharedBytes& other) noexcept;
  SharedBytes(SharedBytes&& other) noexcept : memory_(std::exchange(other.memory_, nullptr)) {}
  SharedBytes& operator=(SharedBytes other) noexcept {
    std::swap(memory_, other.memory_);
    return *this;
  }
  ~SharedBytes();

  std::span<const std::uint8_t> bytes() const {
    if (memory_ == nullptr) return {};
    return {memory_->bytes(), memory_->size};
  }
  /// Returns bytes that no other copy shares; copies them first if another copy does.
  std::span<std::uint8_t> writable();
  /// True if both are the same memory, hence the same bytes.
  bool is_shared_with(const SharedBytes& other) const { return memory_ == other.memory_; }

  friend bool operator==(const SharedBytes& a, const SharedBytes& b);

 private:
  struct Memory {
    std::atomic<std::uint32_t> owners = 1;
    std::size_t size = 0;

    std::uint8_t* bytes() { return reinterpret_cast<std::uint8_t*>(this + 1); }
  };
  static Memory* allocated(std::size_t size);

  Memory* memory_ = nullptr;
};

inline constexpr unsigned kLftBlockLids =
    64;  // entries of one LinearForwardingTable MAD (IBTA Vol 1, 14.2.5.10)

/// LinearForwardingTables of all switches: an entry is the output port, 0xFF drops. The table of
/// each switch is one array of bytes by LID, padded to whole blocks: the block of a MAD is a slice,
/// and a difference is a memcmp. Copies share unchanged tables, so the time of a change and the
/// memory of several snapshots grow only with the switches that change. Threads may write to
/// different switches at once, but to one switch only after own_rows().
class ForwardingTables {
 public:
  ForwardingTables() = default;
  /// Creates tables of LIDs 0..lid_top on every switch, all entries 0xFF.
  ForwardingTables(std::size_t switches, mad::Lid lid_top)
      : lid_top_(lid_top), blocks_(lid_top.value / kLftBlockLids + 1u) {
    const SharedBytes empty(pitch(), mad::kNoPort.value);
    for (std::size_t i = 0; i < switches; ++i) rows_.push_back(empty);
  }

  std::size_t switches() const { return rows_.size(); }
  IndexRange<SwitchIndex> all_switches() const {
    return {SwitchIndex{0}, SwitchIndex(rows_.size())};
  }
  std::size_t blocks() const { return blocks_; }
  std::size_t pitch() const { return blocks_ * kLftBlockLids; }
  mad::Lid lid_top() const { return lid_top_; }

  std::span<const std::uint8_t> row(SwitchIndex sw) const { return rows_[sw].bytes(); }
  std::span<const std::uint8_t, kLftBlockLids> block(SwitchIndex sw, std::size_t block) const {
    return row(sw).subspan(block * kLftBlockLids).first<kLftBlockLids>();
  }
  /// Returns the output port of a LID; LIDs above lid_top are dropped.
  mad::PortNum at(SwitchIndex sw, mad::Lid lid) const {
    return lid.value < pitch() ? mad::PortNum{row(sw)[lid.value]} : mad::kNoPort;
  }
  /// True if the two tables are one in memory. Tables that are not shared may still be equal.
  bool shares_row(SwitchIndex sw, const ForwardingTables& other, SwitchIndex of_other) const {
    return rows_[sw].is_shared_with(other.rows_[of_other]);
  }

  /// Returns the table for writing. Earlier row() and block() of this switch may be outdated.
  std::span<std::uint8_t> writable_row(SwitchIndex sw) { return rows_[sw].writable(); }
  std::span<std::uint8_t, kLftBlockLids> writable_block(SwitchIndex sw, std::size_t block) {
    return writable_row(sw).subspan(block * kLftBlockLids).first<kLftBlockLids>();
  }
  /// Ends all sharing of tables; call it before several threads write to one switch.
  void own_rows() {
    for (SharedBytes& row : rows_) row.writable();
  }
  /// Replaces the table of a switch by one of `other`, cut or padded with 0xFF to this pitch().
  void take_row(SwitchIndex sw, const ForwardingTables& other, SwitchIndex of_other);

  bool operator==(const ForwardingTables&) const = default;

 private:
  mad::Lid lid_top_;
  std::size_t blocks_ = 0;
  IndexVector<SwitchIndex, SharedBytes> rows_;
};

}  // namespace fabric
