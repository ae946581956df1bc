#pragma once
// Traps between their arrival and their effect.

#include <utility>
#include <vector>

#include "mad/attributes/notice.h"
#include "mad/runtime.h"
#include "sm/sweep/trap_damper.h"

namespace sm {

/// Damps storms, and keeps what arrives while tables are written: what a sweep itself causes is
/// known only when it has ended.
class TrapQueue {
 public:
  static constexpr std::size_t kHeldMax = 4096;
  struct Trap {
    mad::Notice notice;
    mad::Lid issuer;
  };

  TrapDamper::Action admit(mad::Lid issuer, const mad::Notice& notice, mad::TimePoint now) {
    return damper_.admit(issuer, notice, now);
  }
  bool is_holding() const { return holding_; }
  void hold() { holding_ = true; }
  /// While holding. False if kHeldMax are held already.
  bool keep(const mad::Notice& notice, mad::Lid issuer) {
    if (held_.size() >= kHeldMax) return false;
    held_.push_back({notice, issuer});
    return true;
  }
  /// No longer holding; what was kept, in the order of arrival.
  std::vector<Trap> release() {
    holding_ = false;
    return std::exchange(held_, {});
  }

 private:
  TrapDamper damper_;
  bool holding_ = false;
  std::vector<Trap> held_;
};

}  // namespace sm
