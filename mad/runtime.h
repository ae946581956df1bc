#pragma once
// The interface of clock and timers. The daemon uses the real clock; tests and the simulator pass
// in a virtual one, with which a run is reproducible from its seed. All waits in Heddle use it.

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>

namespace mad {

using TimePoint = std::chrono::steady_clock::time_point;
using Duration = std::chrono::steady_clock::duration;

/// A one-shot timer that can be armed again. The callback runs on the runtime's executor, never
/// from within arm().
class Timer {
 public:
  virtual ~Timer() = default;
  /// Replaces an earlier deadline. A deadline in the past expires in the next iteration of the
  /// event loop.
  virtual void arm(TimePoint deadline) = 0;
  virtual void cancel() = 0;
};

class Runtime {
 public:
  virtual ~Runtime() = default;
  virtual TimePoint now() const = 0;
  /// Returns the CPU time of all threads of the process. Zero with a virtual clock, which stops
  /// while a program computes.
  virtual Duration cpu_time() const { return {}; }
  virtual std::unique_ptr<Timer> make_timer(std::function<void()> on_expiry) = 0;
  virtual boost::asio::any_io_executor executor() = 0;
  /// Names the threads beside the runtime's. One lane does its work in the order of the calls, and
  /// waits for no other lane.
  enum class Lane : std::uint8_t {
    files,    // long work
    journal,  // one write and fsync for which a client waits
    compute,  // work for which a coroutine waits
  };
  static constexpr std::size_t kLanes = 3;
  /// Runs `work` on the thread of the lane, then `done` on the runtime's. Use it for long work that
  /// reads only constant data, such as writing files. `work` must not throw. The runtime waits at
  /// its end for all `work`. With a virtual clock `work` has ended when this returns.
  virtual void run_aside(Lane lane, std::function<void()> work, std::function<void()> done) = 0;
  void run_aside(std::function<void()> work, std::function<void()> done) {
    run_aside(Lane::files, std::move(work), std::move(done));
  }
  /// Returns 64 bits that no other program can predict; in tests from a seed.
  virtual std::uint64_t random() = 0;
};

/// An event for which one coroutine at a time waits, with a deadline. The event keeps one signal
/// that has no waiter. Single-threaded: signal() is called on the runtime's thread.
class WakeUp {
 public:
  explicit WakeUp(Runtime& runtime);
  /// Returns true when signalled, false at `deadline`. TimePoint::max() waits without limit.
  boost::asio::awaitable<bool> wait_until(TimePoint deadline);
  void signal();

 private:
  void finish(bool signalled);

  Runtime& runtime_;
  std::unique_ptr<Timer> timer_;
  std::function<void(bool)> waiter_;
  bool signalled_ = false;
};

/// Creates the production runtime: std::chrono::steady_clock on an asio io_context (not owned).
std::unique_ptr<Runtime> make_asio_runtime(boost::asio::any_io_executor executor);

}  // namespace mad
