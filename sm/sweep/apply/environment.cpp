#include "sm/sweep/apply/environment.h"

#include <utility>

namespace sm {
namespace asio = boost::asio;

SweepEnvironment::SweepEnvironment(mad::SmpClient& smp_client, spdlog::logger& logger,
                                   ConditionLog& condition_log, SweepServices services)
    : client(smp_client), log(logger), conditions(condition_log), services_(std::move(services)) {
  if (services_.discard)
    discard_ =
        std::make_shared<const std::function<void(std::function<void()>)>>(services_.discard);
}

asio::awaitable<void> SweepEnvironment::compute(const std::function<void()>& work) const {
  if (!services_.compute) {
    work();
    co_return;
  }
  const Busy busy(computing_);
  co_await services_.compute(work);
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

/// Discards of an AsioRuntime may be called on any thread, once something was computed.
std::shared_ptr<const Subnet> SweepEnvironment::snapshot(Subnet subnet) const {
  return {new Subnet(std::move(subnet)), [discard = std::weak_ptr(discard_)](Subnet* old) {
            if (const auto by = discard.lock()) {
              (*by)([old] { delete old; });
            } else {
              delete old;
            }
          }};
}

}  // namespace sm
