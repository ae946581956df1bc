#include "sm/sweep/apply/fdr10_programming.h"

namespace sm {
namespace asio = boost::asio;

asio::awaitable<std::vector<Write>> read_fdr10(const SweepEnvironment& environment,
                                               DeviceState& devices, const config::Options& options,
                                               const Fabric& fabric) {
  const Fdr10Setting setting = fdr10_setting(options);
  if (setting == Fdr10Setting::leave) co_return std::vector<Write>{};
  co_await environment.read(fdr10_reads(fabric, devices.fdr10), fabric);
  co_return devices.fdr10.writes(fabric, setting);
}

asio::awaitable<void> program_fdr10(const SweepEnvironment& environment, DeviceState& devices,
                                    const config::Options& options, const Fabric& fabric) {
  std::vector<Write> writes = co_await read_fdr10(environment, devices, options, fabric);
  if (writes.empty()) co_return;
  const std::unique_ptr<Stage> stage = fdr10_stage(fabric, devices.fdr10, std::move(writes));
  ApplyReport report;
  const ApplyOptions how = environment.apply_options();
  co_await send(environment.client, how, fabric, mad::Method::set, *stage, report);
  // They have the attribute that a Set of FDR10 has changed: it is read again.
  for (auto& [guid, ca] : devices.adaptive.cas) ca.info_of_port.clear();
  for (const std::string& refusal : report.refusals) environment.log.info("{}", refusal);
  if (report.writes > 0)
    environment.log.info("FDR10 is {} at {} ports from the next training of their links on",
                         fdr10_setting(options) == Fdr10Setting::on ? "enabled" : "disabled",
                         report.writes);
}

}  // namespace sm
