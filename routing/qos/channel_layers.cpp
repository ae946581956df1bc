#include "routing/qos/channel_layers.h"

#include <algorithm>
#include <deque>
#include <numeric>

#include "routing/graph/batches.h"
#include "routing/graph/channel_table.h"
#include "routing/graph/destinations.h"
#include "routing/graph/hops.h"
#include "routing/graph/tree_order.h"
#include "routing/qos/spanning_tree.h"

namespace routing {

using fabric::ChannelIndex;
using fabric::kNoIndex;
using fabric::SwitchIndex;

namespace {

/// Holds vertices that have no remaining predecessor, lowest rank first.
class ReadyVertices {
 public:
  void add(std::uint32_t vertex, std::uint32_t rank) {
    if (rank >= of_rank_.size()) of_rank_.resize(rank + 1);
    of_rank_[rank].push_back(vertex);
    lowest_ = std::min<std::size_t>(lowest_, rank);
  }
  std::optional<std::uint32_t> take() {
    while (lowest_ < of_rank_.size() && of_rank_[lowest_].empty()) ++lowest_;
    if (lowest_ == of_rank_.size()) return std::nullopt;
    const std::uint32_t vertex = of_rank_[lowest_].front();
    of_rank_[lowest_].pop_front();
    return vertex;
  }

 private:
  std::vector<std::deque<std::uint32_t>> of_rank_;
  std::size_t lowest_ = 0;
};

}  // namespace

std::optional<std::vector<AcyclicChannels>> layers_of(const ChannelGraph& dependencies,
                                                      const fabric::SwitchGraph& graph,
                                                      std::span<const std::uint32_t> position) {
  const std::uint32_t count = dependencies.vertices();
  const std::vector<std::uint32_t> rank = climbing_ranks(graph, position);
  const auto find_rank = [&](std::uint32_t vertex) {
    return rank[dependencies.channel(vertex).channel];
  };
  std::vector<std::uint32_t> predecessors(count, 0), order;
  for (std::uint32_t vertex = 0; vertex < count; ++vertex)
    dependencies.for_each_next(vertex, [&](std::uint32_t next) { ++predecessors[next]; });
  ReadyVertices ready;
  for (std::uint32_t vertex = 0; vertex < count; ++vertex)
    if (predecessors[vertex] == 0) ready.add(vertex, find_rank(vertex));
  order.reserve(count);
  while (const auto vertex = ready.take()) {
    order.push_back(*vertex);
    dependencies.for_each_next(*vertex, [&](std::uint32_t next) {
      if (--predecessors[next] == 0) ready.add(next, find_rank(next));
    });
  }
  if (order.size() < count) return std::nullopt;
  std::vector<std::vector<ChannelIndex>> orders(dependencies.vls());
  for (const std::uint32_t vertex : order) {
    const Channel channel = dependencies.channel(vertex);
    orders[channel.vl].push_back(channel.channel);
  }
  std::vector<AcyclicChannels> layers;
  layers.reserve(orders.size());
  for (const std::vector<ChannelIndex>& of_vl : orders) layers.emplace_back(graph, of_vl);
  for (std::uint32_t vertex = 0; vertex < count; ++vertex) {
    const Channel from = dependencies.channel(vertex);
    dependencies.for_each_next(vertex, [&](std::uint32_t next) {
      layers[from.vl].allow(from.channel, dependencies.channel(next).channel -
                                              graph.offsets[graph.neighbour[from.channel]]);
    });
  }
  return layers;
}

std::optional<fabric::IndexVector<SwitchIndex, ChannelIndex>> kept_tree(
    const fabric::SwitchGraph& graph, const Correspondence& was,
    const fabric::IndexVector<SwitchIndex, ChannelIndex>& previous,
    std::span<const SwitchIndex> order, AcyclicChannels& layer) {
  fabric::IndexVector<SwitchIndex, ChannelIndex> up;
  up.assign(graph.switches(), kNoIndex);
  fabric::IndexVector<SwitchIndex, std::vector<ChannelIndex>> links(graph.switches());
  std::size_t roots = 0;
  for (const SwitchIndex sw : graph.all_switches()) {
    if (was.previous_switch[sw] == kNoIndex) return std::nullopt;
    const ChannelIndex old = previous[was.previous_switch[sw]];
    if (old == kNoIndex) {
      ++roots;
      continue;
    }
    up[sw] = was.current_channel[old];
    if (up[sw] == kNoIndex) return std::nullopt;
    links[sw].push_back(up[sw]);
    links[graph.neighbour[up[sw]]].push_back(graph.reverse[up[sw]]);
  }
  const std::vector<std::uint32_t> component = components(graph);
  if (!component.empty() && roots != std::ranges::max(component) + std::size_t{1})
    return std::nullopt;
  for (const SwitchIndex sw : order)
    for (const ChannelIndex in : links[sw])
      for (const ChannelIndex out : links[sw])
        if (in != out && !layer.allow(graph.reverse[in], out - graph.offsets[sw]))
          return std::nullopt;
  return up;
}

namespace {

class KeptVls {
 public:
  KeptVls(const RoutingInput& input, unsigned vls, RoutingResult& result)
      : input_(input),
        graph_(input.graph),
        memory_(input.previous_routing->memory),
        published_(input.previous_routing->published),
        previous_(input.previous_routing->lfts),
        was_(correspondence(*memory_.rows, input.fabric, input.graph)),
        channels_(input.graph),
        hosts_(senders_per_switch(input)),
        vls_(vls),
        result_(result) {}

  bool run(std::span<const mad::Lid> lids) {
    fabric::ForwardingTables lfts = std::move(result_.lfts);
    static_cast<fabric::PublishedRouting&>(result_) = published_;
    result_.lfts = std::move(lfts);
    attachments_ = table_state(input_).attachments;
    if (published_.vls > vls_) return false;
    if (published_.sls.shape() == PathSls::Shape::zero ||
        published_.sls.shape() == PathSls::Shape::destination) {
      result_.multicast_up.clear();
      if (published_.sls.shape() == PathSls::Shape::destination) copy_sls_of_lids();
      return published_.multicast_up.empty();
    }
    if (published_.sls.shape() != PathSls::Shape::source_lid || !memory_.dependencies ||
        memory_.dependencies->vls() < published_.vls)
      return false;
    copy_sls_of_paths();
    auto layers = layers_of(memory_.dependencies->moved_to(graph_, was_.current_channel), graph_,
                            tree_order_of(input_).position);
    if (!layers) return false;
    layers_ = std::move(*layers);
    auto tree = published_.multicast_up.empty() ? std::nullopt
                                                : kept_tree(graph_, was_, published_.multicast_up,
                                                            by_guid(input_), layers_.front());
    std::vector<bool> had_hosts(graph_.switches(), false);
    for (const Attachment& at : memory_.rows->attachments)
      if (at.sw != kNoIndex && at.out != 0 && was_.current_switch[at.sw] != kNoIndex)
        had_hosts[was_.current_switch[at.sw]] = true;
    std::vector<SwitchIndex> all, added;
    for (const SwitchIndex sw : graph_.all_switches()) {
      if (hosts_[sw] > 0) all.push_back(sw);
      if (hosts_[sw] > 0 && !had_hosts[sw]) added.push_back(sw);
    }
    for (const mad::Lid lid : lids)
      if (!assign(lid, all)) return false;
    for (std::size_t lid = 1; !added.empty() && lid < attachments_.size(); ++lid)
      if (const mad::Lid other{static_cast<std::uint16_t>(lid)};
          !std::ranges::binary_search(lids, other) && !assign(other, added, true))
        return false;
    if (!published_.multicast_up.empty() && !tree) {
      if (auto other = spanning_tree_within(layers_.front(), graph_,
                                            std::vector<std::uint8_t>(graph_.port.size(), 1),
                                            by_guid(input_)))
        tree = std::move(other->up);
    }
    result_.multicast_up.clear();
    if (tree) result_.multicast_up = std::move(*tree);
    if (layers_.size() > published_.vls) {
      result_.vls = static_cast<unsigned>(layers_.size());
      result_.sl_to_vl = SlToVl::identity(result_.vls);
      if (!result_.vl_weights.empty()) result_.vl_weights.resize(result_.vls, 1);
    }
    return true;
  }

 private:
  void copy_sls_of_lids() {
    result_.sls = PathSls::by_destination(input_.lids.lid_top);
    const auto row = result_.sls.row(0);
    const auto old = published_.sls.row(0);
    for (std::size_t lid = 1; lid < row.size(); ++lid) {
      const bool known = lid < old.size() && lid < memory_.rows->attachments.size() &&
                         memory_.rows->attachments[lid].sw != kNoIndex;
      row[lid] = known ? old[lid] : static_cast<std::uint8_t>(lid % published_.vls);
    }
  }
  void copy_sls_of_paths() {
    result_.sls = PathSls::by_source_and_lid(graph_.switches(), input_.lids.lid_top);
    for (const SwitchIndex sw : graph_.all_switches()) {
      if (was_.previous_switch[sw] == kNoIndex) continue;
      const auto row = result_.sls.row(sw);
      const auto old = published_.sls.row(was_.previous_switch[sw]);
      std::copy_n(old.begin(), std::min(row.size(), old.size()), row.begin());
    }
  }

  /// Lists the channels of the LID's path from the switch; returns false if it does not arrive.
  bool trace(SwitchIndex from, mad::Lid lid, std::vector<ChannelIndex>& path, bool& changed) const {
    path.clear();
    const SwitchIndex last = attachments_[lid.value].sw;
    for (SwitchIndex sw = from; sw != last; sw = graph_.neighbour[path.back()]) {
      const std::uint8_t port = result_.lfts.at(sw, lid).value;
      const ChannelIndex channel = channels_.channel(sw, port);
      if (channel == kNoIndex || path.size() > graph_.switches()) return false;
      const SwitchIndex then = was_.previous_switch[sw];
      changed = changed || then == kNoIndex || previous_.at(then, lid).value != port ||
                is_other_link(then, channel);
      path.push_back(channel);
    }
    return true;
  }
  /// True if the port has another link than before.
  bool is_other_link(SwitchIndex sw_before, ChannelIndex channel) const {
    const auto& before = memory_.rows->graph;
    const auto ports = before.out_ports(sw_before);
    const auto at = std::ranges::lower_bound(ports, graph_.port[channel]);
    if (at == ports.end() || *at != graph_.port[channel]) return true;
    return was_.current_channel[before.offsets[sw_before] +
                                static_cast<std::uint32_t>(at - ports.begin())] != channel;
  }

  bool fits(AcyclicChannels& layer, const std::vector<ChannelIndex>& path) const {
    layer.start_log();
    for (std::size_t i = 0; i + 1 < path.size(); ++i) {
      if (layer.allow(path[i], path[i + 1] - graph_.offsets[graph_.neighbour[path[i]]])) continue;
      layer.remove_logged_unless([](ChannelIndex, unsigned) { return false; });
      return false;
    }
    return true;
  }

  /// `sources` are the switches whose path may differ.
  bool assign(mad::Lid lid, std::span<const SwitchIndex> sources, bool are_new = false) {
    const Attachment& now = attachments_[lid.value];
    if (now.sw == kNoIndex || now.out == 0) return true;
    const auto& before = memory_.rows->attachments;
    const bool is_new = lid.value >= before.size() || before[lid.value].sw == kNoIndex ||
                        was_.current_switch[before[lid.value].sw] != now.sw;
    for (const SwitchIndex from : sources) {
      if (from == now.sw) continue;
      bool changed = is_new || are_new;
      if (!trace(from, lid, path_, changed)) continue;
      if (!changed) continue;
      std::uint8_t& sl = result_.sls.row(from)[lid.value];
      if (is_new) sl = 0;
      if (sl < layers_.size() && fits(layers_[sl], path_)) continue;
      std::size_t vl = 0;
      while (vl < layers_.size() && !fits(layers_[vl], path_)) ++vl;
      if (vl == layers_.size()) {
        if (vl == vls_) return false;
        if (order_.empty()) {
          order_.resize(graph_.port.size());
          std::iota(order_.begin(), order_.end(), ChannelIndex{0});
        }
        layers_.emplace_back(graph_, order_);
        if (!fits(layers_.back(), path_)) return false;
      }
      sl = static_cast<std::uint8_t>(vl);
    }
    return true;
  }

  using Attachment = TableState::Attachment;
  const RoutingInput& input_;
  const fabric::SwitchGraph& graph_;
  const RoutingState& memory_;
  const fabric::PublishedRouting& published_;
  const fabric::ForwardingTables& previous_;
  const Correspondence was_;
  const ChannelTable channels_;
  const std::vector<std::uint32_t> hosts_;
  const unsigned vls_;
  RoutingResult& result_;
  std::vector<Attachment> attachments_;
  std::vector<AcyclicChannels> layers_;
  std::vector<ChannelIndex> order_, path_;
};

}  // namespace

bool keep_vls(const RoutingInput& input, std::span<const mad::Lid> lids, unsigned vls,
              RoutingResult& result) {
  return KeptVls(input, vls, result).run(lids);
}

}  // namespace routing
