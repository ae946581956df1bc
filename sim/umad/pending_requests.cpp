#include "sim/umad/pending_requests.h"

#include <algorithm>

#include "mad/mad_header.h"
#include "sim/umad/agent_table.h"

namespace sim::umad {
namespace {
constexpr std::size_t kSpareMax = 4096;
}

PendingRequests::Key PendingRequests::key_of(const std::array<std::uint8_t, 256>& bytes) {
  const mad::ConstMadView mad(bytes);
  return {.transaction = mad.transaction_id() & 0xFFFF'FFFF'FFFFu,
          .mgmt_class = mad.mgmt_class(),
          .is_response = mad.is_response()};
}

PendingRequests::Request* PendingRequests::find(const Key& key) {
  const auto found = index_.find(key);
  return found == index_.end() ? nullptr : &*found->second;
}

void PendingRequests::put(Queue::iterator at, Queue& from, Clock::time_point now) {
  at->deadline = now + at->timeout;
  Queue& queue = by_timeout_[at->timeout];
  queue.splice(queue.end(), from, at);
}

void PendingRequests::add(const Request& request, Clock::time_point now) {
  if (spare_.empty()) spare_.emplace_back();
  const auto at = spare_.begin();
  *at = request;
  put(at, spare_, now);
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
  const auto at = found->second;
  Index::node_type node = index_.extract(found);
  if (spare_nodes_.size() < kSpareMax) spare_nodes_.push_back(std::move(node));
  const auto queue = by_timeout_.find(at->timeout);
  if (spare_.size() < kSpareMax)
    spare_.splice(spare_.begin(), queue->second, at);
  else
    queue->second.erase(at);
}

void PendingRequests::remove_all_of(const Agent& agent) {
  std::vector<Key> keys;
  for (const auto& [key, at] : index_)
    if (at->agent == &agent) keys.push_back(key);
  for (const Key& key : keys) remove(key);
}

void PendingRequests::extend(Request& request, Clock::time_point now) {
  const auto found = index_.find(request.key);
  if (found != index_.end()) put(found->second, by_timeout_[request.timeout], now);
}

std::optional<PendingRequests::Clock::time_point> PendingRequests::deadline() const {
  std::optional<Clock::time_point> out;
  for (const auto& [timeout, queue] : by_timeout_)
    if (!queue.empty() && (!out || queue.front().deadline < *out)) out = queue.front().deadline;
  return out;
}

PendingRequests::Request* PendingRequests::next_due(Clock::time_point now) {
  for (auto row = by_timeout_.begin(); row != by_timeout_.end();) {
    if (row->second.empty()) {
      // Programs use few different timeouts; a program that uses many must not leave a list for
      // each.
      row = by_timeout_.size() > 64 ? by_timeout_.erase(row) : std::next(row);
      continue;
    }
    const auto first = row->second.begin();
    if (first->deadline <= now) {
      put(first, row->second, now);
      return &*first;
    }
    ++row;
  }
  return nullptr;
}

}  // namespace sim::umad
