#include "routing/verify/changed_tables.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <mutex>

#include "fabric/parallel.h"
#include "routing/graph/destinations.h"
#include "routing/verify/credit_loops.h"

namespace routing {

using fabric::kNoIndex;
using fabric::SwitchIndex;

using EndPort = fabric::SwitchGraph::EndPort;

namespace {

using Hops = std::uint16_t;
constexpr Hops kLost = 0xFFFF;

/// Follows the entries of all switches for one LID.
class Column {
 public:
  Column(const RoutingInput& input, const ChannelTable& channels)
      : input_(input),
        channels_(channels),
        out_(input.graph.switches()),
        next_(input.graph.switches()),
        hops_(input.graph.switches()) {}

  void trace(const fabric::ForwardingTables& tables, mad::Lid lid, const EndPort& owner) {
    for (const SwitchIndex sw : input_.graph.all_switches()) {
      out_[sw] = tables.at(sw, lid).value;
      const bool fits = lid.value < input_.fabric.switches[sw].info.linear_fdb_cap();
      const fabric::ChannelIndex channel = fits ? channels_.channel(sw, out_[sw]) : kNoIndex;
      next_[sw] = channel == kNoIndex ? kNoIndex : input_.graph.neighbour[channel];
      hops_[sw] = kUnknown;
    }
    const bool fits = lid.value < input_.fabric.switches[owner.sw].info.linear_fdb_cap();
    hops_[owner.sw] = fits && out_[owner.sw] == owner.out.value ? 0 : kLost;
    for (const SwitchIndex from : input_.graph.all_switches()) {
      path_.clear();
      SwitchIndex sw = from;
      while (sw != kNoIndex && hops_[sw] == kUnknown) {
        hops_[sw] = kLost;  // until it is known to arrive; a forwarding loop ends here
        path_.push_back(sw);
        sw = next_[sw];
      }
      if (sw == kNoIndex || hops_[sw] == kLost) continue;
      for (Hops hops = hops_[sw]; !path_.empty(); path_.pop_back()) hops_[path_.back()] = ++hops;
    }
  }

  std::uint8_t out(SwitchIndex sw) const { return out_[sw]; }
  SwitchIndex next(SwitchIndex sw) const { return next_[sw]; }
  bool arrives(SwitchIndex sw) const { return hops_[sw] != kLost; }
  /// Returns the hops to the owner's switch; kLost if the LID does not arrive.
  Hops hops(SwitchIndex sw) const { return hops_[sw]; }

 private:
  static constexpr Hops kUnknown = 0xFFFE;
  const RoutingInput& input_;
  const ChannelTable& channels_;
  fabric::IndexVector<SwitchIndex, std::uint8_t> out_;
  fabric::IndexVector<SwitchIndex, SwitchIndex> next_;
  fabric::IndexVector<SwitchIndex, Hops> hops_;
  std::vector<SwitchIndex> path_;
};

/// Decides which entries stay, for one LID after the other; each thread has its own instance.
class Keeper {
 public:
  Keeper(const RoutingInput& input, const ChannelTable& channels,
         const fabric::ForwardingTables& found, const fabric::ForwardingTables& own,
         PathsToHosts guarantee)
      : input_(input),
        found_tables_(found),
        own_tables_(own),
        guarantee_(guarantee),
        found_(input, channels),
        own_(input, channels) {}

  /// Writes the entries that stay to `out`, which holds the entries of `own`. Returns their number.
  std::uint64_t keep(mad::Lid lid, const EndPort& owner, fabric::ForwardingTables& out) {
    found_.trace(found_tables_, lid, owner);
    own_.trace(own_tables_, lid, owner);
    const bool shortest =
        guarantee_ == PathsToHosts::no_longer_than_own && owner.out != mad::PortNum{0};
    const bool whole = std::ranges::all_of(input_.graph.all_switches(), [&](SwitchIndex sw) {
      return found_.arrives(sw) ? !shortest || found_.hops(sw) <= own_.hops(sw) : !own_.arrives(sw);
    });
    std::uint64_t kept = 0;
    for (const SwitchIndex sw : input_.graph.all_switches()) {
      const bool stays = whole || !shortest ? found_.arrives(sw) : leads_nearer(sw, owner);
      if (!stays || found_.out(sw) == own_.out(sw)) continue;
      out.writable_row(sw)[lid.value] = found_.out(sw);
      ++kept;
    }
    return kept;
  }

 private:
  bool leads_nearer(SwitchIndex sw, const EndPort& owner) const {
    if (sw == owner.sw) return found_.arrives(sw);
    const SwitchIndex next = found_.next(sw);
    return next != kNoIndex && own_.arrives(next) && own_.hops(next) < own_.hops(sw);
  }

  const RoutingInput& input_;
  const fabric::ForwardingTables& found_tables_;
  const fabric::ForwardingTables& own_tables_;
  const PathsToHosts guarantee_;
  Column found_, own_;
};

/// Returns one bit for each LID of the block with an entry that differs on some switch.
std::uint64_t differing(const fabric::ForwardingTables& a, const fabric::ForwardingTables& b,
                        std::size_t block) {
  std::uint64_t bits = 0;
  for (const SwitchIndex sw : a.all_switches()) {
    const auto left = a.block(sw, block), right = b.block(sw, block);
    if (std::ranges::equal(left, right)) continue;
    for (unsigned i = 0; i < fabric::kLftBlockLids; ++i)
      bits |= std::uint64_t{left[i] != right[i]} << i;
  }
  return bits;
}

}  // namespace

KeptTables keep_tables(const RoutingInput& input, const fabric::ForwardingTables& found,
                       const fabric::ForwardingTables& own, PathsToHosts guarantee) {
  KeptTables result{.lfts = own};
  result.lfts.own_rows();  // threads work on LIDs
  const ChannelTable channels(input.graph);
  std::vector<const EndPort*> end_of_port(input.fabric.ports.size(), nullptr);
  for (const EndPort& end : input.graph.end_ports) end_of_port[end.port] = &end;
  std::atomic<std::uint64_t> kept = 0;
  constexpr std::size_t kBlocksWorthAThread = 4;
  fabric::in_parallel(
      std::min(found.blocks(), own.blocks()), kBlocksWorthAThread,
      [&](std::size_t begin, std::size_t end) {
        Keeper keeper(input, channels, found, own, guarantee);
        for (std::size_t block = begin; block < end; ++block) {
          const std::uint64_t bits = differing(found, own, block);
          for (unsigned i = 0; i < fabric::kLftBlockLids; ++i) {
            if ((bits >> i & 1) == 0) continue;
            const mad::Lid lid{static_cast<std::uint16_t>(block * fabric::kLftBlockLids + i)};
            const fabric::PortIndex port = input.lids.owner(lid);
            if (port == kNoIndex || end_of_port[port] == nullptr) continue;
            const bool is_switch = end_of_port[port]->out == mad::PortNum{0};
            if (guarantee == PathsToHosts::only_own && !is_switch) continue;
            kept += keeper.keep(lid, *end_of_port[port], result.lfts);
          }
        }
      });
  result.kept = kept;
  return result;
}

ChangedTables::ChangedTables(const RoutingInput& input, const fabric::ForwardingTables& lfts,
                             const fabric::PublishedRouting& published)
    : input_(input),
      lfts_(lfts),
      published_(published),
      before_(*input.previous_routing->memory.rows),
      was_(correspondence(before_, input.fabric, input.graph)),
      attachments_(input.lids.lid_top.value + std::size_t{1}) {
  for (const Target& target : targets(input))
    for (unsigned k = 0; k < target.lids.count(); ++k)
      attachments_[target.lids.base.value + k] = {target.end->sw, target.end->out.value};
  for (std::size_t lid = 1; lid < attachments_.size(); ++lid) {
    if (attachments_[lid].sw == kNoIndex) continue;
    const bool known = lid < before_.attachments.size() && before_.attachments[lid].sw != kNoIndex;
    if (!known || was_.current_switch[before_.attachments[lid].sw] != attachments_[lid].sw ||
        before_.attachments[lid].out != attachments_[lid].out)
      moved_.push_back(mad::Lid{static_cast<std::uint16_t>(lid)});
  }
  compare();
  add_equal_entries();
}

void ChangedTables::compare() {
  std::mutex mutex;
  fabric::in_parallel(lfts_.switches(), 256, [&](std::size_t begin, std::size_t end) {
    std::vector<EntryChange> found;
    for (auto sw = SwitchIndex(begin); sw < end; ++sw) {
      const SwitchIndex was = was_.previous_switch[sw];
      if (was != kNoIndex && lfts_.shares_row(sw, input_.previous_routing->lfts, was)) continue;
      const std::span<const std::uint8_t> now = lfts_.row(sw);
      const std::span<const std::uint8_t> before = was == kNoIndex
                                                       ? std::span<const std::uint8_t>()
                                                       : input_.previous_routing->lfts.row(was);
      constexpr std::size_t kLids = fabric::kLftBlockLids;  // rows are whole blocks
      for (std::size_t first = 0; first < now.size(); first += kLids) {
        const bool known = first < before.size();
        if (known && std::memcmp(&now[first], &before[first], kLids) == 0) continue;
        for (std::size_t lid = first; lid < first + kLids; ++lid) {
          const std::uint8_t old = known ? before[lid] : mad::kNoPort.value;
          if (lid < attachments_.size() && attachments_[lid].sw != kNoIndex && now[lid] != old)
            found.push_back({sw, mad::Lid{static_cast<std::uint16_t>(lid)}});
        }
      }
    }
    const std::lock_guard lock(mutex);
    entries_.insert(entries_.end(), found.begin(), found.end());
  });
}

/// Adds equal entries by which packets take another path: the entry dates from a time when the LID
/// was already there, or when the port already had this link.
void ChangedTables::add_equal_entries() {
  std::vector<bool> moved(attachments_.size(), false);
  for (const mad::Lid lid : moved_) {
    moved[lid.value] = true;
    for (const SwitchIndex sw : input_.graph.all_switches())
      if (!differs(sw, lid)) entries_.push_back({sw, lid});
  }
  if (was_.same_graph) return;
  std::vector<bool> known(input_.graph.port.size(), false);  // by channel
  for (const fabric::ChannelIndex channel : was_.current_channel)
    if (channel != kNoIndex) known[channel] = true;
  for (const SwitchIndex sw : input_.graph.all_switches()) {
    const auto channels = input_.graph.channels(sw);
    if (std::ranges::all_of(channels, [&](fabric::ChannelIndex channel) { return known[channel]; }))
      continue;
    for (std::size_t value = 1; value < attachments_.size(); ++value) {
      const mad::Lid lid{static_cast<std::uint16_t>(value)};
      if (attachments_[value].sw != kNoIndex && !moved[value] && !differs(sw, lid) &&
          leads_by_new_link(sw, lid, known))
        entries_.push_back({sw, lid});
    }
  }
}

bool ChangedTables::differs(SwitchIndex sw, mad::Lid lid) const {
  const SwitchIndex was = was_.previous_switch[sw];
  const bool known = was != kNoIndex && lid.value < input_.previous_routing->lfts.pitch();
  return lfts_.at(sw, lid) != (known ? input_.previous_routing->lfts.at(was, lid) : mad::kNoPort);
}

bool ChangedTables::leads_by_new_link(SwitchIndex sw, mad::Lid lid,
                                      const std::vector<bool>& known) const {
  const auto ports = input_.graph.out_ports(sw);
  const mad::PortNum out = lfts_.at(sw, lid);
  const auto port = std::ranges::lower_bound(ports, out);
  return port != ports.end() && *port == out &&
         !known[input_.graph.offsets[sw] + static_cast<unsigned>(port - ports.begin())];
}

bool ChangedTables::arrives(SwitchIndex from, mad::Lid lid,
                            const TableState::Attachment& last_switch, VerifyRules rules) const {
  const fabric::SwitchGraph& graph = input_.graph;
  SwitchIndex sw = from;
  for (std::size_t steps = 0; steps <= graph.switches(); ++steps) {
    const mad::PortNum out = lfts_.at(sw, lid);
    if (sw == last_switch.sw) return out.value == last_switch.out;
    if (out == mad::kNoPort) return rules.switch_lids_may_be_withheld && last_switch.out == 0;
    const auto ports = graph.out_ports(sw);
    const auto port = std::ranges::lower_bound(ports, out);
    if (port == ports.end() || *port != out) return false;
    sw = graph.neighbour[graph.offsets[sw] + static_cast<unsigned>(port - ports.begin())];
  }
  return false;
}

bool ChangedTables::paths_arrive(VerifyRules rules) const {
  // From the first changed entry on its path, every packet is on a path that begins at a change.
  // Switches that lost a link may still have entries for it: all their entries count as changed.
  std::atomic<bool> good = true;
  fabric::in_parallel(entries_.size(), 20'000, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end && good; ++i)
      if (!arrives(entries_[i].sw, entries_[i].lid, attachments_[entries_[i].lid.value], rules))
        good = false;
  });
  for (SwitchIndex sw{0}; sw < lfts_.switches() && good; ++sw) {
    if (was_.previous_switch[sw] != kNoIndex && !was_.lost_channel[sw]) continue;
    for (std::size_t lid = 1; lid < attachments_.size() && good; ++lid)
      if (attachments_[lid].sw != kNoIndex &&
          !arrives(sw, mad::Lid{static_cast<std::uint16_t>(lid)}, attachments_[lid], rules))
        good = false;
  }
  return good;
}

bool ChangedTables::has_same_vls() const {
  const fabric::PublishedRouting& before = input_.previous_routing->published;
  if (published_.sls.shape() != before.sls.shape() ||
      published_.sls.free_bits != before.sls.free_bits)
    return false;
  // Classes of ports refer to the index of the switch.
  const bool by_switch = !published_.sl_to_vl.empty() && !published_.sl_to_vl.is_uniform();
  return (was_.same_switches || !by_switch) && published_.sl_to_vl == before.sl_to_vl;
}

ChannelGraph ChangedTables::combined_dependencies(const ChannelGraph& previous) const {
  ChannelGraph all = previous.moved_to(input_.graph, was_.current_channel);
  if (published_.sls.shape() == PathSls::Shape::zero && published_.sls.free_bits == 0 &&
      published_.sl_to_vl.empty()) {
    add_on_one_vl(all);
    return all;
  }
  const auto add = [&](const std::vector<bool>& to, const std::vector<bool>& from) {
    all.merge(find_dependencies_of(input_.graph, input_.lids, lfts_,
                                   {published_.sls, published_.sl_to_vl}, Traffic::between_hosts,
                                   to, from));
  };
  add(lids_with_changes(), {});
  const std::vector<bool> senders = new_senders();
  if (std::ranges::find(senders, true) != senders.end()) add({}, senders);
  return all;
}

/// Returns, by switch, whether it has hosts.
std::vector<bool> ChangedTables::senders() const {
  std::vector<bool> sends(input_.graph.switches(), false);
  for (const TableState::Attachment& last_switch : attachments_)
    if (last_switch.sw != kNoIndex && last_switch.out != 0) sends[last_switch.sw] = true;
  return sends;
}

/// Returns, by switch, whether it has hosts and had none before.
std::vector<bool> ChangedTables::new_senders() const {
  std::vector<bool> sent(input_.graph.switches(), false), found(input_.graph.switches(), false);
  for (const TableState::Attachment& last_switch : before_.attachments)
    if (last_switch.sw != kNoIndex && last_switch.out != 0 &&
        was_.current_switch[last_switch.sw] != kNoIndex)
      sent[was_.current_switch[last_switch.sw]] = true;
  for (const mad::Lid from : moved_) {
    const TableState::Attachment& last_switch = attachments_[from.value];
    if (last_switch.out != 0 && !sent[last_switch.sw]) found[last_switch.sw] = true;
  }
  return found;
}

std::vector<bool> ChangedTables::inner_lids_with_changed_paths() const {
  std::vector<bool> inner(attachments_.size(), false), changed(attachments_.size(), false);
  std::vector<std::pair<SwitchIndex, std::uint8_t>> places;  // of CAs inside of switches; sorted
  for (const auto& end : input_.graph.end_ports)
    if (!end.is_host()) places.emplace_back(end.sw, end.out.value);
  for (std::size_t lid = 0; lid < inner.size(); ++lid)
    inner[lid] =
        std::ranges::binary_search(places, std::pair(attachments_[lid].sw, attachments_[lid].out));
  for (const EntryChange& change : entries_)
    if (inner[change.lid.value]) changed[change.lid.value] = true;
  return changed;
}

/// Returns, by LID, whether an entry or the SL of a path differs.
std::vector<bool> ChangedTables::lids_with_changes() const {
  std::vector<bool> changed(attachments_.size(), false);
  for (const EntryChange& change : entries_) changed[change.lid.value] = true;
  mark_changed_sls(changed);
  return changed;
}

void ChangedTables::mark_changed_sls(std::vector<bool>& changed) const {
  const PathSls &now = published_.sls, &before = input_.previous_routing->published.sls;
  if (now.shape() == PathSls::Shape::zero) return;
  if (now.shape() == PathSls::Shape::switch_pair) return mark_changed_pairs(changed);
  const bool by_lid = now.shape() == PathSls::Shape::destination;
  for (const SwitchIndex from : input_.graph.all_switches()) {
    const SwitchIndex was = was_.previous_switch[from];
    for (std::size_t value = 1; value < attachments_.size(); ++value) {
      const mad::Lid lid{static_cast<std::uint16_t>(value)};
      const SwitchIndex last_switch = attachments_[value].sw;
      if (last_switch == kNoIndex || changed[value] || attachments_[value].out == 0) continue;
      const SwitchIndex last_was = was_.previous_switch[last_switch];
      changed[value] = was == kNoIndex || last_was == kNoIndex ||
                       now.at(from, lid, last_switch) != before.at(was, lid, last_was);
    }
    if (by_lid) return;  // the same from all switches
  }
}

void ChangedTables::mark_changed_pairs(std::vector<bool>& changed) const {
  const PathSls &now = published_.sls, &before = input_.previous_routing->published.sls;
  std::vector<bool> to_changed(input_.graph.switches(), false);
  for (const SwitchIndex from : input_.graph.all_switches()) {
    const SwitchIndex was = was_.previous_switch[from];
    const auto row = now.row(from);
    const auto old = was == kNoIndex ? row : before.row(was);
    for (const SwitchIndex to : input_.graph.all_switches()) {
      const SwitchIndex to_was = was_.previous_switch[to];
      if (was == kNoIndex || to_was == kNoIndex || row[to] != old[to_was]) to_changed[to] = true;
    }
  }
  for (std::size_t lid = 1; lid < attachments_.size(); ++lid)
    if (attachments_[lid].sw != kNoIndex && attachments_[lid].out != 0 &&
        to_changed[attachments_[lid].sw])
      changed[lid] = true;
}

void ChangedTables::add_on_one_vl(ChannelGraph& all) const {
  const fabric::SwitchGraph& graph = input_.graph;
  const ChannelTable channels(graph);
  const std::vector<bool> sends = senders();
  for (const EntryChange& change : entries_) {
    if (attachments_[change.lid.value].out == 0) continue;  // only the SM sends to switches
    // Every switch has a route to every LID. If a core switch has lost its downward path to a host,
    // its route goes down and up again; that would close cycles if packets between hosts ever used
    // it.
    if (!is_passed(change.sw, change.lid, channels, sends)) continue;
    const std::uint8_t exit =
        channels.channel_indices(change.sw)[lfts_.at(change.sw, change.lid).value];
    if (exit == ChannelTable::kNoChannel) continue;
    // Packets may arrive by any link over which the tables of neighbours send them.
    for (const fabric::ChannelIndex out : graph.channels(change.sw)) {
      const SwitchIndex neighbour = graph.neighbour[out];
      if (channels.channel(neighbour, lfts_.at(neighbour, change.lid).value) ==
              graph.reverse[out] &&
          is_passed(neighbour, change.lid, channels, sends))
        all.add(graph.reverse[out], 0, exit, 0);
    }
    add_path(change.sw, change.lid, channels, all);
  }
  // Switches that had no senders before now have paths to all LIDs.
  const std::vector<bool> begin = new_senders();
  for (const SwitchIndex from : graph.all_switches()) {
    if (!begin[from]) continue;
    for (std::size_t lid = 1; lid < attachments_.size(); ++lid)
      if (attachments_[lid].sw != kNoIndex && attachments_[lid].out != 0)
        add_path(from, mad::Lid{static_cast<std::uint16_t>(lid)}, channels, all);
  }
}

/// True if packets of some host to the LID come to the switch. The links by which they can come
/// form a tree, because the tables have no forwarding loop.
bool ChangedTables::is_passed(SwitchIndex sw, mad::Lid lid, const ChannelTable& channels,
                              const std::vector<bool>& senders) const {
  if (senders[sw]) return true;
  const fabric::SwitchGraph& graph = input_.graph;
  std::vector<SwitchIndex> open{sw};
  for (std::size_t i = 0; i < open.size() && i <= graph.switches(); ++i) {
    if (senders[open[i]]) return true;
    for (const fabric::ChannelIndex out : graph.channels(open[i])) {
      const SwitchIndex neighbour = graph.neighbour[out];
      if (channels.channel(neighbour, lfts_.at(neighbour, lid).value) == graph.reverse[out])
        open.push_back(neighbour);
    }
  }
  return false;
}

void ChangedTables::add_path(SwitchIndex from, mad::Lid lid, const ChannelTable& channels,
                             ChannelGraph& dependencies) const {
  const fabric::SwitchGraph& graph = input_.graph;
  SwitchIndex sw = from;
  std::uint8_t exit = channels.channel_indices(sw)[lfts_.at(sw, lid).value];
  for (std::size_t steps = 0; steps < graph.switches() && exit != ChannelTable::kNoChannel;
       ++steps) {
    const fabric::ChannelIndex channel = graph.offsets[sw] + exit;
    sw = graph.neighbour[channel];
    exit = channels.channel_indices(sw)[lfts_.at(sw, lid).value];
    if (exit != ChannelTable::kNoChannel) dependencies.add(channel, 0, exit, 0);
  }
}

}  // namespace routing
