#include <algorithm>
#include <bit>
#include <numeric>

#include "routing/proof/credit_loops.h"

namespace routing {

using sm::kNoIndex;
using sm::SwitchIndex;

namespace {

std::size_t largest_degree(const sm::SwitchGraph& graph) {
  std::size_t degree = 1;
  for (SwitchIndex sw = 0; sw < graph.switches(); ++sw) degree = std::max(degree, graph.degree(sw));
  return degree;
}

}  // namespace

ChannelGraph::ChannelGraph(const sm::SwitchGraph& graph, unsigned vls, bool lanes_change)
    : graph_(&graph),
      slots_(graph.port.size()),
      words_((largest_degree(graph) + 63) / 64),
      row_words_(words_ * (lanes_change ? vls : 1)),
      vls_(vls),
      lanes_change_(lanes_change),
      rows_(vls * slots_ * row_words_, 0) {}

void ChannelGraph::add(const Dependency& dependency) {
  const auto [from, to] = dependency;
  if (from.slot >= slots_ || to.slot >= slots_ || from.vl >= vls_ || to.vl >= vls_ ||
      (!lanes_change_ && from.vl != to.vl))
    return;
  const SwitchIndex sw = graph_->neighbour[from.slot];
  if (to.slot < graph_->offsets[sw] || to.slot >= graph_->offsets[sw + 1]) return;
  add(from.slot, from.vl, to.slot - graph_->offsets[sw], to.vl);
}

template <class Visit>
void ChannelGraph::for_each_next(std::uint32_t vertex, Visit&& visit) const {
  const std::size_t vl = vertex / slots_, slot = vertex % slots_;
  const std::uint32_t first = graph_->offsets[graph_->neighbour[slot]];
  const std::uint64_t* const row = rows_.data() + vertex * row_words_;
  for (std::size_t word = 0; word < row_words_; ++word) {
    const std::size_t base =
        (lanes_change_ ? word / words_ : vl) * slots_ + first + word % words_ * 64;
    for (std::uint64_t bits = row[word]; bits != 0; bits &= bits - 1)
      visit(static_cast<std::uint32_t>(base + static_cast<unsigned>(std::countr_zero(bits))));
  }
}

ChannelGraph ChannelGraph::moved_to(const sm::SwitchGraph& graph,
                                    std::span<const std::uint32_t> slot_now) const {
  ChannelGraph moved(graph, vls_, lanes_change_);
  // Where a switch's slots stand as they stood, the bits of those who wait for them do too.
  std::vector<bool> as_before(graph_->switches(), moved.words_ == words_);
  for (SwitchIndex sw = 0; sw < graph_->switches(); ++sw) {
    const std::uint32_t first = graph_->offsets[sw];
    for (std::uint32_t slot = first; slot < graph_->offsets[sw + 1] && as_before[sw]; ++slot) {
      const std::uint32_t now = slot_now[slot];
      as_before[sw] = now != kNoIndex &&
                      now - graph.offsets[graph.neighbour[graph.reverse[now]]] == slot - first;
    }
  }
  for (std::uint32_t slot = 0; slot < slots_; ++slot) {
    const std::uint32_t now = slot_now[slot];
    if (now == kNoIndex) continue;
    const SwitchIndex to = graph.neighbour[now];
    for (unsigned vl = 0; vl < vls_; ++vl) {
      const std::uint32_t vertex = static_cast<std::uint32_t>(vl * slots_ + slot);
      if (as_before[graph_->neighbour[slot]]) {
        std::copy_n(rows_.begin() + static_cast<std::ptrdiff_t>(vertex * row_words_), row_words_,
                    moved.rows_.begin() +
                        static_cast<std::ptrdiff_t>((vl * moved.slots_ + now) * row_words_));
        continue;
      }
      for_each_next(vertex, [&](std::uint32_t next) {
        const std::uint32_t next_now = slot_now[next % slots_];
        if (next_now != kNoIndex)
          moved.add(now, vl, next_now - graph.offsets[to], static_cast<unsigned>(next / slots_));
      });
    }
  }
  return moved;
}

void ChannelGraph::merge(const ChannelGraph& other) {
  for (std::size_t i = 0; i < rows_.size(); ++i) rows_[i] |= other.rows_[i];
}

std::uint64_t ChannelGraph::dependencies() const {
  return std::accumulate(rows_.begin(), rows_.end(), std::uint64_t{0},
                         [](std::uint64_t sum, std::uint64_t word) {
                           return sum + static_cast<unsigned>(std::popcount(word));
                         });
}

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
