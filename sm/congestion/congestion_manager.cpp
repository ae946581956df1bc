#include "sm/congestion/congestion_manager.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "fabric/fabric.h"
#include "mad/format.h"
#include "sm/congestion/congestion_conditions.h"
#include "sm/congestion/congestion_devices.h"
#include "sm/congestion/congestion_settings.h"

namespace sm {
namespace asio = boost::asio;
namespace {

constexpr std::size_t kListedMax = 500;
/// This number of visits in a row without a response is a condition.
constexpr unsigned kSilentVisits = 2;

std::string counted(std::size_t count, std::string_view one, std::string_view several) {
  return fmt::format("{} {}", count, count == 1 ? one : several);
}

struct Counts {
  std::size_t all = 0, without = 0;  // `without`: no congestion control, or never a response
};

/// Returns "" if the device is as it should be, or is counted with those that have no congestion
/// control.
std::string fault_text(const CongestionRecord& record, const CongestionPlan& plan) {
  const CongestionDevice& device = record.shown;
  switch (device.state) {
    case CongestionState::refused:
      if (device.refuses == mad::CongestionControlAttribute::congestion_control_table &&
          plan.table_blocks > device.table_blocks_max)
        return fmt::format(
            "its CongestionControlTable takes {} entries, cc_cct has more: none is written",
            device.table_blocks_max * mad::CongestionControlTableFields::kEntries);
      if (device.status == mad::status::kOk)
        return fmt::format("{} {} keeps other values than those of the options",
                           name(device.refuses), device.refuses_modifier);
      return fmt::format("{} {} is rejected with status {:#06x}", name(device.refuses),
                         device.refuses_modifier, device.status);
    case CongestionState::other_key:
      return "it has another CC_Key than cc_key: its settings cannot be changed";
    case CongestionState::silent:
      return record.has_answered && record.failures >= kSilentVisits
                 ? "it does not answer congestion control requests any more"
                 : "";
    case CongestionState::pending:
    case CongestionState::configured:
    case CongestionState::unsupported:
      break;
  }
  return "";
}

/// A switch without marks throttles no flow; a CA that does not react does not throttle its own
/// flows.
Severity severity(const CongestionDevice& device) {
  return device.is_switch ? Severity::warning : Severity::info;
}

std::optional<Condition> missing(const Counts& switches, const Counts& cas) {
  if (switches.without + cas.without == 0) return std::nullopt;
  const bool no_marks = switches.all > 0 && switches.without == switches.all,
             no_reaction = cas.all > 0 && cas.without == cas.all;
  std::string text =
      fmt::format("{} of {} and {} of {} have no congestion control, or do not answer",
                  switches.without, counted(switches.all, "switch", "switches"), cas.without,
                  counted(cas.all, "CA port", "CA ports"));
  if (no_marks)
    text += ": no packet is marked, congestion control has no effect";
  else if (no_reaction)
    text += ": no source reacts to marks, congestion control has no effect";
  return Condition{.id = kCongestionConditions.congestion_control_missing,
                   .text = std::move(text),
                   .severity = no_marks || no_reaction ? Severity::warning : Severity::info};
}

/// One for each device that rejects settings, has an unknown CC_Key, or does not answer any more;
/// 500 of them at most, then one that counts the others. One about all devices that have no
/// congestion control.
std::vector<Condition> congestion_conditions(const Fabric& fabric, const CongestionRecords& records,
                                             const CongestionPlan& plan) {
  std::vector<Condition> conditions;
  Counts switches, cas;
  std::size_t more = 0;
  for (const auto& record : records) {
    const CongestionDevice& device = record->shown;
    Counts& counts = device.is_switch ? switches : cas;
    ++counts.all;
    const bool is_without = device.state == CongestionState::unsupported ||
                            (device.state == CongestionState::silent && !record->has_answered);
    counts.without += is_without ? 1 : 0;
    const std::string fault = fault_text(*record, plan);
    const auto found = fabric.port_of_guid.find(device.guid);
    if (fault.empty() || found == fabric.port_of_guid.end()) continue;
    if (conditions.size() >= kListedMax) {
      ++more;
      continue;
    }
    const std::string subject = device.is_switch ? fabric.name(fabric.ports[found->second].node)
                                                 : fabric.port_name(found->second);
    conditions.push_back({.id = kCongestionConditions.congestion_control_refused,
                          .text = fmt::format("{}: {}", subject, fault),
                          .guid = device.node,
                          .port = device.is_switch ? std::optional<mad::PortNum>() : device.port,
                          .severity = severity(device)});
  }
  if (more > 0)
    conditions.push_back({.id = kCongestionConditions.congestion_control_refused,
                          .text = fmt::format("{} beside those listed",
                                              counted(more, "more device", "more devices")),
                          .severity = Severity::warning});
  if (auto condition = missing(switches, cas)) conditions.push_back(*std::move(condition));
  return conditions;
}

/// A pass of the audit takes this time, if it has enough devices.
constexpr std::chrono::seconds kAuditTime{300};
constexpr unsigned kRequestsPerSecondMin = 500;
/// A device needs about this number of requests.
constexpr std::size_t kRequestsPerDevice = 5;
constexpr std::size_t kMendedListed = 10;

}  // namespace

asio::awaitable<void> CongestionManager::run_once() {
  if (!is_wanted()) co_return;
  update_plan();
  co_await reconcile(latest_subnet());
  co_await pass(Reason::devices, reconciled_);
}

void CongestionManager::note_ports(const Fabric& fabric) {
  if (!plan_.enabled || !reconciled_) return;
  for (const PortIndex port : fabric.end_ports) {
    const Node& node = fabric.owning_node(port);
    bool is_initializing = fabric.ports[port].info.port_state() == mad::PortState::init;
    if (node.is_switch())
      is_initializing = std::ranges::any_of(
          fabric.node_ports(fabric.ports[port].node),
          [](const Port& of) { return of.known && of.info.port_state() == mad::PortState::init; });
    if (is_initializing) restarted_.push_back(fabric.ports[port].guid);
  }
  std::ranges::sort(restarted_);
  const auto doubles = std::ranges::unique(restarted_);
  restarted_.erase(doubles.begin(), doubles.end());
}

// ------------------------------------------------------------------------------------------
// The loop

asio::awaitable<void> CongestionManager::step() {
  update_plan();
  begin_audit_if_due();
  if (const auto latest = latest_subnet(); latest != reconciled_) co_await reconcile(latest);
  if (!is_wanted()) co_return;
  if (const Reason reason = next_reason(); reason != Reason::none) {
    co_await pass(reason, reconciled_);
  } else if (!woken_) {
    co_await wake_.wait_until(next_due());
  }
}

void CongestionManager::withdraw() {
  if (!results_) return;
  results_ = nullptr;
  conditions_.set_active(ConditionSource::congestion, {});
}

/// Another manager may change the settings of devices from now on. With congestion_control FALSE
/// devices keep their settings.
void CongestionManager::forget() {
  records_.clear();
  ends_.clear();
  reconciled_ = nullptr;
  announced_ = false;
  plan_ = {.enabled = false, .key = plan_.key};  // the key that devices may still have
}

/// Updates the plan; if a reload changes the settings of devices, a pass visits them at once.
void CongestionManager::update_plan() {
  CongestionPlan plan = decide_congestion(latest_context()->options);
  if (plan == plan_) return;
  if (plan.key != plan_.key && plan_.key != 0) {
    std::erase(earlier_keys_, plan_.key);
    earlier_keys_.insert(earlier_keys_.begin(), plan_.key);
    if (earlier_keys_.size() > kEarlierKeysMax) earlier_keys_.pop_back();
  }
  plan_ = std::move(plan);
  urgent_generation_ = ++generation_;
  audited_ = runtime_.now();
  for (const auto& record : records_) record->kept.clear();
}

/// Begins to read all devices again, except those without congestion control.
void CongestionManager::begin_audit_if_due() {
  const mad::Duration interval = std::chrono::seconds(latest_context()->options.audit_interval);
  if (interval == mad::Duration{} || runtime_.now() < audited_ + interval) return;
  audited_ = runtime_.now();
  ++generation_;
}

/// Keeps the records of devices in the subnet and drops the others: a device that returns is a new
/// one.
asio::awaitable<void> CongestionManager::reconcile(std::shared_ptr<const Subnet> subnet) {
  std::vector<CongestionEnd> ends;
  const std::function<void()> list = [&] { ends = congestion_ends(subnet->fabric); };
  co_await computation_.run(list);
  CongestionRecords records;
  records.reserve(ends.size());
  auto old = records_.begin();
  for (const CongestionEnd& end : ends) {
    while (old != records_.end() && (*old)->shown.guid < end.guid) ++old;
    const bool is_known = old != records_.end() && (*old)->shown.guid == end.guid;
    records.push_back(is_known ? std::move(*old++) : std::make_unique<CongestionRecord>());
    CongestionRecord& record = *records.back();
    record.shown.guid = end.guid;
    record.shown.node = subnet->fabric.owning_node(end.port).guid;
    record.shown.port = subnet->fabric.ports[end.port].number;
    record.shown.is_switch = end.is_switch;
    if (std::ranges::binary_search(restarted_, end.guid)) {
      record.is_urgent = true;
      record.due = {};
    }
  }
  restarted_.clear();
  records_ = std::move(records);
  ends_ = std::move(ends);
  reconciled_ = std::move(subnet);
}

// ------------------------------------------------------------------------------------------
// The order and time of visits to devices

mad::Duration CongestionManager::log_interval() const {
  const config::Options& options = latest_context()->options;
  return std::chrono::seconds(options.perfmgr ? options.perfmgr_sweep_time_s : 0);
}

bool CongestionManager::is_due(const CongestionRecord& record, Reason reason) const {
  const bool has_none = record.shown.state == CongestionState::unsupported && !record.is_urgent;
  switch (reason) {
    case Reason::devices:
      return record.is_urgent || (!has_none && record.generation < urgent_generation_) ||
             (record.failures > 0 && record.due <= runtime_.now());
    case Reason::audit:
      return !has_none && record.failures == 0 && record.generation < generation_;
    case Reason::logs:
      return record.shown.has_log;
    case Reason::none:
      break;
  }
  return false;
}

CongestionManager::Reason CongestionManager::next_reason() const {
  for (const Reason reason : {Reason::devices, Reason::audit}) {
    for (const auto& record : records_)
      if (is_due(*record, reason)) return reason;
  }
  const mad::Duration interval = log_interval();
  if (interval > mad::Duration{} && runtime_.now() >= logs_read_ + interval)
    for (const auto& record : records_)
      if (is_due(*record, Reason::logs)) return Reason::logs;
  return Reason::none;
}

mad::TimePoint CongestionManager::next_due() const {
  mad::TimePoint due = mad::TimePoint::max();
  for (const auto& record : records_)
    if (record->failures > 0) due = std::min(due, record->due);
  const mad::Duration audit = std::chrono::seconds(latest_context()->options.audit_interval);
  if (audit > mad::Duration{}) due = std::min(due, audited_ + audit);
  const bool has_logs = std::ranges::any_of(
      records_, [this](const auto& record) { return is_due(*record, Reason::logs); });
  if (has_logs && log_interval() > mad::Duration{})
    due = std::min(due, logs_read_ + log_interval());
  return due;
}

std::vector<CongestionPlace> CongestionManager::places(Reason reason) const {
  std::vector<CongestionPlace> due;
  for (std::size_t at = 0; at < records_.size(); ++at)
    if (is_due(*records_[at], reason))
      due.push_back({.record = records_[at].get(),
                     .port = ends_[at].port,
                     .log_only = reason == Reason::logs});
  return due;
}

void CongestionManager::set_pace(Reason reason, std::size_t devices) {
  const config::Options& options = latest_context()->options;
  const auto slow = static_cast<unsigned>(devices * kRequestsPerDevice /
                                          static_cast<std::size_t>(kAuditTime.count()));
  client_.set_limits(
      {.timeout = std::chrono::milliseconds(options.transaction_timeout),
       .retries = options.transaction_retries,
       .window = options.cc_max_outstanding_mads,
       .per_second = reason == Reason::devices ? 0 : std::max(kRequestsPerSecondMin, slow)});
}

// ------------------------------------------------------------------------------------------
// A pass

asio::awaitable<void> CongestionManager::pass(Reason reason, std::shared_ptr<const Subnet> subnet) {
  std::vector<CongestionPlace> due = places(reason);
  set_pace(reason, due.size());
  CongestionPass::Inputs inputs{
      .subnet = subnet,
      .plan = plan_,
      .earlier_keys = earlier_keys_,
      .generation = generation_,
      .sl = mad::Sl{latest_context()->options.sm_sl},
      .now = [this] { return runtime_.now(); },
      .goes_on = [this, reason] { return is_wanted() && !(reason != Reason::devices && woken_); }};
  CongestionPass pass(std::move(inputs), std::move(due));
  co_await client_.exchange(pass);
  if (!is_wanted()) co_return;
  if (pass.is_unsendable()) {
    conditions_.set_active(ConditionSource::congestion,
                           {{.id = kCongestionConditions.congestion_control_missing,
                             .text = "the own port sends no congestion control requests: nothing "
                                     "is configured",
                             .severity = Severity::warning}});
    co_await wake_.wait_until(runtime_.now() + kAuditTime);
    co_return;
  }
  publish(*subnet, pass, reason);
}

void CongestionManager::publish(const Subnet& subnet, const CongestionPass& pass, Reason reason) {
  gets_ += pass.gets();
  sets_ += pass.sets();
  mended_ += pass.mended_settings();
  ++passes_;
  if (reason == Reason::logs) logs_read_ = runtime_.now();
  auto table = std::make_shared<CongestionTable>();
  table->devices.reserve(records_.size());
  for (const auto& record : records_) table->devices.push_back(record->shown);
  table->passes = passes_;
  table->gets = gets_;
  table->sets = sets_;
  table->mended = mended_;
  results_ = std::move(table);
  conditions_.set_active(ConditionSource::congestion,
                         congestion_conditions(subnet.fabric, records_, plan_));
  log_pass(subnet, pass);
}

void CongestionManager::log_pass(const Subnet& subnet, const CongestionPass& pass) {
  std::size_t listed = 0;
  for (const PortIndex port : pass.mended()) {
    if (++listed > kMendedListed) break;
    log_.warn("congestion control of {} was changed by another program; it is set again",
              subnet.fabric.port_name(port));
  }
  if (pass.mended().size() > kMendedListed)
    log_.warn("congestion control of {} more devices was changed; it is set again",
              pass.mended().size() - kMendedListed);
  const bool is_first = !std::exchange(announced_, true);
  std::array<std::size_t, kCongestionStates> counts{};
  for (const auto& record : records_) ++counts[static_cast<std::size_t>(record->shown.state)];
  log_.log(is_first || pass.sets() > 0 ? spdlog::level::info : spdlog::level::debug,
           "congestion control: {} of {} devices have the settings of the options; {} Sets and {} "
           "Gets were sent",
           counts[static_cast<std::size_t>(CongestionState::configured)], records_.size(),
           pass.sets(), pass.gets());
}

SharedCongestion CongestionManager::table() const { return is_wanted() ? results_ : nullptr; }

}  // namespace sm
