#pragma once

#include "sm/ops/view.h"
#include "sm/ops/web/exchange.h"

namespace sm {

/// GET /metrics: the manager's own metrics, and while it is MASTER those of ports, as metrics_ports
/// and metrics_compat say. OpenMetrics where the client accepts it. No MAD is sent: everything is
/// read from what was published, and the text of ports is made once for each subnet and poll,
/// whoever asks.
web::Resources metrics_resources(Views views);

}  // namespace sm
