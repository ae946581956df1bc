#pragma once

#include <prometheus/metric_family.h>

#include <vector>

#include "sm/ops/view.h"

namespace sm::metrics {

/// Returns the metrics of a manager and its subnet (heddle_*), in the order of the table of names:
/// a few hundred series, whatever the size of the subnet. Names are those of samples. Pure.
std::vector<prometheus::MetricFamily> own_families(const View& view);

}  // namespace sm::metrics
