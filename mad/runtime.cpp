#include "mad/runtime.h"

#include <array>
#include <boost/asio/async_result.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/prefer.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <ctime>
#include <optional>
#include <random>
#include <utility>

namespace mad {
namespace asio = boost::asio;

namespace {

class AsioTimer final : public Timer {
 public:
  AsioTimer(const asio::any_io_executor& executor, std::function<void()> on_expiry)
      : timer_(executor),
        on_expiry_(std::make_shared<std::function<void()>>(std::move(on_expiry))) {}

  void arm(TimePoint deadline) override {
    timer_.expires_at(deadline);
    // The handler has a weak reference to the callback: a timer that is destroyed after its expiry
    // was queued must not call its destroyed owner.
    timer_.async_wait([callback = std::weak_ptr(on_expiry_), generation = ++*generation_,
                       current = generation_](const auto& error) {
      const auto alive = callback.lock();
      if (!error && alive && generation == *current) (*alive)();
    });
  }
  void cancel() override {
    ++*generation_;
    timer_.cancel();
  }

 private:
  asio::steady_timer timer_;
  std::shared_ptr<std::function<void()>> on_expiry_;
  std::shared_ptr<unsigned> generation_ = std::make_shared<unsigned>(0);
};

class AsioRuntime final : public Runtime {
 public:
  explicit AsioRuntime(asio::any_io_executor executor) : executor_(std::move(executor)) {}
  ~AsioRuntime() override {
    for (auto& thread : aside_)
      if (thread) thread->join();
  }
  TimePoint now() const override { return std::chrono::steady_clock::now(); }
  Duration cpu_time() const override {
    timespec used{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
    return std::chrono::seconds(used.tv_sec) + std::chrono::nanoseconds(used.tv_nsec);
  }
  std::unique_ptr<Timer> make_timer(std::function<void()> on_expiry) override {
    return std::make_unique<AsioTimer>(executor_, std::move(on_expiry));
  }
  asio::any_io_executor executor() override { return executor_; }
  void run_aside(Lane lane, std::function<void()> work, std::function<void()> done) override {
    auto& thread = aside_[static_cast<std::size_t>(lane)];
    if (!thread) thread.emplace(1);
    // The event loop does not end before `done` has run.
    auto tracked = asio::prefer(executor_, asio::execution::outstanding_work.tracked);
    asio::post(*thread, [work = std::move(work), done = std::move(done),
                         tracked = std::move(tracked)]() mutable {
      work();
      asio::post(tracked, std::move(done));
    });
  }
  std::uint64_t random() override {
    return static_cast<std::uint64_t>(random_()) << 32 | random_();
  }

 private:
  asio::any_io_executor executor_;
  std::random_device random_;
  std::array<std::optional<asio::thread_pool>, kLanes> aside_;  // a thread each, once it is needed
};

}  // namespace

std::unique_ptr<Runtime> make_asio_runtime(asio::any_io_executor executor) {
  return std::make_unique<AsioRuntime>(std::move(executor));
}

WakeUp::WakeUp(Runtime& runtime)
    : runtime_(runtime), timer_(runtime.make_timer([this] { finish(false); })) {}

asio::awaitable<bool> WakeUp::wait_until(TimePoint deadline) {
  co_return co_await asio::async_initiate<const asio::use_awaitable_t<>&, void(bool)>(
      [this, deadline](auto handler) {
        // std::function requires a copyable target, but completion handlers are move-only.
        waiter_ = [handler = std::make_shared<decltype(handler)>(std::move(handler))](
                      bool signalled) mutable { std::move (*handler)(signalled); };
        if (signalled_) {
          finish(true);
        } else if (deadline != TimePoint::max()) {
          timer_->arm(deadline);
        }
      },
      asio::use_awaitable);
}

void WakeUp::signal() {
  signalled_ = true;
  if (waiter_) finish(true);
}

void WakeUp::finish(bool signalled) {
  if (!waiter_) return;
  signalled_ = false;
  timer_->cancel();
  asio::post(runtime_.executor(), [waiter = std::exchange(waiter_, nullptr), signalled]() mutable {
    waiter(signalled);
  });
}

}  // namespace mad
