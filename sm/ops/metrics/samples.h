#pragma once
// Lines of samples as text. The same lines are valid in the text format 0.0.4 and in OpenMetrics
// 1.0: only the headings of a family differ. This code uses no library: a fabric of 35,000 ports
// has a million samples, whose common parts are made once and copied; a tree of objects for them
// would take ten times the memory and the time.

#include <charconv>
#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sm/ops/metrics/metric_names.h"

namespace sm::metrics {

/// Appends the value of a label as the formats require: backslash, quote and line feed are escaped;
/// bytes that are not UTF-8, which node descriptions may contain, become U+FFFD.
void append_label_value(std::string& out, std::string_view value);
/// Returns `name="value"` for each pair, in braces.
std::string label_text(std::initializer_list<std::pair<std::string_view, std::string_view>> labels);

/// The samples of one family, in parts of about kPartBytes that contain whole lines.
struct FamilyText {
  NamedMetric metric;
  std::vector<std::string> parts = {};
};

/// Writes the samples of one family.
class SampleWriter {
 public:
  static constexpr std::size_t kPartBytes = std::size_t{256} << 10;

  explicit SampleWriter(NamedMetric metric) : text_{std::move(metric)} {}

  /// `labels` has the form that label_text() returns, or is empty.
  template <std::unsigned_integral Integer>
  void add(std::string_view labels, Integer value) {
    char digits[24];
    const auto end = std::to_chars(digits, digits + sizeof digits, value).ptr;
    add_text(labels, {digits, static_cast<std::size_t>(end - digits)});
  }
  /// Adds `value`, in the device's units, times `factor` (1 or 4); exact beyond 64 bits, too.
  void add_scaled(std::string_view labels, std::uint64_t value, unsigned factor);
  void add(std::string_view labels, double value);

  FamilyText take() {
    end_part();
    return std::move(text_);
  }

 private:
  void add_text(std::string_view labels, std::string_view value) {
    if (part_.size() >= kPartBytes) end_part();
    if (part_.capacity() == 0) part_.reserve(kPartBytes + 4096);
    part_ += text_.metric.name;
    part_ += labels;
    part_ += ' ';
    part_ += value;
    part_ += '\n';
  }
  void end_part() {
    if (!part_.empty()) text_.parts.push_back(std::move(part_));
    part_ = {};
  }

  FamilyText text_;
  std::string part_;
};

}  // namespace sm::metrics
