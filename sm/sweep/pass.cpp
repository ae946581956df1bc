#include "sm/sweep/pass.h"

#include <algorithm>
#include <set>

#include "mad/format.h"
#include "sm/sweep/apply/adaptive_stages.h"
#include "sm/sweep/apply/fdr10_programming.h"
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
  bool goes_on = co_await observe();
  if (goes_on) goes_on = co_await decide_end_ports();
  report_findings();
  if (!goes_on) co_return std::move(result_);
  co_await store();
  co_await prepare();
  co_await read_for_routes();
  goes_on = co_await decide_routes();
  if (goes_on) co_await read_for_plan();
  report_findings();
  if (!goes_on) co_return std::move(result_);
  if (applies()) {
    co_await apply();
    co_await publish();
  } else {
    co_await make_preview();
  }
  co_return std::move(result_);
}

// ------------------------------------------------------------------------------------------
// observe

asio::awaitable<bool> Pass::observe() {
  if (survey_) {
    co_await observe_survey();
    co_return true;
  }
  if (!before_) co_return false;
  if (request_.vports) co_return co_await observe_vports();
  co_return true;
}

/// Compares the survey with the published subnet, and reads the vports that run, which keep their
/// LIDs and P_Keys.
asio::awaitable<void> Pass::observe_survey() {
  environment_.enter(SweepPhase::decide);
  const Fabric& fabric = survey_->fabric;
  if (applies()) {
    if (std::exchange(state_.succession.left_standby, false)) {
      state_.succession.leaving_standby = state_.succession.is_first = true;
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
  visited_ = vports_to_visit(fabric);
  if (applies())
    co_return co_await parts_.vports.observe(*context_, fabric, visited_, VPortAccess::clear);
  state_.devices.invalidate_vports();  // a master that runs may have cleared VPortStateChange
  co_await parts_.vports.observe(
      *context_, fabric, ports_with_vports(fabric, state_.devices.vports), VPortAccess::look);
}

/// Reads the vports of the requested ports. Returns false if there is nothing to decide.
asio::awaitable<bool> Pass::observe_vports() {
  const VPortChanges& changes = *request_.vports;
  const Fabric& fabric = before_->fabric;
  virt::Facts& facts = state_.devices.vports;
  const std::set<mad::Guid> named(changes.ports.begin(), changes.ports.end());
  bool retries = false;
  for (const PortIndex port : ports_with_vports(fabric, facts)) {
    const mad::Guid guid = fabric.ports[port].guid;
    if (!named.contains(guid)) continue;
    const bool is_retry = facts[guid].is_retry_due(environment_.client.now());
    // A silent port that sends traps must not delay the other ports each time.
    if (changes.only_changes && facts[guid].silent && !is_retry) continue;
    visited_.push_back(port);
    retries = retries || is_retry;
  }
  if (!request_.adaptive && visited_.empty() && facts.empty() && state_.devices.trials.empty() &&
      !before_->vports && !state_.vport_lfts_behind && ports_with_vports(fabric, facts).empty()) {
    add_finding(ConditionSource::vports, {});
    result_.end = SweepEnd::subnet_up;
    co_return false;
  }
  if (!visited_.empty() && std::exchange(state_.reregister_vports, false))
    for (auto& [guid, port] : facts) port.reregister = port.reregister || port.is_enabled();
  co_await parts_.vports.observe(*context_, fabric, visited_, VPortAccess::manage);
  const auto is_converged = [&](PortIndex port) {
    return is_published(*before_->vports, port, facts[fabric.ports[port].guid]);
  };
  const bool only_changes = changes.only_changes && !retries && !request_.adaptive;
  if (!only_changes || !before_->vports || !std::ranges::all_of(visited_, is_converged))
    co_return true;
  result_.end = SweepEnd::subnet_up;
  co_return false;
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
  for (auto& [source, active] : std::exchange(findings_, {})) {
    if (!applies()) {
      std::ranges::move(active, std::back_inserter(all_findings_));
      continue;
    }
    if (source == ConditionSource::multicast_vls)
      state_.trees.has_credit_loop = std::ranges::find(active, ConditionId::multicast_credit_loop,
                                                       &Condition::id) != active.end();
    environment_.conditions.set_active(source, std::move(active));
  }
}

asio::awaitable<void> Pass::make_preview() {
  const config::Options& options = context_->options;
  target_.current_lfts = target_.lfts;
  take_groups();
  co_await environment_.read(
      reordering_stages(next_.fabric, state_.devices, target_, options, Reordering::read),
      next_.fabric);
  Preview preview;
  preview.plan = make_plan(next_.fabric, state_.devices, target_, options);
  add_virtualization(preview.plan, next_.fabric, state_.devices, visited_,
                     virtualization_setting(options),
                     state_.reregister_vports || target_.reregister_clients);
  std::vector<Write> speeds =
      co_await read_fdr10(environment_, state_.devices, options, next_.fabric);
  if (!speeds.empty())
    preview.plan.stages.push_back(
        {.kind = StageKind::extended_port_info, .writes = std::move(speeds)});
  preview.messages = lids_.messages;
  preview.conditions = std::move(all_findings_);
  preview.held_lfts = state_.devices.lfts.share();
  preview.subnet = std::move(next_);
  preview.target = std::move(target_);
  preview_ = std::move(preview);
}

std::optional<PassRequest> Pass::follow_up() { return std::exchange(follow_up_, std::nullopt); }

tl::expected<Preview, std::string> Pass::take_preview() {
  if (preview_) return std::move(*preview_);
  return tl::unexpected(all_findings_.empty() ? std::string() : all_findings_.back().text);
}

}  // namespace sm
