#pragma once

#include "sm/ops/web/exchange.h"
#include "sm/partitions/partition_service.h"

namespace sm {

/// /v1/partitions and /v1/partition-changes. `service` is called on the threads of the server; what
/// it refers to must outlive all requests.
web::Resources partition_resources(PartitionService service);

}  // namespace sm
