#pragma once
// A runtime with a virtual clock, which advances only when no handler is ready: managers run for
// virtual hours within milliseconds, and the same seed gives the same run.

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <random>
#include <utility>

#include "sim/world/event_queue.h"

namespace sim {

class VirtualRuntime final : public mad::Runtime {
 public:
  mad::TimePoint now() const override { return events_.now(); }
  std::unique_ptr<mad::Timer> make_timer(std::function<void()> on_expiry) override;
  boost::asio::any_io_executor executor() override { return context_.get_executor(); }
  void run_aside(Lane, std::function<void()> work, std::function<void()> done) override {
    work();
    if (aside_time == mad::Duration{}) return boost::asio::post(context_, std::move(done));
    events_.after(aside_time, [this, done = std::move(done)]() mutable {
      boost::asio::post(context_, std::move(done));
    });
  }
  std::uint64_t random() override { return random_(); }

  EventQueue& events() { return events_; }
  void after(mad::Duration delay, EventQueue::Action action) {
    events_.after(delay, std::move(action));
  }

  /// Called at every point at which all coroutines are suspended, even if some of them are ready to
  /// be resumed. It stands for a signal or another program that acts then, and must not run the
  /// runtime.
  std::function<void()> at_suspension;

  /// Each handler of the programs keeps their thread busy so long; the hardware runs concurrently.
  mad::Duration handler_time{};
  /// The duration of work on other threads.
  mad::Duration aside_time{};

  /// Runs until `done()`, or until `limit` has passed on the virtual clock, which then stops there.
  /// Returns true if done.
  template <class Done>
  bool run_until(Done&& done, mad::Duration limit) {
    const mad::TimePoint end = now() + limit;
    for (;;) {
      if (handler_time != mad::Duration{} && now() < end && run_handler()) {
        if (done()) return true;
        continue;
      }
      if (at_suspension) {
        at_suspension();
        if (done()) return true;
      }
      let_coroutines_run();
      if (done()) return true;
      if (at_suspension) {
        at_suspension();
        if (done()) return true;
        let_coroutines_run();
      }
      if (!events_.run_one(end)) break;
    }
    events_.advance(end);
    return false;
  }
  void run_for(mad::Duration time) {
    run_until([] { return false; }, time);
  }

  template <class T>
  struct Outcome {
    bool done = false;
    std::optional<T> value;
    std::exception_ptr error;
  };
  /// Starts a coroutine concurrently.
  template <class T>
  std::shared_ptr<Outcome<T>> start(boost::asio::awaitable<T> task) {
    auto outcome = std::make_shared<Outcome<T>>();
    boost::asio::co_spawn(context_, std::move(task), [outcome](std::exception_ptr error, T value) {
      outcome->done = true;
      outcome->error = error;
      if (!error) outcome->value = std::move(value);
    });
    return outcome;
  }
  /// Runs a coroutine to its end. nullopt if it does not end within the limit; its frame then stays
  /// until the awaited operation is destroyed. Rethrows exceptions of the coroutine.
  template <class T>
  std::optional<T> run(boost::asio::awaitable<T> task,
                       mad::Duration limit = std::chrono::hours(1)) {
    const auto outcome = start(std::move(task));
    run_until([&] { return outcome->done; }, limit);
    if (outcome->error) std::rethrow_exception(outcome->error);
    return std::move(outcome->value);
  }

 private:
  void let_coroutines_run();
  /// Returns false if no handler is ready.
  bool run_handler();

  boost::asio::io_context context_{1};
  EventQueue events_;
  std::mt19937_64 random_{1};
};

}  // namespace sim
