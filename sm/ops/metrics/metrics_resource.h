#pragma once

#include <functional>

#include "sm/ops/view.h"
#include "sm/ops/web/exchange.h"

namespace sm {

struct MetricsResources {
  web::Resources resources;
  /// About once a second: what is published now. Any thread.
  std::function<void(const View&)> observe;
};

/// GET /metrics: the manager's own metrics, and while it is MASTER those of ports, as metrics_ports
/// and metrics_compat say. OpenMetrics where the client accepts it. No MAD is sent: everything is
/// read from what was published (port_text.h).
MetricsResources metrics_resources(Views views);

}  // namespace sm
