// The search of a channel graph for cycles.
#include <algorithm>
#include <vector>

#include "routing/verify/credit_loops.h"

namespace routing {

using sm::kNoIndex;

namespace {

// What is left when channels that wait for none of the rest, and then those that none of the rest
// waits for, are taken away.
std::vector<bool> entangled(const ChannelGraph& channels) {
  const std::uint32_t count = channels.vertices();
  std::vector<std::uint32_t> waiting(count, 0), queue;
  for (std::uint32_t vertex = 0; vertex < count; ++vertex)
    channels.for_each_next(vertex, [&](std::uint32_t next) { ++waiting[next]; });
  for (std::uint32_t vertex = 0; vertex < count; ++vertex)
    if (waiting[vertex] == 0) queue.push_back(vertex);
  for (std::size_t i = 0; i < queue.size(); ++i)
    channels.for_each_next(queue[i], [&](std::uint32_t next) {
      if (--waiting[next] == 0) queue.push_back(next);
    });
  std::vector<bool> rest(count, queue.size() < count);
  if (queue.size() < count)
    for (const std::uint32_t vertex : queue) rest[vertex] = false;
  return rest;
}

// Tarjan's strongly connected components of the vertices in `among`, without recursion; only those
// with more than one vertex.
class Knots {
 public:
  Knots(const ChannelGraph& channels, const std::vector<bool>& among)
      : channels_(channels),
        among_(among),
        index_(channels.vertices(), 0),
        low_(channels.vertices(), 0),
        on_stack_(channels.vertices(), false) {}

  std::vector<std::vector<std::uint32_t>> find() {
    for (std::uint32_t vertex = 0; vertex < channels_.vertices(); ++vertex)
      if (among_[vertex] && index_[vertex] == 0) visit(vertex);
    return std::move(knots_);
  }

 private:
  struct Frame {
    std::uint32_t vertex;
    std::vector<std::uint32_t> next;
    std::size_t at = 0;
  };
  void enter(std::uint32_t vertex) {
    index_[vertex] = low_[vertex] = ++count_;
    stack_.push_back(vertex);
    on_stack_[vertex] = true;
    Frame& frame = frames_.emplace_back(Frame{vertex, {}});
    channels_.for_each_next(vertex, [&](std::uint32_t next) {
      if (among_[next]) frame.next.push_back(next);
    });
  }
  void visit(std::uint32_t root) {
    enter(root);
    while (!frames_.empty()) {
      Frame& frame = frames_.back();
      const std::uint32_t vertex = frame.vertex;
      if (frame.at < frame.next.size()) {
        const std::uint32_t next = frame.next[frame.at++];
        if (index_[next] == 0)
          enter(next);
        else if (on_stack_[next])
          low_[vertex] = std::min(low_[vertex], index_[next]);
        continue;
      }
      frames_.pop_back();
      if (!frames_.empty())
        low_[frames_.back().vertex] = std::min(low_[frames_.back().vertex], low_[vertex]);
      if (low_[vertex] != index_[vertex]) continue;
      const auto begin = std::find(stack_.rbegin(), stack_.rend(), vertex).base() - 1;
      std::for_each(begin, stack_.end(), [&](std::uint32_t member) { on_stack_[member] = false; });
      if (stack_.end() - begin > 1) knots_.emplace_back(begin, stack_.end());
      stack_.erase(begin, stack_.end());
    }
  }

  const ChannelGraph& channels_;
  const std::vector<bool>& among_;
  std::vector<std::uint32_t> index_, low_;
  std::vector<bool> on_stack_;
  std::vector<std::uint32_t> stack_;
  std::vector<Frame> frames_;
  std::vector<std::vector<std::uint32_t>> knots_;
  std::uint32_t count_ = 0;
};

// A shortest circle through `start`, breadth first; no longer than `longest`, or empty.
std::vector<std::uint32_t> circle_through(const ChannelGraph& channels, std::uint32_t start,
                                          std::size_t longest, std::vector<std::uint32_t>& from) {
  std::vector<std::uint32_t> queue{start}, circle;
  std::vector<std::uint32_t> depth{0};
  std::uint32_t last = kNoIndex;
  for (std::size_t i = 0; i < queue.size() && last == kNoIndex && depth[i] + 1 <= longest; ++i) {
    channels.for_each_next(queue[i], [&](std::uint32_t next) {
      if (last != kNoIndex) return;
      if (next == start) {
        last = queue[i];
      } else if (from[next] == kNoIndex) {
        from[next] = queue[i];
        queue.push_back(next);
        depth.push_back(depth[i] + 1);
      }
    });
  }
  for (std::uint32_t at = last; at != kNoIndex; at = at == start ? kNoIndex : from[at])
    circle.push_back(at);
  std::ranges::reverse(circle);
  for (const std::uint32_t vertex : queue) from[vertex] = kNoIndex;
  return circle;
}

}  // namespace

CreditLoops find_circles(const ChannelGraph& channels) {
  CreditLoops report;
  report.dependencies = channels.dependencies();
  const std::vector<bool> rest = entangled(channels);
  if (std::ranges::find(rest, true) == rest.end()) return report;
  std::vector<std::vector<std::uint32_t>> knots = Knots(channels, rest).find();
  for (auto& knot : knots) std::ranges::sort(knot);
  std::ranges::sort(knots, [](const auto& a, const auto& b) {
    return a.size() != b.size() ? a.size() > b.size() : a.front() < b.front();
  });
  report.loop_count = knots.size();
  std::vector<std::uint32_t> from(channels.vertices(), kNoIndex);
  for (const auto& knot : knots) {
    if (report.loops.size() == CreditLoops::kLoopsListed) break;
    constexpr std::size_t kStarts = 32;  // enough for a circle that a person can follow
    std::vector<std::uint32_t> best;
    for (std::size_t i = 0; i < std::min(kStarts, knot.size()); ++i) {
      auto circle =
          circle_through(channels, knot[i], best.empty() ? knot.size() : best.size() - 1, from);
      if (!circle.empty()) best = std::move(circle);
    }
    CreditLoops::Loop loop{{}, knot.size()};
    for (const std::uint32_t vertex : best) loop.circle.push_back(channels.channel(vertex));
    report.loops.push_back(std::move(loop));
  }
  return report;
}

}  // namespace routing
