// The search of a channel graph for cycles.
#include <algorithm>
#include <vector>

#include "routing/verify/credit_loops.h"

namespace routing {

using sm::kNoIndex;

namespace {

// The cyclic core: what is left when vertices that no remaining vertex leads to are removed one
// after the other. Contains all cycles, and what can be reached from them.
std::vector<bool> cyclic_core(const ChannelGraph& channels) {
  const std::uint32_t count = channels.vertices();
  std::vector<std::uint32_t> in_degree(count, 0), queue;
  for (std::uint32_t vertex = 0; vertex < count; ++vertex)
    channels.for_each_next(vertex, [&](std::uint32_t next) { ++in_degree[next]; });
  for (std::uint32_t vertex = 0; vertex < count; ++vertex)
    if (in_degree[vertex] == 0) queue.push_back(vertex);
  for (std::size_t i = 0; i < queue.size(); ++i)
    channels.for_each_next(queue[i], [&](std::uint32_t next) {
      if (--in_degree[next] == 0) queue.push_back(next);
    });
  std::vector<bool> core(count, queue.size() < count);
  if (queue.size() < count)
    for (const std::uint32_t vertex : queue) core[vertex] = false;
  return core;
}

// The strongly connected components (Tarjan 1972) of the vertices in `among`, without recursion;
// only those with more than one vertex.
class StrongComponents {
 public:
  StrongComponents(const ChannelGraph& channels, const std::vector<bool>& among)
      : channels_(channels),
        among_(among),
        index_(channels.vertices(), 0),
        low_(channels.vertices(), 0),
        on_stack_(channels.vertices(), false) {}

  std::vector<std::vector<std::uint32_t>> find() {
    for (std::uint32_t vertex = 0; vertex < channels_.vertices(); ++vertex)
      if (among_[vertex] && index_[vertex] == 0) visit(vertex);
    return std::move(components_);
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
      if (stack_.end() - begin > 1) components_.emplace_back(begin, stack_.end());
      stack_.erase(begin, stack_.end());
    }
  }

  const ChannelGraph& channels_;
  const std::vector<bool>& among_;
  std::vector<std::uint32_t> index_, low_;
  std::vector<bool> on_stack_;
  std::vector<std::uint32_t> stack_;
  std::vector<Frame> frames_;
  std::vector<std::vector<std::uint32_t>> components_;
  std::uint32_t count_ = 0;
};

// A shortest cycle through `start`, breadth first; empty if none has at most `longest` vertices.
std::vector<std::uint32_t> cycle_through(const ChannelGraph& channels, std::uint32_t start,
                                         std::size_t longest, std::vector<std::uint32_t>& from) {
  std::vector<std::uint32_t> queue{start}, cycle;
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
    cycle.push_back(at);
  std::ranges::reverse(cycle);
  for (const std::uint32_t vertex : queue) from[vertex] = kNoIndex;
  return cycle;
}

}  // namespace

CreditLoops find_circles(const ChannelGraph& channels) {
  CreditLoops report;
  report.dependencies = channels.dependencies();
  const std::vector<bool> core = cyclic_core(channels);
  if (std::ranges::find(core, true) == core.end()) return report;
  std::vector<std::vector<std::uint32_t>> components = StrongComponents(channels, core).find();
  for (auto& component : components) std::ranges::sort(component);
  std::ranges::sort(components, [](const auto& a, const auto& b) {
    return a.size() != b.size() ? a.size() > b.size() : a.front() < b.front();
  });
  report.loop_count = components.size();
  std::vector<std::uint32_t> from(channels.vertices(), kNoIndex);
  for (const auto& component : components) {
    if (report.loops.size() == CreditLoops::kLoopsListed) break;
    constexpr std::size_t kStarts = 32;  // enough to find a short cycle
    std::vector<std::uint32_t> best;
    for (std::size_t i = 0; i < std::min(kStarts, component.size()); ++i) {
      auto cycle = cycle_through(channels, component[i],
                                 best.empty() ? component.size() : best.size() - 1, from);
      if (!cycle.empty()) best = std::move(cycle);
    }
    CreditLoops::Loop loop{{}, component.size()};
    for (const std::uint32_t vertex : best) loop.cycle.push_back(channels.channel(vertex));
    report.loops.push_back(std::move(loop));
  }
  return report;
}

}  // namespace routing
