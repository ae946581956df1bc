#include "sim/server/poller.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <utility>

namespace sim::server {

Poller::Poller() : epoll_(epoll_create1(EPOLL_CLOEXEC)) {
  if (epoll_ < 0) throw std::system_error(errno, std::generic_category(), "epoll_create1");
}

Poller::~Poller() { close(epoll_); }

bool Poller::add(int fd, std::uint32_t events, Ready ready) {
  epoll_event event{.events = events, .data = {.fd = fd}};
  if (epoll_ctl(epoll_, EPOLL_CTL_ADD, fd, &event) < 0) {
    if (errno == EPERM) return false;
    throw std::system_error(errno, std::generic_category(), "epoll_ctl");
  }
  ready_[fd] = std::move(ready);
  return true;
}

void Poller::modify(int fd, std::uint32_t events) {
  epoll_event event{.events = events, .data = {.fd = fd}};
  epoll_ctl(epoll_, EPOLL_CTL_MOD, fd, &event);
}

void Poller::remove(int fd) {
  epoll_ctl(epoll_, EPOLL_CTL_DEL, fd, nullptr);
  ready_.erase(fd);
  // Pending events of this descriptor must not reach a later descriptor of the same number.
  for (int i = 0; i < found_; ++i) {
    if (events_[static_cast<std::size_t>(i)].data.fd == fd)
      events_[static_cast<std::size_t>(i)].events = 0;
  }
}

bool Poller::wait(std::optional<std::chrono::nanoseconds> limit) {
  timespec time{};
  if (limit) {
    const auto ns = std::max<std::int64_t>(0, limit->count());
    time = {.tv_sec = ns / 1'000'000'000, .tv_nsec = ns % 1'000'000'000};
  }
  int found = epoll_pwait2(epoll_, events_.data(), kBatch, limit ? &time : nullptr, nullptr);
  // Linux before 5.11, and emulators of its system calls, have milliseconds only.
  if (found < 0 && errno == ENOSYS)
    found = epoll_wait(
        epoll_, events_.data(), kBatch,
        limit ? static_cast<int>(time.tv_sec * 1000 + (time.tv_nsec + 999'999) / 1'000'000) : -1);
  found_ = std::max(0, found);
  return found_ > 0;
}

void Poller::dispatch() {
  found_last_ = found_ > 0;
  for (int i = 0; i < found_; ++i) {
    const epoll_event& event = events_[static_cast<std::size_t>(i)];
    const auto found = ready_.find(event.data.fd);
    if (event.events == 0 || found == ready_.end()) continue;
    const Ready ready = found->second;  // it may remove itself
    ready(event.events);
  }
  found_ = 0;
}

}  // namespace sim::server
