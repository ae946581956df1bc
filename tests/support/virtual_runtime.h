#pragma once
// Time that passes only when nobody has anything left to do: whole managers run for hours of it in milliseconds, and the same seed gives the same run.

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "mad/runtime.h"

namespace fake {

class VirtualRuntime final : public mad::Runtime {
 public:
  mad::TimePoint now() const override { return now_; }
  std::unique_ptr<mad::Timer> make_timer(std::function<void()> on_expiry) override;
  boost::asio::any_io_executor executor() override { return context_.get_executor(); }

  /// `event` happens in `delay` from now. Events of one instant happen in the order in which they were asked for.
  void after(mad::Duration delay, std::function<void()> event) { at(now_ + delay, std::move(event)); }
  void at(mad::TimePoint when, std::function<void()> event);

  /// Runs until `done()` or until `limit` has passed on the virtual clock, which then stands there. True if done.
  bool run_until(const std::function<bool()>& done, mad::Duration limit);
  void run_for(mad::Duration time) {
    run_until([] { return false; }, time);
  }

  /// Runs a coroutine to its end. Nothing if it has none within the limit: its frame then lives as long as what it waits for. Rethrows.
  template <class T>
  std::optional<T> run(boost::asio::awaitable<T> task, mad::Duration limit = std::chrono::hours(1)) {
    const auto outcome = start(std::move(task));
    run_until([&] { return outcome->done; }, limit);
    if (outcome->error) std::rethrow_exception(outcome->error);
    return std::move(outcome->value);
  }

  template <class T>
  struct Outcome {
    bool done = false;
    std::optional<T> value;
    std::exception_ptr error;
  };
  /// Starts a coroutine beside whatever else runs.
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

 private:
  struct Event {
    mad::TimePoint when;
    std::uint64_t number;
    std::function<void()> happen;
    static bool later(const Event& a, const Event& b) { return a.when != b.when ? a.when > b.when : a.number > b.number; }
  };

  boost::asio::io_context context_{1};
  std::vector<Event> events_;  // a heap, the next one in front
  std::uint64_t count_ = 0;
  // Not the clock's zero: "never" is often written as TimePoint{}, and that must be long ago.
  mad::TimePoint now_ = mad::TimePoint{} + std::chrono::hours(24);
};

}  // namespace fake
