#include "sm/manager/upkeep.h"

#include "mad/format.h"

namespace sm {
namespace asio = boost::asio;

mad::TimePoint AuditPace::due(mad::Duration interval) const {
  if (interval == mad::Duration::zero()) return mad::TimePoint::max();
  if (interval != interval_) return {};
  return requested_ ? std::min(next_, *requested_) : next_;
}

void AuditPace::begin(mad::TimePoint now, mad::Duration interval, std::size_t size) {
  constexpr mad::Duration kShortest = mad::Duration(std::chrono::seconds(1)) / kSmpsPerSecond;
  const auto attributes = static_cast<mad::Duration::rep>(std::max<std::size_t>(size, 1));
  interval_ = interval;
  each_ = is_requested(now) ? kShortest : std::max(interval / attributes, kShortest);
  if (is_requested(now)) requested_.reset();
  step_ = std::max(std::min({each_ * kBurst, interval / kStepsPerPass, kStepMax}), kStep);
  end_ = now + interval;
  next_ = now + std::max(each_, step_);
}

unsigned AuditPace::take(mad::TimePoint now) {
  next_ = now + std::max(each_, step_);
  return static_cast<unsigned>(std::max<mad::Duration::rep>(step_ / each_, 1));
}

void AuditPace::pass_is_over(mad::TimePoint now) { next_ = std::max(end_, now + kStep); }

void Upkeep::swept(bool rerouted, bool published) {
  price_due_ = price_due_ || published;
  rebalancing_.swept(loop_.now(), rerouted);
  if (!rerouted) return;
  const State& state = sweeper_.state();
  const bool is_fresh = !state.has_lost() && !state.has_gained() && state.routing.state &&
                        !state.routing.state->adopted;
  load_ratio_ = is_fresh ? std::optional(1.0) : std::nullopt;
  sweeper_.report_balance(std::nullopt);
}

mad::Duration Upkeep::audit_interval() const {
  return std::chrono::seconds(loop_.options().audit_interval);
}

/// True if this manager programmed the subnet without errors.
bool Upkeep::is_converged() const {
  return mastership_.leads() && sweeper_.subnet() && loop_.scheduler().failures() == 0;
}

mad::TimePoint Upkeep::audit_due() const {
  return is_converged() ? audit_pace_.due(audit_interval()) : mad::TimePoint::max();
}

mad::TimePoint Upkeep::rebalancing_due() const {
  return is_converged() ? rebalancing_.due(loop_.options(), sweeper_.state().has_gained(),
                                           sweeper_.state().has_lost())
                        : mad::TimePoint::max();
}

mad::TimePoint Upkeep::conflict_removal_due() const {
  return is_converged()
             ? rebalancing_.removal_due(loop_.options(), sweeper_.state().has_conflicts())
             : mad::TimePoint::max();
}

mad::TimePoint Upkeep::storing_due() const {
  const bool is_due =
      mastership_.leads() && sweeper_.subnet() && sweeper_.state().stored.has_failed();
  return is_due ? storing_at_ : mad::TimePoint::max();
}

asio::awaitable<void> Upkeep::store_again() {
  co_await sweeper_.store_again(loop_.context());
  storing_at_ = loop_.now() + storing_pause_.next();
  if (!sweeper_.state().stored.has_failed()) storing_pause_.reset();
}

asio::awaitable<void> Upkeep::remove_conflicts() {
  if (co_await sweeper_.has_removable_conflicts(loop_.context())) {
    log_.info("rebalance: routes move so that fewer flows of shift permutations share a link");
    const Fabric& fabric = sweeper_.subnet()->fabric;
    loop_.scheduler().request_conflict_removal(fabric.nodes[fabric.switches.front().node].guid);
  }
}

asio::awaitable<void> Upkeep::audit() {
  const mad::TimePoint now = loop_.now();
  if (audit_pace_.begins(now, audit_interval())) {
    if (audit_pace_.is_requested(now)) sweeper_.auditor().restart();
    co_return audit_pace_.begin(now, audit_interval(), sweeper_.auditor().size());
  }
  const AuditStep step = co_await sweeper_.auditor().step(audit_pace_.take(now));
  if (step.pass_is_over) audit_pace_.pass_is_over(loop_.now());
  for (const mad::Guid guid : step.differing)
    loop_.request_node(guid, "the audit found a difference");
  if (step.everything) loop_.request_everything("the audit found another NodeInfo");
  if (step.groups) loop_.request_groups();
}

asio::awaitable<void> Upkeep::compare_routes() {
  const std::optional<RoutingPrice> price = co_await sweeper_.price_routing(loop_.context());
  const State& state = sweeper_.state();
  const bool has_gained = state.has_gained();
  rebalancing_.compared();
  load_ratio_ = price ? sm::load_ratio(*price) : 1.0;
  if (!price || !is_unbalanced(*price)) co_return sweeper_.note_balanced();
  if (has_gained && loop_.options().rebalance) {
    log_.info(
        "rebalance: {} pairs cross the busiest link, {} if all routes are chosen again: they are",
        price->worst_load, price->worst_load_rerouted);
    loop_.scheduler().request_rebalance();
  } else if (!has_gained && !state.routing.state->adopted) {  // else it is reported already
    sweeper_.report_balance(imbalance(*price, loop_.options(), UnevenSince::lost));
  }
}

mad::TimePoint KeyChanges::due() const {
  if (!mastership_.leads() || !sweeper_.subnet()) return mad::TimePoint::max();
  const MKeys& keys = sweeper_.state().m_keys;
  if (keys.period() == std::chrono::minutes::zero()) return mad::TimePoint::max();
  const auto next = keys.next_change();
  if (!next) return std::max(not_before_, changed_ + keys.period());
  return std::max(not_before_, loop_.now() + (*next - wall_clock_()));
}

asio::awaitable<void> KeyChanges::change() {
  changed_ = loop_.now();
  not_before_ = changed_ + kRetry;
  MKeys& keys = sweeper_.m_keys();
  const KeyVersion version = keys.next_version();
  log_.info("periodic_key_update: version {} of the M_Keys follows {}", version.current,
            version.previous);
  co_await replication_.store_key_version(version);
  if (loop_.is_stopping() || !mastership_.leads()) co_return;
  keys.take_version(version);
  loop_.scheduler().request_m_keys();
}

}  // namespace sm
