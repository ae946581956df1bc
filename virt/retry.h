#pragma once
// When something that failed at a port is tried again.

#include "mad/backoff.h"

namespace virt {

/// Pauses that grow while it fails. Other events at the port, as often as its host likes, makes
/// them neither longer nor shorter.
class Retry {
 public:
  static constexpr mad::Duration kFirst = std::chrono::seconds(1);
  static constexpr mad::Duration kLast = std::chrono::minutes(5);

  bool is_due(mad::TimePoint now) const { return now >= at_; }
  void failed(mad::TimePoint now) {
    if (is_due(now)) at_ = now + pauses_.next();
  }
  void succeeded() { *this = {}; }

 private:
  mad::Backoff pauses_{kFirst, kLast};
  mad::TimePoint at_{};
};

}  // namespace virt
