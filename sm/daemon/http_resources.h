#pragma once
// Everything that the HTTP service serves for one manager.

#include <boost/asio/any_io_executor.hpp>
#include <functional>
#include <memory>

#include "sm/daemon/instance.h"
#include "sm/ops/api/event_log.h"
#include "sm/ops/view.h"
#include "sm/ops/web/exchange.h"

namespace sm {

struct HttpResources {
  web::Resources resources;
  /// Is to be shown what is published, from which events are made. Any thread.
  std::function<void(std::shared_ptr<const View>)> observe;
  std::shared_ptr<api::EventLog> events;
};

/// Every part of the API has a line in this function. Handlers run on the server's threads: what
/// they want of the manager they do on `control`. The instance outlives them.
HttpResources http_resources(Instance& instance, const boost::asio::any_io_executor& control,
                             const Views& views);

}  // namespace sm
