#include <algorithm>

#include "mad/mad_header.h"
#include "sim/umad/agent_table.h"
#include "sim/umad/transactions.h"

namespace sim::umad {
namespace {
constexpr std::size_t kSpareMax = 4096;
}

PendingRequests::Key PendingRequests::make_key(const std::array<std::uint8_t, 256>& bytes) {
  const mad::ConstMadView mad(bytes);
  return {.transaction = mad.transaction_id() & 0xFFFF'FFFF'FFFFu,
          .mgmt_class = mad.mgmt_class(),
          .is_response = mad.is_response()};
}

PendingRequests::Request* PendingRequests::find(const Key& key) {
  const auto found = index_.find(key);
  return found == index_.end() ? nullptr : &found->second->second;
}

void PendingRequests::add(const Request& request, Clock::time_point now) {
  // Most requests have the same timeout, so that the latest one is due last.
  const Clock::time_point deadline = now + request.timeout;
  Queue::iterator at;
  if (spare_.empty()) {
    at = queue_.emplace_hint(queue_.end(), deadline, request);
  } else {
    Queue::node_type node = std::move(spare_.back());
    spare_.pop_back();
    node.key() = deadline;
    node.mapped() = request;
    at = queue_.insert(queue_.end(), std::move(node));
  }
  if (spare_nodes_.empty()) {
    index_.insert_or_assign(request.key, at);
    return;
  }
  Index::node_type node = std::move(spare_nodes_.back());
  spare_nodes_.pop_back();
  node.key() = request.key;
  node.mapped() = at;
  index_.insert(std::move(node));
}

void PendingRequests::remove(const Key& key) {
  const auto found = index_.find(key);
  if (found == index_.end()) return;
  Queue::node_type request = queue_.extract(found->second);
  if (spare_.size() < kSpareMax) spare_.push_back(std::move(request));
  Index::node_type node = index_.extract(found);
  if (spare_nodes_.size() < kSpareMax) spare_nodes_.push_back(std::move(node));
}

void PendingRequests::remove_all_of(const Agent& agent) {
  std::vector<Key> keys;
  for (const auto& [key, at] : index_)
    if (at->second.agent == &agent) keys.push_back(key);
  for (const Key& key : keys) remove(key);
}

PendingRequests::Queue::iterator PendingRequests::restart(Queue::iterator at,
                                                          Clock::time_point now) {
  Queue::node_type node = queue_.extract(at);
  node.key() = now + node.mapped().timeout;
  return queue_.insert(queue_.end(), std::move(node));  // iterators to it stay valid
}

void PendingRequests::extend(Request& request, Clock::time_point now) {
  const auto found = index_.find(request.key);
  if (found != index_.end()) found->second = restart(found->second, now);
}

std::optional<PendingRequests::Clock::time_point> PendingRequests::deadline() const {
  if (queue_.empty()) return std::nullopt;
  return queue_.begin()->first;
}

PendingRequests::Request* PendingRequests::next_due(Clock::time_point now) {
  if (queue_.empty() || queue_.begin()->first > now) return nullptr;
  const auto at = restart(queue_.begin(), now);
  index_.find(at->second.key)->second = at;
  return &at->second;
}

namespace {

std::uint64_t transaction_of(const wire::RoutedPacket& packet) {
  return mad::ConstMadView(packet.mad).transaction_id();
}

}  // namespace

template <class T>
void RmppTransfers::give(std::list<T>& used, std::list<T>& spare,
                         typename std::list<T>::iterator at) {
  if (spare.size() < kSpareMax)
    spare.splice(spare.begin(), used, at);
  else
    used.erase(at);
}

RmppTransfers::Sending* RmppTransfers::find_sending(std::uint64_t transaction,
                                                    mad::MgmtClass mgmt_class) {
  // The server may have changed the top 16 bits of a request's id, so they do not count for
  // requests; ids of two remote programs may differ only in these bits.
  for (Sending& transfer : sending_) {
    if (transfer.mgmt_class != mgmt_class) continue;
    const bool is_response = mad::ConstMadView(transfer.packet.mad).is_response();
    const std::uint64_t mask = is_response ? ~std::uint64_t{0} : 0xFFFF'FFFF'FFFFu;
    if (((transfer.transaction ^ transaction) & mask) == 0) return &transfer;
  }
  return nullptr;
}

void RmppTransfers::end(Sending& transfer) {
  const auto at = std::find_if(sending_.begin(), sending_.end(),
                               [&](const Sending& other) { return &other == &transfer; });
  if (at != sending_.end()) give(sending_, spare_sending_, at);
}

RmppTransfers::Receiving* RmppTransfers::find_receiving(const wire::RoutedPacket& packet) {
  const mad::ConstMadView mad(packet.mad);
  for (Receiving& transfer : receiving_) {
    if (transfer.transaction == mad.transaction_id() && transfer.mgmt_class == mad.mgmt_class() &&
        transfer.method == mad.method() && transfer.packet.slid.raw == packet.slid.raw &&
        transfer.packet.sqp_be == packet.sqp_be)
      return &transfer;
  }
  return nullptr;
}

/// Evicts the oldest complete message, which is kept only in case its last ACK was lost.
bool RmppTransfers::make_room() {
  const auto done = std::find_if(
      receiving_.begin(), receiving_.end(),
      [](const Receiving& transfer) { return transfer.forget_at != Clock::time_point::max(); });
  if (done == receiving_.end()) return false;
  give(receiving_, spare_receiving_, done);
  return true;
}

RmppTransfers::Receiving* RmppTransfers::start_receiving(const wire::RoutedPacket& packet,
                                                         Agent* agent) {
  if (receiving_.size() >= kReceivingMax && !make_room()) return nullptr;
  Receiving& transfer = *take(receiving_, spare_receiving_);
  const mad::ConstMadView mad(packet.mad);
  transfer.agent = agent;
  transfer.packet = packet;
  transfer.transaction = transaction_of(packet);
  transfer.mgmt_class = mad.mgmt_class();
  transfer.method = mad.method();
  transfer.forget_at = Clock::time_point::max();
  transfer.rmpp.reset({});
  return &transfer;
}

void RmppTransfers::end(Receiving& transfer) {
  const auto at = std::find_if(receiving_.begin(), receiving_.end(),
                               [&](const Receiving& other) { return &other == &transfer; });
  if (at != receiving_.end()) give(receiving_, spare_receiving_, at);
}

void RmppTransfers::remove_all_of(const Agent& agent) {
  sending_.remove_if([&](const Sending& transfer) { return transfer.agent == &agent; });
  receiving_.remove_if([&](const Receiving& transfer) { return transfer.agent == &agent; });
}

std::optional<RmppTransfers::Clock::time_point> RmppTransfers::deadline() const {
  std::optional<Clock::time_point> out;
  const auto earlier = [&](std::optional<Clock::time_point> at) {
    if (at && (!out || *at < *out)) out = at;
  };
  for (const Sending& transfer : sending_) earlier(transfer.rmpp.deadline());
  for (const Receiving& transfer : receiving_) {
    earlier(transfer.rmpp.deadline());
    if (transfer.forget_at != Clock::time_point::max()) earlier(transfer.forget_at);
  }
  return out;
}

}  // namespace sim::umad
