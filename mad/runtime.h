#pragma once
// What time and waiting mean. The daemon runs on the real clock; tests and the simulator hand in a
// virtual one, and then the same code repeats exactly from its seed. Everything that waits in
// Heddle waits through this interface.

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <chrono>
#include <functional>
#include <memory>

namespace mad {

using TimePoint = std::chrono::steady_clock::time_point;
using Duration = std::chrono::steady_clock::duration;

/// One-shot, re-armable timer. The callback runs on the runtime's executor, never from within
/// arm().
class Timer {
 public:
  virtual ~Timer() = default;
  /// Replaces an earlier deadline. A deadline in the past expires at the next turn of the loop.
  virtual void arm(TimePoint deadline) = 0;
  virtual void cancel() = 0;
};

class Runtime {
 public:
  virtual ~Runtime() = default;
  virtual TimePoint now() const = 0;
  virtual std::unique_ptr<Timer> make_timer(std::function<void()> on_expiry) = 0;
  virtual boost::asio::any_io_executor executor() = 0;
};

/// Something a coroutine waits for until it is signalled or a time has come. Signals that come
/// while nobody waits are kept (once). One waiter at a time. Single-threaded: signal() belongs to
/// the runtime's thread.
class WakeUp {
 public:
  explicit WakeUp(Runtime& runtime);
  /// True when signalled, false when `deadline` came first. TimePoint::max() waits without limit.
  boost::asio::awaitable<bool> wait_until(TimePoint deadline);
  void signal();

 private:
  void finish(bool signalled);

  Runtime& runtime_;
  std::unique_ptr<Timer> timer_;
  std::function<void(bool)> waiter_;
  bool signalled_ = false;
};

/// The real thing: std::chrono::steady_clock on an asio io_context (not owned).
std::unique_ptr<Runtime> make_asio_runtime(boost::asio::any_io_executor executor);

}  // namespace mad
