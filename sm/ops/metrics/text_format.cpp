#include "sm/ops/metrics/text_format.h"

#include <prometheus/text_serializer.h>

#include <algorithm>
#include <cmath>

#include "mad/format.h"
#include "mad/number.h"
#include "sm/ops/metrics/samples.h"

namespace sm::metrics {

namespace {

constexpr std::string_view kOpenMetricsType = "application/openmetrics-text";

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

/// Removes the first element of a list and returns it.
std::string_view take(std::string_view& rest, char separator) {
  const std::size_t end = rest.find(separator);
  const std::string_view first = rest.substr(0, end);
  rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
  return trimmed(first);
}

bool same_text(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, [](char x, char y) {
    const auto lower = [](char c) {
      return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    };
    return lower(x) == lower(y);
  });
}

struct MediaRange {
  std::string_view type;
  double weight = 1;
  bool has_other_version = false;  // than those of OpenMetrics that this writes
};

MediaRange media_range(std::string_view element) {
  MediaRange range{.type = take(element, ';')};
  while (!element.empty()) {
    std::string_view value = take(element, ';');
    const std::string_view name = take(value, '=');
    if (same_text(name, "q")) {
      range.weight = mad::take_number<double>(value).value_or(0);
      if (!(range.weight >= 0 && range.weight <= 1)) range.weight = 0;
    } else if (same_text(name, "version")) {
      // 0.0.1 was the draft of 1.0.0; the same readers accept both.
      range.has_other_version = value != "1.0.0" && value != "0.0.1";
    }
  }
  return range;
}

std::string_view without_suffix(std::string_view name, std::string_view suffix) {
  return name.ends_with(suffix) ? name.substr(0, name.size() - suffix.size()) : name;
}

std::string_view family_name(const Metric& metric, Format format) {
  if (format == Format::text) return metric.name;
  if (metric.kind == Kind::counter) return without_suffix(metric.name, "_total");
  if (metric.kind == Kind::info) return without_suffix(metric.name, "_info");
  return metric.name;
}

/// Writes a family in OpenMetrics, which the library's version in Debian 12 does not support.
class OpenMetricsWriter {
 public:
  void family(const prometheus::MetricFamily& family, const Metric& metric) {
    out_ += heading(metric, Format::open_metrics);
    for (const prometheus::ClientMetric& series : family.metric) {
      switch (metric.kind) {
        case Kind::counter:
          sample(metric.name, "", labels(series), series.counter.value);
          break;
        case Kind::gauge:
        case Kind::info:
          sample(metric.name, "", labels(series), series.gauge.value);
          break;
        case Kind::histogram:
          for (const auto& bucket : series.histogram.bucket)
            sample(metric.name, "_bucket", labels(series, bucket_text(bucket.upper_bound)),
                   static_cast<double>(bucket.cumulative_count));
          sample(metric.name, "_count", labels(series),
                 static_cast<double>(series.histogram.sample_count));
          sample(metric.name, "_sum", labels(series), series.histogram.sample_sum);
          break;
      }
    }
  }
  std::string take() { return std::move(out_); }

 private:
  static std::string bucket_text(double bound) {
    // OpenMetrics requires the canonical form of a number: 1.0, not 1.
    if (std::isinf(bound)) return "+Inf";
    std::string text = fmt::format("{}", bound);
    return text.find_first_of(".e") == std::string::npos ? text + ".0" : text;
  }
  static std::string labels(const prometheus::ClientMetric& series, std::string_view bound = {}) {
    std::string text;
    const auto add = [&text](std::string_view name, std::string_view value) {
      text += text.empty() ? "{" : ",";
      text += name;
      text += "=\"";
      append_label_value(text, value);
      text += '"';
    };
    for (const auto& label : series.label) add(label.name, label.value);
    if (!bound.empty()) add("le", bound);
    return text.empty() ? text : text + '}';
  }
  void sample(std::string_view name, std::string_view suffix, const std::string& labels,
              double value) {
    constexpr double kExactMax = 9007199254740992.0;  // 2^53
    if (value == std::floor(value) && std::abs(value) < kExactMax)
      fmt::format_to(std::back_inserter(out_), "{}{}{} {}\n", name, suffix, labels,
                     static_cast<std::int64_t>(value));
    else
      fmt::format_to(std::back_inserter(out_), "{}{}{} {}\n", name, suffix, labels, value);
  }

  std::string out_;
};

}  // namespace

Format choose_format(std::string_view accept) {
  double open_metrics = 0, text = 0;
  while (!accept.empty()) {
    const MediaRange range = media_range(take(accept, ','));
    if (same_text(range.type, kOpenMetricsType)) {
      if (!range.has_other_version) open_metrics = std::max(open_metrics, range.weight);
    } else if (same_text(range.type, "text/plain")) {
      text = std::max(text, range.weight);
    }
  }
  return open_metrics > 0 && open_metrics >= text ? Format::open_metrics : Format::text;
}

std::string_view content_type(Format format) {
  return format == Format::open_metrics
             ? "application/openmetrics-text; version=1.0.0; charset=utf-8"
             : "text/plain; version=0.0.4; charset=utf-8";
}

std::string heading(const Metric& metric, Format format) {
  const std::string_view family = family_name(metric, format);
  // The older format has no infos; they become gauges of value 1.
  const Kind kind = format == Format::text && metric.kind == Kind::info ? Kind::gauge : metric.kind;
  return fmt::format("# HELP {} {}\n# TYPE {} {}\n", family, metric.help, family, name(kind));
}

std::string text_of(const std::vector<prometheus::MetricFamily>& families, Format format) {
  if (format == Format::text) return prometheus::TextSerializer().Serialize(families);
  OpenMetricsWriter writer;
  for (std::size_t i = 0; i < families.size(); ++i)
    writer.family(families[i], metric(static_cast<own::Id>(i)));
  return writer.take();
}

std::string_view end_of_document(Format format) {
  return format == Format::open_metrics ? "# EOF\n" : "";
}

}  // namespace sm::metrics
