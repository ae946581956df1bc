#include "sm/daemon/shutdown.h"

namespace sm {

void Shutdown::begin() {
  for (const auto& instance : instances_) instance->manager().stop();
  // Tables that a sweep has not written by then stay as they were.
  sweep_timer_.expires_after(kSweepMax);
  sweep_timer_.async_wait([this](const boost::system::error_code& error) {
    if (error) return;
    for (const auto& instance : instances_) instance->manager().abandon();
  });
  work_timer_.expires_after(kWorkMax);
  work_timer_.async_wait([this](const boost::system::error_code& error) {
    if (!error) io_.stop();
  });
}

bool Shutdown::close_ports() {
  for (const auto& instance : instances_) instance->begin_closing();
  const mad::TimePoint end = std::chrono::steady_clock::now() + kCloseMax;
  bool closed = true;
  for (const auto& instance : instances_) closed &= close(*instance, end);
  return closed;
}

bool Shutdown::close(Instance& instance, mad::TimePoint end) {
  instance.begin_closing();
  if (instance.wait_closed(end)) return true;
  log_.critical("{} hangs: it takes no MADs and does not close", instance.port_name());
  log_.flush();
  return false;
}

}  // namespace sm
