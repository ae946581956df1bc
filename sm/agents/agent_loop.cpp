#include "sm/agents/agent_loop.h"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <utility>

namespace sm {
namespace asio = boost::asio;

AgentLoop::AgentLoop(mad::Runtime& runtime, mad::MadTransport& transport, spdlog::logger& log,
                     ConditionLog& conditions, Published published)
    : runtime_(runtime),
      log_(log),
      conditions_(conditions),
      client_(runtime, transport),
      wake_(runtime),
      published_(std::move(published)),
      ended_(runtime) {}

void AgentLoop::begin() {
  if (std::exchange(running_, true)) return;
  stopping_ = false;
  asio::co_spawn(runtime_.executor(), run(), asio::detached);
}

asio::awaitable<void> AgentLoop::end() {
  if (!running_) co_return;
  stopping_ = true;
  client_.abandon();
  wake_.signal();
  while (running_) co_await ended_.wait_until(mad::TimePoint::max());
}

void AgentLoop::wake() {
  woken_ = true;
  if (!is_wanted()) withdraw();
  wake_.signal();
}

bool AgentLoop::is_wanted() const {
  return !stopping_ && is_enabled(latest_context()->options) && latest_subnet() != nullptr;
}

asio::awaitable<void> AgentLoop::run() {
  while (!stopping_) {
    woken_ = false;
    if (is_wanted()) {
      co_await step();
    } else {
      withdraw();
      forget();
      co_await wake_.wait_until(mad::TimePoint::max());
    }
  }
  running_ = false;
  ended_.signal();
}

}  // namespace sm
