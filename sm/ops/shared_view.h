#pragma once
// Views of what a manager has published, for other threads.

#include <boost/asio/any_io_executor.hpp>
#include <chrono>
#include <functional>
#include <memory>

#include "sm/ops/view.h"

namespace sm {

/// Reads a View on the control thread for clients: once for all who wait, and once for those
/// that ask within 50 ms, unless something is being changed by way of the API.
class SharedView {
 public:
  /// `read` runs on `control`, and returns null where there is no manager: then the last View is
  /// the answer, of which there has to be one.
  SharedView(boost::asio::any_io_executor control,
             std::function<std::shared_ptr<const View>()> read, std::shared_ptr<const View> first);

  /// As sm/ops/view.h describes it. May outlive this.
  Views views() const;
  /// Any thread: a View that was read before is not reused while something changes and after it.
  void change_begins();
  void change_ends();

 private:
  struct State;
  static boost::asio::awaitable<std::shared_ptr<const View>> latest(std::shared_ptr<State> state);

  std::shared_ptr<State> state_;
};

}  // namespace sm
