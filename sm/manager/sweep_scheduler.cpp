#include "sm/manager/sweep_scheduler.h"

#include <algorithm>
#include <utility>

namespace sm {
namespace {

constexpr mad::Duration kFullCredit = VPortPace::kAtOnce * VPortPace::kRequest;

}  // namespace

mad::TimePoint VPortPace::request(mad::Guid port, mad::TimePoint now) {
  Port& of = seen(port, now);
  if (of.credit >= kRequest) {
    of.credit -= kRequest;
    return now;
  }
  const mad::Duration pause = of.pauses.next();
  return mad::TimePoint((now.time_since_epoch() / pause + 1) * pause);
}

void VPortPace::repeat(mad::Guid port, mad::TimePoint now) { seen(port, now); }

VPortPace::Port& VPortPace::seen(mad::Guid port, mad::TimePoint now) {
  forget_quiet(now);
  const auto [found, is_new] = ports_.try_emplace(port);
  Port& of = found->second;
  const mad::Duration quiet = is_new ? mad::Duration{} : now - of.latest;
  of.latest = now;
  if (quiet >= kRequest) of.credit = std::min(kFullCredit, of.credit + quiet);
  if (of.credit >= kFullCredit / 2) of.pauses.reset();
  return of;
}

void VPortPace::forget_quiet(mad::TimePoint now) {
  if (now < forgotten_ + kFullCredit) return;
  forgotten_ = now;
  std::erase_if(ports_,
                [now](const auto& port) { return now - port.second.latest >= kFullCredit; });
}

void SweepScheduler::request_everything(std::string why, bool trust_tables, bool audits_tables) {
  everything_ = true;
  trust_tables_ = trust_tables_ && trust_tables;
  reads_tables_ = reads_tables_ || (!trust_tables && !audits_tables);
  why_ = std::move(why);
}

void SweepScheduler::request_rebalance() {
  rebalance_ = true;
  request_everything("rebalance");
}

void SweepScheduler::request_conflict_removal(mad::Guid node) {
  conflicts_ = true;
  request_node(node, "routes on which fewer flows share a link");
}

void SweepScheduler::request_node(mad::Guid node, std::string why) {
  changed_.insert(node);
  why_ = std::move(why);
}

void SweepScheduler::request_answering(mad::Guid node, std::string why) {
  answering_.insert(node);
  request_node(node, std::move(why));
}

SweepScheduler::Action SweepScheduler::next() const {
  if (!held_ && (everything_ || !changed_.empty())) return Action::sweep;
  if (p_keys_ || members_ || vl_tables_ || m_keys_) return Action::program_parts;
  if (!disabled_.empty()) return Action::disable_port;
  if (!descriptions_.empty() || !managers_.empty() || checks_ready_) return Action::read_single;
  if (routers_) return Action::read_routers;
  if (!vports_.empty()) return Action::program_vports;
  return groups_ ? Action::program_groups : Action::rest;
}

PassRequest SweepScheduler::take_sweep(bool has_subnet) {
  p_keys_ = vl_tables_ = members_ = m_keys_ = routers_ = false;
  const std::set<mad::Guid> changed = std::exchange(changed_, {}),
                            answering = std::exchange(answering_, {});
  reads_everything_ = std::exchange(everything_, false) || !has_subnet;
  return {.everything = reads_everything_,
          .changed = {changed.begin(), changed.end()},
          .answering = {answering.begin(), answering.end()},
          .trust_tables = std::exchange(trust_tables_, true),
          .audits_tables = !std::exchange(reads_tables_, false),
          .reroute = std::exchange(rebalance_, false),
          .removes_conflicts = std::exchange(conflicts_, false),
          .why = why_,
          .arrived = std::exchange(arrived_, std::nullopt)};
}

PassRequest SweepScheduler::take_parts() {
  PassRequest request{.p_keys = std::exchange(p_keys_, false),
                      .vl_tables = std::exchange(vl_tables_, false),
                      .m_keys = std::exchange(m_keys_, false)};
  // A decision of all partitions includes the memberships.
  if (std::exchange(members_, false) && !request.p_keys) request.members.emplace();
  request.why = request.p_keys    ? "new partitions"
                : request.members ? "partitions of the API"
                : request.m_keys  ? "new M_Keys"
                                  : "new VL tables";
  return request;
}

SingleReads SweepScheduler::take_reads(mad::TimePoint now) {
  const auto taken = [](std::set<mad::Guid>& guids) {
    const std::set<mad::Guid> all = std::exchange(guids, {});
    return std::vector<mad::Guid>(all.begin(), all.end());
  };
  checks_ready_ = false;
  checks_due_ = kNever;
  SingleReads reads{.descriptions = taken(descriptions_),
                    .managers = taken(managers_),
                    .states = taken(checks_),
                    .p_keys = take_p_key_checks(now)};
  if (!p_key_checks_.empty()) checks_due_ = last_p_key_checks_ + kTrapPause;
  if (!everything_ && changed_.empty() && answering_.empty())
    reads.arrived = std::exchange(arrived_, std::nullopt);
  return reads;
}

bool SweepScheduler::request_check(mad::Guid node, mad::TimePoint now) {
  checks_.insert(node);
  if (checks_ready_ || checks_due_ != kNever) return false;
  checks_due_ = now + kTrapPause;
  return true;
}

bool SweepScheduler::request_p_key_check(const PKeyCheck& check, mad::TimePoint now) {
  PKeyCheck& pending = p_key_checks_.try_emplace(check.port, check).first->second;
  if (check.vport) pending.vport = check.vport;
  if (checks_ready_) return false;
  const mad::TimePoint due = last_p_key_checks_ + kTrapPause;
  if (due <= now) return checks_ready_ = true;
  if (due >= checks_due_) return false;
  checks_due_ = due;
  return true;
}

/// Continues after the check that was taken last, so that ports that request checks without pause
/// do not keep others from their turn.
std::vector<PKeyCheck> SweepScheduler::take_p_key_checks(mad::TimePoint now) {
  std::vector<PKeyCheck> taken;
  if (p_key_checks_.empty() || now < last_p_key_checks_ + kTrapPause) return taken;
  auto next = p_key_checks_.upper_bound(last_p_key_check_);
  while (taken.size() < kPKeyChecksMax && !p_key_checks_.empty()) {
    if (next == p_key_checks_.end()) next = p_key_checks_.begin();
    taken.push_back(next->second);
    next = p_key_checks_.erase(next);
  }
  last_p_key_check_ = taken.back().port;
  last_p_key_checks_ = now;
  return taken;
}

bool SweepScheduler::request_vports_of_trap(mad::Guid port, mad::TimePoint now, bool repeats) {
  if (vports_.contains(port) || vports_later_.contains(port)) {
    vport_pace_.repeat(port, now);
    return false;
  }
  mad::TimePoint due = vport_pace_.request(port, now);
  if (repeats) due = std::max(due, last_vports_ + kVPortsPause);
  if (due <= now) {
    vports_.insert(port);
    return true;
  }
  const bool sooner = due < vports_due();
  vports_later_.emplace(port, due);
  return sooner;
}

mad::TimePoint SweepScheduler::vports_due() const {
  mad::TimePoint first = kNever;
  for (const auto& [port, due] : vports_later_) first = std::min(first, due);
  return first;
}

std::vector<mad::Guid> SweepScheduler::take_vports(mad::TimePoint now) {
  last_vports_ = now;
  const std::set<mad::Guid> ports = std::exchange(vports_, {});
  for (const mad::Guid port : ports) vports_later_.erase(port);
  return {ports.begin(), ports.end()};
}

void SweepScheduler::request_light_sweep(mad::TimePoint now) {
  if (failures_ == 0)
    light_sweep_due_ = std::min(light_sweep_due_, std::max(now, last_light_sweep_ + kTrapPause));
}

mad::TimePoint SweepScheduler::deadline(mad::Duration interval) const {
  if (held_) return std::min({groups_due_, checks_due_, routers_due_, vports_due()});
  const bool waits = interval == mad::Duration::zero() && failures_ == 0;
  return std::min({waits ? kNever : deadline_, failures_ > 0 ? kNever : unread_.next(), groups_due_,
                   checks_due_, routers_due_, vports_due(), light_sweep_due_});
}

bool SweepScheduler::on_deadline(mad::TimePoint now, mad::Duration interval, bool has_subnet,
                                 bool force_heavy_sweep) {
  if (now >= checks_due_) {
    checks_due_ = kNever;
    checks_ready_ = true;
    return false;
  }
  if (now >= routers_due_) {
    begin_routers();
    return false;
  }
  if (now >= vports_due()) {
    for (const auto& [port, due] : vports_later_)
      if (now >= due) vports_.insert(port);
    std::erase_if(vports_later_, [now](const auto& waiting) { return now >= waiting.second; });
    return false;
  }
  if (now >= groups_due_) {
    groups_due_ = kNever;
    groups_ = true;
    return false;
  }
  light_sweep_due_ = kNever;
  const bool before_its_time = interval == mad::Duration::zero() || now < deadline_;
  if (failures_ == 0 && (!force_heavy_sweep || before_its_time) && has_subnet) return true;
  if (failures_ > 0 && has_subnet && !unwritten_.empty()) {
    why_ = "nodes left writes unanswered";
    changed_.merge(unwritten_);
    unwritten_.clear();
    return false;
  }
  request_everything(failures_ > 0 ? why_failed_ : "force_heavy_sweep");
  return false;
}

void SweepScheduler::sweep_succeeded(mad::TimePoint now, mad::Duration interval) {
  // Frequent changes of a few nodes must not keep light sweeps from finding other changes.
  if (reads_everything_ || failures_ > 0) deadline_ = now + interval;
  reads_everything_ = false;
  failures_ = 0;
  unwritten_.clear();
  retry_.reset();
  groups_done(true, now);
}

void SweepScheduler::sweep_failed(mad::TimePoint now, std::span<const mad::Guid> unwritten) {
  ++failures_;
  why_failed_ = "the last sweep left errors";
  unwritten_.clear();
  if (failures_ % 2 == 1) unwritten_.insert(unwritten.begin(), unwritten.end());
  deadline_ = now + retry_.next();
}

void SweepScheduler::port_is_down(mad::TimePoint now) {
  ++failures_;
  unwritten_.clear();
  why_failed_ = "the port was down";
  retry_.next();
  deadline_ = now + kRetryFirst;
}

void SweepScheduler::groups_done(bool complete, mad::TimePoint now) {
  if (complete) groups_retry_.reset();
  groups_due_ = complete ? kNever : now + groups_retry_.next();
}

void SweepScheduler::light_sweep_done(mad::TimePoint now, mad::Duration interval) {
  // An early light sweep, for nodes that were not read, postpones nothing.
  if (now >= deadline_) deadline_ = now + interval;
  last_light_sweep_ = now;
}

}  // namespace sm
