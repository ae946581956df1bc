#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "fabric/condition.h"
#include "fabric/fabric.h"
#include "mad/backoff.h"
#include "mad/smp_client.h"
#include "sm/sweep/devices/link_settings.h"

namespace sm {

/// Holds SubnSets that devices rejected with a status, or acknowledged without effect, and when to
/// send them again. Pauses double; a Set with other content, or after the link trained again, is
/// sent at once. What one port rejects concerns that port only. A value: a plan is made on a copy.
class RejectedSets {
 public:
  static constexpr mad::Duration kPauseFirst = std::chrono::seconds(5),
                                 kPauseLast = std::chrono::hours(1);
  static constexpr std::size_t kNamed = 100;  // conditions of ports; the rest is counted

  struct Subject {
    mad::Guid node;
    mad::PortNum port;
    mad::AttributeId attribute{};
    std::uint32_t item = 0;  // a block of a table, or a PortInfoPart
    auto operator<=>(const Subject&) const = default;
  };

  /// Begins a sweep: ends pauses by this time; forgets ports that disappeared or trained again.
  void begin(const Fabric& fabric, mad::TimePoint now);
  /// True if this content was rejected, and the pause is not over.
  bool is_paused(const Subject& subject, std::span<const std::uint8_t, 64> wanted) const;
  /// Notes a rejection. `what`: for the operator, as in "PortInfo rejected with status 0x001c".
  /// `left_in`: the port's state after it.
  void note(const Subject& subject, std::span<const std::uint8_t, 64> wanted, std::string what,
            mad::PortState left_in);
  /// Defers the Set until the link trains again.
  void defer(const Subject& subject);
  /// True if there was something to forget.
  bool forget(const Subject& subject) { return !sets_.empty() && sets_.erase(subject) > 0; }
  bool contains(const Subject& subject) const { return sets_.contains(subject); }
  bool empty() const { return sets_.empty(); }

  /// Returns the nodes with a Set that is due again, by NodeGUID.
  std::vector<mad::Guid> due(mad::TimePoint now) const;
  /// Returns SM-PORT-SET-REJECTED, one for each port.
  std::vector<Condition> conditions(const Fabric& fabric) const;

 private:
  struct Rejection {
    mad::SmpData wanted{};
    std::string what;
    mad::PortState left_in{};
    mad::TimePoint retry_at;
    mad::Backoff pause{kPauseFirst, kPauseLast};
    bool due = false;  // to be sent by this sweep
  };
  std::map<Subject, Rejection> sets_;
  mad::TimePoint now_;
};

RejectedSets::Subject port_info_subject(const Node& node, mad::PortNum port, PortInfoPart part);
/// Returns the subject of a write of this attribute; PortInfo has one for each part.
RejectedSets::Subject subject_of(const Fabric& fabric, PortIndex port, mad::AttributeId attribute,
                                 std::uint32_t block = 0);

}  // namespace sm
