#include "routing/engines/virtual_lanes/virtual_lane_engines.h"

#include <algorithm>
#include <barrier>
#include <cassert>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string_view>
#include <thread>
#include <vector>

#include "fabric/parallel.h"
#include "mad/format.h"
#include "routing/core/routing_conditions.h"
#include "routing/engines/virtual_lanes/column_tile.h"
#include "routing/engines/virtual_lanes/load_reroute.h"
#include "routing/graph/batches.h"
#include "routing/graph/channel_table.h"
#include "routing/graph/destinations.h"
#include "routing/graph/hops.h"
#include "routing/graph/shortest_groups.h"
#include "routing/graph/throttled.h"
#include "routing/qos/channel_layers.h"
#include "routing/qos/operational_vls.h"
#include "routing/qos/vl_assignment.h"

namespace routing {
using fabric::kNoIndex;
using fabric::SwitchIndex;
namespace {

/// Routes one batch after the other over shortest paths with the smallest sum of loads, and adds
/// these paths to its copy of the loads. Keeps references to all arguments except the groups.
class LoadBalancer {
 public:
  /// If `last_of_equals` is set, the balancer takes the last of equally loaded channels in port
  /// order, otherwise the first.
  LoadBalancer(const RoutingInput& input, ShortestGroups groups, const ChannelTable& channels,
               const HostLids& hosts, fabric::ForwardingTables& lfts, bool last_of_equals = false);

  /// Routes a batch. `again`: the batch is already in the tables, which hold all LIDs; it is routed
  /// again with the loads of all others.
  void route(const Batch& batch, bool again = false);

  /// Returns, by channel, the number of pairs of host LIDs whose path uses it.
  std::vector<double> loads() const;
  /// Adds to each balancer the loads that the other has added since the last call, for channels in
  /// [begin, end).
  static void join(LoadBalancer& even, LoadBalancer& odd, std::size_t begin, std::size_t end);

 private:
  static constexpr double kLoad = 256;
  std::uint64_t preference(fabric::ChannelIndex channel, fabric::SwitchIndex sw) const {
    return (channel - input_.graph.offsets[sw]) ^ flip_;
  }
  void choose(fabric::SwitchIndex last_switch, std::uint8_t* ports);
  void take_back(mad::Lid lid);
  void carry(double times);

  const RoutingInput& input_;
  ShortestGroups groups_;
  const ChannelTable& channels_;
  const HostLids& hosts_;
  fabric::ForwardingTables& lfts_;
  ColumnTile tile_;
  std::uint64_t flip_;  // 0xFF reverses the order of the channels
  // Each channel has the pairs of host LIDs that use it, in units of kLoad; the low bits hold its
  // index among the channels of its switch. One minimum therefore gives both cost and channel, and
  // selects the first (or last) of equal channels. Sums stay below 2^53, so they are exact.
  // Floating-point numbers have a minimum in one instruction.
  std::vector<double> weight_, joined_;  // joined_: after the last join()
  std::vector<double> cost_;     // by switch: sum of the loads on its path, in units of kLoad; the
                                 // last one stands for no switch
  std::vector<double> carried_;  // by switch: senders there and before it
  fabric::IndexVector<fabric::SwitchIndex, fabric::ChannelIndex> via_;
};

LoadBalancer::LoadBalancer(const RoutingInput& input, ShortestGroups groups,
                           const ChannelTable& channels, const HostLids& hosts,
                           fabric::ForwardingTables& lfts, bool last_of_equals)
    : input_(input),
      groups_(std::move(groups)),
      channels_(channels),
      hosts_(hosts),
      lfts_(lfts),
      tile_(input, hosts, lfts),
      flip_(last_of_equals ? 0xFFu : 0u),
      weight_(input.graph.port.size() + NextCosts::kPad, 0),
      cost_(input.graph.switches() + 1, std::numeric_limits<double>::infinity()),
      carried_(input.graph.switches()),
      via_(input.graph.switches()) {
  for (const SwitchIndex sw : input.graph.all_switches())
    for (const fabric::ChannelIndex channel : input.graph.channels(sw))
      weight_[channel] = static_cast<double>(preference(channel, sw));
  joined_ = weight_;
}

void LoadBalancer::route(const Batch& batch, bool again) {
  groups_.find(batch.sw);
  for (std::size_t first = 0; first < batch.lids.size(); first += ColumnTile::kLids) {
    const auto lids = std::span(batch.lids)
                          .subspan(first, std::min(ColumnTile::kLids, batch.lids.size() - first));
    for (std::size_t i = 0; i < lids.size(); ++i) {
      const bool counted = first + i < batch.counted;
      if (again && counted) take_back(mad::Lid{lids[i]});
      choose(batch.sw, tile_.column(i));
      if (counted) carry(1);
    }
    tile_.write(batch.sw, lids, groups_.sources(),
                [](const ShortestGroups::Source& source) { return source.sw; });
  }
}

void LoadBalancer::choose(SwitchIndex last_switch, std::uint8_t* ports) {
  const fabric::SwitchGraph& graph = input_.graph;
  NextCosts costs;
  cost_[last_switch] = 0;
  for (const ShortestGroups::Group& group : groups_.groups()) {
    costs.collect(groups_.next(group), cost_);
    for (const ShortestGroups::Source& source : groups_.sources(group)) {
      const double least = costs.least(weight_.data() + source.first);
      const std::uint64_t index = static_cast<std::uint64_t>(least) % 256;
      cost_[source.sw] = least - static_cast<double>(index);
      const auto channel = fabric::ChannelIndex(graph.offsets[source.sw] + (index ^ flip_));
      via_[source.sw] = channel;
      ports[source.sw] = graph.port[channel].value;
    }
  }
}

void LoadBalancer::take_back(mad::Lid lid) {
  for (const ShortestGroups::Source& source : groups_.sources()) {
    via_[source.sw] = channels_.channel(source.sw, lfts_.at(source.sw, lid).value);
    assert(via_[source.sw] != kNoIndex);
  }
  carry(-1);
}

// Adds the load of the chosen paths; negative `times` subtract it.
void LoadBalancer::carry(double times) {
  std::ranges::copy(hosts_.at_switch, carried_.begin());
  const auto sources = groups_.sources();
  for (std::size_t i = sources.size(); i-- > 0;) {
    const SwitchIndex sw = sources[i].sw;
    weight_[via_[sw]] += times * carried_[sw] * kLoad;
    carried_[input_.graph.neighbour[via_[sw]]] += carried_[sw];
  }
}

std::vector<double> LoadBalancer::loads() const {
  std::vector<double> loads(input_.graph.port.size());
  for (const SwitchIndex sw : input_.graph.all_switches())
    for (const fabric::ChannelIndex channel : input_.graph.channels(sw))
      loads[channel] = (weight_[channel] - static_cast<double>(preference(channel, sw))) / kLoad;
  return loads;
}

void LoadBalancer::join(LoadBalancer& even, LoadBalancer& odd, std::size_t begin, std::size_t end) {
  double *const a = even.weight_.data(), *const a_joined = even.joined_.data(),
                *const b = odd.weight_.data(), *const b_joined = odd.joined_.data();
  for (std::size_t channel = begin; channel < end; ++channel) {
    const double of_even = a[channel] - a_joined[channel], of_odd = b[channel] - b_joined[channel];
    a_joined[channel] = a[channel] += of_odd;
    b_joined[channel] = b[channel] += of_even;
  }
}

constexpr std::size_t kBatchesWorthAThread = fabric::kAlwaysThreads ? 4 : 200;

// Routes two batches per round, one on each balancer; after a round, both have the loads of both.
void route_in_rounds(std::span<const Batch> batches, std::size_t channels, LoadBalancer& even,
                     LoadBalancer& odd) {
  const std::size_t rounds = (batches.size() + 1) / 2;
  const auto odd_batch = [&](std::size_t round) {
    if (2 * round + 1 < batches.size()) odd.route(batches[2 * round + 1]);
  };
  if (fabric::threads_max() < 2) {
    for (std::size_t round = 0; round < rounds; ++round) {
      even.route(batches[2 * round]);
      odd_batch(round);
      LoadBalancer::join(even, odd, 0, channels);
    }
    return;
  }
  std::barrier both(2);
  const std::jthread other([&] {
    for (std::size_t round = 0; round < rounds; ++round) {
      odd_batch(round);
      both.arrive_and_wait();
      LoadBalancer::join(even, odd, channels / 2, channels);
      both.arrive_and_wait();
    }
  });
  for (std::size_t round = 0; round < rounds; ++round) {
    even.route(batches[2 * round]);
    both.arrive_and_wait();
    LoadBalancer::join(even, odd, 0, channels / 2);
    both.arrive_and_wait();
  }
}

void route_from_the_beginning(const RoutingInput& input, const std::vector<std::uint8_t>& open,
                              const HopTable<std::uint8_t>& hops, RoutingResult& result) {
  const HostLids hosts = host_lids(input);
  const ShortestGroups groups(input.graph, hops, open, by_guid(input));
  const ChannelTable channels(input.graph);
  const std::vector<Batch> batches = batches_of(input);
  LoadBalancer even(input, groups, channels, hosts, result.lfts);
  const auto finish = [&] {
    auto rows = std::make_shared<TableState>(table_state(input));
    add_load_state(*rows, even.loads(), open, hops);
    result.rows = std::move(rows);
  };
  if (batches.size() < kBatchesWorthAThread) {
    // The first destinations were routed without the loads of the others. On small fabrics this
    // matters, and routing them again takes little time.
    const bool all_fit = std::ranges::all_of(input.fabric.switches, [&](const fabric::Switch& sw) {
      return sw.info.linear_fdb_cap() > input.lids.lid_top.value;
    });
    for (int pass = 0; pass < (all_fit ? 3 : 1); ++pass)
      for (const Batch& batch : batches) even.route(batch, pass > 0);
    return finish();
  }
  const auto without_hosts =
      std::ranges::find_if(batches, [](const Batch& batch) { return batch.counted == 0; });
  {
    // Both balancers have the same loads. To choose different paths, one takes the first of equal
    // channels, the other the last.
    LoadBalancer odd(input, groups, channels, hosts, result.lfts, true);
    route_in_rounds({batches.begin(), without_hosts}, input.graph.port.size(), even, odd);
  }
  // Paths to switches add no load, so these batches are independent of each other.
  const std::span<const Batch> of_switches(without_hosts, batches.end());
  fabric::in_parallel(of_switches.size(), kBatchesWorthAThread,
                      [&](std::size_t begin, std::size_t end) {
                        LoadBalancer balancer = even;
                        for (const Batch& batch : of_switches.subspan(begin, end - begin))
                          balancer.route(batch);
                      });
  finish();
}

struct ByLoad {
  RoutingResult result;
  std::optional<std::vector<mad::Lid>> rerouted;  // from the previous tables: these LIDs
};

tl::expected<ByLoad, Refusal> route_by_load(const RoutingInput& input) {
  ByLoad out;
  fabric::ConditionList notes(kRoutingConditions.routing_note);
  if (!input.options.hop_weights.empty())
    notes.add("hop_weights_file is ignored: paths are chosen by load");
  const std::vector<std::uint8_t> open = open_channels(input, notes);
  out.result.conditions = notes.take();
  const auto hops = unit_hops_over(input.graph, open);
  if (input.graph.switches() > 0xFFFF) return tl::unexpected(Refusal{"more switches than LIDs"});
  if (!hops) return tl::unexpected(Refusal{"a distance between switches is above 254 hops"});
  if (auto rerouted = reroute_by_load(input, open, *hops)) {
    out.result.lfts = std::move(rerouted->lfts);
    out.result.rows = std::move(rerouted->rows);
    out.rerouted = std::move(rerouted->lids);
    return out;
  }
  out.result.lfts = fabric::ForwardingTables(input.graph.switches(), input.lids.lid_top);
  out.result.lfts.own_rows();  // threads route to different LIDs
  route_from_the_beginning(input, open, *hops, out.result);
  return out;
}

constexpr std::string_view kVlNote = "dfsssp: ";

}  // namespace

tl::expected<RoutingResult, Refusal> sssp(const RoutingInput& input) {
  auto routed = route_by_load(input);
  if (!routed) return tl::unexpected(std::move(routed.error()));
  return std::move(routed->result);
}

tl::expected<RoutingResult, Refusal> dfsssp(const RoutingInput& input) {
  auto routed = route_by_load(input);
  if (!routed) return tl::unexpected(std::move(routed.error()));
  RoutingResult result = std::move(routed->result);
  if (routed->rerouted && keep_vls(input, *routed->rerouted, data_vls(input), result)) {
    for (const fabric::Condition& note : input.previous_routing->memory.notes)
      if (note.text.starts_with(kVlNote)) result.conditions.push_back(note);
    return result;
  }
  static_cast<fabric::PublishedRouting&>(result) = {};
  if (auto chosen = choose_dfsssp_vls(input, result); !chosen)
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
