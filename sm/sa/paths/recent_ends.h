#pragma once
// Remembers ends that a recent subnet had and the published one does not have: a sweep may have
// missed them. Subnet administration does not deny a path to them, since the client's repetition
// may succeed. This applies also to paths to another subnet that a router recently led to.

#include <functional>
#include <map>

#include "fabric/subnet.h"
#include "mad/ids.h"
#include "mad/runtime.h"
#include "sm/sa/registrations/alias_guids.h"
#include "sm/store/guid2lid.h"

namespace sa {

class RecentEnds {
 public:
  /// An end is recent for this time after the first subnet without it. Within this time a light
  /// sweep reads nodes again that did not answer (sweep_interval is 10 s by default).
  static constexpr mad::Duration kTime = std::chrono::seconds(10);

  /// Remembers the ports and vports of `before` (may be null) and the aliases that have no port in
  /// `after`. The ends of `after` are no longer recent.
  void update_from(const fabric::Subnet* before, const fabric::Subnet& after,
                   const AliasGuids& aliases, mad::TimePoint now);
  /// Begins, as the first subnet since the start or a takeover is published. No earlier one is
  /// known, so all ports of guid2lid are recent for kTime.
  void begin(mad::TimePoint now);
  /// Forgets ends that are no longer recent. Call it before a request is answered.
  void expire(mad::TimePoint now);
  void clear();

  /// `guid2lid` is null if there is none.
  bool contains(mad::Guid guid, const sm::Guid2Lid* guid2lid) const;
  bool contains(mad::Lid lid, const sm::Guid2Lid* guid2lid) const;
  /// True for another subnet to which a router recently led.
  bool contains_subnet(std::uint64_t prefix) const { return subnets_.contains(prefix); }

 private:
  struct End {
    fabric::LidMap::Range lids;  // none for an alias
    mad::TimePoint until{};
  };
  void note(mad::Guid guid, fabric::LidMap::Range lids, mad::TimePoint now);

  void note_subnets(const fabric::Routers* before, const fabric::Routers* after,
                    mad::TimePoint now);

  std::map<mad::Guid, End> ends_;
  std::map<std::uint64_t, mad::TimePoint> subnets_;  // end of the time, by prefix
  mad::TimePoint next_{};                            // when the first of them ends
  mad::TimePoint beginning_until_{};                 // for the ports of guid2lid
  bool is_beginning_ = false;
};

}  // namespace sa
