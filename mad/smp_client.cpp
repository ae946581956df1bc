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
constexpr unsigned kSlotBits = 12;
constexpr std::uint32_t kSlotMask = (1u << kSlotBits) - 1;
constexpr unsigned kAttemptBits = 3;
constexpr std::uint32_t kAttemptMask = (1u << kAttemptBits) - 1;
constexpr std::uint32_t kGenerationMask = (1u << (32 - kSlotBits - kAttemptBits)) - 1;
constexpr unsigned kWindowMax = 1u << kSlotBits;
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
      timer_(runtime.make_timer([this] { on_deadline(); })) {
  set_limits(limits);
}

SmpClient::~SmpClient() = default;

void SmpClient::set_limits(const SmpLimits& limits) {
  limits_ = limits;
  limits_.window_max = std::clamp(limits_.window_max, 1u, kWindowMax);
  limits_.per_node = std::max(limits_.per_node, 1u);
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

/// Fills the window: first with parked requests, then round robin from the batches.
void SmpClient::pump() {
  if (std::exchange(pumping_, true)) return;
  const auto window_open = [&] { return in_flight_ < static_cast<std::size_t>(window_); };
  while (window_open() && !ready_.empty()) {
    const std::uint32_t index = ready_.front();
    ready_.pop_front();
    start_parked(index);
  }
  std::size_t without_work = 0;
  while (window_open() && parked_count_ < kParkedMax && without_work < running_.size()) {
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
  if (!running.batch->next(request)) return false;
  ++running.outstanding;
  if (request.node != 0 && load(request.node).in_flight >= limits_.per_node) {
    park(request, running);
  } else {
    if (request.node != 0) ++load(request.node).in_flight;
    start(request, running);
  }
  return true;
}

void SmpClient::retire_finished() {
  for (std::size_t i = 0; i < running_.size();) {
    Running& running = *running_[i];
    // A batch without outstanding requests may have new ones since its last done(): next() is
    // called before it counts as finished.
    if (running.outstanding == 0 && in_flight_ < static_cast<std::size_t>(window_) &&
        parked_count_ < kParkedMax) {
      asio::post(runtime_.executor(), std::move(running.on_finished));
      running_.erase(running_.begin() + static_cast<std::ptrdiff_t>(i));
    } else {
      ++i;
    }
  }
}

SmpClient::NodeLoad& SmpClient::load(std::uint32_t node) {
  if (loads_.size() <= node) loads_.resize(node + 1);
  return loads_[node];
}

void SmpClient::park(const SmpRequest& request, Running& owner) {
  std::uint32_t index;
  if (free_parked_.empty()) {
    index = static_cast<std::uint32_t>(parked_.size());
    parked_.emplace_back();
  } else {
    index = free_parked_.back();
    free_parked_.pop_back();
  }
  NodeLoad& node = load(request.node);
  parked_[index] = {request, &owner, kNone};
  (node.last_parked == kNone ? node.first_parked : parked_[node.last_parked].next) = index;
  node.last_parked = index;
  ++parked_count_;
}

void SmpClient::start_parked(std::uint32_t index) {
  Parked& parked = parked_[index];
  free_parked_.push_back(index);
  --parked_count_;
  start(parked.request, *parked.owner);
}

void SmpClient::start(const SmpRequest& request, Running& owner) {
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
  slot.owner = &owner;
  slot.attempts = 0;
  slot.busy = true;
  slot.rerouted = false;
  // Drawn, so that no other program can answer in the node's place; never that of the use before.
  slot.generation =
      (slot.generation + 1 + static_cast<std::uint32_t>(runtime_.random() % kGenerationMask)) &
      kGenerationMask;
  slot.first_sent = runtime_.now();
  ++in_flight_;
  statistics_.in_flight_max = std::max<std::uint64_t>(statistics_.in_flight_max, in_flight_);
  transmit(index);
}

void SmpClient::transmit(std::uint32_t index) {
  Slot& slot = slots_[index];
  const SmpRequest& request = slot.request;
  MadBytes bytes;
  const std::uint64_t tid =
      (static_cast<std::uint64_t>(slot.generation) << kAttemptBits | (slot.attempts & kAttemptMask))
          << kSlotBits |
      index;
  make_dr_smp(bytes, request.method, request.attribute, request.modifier, request.route,
              request.m_key, tid)
      .set_data(request.data);
  const auto wait_ms =
      std::chrono::duration_cast<std::chrono::milliseconds>(limits_.timeout + kTimeoutSlack)
          .count();
  SmpCounters& counters = statistics_.at(request.method, request.attribute);
  ++counters.sent;
  if (slot.attempts > 0) ++counters.retried;
  ++slot.attempts;
  slot.sent = runtime_.now();
  slot.deadline = slot.sent + limits_.timeout;
  link_newest(index);
  // A MAD that the port refuses (full queue, port down) counts as lost: the timer repeats it.
  slot.refused = transport_.send(bytes, MadAddress{}, static_cast<int>(wait_ms)) != 0;
}

void SmpClient::link_newest(std::uint32_t index) {
  slots_[index].older = newest_;
  slots_[index].newer = kNone;
  (newest_ == kNone ? oldest_ : slots_[newest_].newer) = index;
  newest_ = index;
}

void SmpClient::unlink(std::uint32_t index) {
  Slot& slot = slots_[index];
  (slot.older == kNone ? oldest_ : slots_[slot.older].newer) = slot.newer;
  (slot.newer == kNone ? newest_ : slots_[slot.newer].older) = slot.older;
}

void SmpClient::on_mad(const ReceivedMad& received) {
  // The kernel returns only the header of an unanswered request.
  if (received.size < (received.send_errno != 0 ? kMadHeaderBytes : kMadSizeBytes)) {
    ++statistics_.malformed;
    return;
  }
  const ConstSmpView smp{std::span<const std::uint8_t, kMadSizeBytes>(received.bytes)};
  const auto tid = static_cast<std::uint32_t>(smp.transaction_id());
  const std::uint32_t index = tid & kSlotMask;
  if (index >= slots_.size() || !slots_[index].busy ||
      slots_[index].generation != tid >> (kSlotBits + kAttemptBits)) {
    if (received.send_errno == 0) ++statistics_.stray;
    return;
  }
  Slot& slot = slots_[index];
  if (received.send_errno != 0) {
    // The kernel gave up. Its report about an earlier attempt is ignored, and a timeout counts only
    // near our own deadline: a simulator may report a loss at once, which would use up all retries.
    const bool latest = (tid >> kSlotBits & kAttemptMask) == ((slot.attempts - 1) & kAttemptMask);
    if (latest &&
        (received.send_errno != ETIMEDOUT || runtime_.now() - slot.sent >= limits_.timeout / 2))
      attempt_failed(index);
    pump();
    return;
  }
  if (smp.method() != Method::get_resp || smp.attribute_id() != slot.request.attribute ||
      smp.attribute_modifier() != slot.request.modifier) {
    ++statistics_
          .malformed;  // a valid response may still arrive; if not, the timer ends the request
    return;
  }
  ++statistics_.at(slot.request.method, slot.request.attribute).answered;
  grow_window();
  finish(index, smp.status() == status::kOk ? SmpFault::none : SmpFault::bad_status, smp.status(),
         smp.data());
  pump();
}

void SmpClient::attempt_failed(std::uint32_t index) {
  Slot& slot = slots_[index];
  unlink(index);
  if (slot.attempts == 1) shrink_window();
  if (slot.attempts <= limits_.retries) {
    if (!std::exchange(slot.rerouted, true)) {
      if (const auto other = slot.owner->batch->alternative_route(slot.request))
        slot.request.route = *other;
    }
    transmit(index);
    return;
  }
  link_newest(index);  // finish() unlinks
  ++statistics_.at(slot.request.method, slot.request.attribute).timed_out;
  finish(index, slot.refused ? SmpFault::not_sent : SmpFault::timeout, 0, kNoData);
}

void SmpClient::finish(std::uint32_t index, SmpFault fault, std::uint16_t status,
                       std::span<const std::uint8_t, 64> data) {
  Slot& slot = slots_[index];
  unlink(index);
  slot.busy = false;
  --in_flight_;
  if (fault == SmpFault::bad_status)
    ++statistics_.at(slot.request.method, slot.request.attribute).bad_status;
  if (slot.request.node != 0) {
    NodeLoad& node = load(slot.request.node);
    if (node.first_parked != kNone) {  // the next parked request takes its place
      const std::uint32_t next = node.first_parked;
      node.first_parked = parked_[next].next;
      if (node.first_parked == kNone) node.last_parked = kNone;
      ready_.push_back(next);
    } else {
      --node.in_flight;
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
  if (oldest_ == kNone || armed_for_ != TimePoint::max()) return;
  armed_for_ = slots_[oldest_].deadline;
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
