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

/// Says what ends a refusal, and what reports it.
enum class RefusalKind : std::uint8_t {
  setting,  // of a port, ends when its link trains again: SM-PORT-SET-REJECTED
  table,    // of a node, ends when what is known of its tables does: SM-VL-TABLE-REJECTED
};

/// One row for each attribute: what a refusal of it means, and when it is sent again.
struct RefusalRule {
  mad::AttributeId attribute{};
  RefusalKind kind = RefusalKind::setting;
  mad::Duration pause_first{}, pause_last{};
};
const RefusalRule& refusal_rule(mad::AttributeId attribute);

/// Holds SubnSets that devices rejected with a status, or acknowledged without effect, and when to
/// send them again. Pauses double; a Set with other content is sent at once. What one port or node
/// rejects concerns that one only. A value: a plan is made on a copy.
class Refusals {
 public:
  static constexpr std::size_t kNamed = 100;  // conditions of ports; the rest is counted

  struct Subject {
    mad::Guid node;
    mad::PortNum port;  // of a setting; 0 for tables, whose modifier has it
    mad::AttributeId attribute{};
    std::uint32_t item = 0;  // a PortInfoPart, a block of a setting, the modifier of a table
    auto operator<=>(const Subject&) const = default;
  };

  /// Begins a sweep: ends pauses by this time. Forgets ports that disappeared or trained again, and
  /// Sets that the previous sweep was to send and did not: they are not desired any more.
  void begin(const Fabric& fabric, mad::TimePoint now);
  /// True if this content was rejected, and the pause is not over.
  bool is_paused(const Subject& subject, std::span<const std::uint8_t, 64> wanted) const;
  /// Notes a rejection. `status` 0: acknowledged without effect. `detail`: for the operator, or
  /// nothing. `left_in`: the port's state after it.
  void note(const Subject& subject, std::span<const std::uint8_t, 64> wanted, std::uint16_t status,
            std::string detail = "", mad::PortState left_in = {});
  /// Defers the Set of a noted rejection until the rejection ends.
  void defer(const Subject& subject);
  /// True if there was something to forget.
  bool forget(const Subject& subject) { return sets(subject).erase(subject) > 0; }
  void forget_tables(mad::Guid node);
  void forget_tables() { tables_.clear(); }
  bool contains(const Subject& subject) const { return sets(subject).contains(subject); }
  bool has_settings() const { return !settings_.empty(); }

  /// Returns the nodes with a Set that is due again: by NodeGUID, of settings, then of tables.
  std::vector<mad::Guid> due(mad::TimePoint now) const;
  /// Returns SM-PORT-SET-REJECTED, one for each port.
  std::vector<Condition> setting_conditions(const Fabric& fabric) const;
  /// Returns SM-VL-TABLE-REJECTED, one for each node and attribute, without tables that were due in
  /// this sweep and were not rejected again. `with_status`: also those rejected with a status.
  std::vector<Condition> table_conditions(const Fabric& fabric, bool with_status) const;

 private:
  struct Refusal {
    explicit Refusal(const RefusalRule& rule) : pause(rule.pause_first, rule.pause_last) {}
    mad::SmpData wanted{};
    std::uint16_t status = 0;
    std::string detail;
    mad::PortState left_in{};
    mad::TimePoint retry_at;
    mad::Backoff pause;
    bool due = false;  // to be sent by this sweep
  };
  using Sets = std::map<Subject, Refusal>;
  static bool is_table(const Subject& subject) {
    return refusal_rule(subject.attribute).kind == RefusalKind::table;
  }
  const Sets& sets(const Subject& of) const { return is_table(of) ? tables_ : settings_; }
  Sets& sets(const Subject& of) { return is_table(of) ? tables_ : settings_; }

  Sets settings_, tables_;  // by RefusalKind
  mad::TimePoint now_;
};

/// Returns the subject of a write of this attribute; PortInfo has one for each part.
Refusals::Subject subject_of(const Fabric& fabric, PortIndex port, mad::AttributeId attribute,
                             std::uint32_t block = 0);
Refusals::Subject subject_of(const Fabric& fabric, PortIndex port, PortInfoPart part);

}  // namespace sm
