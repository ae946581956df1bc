#pragma once

#include <boost/asio/awaitable.hpp>
#include <functional>
#include <memory>
#include <vector>

#include "mad/runtime.h"

namespace mad {

/// Computes beside the runtime's thread what a coroutine waits for, so that this thread goes on
/// serving others.
class Computation {
 public:
  explicit Computation(Runtime& runtime);
  /// Waits for the end of what is being computed; what has not begun is not computed any more.
  ~Computation();
  Computation(const Computation&) = delete;
  Computation& operator=(const Computation&) = delete;

  /// Returns on the runtime's thread when `work` has ended, and throws what it has thrown. What
  /// `work` refers to must not be used by others while it runs, except to read it, and must live
  /// until the coroutine returns or is destroyed.
  boost::asio::awaitable<void> run(const std::function<void()>& work);

 private:
  class Job;
  struct Waiting {
    std::shared_ptr<Job> job;
    std::shared_ptr<WakeUp> ended;  // owns the coroutine that waits
  };
  Runtime& runtime_;
  std::vector<Waiting> waiting_;
};

}  // namespace mad
