#pragma once
// Waiting for descriptors: epoll, with a function for each.

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
  /// Called with the events (EPOLLIN, ...) of the descriptor. May add and remove descriptors, its
  /// own included.
  using Ready = std::function<void(std::uint32_t events)>;

  /// Throws std::system_error.
  Poller();
  ~Poller();
  Poller(const Poller&) = delete;
  Poller& operator=(const Poller&) = delete;

  /// False if the kernel cannot wait for this kind of descriptor (a regular file is always ready).
  bool add(int fd, std::uint32_t events, Ready ready);
  void modify(int fd, std::uint32_t events);
  /// Forgets the descriptor; call it before closing.
  void remove(int fd);

  /// Waits until something is ready, or for that long; without a limit if there is none. Calls
  /// nothing. True if something is ready.
  bool wait(std::optional<std::chrono::nanoseconds> limit);
  /// Calls the functions of what wait() found.
  void dispatch();
  /// The last dispatch() had something to do.
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
