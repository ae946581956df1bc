#pragma once
// OpenSM's console in this process.

#include <boost/asio/any_io_executor.hpp>
#include <functional>
#include <memory>
#include <string>
#include <tl/expected.hpp>

#include "config/options.h"
#include "sm/daemon/instance.h"
#include "sm/ops/console/console_server.h"

namespace sm {

/// As `console` and `console_port` say; null: there is none. `instance`: the one whose
/// manager commands are about, of several the latest that was started. Errors: one line.
tl::expected<std::unique_ptr<console::ConsoleServer>, std::string> start_console(
    const boost::asio::any_io_executor& executor, const config::Options& options,
    const std::function<Instance&()>& instance, const std::function<unsigned()>& log_flags);

}  // namespace sm
