#pragma once

#include <compare>
#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <utility>
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

/// Holds what devices do not take. A value: a plan is made on a copy.
///
/// A SubnSet that a device rejected with a status, or acknowledged without effect, is sent again
/// after pauses that double, and at once with other content.
///
/// A tuning field of PortInfo that a device acknowledges and does not take is unsupported. Such a
/// field alone is not a reason to write to that device's ports again, at this sweep or after a
/// restart of the manager. A Set that is needed for another reason still has it, and a device that
/// takes it is recorded at once. The record ends when the device restarts: it may run another
/// firmware. Fields that connectivity or isolation depend on (LID, MTU, M_Key, P_Key enforcement,
/// ...) are never unsupported.
///
/// What one port or node does not take concerns that one only, not its model.
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

  /// Begins a sweep: ends pauses by this time. Forgets ports that disappeared or trained again,
  /// fields of devices that restarted, and Sets that the previous sweep was to send and did not:
  /// they are not desired any more.
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
  /// Forgets tables and fields of a node that holds other content than it showed.
  void forget(mad::Guid node);
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

  /// Returns the fields that are unsupported at ports of this kind: port 0 of a switch, or any
  /// other port of the device.
  PortInfoMask unsupported(const Fabric& fabric, PortIndex port) const;
  /// Learns from `answered`, a response without an error to `asked`, when the port had `before`.
  /// Returns the names of fields that were not known to be unsupported.
  std::vector<std::string_view> learn(const Fabric& fabric, PortIndex port,
                                      const mad::PortInfo& before, const mad::PortInfo& asked,
                                      const mad::PortInfo& answered);
  /// True once after the unsupported fields changed, so that they should be saved.
  bool take_changed() { return std::exchange(changed_, false); }
  static constexpr std::string_view kFile = "refused-settings";
  /// Returns the file of unsupported fields, one line for each kind of port of a device: `NodeGUID
  /// kind field field ...`, kind `port0` or `ports`. `#` starts a comment; that of the first line
  /// has the version (sm/store/file_version.h), which older files lack.
  std::string to_text() const;
  /// Reads that text. Errors: what is wrong with it, by line; then nothing of it is used, since it
  /// can be learned again.
  tl::expected<void, std::string> read(std::string_view text);
  /// Reads a directory's file, if there is one. Errors: one line; then it is not used.
  tl::expected<void, std::string> load(const std::filesystem::path& folder);

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

  template <class Holds>
  void forget_unsupported_if(const Holds& holds) {
    if (std::erase_if(unsupported_, [&](const auto& entry) { return holds(entry.first); }) > 0)
      changed_ = true;
  }

  Sets settings_, tables_;                       // by RefusalKind
  std::map<Subject, PortInfoMask> unsupported_;  // item 1: port 0 of a switch, 0: all others
  bool changed_ = false;                         // unsupported_, since it was saved
  mad::TimePoint now_;
};

/// Returns the subject of a write of this attribute; PortInfo has one for each part.
Refusals::Subject subject_of(const Fabric& fabric, PortIndex port, mad::AttributeId attribute,
                             std::uint32_t block = 0);
Refusals::Subject subject_of(const Fabric& fabric, PortIndex port, PortInfoPart part);

}  // namespace sm
