#pragma once
// Nodes that left requests without a response, and when each is read again.

#include <map>
#include <set>
#include <span>

#include "mad/backoff.h"
#include "mad/ids.h"

namespace sm {

/// A node is read again after kPauseFirst, then with pauses that double up to kPauseLast, until it
/// answers. One of them never causes more than that: neither a sweep of everything nor log lines.
/// Time is passed in. At most one entry for each node that a survey met.
class UnreadNodes {
 public:
  static constexpr mad::Duration kPauseFirst = std::chrono::seconds(1),
                                 kPauseLast = std::chrono::seconds(30);

  /// After a survey, by NodeGUID: `unread` left requests without a response; all others of `read`
  /// answered.
  void note(std::span<const mad::Guid> unread, std::span<const mad::Guid> read, mad::TimePoint now);
  /// After a survey of everything: what is not in `unread` answered, or is not in the fabric.
  void note_all(std::span<const mad::Guid> unread, mad::TimePoint now);

  /// When the first of them is to be read again; TimePoint::max() without one.
  mad::TimePoint next() const;
  /// Returns the nodes whose time has come. They are due again after a longer pause.
  std::set<mad::Guid> take_due(mad::TimePoint now);
  /// Returns the nodes whose time has not come.
  std::set<mad::Guid> waiting(mad::TimePoint now) const;

 private:
  struct Entry {
    mad::Backoff pause{kPauseFirst, kPauseLast};
    mad::TimePoint due;
  };
  std::map<mad::Guid, Entry> entries_;
};

}  // namespace sm
