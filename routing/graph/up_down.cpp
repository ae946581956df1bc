#include "routing/graph/up_down.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <tuple>

namespace routing {

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

// Completes all switches at once, one hop further in each round, so that the result does not depend
// on the order of the switches.
Hops complete_paths(const SwitchGraph& graph, const Hops& legal,
                    std::span<const std::uint8_t> wanted_of) {
  const std::size_t pitch = legal.pitch();
  std::vector<std::uint8_t> wanted(pitch, 0), beyond(pitch);
  std::ranges::copy(wanted_of, wanted.begin());
  Hops done = legal;
  std::vector<SwitchIndex> open;  // switches without some wanted path
  for (const SwitchIndex sw : graph.all_switches())
    if (lacks_path(done.row(sw), wanted.data(), pitch)) open.push_back(sw);
  std::vector<std::uint8_t> next(open.size() * pitch);
  for (bool changed = !open.empty(); changed;) {
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
  for (const SwitchIndex sw : open)
    for (const SwitchIndex to : graph.all_switches())
      if (wanted[to] == 0) done.row(sw)[to] = legal.row(sw)[to];
  return done;
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
                                                 std::span<const std::uint8_t> complete,
                                                 const UpDownBefore* before) {
  const std::size_t switches = graph.switches();
  std::vector<SwitchIndex> from_top(switches);
  for (const SwitchIndex sw : graph.all_switches()) from_top[order[sw]] = sw;
  UpDownDistances distances{before == nullptr ? Hops(switches) : *before->down,
                            before == nullptr ? Hops(switches) : *before->legal, Hops(0)};
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
  distances.completed = complete_paths(graph, distances.legal, complete);
  if (has_too_long(distances.completed, graph.switches())) return std::nullopt;
  return distances;
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
  bool any_rest = false;
  for (std::size_t d = 0; d < pitch; ++d) {
    up[d] = down[d] == Hops::kNoPath ? legal[d] : Hops::kNoPath;
    rest[d] = legal[d] == Hops::kNoPath && !legal_only_ ? completed[d] : Hops::kNoPath;
    any_rest |= rest[d] != Hops::kNoPath;
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
  for (std::size_t i = 0; i < channels.size(); ++i) {
    const SwitchIndex other = graph_.neighbour[channels[i]];
    bool is_candidate = false;
    if (down != Hops::kNoPath)
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
