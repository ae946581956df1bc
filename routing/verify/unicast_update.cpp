#include "routing/verify/unicast_update.h"

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <utility>

#include "routing/graph/channel_table.h"

namespace routing {

using fabric::kNoIndex;
using fabric::SwitchIndex;

namespace {

using Content = std::array<std::uint8_t, fabric::kLftBlockLids>;
constexpr std::uint32_t kNoBlock = 0xFFFFFFFFu;
constexpr std::uint8_t kDrops = mad::kNoPort.value;
constexpr std::size_t kOrderedMax = 1'000'000;  // most entries that an order is computed for

enum class WriteState : std::uint8_t {
  pending,  // to be written, or to be written again
  in_flight,
  done,
  lost,  // not acknowledged: not written again
};

}  // namespace

class UnicastUpdate::Impl {
 public:
  Impl(const fabric::SwitchGraph& graph, const HeldUnicast& held,
       const fabric::ForwardingTables& wanted, std::vector<LftUnit> of, mad::Lid last,
       std::vector<SwitchIndex> partly)
      : units(std::move(of)),
        partly_(std::move(partly)),
        graph_(graph),
        channel_table_(graph),
        held_(held),
        wanted_(wanted),
        last_block_(last == mad::Lid{} ? kNoBlock : last.value / fabric::kLftBlockLids) {
    state_.assign(units.size(), WriteState::pending);
    sent_.assign(units.size(), false);
    mark_.assign(graph.switches(), 0);
    is_written_.assign(graph.switches(), false);
    queue_.reserve(graph.switches());
    const UnitsByBlock by_block(units);
    is_ordered_.assign(by_block.blocks(), false);
    for (std::uint32_t block = 0; block < by_block.blocks(); ++block) {
      const std::span<const std::uint32_t> members = by_block.of(block);
      if (members.empty()) continue;
      const std::vector<unsigned> entries = ordered_entries(block, members);
      if (entries.empty()) continue;
      is_ordered_[block] = true;
      ordered_.push_back(OrderedBlock(*this, block, {members.begin(), members.end()}, entries));
    }
    std::size_t entries = 0;
    for (const OrderedBlock& block : ordered_) entries += block.size();
    at_once_ = entries > kOrderedMax;
  }

  std::vector<std::uint32_t> next_phase() {
    std::vector<std::uint32_t> phase;
    if (!std::exchange(begun_, true)) phase = without_order(false);
    for (OrderedBlock& ordered : ordered_)
      if (ordered.block != last_block_) ordered.add_phase(phase, at_once_);
    if (phase.empty()) {
      if (!std::exchange(last_begun_, true)) phase = without_order(true);
      for (OrderedBlock& ordered : ordered_)
        if (ordered.block == last_block_) ordered.add_phase(phase, false);
    }
    for (const std::uint32_t unit : phase) {
      state_[unit] = WriteState::in_flight;
      sent_[unit] = true;
    }
    return phase;
  }

  std::span<const std::uint8_t, fabric::kLftBlockLids> content(std::uint32_t unit) const {
    const auto partial = partial_.find(unit);
    return partial != partial_.end()
               ? std::span<const std::uint8_t, fabric::kLftBlockLids>(partial->second)
               : wanted_.block(units[unit].sw, units[unit].block);
  }

  void answered(std::uint32_t unit, bool acknowledged) {
    const auto partial = partial_.find(unit);
    // A switch that does not acknowledge may still hold the old or the new block.
    if (acknowledged) {
      const auto ordered =
          std::ranges::lower_bound(ordered_, units[unit].block, {}, &OrderedBlock::block);
      if (ordered != ordered_.end() && ordered->block == units[unit].block)
        ordered->acknowledged(unit);
    }
    state_[unit] = !acknowledged               ? WriteState::lost
                   : partial != partial_.end() ? WriteState::pending
                                               : WriteState::done;
    if (partial != partial_.end()) partial_.erase(partial);
  }

  std::vector<Left> left() const {
    std::vector<Left> out;
    for (std::uint32_t unit = 0; unit < units.size(); ++unit)
      if (state_[unit] != WriteState::done) out.push_back({unit, sent_[unit]});
    return out;
  }

  std::vector<LftUnit> units;

 private:
  /// Lists the units of each block, in their order.
  class UnitsByBlock {
   public:
    explicit UnitsByBlock(std::span<const LftUnit> units) : units_(units.size()) {
      for (const LftUnit& unit : units) {
        if (unit.block + 2 > ends_.size()) ends_.resize(unit.block + 2, 0);
        ++ends_[unit.block + 1];
      }
      std::partial_sum(ends_.begin(), ends_.end(), ends_.begin());
      std::vector<std::uint32_t> next = ends_;
      for (std::uint32_t unit = 0; unit < units.size(); ++unit)
        units_[next[units[unit].block]++] = unit;
    }
    std::uint32_t blocks() const { return static_cast<std::uint32_t>(ends_.size()) - 1; }
    std::span<const std::uint32_t> of(std::uint32_t block) const {
      return std::span(units_).subspan(ends_[block], ends_[block + 1] - ends_[block]);
    }

   private:
    std::vector<std::uint32_t> units_;
    std::vector<std::uint32_t> ends_{0};  // [block + 1]: where its units end in units_
  };

  /// Returns units of blocks that need no order: those of the last block if `last`, else the
  /// others.
  std::vector<std::uint32_t> without_order(bool last) const {
    std::vector<std::uint32_t> out;
    const auto needs_none = [&](const LftUnit& unit) {
      return !is_ordered_[unit.block] && (unit.block == last_block_) == last;
    };
    out.reserve(static_cast<std::size_t>(std::ranges::count_if(units, needs_none)));
    for (std::uint32_t unit = 0; unit < units.size(); ++unit)
      if (needs_none(units[unit])) out.push_back(unit);
    return out;
  }

  SwitchIndex next(SwitchIndex sw, std::uint8_t port) const {
    const fabric::ChannelIndex channel = channel_table_.channel(sw, port);
    return channel == kNoIndex ? kNoIndex : graph_.neighbour[channel];
  }
  std::uint8_t held_port(SwitchIndex sw, std::uint32_t block, unsigned entry) const {
    if (held_.tables == nullptr || block >= held_.tables->blocks() ||
        !held_.known[sw * held_.tables->blocks() + block])
      return kDrops;
    return held_.tables->block(sw, block)[entry];
  }
  std::uint8_t wanted_port(SwitchIndex sw, std::uint32_t block, unsigned entry) const {
    return block < wanted_.blocks() ? wanted_.block(sw, block)[entry] : kDrops;
  }

  SwitchIndex old_next(SwitchIndex sw, std::uint32_t block, unsigned entry) const {
    const std::uint8_t port = held_port(sw, block, entry);
    const fabric::ChannelIndex channel = channel_table_.channel(sw, port);
    if (channel == kNoIndex || (!held_.idle.empty() && held_.idle[channel])) return kNoIndex;
    return graph_.neighbour[channel];
  }
  SwitchIndex new_next(SwitchIndex sw, std::uint32_t block, unsigned entry) const {
    return next(sw, wanted_port(sw, block, entry));
  }

  /// Calls visit(switch) for each switch to which an adaptive choice may forward a packet to the
  /// LID.
  template <class Visit>
  void for_each_choice(SwitchIndex sw, std::uint32_t block, unsigned entry, Visit&& visit) const {
    if (!held_.choices) return;
    const mad::Lid lid{static_cast<std::uint16_t>(block * fabric::kLftBlockLids + entry)};
    const fabric::PortSet& ports = held_.choices(sw, lid);
    if (ports.none()) return;
    for (const fabric::ChannelIndex channel : graph_.channels(sw))
      if (ports[graph_.port[channel].value] && (held_.idle.empty() || !held_.idle[channel]))
        visit(graph_.neighbour[channel]);
  }

  /// Returns the entries of a block that could have a forwarding loop if all its writes were in
  /// flight at once. The cost depends only on the entries that change: a cycle has an edge of the
  /// old tables that the new ones lack, because the new tables have no cycle.
  std::vector<unsigned> ordered_entries(std::uint32_t block,
                                        std::span<const std::uint32_t> members) {
    if (held_.tables == nullptr || block >= held_.tables->blocks()) return {};
    std::vector<SwitchIndex> differing;
    for (const std::uint32_t unit : members) is_written_[units[unit].sw] = true;
    for (const std::uint32_t unit : members) add_differing(units[unit].sw, block, differing);
    for (const SwitchIndex sw : partly_)
      if (!is_written_[sw]) add_differing(sw, block, differing);
    std::vector<unsigned> out;
    for (unsigned entry = 0; entry < fabric::kLftBlockLids; ++entry) {
      queue_.clear();
      for (const SwitchIndex sw : differing) {
        const std::uint8_t old = held_port(sw, block, entry);
        if (old != kDrops && old != wanted_port(sw, block, entry) &&
            !is_wanted_hop(sw, block, entry))
          queue_.push_back(sw);
      }
      if (!queue_.empty() && may_loop(block, entry)) out.push_back(entry);
    }
    for (const std::uint32_t unit : members) is_written_[units[unit].sw] = false;
    return out;
  }

  /// True if the old entry leads nowhere, or to a switch where the new tables or groups also lead.
  bool is_wanted_hop(SwitchIndex sw, std::uint32_t block, unsigned entry) const {
    const SwitchIndex old = old_next(sw, block, entry);
    if (old == kNoIndex || old == new_next(sw, block, entry)) return true;
    if (held_.wanted_groups == nullptr) return false;
    const mad::Lid lid{static_cast<std::uint16_t>(block * fabric::kLftBlockLids + entry)};
    return held_.wanted_groups->ports(
        sw, held_.wanted_groups->find_group(lid))[held_port(sw, block, entry)];
  }

  void add_differing(SwitchIndex sw, std::uint32_t block, std::vector<SwitchIndex>& to) const {
    const bool same = block < wanted_.blocks() &&
                      std::ranges::equal(held_.tables->block(sw, block), wanted_.block(sw, block));
    if (!same && held_.known[sw * held_.tables->blocks() + block]) to.push_back(sw);
  }

  /// True if the graph of the old and new ports of all switches has a cycle that a depth-first
  /// search from the switches in queue_ reaches.
  bool may_loop(std::uint32_t block, unsigned entry) {
    const std::uint32_t on_path = ++epoch_, left = ++epoch_;
    std::vector<SwitchIndex> chosen;
    for (const SwitchIndex root : queue_) {
      if (mark_[root] == left) continue;
      mark_[root] = on_path;
      path_.assign(1, {root, 0});
      while (!path_.empty()) {
        auto& [at, edge] = path_.back();
        SwitchIndex to = kNoIndex;
        if (edge == 0) {
          to = old_next(at, block, entry);
        } else if (edge == 1) {
          to = is_written_[at] ? new_next(at, block, entry) : kNoIndex;
        } else {
          chosen.clear();
          for_each_choice(at, block, entry, [&](SwitchIndex next) { chosen.push_back(next); });
          if (edge - 2 == chosen.size()) {
            mark_[at] = left;
            path_.pop_back();
            continue;
          }
          to = chosen[edge - 2];
        }
        ++edge;
        if (to == kNoIndex || mark_[to] == left) continue;
        if (mark_[to] == on_path) return true;
        mark_[to] = on_path;
        path_.emplace_back(to, 0);
      }
    }
    return false;
  }

  /// Orders the writes of a block with entries that need an order.
  class OrderedBlock {
   public:
    OrderedBlock(Impl& all, std::uint32_t of, std::vector<std::uint32_t> members,
                 std::span<const unsigned> entries)
        : block(of),
          all_(&all),
          members_(std::move(members)),
          entries_(entries.begin(), entries.end()) {
      const std::size_t switches = all.graph_.switches();
      may_.assign(entries_.size() * switches, kMayOld);
      std::vector<std::uint32_t> distance(switches, 0);
      for (const std::uint32_t unit : members_) {
        const SwitchIndex sw = all.units[unit].sw;
        for (const unsigned entry : entries_)
          distance[sw] = std::max(distance[sw], all.hops_by_wanted(sw, block, entry));
      }
      std::ranges::sort(members_, {}, [&](std::uint32_t unit) {
        return std::pair(distance[all.units[unit].sw], unit);
      });
    }
    std::size_t size() const { return entries_.size() * members_.size(); }

    /// With `at_once`, so much is to be written that computing an order would take longer than the
    /// time in which packets are dropped without one.
    void add_phase(std::vector<std::uint32_t>& phase, bool at_once) {
      const std::size_t before = phase.size();
      for (const std::uint32_t unit : members_) {
        if (all_->state_[unit] != WriteState::pending || (at_once && !all_->sent_[unit])) continue;
        const SwitchIndex sw = all_->units[unit].sw;
        bool passes = true;
        for (std::size_t i = 0; i < entries_.size() && passes; ++i) passes = !closes_cycle(i, sw);
        if (!passes) continue;
        for (std::size_t i = 0; i < entries_.size(); ++i) may(i, sw) |= kMayNew;
        phase.push_back(unit);
      }
      if (phase.size() > before) return;
      // Every remaining write depends on another one: entries that close a cycle drop their packets
      // for one phase.
      for (const std::uint32_t unit : members_) {
        if (all_->state_[unit] != WriteState::pending) continue;
        const SwitchIndex sw = all_->units[unit].sw;
        Content content{};
        std::ranges::copy(all_->wanted_.block(sw, block), content.begin());
        bool changes = false;
        for (std::size_t i = 0; i < entries_.size(); ++i) {
          std::uint8_t& its = may(i, sw);
          if (at_once && !all_->sent_[unit] ? (its & kMayNew) == 0 : closes_cycle(i, sw)) {
            content[entries_[i]] = kDrops;
            changes = changes || (its & kMayOld) != 0;
          } else {
            changes = changes || (its & kMayNew) == 0;
            its |= kMayNew;
          }
        }
        if (!changes)
          continue;  // it drops them already; the write that it depends on was not acknowledged
        all_->partial_[unit] = content;
        phase.push_back(unit);
      }
    }

    void acknowledged(std::uint32_t unit) {
      const SwitchIndex sw = all_->units[unit].sw;
      const auto content = all_->content(unit);
      for (std::size_t i = 0; i < entries_.size(); ++i)
        may(i, sw) =
            content[entries_[i]] == all_->wanted_port(sw, block, entries_[i]) ? kMayNew : 0;
    }

    std::uint32_t block;

   private:
    static constexpr std::uint8_t kMayOld = 1,
                                  kMayNew = 2;  // the switch may hold the old port, the new port
    std::uint8_t& may(std::size_t i, SwitchIndex sw) {
      return may_[i * all_->graph_.switches() + sw];
    }

    /// True if a path from the wanted port of the switch may lead back to the switch.
    bool closes_cycle(std::size_t i, SwitchIndex sw) {
      const unsigned entry = entries_[i];
      const SwitchIndex first = all_->new_next(sw, block, entry);
      if (first == kNoIndex || (may(i, sw) & kMayNew) != 0 ||
          ((may(i, sw) & kMayOld) != 0 && all_->old_next(sw, block, entry) == first))
        return false;
      std::vector<std::uint32_t>& mark = all_->mark_;
      const std::uint32_t epoch = ++all_->epoch_;
      std::vector<SwitchIndex>& queue = all_->queue_;
      queue.assign(1, first);
      mark[first] = epoch;
      for (std::size_t next = 0; next < queue.size(); ++next) {
        const SwitchIndex at = queue[next];
        const std::uint8_t its = may(i, at);
        bool returns = false;
        const auto visit = [&](SwitchIndex to) {
          returns = returns || to == sw;
          if (to == kNoIndex || mark[to] == epoch) return;
          mark[to] = epoch;
          queue.push_back(to);
        };
        if ((its & kMayOld) != 0) visit(all_->old_next(at, block, entry));
        if ((its & kMayNew) != 0) visit(all_->new_next(at, block, entry));
        all_->for_each_choice(at, block, entry, visit);
        if (returns) return true;
      }
      return false;
    }

    Impl* all_;
    std::vector<std::uint32_t> members_;  // units, nearest to the destinations first
    std::vector<unsigned> entries_;       // of the block: 0 .. 63
    std::vector<std::uint8_t> may_;       // [entry][switch]
  };

  std::uint32_t hops_by_wanted(SwitchIndex sw, std::uint32_t block, unsigned entry) const {
    std::uint32_t hops = 0;
    for (const std::size_t most = graph_.switches(); sw != kNoIndex && hops < most; ++hops)
      sw = next(sw, wanted_port(sw, block, entry));
    return hops;
  }

  const std::vector<SwitchIndex> partly_;
  const fabric::SwitchGraph& graph_;
  const ChannelTable channel_table_;
  const HeldUnicast& held_;
  const fabric::ForwardingTables& wanted_;
  const std::uint32_t last_block_;
  std::vector<WriteState> state_;  // by unit
  std::vector<bool> sent_;         // by unit
  std::vector<bool> is_ordered_;   // by block: it is one of ordered_
  bool begun_ = false, last_begun_ = false;
  std::vector<OrderedBlock> ordered_;  // by block
  bool at_once_ = false;
  std::map<std::uint32_t, Content>
      partial_;  // by unit, of those with entries that drop for one phase
  // These are scratch space for the searches for cycles.
  std::vector<bool> is_written_;     // by switch: its block is a unit
  std::vector<std::uint32_t> mark_;  // by switch
  std::uint32_t epoch_ = 0;
  std::vector<std::pair<SwitchIndex, unsigned>> path_;  // switches, and which edge comes next
  std::vector<SwitchIndex> queue_;
};

UnicastUpdate::UnicastUpdate(const fabric::SwitchGraph& graph, const HeldUnicast& held,
                             const fabric::ForwardingTables& wanted, std::vector<LftUnit> units,
                             mad::Lid last, std::vector<SwitchIndex> partly)
    : impl_(
          std::make_unique<Impl>(graph, held, wanted, std::move(units), last, std::move(partly))) {}
UnicastUpdate::~UnicastUpdate() = default;
std::vector<std::uint32_t> UnicastUpdate::next_phase() { return impl_->next_phase(); }
const std::vector<LftUnit>& UnicastUpdate::units() const { return impl_->units; }
std::span<const std::uint8_t, fabric::kLftBlockLids> UnicastUpdate::content(
    std::uint32_t unit) const {
  return impl_->content(unit);
}
void UnicastUpdate::acknowledged(std::uint32_t unit) { impl_->answered(unit, true); }
void UnicastUpdate::lost(std::uint32_t unit) { impl_->answered(unit, false); }
std::vector<UnicastUpdate::Left> UnicastUpdate::left() const { return impl_->left(); }

}  // namespace routing
