#pragma once
// Arrays for tables of many megabytes.

#include <sys/mman.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>

namespace sm {

/// A fixed number of values. From 4 MiB on the pages that they fill are huge where the system gives
/// such (madvise(2), MADV_HUGEPAGE; "madvise" or "always" in
/// /sys/kernel/mm/transparent_hugepage/enabled): a table that is copied for each event costs a page
/// fault for each 2 MiB in place of each 4 KiB, and fewer misses of the TLB.
template <class Value>
  requires std::is_trivially_copyable_v<Value>
class LargeArray {
 public:
  LargeArray() = default;
  LargeArray(std::size_t size, Value value) : LargeArray(size) { std::fill_n(data(), size, value); }
  LargeArray(const LargeArray& other) : LargeArray(other.size_) {
    if (size_ > 0) std::memcpy(data(), other.data(), size_ * sizeof(Value));
  }
  LargeArray(LargeArray&& other) noexcept
      : values_(std::move(other.values_)), size_(std::exchange(other.size_, 0)) {}
  LargeArray& operator=(LargeArray other) noexcept {
    std::swap(values_, other.values_);
    std::swap(size_, other.size_);
    return *this;
  }
  ~LargeArray() = default;

  std::size_t size() const { return size_; }
  Value* data() { return values_.get(); }
  const Value* data() const { return values_.get(); }

  friend bool operator==(const LargeArray& a, const LargeArray& b) {
    return std::ranges::equal(std::span(a.data(), a.size_), std::span(b.data(), b.size_));
  }

 private:
  static constexpr std::size_t kHugePage = std::size_t{2} << 20, kLeast = 2 * kHugePage;

  explicit LargeArray(std::size_t size)
      : values_(std::make_unique_for_overwrite<Value[]>(size)), size_(size) {
    const std::size_t bytes = size * sizeof(Value);
    if (bytes < kLeast) return;
    // The memory is not asked for at a multiple of a huge page: ThreadSanitizer's allocator
    // mistakes what follows such memory for freed. The ends, less than a huge page each, are in
    // small ones.
    void* begin = values_.get();
    std::size_t left = bytes;
    if (std::align(kHugePage, kHugePage, begin, left) == nullptr) return;
    // Advice: where there are no huge pages the array is in small ones.
    ::madvise(begin, left / kHugePage * kHugePage, MADV_HUGEPAGE);
  }

  std::unique_ptr<Value[]> values_;
  std::size_t size_ = 0;
};

}  // namespace sm
