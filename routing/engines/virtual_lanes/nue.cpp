#include "routing/engines/virtual_lanes/nue.h"

#include <algorithm>
#include <numeric>
#include <tuple>

#include "mad/format.h"
#include "routing/core/mix.h"
#include "routing/core/parallel.h"
#include "routing/engines/virtual_lanes/column_tile.h"
#include "routing/engines/virtual_lanes/nue_search.h"
#include "routing/graph/batches.h"
#include "routing/graph/hops.h"
#include "routing/graph/slot_table.h"
#include "routing/graph/throttled.h"
#include "routing/graph/tree_order.h"
#include "routing/qos/data_vls.h"

namespace routing {

using sm::kNoIndex;
using sm::SwitchIndex;

namespace {

// What all attempts have in common.
struct NueInput {
  const RoutingInput& input;
  std::vector<std::uint8_t> open;  // per slot
  HopTable<std::uint8_t> hops;
  HostLids hosts;
  std::vector<Batch> batches;
  std::vector<SwitchIndex> order;         // all switches, by GUID
  std::vector<SwitchIndex> leaves_first;  // those with senders come first
  TreeOrder levels;
  std::vector<std::uint32_t> senders;  // per switch: whose packets must not meet in circles
  std::vector<std::uint8_t> lane_of;   // per switch
  unsigned lanes = 1;
};

// Switches in the order in which a search meets them that begins far out: near ones are close
// together.
std::vector<SwitchIndex> along_the_fabric(const sm::SwitchGraph& graph, const NueInput& frame) {
  const std::vector<std::uint32_t> unused(graph.port.size(), 0);
  std::vector<SwitchIndex> far_first =
      spanning_tree(graph, frame.open, frame.order, unused).top_first;
  std::ranges::reverse(far_first);
  return spanning_tree(graph, frame.open, far_first, unused).top_first;
}

// Lanes get consecutive parts of the fabric with about as many senders each; switches without come
// to the first.
std::vector<std::uint8_t> share_out(const sm::SwitchGraph& graph, const NueInput& frame) {
  const std::uint64_t all = std::max<std::uint64_t>(
      1, std::accumulate(frame.senders.begin(), frame.senders.end(), std::uint64_t{0}));
  std::vector<std::uint8_t> lane(graph.switches());
  std::uint64_t before = 0;
  for (const SwitchIndex sw : along_the_fabric(graph, frame)) {
    if (frame.senders[sw] == 0) continue;
    lane[sw] = static_cast<std::uint8_t>(std::min<std::uint64_t>(
        frame.lanes - 1, (2 * before + frame.senders[sw]) * frame.lanes / (2 * all)));
    before += frame.senders[sw];
  }
  return lane;
}

// Central switches first: those with the least sum of hops to the destinations.
std::vector<SwitchIndex> central_first(const NueInput& frame,
                                       std::span<const std::uint32_t> destinations) {
  std::vector<std::uint64_t> sum(destinations.size(), 0);
  for (const SwitchIndex sw : frame.order)
    for (SwitchIndex to = 0; to < destinations.size(); ++to)
      sum[sw] += std::uint64_t{frame.hops.row(sw)[to]} * destinations[to];
  return sorted_by(frame.order, [&](SwitchIndex sw) { return sum[sw]; });
}

// Channels in an order in which ways that climb and then descend meet later ones only. `place`: per
// switch, smaller for higher ones.
std::vector<std::uint32_t> climbing_first(const sm::SwitchGraph& graph,
                                          std::span<const std::uint32_t> place) {
  const auto switches = static_cast<std::uint32_t>(graph.switches());
  std::vector<std::uint32_t> slots(graph.port.size());
  std::iota(slots.begin(), slots.end(), 0u);
  std::ranges::sort(slots, {}, [&](std::uint32_t slot) {
    const std::uint32_t from = place[graph.neighbour[graph.reverse[slot]]],
                        to = place[graph.neighbour[slot]];
    return std::tuple(to < from ? switches - from : switches + from, slot);
  });
  return slots;
}

// On fabrics that are trees, up is away from the hosts; on others, towards the root of the lane's
// tree.
std::vector<std::uint32_t> heights(const NueInput& frame, const SpanningTree& tree) {
  if (frame.levels.by_levels) return frame.levels.place;
  std::vector<std::uint32_t> place(tree.top_first.size());
  for (std::uint32_t i = 0; i < place.size(); ++i) place[tree.top_first[i]] = i;
  return place;
}

// In which order dependencies are let in decides about the order of channels that results: it must
// not depend on the numbers of switches.
std::vector<Dependency> in_guid_order(const NueInput& frame, std::vector<Dependency> dependencies) {
  const sm::SwitchGraph& graph = frame.input.graph;
  std::vector<std::uint32_t> place(graph.switches());
  for (std::uint32_t i = 0; i < place.size(); ++i) place[frame.order[i]] = i;
  std::ranges::sort(dependencies, {}, [&](const Dependency& of) {
    const SwitchIndex sw = graph.neighbour[graph.reverse[of.from.slot]];
    return std::tuple(place[sw], of.from.slot - graph.offsets[sw],
                      of.to.slot - graph.offsets[graph.neighbour[of.from.slot]]);
  });
  return dependencies;
}

std::vector<NueLane> make_lanes(const NueInput& frame, bool keep_order) {
  const sm::SwitchGraph& graph = frame.input.graph;
  std::vector<std::uint32_t> used(graph.port.size(), 0);
  std::vector<NueLane> lanes;
  for (unsigned lane = 0; lane < frame.lanes; ++lane) {
    std::vector<std::uint32_t> destinations(graph.switches());
    for (SwitchIndex sw = 0; sw < graph.switches(); ++sw)
      destinations[sw] = frame.lane_of[sw] == lane ? frame.senders[sw] : 0;
    SpanningTree tree = spanning_tree(graph, frame.open, central_first(frame, destinations), used);
    for (const std::uint32_t slot : tree.up)
      if (slot != kNoIndex) used[slot] = used[graph.reverse[slot]] = used[slot] + 1;
    AcyclicChannels channels(graph, climbing_first(graph, heights(frame, tree)));
    // Multicast stays on the tree of the first lane, between all of them.
    for (const auto& [from, to] : in_guid_order(
             frame,
             dependencies_on(graph, tree, frame.senders, lane == 0 ? frame.senders : destinations)))
      channels.allow(from.slot, to.slot - graph.offsets[graph.neighbour[from.slot]]);
    lanes.push_back({std::move(channels), std::move(tree), keep_order});
  }
  return lanes;
}

struct Attempt {
  sm::ForwardingTables lfts;
  std::vector<std::uint32_t> multicast_up;
  std::size_t lids = 0, detours = 0, on_tree = 0;
  std::uint64_t badness = 0;  // sum of the squares of loads: for long ways, and for ways that meet
};

Attempt attempt(const NueInput& frame, const ShortestDag& dag, std::span<const Batch> batches,
                bool keep_order, unsigned passes) {
  const RoutingInput& input = frame.input;
  Attempt out{.lfts = sm::ForwardingTables(input.graph.switches(), input.lids.lid_top),
              .multicast_up = {}};
  std::vector<NueLane> lanes = make_lanes(frame, keep_order);
  NueSearch search(input.graph, dag, frame.open, frame.order, frame.senders);
  ColumnTile tile(input, frame.hosts, out.lfts);
  const SlotTable slots(input.graph);
  const auto route = [&](const NueSearch& from, const Batch& batch, auto&& search_one) {
    for (std::size_t first = 0; first < batch.lids.size(); first += ColumnTile::kLids) {
      const auto lids = std::span(batch.lids)
                            .subspan(first, std::min(ColumnTile::kLids, batch.lids.size() - first));
      for (std::size_t i = 0; i < lids.size(); ++i) {
        // A switch's own LID goes the way of its last host.
        if (first + i == 0 || first + i < batch.counted) search_one(mad::Lid{lids[i]});
        std::uint8_t* const ports = tile.column(i);
        for (const SwitchIndex sw : from.near_first())
          ports[sw] = input.graph.port[from.slot(sw)].value;
      }
      tile.write(batch.sw, lids, from.near_first(), [](SwitchIndex sw) { return sw; });
    }
  };
  const auto is_safe = [&](const Batch& batch) { return frame.senders[batch.sw] > 0; };
  for (unsigned pass = 0; pass < passes; ++pass) {
    out.lids = out.detours = out.on_tree = 0;
    for (const Batch& batch : batches) {
      if (!is_safe(batch)) continue;
      NueLane& lane = lanes[frame.lane_of[batch.sw]];
      route(search, batch, [&](mad::Lid lid) {
        if (pass > 0 && batch.counted > 0)
          search.take_back(
              batch.sw, [&](SwitchIndex sw) { return slots.slot(sw, out.lfts.at(sw, lid).value); });
        const NueSearch::Found found = search.search(lane, batch.sw, true, NueSearch::Care::search);
        search.keep_used(lane, batch.counted > 0);
        search.complete();
        ++out.lids;
        out.detours += found.detours ? 1u : 0u;
        out.on_tree += found.tree ? 1u : 0u;
      });
    }
  }
  for (const std::uint32_t load : search.load()) out.badness += std::uint64_t{load} * load;
  // What else the first lane has, the tree keeps clear of.
  if (!multicast_fits_anyway(lanes.front().channels, input.graph, frame.levels))
    out.multicast_up = lanes.front().escape.up;
  if (std::ranges::all_of(batches, is_safe)) return out;

  // Then those that nobody has to send to, in what room there is. With a tree that fits in there,
  // all reach all of them.
  const auto tree =
      spanning_tree_within(lanes.front().channels, input.graph, frame.open, frame.leaves_first);
  if (tree) lanes.front().escape = *tree;
  const std::vector<std::uint32_t> everybody(input.graph.switches(), 1);
  NueSearch among_switches(input.graph, dag, frame.open, frame.order, everybody);
  for (const Batch& batch : batches) {
    if (is_safe(batch)) continue;
    route(among_switches, batch, [&](mad::Lid) {
      among_switches.search(lanes.front(), batch.sw, tree.has_value(), NueSearch::Care::at_once);
      if (input.options.connect_roots) among_switches.complete();
    });
  }
  return out;
}

// Which destinations come first decides much where lanes are scarce: the first knew nothing of the
// others. So on fabrics where it takes no time, each chooses again when all have chosen, some
// sequences are tried, and the best is kept.
Attempt best_attempt(const NueInput& frame) {
  constexpr std::size_t kWork = 5'000'000, kAttempts = 16, kWorthPasses = 2'000'000;
  const RoutingInput& input = frame.input;
  const ShortestDag dag(input.graph, frame.hops, frame.open, frame.order);
  std::size_t work = input.graph.port.size() + 1;
  for (const Batch& batch : frame.batches) work += batch.counted * input.graph.port.size();
  const bool all_fit = std::ranges::all_of(input.fabric.switches, [&](const sm::Switch& sw) {
    return sw.info.linear_fdb_cap() > input.lids.lid_top.value;
  });
  const unsigned passes = all_fit && work < kWorthPasses ? 3 : 1;
  Attempt first = attempt(frame, dag, frame.batches, false, passes);
  const std::size_t others = std::min(kAttempts, kWork / (work * passes));
  if (first.detours == 0 || others == 0) return first;
  std::vector<Attempt> tried(others);
  in_parallel(others, 2, [&](std::size_t begin, std::size_t end) {
    for (std::size_t number = begin; number < end; ++number) {
      const std::vector<Batch> shuffled = sorted_by(frame.batches, [&](const Batch& batch) {
        const mad::Guid guid = input.fabric.nodes[input.fabric.switches[batch.sw].node].guid;
        return std::pair(batch.counted == 0, mix(guid.value ^ mix(number + input.options.seed)));
      });
      tried[number] = attempt(frame, dag, shuffled, number % 2 == 0, passes);
    }
  });
  tried.push_back(std::move(first));
  return std::move(*std::ranges::min_element(tried, {}, &Attempt::badness));
}

}  // namespace

tl::expected<RoutingResult, Refusal> nue(const RoutingInput& input) {
  const sm::SwitchGraph& graph = input.graph;
  std::vector<std::string> notes;
  if (!input.options.hop_weights.empty())
    notes.push_back("hop weights do not count: ways are weighed by their load");
  std::vector<std::uint8_t> open = open_slots(input, notes);
  auto hops = unit_hops_over(graph, open);
  if (graph.switches() > 0xFFFF)
    return tl::unexpected(Refusal{"there are more switches than LIDs"});
  if (!hops) return tl::unexpected(Refusal{"some switches are more than 254 hops apart"});
  NueInput frame{.input = input,
                 .open = std::move(open),
                 .hops = std::move(*hops),
                 .hosts = host_lids(input),
                 .batches = batches_of(input),
                 .order = by_guid(input),
                 .leaves_first = {},
                 .levels = tree_order_of(input),
                 .senders = {},
                 .lane_of = {}};
  frame.senders = frame.hosts.at_switch;
  if (input.options.nue_include_switches)
    for (std::uint32_t& count : frame.senders) ++count;
  frame.leaves_first =
      sorted_by(frame.order, [&](SwitchIndex sw) { return frame.senders[sw] == 0; });
  const unsigned vls = data_vls(input),
                 wanted = input.options.nue_max_num_vls == 0 ? vls : input.options.nue_max_num_vls;
  const auto worth =
      std::ranges::count_if(frame.senders, [](std::uint32_t count) { return count > 0; });
  frame.lanes = static_cast<unsigned>(std::clamp<std::ptrdiff_t>(worth, 1, std::min(wanted, vls)));
  frame.lane_of = share_out(graph, frame);

  Attempt made = best_attempt(frame);
  RoutingResult result(std::move(made.lfts));
  result.notes = std::move(notes);
  result.multicast_up = std::move(made.multicast_up);
  result.vls = frame.lanes;
  if (frame.lanes > 1) {
    result.sls = PathSls::by_destination(input.lids.lid_top);
    for (const Batch& batch : frame.batches)
      for (const std::uint16_t lid : batch.lids) result.sls.row(0)[lid] = frame.lane_of[batch.sw];
    result.sl_to_vl = SlToVl::identity(frame.lanes);
    result.vl_weights.assign(frame.lanes, 64);
  }
  if (made.detours > 0)
    result.notes.push_back(fmt::format(
        "nue: with {} virtual lane{}, {} of {} destinations are reached by detours from some "
        "switches, "
        "and {} use the lane's escape tree",
        frame.lanes, frame.lanes > 1 ? "s" : "", made.detours, made.lids, made.on_tree));
  return result;
}

}  // namespace routing
