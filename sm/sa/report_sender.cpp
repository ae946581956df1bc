#include "sm/sa/report_sender.h"

#include <algorithm>

#include "mad/rmpp.h"
#include "mad/sa_attribute.h"

namespace sa {
namespace {

constexpr mad::Duration kKernelSlack =
    std::chrono::milliseconds(50);  // the kernel keeps the transaction open for this much longer

}  // namespace

ReportSender::ReportSender(mad::Runtime& runtime, mad::MadTransport& transport, Outcome outcome,
                           const Limits& limits)
    : runtime_(runtime),
      transport_(transport),
      outcome_(std::move(outcome)),
      limits_(limits),
      timer_(runtime.make_timer([this] { on_timer(); })) {}

void ReportSender::send(const ReportedNotice& notice, const mad::MadAddress& to,
                        mad::Guid subscriber, std::uint64_t subscription) {
  const auto known = subscribers_.find(subscriber);
  const bool is_full =
      known != subscribers_.end() && known->second.waiting.size() >= limits_.waiting_per_subscriber;
  if (is_full || waiting_ >= limits_.waiting) {
    ++statistics_.dropped;
    return outcome_(subscription, End::dropped);
  }
  Subscriber& entry = subscribers_[subscriber];
  entry.waiting.push_back(
      {.notice = notice, .to = to, .subscriber = subscriber, .subscription = subscription});
  ++waiting_;
  make_ready(subscriber, entry);
  pump();
  arm();
}

void ReportSender::clear() {
  subscribers_.clear();
  ready_.clear();
  in_flight_.clear();
  waiting_ = 0;
  timer_->cancel();
}

/// Round robin: a subscriber that does not answer delays no other subscriber.
void ReportSender::make_ready(mad::Guid subscriber, Subscriber& entry) {
  if (entry.is_ready || entry.waiting.empty() || entry.in_flight >= limits_.per_subscriber) return;
  entry.is_ready = true;
  ready_.push_back(subscriber);
}

void ReportSender::pump() {
  while (!ready_.empty() && in_flight_.size() < limits_.in_flight) {
    const mad::Guid subscriber = ready_.front();
    ready_.pop_front();
    Subscriber& entry = subscribers_.at(subscriber);
    entry.is_ready = false;
    in_flight_.push_back(entry.waiting.front());
    entry.waiting.pop_front();
    --waiting_;
    ++entry.in_flight;
    make_ready(subscriber, entry);
    transmit(in_flight_.back());
  }
}

void ReportSender::transmit(Report& report) {
  // A new one for each attempt, since the kernel refuses one that is still open; drawn, so that no
  // other program can acknowledge it.
  do {
    report.transaction = static_cast<std::uint32_t>(runtime_.random());
  } while (std::ranges::count(in_flight_, report.transaction, &Report::transaction) > 1);
  ++report.attempts;
  report.deadline = runtime_.now() + limits_.timeout;
  mad::MadBytes bytes{};
  mad::SaView mad{std::span<std::uint8_t, mad::kMadBytes>(bytes)};
  mad.set_base_version(mad::kBaseVersion);
  mad.set_mgmt_class(mad::MgmtClass::sa);
  mad.set_class_version(mad::kSaClassVersion);
  mad.set_method(mad::Method::report);
  mad.set_transaction_id(report.transaction);
  mad.set_attribute_id(static_cast<mad::AttributeId>(mad::SaAttributeId::notice));
  std::ranges::copy(report.notice, mad.data().begin());
  const auto wait_ms =
      std::chrono::duration_cast<std::chrono::milliseconds>(limits_.timeout + kKernelSlack).count();
  transport_.send(bytes, report.to, static_cast<int>(wait_ms));
}

bool ReportSender::on_mad(const mad::ReceivedMad& received) {
  const mad::ConstMadView mad{std::span<const std::uint8_t, mad::kMadBytes>(received.bytes)};
  const auto transaction = static_cast<std::uint32_t>(mad.transaction_id());
  const auto found = std::ranges::find(in_flight_, transaction, &Report::transaction);
  if (found == in_flight_.end()) return false;
  if (received.send_errno != 0) return true;  // our own timer expires soon
  if (received.from.lid != found->to.lid) return false;
  finish(static_cast<std::size_t>(found - in_flight_.begin()), End::delivered);
  pump();
  arm();
  return true;
}

void ReportSender::finish(std::size_t at, End end) {
  const std::uint64_t subscription = in_flight_[at].subscription;
  const mad::Guid subscriber = in_flight_[at].subscriber;
  in_flight_[at] = in_flight_.back();
  in_flight_.pop_back();
  const auto entry = subscribers_.find(subscriber);
  --entry->second.in_flight;
  make_ready(subscriber, entry->second);
  if (entry->second.waiting.empty() && entry->second.in_flight == 0) subscribers_.erase(entry);
  ++(end == End::delivered ? statistics_.delivered : statistics_.given_up);
  outcome_(subscription, end);
}

void ReportSender::on_timer() {
  for (std::size_t at = in_flight_.size(); at-- > 0;) {
    if (at >= in_flight_.size() || in_flight_[at].deadline > runtime_.now()) continue;
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
  if (in_flight_.empty()) return timer_->cancel();
  timer_->arm(std::ranges::min(in_flight_, {}, &Report::deadline).deadline);
}

}  // namespace sa
