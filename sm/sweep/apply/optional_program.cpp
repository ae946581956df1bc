#include "sm/sweep/apply/optional_program.h"

#include "mad/format.h"
#include "sm/sweep/apply/optional_attributes.h"
#include "sm/sweep/devices/sweep_rows.h"

namespace sm {
namespace asio = boost::asio;

asio::awaitable<void> program_optional(const SweepEnvironment& environment, DeviceState& devices,
                                       const config::Options& options, const Fabric& fabric) {
  co_await environment.read(optional_reads(fabric, devices, options), fabric);
  const RowContext context{fabric, devices};
  for (const SweepRow* const row : sweep_rows()) {
    std::vector<RowRequest> requests = due_writes(context, *row, options);
    if (requests.empty()) continue;
    const std::unique_ptr<Stage> stage = row_stage(context, mad::Method::set, std::move(requests));
    ApplyReport report;
    const ApplyOptions how = environment.apply_options();
    co_await send(environment.client, how, fabric, mad::Method::set, *stage, report);
    for (const std::string& refusal : report.refusals) environment.log.info("{}", refusal);
    if (report.writes == 0) continue;
    environment.log.info(
        "{}", row->written_text != nullptr
                  ? row->written_text(options, report.writes)
                  : fmt::format("{} is set at {} ports", mad::name(row->attribute), report.writes));
  }
}

}  // namespace sm
