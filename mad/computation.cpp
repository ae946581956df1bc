#include "mad/computation.h"

#include <condition_variable>
#include <cstdint>
#include <exception>
#include <mutex>

namespace mad {
namespace asio = boost::asio;

/// The waiting coroutine, the computing thread, and the Computation share a Job.
class Computation::Job {
 public:
  explicit Job(const std::function<void()>& work) : work_(&work) {}

  /// Runs the work on the other thread.
  void run() {
    {
      const std::lock_guard lock(mutex_);
      if (state_ == State::dropped) return;
      state_ = State::running;
    }
    try {
      (*work_)();
    } catch (...) {
      error_ = std::current_exception();
    }
    const std::lock_guard lock(mutex_);
    state_ = State::ended;
    ended_.notify_all();
  }
  /// After this the job no longer uses what `work` refers to.
  void drop() {
    std::unique_lock lock(mutex_);
    if (state_ == State::waiting) state_ = State::dropped;
    ended_.wait(lock, [this] { return state_ != State::running; });
  }
  void rethrow() const {
    if (error_) std::rethrow_exception(error_);
  }

 private:
  enum class State : std::uint8_t { waiting, running, ended, dropped };
  const std::function<void()>* work_;  // not owned
  std::mutex mutex_;
  std::condition_variable ended_;
  State state_ = State::waiting;
  std::exception_ptr error_;
};

Computation::Computation(Runtime& runtime) : runtime_(runtime) {}

Computation::~Computation() {
  for (const Waiting& each : waiting_) each.job->drop();
}

asio::awaitable<void> Computation::run(const std::function<void()>& work) {
  const auto job = std::make_shared<Job>(work);
  // A coroutine that is destroyed while it waits destroys the data that the work refers to.
  struct Guard {
    std::shared_ptr<Job> job;
    ~Guard() { job->drop(); }
  } const guard{job};
  waiting_.push_back({job, std::make_shared<WakeUp>(runtime_)});
  WakeUp& ended = *waiting_.back().ended;
  runtime_.run_aside(
      Runtime::Lane::compute, [job] { job->run(); },
      [signalled = std::weak_ptr(waiting_.back().ended)] {
        if (const auto wake = signalled.lock()) wake->signal();
      });
  co_await ended.wait_until(TimePoint::max());
  std::erase_if(waiting_, [&job](const Waiting& each) { return each.job == job; });
  job->rethrow();
}

}  // namespace mad
