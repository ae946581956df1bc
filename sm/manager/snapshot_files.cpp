#include "sm/manager/snapshot_files.h"

#include <algorithm>
#include <utility>

#include "sm/conditions/manager_conditions.h"
#include "sm/dumps/dumps.h"
#include "sm/store/cache_files.h"

namespace sm {
namespace {

std::vector<mad::Guid> listed_ports(const Fabric& fabric) {
  std::vector<mad::Guid> guids;
  guids.reserve(fabric.end_ports.size());
  for (const PortIndex port : fabric.end_ports) guids.push_back(fabric.ports[port].guid);
  std::ranges::sort(guids);
  return guids;
}

}  // namespace

SnapshotFiles::SnapshotFiles(mad::Runtime& runtime, spdlog::logger& log, ConditionLog& conditions)
    : runtime_(runtime),
      log_(log),
      conditions_(conditions),
      idle_(runtime),
      timer_(runtime.make_timer([this] {
        if (wanted_) begin_when_due();
      })) {}

SnapshotFiles::~SnapshotFiles() { *alive_ = false; }

void SnapshotFiles::write(SharedContext context, std::shared_ptr<const Subnet> subnet,
                          bool with_neighbors) {
  neighbors_due_ = with_neighbors && (context->options.cache_files_dir != neighbors_dir_ ||
                                      listed_ports(subnet->fabric) != neighbors_);
  context_ = std::move(context);
  wanted_ = std::move(subnet);
  begin_when_due();
}

void SnapshotFiles::begin_when_due() {
  if (writing_ > 0) return;  // its end goes on with what is wanted then
  if (runtime_.now() >= pause_end_) {
    begin();
  } else {
    timer_->arm(pause_end_);
  }
}

boost::asio::awaitable<void> SnapshotFiles::finish() {
  while (wanted_ || running_ > 0) {
    if (wanted_) begin();
    co_await idle_.wait_until(mad::TimePoint::max());
  }
}

void SnapshotFiles::write_neighbors(SharedContext context, std::shared_ptr<const Subnet> subnet) {
  neighbors_ = listed_ports(subnet->fabric);
  neighbors_dir_ = context->options.cache_files_dir;
  neighbors_due_ = false;
  run_aside(
      [context, subnet]() -> Problems {
        const auto saved = save_neighbors(context->options.cache_files_dir, subnet->fabric,
                                          context->options.fsync_high_avail_files);
        return saved ? Problems{} : Problems{saved.error()};
      },
      [this](const Problems& problems) {
        for (const std::string& problem : problems) log_.error("{}", problem);
      });
}

void SnapshotFiles::begin() {
  timer_->cancel();
  const mad::TimePoint now = runtime_.now();
  pause_end_ = now + kPause;
  if (neighbors_due_) write_neighbors(context_, wanted_);
  ++writing_;
  run_aside(
      [context = std::exchange(context_, nullptr),
       subnet = std::exchange(wanted_, nullptr)]() -> Problems {
        Problems problems;
        if (const auto written = write_subnet_lst(context->options, subnet->fabric, subnet->lids);
            !written)
          problems.push_back(written.error());
        if (const auto written = write_routing_dumps(context->options, *subnet); !written)
          problems.push_back(written.error());
        if (const auto written = write_far_dump(context->options, *subnet); !written)
          problems.push_back(written.error());
        return problems;
      },
      [this, now](const Problems& problems) {
        const mad::Duration took = runtime_.now() - now;
        pause_end_ = std::max(pause_end_, now + std::min(kPausePerTime * took, kPauseMax));
        std::vector<Condition> active;
        for (const std::string& problem : problems)
          active.push_back({.id = kOutputConditions.output_failed, .text = problem});
        conditions_.set_active(ConditionSource::output_files, std::move(active));
        --writing_;
        if (wanted_) begin_when_due();
      });
}

void SnapshotFiles::run_aside(std::function<Problems()> work,
                              std::function<void(const Problems&)> report) {
  ++running_;
  const auto problems = std::make_shared<Problems>();
  runtime_.run_aside([work = std::move(work), problems] { *problems = work(); },
                     [this, problems, report = std::move(report), alive = alive_] {
                       if (!*alive) return;
                       report(*problems);
                       if (--running_ == 0) idle_.signal();
                     });
}

}  // namespace sm
