#pragma once
// Arrays for tables of many megabytes.

#include <sys/mman.h>

#include <cstddef>
#include <new>
#include <vector>

namespace sm {

/// Puts arrays from 4 MiB on into huge pages where the system gives them (madvise(2),
/// MADV_HUGEPAGE; "madvise" or "always" in /sys/kernel/mm/transparent_hugepage/enabled): a table
/// that is copied for each event costs a page fault for each 2 MiB in place of each 4 KiB, and
/// fewer misses of the TLB.
template <class Value>
struct HugePageAllocator {
  using value_type = Value;
  static constexpr std::size_t kHugePage = std::size_t{2} << 20;
  static constexpr std::size_t kLeast = 2 * kHugePage;

  HugePageAllocator() = default;
  template <class Other>
  HugePageAllocator(const HugePageAllocator<Other>&) {}  // NOLINT(google-explicit-constructor)

  Value* allocate(std::size_t count) {
    const std::size_t bytes = count * sizeof(Value);
    if (bytes < kLeast) return static_cast<Value*>(::operator new(bytes));
    void* const at = ::operator new(bytes, std::align_val_t{kHugePage});
    // Advice: where there are no huge pages the array is in small ones.
    ::madvise(at, bytes / kHugePage * kHugePage, MADV_HUGEPAGE);
    return static_cast<Value*>(at);
  }
  void deallocate(Value* at, std::size_t count) {
    if (count * sizeof(Value) < kLeast)
      ::operator delete(at);
    else
      ::operator delete(at, std::align_val_t{kHugePage});
  }
  bool operator==(const HugePageAllocator&) const = default;
};

template <class Value>
using LargeVector = std::vector<Value, HugePageAllocator<Value>>;

}  // namespace sm
