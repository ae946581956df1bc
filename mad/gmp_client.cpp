#include "mad/gmp_client.h"

#include <algorithm>
#include <boost/asio/async_result.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <cassert>
#include <cerrno>
#include <utility>

namespace mad {
namespace asio = boost::asio;

namespace {

// The low 32 bits of a transaction id are ours (the kernel overwrites the others): slot, attempt
// and generation. Each attempt needs an id of its own: the kernel refuses one whose transaction is
// open, and those of all attempts stay open until the request ends.
constexpr unsigned kGmpSlotBits = 13;
constexpr std::uint32_t kGmpSlotMask = (1u << kGmpSlotBits) - 1;
constexpr unsigned kGmpAttemptBits = GmpClient::kAttemptBits;
constexpr std::uint32_t kGmpAttemptMask = (1u << kGmpAttemptBits) - 1;
constexpr unsigned kGmpGenerationBits = 32 - kGmpSlotBits - kGmpAttemptBits;
static_assert(GmpClient::kWindowMax <= kGmpSlotMask);
constexpr GmpData kNoGmpData{};

/// The kernel keeps transactions open for this much longer, so that our own timer decides.
constexpr Duration kGmpTimeoutSlack = std::chrono::milliseconds(50);
constexpr Duration kMillisecond = std::chrono::milliseconds(1);
/// Between bursts.
constexpr Duration kBurstPause = std::chrono::milliseconds(10);

bool comes_from(const MadAddress& from, const GmpRequest& request) {
  const unsigned base = request.to.lid.value & ~((1u << request.lmc) - 1u);
  return from.lid.value >= base && from.lid.value < base + (1u << request.lmc);
}

}  // namespace

std::string_view name(GmpFault fault) {
  switch (fault) {
    case GmpFault::none:
      return "ok";
    case GmpFault::redirected:
      return "redirected";
    case GmpFault::bad_status:
      return "bad status";
    case GmpFault::timeout:
      return "timeout";
    case GmpFault::not_sent:
      return "not sent";
  }
  return "";
}

GmpClient::GmpClient(Runtime& runtime, MadTransport& transport, GmpLimits limits)
    : runtime_(runtime),
      transport_(transport),
      generations_(runtime, kGmpGenerationBits),
      stride_(static_cast<std::uint32_t>(runtime.random())),
      timer_(runtime.make_timer([this] { on_deadline(); })) {
  set_limits(limits);
}

void GmpClient::set_limits(const GmpLimits& limits) {
  limits_ = limits;
  limits_.window = std::clamp(limits_.window, 1u, kWindowMax);
}

asio::awaitable<void> GmpClient::exchange(GmpBatch& batch) {
  assert(batch_ == nullptr);
  co_await asio::async_initiate<const asio::use_awaitable_t<>&, void()>(
      [this, &batch](auto handler) {
        batch_ = &batch;
        abandoned_ = false;
        on_finished_ = [handler = std::make_shared<decltype(handler)>(std::move(handler))]() {
          std::move (*handler)();
        };
        pump();
      },
      asio::use_awaitable);
}

bool GmpClient::rate_admits() {
  if (limits_.per_second == 0) return true;
  const TimePoint now = runtime_.now();
  const double earned = std::chrono::duration<double>(now - std::exchange(counted_, now)).count() *
                        limits_.per_second;
  allowance_ = std::min(allowance_ + earned, std::max(1.0, limits_.per_second / 100.0));
  return allowance_ >= 1;
}

void GmpClient::pump() {
  if (pumping_ || batch_ == nullptr) return;
  pumping_ = true;
  bool has_more = true;
  while (!abandoned_ && in_flight_ < limits_.window && rate_admits()) {
    GmpRequest request;
    has_more = batch_->next(request);
    if (!has_more) break;
    allowance_ -= 1;
    start(request);
  }
  pumping_ = false;
  if (in_flight_ == 0 && (abandoned_ || !has_more)) {
    batch_ = nullptr;
    asio::post(runtime_.executor(), std::exchange(on_finished_, {}));
    return;
  }
  arm();
}

void GmpClient::start(const GmpRequest& request) {
  std::uint32_t index;
  if (free_slots_.empty()) {
    index = static_cast<std::uint32_t>(slots_.size());
    slots_.emplace_back();
  } else {
    index = free_slots_.back();
    free_slots_.pop_back();
  }
  Slot& slot = slots_[index];
  slot.request = request;
  slot.generation = generations_.at(slot.uses++ + index * stride_);
  slot.attempts = 0;
  slot.busy_status = 0;
  slot.in_use = true;
  ++in_flight_;
  statistics_.in_flight_max = std::max<std::uint64_t>(statistics_.in_flight_max, in_flight_);
  transmit(index);
}

void GmpClient::transmit(std::uint32_t index) {
  Slot& slot = slots_[index];
  const GmpRequest& request = slot.request;
  MadBytes bytes{};
  MadView mad{std::span<std::uint8_t, kMadBytes>(bytes)};
  mad.set_base_version(kBaseVersion);
  mad.set_mgmt_class(request.mgmt_class);
  mad.set_class_version(request.class_version);
  mad.set_method(request.method);
  mad.set_attribute_id(static_cast<AttributeId>(request.attribute));
  mad.set_transaction_id((static_cast<std::uint64_t>(slot.generation) << kGmpAttemptBits |
                          (slot.attempts & kGmpAttemptMask))
                             << kGmpSlotBits |
                         index);
  std::ranges::copy(request.data, gmp_data(mad).begin());
  ++statistics_.sent;
  if (slot.attempts > 0) ++statistics_.repeated;
  const TimePoint now = runtime_.now();
  const Duration timeout = timeout_for(request);
  slot.sent_at[slot.attempts & kGmpAttemptMask] = now;
  // As long as the request may last, since a late response to any attempt counts; but an id must be
  // free for the attempt that has it next.
  const unsigned left = slot.attempts > limits_.retries ? 1 : limits_.retries + 1 - slot.attempts;
  const Duration open =
      std::min(timeout * left + kGmpTimeoutSlack,
               limits_.retries <= kGmpAttemptMask ? Duration::max()
                                                  : timeout * (kGmpAttemptMask + 1) - kMillisecond);
  ++slot.attempts;
  slot.deadline = now + timeout;
  add_due({.deadline = slot.deadline,
           .index = index,
           .generation = slot.generation,
           .attempts = slot.attempts});
  const auto wait_ms = std::chrono::ceil<std::chrono::milliseconds>(open).count();
  // A MAD that the port refuses (full queue, port down) counts as lost: the timer repeats it.
  slot.refused = transport_.send(bytes, request.to, static_cast<int>(wait_ms)) != 0;
}

/// Most are the latest: timeouts are equal, but for those of slow agents.
void GmpClient::add_due(const Due& due) {
  const auto later = std::find_if(due_.rbegin(), due_.rend(),
                                  [&](const Due& other) { return other.deadline <= due.deadline; });
  due_.insert(later.base(), due);
}

Duration GmpClient::timeout_for(const GmpRequest& request) const {
  const auto found = slow_.find(request.to.lid.value);
  return found == slow_.end()
             ? limits_.timeout
             : found->second.timeout(limits_.timeout, limits_.timeout * (limits_.retries + 2));
}

void GmpClient::measure(const Slot& slot, std::uint32_t attempt_bits) {
  const Duration took = runtime_.now() - slot.sent_at[attempt_bits];
  const Duration slow = limits_.timeout / 4;
  const auto found = slow_.find(slot.request.to.lid.value);
  if (found == slow_.end() && took < slow) return;
  RoundTrip& agent = found == slow_.end() ? slow_[slot.request.to.lid.value] : found->second;
  agent.measured(took);
  if (agent.smoothed() < slow) slow_.erase(slot.request.to.lid.value);
}

bool GmpClient::on_mad(const ReceivedMad& received) {
  // The kernel returns only the header of an unanswered request.
  if (received.size < (received.send_errno != 0 ? kMadHeaderBytes : kMadSizeBytes)) {
    ++statistics_.malformed;
    return false;
  }
  const ConstMadView mad{std::span<const std::uint8_t, kMadBytes>(received.bytes)};
  const auto tid = static_cast<std::uint32_t>(mad.transaction_id());
  const std::uint32_t index = tid & kGmpSlotMask;
  if (index >= slots_.size() || !slots_[index].in_use ||
      slots_[index].generation != tid >> (kGmpSlotBits + kGmpAttemptBits)) {
    if (received.send_errno == 0) ++statistics_.stray;
    return false;
  }
  if (received.send_errno != 0) return true;  // our own timer decides
  Slot& slot = slots_[index];
  constexpr auto kCpi = static_cast<std::uint16_t>(PerformanceAttribute::class_port_info);
  const auto attribute = static_cast<std::uint16_t>(mad.attribute_id());
  const std::uint16_t status = mad.status();
  const bool other_attribute = attribute != slot.request.attribute;
  // Agents that redirect answer with a ClassPortInfo, whatever was queried; some with status 0.
  if (mad.base_version() != kBaseVersion || mad.mgmt_class() != slot.request.mgmt_class ||
      mad.method() != Method::get_resp || (other_attribute && attribute != kCpi) ||
      !comes_from(received.from, slot.request)) {
    ++statistics_.malformed;  // a valid response may still arrive; if not, the timer decides
    return true;
  }
  measure(slot, tid >> kGmpSlotBits & kGmpAttemptMask);
  if ((status & status::kBusy) != 0) {
    slot.busy_status = status;
    return true;
  }
  ++statistics_.answered;
  const bool redirected = other_attribute || (status & status::kRedirect) != 0;
  finish(index,
         redirected              ? GmpFault::redirected
         : status == status::kOk ? GmpFault::none
                                 : GmpFault::bad_status,
         status, gmp_data(mad));
  pump();
  return true;
}

void GmpClient::abandon() {
  abandoned_ = true;
  for (std::uint32_t index = 0; index < slots_.size(); ++index)
    if (slots_[index].in_use) finish(index, GmpFault::not_sent, 0, kNoGmpData);
  pump();
}

void GmpClient::attempt_failed(std::uint32_t index) {
  Slot& slot = slots_[index];
  if (slot.attempts <= limits_.retries && !abandoned_) return transmit(index);
  ++statistics_.timed_out;
  if (slot.busy_status != 0)
    return finish(index, GmpFault::bad_status, slot.busy_status, kNoGmpData);
  finish(index, slot.refused ? GmpFault::not_sent : GmpFault::timeout, 0, kNoGmpData);
}

void GmpClient::finish(std::uint32_t index, GmpFault fault, std::uint16_t status,
                       std::span<const std::uint8_t, kGmpDataBytes> data) {
  Slot& slot = slots_[index];
  slot.in_use = false;
  --in_flight_;
  free_slots_.push_back(index);
  const GmpRequest request = slot.request;
  const bool outer = std::exchange(pumping_, true);  // done() must not start requests
  if (batch_ != nullptr)
    batch_->done(request,
                 {.fault = fault, .status = status, .data = data, .attempts = slot.attempts});
  pumping_ = outer;
}

bool GmpClient::is_over(const Due& due) const {
  const Slot& slot = slots_[due.index];
  return !slot.in_use || slot.generation != due.generation || slot.attempts != due.attempts;
}

void GmpClient::on_deadline() {
  armed_for_ = TimePoint::max();
  const TimePoint now = runtime_.now();
  while (!due_.empty() && (is_over(due_.front()) || due_.front().deadline <= now)) {
    const Due due = due_.front();
    due_.pop_front();
    if (!is_over(due)) attempt_failed(due.index);
  }
  pump();
}

/// One timer for all. Most requests have been answered by the time that it expires, so that there
/// is no cost per request.
void GmpClient::arm() {
  while (!due_.empty() && is_over(due_.front())) due_.pop_front();
  TimePoint next = due_.empty() ? TimePoint::max() : due_.front().deadline;
  if (batch_ != nullptr && !abandoned_ && in_flight_ < limits_.window && !rate_admits()) {
    const std::chrono::duration<double> wait((1 - allowance_) / limits_.per_second);
    next = std::min(
        next, counted_ + std::max<Duration>(kBurstPause,
                                            std::chrono::ceil<std::chrono::milliseconds>(wait)));
  }
  if (armed_for_ <= next) return;
  armed_for_ = next;
  timer_->arm(next);
}

}  // namespace mad
