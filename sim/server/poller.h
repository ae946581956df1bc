#pragma once
// epoll with a callback for each descriptor.

#include <sys/epoll.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <unordered_map>

namespace sim::server {

class Poller {
 public:
  /// Called with the events (EPOLLIN, ...) of the descriptor. It may add and remove descriptors,
  /// its own included.
  using Ready = std::function<void(std::uint32_t events)>;

  /// Throws std::system_error.
  Poller();
  ~Poller();
  Poller(const Poller&) = delete;
  Poller& operator=(const Poller&) = delete;

  /// Returns false if the kernel cannot wait for the descriptor (a regular file is always ready).
  bool add(int fd, std::uint32_t events, Ready ready);
  void modify(int fd, std::uint32_t events);
  /// Removes the descriptor; call it before closing.
  void remove(int fd);

  /// Waits until a descriptor is ready, at most for `limit` if it is given. Runs no callback.
  /// Returns true if a descriptor is ready.
  bool wait(std::optional<std::chrono::nanoseconds> limit);
  /// Runs the callbacks for the events that wait() found.
  void dispatch();
  /// True if the last dispatch() ran a callback.
  bool found_last() const { return found_last_; }

 private:
  static constexpr int kBatch = 64;
  int epoll_ = -1;
  int found_ = 0;
  bool found_last_ = false;
  std::array<epoll_event, kBatch> events_{};
  std::unordered_map<int, Ready> ready_;
};

}  // namespace sim::server
