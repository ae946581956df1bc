#include "routing/engines/virtual_lanes/load_reroute.h"

#include <algorithm>
#include <array>
#include <limits>

#include "routing/core/mix.h"
#include "routing/graph/channel_table.h"
#include "routing/graph/destinations.h"

namespace routing {

using sm::ChannelIndex;
using sm::kNoIndex;
using sm::SwitchIndex;

namespace {

using Hops = HopTable<std::uint8_t>;
using Attachment = TableState::Attachment;

/// All switches with a path to `to`, nearest first.
class NearFirst {
 public:
  std::span<const SwitchIndex> to(SwitchIndex to, const Hops& hops, std::size_t switches) {
    if (to == last_) return order_;
    last_ = to;
    const std::uint8_t* const distance = hops.row(to);
    std::array<std::uint32_t, 257> index{};
    for (std::size_t sw = 0; sw < switches; ++sw) ++index[distance[sw] + 1u];
    index[1] = 0;
    for (std::size_t i = 2; i < index.size(); ++i) index[i] += index[i - 1];
    order_.resize(index[255]);
    for (SwitchIndex sw{0}; sw < switches; ++sw)
      if (distance[sw] != 0 && distance[sw] != Hops::kNoPath) order_[index[distance[sw]]++] = sw;
    return order_;
  }

 private:
  SwitchIndex last_ = kNoIndex;
  std::vector<SwitchIndex> order_;
};

/// By switch: number of host LIDs.
std::vector<double> hosts_of(const std::vector<Attachment>& attachments, std::size_t switches) {
  std::vector<double> hosts(switches, 0);
  for (const Attachment& at : attachments)
    if (at.sw != kNoIndex && at.out != 0) ++hosts[at.sw];
  return hosts;
}

class LoadReroute {
 public:
  LoadReroute(const RoutingInput& input, const LoadState& state,
              const std::vector<std::uint8_t>& open, const Hops& hops)
      : input_(input),
        graph_(input.graph),
        before_(*input.previous_routing->memory.rows),
        previous_(input.previous_routing->lfts),
        state_(state),
        open_(open),
        hops_(hops),
        was_(correspondence(before_, input.fabric, input.graph)),
        rows_(std::make_shared<TableState>(table_state(input))),
        channels_(input.graph),
        channels_before_(before_.graph),
        switches_(input.graph.switches()),
        loads_(state.loads) {}

  std::optional<Rerouted> run() {
    if (!is_possible()) return std::nullopt;
    map_channels();
    find_lids();
    find_changed_distances();
    find_lost_channels();
    find_new_channels();
    std::size_t affected = 0;
    for (const Affected& how : affected_) affected += how == Affected::no ? 0u : 1u;
    if (2 * affected > affected_.size()) return std::nullopt;
    for (std::size_t lid = 1; lid < state_.attachments.size(); ++lid)
      if (lid >= affected_.size() || affected_[lid] != Affected::no || is_removed(lid))
        take_back(static_cast<std::uint16_t>(lid));
    move_loads();
    copy_tables();
    std::ranges::sort(forced_);
    for (const bool of_hosts : {true, false})
      for (std::size_t lid = 1; lid < affected_.size(); ++lid)
        if (affected_[lid] != Affected::no && (now(lid).out != 0) == of_hosts)
          route(static_cast<std::uint16_t>(lid));
    Rerouted out{std::move(lfts_), finished_state(), {}};
    for (std::size_t lid = 1; lid < affected_.size(); ++lid)
      if (affected_[lid] != Affected::no)
        out.lids.push_back(mad::Lid{static_cast<std::uint16_t>(lid)});
    return out;
  }

 private:
  enum class Affected : std::uint8_t { no, in_part, whole };

  const Attachment& now(std::size_t lid) const { return rows_->attachments[lid]; }
  Attachment then(std::size_t lid) const {
    return lid < before_.attachments.size() ? before_.attachments[lid] : Attachment{};
  }
  bool is_removed(std::size_t lid) const {
    return lid >= affected_.size() || now(lid).sw == kNoIndex;
  }

  bool is_possible() const {
    if (previous_.switches() != before_.switches.size() || state_.switches != before_.switches ||
        state_.loads.size() != before_.graph.port.size())
      return false;
    for (const SwitchIndex sw : graph_.all_switches())
      if (was_.previous_switch[sw] == kNoIndex ||
          input_.fabric.switches[sw].info.linear_fdb_cap() <= input_.lids.lid_top.value)
        return false;
    // LIDs that came or went since the loads were counted.
    std::size_t others = 0;
    const std::size_t count = std::max(state_.attachments.size(), before_.attachments.size());
    for (std::size_t lid = 0; lid < count; ++lid) {
      const Attachment counted =
          lid < state_.attachments.size() ? state_.attachments[lid] : Attachment{};
      others += counted.sw == then(lid).sw ? 0u : 1u;
    }
    constexpr std::size_t kFew = 64;
    return others <= count / kFew + 1;
  }

  void map_channels() {
    now_of_.assign(before_.graph.port.size(), kNoIndex);
    is_new_.assign(graph_.port.size(), true);
    for (const ChannelIndex channel : before_.graph.port.indices()) {
      const ChannelIndex current = was_.current_channel[channel];
      if (current == kNoIndex || open_[current] == 0) continue;
      if (state_.open[channel] == 0) continue;
      now_of_[channel] = current;
      is_new_[current] = false;
    }
  }

  void find_lids() {
    affected_.assign(rows_->attachments.size(), Affected::no);
    for (std::size_t lid = 1; lid < affected_.size(); ++lid) {
      if (now(lid).sw == kNoIndex) continue;
      const Attachment old = then(lid);
      if (old.sw == kNoIndex || was_.current_switch[old.sw] != now(lid).sw ||
          (old.out == 0) != (now(lid).out == 0))
        affected_[lid] = Affected::whole;
    }
  }

  void find_changed_distances() {
    std::vector<Affected> to(switches_, Affected::no);
    std::vector<std::uint8_t> row(hops_.pitch());
    for (const SwitchIndex last : graph_.all_switches()) {
      const std::uint8_t* const current = hops_.row(last);
      const std::uint8_t* old = state_.hops.row(was_.previous_switch[last]);
      if (!was_.same_switches) {
        for (std::size_t sw = 0; sw < switches_; ++sw) row[sw] = old[was_.previous_switch[sw]];
        old = row.data();
      }
      if (std::equal(current, current + switches_, old)) continue;
      to[last] = Affected::in_part;
      for (std::size_t sw = 0; sw < switches_; ++sw)
        if (current[sw] < old[sw]) to[last] = Affected::whole;
    }
    for (std::size_t lid = 1; lid < affected_.size(); ++lid)
      if (now(lid).sw != kNoIndex) affected_[lid] = std::max(affected_[lid], to[now(lid).sw]);
  }

  void find_lost_channels() {
    for (const SwitchIndex sw : before_.graph.all_switches()) {
      std::array<bool, 256> lost{};
      bool any = false;
      for (const ChannelIndex channel : before_.graph.channels(sw))
        if (now_of_[channel] == kNoIndex && state_.open[channel] != 0)
          any = lost[before_.graph.port[channel].value] = true;
      if (!any) continue;
      const auto row = previous_.row(sw);
      for (std::size_t lid = 1; lid < std::min(affected_.size(), row.size()); ++lid)
        if (lost[row[lid]] && now(lid).sw != kNoIndex)
          affected_[lid] = std::max(affected_[lid], Affected::in_part);
    }
  }

  // A switch with a new link leads LIDs over it that have the most loaded of the other shortest
  // hops, until it has the mean load of these.
  void find_new_channels() {
    for (const SwitchIndex sw : graph_.all_switches()) {
      std::vector<ChannelIndex> added;
      for (const ChannelIndex channel : graph_.channels(sw))
        if (open_[channel] != 0 && is_new_[channel]) added.push_back(channel);
      if (added.empty()) continue;
      // LIDs that it could lead over a new link, by the channel that they take now.
      const SwitchIndex sw_before = was_.previous_switch[sw];
      std::vector<std::vector<std::uint16_t>> over(before_.graph.degree(sw_before));
      const auto row = previous_.row(sw_before);
      for (std::size_t lid = 1; lid < std::min(affected_.size(), row.size()); ++lid) {
        if (affected_[lid] == Affected::whole || now(lid).sw == kNoIndex || now(lid).sw == sw ||
            now(lid).out == 0)
          continue;
        const std::uint8_t* const distance = hops_.row(now(lid).sw);
        if (std::ranges::none_of(added, [&](ChannelIndex channel) {
              return distance[graph_.neighbour[channel]] + 1 == distance[sw];
            }))
          continue;
        const std::uint8_t index = channels_before_.channel_indices(sw_before)[row[lid]];
        if (index != ChannelTable::kNoChannel)
          over[index].push_back(static_cast<std::uint16_t>(lid));
      }
      std::size_t lids = 0, used = 0;
      for (auto& of_channel : over) {
        std::ranges::sort(of_channel, {}, [](std::uint16_t lid) { return mix(lid); });
        lids += of_channel.size();
        used += of_channel.empty() ? 0u : 1u;
      }
      for (std::size_t left = lids / (used + added.size()) * added.size(); left > 0; --left) {
        const auto most = std::ranges::max_element(
            over, {}, [](const std::vector<std::uint16_t>& of) { return of.size(); });
        const std::uint16_t lid = most->back();
        most->pop_back();
        affected_[lid] = std::max(affected_[lid], Affected::in_part);
        forced_.emplace_back(lid, sw);
      }
    }
  }

  // Subtracts the previous paths of a LID from the loads.
  void take_back(std::uint16_t lid) {
    const Attachment& counted = state_.attachments[lid];
    if (counted.sw == kNoIndex || counted.out == 0 || then(lid).sw != counted.sw) return;
    if (hosts_before_.empty())
      hosts_before_ = hosts_of(state_.attachments, before_.switches.size());
    const auto order = near_before_.to(counted.sw, state_.hops, before_.switches.size());
    carried_.assign(hosts_before_.begin(), hosts_before_.end());
    for (std::size_t i = order.size(); i-- > 0;) {
      const ChannelIndex channel =
          channels_before_.channel(order[i], previous_.at(order[i], mad::Lid{lid}).value);
      if (channel == kNoIndex) continue;
      loads_[channel] -= carried_[order[i]];
      carried_[before_.graph.neighbour[channel]] += carried_[order[i]];
    }
  }

  void move_loads() {
    weight_.assign(graph_.port.size(), 0);
    for (const ChannelIndex channel : before_.graph.port.indices())
      if (now_of_[channel] != kNoIndex) weight_[now_of_[channel]] = std::max(0.0, loads_[channel]);
    hosts_ = hosts_of(rows_->attachments, switches_);
    cost_.assign(switches_, 0);
    via_.assign(switches_, kNoIndex);
  }

  void copy_tables() {
    const bool same_layout = was_.same_switches && previous_.lid_top() == input_.lids.lid_top;
    lfts_ = same_layout ? previous_ : sm::ForwardingTables(switches_, input_.lids.lid_top);
    std::vector<std::size_t> removed;
    for (std::size_t lid = 1; lid < lfts_.pitch(); ++lid)
      if (then(lid).sw != kNoIndex && is_removed(lid)) removed.push_back(lid);
    for (const SwitchIndex sw : graph_.all_switches()) {
      const auto row = lfts_.row(sw);
      const auto old = previous_.row(was_.previous_switch[sw]);
      if (!same_layout) std::copy_n(old.begin(), std::min(old.size(), row.size()), row.begin());
      for (const std::size_t lid : removed) row[lid] = mad::kNoPort.value;
    }
    for (std::size_t lid = 1; lid < affected_.size(); ++lid)
      if (now(lid).sw != kNoIndex) lfts_.row(now(lid).sw)[lid] = now(lid).out;
  }

  /// The channel that the switch has for the LID, if it is on a shortest path and is to stay.
  ChannelIndex kept(SwitchIndex sw, std::uint16_t lid, const std::uint8_t* distance) const {
    if (affected_[lid] == Affected::whole) return kNoIndex;
    const SwitchIndex sw_before = was_.previous_switch[sw];
    const ChannelIndex old =
        channels_before_.channel(sw_before, previous_.at(sw_before, mad::Lid{lid}).value);
    const ChannelIndex channel = old == kNoIndex ? ChannelIndex(kNoIndex) : now_of_[old];
    if (channel == kNoIndex || distance[graph_.neighbour[channel]] + 1 != distance[sw] ||
        std::ranges::binary_search(forced_, std::pair(lid, sw)))
      return kNoIndex;
    return channel;
  }

  ChannelIndex least_loaded(SwitchIndex sw, const std::uint8_t* distance) const {
    ChannelIndex best = kNoIndex;
    double least = std::numeric_limits<double>::infinity();
    for (const ChannelIndex channel : graph_.channels(sw)) {
      const SwitchIndex to = graph_.neighbour[channel];
      if (open_[channel] == 0 || distance[to] + 1 != distance[sw]) continue;
      if (const double cost = cost_[to] + weight_[channel]; cost < least) {
        least = cost;
        best = channel;
      }
    }
    return best;
  }

  void route(std::uint16_t lid) {
    const SwitchIndex last = now(lid).sw;
    const std::uint8_t* const distance = hops_.row(last);
    const auto order = near_.to(last, hops_, switches_);
    if (order.size() + 1 < switches_)
      for (const SwitchIndex sw : graph_.all_switches())
        if (distance[sw] == Hops::kNoPath) lfts_.row(sw)[lid] = mad::kNoPort.value;
    cost_[last] = 0;
    for (const SwitchIndex sw : order) {
      ChannelIndex channel = kept(sw, lid, distance);
      if (channel == kNoIndex) channel = least_loaded(sw, distance);
      via_[sw] = channel;
      cost_[sw] = cost_[graph_.neighbour[channel]] + weight_[channel];
      lfts_.row(sw)[lid] = graph_.port[channel].value;
    }
    if (now(lid).out == 0) return;  // paths to switches are not load
    carried_.assign(hosts_.begin(), hosts_.end());
    for (std::size_t i = order.size(); i-- > 0;) {
      const ChannelIndex channel = via_[order[i]];
      weight_[channel] += carried_[order[i]];
      carried_[graph_.neighbour[channel]] += carried_[order[i]];
    }
  }

  std::shared_ptr<const TableState> finished_state() {
    auto own = std::make_shared<LoadState>(hops_);
    own->switches = rows_->switches;
    own->loads = std::move(weight_);
    own->open = open_;
    own->attachments = rows_->attachments;
    rows_->own = std::move(own);
    return std::move(rows_);
  }

  const RoutingInput& input_;
  const sm::SwitchGraph& graph_;
  const TableState& before_;
  const sm::ForwardingTables& previous_;
  const LoadState& state_;
  const std::vector<std::uint8_t>& open_;
  const Hops& hops_;
  const Correspondence was_;
  std::shared_ptr<TableState> rows_;
  const ChannelTable channels_, channels_before_;
  const std::size_t switches_;
  std::vector<double> loads_;                           // by previous channel
  sm::IndexVector<ChannelIndex, ChannelIndex> now_of_;  // by previous channel; kNoIndex: lost, or
                                                        // not open at one of the two times
  std::vector<bool> is_new_;                            // by channel
  std::vector<Affected> affected_;                      // by LID
  std::vector<std::pair<std::uint16_t, SwitchIndex>> forced_;  // entries to be chosen again
  sm::ForwardingTables lfts_;
  NearFirst near_, near_before_;
  std::vector<double> hosts_, hosts_before_, carried_, cost_;  // by switch
  std::vector<double> weight_;                                 // by channel
  sm::IndexVector<SwitchIndex, ChannelIndex> via_;
};

}  // namespace

std::optional<Rerouted> reroute_by_load(const RoutingInput& input,
                                        const std::vector<std::uint8_t>& open, const Hops& hops) {
  if (input.previous_routing == nullptr || input.previous_routing->memory.adopted || input.adopt)
    return std::nullopt;
  const auto* const state =
      dynamic_cast<const LoadState*>(input.previous_routing->memory.rows->own.get());
  if (state == nullptr) return std::nullopt;
  return LoadReroute(input, *state, open, hops).run();
}

std::shared_ptr<const TableState> load_state(const RoutingInput& input, std::vector<double> loads,
                                             const std::vector<std::uint8_t>& open,
                                             const Hops& hops) {
  auto rows = std::make_shared<TableState>(table_state(input));
  auto own = std::make_shared<LoadState>(hops);
  own->switches = rows->switches;
  own->loads = std::move(loads);
  own->open = open;
  own->attachments = rows->attachments;
  rows->own = std::move(own);
  return rows;
}

}  // namespace routing
