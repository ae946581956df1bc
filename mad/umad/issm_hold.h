#pragma once

#include <string>
#include <tl/expected.hpp>

#include "mad/umad/local_ports.h"

namespace mad::umad {

/// Holds /dev/infiniband/issmN open: while it is open, the kernel sets IsSM in the port's
/// CapabilityMask and admits no other process.
class IssmHold {
 public:
  /// Errors: a message with the device and a remedy: held by another SM, missing, or no permission.
  static tl::expected<IssmHold, std::string> claim(const LocalPort& port);
  IssmHold(IssmHold&& other) noexcept;
  IssmHold& operator=(IssmHold&&) = delete;
  ~IssmHold();

 private:
  explicit IssmHold(int fd) : fd_(fd) {}
  int fd_ = -1;
};

}  // namespace mad::umad
