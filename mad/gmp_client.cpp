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

static_assert(GmpClient::kWindowMax <= TransactionTable<Transaction>::kSlotsMax);
constexpr MadBytes kNoResponse{};
constexpr ConstMadView no_response() {
  return ConstMadView(std::span<const std::uint8_t, kMadBytes>(kNoResponse));
}

/// These bytes are the CC_Key (IBTA Vol 1, annex A10); performance management reserves them.
constexpr Field kClassKey{192, 64, "Key"};

/// The kernel keeps transactions open for this much longer, so that this client's timer decides.
constexpr Duration kGmpTimeoutSlack = std::chrono::milliseconds(50);
constexpr Duration kMillisecond = std::chrono::milliseconds(1);

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
      slots_(runtime),
      timer_(runtime.make_timer([this] { on_deadline(); })) {
  set_limits(limits);
}

void GmpClient::set_limits(const GmpLimits& limits) {
  limits_ = limits;
  limits_.window = std::clamp(limits_.window, 1u, kWindowMax);
  rate_.set(limits_.per_second);
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

/// True if the window and the port's budget admit another request.
bool GmpClient::has_room() const {
  return in_flight_ == 0 ||
         (in_flight_ < limits_.window && transport_.budget().admits(PortBudget::Use::queries));
}

void GmpClient::pump() {
  if (pumping_ || batch_ == nullptr) return;
  pumping_ = true;
  bool has_more = true;
  while (!abandoned_ && has_room() && rate_.admits(runtime_.now())) {
    GmpRequest request;
    has_more = batch_->next(request);
    if (!has_more) break;
    rate_.spend();
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
  const std::uint32_t index = slots_.open();
  Slot& slot = slots_[index];
  slot.request = request;
  slot.busy_status = 0;
  ++in_flight_;
  transport_.budget().take(PortBudget::Use::queries);
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
  mad.set_attribute_modifier(request.modifier);
  mad.set_transaction_id(slots_.next_id(index));
  write(bytes, kClassKey, request.key);
  std::ranges::copy(request.data, bytes.begin() + request.data_byte);
  ++statistics_.sent;
  if (slot.attempts > 0) ++statistics_.repeated;
  const TimePoint now = runtime_.now();
  const Duration timeout = timeout_for(request);
  slot.sent_at[slot.attempts & Transaction::kAttemptMask] = now;
  // The transaction is open as long as the request may last, since a late response to any attempt
  // counts. But its id must be free again for the attempt that reuses it.
  const unsigned left = slot.attempts > limits_.retries ? 1 : limits_.retries + 1 - slot.attempts;
  const Duration open = std::min(timeout * left + kGmpTimeoutSlack,
                                 limits_.retries <= Transaction::kAttemptMask
                                     ? Duration::max()
                                     : timeout * (Transaction::kAttemptMask + 1) - kMillisecond);
  ++slot.attempts;
  slot.deadline = now + timeout;
  slots_.link(index);
  const auto wait_ms = std::chrono::ceil<std::chrono::milliseconds>(open).count();
  // A MAD that the port refuses (full queue, port down) counts as lost: the timer repeats it.
  slot.refused = transport_.send(bytes, request.to, static_cast<int>(wait_ms)) != 0;
}

Duration GmpClient::timeout_for(const GmpRequest& request) const {
  const auto found = slow_.find(request.to.lid.value);
  return found == slow_.end()
             ? limits_.timeout
             : found->second.timeout(limits_.timeout, limits_.timeout * (limits_.retries + 2));
}

void GmpClient::measure(const Slot& slot, unsigned attempt) {
  const Duration took = runtime_.now() - slot.sent_at[attempt & Transaction::kAttemptMask];
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
  const auto found = slots_.find(mad.transaction_id());
  if (!found) {
    if (received.send_errno == 0) ++statistics_.stray;
    return false;
  }
  const std::uint32_t index = found->index;
  Slot& slot = slots_[index];
  if (received.send_errno != 0) {  // this client's timer decides
    if (received.refused && found->attempt + 1 == slot.attempts) slot.refused = true;
    return true;
  }
  constexpr auto kCpi = static_cast<std::uint16_t>(PerformanceAttribute::class_port_info);
  const auto attribute = static_cast<std::uint16_t>(mad.attribute_id());
  const std::uint16_t status = mad.status();
  const bool other_attribute = attribute != slot.request.attribute;
  // Agents that redirect respond with a ClassPortInfo, whatever was queried; some with status 0.
  if (mad.base_version() != kBaseVersion || mad.mgmt_class() != slot.request.mgmt_class ||
      mad.method() != Method::get_resp || (other_attribute && attribute != kCpi) ||
      !comes_from(received.from, slot.request)) {
    ++statistics_.malformed;  // a valid response may still arrive; if not, the timer decides
    return true;
  }
  measure(slot, found->attempt);
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
         status, mad);
  pump();
  return true;
}

void GmpClient::abandon() {
  abandoned_ = true;
  for (std::uint32_t index = 0; index < slots_.size(); ++index)
    if (slots_[index].is_open) finish(index, GmpFault::not_sent, 0, no_response());
  pump();
}

void GmpClient::attempt_failed(std::uint32_t index) {
  Slot& slot = slots_[index];
  if (slot.attempts <= limits_.retries && !abandoned_) {
    slots_.unlink(index);
    return transmit(index);
  }
  ++statistics_.timed_out;
  if (slot.busy_status != 0)
    return finish(index, GmpFault::bad_status, slot.busy_status, no_response());
  finish(index, slot.refused ? GmpFault::not_sent : GmpFault::timeout, 0, no_response());
}

void GmpClient::finish(std::uint32_t index, GmpFault fault, std::uint16_t status,
                       ConstMadView response) {
  Slot& slot = slots_[index];
  slots_.unlink(index);
  slots_.close(index);
  --in_flight_;
  transport_.budget().give_back(PortBudget::Use::queries);
  const GmpRequest request = slot.request;
  const bool outer = std::exchange(pumping_, true);  // done() must not start requests
  if (batch_ != nullptr)
    batch_->done(request, {.fault = fault,
                           .status = status,
                           .data = gmp_data(response),
                           .mad = response.bytes(),
                           .attempts = slot.attempts});
  pumping_ = outer;
}

void GmpClient::on_deadline() {
  armed_for_ = TimePoint::max();
  const TimePoint now = runtime_.now();
  for (std::uint32_t index = slots_.first();
       index != Transaction::kNone && slots_[index].deadline <= now; index = slots_.first())
    attempt_failed(index);
  pump();
}

/// One timer serves all requests. Most have been answered when it expires, so a request costs
/// nothing.
void GmpClient::arm() {
  const std::uint32_t first = slots_.first();
  TimePoint next = first == Transaction::kNone ? TimePoint::max() : slots_[first].deadline;
  if (batch_ != nullptr && !abandoned_ && has_room() && !rate_.admits(runtime_.now()))
    next = std::min(next, rate_.next());
  if (armed_for_ <= next) return;
  armed_for_ = next;
  timer_->arm(next);
}

}  // namespace mad
