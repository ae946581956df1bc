#include "sm/sa/report_sender.h"

#include <algorithm>

#include "mad/rmpp.h"
#include "mad/sa_attribute.h"

namespace sa {
namespace {

constexpr mad::Duration kKernelSlack = std::chrono::milliseconds(
    50);  // the layer below keeps the transaction open a little longer than we do

}  // namespace

ReportSender::ReportSender(mad::Runtime& runtime, mad::MadTransport& transport, Outcome outcome,
                           const Limits& limits)
    : runtime_(runtime),
      transport_(transport),
      outcome_(std::move(outcome)),
      limits_(limits),
      timer_(runtime.make_timer([this] { on_timer(); })) {}

void ReportSender::send(const ReportedNotice& notice, const mad::MadAddress& to,
                        std::uint64_t subscription) {
  if (waiting_ >= limits_.waiting) {
    ++dropped_;
    return outcome_(subscription, End::dropped);
  }
  Line& line = lines_[key(to)];
  line.waiting.push_back({.notice = notice, .to = to, .subscription = subscription});
  ++waiting_;
  give_turn(key(to), line);
  pump();
  arm();
}

void ReportSender::clear() {
  lines_.clear();
  turns_.clear();
  in_flight_.clear();
  waiting_ = 0;
  timer_->cancel();
}

/// A subscriber who does not answer holds up nobody but himself.
void ReportSender::give_turn(std::uint64_t subscriber, Line& line) {
  if (line.has_turn || line.waiting.empty() || line.in_flight >= limits_.per_subscriber) return;
  line.has_turn = true;
  turns_.push_back(subscriber);
}

void ReportSender::pump() {
  while (!turns_.empty() && in_flight_.size() < limits_.in_flight) {
    const std::uint64_t subscriber = turns_.front();
    turns_.pop_front();
    Line& line = lines_.at(subscriber);
    line.has_turn = false;
    in_flight_.push_back(line.waiting.front());
    line.waiting.pop_front();
    --waiting_;
    ++line.in_flight;
    give_turn(subscriber, line);
    transmit(in_flight_.back());
  }
}

void ReportSender::transmit(Report& report) {
  report.transaction = ++transaction_;  // each attempt its own: the kernel refuses one whose
                                        // transaction is still open
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
  if (received.send_errno != 0) return true;  // our own timer says the same soon
  if (received.from.lid != found->to.lid) return false;
  finish(static_cast<std::size_t>(found - in_flight_.begin()), End::delivered);
  pump();
  arm();
  return true;
}

void ReportSender::finish(std::size_t at, End end) {
  const std::uint64_t subscription = in_flight_[at].subscription,
                      subscriber = key(in_flight_[at].to);
  in_flight_[at] = in_flight_.back();
  in_flight_.pop_back();
  const auto line = lines_.find(subscriber);
  --line->second.in_flight;
  give_turn(subscriber, line->second);
  if (line->second.waiting.empty() && line->second.in_flight == 0) lines_.erase(line);
  ++(end == End::delivered ? delivered_ : given_up_);
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
