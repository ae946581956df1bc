#pragma once

#include <array>
#include <atomic>
#include <cstdint>

namespace sim::umad {

/// The kinds of this process's descriptors. Looked up without a lock at each read(), write() and
/// close() of the program.
enum class DescriptorKind : std::uint8_t {
  foreign = 0,
  umad,
  issm,
  own,   // of this library: the program must not close it
  dead,  // inherited from the process that forked us; its simulator connection stayed there
};

class Descriptors {
 public:
  static constexpr int kMax = 65536;

  static DescriptorKind kind(int fd) {
    if (fd < 0 || fd >= kMax) return DescriptorKind::foreign;
    return kinds_[static_cast<std::size_t>(fd)].load(std::memory_order_acquire);
  }
  /// Returns false if the number is too large.
  static bool set(int fd, DescriptorKind kind) {
    if (fd < 0 || fd >= kMax) return false;
    kinds_[static_cast<std::size_t>(fd)].store(kind, std::memory_order_release);
    return true;
  }

 private:
  static inline std::array<std::atomic<DescriptorKind>, kMax> kinds_{};
};

}  // namespace sim::umad
