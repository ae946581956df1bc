#pragma once

#include <boost/asio/awaitable.hpp>
#include <functional>

namespace sm {

/// Computes beside the thread that serves others, while the coroutine that awaits it is suspended
/// (mad/computation.h). Empty: in place.
using Compute = std::function<boost::asio::awaitable<void>(const std::function<void()>& work)>;

/// `work` and all that it refers to must live until the coroutine returns. Others may read them
/// while it runs, if it does not write to them.
inline boost::asio::awaitable<void> compute(const Compute& by, const std::function<void()>& work) {
  if (by) {
    co_await by(work);
  } else {
    work();
  }
}

}  // namespace sm
