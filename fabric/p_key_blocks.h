#pragma once
// Blocks of the P_Key tables of a fabric.

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <ranges>
#include <span>
#include <utility>
#include <vector>

#include "fabric/namespace.h"
#include "mad/attributes/port_tables.h"

namespace fabric {

/// A sequence of blocks, with value semantics. Most tables of a fabric are empty or equal to
/// others, so equal blocks share memory, as far as they are found without a search.
class PKeyBlocks {
 public:
  class Rearranged;

  std::size_t size() const { return which_.size(); }
  bool empty() const { return which_.empty(); }
  /// The reference is valid until the next change.
  const mad::PKeyTable& operator[](std::size_t number) const { return distinct_[which_[number]]; }
  /// Returns blocks first .. first + count - 1, a random-access range, valid until the next change.
  auto slice(std::size_t first, std::size_t count) const {
    return std::span(which_).subspan(first, count) |
           std::views::transform(
               [blocks = distinct_.data()](std::uint32_t which) -> auto& { return blocks[which]; });
  }

  void set(std::size_t number, const mad::PKeyTable& block) {
    if ((*this)[number] == block) return;
    which_[number] = find(block);
    if (distinct_.size() > kContentsFew + which_.size()) drop_unused();
  }
  void push_back(const mad::PKeyTable& block) { which_.push_back(find(block)); }
  /// Changes the number of blocks; new blocks are empty.
  void resize(std::size_t size) { which_.resize(size, 0); }
  void clear() { *this = {}; }
  /// Returns the number of distinct blocks in memory.
  std::size_t contents() const { return distinct_.size(); }

  bool operator==(const PKeyBlocks& other) const {
    return std::ranges::equal(slice(0, size()), other.slice(0, other.size()));
  }

 private:
  static constexpr std::size_t kContentsFew = 64;

  std::uint32_t find(const mad::PKeyTable& block) {
    std::uint32_t& latest = latest_[hash(block) % latest_.size()];
    if (!(distinct_[latest] == block)) {
      latest = static_cast<std::uint32_t>(distinct_.size());
      distinct_.push_back(block);
    }
    return latest;
  }
  void drop_unused() {
    PKeyBlocks used;
    used.which_.reserve(which_.size());
    for (const std::uint32_t which : which_) used.push_back(distinct_[which]);
    *this = std::move(used);
  }
  static std::size_t hash(const mad::PKeyTable& block) {
    std::uint64_t hash = 0;
    std::array<std::uint64_t, 8> words;
    std::memcpy(words.data(), block.bytes().data(), sizeof words);
    for (const std::uint64_t word : words)
      hash = std::rotl(hash, 7) * 0x9E37'79B9'7F4A'7C15u ^ word;
    return (hash * 0x9E37'79B9'7F4A'7C15u) >> 32;
  }

  std::vector<std::uint32_t> which_;         // of distinct_
  std::vector<mad::PKeyTable> distinct_{1};  // 0: the empty one
  std::array<std::uint32_t, 256> latest_{};  // of distinct_, by hash
};

/// Copies the blocks of a sequence in another order.
class PKeyBlocks::Rearranged {
 public:
  /// `from` must outlive this object. If many contents of `from` are unused, they are not copied.
  explicit Rearranged(const PKeyBlocks& from)
      : from_(from), shares_(from.distinct_.size() <= kContentsFew + from.which_.size() / 4) {
    blocks_.which_.reserve(from.which_.size());
    if (!shares_) return;
    blocks_.distinct_ = from.distinct_;
    blocks_.latest_ = from.latest_;
  }
  void append(std::size_t first, std::size_t count) {
    const auto which = std::span(from_.which_).subspan(first, count);
    if (shares_) {
      blocks_.which_.insert(blocks_.which_.end(), which.begin(), which.end());
    } else {
      for (const std::uint32_t each : which) blocks_.push_back(from_.distinct_[each]);
    }
  }
  std::size_t size() const { return blocks_.size(); }
  PKeyBlocks take() { return std::move(blocks_); }

 private:
  const PKeyBlocks& from_;
  const bool shares_;  // the contents as they are: none is compared
  PKeyBlocks blocks_;
};

}  // namespace fabric
