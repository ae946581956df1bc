#include "fabric/forwarding_tables.h"

#include <algorithm>
#include <cstring>
#include <new>

namespace fabric {

SharedBytes::Memory* SharedBytes::allocated(std::size_t size) {
  auto* const memory = new (::operator new(sizeof(Memory) + size)) Memory;
  memory->size = size;
  return memory;
}

SharedBytes::SharedBytes(std::size_t size, std::uint8_t value) : memory_(allocated(size)) {
  std::memset(memory_->bytes(), value, size);
}

SharedBytes::SharedBytes(const SharedBytes& other) noexcept : memory_(other.memory_) {
  if (memory_ != nullptr) memory_->owners.fetch_add(1, std::memory_order_relaxed);
}

SharedBytes::~SharedBytes() {
  if (memory_ == nullptr || memory_->owners.fetch_sub(1, std::memory_order_acq_rel) > 1) return;
  memory_->~Memory();
  ::operator delete(memory_);
}

std::span<std::uint8_t> SharedBytes::writable() {
  if (memory_ == nullptr) return {};
  // Every other owner finished its reads before it gave up its share.
  if (memory_->owners.load(std::memory_order_acquire) > 1) {
    SharedBytes own;
    own.memory_ = allocated(memory_->size);
    std::memcpy(own.memory_->bytes(), memory_->bytes(), memory_->size);
    std::swap(memory_, own.memory_);
  }
  return {memory_->bytes(), memory_->size};
}

bool operator==(const SharedBytes& a, const SharedBytes& b) {
  return a.memory_ == b.memory_ || std::ranges::equal(a.bytes(), b.bytes());
}

void ForwardingTables::take_row(SwitchIndex sw, const ForwardingTables& other,
                                SwitchIndex of_other) {
  if (other.pitch() == pitch()) {
    rows_[sw] = other.rows_[of_other];
    return;
  }
  const std::span<const std::uint8_t> from = other.row(of_other);
  const std::span<std::uint8_t> to = writable_row(sw);
  const std::size_t common = std::min(from.size(), to.size());
  std::copy_n(from.begin(), common, to.begin());
  std::fill(to.begin() + static_cast<std::ptrdiff_t>(common), to.end(), mad::kNoPort.value);
}

}  // namespace fabric
