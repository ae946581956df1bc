#include "routing/verify/unicast_update.h"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "routing/graph/slot_table.h"

namespace routing {

using sm::kNoIndex;
using sm::SwitchIndex;

namespace {

using Content = std::array<std::uint8_t, sm::kLftBlockLids>;
constexpr std::uint8_t kDrops = mad::kNoPort.value;
constexpr std::size_t kOrderedMax = 1'000'000;  // entries that an order is looked for

enum class Standing : std::uint8_t {
  waiting,  // to be written, or to be written once more
  under_way,
  done,
  lost,  // it does not answer: not asked again
};

}  // namespace

class UnicastUpdate::Impl {
 public:
  Impl(const sm::SwitchGraph& graph, const HeldUnicast& held, const sm::ForwardingTables& wanted,
       std::vector<LftUnit> of, mad::Lid last)
      : units(std::move(of)),
        graph_(graph),
        slots_(graph),
        held_(held),
        wanted_(wanted),
        last_block_(last == mad::Lid{} ? kNoIndex : last.value / sm::kLftBlockLids) {
    standing_.assign(units.size(), Standing::waiting);
    sent_.assign(units.size(), false);
    mark_.assign(graph.switches(), 0);
    queue_.reserve(graph.switches());
    std::map<std::uint32_t, std::vector<std::uint32_t>> of_block;
    for (std::uint32_t unit = 0; unit < units.size(); ++unit)
      of_block[units[unit].block].push_back(unit);
    for (auto& [block, members] : of_block) {
      std::vector<unsigned> careful = careful_entries(block, members);
      if (careful.empty()) {
        for (const std::uint32_t unit : members)
          (block == last_block_ ? plain_last_ : plain_).push_back(unit);
      } else {
        careful_.push_back(Careful(*this, block, std::move(members), careful));
      }
    }
    std::ranges::sort(plain_);
    std::size_t careful = 0;
    for (const Careful& block : careful_) careful += block.size();
    at_once_ = careful > kOrderedMax;
  }

  std::vector<std::uint32_t> next_phase() {
    std::vector<std::uint32_t> phase = std::exchange(plain_, {});
    for (Careful& careful : careful_)
      if (careful.block != last_block_) careful.add_phase(phase, at_once_);
    if (phase.empty()) {
      phase = std::exchange(plain_last_, {});
      for (Careful& careful : careful_)
        if (careful.block == last_block_) careful.add_phase(phase, false);
    }
    for (const std::uint32_t unit : phase) {
      standing_[unit] = Standing::under_way;
      sent_[unit] = true;
    }
    return phase;
  }

  std::span<const std::uint8_t, sm::kLftBlockLids> content(std::uint32_t unit) const {
    const auto partial = partial_.find(unit);
    return partial != partial_.end()
               ? std::span<const std::uint8_t, sm::kLftBlockLids>(partial->second)
               : wanted_.block(units[unit].sw, units[unit].block);
  }

  void answered(std::uint32_t unit, bool acknowledged) {
    const auto partial = partial_.find(unit);
    // Who does not answer may do all that it might have done before.
    if (acknowledged) {
      const auto careful =
          std::ranges::lower_bound(careful_, units[unit].block, {}, &Careful::block);
      if (careful != careful_.end() && careful->block == units[unit].block)
        careful->acknowledged(unit);
    }
    standing_[unit] = !acknowledged               ? Standing::lost
                      : partial != partial_.end() ? Standing::waiting
                                                  : Standing::done;
    if (partial != partial_.end()) partial_.erase(partial);
  }

  std::vector<Left> left() const {
    std::vector<Left> out;
    for (std::uint32_t unit = 0; unit < units.size(); ++unit)
      if (standing_[unit] != Standing::done) out.push_back({unit, sent_[unit]});
    return out;
  }

  std::vector<LftUnit> units;

 private:
  SwitchIndex next(SwitchIndex sw, std::uint8_t port) const {
    const std::uint32_t slot = slots_.slot(sw, port);
    return slot == kNoIndex ? kNoIndex : graph_.neighbour[slot];
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
    return next(sw, held_port(sw, block, entry));
  }
  SwitchIndex new_next(SwitchIndex sw, std::uint32_t block, unsigned entry) const {
    return next(sw, wanted_port(sw, block, entry));
  }

  /// Entries of a block whose packets might get into a circle if all its writes were under way at
  /// once.
  std::vector<unsigned> careful_entries(std::uint32_t block,
                                        std::span<const std::uint32_t> members) {
    std::vector<unsigned> out;
    for (unsigned entry = 0; held_.tables != nullptr && entry < sm::kLftBlockLids; ++entry) {
      bool moves = false;  // where nobody leads packets otherwise than they shall go, there are
                           // only ways of the new tables
      for (SwitchIndex sw = 0; sw < graph_.switches() && !moves; ++sw) {
        const std::uint8_t old = held_port(sw, block, entry);
        moves = old != kDrops && old != wanted_port(sw, block, entry);
      }
      if (moves && may_circulate(block, entry, members)) out.push_back(entry);
    }
    return out;
  }

  /// A circle in the graph of all that switches may do: what is left when switches that nobody
  /// leads to are taken away, one after the other.
  bool may_circulate(std::uint32_t block, unsigned entry, std::span<const std::uint32_t> members) {
    const std::size_t switches = graph_.switches();
    in_degree_.assign(switches, 0);
    two_.assign(switches, {kNoIndex, kNoIndex});
    for (SwitchIndex sw = 0; sw < switches; ++sw) two_[sw][0] = old_next(sw, block, entry);
    for (const std::uint32_t unit : members)
      two_[units[unit].sw][1] = new_next(units[unit].sw, block, entry);
    for (const auto& both : two_)
      for (const SwitchIndex to : both)
        if (to != kNoIndex) ++in_degree_[to];
    queue_.clear();
    for (SwitchIndex sw = 0; sw < switches; ++sw)
      if (in_degree_[sw] == 0) queue_.push_back(sw);
    for (std::size_t i = 0; i < queue_.size(); ++i)
      for (const SwitchIndex to : two_[queue_[i]])
        if (to != kNoIndex && --in_degree_[to] == 0) queue_.push_back(to);
    return queue_.size() < switches;
  }

  /// A block with entries that must not be written just so.
  class Careful {
   public:
    Careful(Impl& all, std::uint32_t of, std::vector<std::uint32_t> members,
            std::span<const unsigned> entries)
        : block(of),
          all_(&all),
          members_(std::move(members)),
          entries_(entries.begin(), entries.end()) {
      const std::size_t switches = all.graph_.switches();
      may_.assign(entries_.size() * switches, kMayOld);
      std::vector<std::uint32_t> distance(switches, 0);
      for (const unsigned entry : entries_)
        for (SwitchIndex sw = 0; sw < switches; ++sw)
          distance[sw] = std::max(distance[sw], all.hops_by_wanted(sw, block, entry));
      std::ranges::sort(members_, {}, [&](std::uint32_t unit) {
        return std::pair(distance[all.units[unit].sw], unit);
      });
    }
    std::size_t size() const { return entries_.size() * members_.size(); }

    /// `at_once`: with so much to write, looking for an order takes longer than the packets would
    /// be dropped.
    void add_phase(std::vector<std::uint32_t>& phase, bool at_once) {
      const std::size_t before = phase.size();
      for (const std::uint32_t unit : members_) {
        if (all_->standing_[unit] != Standing::waiting || (at_once && !all_->sent_[unit])) continue;
        const SwitchIndex sw = all_->units[unit].sw;
        bool passes = true;
        for (std::size_t i = 0; i < entries_.size() && passes; ++i) passes = !closes_circle(i, sw);
        if (!passes) continue;
        for (std::size_t i = 0; i < entries_.size(); ++i) may(i, sw) |= kMayNew;
        phase.push_back(unit);
      }
      if (phase.size() > before) return;
      // Each of them waits for another one: packets of the entries that are in the way are dropped
      // for a while.
      for (const std::uint32_t unit : members_) {
        if (all_->standing_[unit] != Standing::waiting) continue;
        const SwitchIndex sw = all_->units[unit].sw;
        Content content{};
        std::ranges::copy(all_->wanted_.block(sw, block), content.begin());
        bool changes = false;
        for (std::size_t i = 0; i < entries_.size(); ++i) {
          std::uint8_t& its = may(i, sw);
          if (at_once && !all_->sent_[unit] ? (its & kMayNew) == 0 : closes_circle(i, sw)) {
            content[entries_[i]] = kDrops;
            changes = changes || (its & kMayOld) != 0;
          } else {
            changes = changes || (its & kMayNew) == 0;
            its |= kMayNew;
          }
        }
        if (!changes)
          continue;  // it drops them already, and has to wait for one that does not answer
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
                                  kMayNew =
                                      2;  // the switch may lead packets as it did, as it shall
    std::uint8_t& may(std::size_t i, SwitchIndex sw) {
      return may_[i * all_->graph_.switches() + sw];
    }

    /// The way that the switch shall lead packets of the entry may lead back to it.
    bool closes_circle(std::size_t i, SwitchIndex sw) {
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
        for (const SwitchIndex to :
             {(its & kMayOld) != 0 ? all_->old_next(at, block, entry) : kNoIndex,
              (its & kMayNew) != 0 ? all_->new_next(at, block, entry) : kNoIndex}) {
          if (to == sw) return true;
          if (to == kNoIndex || mark[to] == epoch) continue;
          mark[to] = epoch;
          queue.push_back(to);
        }
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

  const sm::SwitchGraph& graph_;
  const SlotTable slots_;
  const HeldUnicast& held_;
  const sm::ForwardingTables& wanted_;
  const std::uint32_t last_block_;
  std::vector<Standing> standing_;  // by unit
  std::vector<bool> sent_;          // by unit
  std::vector<std::uint32_t> plain_, plain_last_;
  std::vector<Careful> careful_;  // by block
  bool at_once_ = false;
  std::map<std::uint32_t, Content> partial_;  // by unit, of those that drop something for a while
  // For looking for circles.
  std::vector<std::array<SwitchIndex, 2>> two_;
  std::vector<std::uint32_t> in_degree_, mark_;
  std::uint32_t epoch_ = 0;
  std::vector<SwitchIndex> queue_;
};

UnicastUpdate::UnicastUpdate(const sm::SwitchGraph& graph, const HeldUnicast& held,
                             const sm::ForwardingTables& wanted, std::vector<LftUnit> units,
                             mad::Lid last)
    : impl_(std::make_unique<Impl>(graph, held, wanted, std::move(units), last)) {}
UnicastUpdate::~UnicastUpdate() = default;
std::vector<std::uint32_t> UnicastUpdate::next_phase() { return impl_->next_phase(); }
const std::vector<LftUnit>& UnicastUpdate::units() const { return impl_->units; }
std::span<const std::uint8_t, sm::kLftBlockLids> UnicastUpdate::content(std::uint32_t unit) const {
  return impl_->content(unit);
}
void UnicastUpdate::acknowledged(std::uint32_t unit) { impl_->answered(unit, true); }
void UnicastUpdate::lost(std::uint32_t unit) { impl_->answered(unit, false); }
std::vector<UnicastUpdate::Left> UnicastUpdate::left() const { return impl_->left(); }

}  // namespace routing
