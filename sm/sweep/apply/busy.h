#pragma once

#include <memory>
#include <utility>

namespace sm {

/// Says for as long as it lives that attributes are being written.
class Busy {
 public:
  explicit Busy(std::shared_ptr<bool> flag) : flag_(std::move(flag)) { *flag_ = true; }
  ~Busy() { *flag_ = false; }
  Busy(const Busy&) = delete;
  Busy& operator=(const Busy&) = delete;

 private:
  std::shared_ptr<bool> flag_;
};

}  // namespace sm
