#include "routing/engines/virtual_lanes/nue_reroute.h"

#include <algorithm>

#include "fabric/parallel.h"
#include "routing/engines/virtual_lanes/nue_search.h"
#include "routing/engines/virtual_lanes/path_changes.h"
#include "routing/graph/batches.h"
#include "routing/graph/channel_table.h"
#include "routing/graph/in_tree.h"
#include "routing/qos/channel_layers.h"

namespace routing {

using fabric::ChannelIndex;
using fabric::kNoIndex;
using fabric::SwitchIndex;

namespace {

class NueRepair {
 public:
  NueRepair(const NueReroute& frame, const LoadState& state, const PathChanges& changes)
      : frame_(frame),
        input_(frame.input),
        graph_(frame.input.graph),
        state_(state),
        changes_(changes),
        published_(frame.input.previous_routing->published),
        was_(changes.correspondence()),
        channels_(graph_),
        search_(graph_, frame.groups, frame.open, frame.senders) {}

  std::optional<RoutingResult> run() {
    if (!take_over_vls()) return std::nullopt;
    std::vector<double> loads = loads_without_affected();
    const std::vector<PathChanges::LostEntry> lost = changes_.lost_entries(loads);
    search_.add_load(changes_.moved(loads));
    result_.lfts = changes_.tables();
    if (!route_where([&](std::size_t lid) { return changes_.now(lid).out != 0; }) ||
        !route_where([&](std::size_t lid) {
          return changes_.now(lid).out == 0 && frame_.senders[changes_.now(lid).sw] > 0;
        }))
      return std::nullopt;
    if (!route_lost(lost)) return std::nullopt;
    if (published_.multicast_up.empty() &&
        !allows_shared_multicast_vl(vls_.front().channels, graph_, frame_.levels))
      return std::nullopt;
    route_without_hosts();
    const auto rows = changes_.rows();
    loads.resize(graph_.port.size());
    for (const ChannelIndex channel : graph_.port.indices())
      loads[channel] = static_cast<double>(search_.load(channel));
    add_load_state(*rows, std::move(loads), frame_.open, frame_.hops)->switch_vls = switch_vls_;
    result_.rows = rows;
    return std::move(result_);
  }

 private:
  using Affected = PathChanges::Affected;
  using Attachment = TableState::Attachment;

  bool take_over_vls() {
    const RoutingState& memory = input_.previous_routing->memory;
    if (!memory.dependencies || memory.dependencies->vls() < published_.vls ||
        (published_.vls > 1) != (published_.sls.shape() == PathSls::Shape::destination) ||
        state_.switch_vls.size() != changes_.before().switches.size())
      return false;
    static_cast<fabric::PublishedRouting&>(result_) = published_;
    std::vector<std::size_t> switches_by_vl(published_.vls, 0);
    for (const std::uint8_t vl : state_.switch_vls) ++switches_by_vl[vl];
    for (const SwitchIndex sw : graph_.all_switches()) {
      const SwitchIndex then = was_.previous_switch[sw];
      switch_vls_.push_back(then == kNoIndex ? std::uint8_t{0} : state_.switch_vls[then]);
    }
    for (const SwitchIndex sw : changes_.new_switches()) {
      const auto least = std::ranges::min_element(switches_by_vl) - switches_by_vl.begin();
      switch_vls_[sw] = static_cast<std::uint8_t>(least);
      ++switches_by_vl[switch_vls_[sw]];
    }
    if (published_.vls > 1) {
      result_.sls = PathSls::by_destination(input_.lids.lid_top);
      const auto row = result_.sls.row(0);
      const auto old = published_.sls.row(0);
      for (std::size_t lid = 1; lid < row.size(); ++lid) {
        const SwitchIndex last = changes_.now(lid).sw;
        const SwitchIndex last_before = changes_.then(lid).sw;
        if (last == kNoIndex) continue;
        row[lid] =
            lid < old.size() && last_before != kNoIndex && was_.current_switch[last_before] == last
                ? old[lid]
                : switch_vls_[last];
      }
    }
    auto layers = layers_of(memory.dependencies->moved_to(graph_, was_.current_channel), graph_,
                            frame_.levels.position);
    if (!layers) return false;
    for (AcyclicChannels& layer : *layers) vls_.push_back({std::move(layer), {}});
    if (published_.multicast_up.empty()) return true;
    auto tree = kept_tree(graph_, was_, published_.multicast_up, frame_.groups.order(),
                          vls_.front().channels);
    if (!tree) return false;
    result_.multicast_up = std::move(*tree);
    return true;
  }

  /// Returns loads by previous channel.
  std::vector<double> loads_without_affected() const {
    std::vector<double> loads = state_.loads;
    const fabric::SwitchGraph& before = changes_.before().graph;
    const fabric::ForwardingTables& lfts = input_.previous_routing->lfts;
    InTree tree(before, lfts);
    const std::vector<double> hosts = list_hosts(state_.attachments, before.switches());
    std::vector<double> carried;
    for (const std::uint16_t value : changes_.counted()) {
      const mad::Lid lid{value};
      const SwitchIndex last = state_.attachments[value].sw;
      tree.trace(lid, last, lfts.at(last, lid));
      carried = hosts;
      const auto order = tree.near_first();
      for (std::size_t i = order.size(); i-- > 0;) {
        const ChannelIndex channel = tree.channel(order[i]);
        loads[channel] -= carried[order[i]];
        carried[before.neighbour[channel]] += carried[order[i]];
      }
    }
    return loads;
  }

  template <class Which>
  bool route_where(Which&& which) {
    for (std::size_t lid = 1; lid < changes_.lids(); ++lid) {
      if (changes_.now(lid).sw == kNoIndex || changes_.affected(lid) <= Affected::entries ||
          !which(lid))
        continue;
      if (!route(static_cast<std::uint16_t>(lid))) return false;
    }
    return true;
  }

  bool route(std::uint16_t lid) {
    const SwitchIndex last = changes_.now(lid).sw;
    const std::size_t vl = published_.vls > 1 ? result_.sls.row(0)[lid] : 0u;
    if (vl >= vls_.size()) return false;
    const bool found =
        changes_.affected(lid) == Affected::whole
            ? search_.search_all(vls_[vl], last)
            : search_.keep_and_search(vls_[vl], last, NueSearch::Effort::search,
                                      [&](SwitchIndex sw) { return changes_.kept(sw, lid); });
    if (!found) return false;
    search_.keep_used(vls_[vl], changes_.now(lid).out != 0);
    search_.complete();
    write(search_, lid);
    return true;
  }

  // Routes LIDs of switches without hosts independently of each other, with dependencies that the
  // first VL still accepts, as nue() does.
  void route_without_hosts() {
    std::vector<std::uint16_t> lids;
    for (std::size_t lid = 1; lid < changes_.lids(); ++lid)
      if (changes_.now(lid).sw != kNoIndex &&
          (changes_.affected(lid) > Affected::entries ||
           std::ranges::binary_search(to_search_, static_cast<std::uint16_t>(lid))) &&
          changes_.now(lid).out == 0 && frame_.senders[changes_.now(lid).sw] == 0)
        lids.push_back(static_cast<std::uint16_t>(lid));
    if (lids.empty()) return;
    const auto tree = spanning_tree_within(
        vls_.front().channels, graph_, frame_.open,
        sorted_by(frame_.groups.order(), [&](SwitchIndex sw) { return frame_.senders[sw] == 0; }));
    if (tree) vls_.front().escape = *tree;
    const std::vector<std::uint32_t> all_switches(graph_.switches(), 1);
    constexpr std::size_t kWorthAThread = 20;
    result_.lfts.own_rows();
    fabric::in_parallel(lids.size(), kWorthAThread, [&](std::size_t begin, std::size_t end) {
      constexpr NueSearch::Effort at_once = NueSearch::Effort::at_once;
      NueVl vl = vls_.front();
      NueSearch among_switches(graph_, frame_.groups, frame_.open, all_switches);
      for (const std::uint16_t lid : std::span(lids).subspan(begin, end - begin)) {
        const SwitchIndex last = changes_.now(lid).sw;
        if (changes_.affected(lid) == Affected::whole ||
            !among_switches.keep_and_search(
                vl, last, at_once, [&](SwitchIndex sw) { return changes_.kept(sw, lid); })) {
          among_switches.search(vl, last, tree.has_value(), at_once);
          if (input_.options.connect_roots) among_switches.complete();
        }
        write(among_switches, lid);
      }
    });
  }

  /// Lets switches whose entry is lost join the paths of other switches; if that closes a cycle,
  /// searches new paths for the LID.
  bool route_lost(std::span<const PathChanges::LostEntry> lost) {
    for (std::size_t begin = 0, end = 0; begin < lost.size(); begin = end) {
      while (end < lost.size() && lost[end].lid == lost[begin].lid) ++end;
      const std::uint16_t lid = lost[begin].lid;
      const SwitchIndex last = changes_.now(lid).sw;
      // Paths to switches without hosts use only dependencies that other paths leave free.
      const bool takes_rest = changes_.now(lid).out == 0 && frame_.senders[last] == 0;
      const auto entries = lost.subspan(begin, end - begin);
      for (const PathChanges::LostEntry& entry : entries)
        result_.lfts.writable_row(entry.sw)[lid] = mad::kNoPort.value;
      const auto failed = std::ranges::find_if_not(entries, [&](const auto& entry) {
        return lead_on(entry.sw, mad::Lid{lid}, entry.hosts,
                       takes_rest ? NueSearch::Effort::at_once : NueSearch::Effort::search);
      });
      if (failed == entries.end()) continue;
      if (takes_rest) {
        to_search_.push_back(lid);
        continue;
      }
      for (const auto& entry : std::ranges::subrange(entries.begin(), failed))
        add_load(entry.sw, mad::Lid{lid}, -entry.hosts);
      if (changes_.now(lid).out != 0) take_back_kept(lid);
      if (!route(lid)) return false;
    }
    return true;
  }

  /// Subtracts from the loads the hosts on the remaining parts of their paths.
  void take_back_kept(std::uint16_t lid) {
    const SwitchIndex last = changes_.now(lid).sw;
    for (const SwitchIndex from : graph_.all_switches()) {
      if (frame_.senders[from] == 0) continue;
      std::size_t hops = 0;
      for (SwitchIndex sw = from; sw != last && hops < graph_.switches(); ++hops) {
        const ChannelIndex channel = changes_.kept(sw, lid);
        if (channel == kNoIndex) break;
        search_.add_load(channel, -static_cast<double>(frame_.senders[from]));
        sw = graph_.neighbour[channel];
      }
    }
  }

  ChannelIndex next(SwitchIndex sw, mad::Lid lid) const {
    return channels_.channel(sw, result_.lfts.at(sw, lid).value);
  }
  /// Calls visit(channel, next channel) along the path that begins with `channel`; returns false if
  /// the path does not arrive, or if a call returns false.
  template <class Visit>
  bool trace(ChannelIndex channel, mad::Lid lid, Visit&& visit) const {
    const SwitchIndex last = changes_.now(lid.value).sw;
    for (std::size_t hops = 0; hops <= graph_.switches(); ++hops) {
      const SwitchIndex sw = graph_.neighbour[channel];
      const ChannelIndex following = sw == last ? ChannelIndex(kNoIndex) : next(sw, lid);
      if (!visit(channel, following)) return false;
      if (sw == last) return true;
      if (following == kNoIndex) return false;
      channel = following;
    }
    return false;
  }
  void add_load(SwitchIndex from, mad::Lid lid, double hosts) {
    trace(next(from, lid), lid, [&](ChannelIndex channel, ChannelIndex) {
      search_.add_load(channel, hosts);
      return true;
    });
  }
  /// Chooses the entry of a switch over which this many hosts send; other switches have their
  /// entries unless their path uses this one. Returns false if no shortest path fits on the VL: for
  /// paths of hosts, and with at_once for all paths.
  bool lead_on(SwitchIndex from, mad::Lid lid, double hosts, NueSearch::Effort effort) {
    const Attachment& last = changes_.now(lid.value);
    const std::uint8_t* const distance = frame_.hops.row(last.sw);
    NueVl& vl = vls_[published_.vls > 1 ? result_.sls.row(0)[lid.value] : 0u];
    const bool at_once = effort == NueSearch::Effort::at_once;
    const auto allow = [&](ChannelIndex in, ChannelIndex out) {
      const unsigned index = out - graph_.offsets[graph_.neighbour[in]];
      return at_once ? vl.channels.allow_at_once(in, index) : vl.channels.allow(in, index);
    };
    std::vector<std::pair<std::uint64_t, ChannelIndex>> candidates;
    for (const ChannelIndex channel : graph_.channels(from))
      if (frame_.open[channel] != 0 && distance[graph_.neighbour[channel]] + 1 == distance[from] &&
          trace(channel, lid,
                [&](ChannelIndex on, ChannelIndex) { return graph_.neighbour[on] != from; }))
        candidates.emplace_back(search_.load(channel), channel);
    // After a return, the present port comes first.
    const std::uint8_t current =
        input_.current == nullptr ? mad::kNoPort.value : input_.current->at(from, lid).value;
    std::ranges::sort(candidates, {}, [&](const auto& candidate) {
      return std::pair(graph_.port[candidate.second].value != current, candidate);
    });
    const auto found = std::ranges::find_if(candidates, [&](const auto& candidate) {
      for (const ChannelIndex out : graph_.channels(from))
        if (next(graph_.neighbour[out], lid) == graph_.reverse[out] &&
            !allow(graph_.reverse[out], candidate.second))
          return false;
      return trace(candidate.second, lid, [&](ChannelIndex in, ChannelIndex out) {
        return out == kNoIndex || allow(in, out);
      });
    });
    if (found == candidates.end() && (at_once || hosts > 0 || candidates.empty())) return false;
    const ChannelIndex channel = (found != candidates.end() ? *found : candidates.front()).second;
    result_.lfts.writable_row(from)[lid.value] = graph_.port[channel].value;
    if (hosts > 0) add_load(from, lid, hosts);
    return true;
  }

  void write(const NueSearch& found, std::uint16_t lid) {
    for (const SwitchIndex sw : graph_.all_switches())
      if (sw != changes_.now(lid).sw) result_.lfts.writable_row(sw)[lid] = mad::kNoPort.value;
    for (const SwitchIndex sw : found.near_first())
      result_.lfts.writable_row(sw)[lid] = graph_.port[found.channel(sw)].value;
  }

  const NueReroute& frame_;
  const RoutingInput& input_;
  const fabric::SwitchGraph& graph_;
  const LoadState& state_;
  const PathChanges& changes_;
  const fabric::PublishedRouting& published_;
  const Correspondence& was_;
  const ChannelTable channels_;
  NueSearch search_;
  std::vector<NueVl> vls_;
  std::vector<std::uint8_t> switch_vls_;  // by switch
  std::vector<std::uint16_t> to_search_;  // LIDs of switches without hosts, ascending
  RoutingResult result_;
};

}  // namespace

std::optional<RoutingResult> reroute_nue(const NueReroute& frame) {
  const LoadState* const state = previous_load_state(frame.input);
  if (state == nullptr || frame.input.options.nue_include_switches) return std::nullopt;
  const PathChanges changes(frame.input, *state, frame.open, frame.hops);
  if (!changes.are_few()) return std::nullopt;
  return NueRepair(frame, *state, changes).run();
}

}  // namespace routing
