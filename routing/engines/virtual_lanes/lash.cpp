#include "routing/engines/virtual_lanes/virtual_lane_engines.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <tuple>

#include "mad/format.h"
#include "routing/core/mix.h"
#include "routing/engines/virtual_lanes/lash_layers.h"
#include "routing/engines/virtual_lanes/lash_paths.h"
#include "routing/engines/virtual_lanes/lash_result.h"
#include "routing/graph/destinations.h"
#include "routing/graph/hops.h"
#include "routing/qos/operational_vls.h"
#include "routing/qos/spanning_tree.h"

namespace routing {

using fabric::SwitchIndex;

namespace {

constexpr std::size_t kVlsCounted = 32;  // the number of VLs that a refusal reports is at most this

std::unique_ptr<LashLayers> attempt(const LashInput& frame, ShortestDag& dag,
                                    std::span<const SwitchIndex> destinations, unsigned trees,
                                    unsigned passes, LashTieBreak tie_break, std::size_t vls_max) {
  const fabric::SwitchGraph& graph = frame.bundles.graph;
  std::vector<fabric::ChannelIndex> channels = climbing_first(graph, frame.levels.position);
  std::vector<AcyclicChannels> vls;
  vls.emplace_back(graph, channels);
  LashPaths paths = choose_paths({graph, dag, frame.hosts.at_switch, destinations, trees, passes,
                                  frame.axes ? &*frame.axes : nullptr},
                                 tie_break, vls.front());
  auto layers = std::make_unique<LashLayers>(graph, std::move(paths), frame.hosts.at_switch,
                                             frame.order, std::move(channels), std::move(vls));
  layers->assign(vls_max);
  return layers;
}

// Returns the layers with the fewest VLs, then the least load. On fabrics where it takes little
// time, several sequences of destinations are tried.
std::unique_ptr<LashLayers> best_layers(const LashInput& frame, unsigned trees) {
  constexpr std::size_t kWork = 1'500'000, kAttempts = 8;
  ShortestDag dag(frame.bundles.graph, frame.hops,
                  std::vector<std::uint8_t>(frame.bundles.graph.port.size(), 1), frame.order);
  std::vector<SwitchIndex> destinations =
      sorted_by(frame.order, [&](SwitchIndex sw) { return ~frame.hosts.at_switch[sw]; });
  const std::size_t work =
      std::max<std::size_t>(1, frame.order.size() * frame.bundles.graph.port.size());
  const std::size_t attempts = std::clamp<std::size_t>(kWork / work, 1, kAttempts);
  std::unique_ptr<LashLayers> best;
  const auto consider = [&](LashTieBreak tie_break) {
    auto other = attempt(frame, dag, destinations, trees, attempts > 1 ? 3 : 1, tie_break,
                         best ? best->vls() : kVlsCounted);
    const auto key = [](const LashLayers& layers) {
      std::uint64_t highest = 0, sum_of_squares = 0;
      for (const std::uint64_t load : layers.paths().loads) {
        highest = std::max(highest, load);
        sum_of_squares += load * load;
      }
      return std::tuple(!layers.complete(), layers.vls(), highest, sum_of_squares);
    };
    if (!best || key(*other) < key(*best)) best = std::move(other);
  };
  if (frame.axes) consider(LashTieBreak::mesh);
  for (std::size_t number = 0; number < attempts; ++number) {
    if (number > 0)
      destinations = sorted_by(frame.order, [&](SwitchIndex sw) {
        const mad::Guid guid = frame.input.fabric.nodes[frame.input.fabric.switches[sw].node].guid;
        return std::pair(frame.hosts.at_switch[sw] == 0,
                         mix(guid.value ^ mix(number + frame.input.options.seed)));
      });
    consider(LashTieBreak::spread);
    if (attempts > 1 || best->vls() > 1) consider(LashTieBreak::narrow);
  }
  return best;
}

Refusal too_many(const LashInput& frame, const LashLayers& layers, std::size_t available) {
  std::string why =
      fmt::format("{}{} VLs needed from VL {} on, but links between switches have VLs 0 to {} only",
                  layers.complete() ? "" : "more than ", layers.vls(),
                  frame.input.options.lash_start_vl, data_vls(frame.input) - 1);
  if (const std::size_t pairs = layers.pairs_beyond(available); pairs > 0) {
    const LashLayers::Pair first = layers.first_beyond(available);
    const auto name = [&](SwitchIndex sw) {
      return frame.input.fabric.name(frame.input.fabric.switches[sw].node);
    };
    why += fmt::format("; {} pairs of switches would have none, such as {} and {}", pairs,
                       name(first.a), name(first.b));
  }
  if (!frame.input.options.do_mesh_analysis && mesh_axes(frame.bundles.graph, frame.order))
    why += "; with do_mesh_analysis it may need fewer";
  return {std::move(why)};
}

}  // namespace

tl::expected<RoutingResult, Refusal> lash(const RoutingInput& input) {
  constexpr unsigned kTreesMax = 4;
  RoutingResult result(fabric::ForwardingTables(input.graph.switches(), input.lids.lid_top));
  if (!input.options.hop_weights.empty())
    result.note("hop_weights_file is ignored: all paths are shortest in hops");
  Bundles bundles = bundles_of(input.graph);
  auto hops = unit_hops(bundles.graph);
  if (!hops) return tl::unexpected(Refusal{"a distance between switches is above 254 hops"});
  if (input.graph.switches() == 0) return result;
  LashInput frame{input,
                  std::move(bundles),
                  std::move(*hops),
                  host_lids(input),
                  by_guid(input),
                  tree_order_of(input),
                  {}};
  if (input.options.do_mesh_analysis) {
    frame.axes = mesh_axes(frame.bundles.graph, frame.order);
    result.note(
        frame.axes ? fmt::format("lash: the links form {} dimensions", frame.axes->count)
                   : "lash: do_mesh_analysis has no effect: no mesh, torus or hypercube was found");
  }
  const unsigned start = input.options.lash_start_vl, vls = data_vls(input);
  const std::size_t available = vls > start ? vls - start : 0;
  unsigned trees = 1;
  for (const Target& target : targets(input))
    trees = std::max(trees, std::min(target.lids.count(), kTreesMax));
  if (trees == 1)
    if (auto rerouted = reroute_lash(frame, available)) {
      rerouted->conditions.insert(rerouted->conditions.begin(), result.conditions.begin(),
                                  result.conditions.end());
      return std::move(*rerouted);
    }
  auto layers = best_layers(frame, trees);
  if (trees > 1 && (!layers->complete() || layers->vls() > available))
    layers = best_layers(frame, 1);
  if (!layers->complete() || layers->vls() > available)
    return tl::unexpected(too_many(frame, *layers, available));

  layers->balance();
  result.multicast_up = lash_multicast_tree(frame, *layers);
  const std::size_t unsafe = layers->assign_others();
  write_tables(frame, layers->paths(), result.lfts);
  result.vls = start + static_cast<unsigned>(layers->vls());
  if (result.vls > 1) {
    result.sls = sls_of(frame, *layers);
    result.sl_to_vl = SlToVl::identity(result.vls);
  }
  result.note(fmt::format("lash: {} of {} VLs used to exclude credit loops", layers->vls(), vls));
  if (unsafe > 0) result.note(unsafe_pairs(unsafe));
  if (layers->paths().trees() == 1)
    result.rows = lash_rows(frame, layers->paths(), frame.hosts.at_switch);
  return result;
}

}  // namespace routing
