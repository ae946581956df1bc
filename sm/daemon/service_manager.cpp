#include "sm/daemon/service_manager.h"

#include <systemd/sd-daemon.h>

#include <algorithm>
#include <cstdint>

#include "mad/format.h"

namespace sm {

std::string service_status(std::span<const ServiceState> states) {
  std::string text;
  for (const ServiceState& state : states)
    fmt::format_to(std::back_inserter(text), "{}{} {}, last sweep: {}", text.empty() ? "" : "; ",
                   state.port_guid, mad::name(state.state), state.last_sweep);
  return text;
}

ServiceManager::ServiceManager() {
  std::uint64_t microseconds = 0;
  if (sd_watchdog_enabled(0, &microseconds) > 0)
    watchdog_ = std::chrono::microseconds(microseconds);
}

void ServiceManager::ready() const { sd_notify(0, "READY=1"); }

void ServiceManager::stopping() const { sd_notify(0, "STOPPING=1"); }

void ServiceManager::alive(std::string_view status) {
  if (watchdog_) sd_notify(0, "WATCHDOG=1");
  if (status == status_) return;
  status_ = status;
  sd_notify(0, ("STATUS=" + status_).c_str());
}

std::chrono::milliseconds ServiceManager::period() const {
  constexpr std::chrono::milliseconds kPeriod{1000};
  if (!watchdog_) return kPeriod;
  return std::clamp(std::chrono::duration_cast<std::chrono::milliseconds>(*watchdog_) / 3,
                    std::chrono::milliseconds(1), kPeriod);
}

}  // namespace sm
