#include "sm/sweep/pass.h"

#include <algorithm>
#include <set>

#include "mad/format.h"
#include "routing/core/routing_conditions.h"
#include "sm/sweep/apply/adaptive_stages.h"
#include "sm/sweep/apply/optional_attributes.h"
#include "sm/sweep/apply/vport_stages.h"

namespace sm {
namespace asio = boost::asio;

Pass::Pass(const PassParts& parts, SharedContext context, PassRequest request,
           std::optional<Survey> survey, Mode mode)
    : parts_(parts),
      environment_(parts.environment),
      state_(parts.state),
      context_(std::move(context)),
      request_(std::move(request)),
      survey_(std::move(survey)),
      mode_(mode),
      before_(state_.subnet) {}

asio::awaitable<PassResult> Pass::run() {
  Draft draft;
  std::optional<EndPorts> end_ports;
  const std::optional<std::vector<PortIndex>> visited = co_await observe();
  if (visited) end_ports = co_await decide_end_ports(draft);
  report_findings();
  if (!end_ports) co_return std::move(result_);

  const bool m_keys_stored = co_await store(*end_ports);
  co_await prepare(*end_ports, draft);
  std::optional<Routes> routes = co_await decide_routes(*end_ports, draft);
  if (routes) co_await read_for_plan(draft);
  report_findings();
  if (!routes) co_return std::move(result_);

  if (applies()) {
    const Written written = co_await apply(*end_ports, *routes, draft, m_keys_stored);
    co_await publish(*end_ports, *routes, draft, written, m_keys_stored);
  } else {
    co_await make_preview(*visited, *end_ports, draft);
  }
  co_return std::move(result_);
}

// ------------------------------------------------------------------------------------------
// observe

asio::awaitable<std::optional<std::vector<PortIndex>>> Pass::observe() {
  if (survey_) co_return co_await observe_survey();
  if (!before_) co_return std::nullopt;
  if (request_.vports) co_return co_await observe_vports();
  co_return std::vector<PortIndex>();
}

/// Compares the survey with the published subnet, and reads the vports that run, which keep their
/// LIDs and P_Keys.
asio::awaitable<std::vector<PortIndex>> Pass::observe_survey() {
  environment_.enter(SweepPhase::decide);
  const Fabric& fabric = survey_->fabric;
  if (applies()) {
    if (std::exchange(state_.succession.left_standby, false)) {
      state_.succession.leaving_standby = state_.succession.is_first = true;
      // It is known since this pass has begun.
      if (!std::exchange(state_.succession.has_noted_origins, false)) {
        state_.p_keys.known.is_complete = state_.p_keys.known.is_shared = false;
        state_.p_keys.known.withdrawn.clear();
      }
      state_.devices.forget_tables();
    }
    if (!request_.trust_tables) state_.devices.invalidate_vports();
  }
  const mad::TimePoint now = environment_.client.now();
  // A preview leaves these switches to the pass that counts faults.
  const std::set<mad::Guid> flapping =
      applies() ? parts_.links.take_flapping() : std::set<mad::Guid>();
  LinkSupervision::KeptOut kept_out;
  const std::function<void()> compare = [&] {
    if (before_ && applies())
      parts_.links.update(before_->fabric, *survey_, flapping, state_.devices.restarts,
                          context_->options, now);
    kept_out = parts_.links.keep_out(*context_, *survey_, now);
    if (!applies()) return;
    state_.devices.update_vports(fabric);
    state_.devices.update_p_keys(fabric, survey_->read_again, survey_->unread_p_keys);
  };
  parts_.links.apply_orders(*context_, now);
  co_await compute(compare);
  add_finding(ConditionSource::link_health, kept_out.conditions);
  parts_.links.set_kept_out(std::move(kept_out));  // other threads do not see it before
  std::vector<PortIndex> visited = vports_to_visit(fabric);
  if (applies()) {
    co_await parts_.vports.observe(*context_, fabric, visited, VPortAccess::clear);
    co_return std::move(visited);
  }
  state_.devices.invalidate_vports();  // a master that runs may have cleared VPortStateChange
  co_await parts_.vports.observe(
      *context_, fabric, ports_with_vports(fabric, state_.devices.vports), VPortAccess::look);
  co_return std::move(visited);
}

/// Reads the vports of the requested ports. Returns nullopt if there is nothing to decide.
asio::awaitable<std::optional<std::vector<PortIndex>>> Pass::observe_vports() {
  const VPortChanges& changes = *request_.vports;
  const Fabric& fabric = before_->fabric;
  virt::Facts& facts = state_.devices.vports;
  const std::set<mad::Guid> named(changes.ports.begin(), changes.ports.end());
  std::vector<PortIndex> visited;
  bool retries = false;
  for (const PortIndex port : ports_with_vports(fabric, facts)) {
    const mad::Guid guid = fabric.ports[port].guid;
    if (!named.contains(guid)) continue;
    const bool is_retry = facts[guid].is_retry_due(environment_.client.now());
    // A silent port that sends traps must not delay the other ports each time.
    if (changes.only_changes && facts[guid].silent && !is_retry) continue;
    visited.push_back(port);
    retries = retries || is_retry;
  }
  if (!request_.adaptive && visited.empty() && facts.empty() && state_.devices.trials.empty() &&
      !before_->vports && !state_.vport_lfts_behind && ports_with_vports(fabric, facts).empty()) {
    add_finding(ConditionSource::vports, {});
    result_.end = SweepEnd::subnet_up;
    co_return std::nullopt;
  }
  if (!visited.empty() && std::exchange(state_.reregister_vports, false))
    for (auto& [guid, port] : facts) port.reregister = port.reregister || port.is_enabled();
  co_await parts_.vports.observe(*context_, fabric, visited, VPortAccess::manage);
  const auto is_converged = [&](PortIndex port) {
    return is_published(*before_->vports, port, facts[fabric.ports[port].guid]);
  };
  const bool only_changes = changes.only_changes && !retries && !request_.adaptive;
  if (!only_changes || !before_->vports || !std::ranges::all_of(visited, is_converged))
    co_return std::move(visited);
  result_.end = SweepEnd::subnet_up;
  co_return std::nullopt;
}

std::vector<PortIndex> Pass::vports_to_visit(const Fabric& fabric) const {
  return request_.everything || state_.succession.is_first
             ? ports_with_vports(fabric, state_.devices.vports)
             : changed_ports_with_vports(fabric, state_.devices.vports, survey_->read_again,
                                         environment_.client.now());
}

// ------------------------------------------------------------------------------------------
// what was found, and what follows

void Pass::report_findings() {
  if (!applies()) return;
  for (auto& [source, active] : std::exchange(findings_, {})) {
    if (source == ConditionSource::multicast_vls)
      state_.trees.has_credit_loop =
          std::ranges::find(active, ConditionId(routing::kRoutingConditions.multicast_credit_loop),
                            &Condition::id) != active.end();
    environment_.conditions.set_active(source, std::move(active));
  }
}

asio::awaitable<void> Pass::make_preview(const std::vector<PortIndex>& visited,
                                         const EndPorts& end_ports, Draft& draft) {
  const config::Options& options = context_->options;
  const Fabric& fabric = draft.next.fabric;
  draft.target.current_lfts = draft.target.lfts;
  take_groups(draft);
  co_await environment_.read(
      reordering_stages(fabric, state_.devices, draft.target, options, Reordering::read), fabric);
  co_await environment_.read(optional_reads(fabric, state_.devices, options), fabric);
  Preview preview;
  preview.plan = make_plan(fabric, state_.devices, draft.target, options,
                           PlanScope::everything | PlanScope::optional);
  add_virtualization(preview.plan, fabric, state_.devices, visited, virtualization_setting(options),
                     state_.reregister_vports || draft.target.reregister_clients);
  preview.messages = end_ports.lids.messages;
  for (const auto& [source, active] : findings_)
    preview.conditions.insert(preview.conditions.end(), active.begin(), active.end());
  preview.held_lfts = state_.devices.lfts.share();
  preview.subnet = std::move(draft.next);
  preview.target = std::move(draft.target);
  preview_ = std::move(preview);
}

tl::expected<Preview, std::string> Pass::take_preview() {
  if (preview_) return std::move(*preview_);
  std::string reason;  // the latest finding
  for (const auto& [source, active] : findings_)
    if (!active.empty()) reason = active.back().text;
  return tl::unexpected(std::move(reason));
}

}  // namespace sm
