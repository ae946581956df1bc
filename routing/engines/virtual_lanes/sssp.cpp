#include "routing/engines/virtual_lanes/engines.h"

#include <algorithm>
#include <barrier>
#include <cassert>
#include <thread>

#include "mad/format.h"
#include "routing/core/parallel.h"
#include "routing/engines/virtual_lanes/column_tile.h"
#include "routing/graph/batches.h"
#include "routing/graph/channel_table.h"
#include "routing/graph/hops.h"
#include "routing/graph/shortest_dag.h"
#include "routing/graph/throttled.h"
#include "routing/qos/data_vls.h"
#include "routing/qos/vl_assignment.h"

namespace routing {

using sm::kNoIndex;
using sm::SwitchIndex;

namespace {

// Routes one batch after the other with its own copy of the loads.
class Balancer {
 public:
  Balancer(const RoutingInput& input, ShortestDag dag, const HostLids& hosts,
           sm::ForwardingTables& lfts, bool last_of_equals = false)
      : weight(input.graph.port.size()),
        input_(input),
        dag_(std::move(dag)),
        channels_(input.graph),
        hosts_(hosts),
        lfts_(lfts),
        tile_(input, hosts, lfts),
        flip_(last_of_equals ? 0xFFu : 0u),
        cost_(input.graph.switches()),
        carried_(input.graph.switches()),
        via_(input.graph.switches()) {
    for (const SwitchIndex sw : input.graph.all_switches())
      for (const sm::ChannelIndex channel : input.graph.channels(sw))
        weight[channel] = (channel - input.graph.offsets[sw]) ^ flip_;
  }

  // By channel: pairs of host LIDs over it (below 2^40) in units of kLoad; in the low bits, its
  // index among the channels of its switch. So the least sum gives both the cost and the channel,
  // and selects the first (or last) of equals.
  std::vector<std::uint64_t> weight;
  static constexpr std::uint64_t kLoad = 256;

  /// `again`: the batch is already in the tables, which hold all LIDs; it is routed again with the
  /// loads of all others.
  void route(const Batch& batch, bool again = false) {
    dag_.find(batch.sw);
    for (std::size_t first = 0; first < batch.lids.size(); first += ColumnTile::kLids) {
      const auto lids = std::span(batch.lids)
                            .subspan(first, std::min(ColumnTile::kLids, batch.lids.size() - first));
      for (std::size_t i = 0; i < lids.size(); ++i) {
        const bool counted = first + i < batch.counted;
        if (again && counted) take_back(mad::Lid{lids[i]});
        choose(batch.sw, tile_.column(i));
        if (counted) carry(1);
      }
      tile_.write(batch.sw, lids, dag_.sources(),
                  [](const ShortestDag::Source& source) { return source.sw; });
    }
  }

 private:
  void choose(SwitchIndex last_switch, std::uint8_t* ports) {
    const ShortestDag::Hop* const hops = dag_.hops();
    std::uint64_t* const cost = cost_.data();
    const std::uint64_t* const weights = weight.data();
    cost[last_switch] = 0;
    for (const ShortestDag::Source& source : dag_.sources()) {
      std::uint64_t best = ~std::uint64_t{0};
      for (std::uint32_t i = source.begin; i < source.end; ++i)
        best = std::min(best, cost[hops[i].to] + weights[hops[i].channel]);
      cost[source.sw] = best / kLoad * kLoad;
      const auto channel =
          sm::ChannelIndex(input_.graph.offsets[source.sw] + (best % kLoad ^ flip_));
      via_[source.sw] = channel;
      ports[source.sw] = input_.graph.port[channel].value;
    }
  }

  void take_back(mad::Lid lid) {
    for (const ShortestDag::Source& source : dag_.sources()) {
      via_[source.sw] = channels_.channel(source.sw, lfts_.at(source.sw, lid).value);
      assert(via_[source.sw] != kNoIndex);
    }
    carry(~std::uint64_t{0});
  }

  // Adds the load of the chosen paths; times -1 (modulo 2^64) subtracts it.
  void carry(std::uint64_t times) {
    std::ranges::copy(hosts_.at_switch, carried_.begin());
    const auto sources = dag_.sources();
    for (std::size_t i = sources.size(); i-- > 0;) {
      const SwitchIndex sw = sources[i].sw;
      weight[via_[sw]] += times * carried_[sw] * kLoad;
      carried_[input_.graph.neighbour[via_[sw]]] += carried_[sw];
    }
  }

  const RoutingInput& input_;
  ShortestDag dag_;
  const ChannelTable channels_;
  const HostLids& hosts_;
  sm::ForwardingTables& lfts_;
  ColumnTile tile_;
  const std::uint64_t flip_;         // 0xFF reverses the order of the channels
  std::vector<std::uint64_t> cost_;  // by switch: sum of the loads on its path, in units of kLoad
  std::vector<std::uint32_t> carried_;  // by switch: senders there and before it
  sm::IndexVector<SwitchIndex, sm::ChannelIndex> via_;
};

// Rounds of two batches, one for each balancer; after a round, both have the loads of both.
void route_all(const std::vector<Batch>& batches, Balancer& even, Balancer& odd) {
  std::vector<std::uint64_t> previous_loads = even.weight;
  const std::size_t rounds = (batches.size() + 1) / 2;
  const auto join_loads = [&]() noexcept {
    for (std::size_t channel = 0; channel < previous_loads.size(); ++channel) {
      const std::uint64_t added =
          even.weight[channel] - previous_loads[channel];  // the low bits stay
      even.weight[channel] = previous_loads[channel] +=
          added +
          (odd.weight[channel] / Balancer::kLoad - previous_loads[channel] / Balancer::kLoad) *
              Balancer::kLoad;
      odd.weight[channel] += added;
    }
  };
  const auto odd_batch = [&](std::size_t round) {
    if (2 * round + 1 < batches.size()) odd.route(batches[2 * round + 1]);
  };
  if (threads_max() < 2) {
    for (std::size_t round = 0; round < rounds; ++round) {
      even.route(batches[2 * round]);
      odd_batch(round);
      join_loads();
    }
    return;
  }
  std::barrier round_done(2, join_loads);
  const std::jthread other([&] {
    for (std::size_t round = 0; round < rounds; ++round) {
      odd_batch(round);
      round_done.arrive_and_wait();
    }
  });
  for (std::size_t round = 0; round < rounds; ++round) {
    even.route(batches[2 * round]);
    round_done.arrive_and_wait();
  }
}

}  // namespace

tl::expected<RoutingResult, Refusal> sssp(const RoutingInput& input) {
  RoutingResult result(sm::ForwardingTables(input.graph.switches(), input.lids.lid_top));
  sm::ConditionList notes(sm::ConditionId::routing_note);
  if (!input.options.hop_weights.empty())
    notes.add("hop_weights_file is ignored: paths are chosen by load");
  const std::vector<std::uint8_t> open = open_channels(input, notes);
  result.conditions = notes.take();
  const auto hops = unit_hops_over(input.graph, open);
  if (input.graph.switches() > 0xFFFF) return tl::unexpected(Refusal{"more switches than LIDs"});
  if (!hops) return tl::unexpected(Refusal{"a distance between switches is above 254 hops"});
  const HostLids hosts = host_lids(input);
  const ShortestDag dag(input.graph, *hops, open, by_guid(input));
  const std::vector<Batch> batches = batches_of(input);
  constexpr std::size_t kBatchesWorthAThread = kAlwaysThreads ? 4 : 200;
  Balancer even(input, dag, hosts, result.lfts);
  if (batches.size() < kBatchesWorthAThread) {
    // The first destinations were routed without the loads of the others. On small fabrics that
    // matters, and routing them again takes little time.
    const bool all_fit = std::ranges::all_of(input.fabric.switches, [&](const sm::Switch& sw) {
      return sw.info.linear_fdb_cap() > input.lids.lid_top.value;
    });
    for (int pass = 0; pass < (all_fit ? 3 : 1); ++pass)
      for (const Batch& batch : batches) even.route(batch, pass > 0);
    return result;
  }
  // Both have the same loads. To choose different paths, one takes the first of equals, the other
  // the last.
  Balancer odd(input, dag, hosts, result.lfts, true);
  route_all(batches, even, odd);
  return result;
}

tl::expected<RoutingResult, Refusal> dfsssp(const RoutingInput& input) {
  auto result = sssp(input);
  if (!result) return result;
  if (auto chosen = choose_dfsssp_vls(input, *result); !chosen)
    return tl::unexpected(std::move(chosen.error()));
  return result;
}

namespace {

tl::expected<void, Refusal> choose_vls(const RoutingInput& input, unsigned vls,
                                       std::string_view engine, RoutingResult& result) {
  auto assignment = assign_vls(input, result.lfts, vls);
  if (!assignment) return tl::unexpected(std::move(assignment.error()));
  result.sls = std::move(assignment->sls);
  result.vls = assignment->vls;
  result.vl_weights = std::move(assignment->weights);
  result.multicast_up = std::move(assignment->multicast_up);
  if (result.vls > 1) result.sl_to_vl = SlToVl::identity(result.vls);
  std::string note = fmt::format("{}: {} of {} VLs needed to exclude credit loops", engine,
                                 assignment->needed, vls);
  if (assignment->vls > assignment->needed)
    note += fmt::format(", {} used to balance the load", assignment->vls);
  result.note(std::move(note));
  return {};
}

}  // namespace

tl::expected<void, Refusal> choose_dfsssp_vls(const RoutingInput& input, RoutingResult& result) {
  return choose_vls(input, data_vls(input), "dfsssp", result);
}

tl::expected<void, Refusal> choose_lash_vls(const RoutingInput& input, RoutingResult& result) {
  if (input.options.lash_start_vl > 0)
    return tl::unexpected(Refusal{"lash_start_vl leaves VLs to other traffic"});
  return choose_vls(input, data_vls(input), "lash", result);
}

tl::expected<void, Refusal> choose_nue_vls(const RoutingInput& input, RoutingResult& result) {
  if (input.options.nue_include_switches)
    return tl::unexpected(Refusal{"nue_include_switches: VLs are chosen for paths of hosts only"});
  const unsigned vls = data_vls(input), wanted = input.options.nue_max_num_vls;
  return choose_vls(input, wanted == 0 ? vls : std::min(wanted, vls), "nue", result);
}

}  // namespace routing
