#include "sm/manager/manager_loop.h"

#include <utility>

namespace sm {

void ManagerLoop::reload(SharedContext next) {
  next_ = std::move(next);
  wake();
}

void ManagerLoop::request_everything(std::string why, bool trust_tables) {
  scheduler_.request_everything(std::move(why), trust_tables);
  wake();
}

void ManagerLoop::request_node(mad::Guid node, std::string why) {
  scheduler_.request_node(node, std::move(why));
  wake();
}

void ManagerLoop::request_groups() {
  scheduler_.request_groups();
  wake();
}

boost::asio::awaitable<void> ManagerLoop::pause_until(mad::TimePoint end) {
  // Not as one condition: g++ 12 puts a trap behind a loop with an awaited operand of && that ends
  // a coroutine.
  bool woken = true;
  while (!stopping_ && woken) woken = co_await wake_.wait_until(end);
}

void ManagerLoop::stop() {
  stopping_ = true;
  wake();
}

}  // namespace sm
