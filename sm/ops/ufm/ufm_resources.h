#pragma once

#include "sm/ops/web/exchange.h"
#include "sm/partitions/partition_service.h"

namespace sm {

/// The resources below /ufmRest, /ufmRestV2 and /ufmRestV3. They are not in the OpenAPI document.
/// `service` is called on the threads of the server; what it refers to must outlive all requests.
web::Resources ufm_resources(PartitionService service);

}  // namespace sm
