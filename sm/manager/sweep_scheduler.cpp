#include "sm/manager/sweep_scheduler.h"

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

void UnreadNodes::note(std::span<const mad::Guid> unread, std::span<const mad::Guid> read,
                       mad::TimePoint now) {
  const std::set<mad::Guid> silent(unread.begin(), unread.end());
  for (const mad::Guid guid : read) {
    if (!silent.contains(guid)) entries_.erase(guid);
  }
  for (const mad::Guid guid : silent) {
    const auto [entry, is_new] = entries_.try_emplace(guid);
    mad::Backoff& pause = entry->second.pause;
    entry->second.due = now + (is_new ? pause.next() : pause.latest());
  }
}

void UnreadNodes::note_all(std::span<const mad::Guid> unread, mad::TimePoint now) {
  std::erase_if(entries_, [&](const auto& entry) {
    return std::ranges::find(unread, entry.first) == unread.end();
  });
  note(unread, {}, now);
}

mad::TimePoint UnreadNodes::next() const {
  mad::TimePoint first = mad::TimePoint::max();
  for (const auto& [guid, entry] : entries_) first = std::min(first, entry.due);
  return first;
}

std::set<mad::Guid> UnreadNodes::take_due(mad::TimePoint now) {
  std::set<mad::Guid> due;
  for (auto& [guid, entry] : entries_) {
    if (entry.due > now) continue;
    due.insert(guid);
    entry.due = now + entry.pause.next();
  }
  return due;
}

std::set<mad::Guid> UnreadNodes::waiting(mad::TimePoint now) const {
  std::set<mad::Guid> result;
  for (const auto& [guid, entry] : entries_) {
    if (entry.due > now) result.insert(guid);
  }
  return result;
}

SweepScheduler::Action SweepScheduler::next() const {
  if (!held_ && pending_.has_survey()) return Action::sweep;
  if (pending_.has_parts()) return Action::program_parts;
  if (!disabled_.empty()) return Action::disable_port;
  if (!reads_.descriptions.empty() || !reads_.managers.empty() || reads_.are_ready)
    return Action::read_single;
  if (pending_.routers) return Action::read_routers;
  if (pending_.vports) return Action::program_vports;
  return pending_.groups ? Action::program_groups : Action::rest;
}

PassRequest SweepScheduler::take_sweep(bool has_subnet) {
  PassRequest sweep = pending_.take_survey();
  sweep.everything = reads_everything_ = sweep.everything || !has_subnet;
  return sweep;
}

SingleReads SweepScheduler::take_reads(mad::TimePoint now) {
  const auto taken = [](std::set<mad::Guid>& guids) {
    const std::set<mad::Guid> all = std::exchange(guids, {});
    return std::vector<mad::Guid>(all.begin(), all.end());
  };
  reads_.are_ready = false;
  due_.reads = kNever;
  SingleReads reads{.descriptions = taken(reads_.descriptions),
                    .managers = taken(reads_.managers),
                    .states = taken(reads_.states),
                    .p_keys = take_p_key_checks(now)};
  if (!reads_.p_keys.empty()) due_.reads = last_.p_keys + kTrapPause;
  if (!pending_.has_survey() && pending_.answering.empty())
    reads.arrived = std::exchange(pending_.arrived, std::nullopt);
  return reads;
}

bool SweepScheduler::request_check(mad::Guid node, mad::TimePoint now) {
  reads_.states.insert(node);
  if (reads_.are_ready || due_.reads != kNever) return false;
  due_.reads = now + kTrapPause;
  return true;
}

bool SweepScheduler::request_p_key_check(const PKeyCheck& check, mad::TimePoint now) {
  PKeyCheck& pending = reads_.p_keys.try_emplace(check.port, check).first->second;
  if (check.vport) pending.vport = check.vport;
  if (reads_.are_ready) return false;
  const mad::TimePoint due = last_.p_keys + kTrapPause;
  if (due <= now) return reads_.are_ready = true;
  if (due >= due_.reads) return false;
  due_.reads = due;
  return true;
}

/// Continues after the check that was taken last, so that ports that request checks without pause
/// do not keep others from their turn.
std::vector<PKeyCheck> SweepScheduler::take_p_key_checks(mad::TimePoint now) {
  std::vector<PKeyCheck> taken;
  std::map<mad::Guid, PKeyCheck>& checks = reads_.p_keys;
  if (checks.empty() || now < last_.p_keys + kTrapPause) return taken;
  auto next = checks.upper_bound(last_.p_key_port);
  while (taken.size() < kPKeyChecksMax && !checks.empty()) {
    if (next == checks.end()) next = checks.begin();
    taken.push_back(next->second);
    next = checks.erase(next);
  }
  last_.p_key_port = taken.back().port;
  last_.p_keys = now;
  return taken;
}

bool SweepScheduler::request_vports_of_trap(mad::Guid port, mad::TimePoint now, bool repeats) {
  const bool is_requested =
      pending_.vports && std::ranges::binary_search(pending_.vports->ports, port);
  if (is_requested || due_.vports.contains(port)) {
    vport_pace_.repeat(port, now);
    return false;
  }
  mad::TimePoint due = vport_pace_.request(port, now);
  if (repeats) due = std::max(due, last_.vports + kVPortsPause);
  if (due <= now) {
    request_vports(port);
    return true;
  }
  const bool sooner = due < due_.first_vports();
  due_.vports.emplace(port, due);
  return sooner;
}

mad::TimePoint SweepScheduler::DueTimes::first_vports() const {
  mad::TimePoint first = kNever;
  for (const auto& [port, due] : vports) first = std::min(first, due);
  return first;
}

std::vector<mad::Guid> SweepScheduler::take_vports(mad::TimePoint now) {
  last_.vports = now;
  if (!pending_.vports) return {};
  std::vector<mad::Guid> ports = std::move(pending_.vports->ports);
  pending_.vports.reset();
  for (const mad::Guid port : ports) due_.vports.erase(port);
  return ports;
}

void SweepScheduler::request_light_sweep(mad::TimePoint now) {
  if (failures_ == 0)
    due_.light_sweep = std::min(due_.light_sweep, std::max(now, last_.light_sweep + kTrapPause));
}

mad::TimePoint SweepScheduler::deadline(mad::Duration interval) const {
  const mad::TimePoint work =
      std::min({due_.groups, due_.reads, due_.routers, due_.first_vports()});
  if (held_) return work;
  const bool waits = interval == mad::Duration::zero() && failures_ == 0;
  return std::min({work, waits ? kNever : deadline_, failures_ > 0 ? kNever : unread_.next(),
                   due_.light_sweep});
}

bool SweepScheduler::on_deadline(mad::TimePoint now, mad::Duration interval, bool has_subnet,
                                 bool force_heavy_sweep) {
  if (now >= due_.reads) {
    due_.reads = kNever;
    reads_.are_ready = true;
    return false;
  }
  if (now >= due_.routers) {
    begin_routers();
    return false;
  }
  if (now >= due_.first_vports()) {
    for (const auto& [port, due] : due_.vports)
      if (now >= due) request_vports(port);
    std::erase_if(due_.vports, [now](const auto& waiting) { return now >= waiting.second; });
    return false;
  }
  if (now >= due_.groups) {
    due_.groups = kNever;
    request_groups();
    return false;
  }
  due_.light_sweep = kNever;
  const bool before_its_time = interval == mad::Duration::zero() || now < deadline_;
  if (failures_ == 0 && (!force_heavy_sweep || before_its_time) && has_subnet) return true;
  if (failures_ > 0 && has_subnet && !unwritten_.empty()) {
    pending_.add(
        {.changed = {unwritten_.begin(), unwritten_.end()}, .why = "nodes left writes unanswered"});
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
  due_.groups = complete ? kNever : now + groups_retry_.next();
}

void SweepScheduler::light_sweep_done(mad::TimePoint now, mad::Duration interval) {
  // An early light sweep, for nodes that were not read, postpones nothing.
  if (now >= deadline_) deadline_ = now + interval;
  last_.light_sweep = now;
}

}  // namespace sm
