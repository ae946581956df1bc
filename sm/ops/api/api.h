#pragma once
// The native API, /v1.

#include "sm/ops/api/sources.h"
#include "sm/ops/web/exchange.h"

namespace sm {

/// All of /v1 but /v1/partitions. The handlers share what they need, and may be called on several
/// threads at once.
web::Resources api_resources(api::Sources sources);

}  // namespace sm
