#include "routing/engines/virtual_lanes/virtual_lane_engines.h"

#include <algorithm>
#include <numeric>
#include <string_view>
#include <tuple>

#include "fabric/parallel.h"
#include "mad/format.h"
#include "routing/core/mix.h"
#include "routing/core/routing_conditions.h"
#include "routing/engines/virtual_lanes/column_tile.h"
#include "routing/engines/virtual_lanes/nue_reroute.h"
#include "routing/engines/virtual_lanes/nue_search.h"
#include "routing/engines/virtual_lanes/path_changes.h"
#include "routing/graph/batches.h"
#include "routing/graph/channel_table.h"
#include "routing/graph/destinations.h"
#include "routing/graph/hops.h"
#include "routing/graph/throttled.h"
#include "routing/graph/tree_order.h"
#include "routing/qos/operational_vls.h"

namespace routing {

using fabric::kNoIndex;
using fabric::SwitchIndex;

namespace {

// Holds the input of all attempts.
struct NueInput {
  const RoutingInput& input;
  std::vector<std::uint8_t> open;  // by channel
  HopTable<std::uint8_t> hops;
  HostLids hosts;
  std::vector<Batch> batches;
  std::vector<SwitchIndex> order;         // all switches, by GUID
  std::vector<SwitchIndex> leaves_first;  // those with senders come first
  TreeOrder levels;
  std::vector<std::uint32_t>
      senders;  // by switch: sources whose packets must not be part of a credit loop
  std::vector<std::uint8_t> switch_vls;  // by switch
  unsigned vls = 1;
};

// Returns switches in the order of a breadth-first search that begins far from the centre, so that
// neighbours are close in the order.
std::vector<SwitchIndex> along_the_fabric(const fabric::SwitchGraph& graph, const NueInput& frame) {
  const std::vector<std::uint32_t> unused(graph.port.size(), 0);
  std::vector<SwitchIndex> far_first =
      spanning_tree(graph, frame.open, frame.order, unused).top_first;
  std::ranges::reverse(far_first);
  return spanning_tree(graph, frame.open, far_first, unused).top_first;
}

// Assigns consecutive parts of this order, with about the same number of senders, to VLs; switches
// without senders use the first VL.
std::vector<std::uint8_t> distribute_switches(const fabric::SwitchGraph& graph,
                                              const NueInput& frame) {
  const std::uint64_t all = std::max<std::uint64_t>(
      1, std::accumulate(frame.senders.begin(), frame.senders.end(), std::uint64_t{0}));
  std::vector<std::uint8_t> vl(graph.switches());
  std::uint64_t sum_before = 0;
  for (const SwitchIndex sw : along_the_fabric(graph, frame)) {
    if (frame.senders[sw] == 0) continue;
    vl[sw] = static_cast<std::uint8_t>(std::min<std::uint64_t>(
        frame.vls - 1, (2 * sum_before + frame.senders[sw]) * frame.vls / (2 * all)));
    sum_before += frame.senders[sw];
  }
  return vl;
}

// Orders central switches first: those with the least sum of hops to the destinations.
std::vector<SwitchIndex> central_first(const NueInput& frame,
                                       std::span<const std::uint32_t> destinations) {
  std::vector<std::uint64_t> sum(destinations.size(), 0);
  for (const SwitchIndex sw : frame.order)
    for (SwitchIndex to{0}; to < destinations.size(); ++to)
      sum[sw] += std::uint64_t{frame.hops.row(sw)[to]} * destinations[to];
  return sorted_by(frame.order, [&](SwitchIndex sw) { return sum[sw]; });
}

// On trees, up is away from the hosts; on other fabrics, towards the root of the VL's escape tree.
std::vector<std::uint32_t> heights(const NueInput& frame, const SpanningTree& tree) {
  if (frame.levels.by_levels) return frame.levels.position;
  std::vector<std::uint32_t> position(tree.top_first.size());
  for (std::uint32_t i = 0; i < position.size(); ++i) position[tree.top_first[i]] = i;
  return position;
}

// The order of the dependencies influences the topological order of the channels, so it must not
// depend on switch indices.
std::vector<Dependency> in_guid_order(const NueInput& frame, std::vector<Dependency> dependencies) {
  const fabric::SwitchGraph& graph = frame.input.graph;
  std::vector<std::uint32_t> position(graph.switches());
  for (std::uint32_t i = 0; i < position.size(); ++i) position[frame.order[i]] = i;
  std::ranges::sort(dependencies, {}, [&](const Dependency& of) {
    const SwitchIndex sw = graph.neighbour[graph.reverse[of.from.channel]];
    return std::tuple(position[sw], of.from.channel - graph.offsets[sw],
                      of.to.channel - graph.offsets[graph.neighbour[of.from.channel]]);
  });
  return dependencies;
}

std::vector<NueVl> make_vls(const NueInput& frame, bool keep_order) {
  const fabric::SwitchGraph& graph = frame.input.graph;
  std::vector<std::uint32_t> used(graph.port.size(), 0);
  std::vector<NueVl> vls;
  for (unsigned vl = 0; vl < frame.vls; ++vl) {
    std::vector<std::uint32_t> destinations(graph.switches());
    for (const SwitchIndex sw : graph.all_switches())
      destinations[sw] = frame.switch_vls[sw] == vl ? frame.senders[sw] : 0;
    SpanningTree tree = spanning_tree(graph, frame.open, central_first(frame, destinations), used);
    for (const fabric::ChannelIndex channel : tree.up)
      if (channel != kNoIndex) used[channel] = used[graph.reverse[channel]] = used[channel] + 1;
    AcyclicChannels channels(graph, climbing_first(graph, heights(frame, tree)));
    // Multicast uses the escape tree of the first VL, between all senders.
    for (const auto& [from, to] : in_guid_order(
             frame,
             dependencies_on(graph, tree, frame.senders, vl == 0 ? frame.senders : destinations)))
      channels.allow(from.channel, to.channel - graph.offsets[graph.neighbour[from.channel]]);
    vls.push_back({std::move(channels), std::move(tree), keep_order});
  }
  return vls;
}

struct Attempt {
  fabric::ForwardingTables lfts;
  fabric::IndexVector<fabric::SwitchIndex, fabric::ChannelIndex> multicast_up;
  std::vector<double> loads = {};  // by channel
  std::size_t lids = 0, detours = 0, on_tree = 0;
  std::uint64_t sum_of_squares = 0;  // of the loads: grows with long paths and with shared channels
};

Attempt attempt(const NueInput& frame, const ShortestGroups& groups, std::span<const Batch> batches,
                bool keep_order, unsigned passes) {
  const RoutingInput& input = frame.input;
  Attempt out{.lfts = fabric::ForwardingTables(input.graph.switches(), input.lids.lid_top),
              .multicast_up = {}};
  out.lfts.own_rows();  // threads route to different LIDs
  std::vector<NueVl> vls = make_vls(frame, keep_order);
  NueSearch search(input.graph, groups, frame.open, frame.senders);
  const ChannelTable channels(input.graph);
  const auto route = [&](const NueSearch& from, ColumnTile& tile, const Batch& batch,
                         auto&& search_one) {
    for (std::size_t first = 0; first < batch.lids.size(); first += ColumnTile::kLids) {
      const auto lids = std::span(batch.lids)
                            .subspan(first, std::min(ColumnTile::kLids, batch.lids.size() - first));
      for (std::size_t i = 0; i < lids.size(); ++i) {
        // The LID of a switch has the path of its last host.
        if (first + i == 0 || first + i < batch.counted) search_one(mad::Lid{lids[i]});
        std::uint8_t* const ports = tile.column(i);
        for (const SwitchIndex sw : from.near_first())
          ports[sw] = input.graph.port[from.channel(sw)].value;
      }
      tile.write(batch.sw, lids, from.near_first(), [](SwitchIndex sw) { return sw; });
    }
  };
  ColumnTile tile(input, frame.hosts, out.lfts);
  const auto is_safe = [&](const Batch& batch) { return frame.senders[batch.sw] > 0; };
  for (unsigned pass = 0; pass < passes; ++pass) {
    out.lids = out.detours = out.on_tree = 0;
    for (const Batch& batch : batches) {
      if (!is_safe(batch)) continue;
      NueVl& vl = vls[frame.switch_vls[batch.sw]];
      route(search, tile, batch, [&](mad::Lid lid) {
        if (pass > 0 && batch.counted > 0)
          search.take_back(batch.sw, [&](SwitchIndex sw) {
            return channels.channel(sw, out.lfts.at(sw, lid).value);
          });
        const NueSearch::Found found = search.search(vl, batch.sw, true, NueSearch::Effort::search);
        search.keep_used(vl, batch.counted > 0);
        search.complete();
        ++out.lids;
        out.detours += found.detours ? 1u : 0u;
        out.on_tree += found.tree ? 1u : 0u;
      });
    }
  }
  for (const fabric::ChannelIndex channel : input.graph.port.indices())
    out.sum_of_squares += search.load(channel) * search.load(channel);
  for (const fabric::ChannelIndex channel : input.graph.port.indices())
    out.loads.push_back(static_cast<double>(search.load(channel)));
  // No dependency of the first VL closes a cycle with its escape tree.
  if (!allows_shared_multicast_vl(vls.front().channels, input.graph, frame.levels))
    out.multicast_up = vls.front().escape.up;
  if (std::ranges::all_of(batches, is_safe)) return out;

  // Destinations without senders follow. They use dependencies that the first VL still accepts. A
  // spanning tree that closes no cycle there connects all switches to them.
  const auto tree =
      spanning_tree_within(vls.front().channels, input.graph, frame.open, frame.leaves_first);
  if (tree) vls.front().escape = *tree;
  const std::vector<std::uint32_t> all_switches(input.graph.switches(), 1);
  std::vector<const Batch*> others;
  for (const Batch& batch : batches)
    if (!is_safe(batch)) others.push_back(&batch);
  // Only dependencies in the order of the channels are accepted, and the order does not change;
  // paths add no load. These destinations are therefore independent of each other.
  constexpr std::size_t kWorthAThread = 200;
  fabric::in_parallel(others.size(), kWorthAThread, [&](std::size_t begin, std::size_t end) {
    NueVl vl = vls.front();
    NueSearch among_switches(input.graph, groups, frame.open, all_switches);
    ColumnTile own_tile(input, frame.hosts, out.lfts);
    for (std::size_t number = begin; number < end; ++number) {
      const Batch& batch = *others[number];
      route(among_switches, own_tile, batch, [&](mad::Lid) {
        among_switches.search(vl, batch.sw, tree.has_value(), NueSearch::Effort::at_once);
        if (input.options.connect_roots) among_switches.complete();
      });
    }
  });
  return out;
}

// With few VLs the order of the destinations matters, since the first are routed without the loads
// of the others. On fabrics where it takes little time, each destination is routed again after all
// others, several orders are tried, and the best result is kept.
Attempt best_attempt(const NueInput& frame, const ShortestGroups& groups) {
  constexpr std::size_t kWork = 5'000'000, kAttempts = 16, kWorthPasses = 2'000'000;
  const RoutingInput& input = frame.input;
  std::size_t work = input.graph.port.size() + 1;
  for (const Batch& batch : frame.batches) work += batch.counted * input.graph.port.size();
  const bool all_fit = std::ranges::all_of(input.fabric.switches, [&](const fabric::Switch& sw) {
    return sw.info.linear_fdb_cap() > input.lids.lid_top.value;
  });
  const unsigned passes = all_fit && work < kWorthPasses ? 3 : 1;
  Attempt first = attempt(frame, groups, frame.batches, false, passes);
  const std::size_t others = std::min(kAttempts, kWork / (work * passes));
  if (first.detours == 0 || others == 0) return first;
  std::vector<Attempt> tried(others);
  fabric::in_parallel(others, 2, [&](std::size_t begin, std::size_t end) {
    for (std::size_t number = begin; number < end; ++number) {
      const std::vector<Batch> shuffled = sorted_by(frame.batches, [&](const Batch& batch) {
        const mad::Guid guid = input.fabric.nodes[input.fabric.switches[batch.sw].node].guid;
        return std::pair(batch.counted == 0, mix(guid.value ^ mix(number + input.options.seed)));
      });
      tried[number] = attempt(frame, groups, shuffled, number % 2 == 0, passes);
    }
  });
  tried.push_back(std::move(first));
  return std::move(*std::ranges::min_element(tried, {}, &Attempt::sum_of_squares));
}

constexpr std::string_view kDetourNote = "nue: ";

}  // namespace

tl::expected<RoutingResult, Refusal> nue(const RoutingInput& input) {
  const fabric::SwitchGraph& graph = input.graph;
  fabric::ConditionList notes(kRoutingConditions.routing_note);
  if (!input.options.hop_weights.empty())
    notes.add("hop_weights_file is ignored: paths are chosen by load");
  std::vector<std::uint8_t> open = open_channels(input, notes);
  auto hops = unit_hops_over(graph, open);
  if (graph.switches() > 0xFFFF) return tl::unexpected(Refusal{"more switches than LIDs"});
  if (!hops) return tl::unexpected(Refusal{"a distance between switches is above 254 hops"});
  NueInput frame{.input = input,
                 .open = std::move(open),
                 .hops = std::move(*hops),
                 .hosts = host_lids(input),
                 .batches = batches_of(input),
                 .order = by_guid(input),
                 .leaves_first = {},
                 .levels = tree_order_of(input),
                 .senders = {},
                 .switch_vls = {}};
  frame.senders = frame.hosts.at_switch;
  if (input.options.nue_include_switches)
    for (std::uint32_t& count : frame.senders) ++count;
  frame.leaves_first =
      sorted_by(frame.order, [&](SwitchIndex sw) { return frame.senders[sw] == 0; });
  const unsigned vls = data_vls(input),
                 wanted = input.options.nue_max_num_vls == 0 ? vls : input.options.nue_max_num_vls;
  const auto worth =
      std::ranges::count_if(frame.senders, [](std::uint32_t count) { return count > 0; });
  frame.vls = static_cast<unsigned>(std::clamp<std::ptrdiff_t>(worth, 1, std::min(wanted, vls)));
  frame.switch_vls = distribute_switches(graph, frame);

  const ShortestGroups groups(graph, frame.hops, frame.open, frame.order);
  if (auto rerouted =
          reroute_nue({input, frame.open, frame.hops, groups, frame.senders, frame.levels})) {
    rerouted->conditions = notes.take();
    for (const fabric::Condition& note : input.previous_routing->memory.notes)
      if (note.text.starts_with(kDetourNote)) rerouted->conditions.push_back(note);
    return std::move(*rerouted);
  }
  Attempt made = best_attempt(frame, groups);
  RoutingResult result(std::move(made.lfts));
  auto rows = std::make_shared<TableState>(table_state(input));
  add_load_state(*rows, std::move(made.loads), frame.open, frame.hops)->switch_vls =
      frame.switch_vls;
  result.rows = std::move(rows);
  result.conditions = notes.take();
  result.multicast_up = std::move(made.multicast_up);
  result.vls = frame.vls;
  if (frame.vls > 1) {
    result.sls = PathSls::by_destination(input.lids.lid_top);
    for (const Batch& batch : frame.batches)
      for (const std::uint16_t lid : batch.lids)
        result.sls.row(0)[lid] = frame.switch_vls[batch.sw];
    result.sl_to_vl = SlToVl::identity(frame.vls);
    result.vl_weights.assign(frame.vls, 64);
  }
  if (made.detours > 0)
    result.note(fmt::format(
        "{}with {} VL{}, {} of {} destinations are reached by detours from some "
        "switches, "
        "and {} use the VL's escape tree",
        kDetourNote, frame.vls, frame.vls > 1 ? "s" : "", made.detours, made.lids, made.on_tree));
  return result;
}

}  // namespace routing
