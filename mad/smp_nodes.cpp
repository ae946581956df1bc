// Keeps the state of each node, and the requests that wait for it.

#include <algorithm>
#include <utility>

#include "mad/smp_client.h"

namespace mad {
namespace {

/// The pace of a slow node is remembered for this time without a response.
constexpr Duration kPaceKept = std::chrono::minutes(10);
constexpr SmpData kNothing{};

}  // namespace

/// Returns 1 while it is not known whether the node answers at all.
unsigned SmpClient::cap(const NodeState& node) const {
  return node.given_up == 0 && node.waiting.empty() ? node.pace.limit(agent_limits()) : 1;
}

/// Returns how many attempts without a response show that a node is silent.
unsigned SmpClient::silent_attempts() const {
  return losses_.is_high() ? 4 * kSilentAttempts : kSilentAttempts;
}

bool SmpClient::is_silent(const NodeState& node, const DirectedRoute& route) const {
  return node.given_up >= silent_attempts() && node.silent_route == route;
}

/// True if this request would have no response.
bool SmpClient::is_silent(const NodeState& node, const SmpRequest& request) const {
  return is_silent(node, request.route) ||
         std::ranges::any_of(node.silences, [&](const Silence& its) {
           return its.attribute == request.attribute && its.given_up >= silent_attempts() &&
                  its.route == request.route;
         });
}

/// Counts the attempts of a request that had no response, unless the node answered another one
/// since: then it is not silent. About an optional attribute only responses to the same one count.
void SmpClient::note_outcome(NodeState& node, const Slot& slot, bool answered) {
  const AttributeId attribute = slot.request.attribute;
  if (!is_optional(attribute)) {
    if (answered || node.heard > slot.sent) return;
    node.given_up += slot.attempts;
    node.silent_route = slot.request.route;
    return;
  }
  const auto found = std::ranges::find(node.silences, attribute, &Silence::attribute);
  if (answered) {
    if (found != node.silences.end()) node.silences.erase(found);
    return;
  }
  Silence& silence =
      found != node.silences.end() ? *found : node.silences.emplace_back(Silence{attribute});
  silence.given_up += slot.attempts;
  silence.route = slot.request.route;
}

void SmpClient::forget_silence() {
  const TimePoint now = runtime_.now();
  for (auto entry = nodes_.begin(); entry != nodes_.end();) {
    NodeState& node = entry->second;
    node.given_up = 0;
    node.silences.clear();
    node.pace.forget_fastest();
    const bool keeps_pace = node.pace.is_slow() && now - node.heard < kPaceKept;
    entry = node.is_idle() && !keeps_pace ? nodes_.erase(entry) : std::next(entry);
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

/// Sends this node's waiting requests as far as its cap admits, repetitions first.
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
    if (is_silent(*slot.node, slot.request))
      return finish(ready.index, SmpFault::timeout, 0, kNothing);
    if (!slot.owner->batch->may_send(slot.request))
      return finish(ready.index, SmpFault::put_off, 0, kNothing);
    enter_flight(slots_[ready.index]);
    return repeat(ready.index);
  }
  const Parked parked = parked_[ready.index];
  free_parked_.push_back(ready.index);
  --parked_count_;
  const bool may_start = !abandoned_ && !is_silent(*parked.node, parked.request);
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
  owner.batch->done(request, {.fault = fault, .status = 0, .data = kNothing});
  --owner.outstanding;
}

/// Ends everything that waits for a silent node. A batch that knows another route by now may
/// request it again.
void SmpClient::fail_all(NodeState& node) {
  for (const std::uint32_t index : std::exchange(node.waiting, {}))
    finish(index, SmpFault::timeout, 0, kNothing);
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

}  // namespace mad
