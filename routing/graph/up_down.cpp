#include "routing/graph/up_down.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <tuple>

namespace routing {

using fabric::kNoIndex;
using fabric::SwitchGraph;
using fabric::SwitchIndex;
using Hops = HopTable<std::uint8_t>;

namespace {

// row[d] = min(row[d], other[d])
[[gnu::noinline]] void take_less(std::uint8_t* __restrict row, const std::uint8_t* __restrict other,
                                 std::size_t pitch) {
  for (std::size_t d = 0; d < pitch; d += Hops::kPad, row += Hops::kPad, other += Hops::kPad)
    for (std::size_t i = 0; i < Hops::kPad; ++i) row[i] = std::min(row[i], other[i]);
}

// row[d] = first[d], or if that is no path, beyond[d] + 1
[[gnu::noinline]] void take_first_or_next(std::uint8_t* __restrict row,
                                          const std::uint8_t* __restrict first,
                                          const std::uint8_t* __restrict beyond,
                                          std::size_t pitch) {
  for (std::size_t d = 0; d < pitch;
       d += Hops::kPad, row += Hops::kPad, first += Hops::kPad, beyond += Hops::kPad)
    for (std::size_t i = 0; i < Hops::kPad; ++i) {
      const auto next = static_cast<std::uint8_t>(beyond[i] + (beyond[i] != Hops::kNoPath ? 1 : 0));
      row[i] = first[i] != Hops::kNoPath ? first[i] : next;
    }
}

// True if a wanted d has no path.
[[gnu::noinline]] bool lacks_path(const std::uint8_t* __restrict row,
                                  const std::uint8_t* __restrict wanted, std::size_t pitch) {
  std::uint8_t lacking = 0;
  for (std::size_t d = 0; d < pitch; d += Hops::kPad, row += Hops::kPad, wanted += Hops::kPad)
    for (std::size_t i = 0; i < Hops::kPad; ++i)
      lacking = static_cast<std::uint8_t>(lacking | (row[i] == Hops::kNoPath ? wanted[i] : 0));
  return lacking != 0;
}

static_assert(kLongestUpDown + 2 == Hops::kNoPath, "one length above the maximum");
bool has_too_long(const Hops& hops, std::size_t switches) {
  for (SwitchIndex sw{0}; sw < switches; ++sw)
    if (std::memchr(hops.row(sw), kLongestUpDown + 1, switches) != nullptr) return true;
  return false;
}

// Chooses a leaf for each component: of the switches with hosts, that with legal paths to most
// others, then the lowest. The number of hosts does not matter, so that a reboot moves nothing.
// None where nothing needs to turn.
std::vector<SwitchIndex> turning_leaves(const SwitchGraph& graph, const UpDownOrder& order,
                                        const UpDownNeeds& needs, const Hops& legal) {
  const std::vector<std::uint32_t> component = components(graph);
  std::vector<std::uint8_t> wanted(legal.pitch(), 0);
  std::ranges::copy(needs.complete, wanted.begin());
  std::vector<std::uint32_t> size(graph.switches(), 0), met(graph.switches(), 0);
  for (const SwitchIndex sw : graph.all_switches()) size[component[sw]] += wanted[sw];
  std::vector<std::uint8_t> open(graph.switches(), 0);  // by component
  for (const SwitchIndex sw : graph.all_switches()) {
    const std::uint8_t* const row = legal.row(sw);
    for (const SwitchIndex to : graph.all_switches())
      met[sw] += wanted[to] != 0 && row[to] != Hops::kNoPath ? 1u : 0u;
    if (met[sw] < size[component[sw]]) open[component[sw]] = 1;
  }
  std::vector<SwitchIndex> best(graph.switches(), kNoIndex);  // by component
  const auto key = [&](SwitchIndex sw) { return std::pair(met[sw], order[sw]); };
  for (const SwitchIndex sw : graph.all_switches()) {
    SwitchIndex& leaf = best[component[sw]];
    if (open[component[sw]] != 0 && needs.hosts[sw] > 0 &&
        (leaf == kNoIndex || key(sw) > key(leaf)))
      leaf = sw;
  }
  std::vector<SwitchIndex> turn;
  turn.reserve(graph.switches());
  for (const SwitchIndex sw : graph.all_switches()) turn.push_back(best[component[sw]]);
  return turn;
}

// Returns the neighbour to which packets go that turn in `leaf`: of those on legal paths to the
// leaf, the highest, so that as few switches as possible lie on such paths.
SwitchIndex next_to_leaf(const SwitchGraph& graph, const UpDownOrder& order, const Hops& down,
                         const Hops& legal, SwitchIndex sw, SwitchIndex leaf) {
  const bool goes_down = down.row(sw)[leaf] != Hops::kNoPath;
  const Hops& hops = goes_down ? down : legal;
  SwitchIndex best = kNoIndex;
  for (const SwitchIndex other : graph.neighbours(sw))
    if ((order[other] > order[sw]) == goes_down && hops.row(other)[leaf] != Hops::kNoPath &&
        hops.row(other)[leaf] + 1 == hops.row(sw)[leaf] &&
        (best == kNoIndex || order[other] < order[best]))
      best = other;
  return best;
}

// Completes paths towards the turning leaves: those that are needed, and of the switches on them.
void turn_paths(const SwitchGraph& graph, const UpDownNeeds& needs, UpDownDistances& distances) {
  const Hops& legal = distances.legal;
  std::vector<SwitchIndex> far_first(graph.switches());
  std::iota(far_first.begin(), far_first.end(), SwitchIndex{0});
  const auto from_leaf = [&](SwitchIndex sw) -> unsigned {
    return distances.turn[sw] == kNoIndex ? Hops::kNoPath : legal.row(sw)[distances.turn[sw]];
  };
  std::ranges::sort(far_first, {}, [&](SwitchIndex sw) { return std::pair(~from_leaf(sw), sw); });
  std::vector<std::uint8_t> passes(graph.switches());
  for (const SwitchIndex to : graph.all_switches()) {
    if (needs.complete[to] == 0) continue;
    std::ranges::fill(passes, std::uint8_t{0});
    for (const SwitchIndex sw : far_first) {
      const SwitchIndex leaf = distances.turn[sw];
      if (leaf == kNoIndex || leaf == sw || legal.row(sw)[to] != Hops::kNoPath ||
          legal.row(sw)[leaf] == Hops::kNoPath || legal.row(leaf)[to] == Hops::kNoPath ||
          (passes[sw] == 0 && !needs.has(sw, to)))
        continue;
      distances.completed.row(sw)[to] = static_cast<std::uint8_t>(
          std::min(kLongestUpDown + 1, legal.row(sw)[leaf] + legal.row(leaf)[to]));
      distances.turning.add(sw, to);
      passes[distances.next_to_leaf[sw]] = 1;
    }
  }
}

// Takes back what was completed for pairs that need no path, except on the way of others.
// `before`: [open switch][destination], the lengths without completion.
void keep_needed(const SwitchGraph& graph, const UpDownNeeds& needs,
                 std::span<const SwitchIndex> open, std::span<const std::uint8_t> before,
                 Hops& done) {
  const std::size_t pitch = done.pitch();
  constexpr std::uint32_t kNone = 0xFFFFFFFFu;
  std::vector<std::uint32_t> number(graph.switches(), kNone);  // among `open`
  for (std::uint32_t i = 0; i < open.size(); ++i) number[open[i]] = i;
  std::vector<SwitchIndex> passed;
  std::vector<std::uint8_t> is_passed(graph.switches());
  for (const SwitchIndex to : graph.all_switches()) {
    passed.clear();
    std::ranges::fill(is_passed, std::uint8_t{0});
    const auto pass = [&](SwitchIndex sw) {
      if (number[sw] == kNone || is_passed[sw] != 0 ||
          before[number[sw] * pitch + to] != Hops::kNoPath)
        return;
      is_passed[sw] = 1;
      passed.push_back(sw);
    };
    for (const SwitchIndex sw : open)
      if (needs.has(sw, to)) pass(sw);
    for (std::size_t i = 0; i < passed.size(); ++i)
      for (const SwitchIndex other : graph.neighbours(passed[i]))
        if (done.row(other)[to] + 1 == done.row(passed[i])[to]) pass(other);
    for (const SwitchIndex sw : open)
      if (is_passed[sw] == 0) done.row(sw)[to] = before[number[sw] * pitch + to];
  }
}

// Completes the rest for all switches at once, one hop further in each round, so that the result
// does not depend on the order of the switches.
void complete_paths(const SwitchGraph& graph, const UpDownNeeds& needs, Hops& done) {
  const std::size_t pitch = done.pitch();
  std::vector<std::uint8_t> wanted(pitch, 0), beyond(pitch);
  std::ranges::copy(needs.complete, wanted.begin());
  std::vector<SwitchIndex> open;  // switches that lack some path, needed or not
  bool is_needed = false;
  for (const SwitchIndex sw : graph.all_switches()) {
    if (!lacks_path(done.row(sw), wanted.data(), pitch)) continue;
    open.push_back(sw);
    for (const SwitchIndex to : graph.all_switches())
      is_needed |= needs.has(sw, to) && done.row(sw)[to] == Hops::kNoPath;
  }
  if (!is_needed) return;
  std::vector<std::uint8_t> before(open.size() * pitch), next(open.size() * pitch);
  for (std::size_t i = 0; i < open.size(); ++i)
    std::copy_n(done.row(open[i]), pitch, before.data() + i * pitch);
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t i = 0; i < open.size(); ++i) {
      const std::uint8_t* const row = done.row(open[i]);
      std::uint8_t* const next_row = next.data() + i * pitch;
      std::ranges::fill(beyond, Hops::kNoPath);
      for (const SwitchIndex other : graph.neighbours(open[i]))
        take_less(beyond.data(), done.row(other), pitch);
      take_first_or_next(next_row, row, beyond.data(), pitch);
      changed |= !std::equal(row, row + pitch, next_row);
    }
    for (std::size_t i = 0; i < open.size(); ++i)
      std::copy_n(next.data() + i * pitch, pitch, done.row(open[i]));
  }
  keep_needed(graph, needs, open, before, done);
}

// Fills all but the lengths of legal paths.
void complete(const SwitchGraph& graph, const UpDownOrder& order, const UpDownNeeds& needs,
              UpDownDistances& distances) {
  distances.completed = distances.legal;
  distances.turn = turning_leaves(graph, order, needs, distances.legal);
  distances.next_to_leaf.assign(graph.switches(), kNoIndex);
  for (const SwitchIndex sw : graph.all_switches())
    if (const SwitchIndex leaf = distances.turn[sw]; leaf != kNoIndex && leaf != sw)
      distances.next_to_leaf[sw] =
          next_to_leaf(graph, order, distances.down, distances.legal, sw, leaf);
  distances.turning = TurningPairs(graph.switches());
  turn_paths(graph, needs, distances);
  complete_paths(graph, needs, distances.completed);
}

}  // namespace

UpDownOrder order_by_rank(std::span<const std::uint32_t> rank, std::span<const std::uint64_t> id,
                          std::span<const std::uint64_t> guid) {
  std::vector<SwitchIndex> sorted(rank.size());
  std::iota(sorted.begin(), sorted.end(), SwitchIndex{0});
  std::ranges::sort(sorted, {},
                    [&](SwitchIndex sw) { return std::tuple(rank[sw], id[sw], guid[sw]); });
  UpDownOrder order(rank.size());
  for (std::uint32_t index = 0; index < sorted.size(); ++index) order[sorted[index]] = index;
  return order;
}

std::vector<std::uint8_t> down_flags(const SwitchGraph& graph, const UpDownOrder& order) {
  std::vector<std::uint8_t> flags(graph.port.size());
  for (const SwitchIndex sw : graph.all_switches())
    for (const fabric::ChannelIndex channel : graph.channels(sw))
      flags[channel] = order[graph.neighbour[channel]] > order[sw] ? 1 : 0;
  return flags;
}

std::optional<UpDownDistances> up_down_distances(const SwitchGraph& graph, const UpDownOrder& order,
                                                 const UpDownNeeds& needs,
                                                 const UpDownBefore* before) {
  const std::size_t switches = graph.switches();
  std::vector<SwitchIndex> from_top(switches);
  for (const SwitchIndex sw : graph.all_switches()) from_top[order[sw]] = sw;
  UpDownDistances distances{before == nullptr ? Hops(switches) : *before->down,
                            before == nullptr ? Hops(switches) : *before->legal,
                            Hops(0),
                            {},
                            {},
                            {}};
  const std::size_t pitch = distances.down.pitch();
  std::vector<std::uint8_t> beyond(pitch), row(pitch), itself(pitch, Hops::kNoPath);
  // These are by switch: 1 if its row differs from the previous one.
  std::vector<std::uint8_t> down_changed(switches, 1), legal_changed(switches, 1);
  const auto may_change = [&](SwitchIndex sw, const std::vector<std::uint8_t>& rows, bool below) {
    return before->changed[sw] != 0 ||
           std::ranges::any_of(graph.neighbours(sw), [&](SwitchIndex other) {
             return (order[other] > order[sw]) == below && rows[other] != 0;
           });
  };
  // Computes table.row(sw): first[d], or one hop more than the least neighbour below (or above).
  const auto compute = [&](Hops& table, SwitchIndex sw, const std::uint8_t* first, bool below) {
    std::ranges::fill(beyond, Hops::kNoPath);
    SwitchIndex last = sw;
    for (const SwitchIndex other : graph.neighbours(sw)) {
      if (other == last || (order[other] > order[sw]) != below) continue;
      last = other;
      take_less(beyond.data(), table.row(other), pitch);
    }
    take_first_or_next(row.data(), first, beyond.data(), pitch);
    const bool same = before != nullptr && std::ranges::equal(row, std::span(table.row(sw), pitch));
    if (!same) std::ranges::copy(row, table.row(sw));
    return static_cast<std::uint8_t>(same ? 0 : 1);
  };
  for (std::size_t i = switches; i-- > 0;) {
    const SwitchIndex sw = from_top[i];
    if (before != nullptr) down_changed[sw] = 0;
    if (before != nullptr && !may_change(sw, down_changed, true)) continue;
    itself[sw] = 0;
    down_changed[sw] = compute(distances.down, sw, itself.data(), true);
    itself[sw] = Hops::kNoPath;
  }
  for (const SwitchIndex sw : from_top) {
    if (before != nullptr) legal_changed[sw] = 0;
    if (before != nullptr && down_changed[sw] == 0 && !may_change(sw, legal_changed, false))
      continue;
    legal_changed[sw] = compute(distances.legal, sw, distances.down.row(sw), false);
  }
  complete(graph, order, needs, distances);
  if (has_too_long(distances.completed, graph.switches())) return std::nullopt;
  return distances;
}

PairsWithoutPath pairs_without_path(const UpDownDistances& distances,
                                    std::span<const std::uint32_t> senders) {
  PairsWithoutPath out;
  for (SwitchIndex from{0}; from < senders.size(); ++from)
    for (SwitchIndex to{0}; to < senders.size() && senders[from] > 0; ++to) {
      if (senders[to] == 0 || distances.legal.row(from)[to] != Hops::kNoPath ||
          distances.completed.row(from)[to] == Hops::kNoPath)
        continue;
      if (out.pairs++ > 0) continue;
      out.from = from;
      out.to = to;
      out.leaf = distances.turns(from, to) ? distances.turn[from] : kNoIndex;
    }
  return out;
}

std::shared_ptr<const Candidates> UpDownCandidates::make_legal(
    const SwitchGraph& graph, UpDownOrder order, std::shared_ptr<const UpDownDistances> distances) {
  struct Owner {
    UpDownOrder order;
    UpDownCandidates candidates;
    Owner(const SwitchGraph& of, UpDownOrder by, std::shared_ptr<const UpDownDistances> lengths)
        : order(std::move(by)), candidates(of, order, std::move(lengths)) {}
  };
  auto owner = std::make_shared<Owner>(graph, std::move(order), std::move(distances));
  owner->candidates.legal_only_ = true;
  return {owner, &owner->candidates};
}

void UpDownCandidates::find(SwitchIndex sw, std::span<const fabric::ChannelIndex> channels,
                            CandidateMasks& masks) const {
  // These are lengths of upward (or illegal) paths if there is no better path, otherwise kNoPath.
  // No path has the length kNoPath - 1, so kNoPath never matches.
  const std::size_t pitch = distances_.down.pitch();
  const std::uint8_t* const down = distances_.down.row(sw);
  const std::uint8_t* const legal = distances_.legal.row(sw);
  const std::uint8_t* const completed = distances_.completed.row(sw);
  std::vector<std::uint8_t> up(pitch), rest(pitch);
  std::vector<SwitchIndex> turning;
  bool any_rest = false;
  for (std::size_t d = 0; d < pitch; ++d) {
    up[d] = down[d] == Hops::kNoPath ? legal[d] : Hops::kNoPath;
    rest[d] = Hops::kNoPath;
    if (legal[d] != Hops::kNoPath || completed[d] == Hops::kNoPath || legal_only_) continue;
    if (distances_.turns(sw, SwitchIndex(d))) {
      turning.push_back(SwitchIndex(d));
      continue;
    }
    rest[d] = completed[d];
    any_rest = true;
  }
  masks.clear(channels.size());
  for (std::size_t i = 0; i < channels.size(); ++i) {
    const SwitchIndex other = graph_.neighbour[channels[i]];
    if (order_[other] > order_[sw])
      masks.add<std::uint8_t>(i, down, distances_.down.row(other), 1);
    else
      masks.add<std::uint8_t>(i, up.data(), distances_.legal.row(other), 1);
    if (any_rest) masks.add<std::uint8_t>(i, rest.data(), distances_.completed.row(other), 1);
  }
  masks.finish();
  for (const SwitchIndex to : turning)
    for (std::size_t i = 0; i < channels.size(); ++i)
      if (graph_.neighbour[channels[i]] == distances_.next_to_leaf[sw])
        masks.word(i / 64, to) |= std::uint64_t{1} << i % 64;
}

CandidateSet UpDownCandidates::find_for(SwitchIndex sw,
                                        std::span<const fabric::ChannelIndex> channels,
                                        SwitchIndex destination) const {
  const auto length = [&](const Hops& hops, SwitchIndex from) {
    return hops.row(from)[destination];
  };
  const std::uint8_t down = length(distances_.down, sw), legal = length(distances_.legal, sw),
                     completed = length(distances_.completed, sw);
  CandidateSet set{};
  const bool turns = !legal_only_ && distances_.turns(sw, destination);
  for (std::size_t i = 0; i < channels.size(); ++i) {
    const SwitchIndex other = graph_.neighbour[channels[i]];
    bool is_candidate = false;
    if (turns)
      is_candidate = other == distances_.next_to_leaf[sw];
    else if (down != Hops::kNoPath)
      is_candidate = order_[other] > order_[sw] && length(distances_.down, other) + 1 == down;
    else if (legal != Hops::kNoPath)
      is_candidate = order_[other] < order_[sw] && length(distances_.legal, other) + 1 == legal;
    else if (completed != Hops::kNoPath && !legal_only_)
      is_candidate = length(distances_.completed, other) + 1 == completed;
    if (is_candidate) set[i / 64] |= std::uint64_t{1} << i % 64;
  }
  return set;
}

}  // namespace routing
