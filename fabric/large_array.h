#pragma once
// Arrays for tables of many megabytes.

#include <sys/mman.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <new>
#include <span>
#include <type_traits>
#include <utility>

namespace sm {

/// A fixed number of values. From 4 MiB on they are in huge pages where the system gives them
/// (madvise(2), MADV_HUGEPAGE; "madvise" or "always" in
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

  struct Free {
    bool is_aligned = false;
    void operator()(Value* at) const {
      is_aligned ? ::operator delete(at, std::align_val_t{kHugePage}) : ::operator delete(at);
    }
  };

  explicit LargeArray(std::size_t size) : size_(size) {
    const std::size_t bytes = size * sizeof(Value);
    if (bytes < kLeast) {
      values_ = {static_cast<Value*>(::operator new(bytes)), Free{false}};
      return;
    }
    values_ = {static_cast<Value*>(::operator new(bytes, std::align_val_t{kHugePage})), Free{true}};
    // Advice: where there are no huge pages the array is in small ones.
    ::madvise(values_.get(), bytes / kHugePage * kHugePage, MADV_HUGEPAGE);
  }

  std::unique_ptr<Value, Free> values_;
  std::size_t size_ = 0;
};

}  // namespace sm
