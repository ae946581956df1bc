#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

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

}  // namespace config
