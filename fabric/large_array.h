#pragma once
// Memory for tables of many megabytes.

#include <sys/mman.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <limits>
#include <memory>
#include <new>
#include <span>
#include <type_traits>
#include <utility>

#include "fabric/namespace.h"

namespace fabric {

/// Allocates memory that has huge pages from 4 MiB on, if the system gives them (madvise(2),
/// MADV_HUGEPAGE; "madvise" or "always" in /sys/kernel/mm/transparent_hugepage/enabled). A copy at
/// each event then costs a page fault per 2 MiB instead of one per 4 KiB, and fewer TLB misses.
template <class Value>
class LargeAllocator {
 public:
  using value_type = Value;

  LargeAllocator() = default;
  template <class Other>
  LargeAllocator(const LargeAllocator<Other>&) {}

  Value* allocate(std::size_t count) {
    if (count > std::numeric_limits<std::size_t>::max() / sizeof(Value))
      throw std::bad_array_new_length();
    Value* const values = std::allocator<Value>().allocate(count);
    const std::size_t bytes = count * sizeof(Value);
    if (bytes >= kLeast) advise(values, bytes);
    return values;
  }
  void deallocate(Value* values, std::size_t count) {
    std::allocator<Value>().deallocate(values, count);
  }

  template <class Other>
  friend bool operator==(const LargeAllocator&, const LargeAllocator<Other>&) {
    return true;
  }

 private:
  static constexpr std::size_t kHugePage = std::size_t{2} << 20, kLeast = 2 * kHugePage;

  /// The allocation is not aligned to huge pages: ThreadSanitizer's allocator mistakes the memory
  /// behind an aligned block for freed. Both ends, less than a huge page each, are in small pages.
  static void advise(void* begin, std::size_t bytes) {
    if (std::align(kHugePage, kHugePage, begin, bytes) == nullptr) return;
    // If there are no huge pages, the memory stays in small ones.
    ::madvise(begin, bytes / kHugePage * kHugePage, MADV_HUGEPAGE);
  }
};

/// A fixed number of values in memory of a LargeAllocator.
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
      : values_(std::exchange(other.values_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  LargeArray& operator=(LargeArray other) noexcept {
    std::swap(values_, other.values_);
    std::swap(size_, other.size_);
    return *this;
  }
  ~LargeArray() {
    if (values_ != nullptr) LargeAllocator<Value>().deallocate(values_, size_);
  }

  std::size_t size() const { return size_; }
  Value* data() { return values_; }
  const Value* data() const { return values_; }

  friend bool operator==(const LargeArray& a, const LargeArray& b) {
    return std::ranges::equal(std::span(a.data(), a.size_), std::span(b.data(), b.size_));
  }

 private:
  explicit LargeArray(std::size_t size)
      : values_(size > 0 ? LargeAllocator<Value>().allocate(size) : nullptr), size_(size) {}

  Value* values_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace fabric
