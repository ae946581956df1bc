#include "sm/manager/sweep_scheduler.h"

#include <algorithm>
#include <utility>

namespace sm {

void SweepScheduler::request_everything(std::string why, bool trust_tables) {
  everything_ = true;
  trust_tables_ = trust_tables_ && trust_tables;
  why_ = std::move(why);
}

void SweepScheduler::request_node(mad::Guid node, std::string why) {
  changed_.insert(node);
  why_ = std::move(why);
}

SweepScheduler::Action SweepScheduler::next() const {
  if (everything_ || !changed_.empty()) return Action::sweep;
  if (p_keys_) return Action::reprogram_p_keys;
  if (vl_tables_) return Action::reprogram_vl_tables;
  return groups_ ? Action::program_groups : Action::rest;
}

SweepOrder SweepScheduler::take_order(bool has_subnet) {
  p_keys_ = vl_tables_ = false;
  const std::set<mad::Guid> changed = std::exchange(changed_, {});
  return {.everything = std::exchange(everything_, false) || !has_subnet,
          .changed = {changed.begin(), changed.end()},
          .trust_tables = std::exchange(trust_tables_, true),
          .why = why_};
}

mad::TimePoint SweepScheduler::deadline(mad::Duration interval) const {
  if (failures_ > 0) return deadline_;
  return std::min(interval == mad::Duration::zero() ? mad::TimePoint::max() : deadline_,
                  unread_.next());
}

bool SweepScheduler::on_deadline(mad::TimePoint now, mad::Duration interval, bool has_subnet,
                                 bool force_heavy_sweep) {
  if (std::exchange(groups_failed_, false)) {
    groups_ = true;
    return false;
  }
  const bool only_unread = interval == mad::Duration::zero() || now < deadline_;
  if (failures_ == 0 && (!force_heavy_sweep || only_unread) && has_subnet) return true;
  request_everything(failures_ > 0 ? why_failed_ : "force_heavy_sweep");
  return false;
}

void SweepScheduler::sweep_succeeded(mad::TimePoint now, mad::Duration interval) {
  failures_ = 0;
  deadline_ = now + interval;
}

void SweepScheduler::sweep_failed(mad::TimePoint now) {
  ++failures_;
  why_failed_ = "the last sweep left errors";
  constexpr unsigned kDoublings = 5;
  deadline_ = now + std::min(kRetryFirst * (1u << std::min(failures_ - 1, kDoublings)), kRetryLast);
}

void SweepScheduler::port_is_down(mad::TimePoint now) {
  ++failures_;
  why_failed_ = "the port was down";
  deadline_ = now + kRetryFirst;
}

void SweepScheduler::groups_failed(mad::TimePoint now) {
  groups_failed_ = true;
  deadline_ = std::min(deadline_, now + kRetryFirst);
}

void SweepScheduler::light_sweep_done(mad::TimePoint now, mad::Duration interval) {
  // One that was made before its time, for nodes that were not read, puts nothing off.
  if (now >= deadline_) deadline_ = now + interval;
}

}  // namespace sm
