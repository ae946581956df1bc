#pragma once
// A HANDOVER under way, and the SMs that did not lead when they should have.

#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "fabric/subnet.h"
#include "mad/backoff.h"

namespace sm {

/// SMs that did not do their part: they did not become MASTER after a HANDOVER, or as the ones of
/// highest rank; or they stay MASTER beside one of higher rank. They are passed over for a pause
/// that grows, so that one that does not do its part cannot keep the subnet without a master.
class PassedOver {
 public:
  static constexpr mad::Duration kPauseFirst = std::chrono::seconds(10),
                                 kPauseLast = std::chrono::minutes(10);
  static constexpr std::size_t kMax = 256;  // what does not fit is not passed over

  /// The pause of one that did its part for kPauseLast begins at kPauseFirst again.
  void add(mad::Guid sm, mad::TimePoint now);
  /// Those whose pause has not ended.
  std::vector<mad::Guid> at(mad::TimePoint now) const;

 private:
  struct Entry {
    mad::Backoff pause{kPauseFirst, kPauseLast};
    mad::TimePoint until{};
  };
  std::map<mad::Guid, Entry> entries_;
};

/// The HANDOVER that this MASTER has sent and that has no outcome yet.
struct Handover {
  OtherSm to;
  std::shared_ptr<const Fabric> fabric;  // of the survey that found it
};

}  // namespace sm
