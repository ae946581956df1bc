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

/// One subnet manager of the process, in a status line.
struct ServiceState {
  mad::Guid port_guid;
  mad::SmState state{};
  std::string last_sweep;  // why, and how it ended
};

/// "0x0002c90300000001 Master, last sweep: SUBNET UP (start)"; several are separated by "; ".
std::string service_status(std::span<const ServiceState> states);

/// Without a service manager nothing is sent. The watchdog expects a sign of life from the thread
/// that calls alive(): the control thread, so that one that hangs is restarted.
class ServiceManager {
 public:
  /// Reads WATCHDOG_USEC and WATCHDOG_PID.
  ServiceManager();

  /// Bound to all ports.
  void ready() const;
  void stopping() const;
  /// To be called at least once in `period()`. A status that is the same is not sent again.
  void alive(std::string_view status);

  /// A third of what the watchdog waits, or a second if that is less or nothing waits.
  std::chrono::milliseconds period() const;

 private:
  std::optional<std::chrono::microseconds> watchdog_;
  std::string status_;
};

}  // namespace sm
