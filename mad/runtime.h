#pragma once
// The interface of clock and timers. The daemon uses the real clock; tests and the simulator pass
// in a virtual one, with which a run is reproducible from its seed. All waiting in Heddle uses this
// interface.

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

/// One-shot, re-armable timer. The callback runs on the runtime's executor, never from within
/// arm().
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
  /// CPU time that the process has used, of all its threads. Zero with a virtual clock, which stops
  /// while a program computes.
  virtual Duration cpu_time() const { return {}; }
  virtual std::unique_ptr<Timer> make_timer(std::function<void()> on_expiry) = 0;
  virtual boost::asio::any_io_executor executor() = 0;
  /// Threads beside the runtime's. Work of one lane is done in the order of the calls, and waits
  /// for none of another lane.
  enum class Lane : std::uint8_t {
    files,    // what takes long
    journal,  // what a client waits for: one write and fsync
    compute,  // what a coroutine waits for
  };
  static constexpr std::size_t kLanes = 3;
  /// Runs `work` on the thread of the lane, then `done` on the runtime's. For what takes long and
  /// reads only what does not change, as writing of files. `work` must not throw. The runtime's end
  /// waits for all `work`. With a virtual clock `work` has ended when this returns.
  virtual void run_aside(Lane lane, std::function<void()> work, std::function<void()> done) = 0;
  void run_aside(std::function<void()> work, std::function<void()> done) {
    run_aside(Lane::files, std::move(work), std::move(done));
  }
  /// 64 bits that no other program can predict; in tests from a seed.
  virtual std::uint64_t random() = 0;
};

/// An event on which one coroutine at a time waits, with a deadline. A signal without a waiter is
/// kept (once). Single-threaded: signal() is called on the runtime's thread.
class WakeUp {
 public:
  explicit WakeUp(Runtime& runtime);
  /// True when signalled, false at `deadline`. TimePoint::max() waits without limit.
  boost::asio::awaitable<bool> wait_until(TimePoint deadline);
  void signal();

 private:
  void finish(bool signalled);

  Runtime& runtime_;
  std::unique_ptr<Timer> timer_;
  std::function<void(bool)> waiter_;
  bool signalled_ = false;
};

/// The production runtime: std::chrono::steady_clock on an asio io_context (not owned).
std::unique_ptr<Runtime> make_asio_runtime(boost::asio::any_io_executor executor);

}  // namespace mad
