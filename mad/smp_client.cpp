#include "mad/smp_client.h"

#include <algorithm>
#include <boost/asio/async_result.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <cerrno>
#include <utility>

#include "mad/format.h"
#include "mad/smp.h"

namespace mad {
namespace asio = boost::asio;

namespace {

// A transaction id's low 32 bits are ours (the kernel overwrites the others): the slot, the
// attempt, and a generation that distinguishes responses to an earlier use of the slot. Each
// attempt needs an id of its own: the kernel refuses one whose transaction is still open.
constexpr unsigned kSlotBits = 13;
constexpr std::uint32_t kSlotMask = (1u << kSlotBits) - 1;
constexpr unsigned kAttemptBits = 3;
constexpr std::uint32_t kAttemptMask = (1u << kAttemptBits) - 1;
constexpr unsigned kGenerationBits = 32 - kSlotBits - kAttemptBits;
constexpr unsigned kWindowMax = 1u << (kSlotBits - 1);
constexpr std::size_t kWaitingMax = kWindowMax;  // the other half of the slots
constexpr std::size_t kParkedMax = 8192;
constexpr double kWindowMin = 2;
constexpr SmpData kNoData{};

/// The kernel's timeout is longer than ours by this much, so that our own timer decides.
constexpr Duration kTimeoutSlack = std::chrono::milliseconds(50);

}  // namespace

std::string_view name(SmpFault fault) {
  switch (fault) {
    case SmpFault::none:
      return "ok";
    case SmpFault::timeout:
      return "timeout";
    case SmpFault::bad_status:
      return "bad status";
    case SmpFault::not_sent:
      return "not sent";
    case SmpFault::node_silent:
      return "not sent, since the node does not answer";
    case SmpFault::withheld:
      return "not sent, since another subnet manager may be MASTER";
    case SmpFault::put_off:
      return "not sent again, since another node may be there";
  }
  return "";
}

std::string describe(const SmpRequest& request, const SmpReply& reply) {
  const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(reply.elapsed).count();
  const std::string_view attribute = name(request.attribute);
  std::string text = fmt::format(
      "Subn{}({}, mod {:#x}) to {}: {}", name(request.method),
      attribute.empty() ? fmt::format("{:#06x}", static_cast<unsigned>(request.attribute))
                        : std::string(attribute),
      request.modifier, request.route.text(), name(reply.fault));
  if (reply.fault == SmpFault::bad_status)
    fmt::format_to(std::back_inserter(text), " {:#06x}", reply.status);
  if (reply.attempts > 0)
    fmt::format_to(std::back_inserter(text), " after {} attempt{}, {} ms", reply.attempts,
                   reply.attempts == 1 ? "" : "s", ms);
  return text;
}

SmpCounters SmpStatistics::total(Method method) const {
  SmpCounters sum;
  const std::size_t first = method == Method::set ? rows_.size() / 2 : 0;
  for (std::size_t i = first; i < first + rows_.size() / 2; ++i) {
    sum.sent += rows_[i].sent;
    sum.answered += rows_[i].answered;
    sum.retried += rows_[i].retried;
    sum.timed_out += rows_[i].timed_out;
    sum.bad_status += rows_[i].bad_status;
  }
  return sum;
}

std::size_t SmpStatistics::index(Method method, AttributeId attribute) {
  constexpr std::size_t kRows = 49;
  const auto id = static_cast<unsigned>(attribute);
  return (method == Method::set ? kRows : 0) + (id >= 0x10 && id < 0x40 ? id - 0x10 : kRows - 1);
}

SmpClient::SmpClient(Runtime& runtime, MadTransport& transport, SmpLimits limits)
    : runtime_(runtime),
      transport_(transport),
      generations_(runtime, kGenerationBits),
      stride_(static_cast<std::uint32_t>(runtime.random())),
      timer_(runtime.make_timer([this] { on_deadline(); })) {
  set_limits(limits);
}

SmpClient::~SmpClient() = default;

void SmpClient::set_limits(const SmpLimits& limits) {
  limits_ = limits;
  limits_.window_max = std::clamp(limits_.window_max, 1u, kWindowMax);
  limits_.per_node = std::max(limits_.per_node, 1u);
  limits_.long_timeout = std::max(limits_.long_timeout, limits_.timeout);
  limits_.window_late = std::min(limits_.window_late, kWindowMax);
  // An adaptive window keeps its size within the limit: the initial size may be above a small
  // limit, and the window may have been a large fixed one.
  window_ = limits_.window != 0 ? std::min(limits_.window, kWindowMax)
                                : std::min<double>(window_, limits_.window_max);
}

asio::awaitable<void> SmpClient::exchange(SmpBatch& batch) {
  co_await asio::async_initiate<const asio::use_awaitable_t<>&, void()>(
      [this, &batch](auto handler) {
        auto running = std::make_unique<Running>();
        running->batch = &batch;
        running->on_finished = [handler = std::make_shared<decltype(handler)>(
                                    std::move(handler))]() { std::move (*handler)(); };
        running_.push_back(std::move(running));
        pump();
      },
      asio::use_awaitable);
}

asio::awaitable<SmpAnswer> SmpClient::ask(SmpRequest request) {
  struct One final : SmpBatch {
    SmpRequest request;
    SmpAnswer answer;
    bool taken = false;
    bool next(SmpRequest& out) override {
      if (std::exchange(taken, true)) return false;
      out = request;
      return true;
    }
    void done(const SmpRequest&, const SmpReply& reply) override {
      answer.fault = reply.fault;
      answer.status = reply.status;
      std::copy(reply.data.begin(), reply.data.end(), answer.data.begin());
    }
  } one;
  one.request = request;
  co_await exchange(one);
  co_return one.answer;
}

/// True: another new request may be sent now.
bool SmpClient::rate_admits() {
  if (limits_.per_second == 0 || abandoned_) return true;
  const TimePoint now = runtime_.now();
  const double earned = std::chrono::duration<double>(now - std::exchange(counted_, now)).count() *
                        limits_.per_second;
  allowance_ = std::min(allowance_ + earned, std::max(1.0, limits_.per_second / 100.0));
  return allowance_ >= 1;
}

/// When a whole burst may be sent, or the rest of one.
TimePoint SmpClient::earned_at() const {
  return counted_ + std::max<Duration>(
                        std::chrono::milliseconds(10),
                        std::chrono::ceil<std::chrono::milliseconds>(
                            std::chrono::duration<double>((1 - allowance_) / limits_.per_second)));
}

bool SmpClient::window_open() const {
  const auto window = static_cast<std::size_t>(window_);
  return in_flight_ < (late_ > 0 ? std::max<std::size_t>(window, limits_.window_late) : window);
}

/// Fills the window: first with parked requests, then round robin from the batches.
void SmpClient::pump() {
  if (std::exchange(pumping_, true)) return;
  while (window_open() && !ready_.empty()) {
    const Ready ready = ready_.front();
    ready_.pop_front();
    start_ready(ready);
  }
  std::size_t without_work = 0;
  while (window_open() && parked_count_ < kParkedMax && without_work < running_.size() &&
         rate_admits()) {
    next_batch_ = next_batch_ % running_.size();
    without_work = pull(*running_[next_batch_]) ? 0 : without_work + 1;
    ++next_batch_;
  }
  pumping_ = false;
  retire_finished();
  arm();
}

bool SmpClient::pull(Running& running) {
  SmpRequest request;
  if (running.held > 0 || !running.batch->next(request)) return false;
  ++running.outstanding;
  if (abandoned_) {
    fail(request, running, SmpFault::not_sent);
    return true;
  }
  allowance_ -= 1;
  if (request.node == Guid{}) {
    start(request, running, nullptr);
    return true;
  }
  NodeState& node = nodes_[request.node];
  if (is_silent(node, request.route)) {
    fail(request, running);
  } else if (node.in_flight >= cap(node)) {
    park(request, running, node);
  } else {
    ++node.in_flight;
    start(request, running, &node);
  }
  return true;
}

void SmpClient::retire_finished() {
  for (std::size_t i = 0; i < running_.size();) {
    Running& running = *running_[i];
    // A batch without outstanding requests may have new ones since its last done(): next() is
    // called before it counts as finished.
    if (running.outstanding == 0 && window_open() && parked_count_ < kParkedMax && rate_admits()) {
      asio::post(runtime_.executor(), std::move(running.on_finished));
      running_.erase(running_.begin() + static_cast<std::ptrdiff_t>(i));
    } else {
      ++i;
    }
  }
}

/// One at a time while it is in doubt whether the node answers at all.
unsigned SmpClient::cap(const NodeState& node) const {
  return node.given_up == 0 && node.waiting.empty() ? limits_.per_node : 1;
}

bool SmpClient::is_silent(const NodeState& node, const DirectedRoute& route) {
  return node.given_up >= kSilentAttempts && node.silent_route == route;
}

void SmpClient::forget_silence() {
  for (auto entry = nodes_.begin(); entry != nodes_.end();) {
    entry->second.given_up = 0;
    entry = entry->second.is_idle() ? nodes_.erase(entry) : std::next(entry);
  }
}

void SmpClient::park(const SmpRequest& request, Running& owner, NodeState& node) {
  std::uint32_t index;
  if (free_parked_.empty()) {
    index = static_cast<std::uint32_t>(parked_.size());
    parked_.emplace_back();
  } else {
    index = free_parked_.back();
    free_parked_.pop_back();
  }
  parked_[index] = {request, &owner, &node, kNone};
  (node.last_parked == kNone ? node.first_parked : parked_[node.last_parked].next) = index;
  node.last_parked = index;
  ++parked_count_;
}

std::uint32_t SmpClient::take_parked(NodeState& node) {
  const std::uint32_t index = node.first_parked;
  node.first_parked = parked_[index].next;
  if (node.first_parked == kNone) node.last_parked = kNone;
  return index;
}

/// What waits for this node follows, as far as its cap admits: first what was sent before.
void SmpClient::release(NodeState& node) {
  while (node.in_flight < cap(node) && (!node.waiting.empty() || node.first_parked != kNone)) {
    ++node.in_flight;
    if (node.waiting.empty()) {
      ready_.push_back({.index = take_parked(node), .parked = true});
      continue;
    }
    Slot& slot = slots_[node.waiting.front()];
    ready_.push_back(
        {.index = node.waiting.front(), .parked = false, .generation = slot.generation});
    slot.state = SlotState::ready;
    node.waiting.erase(node.waiting.begin());
  }
}

void SmpClient::start_ready(const Ready& ready) {
  if (!ready.parked) {
    const Slot& slot = slots_[ready.index];
    if (slot.state != SlotState::ready || slot.generation != ready.generation) return;
    if (is_silent(*slot.node, slot.request.route))
      return finish(ready.index, SmpFault::timeout, 0, kNoData);
    if (!slot.owner->batch->may_send(slot.request))
      return finish(ready.index, SmpFault::put_off, 0, kNoData);
    ++in_flight_;
    return repeat(ready.index);
  }
  const Parked parked = parked_[ready.index];
  free_parked_.push_back(ready.index);
  --parked_count_;
  const bool may_start = !abandoned_ && !is_silent(*parked.node, parked.request.route);
  if (may_start && parked.owner->batch->may_send(parked.request))
    return start(parked.request, *parked.owner, parked.node);
  --parked.node->in_flight;
  fail(parked.request, *parked.owner,
       may_start    ? SmpFault::put_off
       : abandoned_ ? SmpFault::not_sent
                    : SmpFault::node_silent);
  release(*parked.node);
}

void SmpClient::fail(const SmpRequest& request, Running& owner, SmpFault fault) {
  owner.batch->done(request, {.fault = fault, .status = 0, .data = kNoData});
  --owner.outstanding;
}

/// The node is silent: everything that waits for it has its outcome now. A batch that knows another
/// route by now may request it again.
void SmpClient::fail_all(NodeState& node) {
  for (const std::uint32_t index : std::exchange(node.waiting, {}))
    finish(index, SmpFault::timeout, 0, kNoData);
  fail_parked(node, SmpFault::node_silent);
}

void SmpClient::fail_parked(NodeState& node, SmpFault fault) {
  while (node.first_parked != kNone) {
    const std::uint32_t index = take_parked(node);
    const Parked parked = parked_[index];
    free_parked_.push_back(index);
    --parked_count_;
    fail(parked.request, *parked.owner, fault);
  }
}

void SmpClient::start(const SmpRequest& request, Running& owner, NodeState* node) {
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
  slot.keys = m_keys_ != nullptr ? m_keys_->m_keys_of(request) : MKeyCandidates{};
  slot.owner = &owner;
  slot.node = node;
  slot.attempts = 0;
  slot.rerouted = false;
  slot.late = false;
  slot.generation = generations_.at(slot.uses++ + index * stride_);
  slot.first_sent = runtime_.now();
  ++in_flight_;
  statistics_.in_flight_max = std::max<std::uint64_t>(statistics_.in_flight_max, in_flight_);
  transmit(index);
}

/// Another attempt, by another route if there is one now.
void SmpClient::repeat(std::uint32_t index) {
  Slot& slot = slots_[index];
  if (!std::exchange(slot.rerouted, true)) {
    if (const auto other = slot.owner->batch->alternative_route(slot.request))
      slot.request.route = *other;
  }
  transmit(index);
}

SetGuard::Verdict SmpClient::verdict_on(const SmpRequest& request) const {
  const bool asked = guard_ != nullptr && request.method == Method::set &&
                     request.attribute != AttributeId::sm_info;
  return asked ? guard_->verdict() : SetGuard::Verdict::send;
}

void SmpClient::release_held() {
  for (const std::uint32_t index : std::exchange(held_, {})) {
    if (!slots_[index].owner->batch->may_send(slots_[index].request)) {
      finish(index, SmpFault::put_off, 0, kNoData);
      continue;
    }
    --slots_[index].owner->held;
    ++in_flight_;
    transmit(index);
  }
  pump();
}

void SmpClient::transmit(std::uint32_t index) {
  Slot& slot = slots_[index];
  const SmpRequest& request = slot.request;
  if (const auto verdict = verdict_on(request); verdict != SetGuard::Verdict::send) {
    slot.state = SlotState::held;
    held_.push_back(index);
    ++slot.owner->held;
    --in_flight_;
    if (verdict == SetGuard::Verdict::refuse) finish(index, SmpFault::withheld, 0, kNoData);
    return;
  }
  MadBytes bytes;
  const std::uint64_t tid =
      (static_cast<std::uint64_t>(slot.generation) << kAttemptBits | (slot.attempts & kAttemptMask))
          << kSlotBits |
      index;
  make_dr_smp(bytes, request.method, request.attribute, request.modifier, request.route,
              slot.keys.of_attempt(request.first_key + (slot.attempts & kAttemptMask)), tid)
      .set_data(request.data);
  slot.timeout = request.is_long ? limits_.long_timeout : limits_.timeout;
  const auto wait_ms =
      std::chrono::duration_cast<std::chrono::milliseconds>(slot.timeout + kTimeoutSlack).count();
  SmpCounters& counters = statistics_.at(request.method, request.attribute);
  ++counters.sent;
  if (slot.attempts > 0) ++counters.retried;
  ++slot.attempts;
  slot.state = SlotState::in_flight;
  slot.sent = runtime_.now();
  slot.deadline = slot.sent + slot.timeout;
  link(index);
  // A MAD that the port refuses (full queue, port down) counts as lost: the timer repeats it.
  slot.refused = transport_.send(bytes, MadAddress{}, static_cast<int>(wait_ms)) != 0;
}

/// Most are the newest: timeouts are equal, but for a few long ones.
void SmpClient::link(std::uint32_t index) {
  Slot& slot = slots_[index];
  slot.older = newest_;
  slot.newer = kNone;
  while (slot.older != kNone && slots_[slot.older].deadline > slot.deadline) {
    slot.newer = slot.older;
    slot.older = slots_[slot.older].older;
  }
  (slot.older == kNone ? oldest_ : slots_[slot.older].newer) = index;
  (slot.newer == kNone ? newest_ : slots_[slot.newer].older) = index;
}

void SmpClient::unlink(std::uint32_t index) {
  Slot& slot = slots_[index];
  (slot.older == kNone ? oldest_ : slots_[slot.older].newer) = slot.newer;
  (slot.newer == kNone ? newest_ : slots_[slot.newer].older) = slot.older;
}

bool SmpClient::on_mad(const ReceivedMad& received) {
  // The kernel returns only the header of an unanswered request.
  if (received.size < (received.send_errno != 0 ? kMadHeaderBytes : kMadSizeBytes)) {
    ++statistics_.malformed;
    return false;
  }
  const ConstSmpView smp{std::span<const std::uint8_t, kMadSizeBytes>(received.bytes)};
  const auto tid = static_cast<std::uint32_t>(smp.transaction_id());
  const std::uint32_t index = tid & kSlotMask;
  if (index >= slots_.size() || slots_[index].state == SlotState::free ||
      slots_[index].generation != tid >> (kSlotBits + kAttemptBits)) {
    if (received.send_errno == 0) ++statistics_.stray;
    return false;
  }
  Slot& slot = slots_[index];
  if (received.send_errno != 0) {
    // The kernel gave up. Its report about an earlier attempt is ignored, and a timeout counts only
    // near our own deadline: a simulator may report a loss at once, which would use up all retries.
    const bool latest = (tid >> kSlotBits & kAttemptMask) == ((slot.attempts - 1) & kAttemptMask);
    if (latest && slot.state == SlotState::in_flight &&
        (received.send_errno != ETIMEDOUT || runtime_.now() - slot.sent >= slot.timeout / 2))
      attempt_failed(index);
    pump();
    return true;
  }
  if (smp.method() != Method::get_resp || smp.attribute_id() != slot.request.attribute ||
      smp.attribute_modifier() != slot.request.modifier) {
    ++statistics_
          .malformed;  // a valid response may still arrive; if not, the timer ends the request
    return true;
  }
  ++statistics_.at(slot.request.method, slot.request.attribute).answered;
  // A repetition that is answered proves a loss. Silence proves none: the node may be dead, and
  // must not slow down the requests to all others.
  if (slot.node != nullptr && slot.attempts > 1) {
    shrink_window();
  } else {
    grow_window();
  }
  if (m_keys_ != nullptr) {
    m_keys_->answered(
        slot.request,
        slot.keys.of_attempt(slot.request.first_key + (tid >> kSlotBits & kAttemptMask)),
        {.fault = smp.status() == status::kOk ? SmpFault::none : SmpFault::bad_status,
         .status = smp.status(),
         .data = smp.data()});
  }
  finish(index, smp.status() == status::kOk ? SmpFault::none : SmpFault::bad_status, smp.status(),
         smp.data());
  pump();
  return true;
}

void SmpClient::abandon() {
  abandoned_ = true;
  for (auto& [guid, node] : nodes_) fail_parked(node, SmpFault::not_sent);
  for (std::uint32_t index = 0; index < slots_.size(); ++index) {
    if (slots_[index].state != SlotState::free) finish(index, SmpFault::not_sent, 0, kNoData);
  }
  pump();
}

void SmpClient::attempt_failed(std::uint32_t index) {
  Slot& slot = slots_[index];
  unlink(index);
  if (!slot.late && runtime_.now() - slot.first_sent >= limits_.late_after) {
    slot.late = true;
    ++late_;
  }
  if (slot.node == nullptr && slot.attempts == 1) shrink_window();
  if (slot.attempts <= limits_.retries) {
    NodeState* const node = slot.node;
    const std::size_t waiting = slots_.size() - free_slots_.size() - in_flight_;
    if (node != nullptr && node->in_flight > 1 && node->heard < slot.sent &&
        waiting < kWaitingMax) {
      // Another request will show whether the node answers.
      slot.state = SlotState::waiting;
      node->waiting.push_back(index);
      --node->in_flight;
      --in_flight_;
      return;
    }
    if (slot.owner->batch->may_send(slot.request)) return repeat(index);
    link(index);  // finish() unlinks
    return finish(index, SmpFault::put_off, 0, kNoData);
  }
  link(index);  // finish() unlinks
  finish(index, slot.refused ? SmpFault::not_sent : SmpFault::timeout, 0, kNoData);
}

void SmpClient::finish(std::uint32_t index, SmpFault fault, std::uint16_t status,
                       std::span<const std::uint8_t, 64> data) {
  Slot& slot = slots_[index];
  const SlotState state = std::exchange(slot.state, SlotState::free);
  if (std::exchange(slot.late, false)) --late_;
  NodeState* const node = slot.node;
  if (state == SlotState::in_flight) {
    unlink(index);
    --in_flight_;
  } else if (state == SlotState::held) {
    std::erase(held_, index);
    --slot.owner->held;
  }
  if (fault == SmpFault::bad_status)
    ++statistics_.at(slot.request.method, slot.request.attribute).bad_status;
  const bool answered = fault == SmpFault::none || fault == SmpFault::bad_status;
  if (!answered && fault != SmpFault::withheld && fault != SmpFault::put_off)
    ++statistics_.at(slot.request.method, slot.request.attribute).timed_out;
  if (node != nullptr) {
    if (state == SlotState::waiting) {
      std::erase(node->waiting, index);
    } else {
      --node->in_flight;
    }
    if (answered) {
      node->given_up = 0;
      node->heard = runtime_.now();
    } else if (state == SlotState::in_flight && fault == SmpFault::timeout) {
      node->given_up += slot.attempts;
      node->silent_route = slot.request.route;
    }
  }
  const SmpReply reply{.fault = fault,
                       .status = status,
                       .data = data,
                       .elapsed = runtime_.now() - slot.first_sent,
                       .attempts = slot.attempts};
  Running& owner = *slot.owner;
  owner.batch->done(slot.request, reply);
  --owner.outstanding;
  free_slots_.push_back(index);
  if (node == nullptr || (state == SlotState::waiting && !answered)) return;
  if (!answered && is_silent(*node, slot.request.route)) fail_all(*node);
  release(*node);
}

void SmpClient::on_deadline() {
  armed_for_ = TimePoint::max();
  const TimePoint now = runtime_.now();
  while (oldest_ != kNone && slots_[oldest_].deadline <= now) attempt_failed(oldest_);
  pump();
}

/// One timer for all: it is set for the oldest request and rechecked when it expires. Most requests
/// have been answered by then, so that there is no cost per SMP.
void SmpClient::arm() {
  TimePoint due = oldest_ == kNone ? TimePoint::max() : slots_[oldest_].deadline;
  if (!running_.empty() && window_open() && !rate_admits()) due = std::min(due, earned_at());
  if (armed_for_ <= due) return;
  armed_for_ = due;
  timer_->arm(armed_for_);
}

void SmpClient::grow_window() {
  if (limits_.window != 0 || window_ >= limits_.window_max) return;
  window_ += slow_start_ ? 1.0 : 1.0 / window_;
}

/// Halves once per timeout period: a burst of losses is one event.
void SmpClient::shrink_window() {
  const TimePoint now = runtime_.now();
  if (limits_.window != 0 || now - last_shrink_ < limits_.timeout) return;
  last_shrink_ = now;
  slow_start_ = false;
  window_ = std::max(window_ / 2, std::min<double>(kWindowMin, limits_.window_max));
}

}  // namespace mad
