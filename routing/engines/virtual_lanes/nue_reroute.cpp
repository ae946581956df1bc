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

using sm::ChannelIndex;
using sm::kNoIndex;
using sm::SwitchIndex;

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
        search_(graph_, frame.groups, frame.open, frame.senders) {}

  std::optional<RoutingResult> run() {
    if (!take_over_vls()) return std::nullopt;
    search_.add_load(changes_.moved(loads_without_affected()));
    result_.lfts = changes_.tables();
    if (!route_where([&](std::size_t lid) { return changes_.now(lid).out != 0; }) ||
        !route_where([&](std::size_t lid) {
          return changes_.now(lid).out == 0 && frame_.senders[changes_.now(lid).sw] > 0;
        }))
      return std::nullopt;
    if (published_.multicast_up.empty() &&
        !multicast_fits_anyway(vls_.front().channels, graph_, frame_.levels))
      return std::nullopt;
    route_without_hosts();
    if (!route_from_new_switches()) return std::nullopt;
    const auto rows = changes_.rows();
    std::vector<double> loads(graph_.port.size());
    for (const ChannelIndex channel : graph_.port.indices())
      loads[channel] = static_cast<double>(search_.load(channel));
    add_load_state(*rows, std::move(loads), frame_.open, frame_.hops)->vl_of = vl_of_;
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
        state_.vl_of.size() != changes_.before().switches.size())
      return false;
    static_cast<sm::PublishedRouting&>(result_) = published_;
    std::vector<std::size_t> switches_of(published_.vls, 0);
    for (const std::uint8_t vl : state_.vl_of) ++switches_of[vl];
    for (const SwitchIndex sw : graph_.all_switches()) {
      const SwitchIndex then = was_.previous_switch[sw];
      const auto least = std::ranges::min_element(switches_of) - switches_of.begin();
      vl_of_.push_back(then == kNoIndex ? static_cast<std::uint8_t>(least) : state_.vl_of[then]);
      if (then == kNoIndex) ++switches_of[vl_of_.back()];
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
                : vl_of_[last];
      }
    }
    auto layers = layers_of(memory.dependencies->moved_to(graph_, was_.current_channel), graph_,
                            frame_.levels.position);
    if (!layers) return false;
    for (AcyclicChannels& layer : *layers) vls_.push_back({std::move(layer), {}});
    if (published_.multicast_up.empty()) return true;
    auto tree = kept_tree(graph_, was_, published_.multicast_up, vls_.front().channels);
    if (!tree) return false;
    result_.multicast_up = std::move(*tree);
    return true;
  }

  /// By previous channel.
  std::vector<double> loads_without_affected() const {
    std::vector<double> loads = state_.loads;
    const sm::SwitchGraph& before = changes_.before().graph;
    const sm::ForwardingTables& lfts = input_.previous_routing->lfts;
    InTree tree(before, lfts);
    std::vector<double> hosts(before.switches(), 0), carried;
    for (const TableState::Attachment& at : state_.attachments)
      if (at.sw != kNoIndex && at.out != 0) ++hosts[at.sw];
    for (const std::uint16_t value : changes_.counted()) {
      const mad::Lid lid{value};
      const SwitchIndex last = state_.attachments[value].sw;
      tree.follow(lid, last, lfts.at(last, lid));
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
      if (changes_.now(lid).sw == kNoIndex || changes_.affected(lid) == Affected::no || !which(lid))
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

  // LIDs of switches without hosts: on what the first VL leaves, as nue() does, independent of each
  // other.
  void route_without_hosts() {
    std::vector<std::uint16_t> lids;
    for (std::size_t lid = 1; lid < changes_.lids(); ++lid)
      if (changes_.now(lid).sw != kNoIndex && changes_.affected(lid) != Affected::no &&
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
    sm::in_parallel(lids.size(), kWorthAThread, [&](std::size_t begin, std::size_t end) {
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

  // To LIDs that are not affected: all other switches have their paths, those of new ones lead to
  // these.
  bool route_from_new_switches() {
    if (changes_.new_switches().empty()) return true;
    const ChannelTable channels(graph_);
    std::vector<double> added(graph_.port.size(), 0);
    std::vector<SwitchIndex> switches(changes_.new_switches().begin(),
                                      changes_.new_switches().end());
    for (std::size_t value = 1; value < changes_.lids(); ++value) {
      if (changes_.now(value).sw == kNoIndex || changes_.affected(value) != Affected::no) continue;
      const std::uint8_t* const distance = frame_.hops.row(changes_.now(value).sw);
      std::ranges::stable_sort(switches, {}, [&](SwitchIndex sw) { return distance[sw]; });
      for (const SwitchIndex sw : switches)
        if (distance[sw] != HopTable<std::uint8_t>::kNoPath &&
            !route_from(sw, mad::Lid{static_cast<std::uint16_t>(value)}, channels, added))
          return false;
    }
    search_.add_load(added);
    return true;
  }
  bool route_from(SwitchIndex from, mad::Lid lid, const ChannelTable& channels,
                  std::vector<double>& added) {
    const Attachment& last = changes_.now(lid.value);
    const std::uint8_t* const distance = frame_.hops.row(last.sw);
    const auto next_of = [&](SwitchIndex sw) {
      return channels.channel(sw, result_.lfts.at(sw, lid).value);
    };
    std::vector<std::pair<double, ChannelIndex>> candidates;
    for (const ChannelIndex channel : graph_.channels(from)) {
      const SwitchIndex to = graph_.neighbour[channel];
      if (frame_.open[channel] != 0 && distance[to] + 1 == distance[from] &&
          (to == last.sw || next_of(to) != kNoIndex))
        candidates.emplace_back(static_cast<double>(search_.load(channel)) + added[channel],
                                channel);
    }
    std::ranges::sort(candidates);
    // Packets of hosts only; what the SM sends to switches is no part of a cycle between hosts.
    const bool counts = last.out != 0 && frame_.senders[from] > 0;
    NueVl& vl = vls_[published_.vls > 1 ? result_.sls.row(0)[lid.value] : 0u];
    const auto fits = [&](ChannelIndex channel) {
      for (SwitchIndex sw = graph_.neighbour[channel]; sw != last.sw;) {
        const ChannelIndex next = next_of(sw);
        if (!vl.channels.allow(channel, next - graph_.offsets[sw])) return false;
        channel = next;
        sw = graph_.neighbour[channel];
      }
      return true;
    };
    const auto found = std::ranges::find_if(
        candidates, [&](const auto& candidate) { return !counts || fits(candidate.second); });
    if (found == candidates.end()) return !counts;
    result_.lfts.writable_row(from)[lid.value] = graph_.port[found->second].value;
    if (!counts) return true;
    for (SwitchIndex sw = from; sw != last.sw; sw = graph_.neighbour[next_of(sw)])
      added[next_of(sw)] += frame_.senders[from];
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
  const sm::SwitchGraph& graph_;
  const LoadState& state_;
  const PathChanges& changes_;
  const sm::PublishedRouting& published_;
  const Correspondence& was_;
  NueSearch search_;
  std::vector<NueVl> vls_;
  std::vector<std::uint8_t> vl_of_;  // by switch
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
