// SweepRunner: work that needs no sweep.

#include <algorithm>

#include "mad/format.h"
#include "sm/manager/sweep_runner.h"

namespace sm {
namespace asio = boost::asio;

namespace {
constexpr mad::Duration kGroupsSettle =
    std::chrono::milliseconds(10);  // hosts that boot together join together
constexpr mad::Duration kGroupsWaitMax = std::chrono::milliseconds(500);
}  // namespace

/// Runs a pass, and publishes its subnet to all readers.
asio::awaitable<PassResult> SweepRunner::pass(SharedContext context, PassRequest request,
                                              std::optional<Survey> survey) {
  return run_pass(std::move(context), std::make_unique<PassRequest>(std::move(request)),
                  std::make_unique<std::optional<Survey>>(std::move(survey)));
}

asio::awaitable<PassResult> SweepRunner::run_pass(SharedContext context,
                                                  std::unique_ptr<PassRequest> request,
                                                  std::unique_ptr<std::optional<Survey>> survey) {
  const std::shared_ptr<const Subnet> before = sweeper_.subnet();
  const Publication kind =
      request->groups && !*survey ? Publication::same : Publication::programmed;
  PassResult result = co_await sweeper_.pass(context, std::move(*request), std::move(*survey));
  if (sweeper_.subnet() != before) publish(std::move(context), kind);
  co_return result;
}

void SweepRunner::publish(SharedContext context, Publication kind) {
  events_.on(
      SubnetPublished{.subnet = sweeper_.subnet(), .context = std::move(context), .kind = kind});
}

asio::awaitable<void> SweepRunner::program_parts(PassRequest request) {
  if (!mastership_.leads() || !sweeper_.subnet()) co_return;
  const SharedContext context = loop_.context();
  const std::uint64_t sets = client_.statistics().total(mad::Method::set).sent;
  const std::string why = request.why;
  const bool is_members = request.members.has_value(), has_p_keys = request.p_keys;
  if (is_members) request.members = partitions_.take_changes();
  if (has_p_keys) partitions_.take_changes();
  if (has_p_keys) log_.info("the partitions changed, and nothing else did: no sweep");
  if (request.vl_tables)
    log_.info("SL to VL mapping or VL arbitration changed, and nothing else did: no sweep");
  const bool has_m_keys = request.m_keys;
  const mad::TimePoint begin = loop_.now();
  // After a sweep with errors, the next one programs what is missing, and decides everything.
  const bool complete = loop_.scheduler().failures() == 0;
  const PassResult result = co_await pass(context, std::move(request));
  const std::uint64_t sent = client_.statistics().total(mad::Method::set).sent - sets;
  if (is_members)
    log_.info("partitions of the API: the fabric has revision {}: {} end port{}, {} SubnSet SMPs",
              context->runtime->revision(), result.members_decided,
              result.members_decided == 1 ? "" : "s", sent);
  else
    log_.info("the {} took {} SubnSet SMPs", why, sent);
  if (has_m_keys) report_key_change(begin);
  if (has_p_keys || (is_members && complete)) partitions_.applied(result, *context);
  if (!is_members || result.end != SweepEnd::subnet_up) conclude(result, why);
}

void SweepRunner::report_key_change(mad::TimePoint begin) {
  const Fabric& fabric = sweeper_.subnet()->fabric;
  const MKeyPolicy policy = sweeper_.m_keys().policy();
  const auto changed = std::ranges::count_if(fabric.end_ports, [&](PortIndex port) {
    return fabric.ports[port].info.m_key() == policy.key(fabric.ports[port].guid);
  });
  log_.info("M_Keys have version {}: {} of {} end ports after {} ms", policy.version(), changed,
            fabric.end_ports.size(),
            std::chrono::duration_cast<std::chrono::milliseconds>(loop_.now() - begin).count());
}

asio::awaitable<void> SweepRunner::read_single() {
  SingleReads reads = loop_.scheduler().take_reads(loop_.now());
  const std::shared_ptr<const Subnet> before = sweeper_.subnet();
  if (!mastership_.leads() || !before) co_return;
  const bool managers = !reads.managers.empty();
  const std::optional<mad::TimePoint> arrived = reads.arrived;
  for (const mad::Guid node : co_await sweeper_.read_single(std::move(reads))) {
    if (arrived) loop_.scheduler().note_arrival(*arrived);
    loop_.request_node(node, "a node reports another state");
  }
  if (!mastership_.leads()) co_return;
  const std::shared_ptr<const Subnet> subnet = sweeper_.subnet();
  if (subnet != before) publish(loop_.context(), Publication::same);
  if (managers) co_await mastership_.compare_managers(subnet, subnet->sms);
}

asio::awaitable<void> SweepRunner::disable_ports() {
  for (const auto& [node, port] : loop_.scheduler().take_disabled()) {
    if (loop_.is_stopping() || !mastership_.leads() || !sweeper_.subnet()) co_return;
    const bool is_as_known = co_await sweeper_.disable_port(node, port);
    if (!is_as_known) loop_.request_node(node, "a node is not where it was");
    publish(loop_.context(), Publication::same);
  }
}

asio::awaitable<void> SweepRunner::program_groups() {
  const mad::TimePoint first = loop_.now();
  // The first change after a quiet time is programmed without delay.
  mad::Duration settle = first - groups_programmed_ > kQuiet ? mad::Duration{} : kGroupsSettle;
  do {
    loop_.scheduler().take_groups();
    const mad::TimePoint settled = loop_.now() + std::exchange(settle, kGroupsSettle);
    co_await loop_.pause_until(settled);
  } while (!loop_.is_stopping() && loop_.scheduler().groups_requested() &&
           loop_.now() - first < kGroupsWaitMax);
  if (loop_.is_stopping() || !mastership_.leads() || !sweeper_.subnet()) co_return;
  const mad::TimePoint begin = loop_.now();
  // g++ 12 destroys an aggregate that is a temporary of an awaited call twice, hence the name.
  const PassRequest request{.groups = true, .why = "multicast groups"};
  const PassResult end = co_await pass(loop_.context(), request);
  if (end.groups_changed > 0) {
    log_.info("multicast: {} group{} changed, {} blocks written in {} ms", end.groups_changed,
              end.groups_changed == 1 ? "" : "s", end.writes,
              std::chrono::duration_cast<std::chrono::milliseconds>(loop_.now() - begin).count());
  }
  groups_programmed_ = loop_.now();
  sweep_at_once(end.lost);
  loop_.scheduler().groups_done(!end.again, loop_.now());
}

asio::awaitable<void> SweepRunner::program_vports() {
  const std::vector<mad::Guid> ports = loop_.scheduler().take_vports(loop_.now());
  if (!mastership_.leads() || !sweeper_.subnet()) co_return;
  const mad::TimePoint begin = loop_.now();
  const PassRequest request{.vports = VPortChanges{.ports = ports, .only_changes = true},
                            .why = "vports"};
  const PassResult end = co_await pass(loop_.context(), request);
  if (end.vports_activated > 0) {
    log_.info("vports: {} of {} physical port{} are Active after {} ms", end.vports_activated,
              ports.size(), ports.size() == 1 ? "" : "s",
              std::chrono::duration_cast<std::chrono::milliseconds>(loop_.now() - begin).count());
  }
  sweep_at_once(end.lost);
  for (const mad::Guid port : ports)
    if (end.again) loop_.scheduler().request_vports_of_trap(port, loop_.now(), true);
}

asio::awaitable<void> SweepRunner::read_routers() {
  if (!mastership_.leads() || !sweeper_.subnet()) co_return;
  const PassRequest request{.routers = true, .why = "routers"};
  co_await pass(loop_.context(), request);
}

}  // namespace sm
