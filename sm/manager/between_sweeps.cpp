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

/// A pass, and what it published to all that read the subnet.
asio::awaitable<PassResult> Manager::pass(SharedContext context, PassRequest request,
                                          std::optional<Survey> survey) {
  return run_pass(std::move(context), std::make_unique<PassRequest>(std::move(request)),
                  std::make_unique<std::optional<Survey>>(std::move(survey)));
}

asio::awaitable<PassResult> Manager::run_pass(SharedContext context,
                                              std::unique_ptr<PassRequest> request,
                                              std::unique_ptr<std::optional<Survey>> survey) {
  const std::shared_ptr<const Subnet> before = sweeper_.subnet();
  const sa::Publication kind =
      request->groups && !*survey ? sa::Publication::same : sa::Publication::programmed;
  PassResult result = co_await sweeper_.pass(context, std::move(*request), std::move(*survey));
  if (sweeper_.subnet() != before) publish(std::move(context), kind);
  co_return result;
}

void Manager::publish(SharedContext context, sa::Publication kind) {
  if (state_ == mad::SmState::master)
    administrator_.publish(sweeper_.subnet(), std::move(context), kind);
}

/// On the subnet as it was published: partitions, memberships or VL tables changed, and nothing
/// else did. A manager that is not master, or has published none yet, takes them into the next
/// sweep.
asio::awaitable<void> Manager::program_parts(PassRequest request) {
  if (state_ != mad::SmState::master || !sweeper_.subnet()) co_return;
  const SharedContext context = context_;
  const std::uint64_t sets = client_.statistics().total(mad::Method::set).sent;
  const std::string why = request.why;
  const bool is_members = request.members.has_value(), has_p_keys = request.p_keys;
  if (is_members) request.members = std::exchange(member_changes_, {});
  if (has_p_keys) member_changes_ = {};
  if (has_p_keys) log_.info("the partitions changed, and nothing else did: no sweep");
  if (request.vl_tables)
    log_.info("SL to VL mapping or VL arbitration changed, and nothing else did: no sweep");
  // After a sweep with errors, the next one programs what it left, and decides all.
  const bool complete = scheduler_.failures() == 0;
  const PassResult result = co_await pass(context, std::move(request));
  const std::uint64_t sent = client_.statistics().total(mad::Method::set).sent - sets;
  if (is_members)
    log_.info("partitions of the API: the fabric has revision {}: {} end port{}, {} SubnSet SMPs",
              context->runtime->revision(), result.members_decided,
              result.members_decided == 1 ? "" : "s", sent);
  else
    log_.info("the {} took {} SubnSet SMPs", why, sent);
  if (has_p_keys || (is_members && complete)) applied(result, *context);
  if (!is_members || result.end != SweepEnd::subnet_up) conclude(result, why);
}

/// Reads the attributes that traps named and that need no sweep.
asio::awaitable<void> Manager::read_single() {
  SingleReads reads = scheduler_.take_reads();
  const std::shared_ptr<const Subnet> before = sweeper_.subnet();
  if (state_ != mad::SmState::master || !before) co_return;
  const bool managers = !reads.managers.empty();
  for (const mad::Guid node : co_await sweeper_.read_single(std::move(reads)))
    request_node(node, "its state changed");
  if (state_ != mad::SmState::master) co_return;
  const std::shared_ptr<const Subnet> subnet = sweeper_.subnet();
  if (subnet != before) publish(context_, sa::Publication::same);
  if (managers) co_await act_on(decide_election(subnet->fabric, subnet->sms), subnet);
}

asio::awaitable<void> Manager::disable_ports() {
  for (const auto& [node, port] : scheduler_.take_disabled()) {
    if (stopping_ || state_ != mad::SmState::master || !sweeper_.subnet()) co_return;
    const bool is_as_known = co_await sweeper_.disable_port(node, port);
    if (!is_as_known) request_node(node, "it is not where it was");
    publish(context_, sa::Publication::same);
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
  // Named: g++ 12 destroys an aggregate that is a temporary of an awaited call twice.
  const PassRequest request{.groups = true, .why = "multicast groups"};
  const PassResult end = co_await pass(context_, request);
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
  const mad::TimePoint begin = runtime_.now();
  const PassRequest request{.vports = VPortChanges{.ports = ports, .only_changes = true},
                            .why = "vports"};
  const PassResult end = co_await pass(context_, request);
  if (end.vports_activated > 0) {
    log_.info(
        "vports: {} of {} physical port{} are Active after {} ms", end.vports_activated,
        ports.size(), ports.size() == 1 ? "" : "s",
        std::chrono::duration_cast<std::chrono::milliseconds>(runtime_.now() - begin).count());
  }
  sweep_at_once(end.lost);
  for (const mad::Guid port : ports)
    if (end.again) scheduler_.request_vports_of_trap(port, runtime_.now(), true);
}

}  // namespace sm
