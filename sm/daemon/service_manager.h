#pragma once
// Notifies the service manager that started the daemon (sd_notify(3)).

#include <chrono>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "mad/attributes/sm_info.h"
#include "mad/ids.h"

namespace sm {

/// Describes one subnet manager of the process in a status line.
struct ServiceState {
  mad::Guid port_guid;
  mad::SmState state{};
  std::string last_sweep;  // why, and how it ended
};

/// Returns "0x0002c90300000001 Master, last sweep: SUBNET UP (start)"; "; " separates several
/// managers.
std::string service_status(std::span<const ServiceState> states);

/// Sends nothing if there is no service manager. The watchdog expects regular calls of alive() from
/// the control thread, so that a daemon whose control thread hangs is restarted.
class ServiceManager {
 public:
  /// Reads WATCHDOG_USEC and WATCHDOG_PID.
  ServiceManager();

  /// Reports that the daemon is bound to all ports.
  void ready() const;
  void stopping() const;
  /// Notifies the watchdog; the caller does so at least once in `period()`. An unchanged status is
  /// not sent again.
  void alive(std::string_view status);

  /// Returns a third of the watchdog's time, or a second if that is less or there is no watchdog.
  std::chrono::milliseconds period() const;

 private:
  std::optional<std::chrono::microseconds> watchdog_;
  std::string status_;
};

}  // namespace sm
