#include "routing/engines/virtual_lanes/lash_result.h"

#include <algorithm>
#include <array>
#include <numeric>

#include "fabric/parallel.h"
#include "mad/format.h"
#include "routing/engines/virtual_lanes/path_changes.h"
#include "routing/graph/channel_table.h"
#include "routing/graph/destinations.h"
#include "routing/qos/spanning_tree.h"

namespace routing {

using fabric::ChannelIndex;
using fabric::kNoIndex;
using fabric::SwitchIndex;

void write_tables(const LashInput& frame, const LashPaths& paths, fabric::ForwardingTables& lfts) {
  const RoutingInput& input = frame.input;
  std::vector<Target> all = targets(input);
  std::ranges::sort(all, {}, [](const Target& target) { return target.lids.base; });
  fabric::in_parallel(input.graph.switches(), 16, [&](std::size_t begin, std::size_t end) {
    std::vector<std::uint32_t> load(input.graph.port.size(), 0);
    for (auto sw = SwitchIndex(begin); sw < end; ++sw) {
      const std::size_t cap = input.fabric.switches[sw].info.linear_fdb_cap();
      const auto row = lfts.writable_row(sw);
      for (const Target& target : all) {
        for (unsigned offset = 0; offset < target.lids.count(); ++offset) {
          const std::size_t lid = target.lids.base.value + offset;
          if (lid >= cap) continue;
          const unsigned tree = offset % paths.trees();
          if (target.end->sw == sw) {
            row[lid] = target.end->out.value;
          } else if (paths.position(tree, sw, target.end->sw) != LashPaths::kNone) {
            const auto links = frame.bundles.find_links(paths.channel(tree, sw, target.end->sw));
            const fabric::ChannelIndex link = *std::ranges::min_element(
                links, {}, [&](fabric::ChannelIndex channel) { return load[channel]; });
            load[link] += target.is_switch() ? 0 : 1;
            row[lid] = input.graph.port[link].value;
          }
        }
      }
    }
  });
}

namespace {

using Attachment = TableState::Attachment;

class TablesAfter {
 public:
  explicit TablesAfter(const LashTableChanges& changes)
      : changes_(changes),
        input_(changes.frame.input),
        full_(changes.frame.input.graph),
        bundles_(changes.frame.bundles),
        paths_(changes.paths),
        was_(changes.was),
        rows_(changes.rows),
        before_(*input_.previous_routing->memory.rows),
        channels_(full_) {}

  fabric::ForwardingTables make() {
    fabric::ForwardingTables lfts = moved_tables(input_, was_, rows_);
    lids_at_.resize(full_.switches());
    std::vector<std::uint16_t> arrived;  // LIDs that are new at their switch
    for (std::size_t lid = 1; lid < rows_.attachments.size(); ++lid) {
      const Attachment& now = rows_.attachments[lid];
      if (now.sw == kNoIndex) continue;
      lids_at_[now.sw].push_back(static_cast<std::uint16_t>(lid));
      const Attachment then =
          lid < before_.attachments.size() ? before_.attachments[lid] : Attachment{};
      if (then.sw == kNoIndex || was_.current_switch[then.sw] != now.sw)
        arrived.push_back(static_cast<std::uint16_t>(lid));
    }
    std::vector<bool> is_new(full_.port.size(), true);
    for (const ChannelIndex link : was_.current_channel)
      if (link != kNoIndex) is_new[link] = false;
    constexpr std::size_t kWorthAThread = 64;
    fabric::in_parallel(full_.switches(), kWorthAThread, [&](std::size_t begin, std::size_t end) {
      for (auto sw = SwitchIndex(begin); sw < end; ++sw) {
        write(sw, lid_range(sw, arrived, lfts), lfts);
        spread_over_new(sw, is_new, lfts);
      }
    });
    return lfts;
  }

 private:
  /// Returns the LIDs whose entries change, ascending.
  std::vector<std::uint16_t> lid_range(SwitchIndex sw, std::span<const std::uint16_t> arrived,
                                       const fabric::ForwardingTables& lfts) const {
    std::vector<std::uint16_t> lids(arrived.begin(), arrived.end());
    for (const SwitchIndex to : changes_.changed[sw])
      lids.insert(lids.end(), lids_at_[to].begin(), lids_at_[to].end());
    if (was_.previous_switch[sw] != kNoIndex) {
      std::array<bool, 256> lost{};
      bool any = false;
      for (const ChannelIndex channel : before_.graph.channels(was_.previous_switch[sw]))
        if (was_.current_channel[channel] == kNoIndex)
          any = lost[before_.graph.port[channel].value] = true;
      const auto row = lfts.row(sw);
      for (std::size_t lid = 1; any && lid < rows_.attachments.size(); ++lid)
        if (lost[row[lid]] && rows_.attachments[lid].sw != kNoIndex)
          lids.push_back(static_cast<std::uint16_t>(lid));
    }
    std::erase_if(lids, [&](std::uint16_t lid) { return rows_.attachments[lid].sw == sw; });
    std::ranges::sort(lids);
    const auto [first, last] = std::ranges::unique(lids);
    lids.erase(first, last);
    return lids;
  }

  void write(SwitchIndex sw, std::span<const std::uint16_t> lids,
             fabric::ForwardingTables& lfts) const {
    if (lids.empty()) return;
    const auto row = lfts.writable_row(sw);
    for (const std::uint16_t lid : lids) row[lid] = mad::kNoPort.value;
    std::vector<std::uint32_t> used = hosts_over(sw, row);
    const ChannelIndex first = full_.offsets[sw];
    for (const std::uint16_t lid : lids) {
      const Attachment& last = rows_.attachments[lid];
      if (paths_.position(0, sw, last.sw) == LashPaths::kNone) continue;
      const auto links = bundles_.find_links(paths_.channel(0, sw, last.sw));
      const ChannelIndex link = *std::ranges::min_element(
          links, {}, [&](ChannelIndex channel) { return used[channel - first]; });
      used[link - first] += last.out != 0 ? 1 : 0;
      row[lid] = full_.port[link].value;
    }
  }
  /// Returns, by channel of the switch, the number of host LIDs whose entry uses it.
  std::vector<std::uint32_t> hosts_over(SwitchIndex sw, std::span<const std::uint8_t> row) const {
    std::vector<std::uint32_t> used(full_.degree(sw), 0);
    if (full_.degree(sw) == bundles_.graph.degree(sw)) return used;  // nothing to choose
    const std::uint8_t* const index = channels_.channel_indices(sw);
    for (std::size_t lid = 1; lid < rows_.attachments.size(); ++lid)
      if (rows_.attachments[lid].sw != kNoIndex && rows_.attachments[lid].sw != sw &&
          rows_.attachments[lid].out != 0 && index[row[lid]] != ChannelTable::kNoChannel)
        ++used[index[row[lid]]];
    return used;
  }

  /// A new link parallel to old ones takes LIDs from these until all have equally many.
  void spread_over_new(SwitchIndex sw, const std::vector<bool>& is_new,
                       fabric::ForwardingTables& lfts) const {
    for (const ChannelIndex bundle : bundles_.graph.channels(sw)) {
      const auto links = bundles_.find_links(bundle);
      if (changes_.new_bundles[bundle] ||
          std::ranges::none_of(links, [&](ChannelIndex link) { return is_new[link]; }))
        continue;
      std::vector<std::vector<std::uint16_t>> over(full_.degree(sw));
      const auto row = lfts.writable_row(sw);
      for (std::size_t lid = 1; lid < rows_.attachments.size(); ++lid) {
        const ChannelIndex link = channels_.channel(sw, row[lid]);
        if (rows_.attachments[lid].sw != kNoIndex && rows_.attachments[lid].out != 0 &&
            link != kNoIndex && std::ranges::find(links, link) != links.end())
          over[link - full_.offsets[sw]].push_back(static_cast<std::uint16_t>(lid));
      }
      const auto count = [&](ChannelIndex link) { return over[link - full_.offsets[sw]].size(); };
      while (true) {
        const ChannelIndex most = *std::ranges::max_element(links, {}, count),
                           least = *std::ranges::min_element(links, {}, count);
        if (count(most) <= count(least) + 1) break;
        auto& from = over[most - full_.offsets[sw]];
        row[from.back()] = full_.port[least].value;
        over[least - full_.offsets[sw]].push_back(from.back());
        from.pop_back();
      }
    }
  }

  const LashTableChanges& changes_;
  const RoutingInput& input_;
  const fabric::SwitchGraph& full_;
  const Bundles& bundles_;
  const LashPaths& paths_;
  const Correspondence& was_;
  const TableState &rows_, &before_;
  const ChannelTable channels_;
  std::vector<std::vector<std::uint16_t>> lids_at_;  // by switch
};

}  // namespace

fabric::ForwardingTables lash_tables_after(const LashTableChanges& changes) {
  return TablesAfter(changes).make();
}

Bundles bundles_of(const fabric::SwitchGraph& full) {
  Bundles out;
  fabric::IndexVector<ChannelIndex, ChannelIndex> bundle_of(full.port.size());
  fabric::IndexVector<SwitchIndex, ChannelIndex> towards(
      full.switches(),
      kNoIndex);  // by neighbour: its bundle at the current switch
  for (const SwitchIndex sw : full.all_switches()) {
    const ChannelIndex begin = out.graph.port.next_index();
    out.graph.offsets.push_back(begin);
    for (const fabric::ChannelIndex channel : full.channels(sw)) {
      ChannelIndex& bundle = towards[full.neighbour[channel]];
      if (bundle == kNoIndex) {
        bundle = out.graph.port.next_index();
        out.graph.neighbour.push_back(full.neighbour[channel]);
        out.graph.port.push_back(full.port[channel]);
      }
      bundle_of[channel] = bundle;
    }
    for (ChannelIndex bundle = begin; bundle < out.graph.port.size(); ++bundle)
      towards[out.graph.neighbour[bundle]] = kNoIndex;
  }
  if (full.switches() > 0) out.graph.offsets.push_back(out.graph.port.next_index());
  out.graph.reverse.resize(out.graph.port.size());
  out.first.assign(out.graph.port.size() + 1, 0);
  for (const fabric::ChannelIndex channel : full.port.indices()) {
    out.graph.reverse[bundle_of[channel]] = bundle_of[full.reverse[channel]];
    ++out.first[bundle_of[channel] + 1];
  }
  std::partial_sum(out.first.begin(), out.first.end(), out.first.begin());
  out.links.resize(full.port.size());
  fabric::IndexVector<ChannelIndex, std::uint32_t> next(out.first);
  for (const fabric::ChannelIndex channel : full.port.indices())
    out.links[next[bundle_of[channel]]++] = channel;
  return out;
}

std::string unsafe_pairs(std::size_t count) {
  return fmt::format("{} for packets of switches between {} pairs in which one switch has no hosts",
                     kUnsafePairs, count);
}

PathSls sls_of(const LashInput& frame, const LashLayers& layers) {
  const RoutingInput& input = frame.input;
  const std::size_t switches = input.graph.switches();
  const auto sl = [&](unsigned tree, SwitchIndex from, SwitchIndex to) {
    return static_cast<std::uint8_t>(input.options.lash_start_vl + layers.vl(tree, from, to));
  };
  if (layers.paths().trees() == 1) {
    PathSls sls = PathSls::by_switch_pair(switches);
    for (SwitchIndex from{0}; from < switches; ++from)
      for (SwitchIndex to{0}; to < switches; ++to) sls.row(from)[to] = sl(0, from, to);
    return sls;
  }
  PathSls sls = PathSls::by_source_and_lid(switches, input.lids.lid_top);
  for (const Target& target : targets(input))
    for (SwitchIndex from{0}; from < switches; ++from)
      for (unsigned offset = 0; offset < target.lids.count(); ++offset)
        sls.row(from)[target.lids.base.value + offset] =
            sl(offset % layers.paths().trees(), from, target.end->sw);
  return sls;
}

fabric::IndexVector<SwitchIndex, fabric::ChannelIndex> first_links(
    const Bundles& bundles, fabric::IndexVector<SwitchIndex, fabric::ChannelIndex> up) {
  for (fabric::ChannelIndex& channel : up)
    if (channel != fabric::kNoIndex) channel = bundles.find_links(channel).front();
  return up;
}

fabric::IndexVector<SwitchIndex, fabric::ChannelIndex> lash_multicast_tree(const LashInput& frame,
                                                                           LashLayers& layers) {
  const Bundles& bundles = frame.bundles;
  if (frame.input.options.lash_start_vl > 0) return {};  // multicast uses the VLs below
  if (allows_shared_multicast_vl(layers.first_vl(), bundles.graph, frame.levels)) return {};
  const auto tree =
      spanning_tree_within(layers.first_vl(), bundles.graph,
                           std::vector<std::uint8_t>(bundles.graph.port.size(), 1), frame.order);
  if (!tree) return {};
  return first_links(bundles, tree->up);
}

std::shared_ptr<const TableState> lash_rows(const LashInput& frame, const LashPaths& paths,
                                            std::vector<std::uint32_t> hosts) {
  auto rows = std::make_shared<TableState>(table_state(frame.input));
  auto own = std::make_shared<LashState>(frame.bundles, frame.hops, paths);
  own->switches = rows->switches;
  own->hosts = std::move(hosts);
  rows->own = std::move(own);
  return rows;
}

}  // namespace routing
