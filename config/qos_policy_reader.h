#pragma once
// The reader of qos-policy.conf.

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "config/diagnostic.h"
#include "config/positioned_values.h"
#include "config/qos_policy.h"

namespace config {

/// The section qos-ulps of a QoS policy: each line selects queries by an upper layer protocol, and
/// gives them an SL.
class QosUlps {
 public:
  /// `text` is the line that `values` was begun with. Errors go to `values`.
  void read_line(std::string_view text, PositionedValues& values);

  /// Returns the SL of queries that no line selects.
  std::optional<std::uint8_t> default_sl() const { return default_sl_; }
  /// Adds levels, groups and rules after those that `policy` has.
  void append_to(QosPolicy& policy) &&;

 private:
  enum class Selects : std::uint8_t { service_id, p_key, target, source, source_and_target };
  struct Form;
  static const Form kForms[];
  static void report_unknown(std::string_view line, std::string_view protocol,
                             PositionedValues& values);
  void add_rule(Selects selects, NumberRanges ranges, std::uint8_t sl);

  std::optional<std::uint8_t> default_sl_;
  // Counted from 0.
  std::vector<QosLevel> levels_;
  std::vector<QosPortGroup> groups_;
  std::vector<QosRule> rules_;
};

/// Reads qos-policy.conf. Every qos-ulps line becomes a rule, its SL a level.
/// Shape:  nested sections `name` ... `end-name`, in them `key: value`; `#` starts a comment;
/// numbers as in opensm.conf. Errors: all of them are reported; with any, nothing is returned: part
/// of a policy would give traffic the wrong SLs. Undefined names and a missing default level are
/// errors. qos-setup is checked, and a warning says that it has no effect, as in OpenSM.
/// Source: behaviour of OpenSM 3.3.23. Deliberately stricter: SLs above 15, values out of range and
/// descending ranges are refused.
std::optional<QosPolicy> parse_qos_policy(const Source& source, Diagnostics& out);

}  // namespace config
