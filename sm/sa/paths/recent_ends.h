#pragma once
// Ends that the published subnet does not have and a recent one had: one survey may have missed
// them. A path to them is not denied, since the client's repetition may find them again; nor is one
// to another subnet that a router led to a moment ago.

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
  /// An end is recent for so long after the first subnet without it. A light sweep reads what did
  /// not answer again within this time (sweep_interval is 10 s by default).
  static constexpr mad::Duration kTime = std::chrono::seconds(10);

  /// Remembers the ports and vports of `before` (null: none) and the aliases that `after` has no
  /// port for. The ends of `after` are no longer recent.
  void update_from(const fabric::Subnet* before, const fabric::Subnet& after,
                   const AliasGuids& aliases, mad::TimePoint now);
  /// The first subnet since the start or a takeover is published: no earlier one is known, and for
  /// kTime all ports of guid2lid are recent.
  void begin(mad::TimePoint now);
  /// Forgets what is no longer recent. Call it before a request is answered.
  void expire(mad::TimePoint now);
  void clear();

  /// `guid2lid`: null if there is none.
  bool contains(mad::Guid guid, const sm::Guid2Lid* guid2lid) const;
  bool contains(mad::Lid lid, const sm::Guid2Lid* guid2lid) const;
  /// Another subnet, to which a router led.
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
  std::map<std::uint64_t, mad::TimePoint> subnets_;  // until when, by prefix
  mad::TimePoint next_{};                            // when the first of them ends
  mad::TimePoint beginning_until_{};                 // for the ports of guid2lid
  bool is_beginning_ = false;
};

}  // namespace sa
