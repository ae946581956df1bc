#pragma once

#include <memory>
#include <set>
#include <vector>

#include "fabric/fabric.h"
#include "fabric/multicast_tables.h"
#include "routing/multicast/multicast_update.h"

namespace sm {

/// Holds the MulticastForwardingTables of the switches, as far as Heddle has read or written them,
/// and those that they should have. Both keep to their switches when a survey renumbers them.
class MulticastMemory {
 public:
  /// Renumbers the rows to those of fabric.switches. Known switches keep their rows, of new ones
  /// nothing is known.
  void update_from(const Fabric& fabric);
  /// Forgets what this switch holds, because it restarted. What it should hold stays.
  void forget(SwitchIndex sw);
  /// Notes that another manager may have written to the switches. What they should hold stays.
  void invalidate();
  /// Forgets everything after another manager was master: trees start from what is found.
  void forget_all();

  routing::HeldMulticast& held() { return held_; }
  const routing::HeldMulticast& held() const { return held_; }
  /// Returns what trees start from: the latest desired tables, or what was read back if there are
  /// none. Rows as in the fabric of the latest update_from().
  const MulticastTables& start() const { return wanted_ ? *wanted_ : held_.tables; }
  /// Returns whether there are desired tables; without them, trees start from what is read back.
  bool is_decided() const { return wanted_ != nullptr; }
  void want(std::shared_ptr<const MulticastTables> tables) { wanted_ = std::move(tables); }

  /// True if the switch acknowledges MulticastFDBTop and does not take it: it is not written again.
  bool ignores_top(mad::Guid sw) const { return ignore_top_.contains(sw); }
  void note_ignores_top(mad::Guid sw) { ignore_top_.insert(sw); }

 private:
  IndexVector<SwitchIndex, mad::Guid> switches_;
  std::size_t positions_ = 1;
  routing::HeldMulticast held_;
  std::shared_ptr<const MulticastTables> wanted_;  // null: not decided yet
  std::set<mad::Guid> ignore_top_;
};

}  // namespace sm
