#include "sm/sweep/apply/environment.h"

#include <utility>

namespace sm {
namespace asio = boost::asio;

SweepEnvironment::SweepEnvironment(mad::SmpClient& smp_client, spdlog::logger& logger,
                                   ConditionLog& condition_log, SweepServices services)
    : client(smp_client),
      log(logger),
      conditions(condition_log),
      services_(services),
      discards_(services.runtime, [](mad::Runtime*) {}) {}

asio::awaitable<void> SweepEnvironment::compute(const std::function<void()>& work) const {
  if (services_.computation == nullptr) {
    work();
    co_return;
  }
  const Busy busy(computing_);
  co_await services_.computation->run(work);
}

ApplyOptions SweepEnvironment::apply_options() const {
  return {.events = services_.events,
          .compute = [this](const std::function<void()>& work) { return compute(work); },
          .changing = &changing};
}

asio::awaitable<void> SweepEnvironment::read(std::unique_ptr<StageSource> stages,
                                             const Fabric& fabric) const {
  const ApplyOptions how = apply_options();
  co_await sm::read(client, how, fabric, *stages);
}

asio::awaitable<void> SweepEnvironment::pause(mad::Duration time) const {
  mad::WakeUp nothing(*services_.runtime);
  co_await nothing.wait_until(services_.runtime->now() + time);
}

/// AsioRuntime::run_aside() may be called on any thread, once something was computed.
std::shared_ptr<const Subnet> SweepEnvironment::snapshot(Subnet subnet) const {
  return {new Subnet(std::move(subnet)), [by = std::weak_ptr(discards_)](Subnet* old) {
            const auto discard = [old] { delete old; };
            if (const auto runtime = by.lock())
              runtime->run_aside(mad::Runtime::Lane::compute, discard, [] {});
            else
              discard();
          }};
}

}  // namespace sm
