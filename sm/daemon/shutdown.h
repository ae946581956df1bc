#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <memory>
#include <vector>

#include <spdlog/logger.h>

#include "sm/daemon/instance.h"

namespace sm {

/// Ends the managers of a process within two seconds, whatever their ports do.
class Shutdown {
 public:
  // How long a sweep under way may continue, how long all work, and how long the devices may take
  // to close.
  static constexpr std::chrono::milliseconds kSweepMax{700}, kWorkMax{1000}, kCloseMax{700};

  /// Nothing is owned; `instances` may grow.
  Shutdown(boost::asio::io_context& io, const std::vector<std::unique_ptr<Instance>>& instances,
           spdlog::logger& log)
      : io_(io), instances_(instances), log_(log), sweep_timer_(io), work_timer_(io) {}

  /// Stops the managers. The event loop ends after kWorkMax, if nothing else ends it before.
  void begin();
  /// Closes all ports at the same time, after the event loop. Returns false if a device hangs: the
  /// process must then end without destructors and exit handlers, since these wait for the device,
  /// too.
  bool close_ports();
  /// Closes one port. Returns false, and reports the device, if it hangs.
  bool close(Instance& instance) {
    return close(instance, std::chrono::steady_clock::now() + kCloseMax);
  }

 private:
  bool close(Instance& instance, mad::TimePoint end);

  boost::asio::io_context& io_;
  const std::vector<std::unique_ptr<Instance>>& instances_;
  spdlog::logger& log_;
  boost::asio::steady_timer sweep_timer_, work_timer_;
};

}  // namespace sm
