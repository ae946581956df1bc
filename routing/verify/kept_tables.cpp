#include "routing/verify/kept_tables.h"

#include <algorithm>
#include <atomic>
#include <vector>

#include "fabric/parallel.h"
#include "routing/graph/channel_table.h"

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

}  // namespace routing
