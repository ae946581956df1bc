#pragma once
// A program on a simulated fabric, measured: the virtual clock goes on by the real time that the
// program computes, and not by what the simulator computes. So a duration on that clock is what
// the program would take on its own machine, on hardware that answers within microseconds. While
// the program computes, what arrives waits, as in the queue of a real port.

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <chrono>
#include <ctime>
#include <functional>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "mad/smp.h"
#include "mad/transport.h"
#include "sim/world/event_queue.h"

namespace bench {

class MeteredRuntime final : public mad::Runtime {
 public:
  /// Since the start, of the program alone.
  struct Used {
    mad::Duration wall{}, cpu{};
    Used operator-(const Used& other) const { return {wall - other.wall, cpu - other.cpu}; }
    Used& operator+=(const Used& other) {
      wall += other.wall;
      cpu += other.cpu;
      return *this;
    }
  };

  /// The clock goes on by CPU time, of all threads together: for a machine that others keep busy.
  void use_cpu_time() { cpu_only_ = true; }

  sim::EventQueue& events() { return events_; }
  mad::TimePoint now() const override {
    return computing_ ? base_ + (clock() - begin_).wall : events_.now();
  }
  mad::Duration cpu_time() const override { return used().cpu; }
  std::unique_ptr<mad::Timer> make_timer(std::function<void()> on_expiry) override {
    return std::make_unique<Timer>(*this, std::move(on_expiry));
  }
  boost::asio::any_io_executor executor() override { return context_.get_executor(); }
  std::uint64_t random() override { return random_ += 0x9E3779B97F4A7C15; }
  /// Another core's work: its CPU time counts, and the clock goes on meanwhile only for what waits.
  void run_aside(Lane, std::function<void()> work, std::function<void()> done) override {
    const bool computing = std::exchange(computing_, false);
    if (computing) pause();
    const Used begin = clock_of_threads();
    work();
    const Used took = clock_of_threads() - begin;
    used_.cpu += took.cpu;
    aside_ += took;
    if (computing) {
      computing_ = true;
      begin_ = clock();
    }
    events_.after(took.wall, [this, done = std::move(done)]() mutable {
      boost::asio::post(context_, std::move(done));
    });
  }
  /// Returns what run_aside() alone used.
  Used aside() const { return aside_; }

  Used used() const {
    Used all = used_;
    if (computing_) all += clock() - begin_;
    return all;
  }
  /// The longest time for which the program did not return to its event loop.
  mad::Duration longest() const { return longest_; }
  void forget_longest() { longest_ = {}; }

  template <class Done>
  bool run_until(Done&& done, mad::Duration limit) {
    const mad::TimePoint end = events_.now() + limit;
    for (;;) {
      while (events_.run_one(events_.now())) {
      }
      context_.restart();
      if (compute()) {
        if (done()) return true;
      } else if (!events_.run_one(end)) {
        events_.advance(end);
        return false;
      }
    }
  }
  void run_for(mad::Duration time) {
    run_until([] { return false; }, time);
  }

  /// Runs the simulator's work when the program has sent something: its time is not the program's.
  template <class Work>
  auto simulate(Work&& work) {
    if (!computing_) return work();
    pause();
    while (events_.run_one(base_)) {
    }
    events_.advance(base_);
    auto result = work();
    begin_ = clock();
    return result;
  }

 private:
  class Timer final : public mad::Timer {
   public:
    Timer(MeteredRuntime& runtime, std::function<void()> on_expiry)
        : runtime_(runtime), state_(std::make_shared<State>(std::move(on_expiry))) {}
    void arm(mad::TimePoint deadline) override {
      const auto generation = ++state_->generation;
      runtime_.events_.at(deadline, [this, weak = std::weak_ptr(state_), generation] {
        const auto is_due = [generation](const std::weak_ptr<State>& of) {
          const auto state = of.lock();
          return state && state->generation == generation ? state : nullptr;
        };
        if (!is_due(weak)) return;
        boost::asio::post(runtime_.context_, [weak, is_due] {
          if (const auto state = is_due(weak)) state->on_expiry();
        });
      });
    }
    void cancel() override { ++state_->generation; }

   private:
    struct State {
      explicit State(std::function<void()> what) : on_expiry(std::move(what)) {}
      std::function<void()> on_expiry;
      std::uint64_t generation = 0;
    };
    MeteredRuntime& runtime_;
    std::shared_ptr<State> state_;
  };

  static mad::Duration cpu() {
    timespec used{};
    ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
    return std::chrono::seconds(used.tv_sec) + std::chrono::nanoseconds(used.tv_nsec);
  }
  static mad::Duration wall() { return std::chrono::steady_clock::now().time_since_epoch(); }
  /// Measures handlers, which run on one thread: the wall clock is read for both, as a system call
  /// for the other one at each MAD would cost a tenth of what is measured.
  Used clock() const {
    const mad::Duration now = cpu_only_ ? cpu() : wall();
    return {now, now};
  }
  /// Measures work that may have several threads.
  Used clock_of_threads() const {
    const mad::Duration used = cpu();
    return {cpu_only_ ? used : wall(), used};
  }
  /// One handler; false: none is ready.
  bool compute() {
    base_ = events_.now();
    const mad::Duration before = used_.wall;
    begin_ = clock();
    computing_ = true;
    const bool ran = context_.poll_one() > 0;
    pause();
    computing_ = false;
    longest_ = std::max(longest_, used_.wall - before);
    if (!ran) return false;
    while (events_.run_one(base_)) {
    }
    events_.advance(base_);
    return true;
  }
  void pause() {
    const Used since = clock() - begin_;
    used_ += since;
    base_ += since.wall;
  }

  boost::asio::io_context context_{1};
  sim::EventQueue events_;
  std::uint64_t random_ = 1;
  bool computing_ = false, cpu_only_ = false;
  mad::TimePoint base_ = sim::EventQueue::kStart;  // the virtual time at `begin_`
  Used begin_, used_, aside_;
  mad::Duration longest_{};
};

/// The port of that program.
class MeteredPort final : public mad::MadTransport {
 public:
  MeteredPort(MeteredRuntime& runtime, mad::MadTransport& port) : runtime_(runtime), port_(port) {}

  int send(std::span<const std::uint8_t> mad, const mad::MadAddress& to, int timeout_ms) override {
    return runtime_.simulate([&] {
      if (mad.size() >= 24 && (mad[3] & 0x7F) == static_cast<std::uint8_t>(mad::Method::set) &&
          mad[1] == static_cast<std::uint8_t>(mad::MgmtClass::sm_directed))
        last_set_ = runtime_.events().now();
      return port_.send(mad, to, timeout_ms);
    });
  }
  void set_receiver(std::function<void(std::span<const mad::ReceivedMad>)> receiver) override {
    receiver_ = std::move(receiver);
    if (!receiver_) return port_.set_receiver({});
    port_.set_receiver([this](std::span<const mad::ReceivedMad> received) {
      if (inbox_.empty()) boost::asio::post(runtime_.executor(), [this] { hand_over(); });
      inbox_.insert(inbox_.end(), received.begin(), received.end());
    });
  }
  mad::TimePoint last_set() const { return last_set_; }

 private:
  void hand_over() {
    const std::vector<mad::ReceivedMad> arrived = std::exchange(inbox_, {});
    if (receiver_) receiver_(arrived);
  }

  MeteredRuntime& runtime_;
  mad::MadTransport& port_;
  std::function<void(std::span<const mad::ReceivedMad>)> receiver_;
  std::vector<mad::ReceivedMad> inbox_;
  mad::TimePoint last_set_{};
};

}  // namespace bench
