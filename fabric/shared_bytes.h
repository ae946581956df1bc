#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "fabric/namespace.h"

namespace fabric {

/// A number of bytes that copies share until one of them writes. Each copy may be used by another
/// thread. Not a std::shared_ptr: that its use_count() is 1 does not order what the former owners
/// have read before what the last one writes.
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
  /// No other copy has them: if one does now, they become this one's own.
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

}  // namespace fabric
