#pragma once

#include <cstddef>
#include <map>
#include <vector>

#include "mad/ids.h"
#include "sm/sa/registrations/outcome.h"

namespace sa {

/// Groups that are created and deleted, merged by MGID over a period: a host that creates and
/// deletes groups again and again causes few reports. The first change of a group in a period is
/// reported at once, unless many are; of the others only the difference, at the end of the period.
class GroupChanges {
 public:
  static constexpr std::size_t kAtOnceMax = 16;  // notices in a period
  /// Bounds the memory; more than one thread creates in a period.
  static constexpr std::size_t kMax = 8192;

  /// True: it is to be reported at once. False: take() has it, as far as it still counts then.
  bool add(const GroupNotice& notice);
  bool is_full() const { return groups_.size() >= kMax; }
  void clear();
  /// Ends the period. Returns the difference between what was reported and what there is, by MGID.
  /// A group that was deleted and created again is reported as both, since it may have another MLID
  /// and other parameters. One that was created and deleted is left out.
  std::vector<GroupNotice> take();

 private:
  struct Change {
    bool is_reported_to_exist = false, exists = false;
    bool is_pending = false;  // something has changed since it was reported
    mad::PKey p_key_before, p_key;
  };
  std::map<mad::Gid, Change> groups_;
  std::size_t at_once_ = 0;
};

}  // namespace sa
