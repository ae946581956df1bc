#pragma once

#include <boost/asio/any_io_executor.hpp>

#include "sm/manager/manager.h"
#include "sm/partitions/partition_service.h"

namespace sm {

/// The manager's partitions for threads other than its own. `control`: the executor of its
/// runtime. The manager is not owned and must outlive all calls.
PartitionService partition_service(Manager& manager, const boost::asio::any_io_executor& control);

}  // namespace sm
