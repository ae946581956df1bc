#pragma once
// All that the HTTP service serves of one manager.

#include <boost/asio/any_io_executor.hpp>

#include "sm/manager/manager.h"
#include "sm/ops/view.h"
#include "sm/ops/web/exchange.h"

namespace sm {

/// Every part of the API has a line in this function. Handlers run on the server's threads: what
/// they want of the manager they do on `control`. The manager outlives them.
web::Resources http_resources(Manager& manager, const boost::asio::any_io_executor& control,
                              const Views& views);

}  // namespace sm
