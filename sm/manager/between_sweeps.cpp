// Manager: what needs no sweep.

#include <algorithm>

#include "mad/format.h"
#include "sm/manager/manager.h"

namespace sm {
namespace asio = boost::asio;

namespace {
constexpr mad::Duration kGroupsSettle =
    std::chrono::milliseconds(10);  // hosts that boot together join together
constexpr mad::Duration kGroupsWaitMax = std::chrono::milliseconds(500);
}  // namespace

/// On the subnet as it was published. A manager that is not master, or has published none yet,
/// takes the new partitions into the next sweep.
asio::awaitable<void> Manager::reprogram_p_keys() {
  if (state_ != mad::SmState::master || !sweeper_.subnet()) co_return;
  const SharedContext context = context_;
  const std::uint64_t sets = client_.statistics().total(mad::Method::set).sent;
  log_.info("the partitions changed, and nothing else did: no sweep");
  const SweepResult result = co_await sweeper_.program_p_keys(context);
  if (state_ == mad::SmState::master) administrator_.publish(sweeper_.subnet(), context);
  log_.info("the new partitions took {} SubnSet SMPs",
            client_.statistics().total(mad::Method::set).sent - sets);
  applied(result, *context);
  conclude(result, "new partitions");
}

asio::awaitable<void> Manager::reprogram_vl_tables() {
  if (state_ != mad::SmState::master || !sweeper_.subnet()) co_return;
  const SharedContext context = context_;
  log_.info("SL to VL mapping or VL arbitration changed, and nothing else did: no sweep");
  const SweepResult result = co_await sweeper_.program_vl_tables(context);
  if (state_ == mad::SmState::master) administrator_.publish(sweeper_.subnet(), context);
  conclude(result, "new VL tables");
}

/// What traps are about that need no sweep.
asio::awaitable<void> Manager::read_single() {
  SingleReads reads = scheduler_.take_reads();
  const std::shared_ptr<const Subnet> before = sweeper_.subnet();
  if (state_ != mad::SmState::master || !before) co_return;
  const bool managers = !reads.managers.empty();
  for (const mad::Guid node : co_await sweeper_.read_single(std::move(reads)))
    request_node(node, "its state changed");
  if (state_ != mad::SmState::master) co_return;
  const std::shared_ptr<const Subnet> subnet = sweeper_.subnet();
  if (subnet != before) administrator_.publish_same(subnet);
  if (managers) co_await act_on(decide_election(subnet->fabric, subnet->sms), subnet);
}

asio::awaitable<void> Manager::disable_ports() {
  for (const auto& [node, port] : scheduler_.take_disabled()) {
    if (stopping_ || state_ != mad::SmState::master || !sweeper_.subnet()) co_return;
    const bool is_as_known = co_await sweeper_.disable_port(node, port);
    if (!is_as_known) request_node(node, "it is not where it was");
    if (state_ == mad::SmState::master) administrator_.publish_same(sweeper_.subnet());
  }
}

/// Memberships changed since the trees were written. The trees wait until no more changes arrive,
/// up to a limit.
asio::awaitable<void> Manager::program_groups() {
  const mad::TimePoint first = runtime_.now();
  // The first change after a quiet time is not waited with.
  mad::Duration settle = first - groups_programmed_ > kQuiet ? mad::Duration{} : kGroupsSettle;
  do {
    scheduler_.take_groups();
    const mad::TimePoint settled = runtime_.now() + std::exchange(settle, kGroupsSettle);
    while (!stopping_ && co_await wake_.wait_until(settled)) {
    }
  } while (!stopping_ && scheduler_.groups_requested() && runtime_.now() - first < kGroupsWaitMax);
  if (stopping_ || state_ != mad::SmState::master || !sweeper_.subnet()) co_return;
  const mad::TimePoint begin = runtime_.now();
  const MulticastEnd end = co_await sweeper_.program_multicast(context_);
  if (state_ == mad::SmState::master) administrator_.publish_same(sweeper_.subnet());
  if (end.groups_changed > 0) {
    log_.info(
        "multicast: {} group{} changed, {} blocks written in {} ms", end.groups_changed,
        end.groups_changed == 1 ? "" : "s", end.writes,
        std::chrono::duration_cast<std::chrono::milliseconds>(runtime_.now() - begin).count());
  }
  groups_programmed_ = runtime_.now();
  sweep_at_once(end.lost);
  scheduler_.groups_done(!end.again, runtime_.now());
}

/// Hosts have started, moved or ended vports.
asio::awaitable<void> Manager::program_vports() {
  const std::vector<mad::Guid> ports = scheduler_.take_vports(runtime_.now());
  if (state_ != mad::SmState::master || !sweeper_.subnet()) co_return;
  const SharedContext context = context_;
  const mad::TimePoint begin = runtime_.now();
  const VPortEnd end = co_await sweeper_.program_vports(context, ports);
  if (end.changed && state_ == mad::SmState::master)
    administrator_.publish(sweeper_.subnet(), context);
  if (end.activated > 0) {
    log_.info(
        "vports: {} of {} physical port{} are Active after {} ms", end.activated, ports.size(),
        ports.size() == 1 ? "" : "s",
        std::chrono::duration_cast<std::chrono::milliseconds>(runtime_.now() - begin).count());
  }
  sweep_at_once(end.lost);
  for (const mad::Guid port : ports)
    if (end.again) scheduler_.request_vports_of_trap(port, runtime_.now(), true);
}

}  // namespace sm
