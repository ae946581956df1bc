#pragma once
// How soon the vports of a host are programmed, by how often it has asked for that.

#include <map>

#include "mad/backoff.h"
#include "mad/ids.h"

namespace sm {

/// Each programming decides about the vports of the whole fabric, and reads what has changed at
/// this port. A host may start hundreds of vports one after the other, so it has credit; one that
/// changes its vports, or says that it does, as fast as it can, spends it, and is served after
/// pauses that grow until it is quiet. Ports that wait for such a pause share the moment.
class VPortPace {
 public:
  static constexpr unsigned kAtOnce = 64;  // requests, before there are pauses
  /// A quiet time of at least this is worth a request.
  static constexpr mad::Duration kRequest = std::chrono::milliseconds(100);
  static constexpr mad::Duration kPauseFirst = kRequest, kPauseLast = std::chrono::seconds(2);

  /// A trap of the physical port (its GUID) arrived: when its vports may be programmed.
  mad::TimePoint request(mad::Guid port, mad::TimePoint now);
  /// Another one arrived before they were.
  void repeat(mad::Guid port, mad::TimePoint now);

 private:
  struct Port {
    mad::Duration credit = kAtOnce * kRequest;
    mad::TimePoint latest{};
    mad::Backoff pauses{kPauseFirst, kPauseLast};
  };
  Port& seen(mad::Guid port, mad::TimePoint now);
  void forget_quiet(mad::TimePoint now);

  std::map<mad::Guid, Port> ports_;  // without those that have all of their credit
  mad::TimePoint forgotten_{};
};

}  // namespace sm
