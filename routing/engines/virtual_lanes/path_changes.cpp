#include "routing/engines/virtual_lanes/path_changes.h"

#include <algorithm>
#include <array>
#include <tuple>

#include "routing/core/mix.h"
#include "routing/graph/destinations.h"

namespace routing {

using fabric::ChannelIndex;
using fabric::kNoIndex;
using fabric::SwitchIndex;

std::shared_ptr<LoadState> add_load_state(TableState& rows, std::vector<double> loads,
                                          const std::vector<std::uint8_t>& open,
                                          const HopTable<std::uint8_t>& hops) {
  auto own = std::make_shared<LoadState>(hops);
  own->switches = rows.switches;
  own->loads = std::move(loads);
  own->open = open;
  own->attachments = rows.attachments;
  rows.own = own;
  return own;
}

std::vector<double> list_hosts(const std::vector<TableState::Attachment>& attachments,
                               std::size_t switches) {
  std::vector<double> hosts(switches, 0);
  for (const TableState::Attachment& at : attachments)
    if (at.sw != kNoIndex && at.out != 0) ++hosts[at.sw];
  return hosts;
}

const LoadState* previous_load_state(const RoutingInput& input) {
  if (input.previous_routing == nullptr || input.previous_routing->memory.adopted || input.adopt)
    return nullptr;
  return dynamic_cast<const LoadState*>(input.previous_routing->memory.rows->own.get());
}

PathChanges::PathChanges(const RoutingInput& input, const LoadState& state,
                         const std::vector<std::uint8_t>& open, const HopTable<std::uint8_t>& hops)
    : input_(input),
      graph_(input.graph),
      before_(*input.previous_routing->memory.rows),
      previous_(input.previous_routing->lfts),
      state_(state),
      open_(open),
      hops_(hops),
      was_(routing::correspondence(before_, input.fabric, input.graph)),
      rows_(std::make_shared<TableState>(table_state(input))),
      channels_before_(before_.graph),
      switches_(input.graph.switches()) {
  if (!is_possible()) return;
  for (const SwitchIndex sw : graph_.all_switches())
    if (was_.previous_switch[sw] == kNoIndex) new_switches_.push_back(sw);
  std::ranges::sort(new_switches_, {}, [&](SwitchIndex sw) { return rows_->switches[sw]; });
  map_channels();
  find_lids();
  find_changed_distances();
  find_lost_channels();
  find_new_channels();
  std::ranges::sort(forced_);
  std::size_t affected = 0;
  for (const Affected& how : affected_) affected += how == Affected::no ? 0u : 1u;
  constexpr std::size_t kFewSwitches = 16;
  few_ = 2 * affected <= affected_.size() && new_switches_.size() <= switches_ / kFewSwitches + 1;
}

bool PathChanges::is_possible() const {
  if (previous_.switches() != before_.switches.size() || state_.switches != before_.switches ||
      state_.loads.size() != before_.graph.port.size())
    return false;
  for (const SwitchIndex sw : graph_.all_switches())
    if (input_.fabric.switches[sw].info.linear_fdb_cap() <= input_.lids.lid_top.value) return false;
  // Counts LIDs that came or went since the loads were counted.
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

void PathChanges::map_channels() {
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

void PathChanges::find_lids() {
  affected_.assign(rows_->attachments.size(), Affected::no);
  for (std::size_t lid = 1; lid < affected_.size(); ++lid) {
    if (now(lid).sw == kNoIndex) continue;
    const Attachment old = then(lid);
    if (old.sw == kNoIndex || was_.current_switch[old.sw] != now(lid).sw ||
        (old.out == 0) != (now(lid).out == 0))
      affected_[lid] = Affected::whole;
  }
}

void PathChanges::find_changed_distances() {
  std::vector<Affected> to(switches_, Affected::no);
  std::vector<std::uint8_t> row(hops_.pitch());
  for (const SwitchIndex last : graph_.all_switches()) {
    if (was_.previous_switch[last] == kNoIndex) continue;  // all paths to its LIDs are new
    const std::uint8_t* const current = hops_.row(last);
    const std::uint8_t* old = state_.hops.row(was_.previous_switch[last]);
    if (!was_.same_switches) {
      for (std::size_t sw = 0; sw < switches_; ++sw) {
        const SwitchIndex then = was_.previous_switch[sw];
        row[sw] = then == kNoIndex ? current[sw] : old[then];
      }
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

void PathChanges::find_lost_channels() {
  for (const SwitchIndex sw : before_.graph.all_switches()) {
    if (was_.current_switch[sw] == kNoIndex) continue;  // its own paths are no longer needed
    std::array<bool, 256> lost{};
    bool any = false;
    for (const ChannelIndex channel : before_.graph.channels(sw))
      if (now_of_[channel] == kNoIndex && state_.open[channel] != 0)
        any = lost[before_.graph.port[channel].value] = true;
    if (!any) continue;
    with_lost_channel_.push_back(was_.current_switch[sw]);
    const auto row = previous_.row(sw);
    for (std::size_t lid = 1; lid < std::min(affected_.size(), row.size()); ++lid)
      if (lost[row[lid]] && now(lid).sw != kNoIndex)
        affected_[lid] = std::max(affected_[lid], Affected::entries);
  }
  std::ranges::sort(with_lost_channel_);
}

// A switch with a new link moves LIDs to it from the most loaded of its other shortest hops, until
// the new link has the mean load of these.
void PathChanges::find_new_channels() {
  for (const SwitchIndex sw : graph_.all_switches()) {
    if (was_.previous_switch[sw] == kNoIndex) continue;
    std::vector<ChannelIndex> added;
    for (const ChannelIndex channel : graph_.channels(sw))
      if (open_[channel] != 0 && is_new_[channel]) added.push_back(channel);
    if (added.empty()) continue;
    // Lists the LIDs that could use a new link, by their present channel.
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
      if (index != ChannelTable::kNoChannel) over[index].push_back(static_cast<std::uint16_t>(lid));
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
      affected_[lid] = std::max(affected_[lid], Affected::entries);
      forced_.emplace_back(lid, sw);
    }
  }
}

std::vector<std::uint16_t> PathChanges::counted() const {
  std::vector<std::uint16_t> lids;
  for (std::size_t lid = 1; lid < state_.attachments.size(); ++lid) {
    const Attachment& counted = state_.attachments[lid];
    if (counted.sw == kNoIndex || counted.out == 0 || then(lid).sw != counted.sw) continue;
    if (is_removed(lid) || affected_[lid] > Affected::entries)
      lids.push_back(static_cast<std::uint16_t>(lid));
  }
  return lids;
}

void PathChanges::find_lost_entries(std::vector<LostEntry>& lost) const {
  const auto needs_entry = [&](std::size_t lid, SwitchIndex sw) {
    return now(lid).sw != kNoIndex && now(lid).sw != sw &&
           hops_.row(now(lid).sw)[sw] != HopTable<std::uint8_t>::kNoPath;
  };
  const auto add_if_lost = [&](std::size_t value, SwitchIndex sw) {
    const auto lid = static_cast<std::uint16_t>(value);
    if (affected_[lid] == Affected::entries && needs_entry(lid, sw) && kept(sw, lid) == kNoIndex)
      lost.push_back({lid, sw, 0});
  };
  for (const SwitchIndex sw : with_lost_channel_)
    for (std::size_t lid = 1; lid < affected_.size(); ++lid) add_if_lost(lid, sw);
  for (const auto& [lid, sw] : forced_)
    if (!std::ranges::binary_search(with_lost_channel_, sw)) add_if_lost(lid, sw);
  for (const SwitchIndex sw : new_switches_)
    for (std::size_t lid = 1; lid < affected_.size(); ++lid)
      if (affected_[lid] <= Affected::entries && needs_entry(lid, sw))
        lost.push_back({static_cast<std::uint16_t>(lid), sw, 0});
  std::ranges::sort(lost, {}, [&](const LostEntry& entry) {
    return std::tuple(entry.lid, hops_.row(now(entry.lid).sw)[entry.sw], rows_->switches[entry.sw]);
  });
}

/// True if the loads count the LID at its place before this change.
bool PathChanges::is_counted(std::uint16_t lid) const {
  return lid < state_.attachments.size() && state_.attachments[lid].sw != kNoIndex &&
         state_.attachments[lid].out != 0 && state_.attachments[lid].sw == then(lid).sw;
}

/// `from` is a previous switch.
void PathChanges::take_back(SwitchIndex from, std::uint16_t lid, double hosts,
                            std::vector<double>& loads) const {
  std::size_t hops = 0;
  for (SwitchIndex sw = from; sw != then(lid).sw && hops < before_.graph.switches(); ++hops) {
    const ChannelIndex channel =
        channels_before_.channel(sw, previous_.at(sw, mad::Lid{lid}).value);
    if (channel == kNoIndex) return;
    loads[channel] -= hosts;
    sw = before_.graph.neighbour[channel];
  }
}

std::vector<PathChanges::LostEntry> PathChanges::lost_entries(std::vector<double>& loads) const {
  const std::vector<double> hosts = list_hosts(state_.attachments, before_.graph.switches()),
                            hosts_now = list_hosts(rows_->attachments, switches_);
  std::vector<bool> is_lost(before_.graph.switches(), false);
  for (const SwitchIndex sw : before_.graph.all_switches()) {
    if (was_.current_switch[sw] != kNoIndex) continue;
    is_lost[sw] = true;
    for (std::size_t value = 1; hosts[sw] > 0 && value < affected_.size(); ++value)
      if (const auto lid = static_cast<std::uint16_t>(value);
          is_counted(lid) && !is_removed(lid) && affected_[lid] <= Affected::entries)
        take_back(sw, lid, hosts[sw], loads);
  }
  std::vector<LostEntry> lost;
  find_lost_entries(lost);
  for (std::size_t begin = 0, end = 0; begin < lost.size(); begin = end) {
    while (end < lost.size() && lost[end].lid == lost[begin].lid) ++end;
    const std::uint16_t lid = lost[begin].lid;
    if (now(lid).out == 0) continue;  // paths to switches are not load
    const auto of_lid = std::span(lost).subspan(begin, end - begin);
    const auto mark = [&](bool value) {
      for (const LostEntry& entry : of_lid)
        if (const SwitchIndex sw = was_.previous_switch[entry.sw]; sw != kNoIndex)
          is_lost[sw] = value;
    };
    mark(true);
    for (LostEntry& entry : of_lid) {
      const SwitchIndex sw = was_.previous_switch[entry.sw];
      entry.hosts = sw == kNoIndex ? hosts_now[entry.sw] : hosts_before(sw, lid, hosts, is_lost);
      if (sw != kNoIndex && is_counted(lid)) take_back(sw, lid, entry.hosts, loads);
    }
    mark(false);
  }
  return lost;
}

/// Returns the hosts whose packets to the LID reach the previous switch without passing a switch of
/// `is_lost`.
double PathChanges::hosts_before(SwitchIndex sw, std::uint16_t lid, std::span<const double> hosts,
                                 const std::vector<bool>& is_lost) const {
  const fabric::SwitchGraph& graph = before_.graph;
  double sum = 0;
  std::vector<SwitchIndex> open{sw};
  for (std::size_t i = 0; i < open.size() && i < graph.switches(); ++i) {
    sum += hosts[open[i]];
    for (const ChannelIndex channel : graph.channels(open[i])) {
      const SwitchIndex other = graph.neighbour[channel];
      if (!is_lost[other] &&
          channels_before_.channel(other, previous_.at(other, mad::Lid{lid}).value) ==
              graph.reverse[channel])
        open.push_back(other);
    }
  }
  return sum;
}

ChannelIndex PathChanges::kept(SwitchIndex sw, std::uint16_t lid) const {
  const SwitchIndex sw_before = was_.previous_switch[sw];
  if (affected_[lid] == Affected::whole || sw_before == kNoIndex) return kNoIndex;
  const ChannelIndex old =
      channels_before_.channel(sw_before, previous_.at(sw_before, mad::Lid{lid}).value);
  if (old == kNoIndex || std::ranges::binary_search(forced_, std::pair(lid, sw))) return kNoIndex;
  return now_of_[old];
}

std::vector<double> PathChanges::moved(const std::vector<double>& loads) const {
  std::vector<double> moved(graph_.port.size(), 0);
  for (const ChannelIndex channel : before_.graph.port.indices())
    if (now_of_[channel] != kNoIndex) moved[now_of_[channel]] = std::max(0.0, loads[channel]);
  return moved;
}

fabric::ForwardingTables moved_tables(const RoutingInput& input, const Correspondence& was,
                                      const TableState& rows) {
  const fabric::ForwardingTables& previous = input.previous_routing->lfts;
  const auto& then = input.previous_routing->memory.rows->attachments;
  const auto& now = rows.attachments;
  const bool same_layout = was.same_switches && previous.lid_top() == input.lids.lid_top;
  fabric::ForwardingTables lfts =
      same_layout ? previous : fabric::ForwardingTables(input.graph.switches(), input.lids.lid_top);
  std::vector<std::size_t> removed;
  for (std::size_t lid = 1; lid < std::min(lfts.pitch(), then.size()); ++lid)
    if (then[lid].sw != kNoIndex && (lid >= now.size() || now[lid].sw == kNoIndex))
      removed.push_back(lid);
  for (const SwitchIndex sw : input.graph.all_switches()) {
    if (was.previous_switch[sw] == kNoIndex) continue;
    if (!same_layout) lfts.take_row(sw, previous, was.previous_switch[sw]);
    for (const std::size_t lid : removed)
      if (lfts.row(sw)[lid] != mad::kNoPort.value) lfts.writable_row(sw)[lid] = mad::kNoPort.value;
  }
  for (std::size_t lid = 1; lid < now.size(); ++lid)
    if (now[lid].sw != kNoIndex && lfts.row(now[lid].sw)[lid] != now[lid].out)
      lfts.writable_row(now[lid].sw)[lid] = now[lid].out;
  return lfts;
}

}  // namespace routing
