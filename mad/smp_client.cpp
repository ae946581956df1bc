#include "mad/smp_client.h"

#include <algorithm>
#include <boost/asio/async_result.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <cerrno>
#include <utility>

#include "mad/attributes/node_info.h"
#include "mad/smp.h"

namespace mad {
namespace asio = boost::asio;

namespace {

constexpr unsigned kWindowMax = TransactionTable<Transaction>::kSlotsMax / 2;
constexpr std::size_t kWaitingMax = kWindowMax;  // the other half of the slots
constexpr std::size_t kParkedMax = 8192;
constexpr SmpData kNoData{};

/// The kernel keeps transactions open for this much longer, so that this client's timer decides.
constexpr Duration kTimeoutSlack = std::chrono::milliseconds(50);
/// An attempt to a node that answers quickly has at least this time.
constexpr Duration kTimeoutLeast = std::chrono::milliseconds(35);
constexpr Duration kTimeoutLossy = std::chrono::milliseconds(10);
constexpr unsigned kRetriesLossy = 7;  // each attempt has a transaction id of its own
/// Limits the nodes whose pace is known before anything else about them.
constexpr std::size_t kPacesMax = 65536;

}  // namespace

SmpClient::SmpClient(Runtime& runtime, MadTransport& transport, SmpLimits limits)
    : runtime_(runtime),
      transport_(transport),
      slots_(runtime),
      timer_(runtime.make_timer([this] { on_deadline(); })) {
  set_limits(limits);
}

SmpClient::~SmpClient() = default;

void SmpClient::set_limits(const SmpLimits& limits) {
  limits_ = limits;
  const unsigned most = std::min(kWindowMax, transport_.budget().most(PortBudget::Use::smps));
  limits_.window_max = std::clamp(limits_.window_max, 1u, most);
  limits_.window_slow_max = std::clamp(limits_.window_slow_max, 1u, most);
  limits_.per_node = std::max(limits_.per_node, 1u);
  limits_.long_timeout = std::max(limits_.long_timeout, limits_.timeout);
  limits_.window_late = std::min(limits_.window_late, kWindowMax);
  rate_.set(limits_.per_second);
  window_.set_limits(std::min(limits_.window, kWindowMax), limits_.window_max,
                     limits_.window_slow_max);
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

/// True if another new request may be sent now.
bool SmpClient::rate_admits() {
  return abandoned_ || !rate_.has_limit() || rate_.admits(runtime_.now());
}

bool SmpClient::window_open() const {
  const auto window = std::max<std::size_t>(window_.size(), late_ > 0 ? limits_.window_late : 0u);
  if ((window_.is_fixed() ? in_flight_ : in_window()) >= window) return false;
  return in_flight_ == 0 || transport_.budget().admits(PortBudget::Use::smps);
}

/// Fills the window: first with parked requests, then round robin from the batches.
void SmpClient::pump() {
  if (std::exchange(pumping_, true)) return;
  while (window_open() && !ready_.empty()) {
    const Ready ready = ready_.front();
    ready_.pop_front();
    start_ready(ready);
  }
  while (window_open() && !waiting_probes_.empty() && probes_ < probes_max()) start_probe();
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
  rate_.spend();
  if (request.is_probe && probes_ >= probes_max()) {
    waiting_probes_.push_back({request, &running});
    ++parked_count_;
    return true;
  }
  if (request.node == Guid{}) {
    start(request, running, nullptr);
    return true;
  }
  NodeState& node = nodes_[request.node];
  if (is_silent(node, request)) {
    fail(request, running);
  } else if (node.in_flight >= cap(node)) {
    park(request, running, node);
  } else {
    ++node.in_flight;
    start(request, running, &node);
  }
  return true;
}

/// Returns how many probes are sent at a time. Most have no response, and count in the port's
/// budget for a whole timeout, which other requests must not wait for.
unsigned SmpClient::probes_max() const {
  return transport_.budget().most(PortBudget::Use::smps) / 2;
}

void SmpClient::start_probe() {
  const WaitingProbe probe = waiting_probes_.front();
  waiting_probes_.pop_front();
  --parked_count_;
  if (abandoned_ || !probe.owner->batch->may_send(probe.request))
    return fail(probe.request, *probe.owner, abandoned_ ? SmpFault::not_sent : SmpFault::put_off);
  NodeState* const node = probe.request.node == Guid{} ? nullptr : &nodes_[probe.request.node];
  if (node != nullptr) ++node->in_flight;
  start(probe.request, *probe.owner, node);
}

void SmpClient::retire_finished() {
  for (std::size_t i = 0; i < running_.size();) {
    Running& running = *running_[i];
    // A batch without outstanding requests may have new ones since its last done(), so the pump
    // calls next() before the batch counts as finished.
    if (running.outstanding == 0 && window_open() && parked_count_ < kParkedMax && rate_admits()) {
      asio::post(runtime_.executor(), std::move(running.on_finished));
      running_.erase(running_.begin() + static_cast<std::ptrdiff_t>(i));
    } else {
      ++i;
    }
  }
}

void SmpClient::start(const SmpRequest& request, Running& owner, NodeState* node) {
  const std::uint32_t index = slots_.open();
  Slot& slot = slots_[index];
  slot.request = request;
  slot.keys = m_keys_ != nullptr ? m_keys_->m_keys_of(request) : MKeyCandidates{};
  slot.owner = &owner;
  slot.node = node;
  slot.first_route.reset();
  slot.rerouted = slot.late = false;
  slot.overdue = request.is_probe;  // takes no place in the window
  slot.first_sent = runtime_.now();
  slot.limit = {};
  if (request.is_probe) ++probes_;
  enter_flight(slot);
  statistics_.in_flight_max = std::max<std::uint64_t>(statistics_.in_flight_max, in_flight_);
  transmit(index);
}

/// Starts another attempt, by another route if there is one now.
void SmpClient::repeat(std::uint32_t index) {
  Slot& slot = slots_[index];
  if (!std::exchange(slot.rerouted, true)) {
    if (const auto other = slot.owner->batch->alternative_route(slot.request)) {
      slot.first_route = std::exchange(slot.request.route, *other);
      slot.rerouted_from = slot.attempts;
    }
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
    enter_flight(slots_[index]);
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
    leave_flight(slot);
    if (verdict == SetGuard::Verdict::refuse) finish(index, SmpFault::withheld, 0, kNoData);
    return;
  }
  MadBytes bytes;
  make_dr_smp(bytes, request.method, request.attribute, request.modifier, request.route,
              slot.keys.of_attempt(request.first_key + (slot.attempts & Transaction::kAttemptMask)),
              slots_.next_id(index))
      .set_data(request.data);
  slot.timeout = timeout_for(slot);
  const TimePoint before = slot.sent;  // the previous attempt, if there was one
  slot.sent = slot.sent_at[slot.attempts & Transaction::kAttemptMask] = runtime_.now();
  slot.limit = std::max(
      {slot.limit, slot.sent + slot.timeout * attempts_left(slot), request_deadline(slot)});
  const auto wait_ms =
      std::chrono::duration_cast<std::chrono::milliseconds>(open_time(slot)).count();
  SmpCounters& counters = statistics_.at(request.method, request.attribute);
  ++counters.sent;
  if (slot.attempts > 0) ++counters.retried;
  ++slot.attempts;
  // Ports keep the order of requests and responses: if a later request was answered, an earlier
  // attempt has left the port's buffers, and the new one takes its place in the budget. If none
  // was, the port itself may be slow, and both count.
  if (slot.counted > 0 && before <= newest_answered_) leave_budget(slot);
  ++slot.counted;
  transport_.budget().take(PortBudget::Use::smps);
  slot.state = SlotState::in_flight;
  slot.deadline = slot.sent + slot.timeout;
  slots_.link(index);
  // A MAD that the port refuses (full queue, port down) counts as lost: the timer repeats it.
  slot.refused = transport_.send(bytes, MadAddress{}, static_cast<int>(wait_ms)) != 0;
}

/// A user who sets one retry, or zero, gets exactly that.
unsigned SmpClient::retries() const {
  return losses_.is_high() && limits_.retries > 1 ? std::max(limits_.retries, kRetriesLossy)
                                                  : limits_.retries;
}

unsigned SmpClient::retries_of(const Slot& slot) const {
  if (!slot.request.is_probe)
    return runtime_.now() < request_deadline(slot) ? retries() : limits_.retries;
  return static_cast<unsigned>(std::max<std::size_t>(slot.keys.keys().size(), 1)) - 1;
}

unsigned SmpClient::attempts_left(const Slot& slot) const {
  const unsigned retries = retries_of(slot);
  return slot.attempts > retries ? 1 : retries + 1 - slot.attempts;
}

Duration SmpClient::usual_timeout(const SmpRequest& request) const {
  return request.is_long ? limits_.long_timeout : limits_.timeout;
}

/// Returns the time until which a request has its attempts, however quickly they follow each other.
TimePoint SmpClient::request_deadline(const Slot& slot) const {
  return slot.first_sent + usual_timeout(slot.request) * (limits_.retries + 1);
}

/// Bounds one attempt by the configured timeout. A slow node has longer: up to the whole time of a
/// request to an unknown node, and one timeout more. A lost request to a quick node is repeated
/// soon: after the time that responses take, then twice and four times as long. The last attempt
/// has the rest of the whole time.
Duration SmpClient::timeout_for(const Slot& slot) const {
  const Duration usual = usual_timeout(slot.request);
  const Duration shortest = losses_.is_high() ? kTimeoutLossy : kTimeoutLeast;
  const Duration least = slot.request.is_long ? usual : std::min(shortest, usual);
  const bool is_known = slot.node != nullptr && slot.node->pace.is_known();
  if (!is_known && (!round_trip_.is_known() || slot.request.is_probe)) return usual;
  const Duration measured =
      is_known ? slot.node->pace.timeout(least, limits_.timeout * (limits_.retries + 2))
               : std::min(2 * round_trip_.timeout(least, usual), usual);
  if (measured >= usual) return measured;
  if (slot.attempts >= retries())
    return std::max(usual, Duration(request_deadline(slot) - runtime_.now()));
  return std::min(measured * (1u << std::min(slot.attempts, 10u)), usual);
}

/// Returns how long the kernel keeps an attempt's transaction open: as long as the request may
/// last, since a late response to any attempt counts. If there are more attempts than ids, the id
/// must be free again for the attempt that reuses it.
Duration SmpClient::open_time(const Slot& slot) const {
  const Duration whole = slot.limit - slot.sent + kTimeoutSlack;
  if (limits_.retries <= Transaction::kAttemptMask) return whole;
  return std::max<Duration>(std::min(whole, slot.timeout * (Transaction::kAttemptMask + 1) -
                                                std::chrono::milliseconds(1)),
                            std::chrono::milliseconds(1));
}

void SmpClient::enter_flight(const Slot& slot) {
  ++in_flight_;
  if (slot.overdue) ++overdue_;
}

void SmpClient::leave_flight(const Slot& slot) {
  --in_flight_;
  if (slot.overdue) --overdue_;
}

void SmpClient::leave_budget(Slot& slot) {
  transport_.budget().give_back(PortBudget::Use::smps, std::exchange(slot.counted, 0));
}

bool SmpClient::on_mad(const ReceivedMad& received) {
  // The kernel returns only the header of an unanswered request.
  if (received.size < (received.send_errno != 0 ? kMadHeaderBytes : kMadSizeBytes)) {
    ++statistics_.malformed;
    return false;
  }
  const ConstSmpView smp{std::span<const std::uint8_t, kMadSizeBytes>(received.bytes)};
  const auto found = slots_.find(smp.transaction_id());
  if (!found) {
    if (received.send_errno == 0) ++statistics_.stray;
    return false;
  }
  const auto [index, attempt] = *found;
  Slot& slot = slots_[index];
  if (received.send_errno != 0) {
    // The kernel gave up. Its report about an earlier attempt is ignored. A timeout counts only
    // near this client's deadline: a simulator may report losses at once, which would use up all
    // retries.
    const bool latest = attempt + 1 == slot.attempts;
    if (received.refused) {  // the timer repeats it
      slot.refused = slot.refused || latest;
      return true;
    }
    if (latest && slot.state == SlotState::in_flight &&
        (received.send_errno != ETIMEDOUT || runtime_.now() - slot.sent >= slot.timeout / 2))
      attempt_failed(index);
    pump();
    return true;
  }
  if (smp.method() != Method::get_resp || smp.attribute_id() != slot.request.attribute) {
    ++statistics_
          .malformed;  // a valid response may still arrive; if not, the timer ends the request
    return true;
  }
  measure(slot, attempt, smp);
  if (smp.attribute_modifier() != slot.request.modifier) {
    ++statistics_.malformed;
    answered_elsewhere(index, attempt + 1 == slot.attempts, smp.attribute_modifier());
  } else {
    answered(index, attempt, smp);
  }
  pump();
  return true;
}

/// Records what the response shows about the node's pace, and about lost requests.
void SmpClient::measure(Slot& slot, unsigned attempt, ConstSmpView smp) {
  const TimePoint now = runtime_.now();
  const TimePoint sent = slot.sent_at[attempt & Transaction::kAttemptMask];
  newest_answered_ = std::max(newest_answered_, sent);
  if (attempt == 0) round_trip_.measured(now - sent);
  if (NodeState* const node = slot.node; node != nullptr) {
    node->pace.measured(now - sent, std::max(node->in_flight, 1u), sent >= node->newest_answered,
                        agent_limits(), now);
    node->heard = now;
    node->newest_answered = std::max(node->newest_answered, sent);
    node->given_up = 0;
  } else if (slot.request.attribute == AttributeId::node_info && smp.status() == status::kOk &&
             now - sent >= AgentPace::kQuick && nodes_.size() < kPacesMax) {
    // The request went to a node that was not known yet: the response names it.
    NodeState& named = nodes_[NodeInfo(smp.data()).node_guid()];
    named.pace.measured(now - sent, 1, true, agent_limits(), now);
    named.heard = now;
  }
  // A response to a repetition proves a loss, unless the repeated attempt had another key or
  // another route. Silence proves none: the node may be dead, and must not slow down the requests
  // to all others. A late response proves none either.
  const bool same_request =
      slot.keys.of_attempt(slot.request.first_key + (attempt & Transaction::kAttemptMask)) ==
          slot.keys.of_attempt(slot.request.first_key) &&
      !(slot.first_route && attempt >= slot.rerouted_from);
  if (attempt == 0 || same_request) losses_.answered(attempt);
  if (attempt == 0) {
    window_.answered(sent, now, in_window() + 1 >= window_.size());
  } else if (same_request) {
    ++statistics_.lost;
    window_.lost(now, limits_.timeout);
    if (slot.node != nullptr) slot.node->pace.lost(agent_limits(), now);
  }
}

void SmpClient::answered(std::uint32_t index, unsigned attempt, ConstSmpView smp) {
  Slot& slot = slots_[index];
  if (slot.first_route && attempt < slot.rerouted_from) slot.request.route = *slot.first_route;
  ++statistics_.at(slot.request.method, slot.request.attribute).answered;
  const SmpFault fault = smp.status() == status::kOk ? SmpFault::none : SmpFault::bad_status;
  if (m_keys_ != nullptr) {
    m_keys_->answered(
        slot.request,
        slot.keys.of_attempt(slot.request.first_key + (attempt & Transaction::kAttemptMask)),
        {.fault = fault, .status = smp.status(), .data = smp.data()});
  }
  finish(index, fault, smp.status(), smp.data());
}

/// Handles a response that names another block or port: the attempt has failed. The node may have
/// applied a Set there.
void SmpClient::answered_elsewhere(std::uint32_t index, bool latest, std::uint32_t modifier) {
  const Slot& slot = slots_[index];
  if (slot.request.method == Method::set) slot.owner->batch->misplaced(slot.request, modifier);
  if (latest && slot.state == SlotState::in_flight) attempt_failed(index);
}

void SmpClient::abandon() {
  abandoned_ = true;
  for (auto& [guid, node] : nodes_) fail_parked(node, SmpFault::not_sent);
  while (!waiting_probes_.empty()) start_probe();
  for (std::uint32_t index = 0; index < slots_.size(); ++index) {
    if (slots_[index].state != SlotState::free) finish(index, SmpFault::not_sent, 0, kNoData);
  }
  pump();
}

/// Extends the deadline of the latest attempt if the node answers other requests, but none that was
/// sent after it: agents serve requests in the order of their arrival. The deadline never exceeds
/// the time for which the kernel accepts a response.
TimePoint SmpClient::late_deadline(const Slot& slot) const {
  const NodeState* const node = slot.node;
  if (node == nullptr || slot.refused || node->heard <= slot.sent ||
      node->newest_answered > slot.sent)
    return slot.deadline;
  return std::max(slot.deadline, std::min(node->heard + slot.timeout, slot.limit));
}

void SmpClient::deadline_passed(std::uint32_t index) {
  Slot& slot = slots_[index];
  const TimePoint now = runtime_.now();
  if (!std::exchange(slot.overdue, true)) ++overdue_;
  if (!slot.late && now - slot.first_sent >= limits_.late_after) {
    slot.late = true;
    ++late_;
  }
  TimePoint later = late_deadline(slot);
  if (slot.request.waits_full_time && slot.attempts > retries_of(slot) &&
      now < request_deadline(slot)) {
    if (!slot.owner->batch->may_send(slot.request))
      return finish(index, SmpFault::put_off, 0, kNoData);
    later = std::min(now + slot.timeout, request_deadline(slot));
  }
  if (later <= now) return attempt_failed(index);
  slots_.unlink(index);
  slot.deadline = later;
  slots_.link(index);
}

void SmpClient::attempt_failed(std::uint32_t index) {
  Slot& slot = slots_[index];
  slots_.unlink(index);
  if (slot.attempts <= retries_of(slot)) {
    NodeState* const node = slot.node;
    const std::size_t waiting = slots_.open_count() - in_flight_;
    if (node != nullptr && node->in_flight > 1 && node->heard < slot.sent &&
        waiting < kWaitingMax) {
      // Another request will show whether the node answers.
      slot.state = SlotState::waiting;
      node->waiting.push_back(index);
      --node->in_flight;
      leave_flight(slot);
      return;
    }
    if (!slot.owner->batch->may_send(slot.request)) {
      slots_.link(index);  // finish() unlinks
      return finish(index, SmpFault::put_off, 0, kNoData);
    }
    if (transport_.budget().admits_repetition()) return repeat(index);
    const TimePoint now = runtime_.now(), end = request_deadline(slot);
    if (now < end) {  // as many as possible are under way: the attempt has more time
      slot.deadline = std::min(now + slot.timeout, end);
      return slots_.link(index);
    }
  }
  // It was not the last attempt when it was sent, since many requests were lost then: retries().
  const bool has_time = runtime_.now() < request_deadline(slot);
  if (has_time && !slot.request.is_probe && slot.timeout < usual_timeout(slot.request)) {
    slot.deadline = request_deadline(slot);
    slot.timeout = slot.deadline - slot.sent;
    return slots_.link(index);
  }
  slots_.link(index);  // finish() unlinks
  finish(index, slot.refused ? SmpFault::not_sent : SmpFault::timeout, 0, kNoData);
}

void SmpClient::finish(std::uint32_t index, SmpFault fault, std::uint16_t status,
                       std::span<const std::uint8_t, 64> data) {
  Slot& slot = slots_[index];
  const SlotState state = std::exchange(slot.state, SlotState::free);
  if (std::exchange(slot.late, false)) --late_;
  leave_budget(slot);
  if (slot.request.is_probe) --probes_;
  NodeState* const node = slot.node;
  if (state == SlotState::in_flight) {
    slots_.unlink(index);
    leave_flight(slot);
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
    if (answered || (state == SlotState::in_flight && fault == SmpFault::timeout))
      note_outcome(*node, slot, answered);
  }
  const SmpReply reply{.fault = fault,
                       .status = status,
                       .data = data,
                       .elapsed = runtime_.now() - slot.first_sent,
                       .attempts = slot.attempts};
  Running& owner = *slot.owner;
  owner.batch->done(slot.request, reply);
  --owner.outstanding;
  slots_.close(index);
  if (node == nullptr || (state == SlotState::waiting && !answered)) return;
  if (!answered && is_silent(*node, slot.request.route)) fail_all(*node);
  release(*node);
}

void SmpClient::on_deadline() {
  armed_for_ = TimePoint::max();
  const TimePoint now = runtime_.now();
  for (std::uint32_t index = slots_.first(); index != kNone && slots_[index].deadline <= now;
       index = slots_.first())
    deadline_passed(index);
  pump();
}

/// One timer serves all requests: it is set for the oldest one and checked again when it expires.
/// Most requests have been answered by then, so an SMP costs nothing.
void SmpClient::arm() {
  const std::uint32_t first = slots_.first();
  TimePoint due = first == kNone ? TimePoint::max() : slots_[first].deadline;
  if (!running_.empty() && window_open() && !rate_admits()) due = std::min(due, rate_.next());
  if (armed_for_ <= due) return;
  armed_for_ = due;
  timer_->arm(armed_for_);
}

}  // namespace mad
