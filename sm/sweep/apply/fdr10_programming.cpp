#include "sm/sweep/apply/fdr10_programming.h"

#include "sm/sweep/devices/sweep_rows.h"

namespace sm {
namespace asio = boost::asio;
namespace {

std::unique_ptr<StageSource> fdr10_reads(const Fabric& fabric, DeviceState& devices) {
  const RowContext context{fabric, devices};
  const auto reads = [context](const std::vector<PortIndex>& ports) {
    return row_stage(context, mad::Method::get, due_reads(context, ports, {&rows::fdr10}));
  };
  return make_steps({
      once([=, &fabric, &devices] { return reads(first_ports(devices.table, fabric)); }),
      once([=, &fabric, &devices] { return reads(other_ports(devices.table, fabric)); }),
  });
}

}  // namespace

asio::awaitable<std::vector<Write>> read_fdr10(const SweepEnvironment& environment,
                                               DeviceState& devices, const config::Options& options,
                                               const Fabric& fabric) {
  const Fdr10Setting setting = fdr10_setting(options);
  if (setting == Fdr10Setting::leave) co_return std::vector<Write>{};
  co_await environment.read(fdr10_reads(fabric, devices), fabric);
  co_return fdr10_writes(devices.table, fabric, setting);
}

asio::awaitable<void> program_fdr10(const SweepEnvironment& environment, DeviceState& devices,
                                    const config::Options& options, const Fabric& fabric) {
  const std::vector<Write> writes = co_await read_fdr10(environment, devices, options, fabric);
  if (writes.empty()) co_return;
  std::vector<RowRequest> requests;
  requests.reserve(writes.size());
  for (const Write& write : writes) requests.push_back({.row = &rows::fdr10, .write = write});
  const RowContext context{fabric, devices};
  const std::unique_ptr<Stage> stage = row_stage(context, mad::Method::set, std::move(requests));
  ApplyReport report;
  const ApplyOptions how = environment.apply_options();
  co_await send(environment.client, how, fabric, mad::Method::set, *stage, report);
  for (const std::string& refusal : report.refusals) environment.log.info("{}", refusal);
  if (report.writes > 0)
    environment.log.info("FDR10 is {} at {} ports from the next training of their links on",
                         fdr10_setting(options) == Fdr10Setting::on ? "enabled" : "disabled",
                         report.writes);
}

}  // namespace sm
