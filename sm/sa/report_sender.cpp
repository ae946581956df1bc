#include "sm/sa/report_sender.h"

#include <algorithm>

#include "mad/rmpp.h"
#include "mad/sa_attribute.h"

namespace sa {
namespace {

constexpr mad::Duration kKernelSlack =
    std::chrono::milliseconds(50);    // the kernel keeps transactions open for this much longer
constexpr unsigned kAfterPause = 16;  // reports that the rate allows when the timer expires
constexpr std::uint32_t kAttemptMask = ReportSender::kAttemptsMax - 1;

}  // namespace

ReportSender::ReportSender(mad::Runtime& runtime, mad::MadTransport& transport, Outcome outcome,
                           const Limits& limits)
    : runtime_(runtime),
      transport_(transport),
      outcome_(std::move(outcome)),
      limits_(limits),
      timer_(runtime.make_timer([this] { on_timer(); })) {
  limits_.retries = std::min(limits_.retries, kAttemptsMax - 1);
}

void ReportSender::send(const ReportedNotice& notice, const mad::MadAddress& to,
                        const Client& subscriber, std::uint64_t subscription) {
  const auto port = ports_.find(subscriber.port);
  const auto known = subscribers_.find(subscriber.end);
  const InUse in_use{.port = port == ports_.end() ? 0 : port->second.waiting,
                     .own = known == subscribers_.end() ? 0 : known->second.waiting.size(),
                     .all = waiting_};
  if (admission(limits_.waiting, subscriber, in_use) != Admission::admitted) {
    ++statistics_.dropped;
    return outcome_(subscription, End::dropped);
  }
  Subscriber& entry = subscribers_.try_emplace(subscriber.end).first->second;
  // Reports of a vport that moves count for its old port until none of them is left.
  if (entry.waiting.empty() && entry.in_flight == 0) entry.client = subscriber;
  if (entry.lid != to.lid) readdress(entry, to);
  entry.waiting.push_back(
      {.notice = notice, .to = to, .subscriber = entry.client, .subscription = subscription});
  ++waiting_;
  ++ports_[entry.client.port].waiting;
  make_ready(entry);
  pump();
  arm();
}

/// Readdresses all reports of the subscriber: new ones must not wait for attempts at the old LID.
void ReportSender::readdress(Subscriber& entry, const mad::MadAddress& to) {
  entry.lid = to.lid;
  const auto change = [&](Report& report) {
    report.to.lid = to.lid;
    report.to.sl = to.sl;
    report.to.grh = to.grh;
  };
  for (Report& report : entry.waiting) change(report);
  for (Report& report : in_flight_)
    if (report.subscriber.end == entry.client.end) change(report);
}

bool ReportSender::has_room() const {
  return in_flight_.empty() || (in_flight_.size() < limits_.in_flight.total &&
                                transport_.budget().admits(mad::PortBudget::Use::reports));
}

void ReportSender::clear() {
  transport_.budget().give_back(mad::PortBudget::Use::reports,
                                static_cast<unsigned>(in_flight_.size()));
  subscribers_.clear();
  ports_.clear();
  ready_.clear();
  late_ready_.clear();
  in_flight_.clear();
  late_ = 0;
  waiting_ = 0;
  timer_->cancel();
}

/// Subscribers are served round robin: one that does not answer delays no other.
void ReportSender::make_ready(Subscriber& entry) {
  const std::size_t in_flight_max = entry.is_late             ? 1
                                    : entry.client.is_vport() ? limits_.in_flight.per_vport
                                                              : limits_.in_flight.per_port;
  if (entry.is_ready || entry.waiting.empty() || entry.in_flight >= in_flight_max) return;
  entry.is_ready = true;
  enqueue(entry);
}

void ReportSender::enqueue(const Subscriber& entry) {
  (entry.is_late ? late_ready_ : ready_).push_back(entry.client.end);
}

/// Returns the subscribers whose turn it is, or null if none may get a report.
std::deque<mad::Guid>* ReportSender::find_ready() {
  if (!late_ready_.empty() && late_ < limits_.late) return &late_ready_;
  return ready_.empty() ? nullptr : &ready_;
}

void ReportSender::pump() {
  while (has_room() && may_send()) {
    std::deque<mad::Guid>* const ready = find_ready();
    if (ready == nullptr) return;
    const mad::Guid subscriber = ready->front();
    ready->pop_front();
    Subscriber& entry = subscribers_.at(subscriber);
    if (entry.is_late && (ready == &ready_ || entry.in_flight > 0)) {
      // It was ready before it was late.
      entry.is_ready = false;
      make_ready(entry);
      continue;
    }
    Port& port = ports_.at(entry.client.port);
    const InUse in_use{.port = port.in_flight, .own = entry.in_flight, .all = in_flight_.size()};
    if (admission(limits_.in_flight, entry.client, in_use) != Admission::admitted) {
      port.blocked.push_back(subscriber);  // the port has one in flight, whose end resumes it
      continue;
    }
    entry.is_ready = false;
    in_flight_.push_back(entry.waiting.front());
    in_flight_.back().is_late = entry.is_late;
    late_ += entry.is_late ? 1u : 0u;
    transport_.budget().take(mad::PortBudget::Use::reports);
    entry.waiting.pop_front();
    --waiting_;
    --port.waiting;
    ++entry.in_flight;
    ++port.in_flight;
    make_ready(entry);
    transmit(in_flight_.back());
  }
}

void ReportSender::transmit(Report& report) {
  // Each attempt has its own transaction id: the kernel refuses an id that is still open, and keeps
  // all open until the last attempt ends. Ids are random, so that no other program can acknowledge
  // a report.
  while (report.attempts == 0) {
    report.transaction = static_cast<std::uint32_t>(runtime_.random()) & ~kAttemptMask;
    if (std::ranges::count(in_flight_, report.transaction, &Report::transaction) <= 1) break;
  }
  const std::uint32_t transaction = report.transaction | report.attempts;
  const unsigned attempts_left = limits_.retries + 1 - report.attempts;
  next_ = std::max(next_, runtime_.now()) + limits_.interval;
  const mad::Duration timeout = timeout_for(report);
  report.sent_at[report.attempts] = runtime_.now();
  ++report.attempts;
  report.deadline = runtime_.now() + timeout;
  mad::MadBytes bytes{};
  mad::SaView mad{std::span<std::uint8_t, mad::kMadBytes>(bytes)};
  mad.set_base_version(mad::kBaseVersion);
  mad.set_mgmt_class(mad::MgmtClass::sa);
  mad.set_class_version(mad::kSaClassVersion);
  mad.set_method(mad::Method::report);
  mad.set_transaction_id(transaction);
  mad.set_attribute_id(static_cast<mad::AttributeId>(mad::SaAttributeId::notice));
  std::ranges::copy(report.notice, mad.data().begin());
  const auto wait_ms =
      std::chrono::duration_cast<std::chrono::milliseconds>(timeout * attempts_left + kKernelSlack)
          .count();
  transport_.send(bytes, report.to, static_cast<int>(wait_ms));
}

mad::Duration ReportSender::timeout_for(const Report& report) const {
  const auto found = slow_.find(report.to.lid.value);
  return found == slow_.end()
             ? limits_.timeout
             : found->second.timeout(limits_.timeout, limits_.timeout * (limits_.retries + 2));
}

void ReportSender::measure(const Report& report, std::uint32_t attempt) {
  const mad::Duration took = runtime_.now() - report.sent_at[attempt];
  const mad::Duration slow = limits_.timeout / 4;
  const auto found = slow_.find(report.to.lid.value);
  if (found == slow_.end() && took < slow) return;
  mad::RoundTrip& subscriber = found == slow_.end() ? slow_[report.to.lid.value] : found->second;
  subscriber.measured(took);
  if (subscriber.smoothed() < slow) slow_.erase(report.to.lid.value);
}

bool ReportSender::on_mad(const mad::ReceivedMad& received) {
  const mad::ConstMadView mad{std::span<const std::uint8_t, mad::kMadBytes>(received.bytes)};
  const auto transaction = static_cast<std::uint32_t>(mad.transaction_id());
  const auto found =
      std::ranges::find(in_flight_, transaction & ~kAttemptMask, &Report::transaction);
  if (found == in_flight_.end() || (transaction & kAttemptMask) >= found->attempts) return false;
  if (received.send_errno != 0) return true;  // this object's timer expires soon
  if (received.from.lid != found->to.lid) return false;
  const bool names_vport = found->to.grh.has_value();
  if (names_vport &&
      (!received.from.grh || received.from.grh->peer.guid != found->to.grh->peer.guid))
    return false;
  measure(*found, transaction & kAttemptMask);
  finish(static_cast<std::size_t>(found - in_flight_.begin()), End::delivered);
  pump();
  arm();
  return true;
}

void ReportSender::finish(std::size_t at, End end) {
  const std::uint64_t subscription = in_flight_[at].subscription;
  const Client subscriber = in_flight_[at].subscriber;
  late_ -= in_flight_[at].is_late ? 1u : 0u;
  in_flight_[at] = in_flight_.back();
  in_flight_.pop_back();
  transport_.budget().give_back(mad::PortBudget::Use::reports);
  const auto entry = subscribers_.find(subscriber.end);
  --entry->second.in_flight;
  entry->second.is_late = end != End::delivered;
  const auto port = ports_.find(subscriber.port);
  --port->second.in_flight;
  if (!port->second.blocked.empty()) {
    enqueue(subscribers_.at(port->second.blocked.front()));
    port->second.blocked.pop_front();
  }
  make_ready(entry->second);
  if (entry->second.waiting.empty() && entry->second.in_flight == 0) subscribers_.erase(entry);
  if (port->second.waiting == 0 && port->second.in_flight == 0) ports_.erase(port);
  ++(end == End::delivered ? statistics_.delivered : statistics_.given_up);
  outcome_(subscription, end);
}

void ReportSender::note_late(Report& report) {
  late_ += report.is_late ? 0u : 1u;
  report.is_late = true;
  subscribers_.at(report.subscriber.end).is_late = true;
}

void ReportSender::on_timer() {
  for (std::size_t at = in_flight_.size(); at-- > 0;) {
    if (at >= in_flight_.size() || in_flight_[at].deadline > runtime_.now()) continue;
    note_late(in_flight_[at]);
    if (in_flight_[at].attempts <= limits_.retries) {
      transmit(in_flight_[at]);
    } else {
      finish(at, End::given_up);
    }
  }
  pump();
  arm();
}

void ReportSender::arm() {
  mad::TimePoint at = mad::TimePoint::max();
  if (!in_flight_.empty()) at = std::ranges::min(in_flight_, {}, &Report::deadline).deadline;
  if (find_ready() != nullptr && has_room())
    at = std::min(
        at, next_ - limits_.interval * (limits_.burst - std::min(limits_.burst, kAfterPause)));
  if (at == mad::TimePoint::max()) return timer_->cancel();
  timer_->arm(at);
}

}  // namespace sa
