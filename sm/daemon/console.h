#pragma once
// OpenSM's console in this process.

#include <boost/asio/any_io_executor.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>

#include "config/options.h"
#include "sm/manager/manager.h"
#include "sm/ops/console/console_server.h"

namespace sm {

/// Actions of the console on the process.
struct ConsoleProcess {
  std::function<unsigned()> log_flags;
  /// As Instance::ProcessCommand: /log-level/FLAGS, /log-flush/on, /log-flush/off.
  std::function<std::optional<tl::expected<std::string, std::string>>(std::string_view target)>
      order;
};

/// As `console` and `console_port` say; null: there is none. `manager`: the one that commands are
/// about, of several the latest that was started. Errors: one line.
tl::expected<std::unique_ptr<console::ConsoleServer>, std::string> start_console(
    const boost::asio::any_io_executor& executor, const config::Options& options,
    const std::function<Manager&()>& manager, const ConsoleProcess& process);

}  // namespace sm
