#include "sm/sweep/apply/apply.h"

#include <memory>
#include <utility>

#include "mad/format.h"

namespace sm {

std::string summary(const ApplyReport& report) {
  std::string out;
  for (std::size_t kind = 0; kind < kStageKinds; ++kind) {
    if (const std::size_t writes = report.by_kind[kind].writes; writes > 0)
      fmt::format_to(std::back_inserter(out), "{}{} {}", out.empty() ? "" : ", ", writes,
                     text(static_cast<StageKind>(kind)));
  }
  return out;
}

boost::asio::awaitable<void> read(mad::SmpClient& client, const ApplyOptions& options,
                                  const Fabric& fabric, StageSource& stages) {
  ApplyReport report;  // what cannot be read counts as different, and is written
  std::unique_ptr<Stage> stage;
  const std::function<void()> plan_next = [&] { stage = stages.next(); };
  for (co_await compute(options.compute, plan_next); stage;
       co_await compute(options.compute, plan_next))
    co_await send(client, options, fabric, mad::Method::get, *stage, report);
}

boost::asio::awaitable<ApplyReport> apply(mad::SmpClient& client, const ApplyOptions& options,
                                          const Fabric& fabric, Planner& planner) {
  ApplyReport report;
  bool tables_written = false, vports_ready = false;
  const auto enter = [&](SweepPhase phase) {
    if (options.announces_phases) announce(options.events, PhaseEntered{phase});
  };
  Stage* stage = nullptr;
  const std::function<void()> plan_next = [&] { stage = planner.next(); };
  while (true) {
    enter(SweepPhase::plan);
    co_await compute(options.compute, plan_next);
    enter(SweepPhase::apply);
    if (stage == nullptr) break;
    if (stage->kind() >= StageKind::p_keys && !std::exchange(tables_written, true) &&
        options.before_ports)
      co_await options.before_ports();
    if (stage->kind() == StageKind::vport_activation && !std::exchange(vports_ready, true) &&
        options.before_vports)
      co_await options.before_vports();
    const std::size_t writes = report.writes, failed = report.failed;
    co_await send(client, options, fabric, stage->method(), *stage, report);
    ApplyReport::Count& count = report.by_kind[static_cast<std::size_t>(stage->kind())];
    count.writes += report.writes - writes;
    count.failed += report.failed - failed;
  }
  co_return report;
}

}  // namespace sm
