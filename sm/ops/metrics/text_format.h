#pragma once
// The two formats of metrics: the text format 0.0.4 of Prometheus, and OpenMetrics 1.0.

#include <prometheus/metric_family.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sm/ops/metrics/metric_names.h"

namespace sm::metrics {

enum class Format : std::uint8_t { text, open_metrics };

/// Returns the format that a request's Accept asks for (RFC 9110, 12.5.1); text if it names
/// neither.
Format choose_format(std::string_view accept);
std::string_view content_type(Format format);

/// The lines above the samples of a family: HELP and TYPE. OpenMetrics names a counter's or info's
/// family without the suffix of its samples.
std::string heading(const Metric& metric, Format format);

/// Families that the table of names has, with all their samples, without the end of a document.
std::string text_of(const std::vector<prometheus::MetricFamily>& families, Format format);

/// Returns the last line of a document.
std::string_view end_of_document(Format format);

}  // namespace sm::metrics
