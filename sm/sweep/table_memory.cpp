#include "sm/sweep/table_memory.h"

#include <algorithm>
#include <unordered_map>

namespace sm {
namespace {

/// A table set of the given size, its tables taken from `rows` of `old` (kNoIndex: empty).
ForwardingTables rearranged(const ForwardingTables* old, std::span<const std::uint32_t> rows,
                            mad::Lid lid_top) {
  ForwardingTables tables(rows.size(), lid_top);
  for (std::size_t row = 0; row < rows.size(); ++row) {
    if (old == nullptr || rows[row] == kNoIndex) continue;
    const auto from = old->row(rows[row]);
    std::copy_n(from.begin(), std::min(from.size(), tables.pitch()), tables.row(row).begin());
  }
  return tables;
}

}  // namespace

void TableMemory::follow(const Fabric& fabric) {
  std::vector<mad::Guid> switches;
  switches.reserve(fabric.switches.size());
  for (const Switch& sw : fabric.switches) switches.push_back(fabric.nodes[sw.node].guid);
  if (switches == switches_) return;

  std::unordered_map<mad::Guid, std::uint32_t> old_rows;
  for (std::uint32_t row = 0; row < switches_.size(); ++row) old_rows.emplace(switches_[row], row);
  std::vector<std::uint32_t> rows;
  for (const mad::Guid guid : switches) {
    const auto old = old_rows.find(guid);
    rows.push_back(old == old_rows.end() ? kNoIndex : old->second);
  }
  if (tables_) {
    const std::size_t blocks = tables_->blocks();
    std::vector<bool> known(rows.size() * blocks);
    for (std::size_t row = 0; row < rows.size(); ++row) {
      for (std::size_t block = 0; rows[row] != kNoIndex && block < blocks; ++block)
        known[row * blocks + block] = known_[rows[row] * blocks + block];
    }
    tables_ =
        std::make_shared<ForwardingTables>(rearranged(tables_.get(), rows, tables_->lid_top()));
    known_ = std::move(known);
  }
  switches_ = std::move(switches);
}

void TableMemory::forget(SwitchIndex sw) {
  for (std::size_t block = 0; tables_ && block < tables_->blocks(); ++block)
    forget_block(sw, block);
}

void TableMemory::forget_all() {
  tables_.reset();
  known_.clear();
}

bool TableMemory::knows_anything_of(SwitchIndex sw) const {
  for (std::size_t block = 0; tables_ && block < tables_->blocks(); ++block) {
    if (is_known(sw, block)) return true;
  }
  return false;
}

bool TableMemory::holds(SwitchIndex sw, std::size_t block,
                        std::span<const std::uint8_t, kLftBlockLids> bytes) const {
  return is_known(sw, block) && std::ranges::equal(tables_->block(sw, block), bytes);
}

void TableMemory::make_room(mad::Lid lid_top) {
  if (tables_ && tables_->lid_top() >= lid_top) return;
  std::vector<std::uint32_t> rows(switches_.size());
  for (std::uint32_t row = 0; row < rows.size(); ++row) rows[row] = row;
  const std::size_t old_blocks = tables_ ? tables_->blocks() : 0;
  auto larger = std::make_shared<ForwardingTables>(rearranged(tables_.get(), rows, lid_top));
  std::vector<bool> known(rows.size() * larger->blocks());
  for (std::size_t row = 0; row < rows.size(); ++row) {
    for (std::size_t block = 0; block < old_blocks; ++block)
      known[row * larger->blocks() + block] = known_[row * old_blocks + block];
  }
  tables_ = std::move(larger);
  known_ = std::move(known);
}

void TableMemory::read_back(SwitchIndex sw, std::size_t block,
                            std::span<const std::uint8_t, kLftBlockLids> bytes) {
  if (!tables_ || block >= tables_->blocks()) return;
  // The tables may be shared with a published snapshot, which must not change: then this one
  // becomes our own.
  if (tables_.use_count() > 1) tables_ = std::make_shared<ForwardingTables>(*tables_);
  std::ranges::copy(bytes, tables_->block(sw, block).begin());
  known_[sw * tables_->blocks() + block] = true;
}

void TableMemory::adopt(std::shared_ptr<ForwardingTables> tables) {
  tables_ = std::move(tables);
  known_.assign(tables_->switches() * tables_->blocks(), true);
}

void TableMemory::forget_block(SwitchIndex sw, std::size_t block) {
  if (tables_ && block < tables_->blocks()) known_[sw * tables_->blocks() + block] = false;
}

}  // namespace sm
