#include "sm/agents/agent_loop.h"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <utility>

namespace sm {
namespace asio = boost::asio;

AgentLoop::AgentLoop(Surroundings surroundings)
    : runtime_(surroundings.runtime),
      transport_(surroundings.transport),
      log_(surroundings.log),
      conditions_(surroundings.conditions),
      client_(runtime_, transport_),
      wake_(runtime_),
      subnet_(std::move(surroundings.subnet)),
      context_(std::move(surroundings.context)),
      ended_(runtime_) {}

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

asio::awaitable<void> AgentLoop::run_once() { co_return; }

void AgentLoop::run_aside(std::function<std::string()> work,
                          std::function<void(const std::string&)> done) {
  const auto problem = std::make_shared<std::string>();
  runtime_.run_aside([work = std::move(work), problem] { *problem = work(); },
                     [done = std::move(done), problem, alive = std::weak_ptr(alive_)] {
                       if (!alive.expired()) done(*problem);
                     });
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
