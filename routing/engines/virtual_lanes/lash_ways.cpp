#include "routing/engines/virtual_lanes/lash_ways.h"

#include <algorithm>

#include "mad/format.h"

namespace routing {

using sm::kNoIndex;
using sm::SwitchIndex;

namespace {

class Chooser {
 public:
  Chooser(const LashSearch& search, LashTaste taste, AcyclicChannels& lane)
      : search_(search),
        graph_(search.graph),
        taste_(taste),
        lane_(lane),
        load_(graph_.port.size(), 0),
        cost_(graph_.switches()),
        misfits_(graph_.switches()),
        via_(graph_.switches()),
        carried_(graph_.switches()) {}

  void route(unsigned tree, SwitchIndex home, LashWays& out) {
    home_ = home;
    cost_[home] = 0;
    misfits_[home] = 0;
    via_[home] = kNoIndex;
    lane_.start_log();
    for (const ShortestDag::Source& source : search_.dag.sources()) {
      choose(source);
      out.set(tree, source.sw, home, via_[source.sw]);
    }
    carry();
  }
  void take_back(unsigned tree, SwitchIndex home, const LashWays& ways) {
    home_ = home;
    for (const ShortestDag::Source& source : search_.dag.sources())
      via_[source.sw] = ways.slot(tree, source.sw, home);
    add_load(~std::uint64_t{0});
  }
  void tell_loads(LashWays& out) const {
    for (const std::uint64_t load : load_) {
      out.worst = std::max(out.worst, load);
      out.badness += load * load;
    }
  }

 private:
  // What counts before the load, as far as it is known without a look at the lane.
  std::uint64_t rank(const ShortestDag::Hop& hop) const {
    return taste_ == LashTaste::mesh ? search_.axes->of_slot[hop.slot] : misfits_[hop.to];
  }

  bool fits(const ShortestDag::Hop& hop, bool only_what_is_there) {
    if (hop.to == home_) return true;
    const unsigned place = via_[hop.to] - graph_.offsets[hop.to];
    // Who sends to a switch without hosts has to fit in without a search.
    if (search_.hosts[home_] == 0) return lane_.allow_at_once(hop.slot, place);
    return only_what_is_there ? lane_.has(hop.slot, place) : lane_.allow(hop.slot, place);
  }

  void choose(const ShortestDag::Source& source) {
    keys_.clear();
    for (std::uint32_t k = source.begin; k < source.end; ++k) {
      const ShortestDag::Hop& hop = search_.dag.hops()[k];
      keys_.push_back({rank(hop), cost_[hop.to] + load_[hop.slot], k});
    }
    std::ranges::sort(keys_);
    const Key* chosen = &keys_.front();
    bool fit = true;
    if (taste_ != LashTaste::mesh) {
      const auto best_that_fits = [&](bool only_what_is_there) {
        const auto it = std::ranges::find_if(keys_, [&](const Key& key) {
          return key.rank == keys_.front().rank &&
                 fits(search_.dag.hops()[key.hop], only_what_is_there);
        });
        return it == keys_.end() ? nullptr : &*it;
      };
      const Key* fitting = taste_ == LashTaste::narrow ? best_that_fits(true) : nullptr;
      if (fitting == nullptr) fitting = best_that_fits(false);
      fit = fitting != nullptr;
      if (fit) chosen = fitting;
    }
    const ShortestDag::Hop& hop = search_.dag.hops()[chosen->hop];
    via_[source.sw] = hop.slot;
    cost_[source.sw] = chosen->cost;
    misfits_[source.sw] = misfits_[hop.to] + (fit ? 0u : 1u);
  }

  // Times -1 (modulo 2^64) takes it away.
  void add_load(std::uint64_t times) {
    std::ranges::copy(search_.hosts, carried_.begin());
    const auto sources = search_.dag.sources();
    for (std::size_t i = sources.size(); i-- > 0;) {
      const SwitchIndex sw = sources[i].sw;
      load_[via_[sw]] += times * carried_[sw] * search_.hosts[home_];
      carried_[graph_.neighbour[via_[sw]]] += carried_[sw];
    }
  }

  // Counts the load, and takes out of the lane what no hosts use.
  void carry() {
    add_load(1);
    if (search_.hosts[home_] == 0) return;
    lane_.take_out_unless([&](std::uint32_t from, unsigned to_place) {
      const SwitchIndex sw = graph_.neighbour[graph_.reverse[from]], next = graph_.neighbour[from];
      return via_[sw] == from && via_[next] == graph_.offsets[next] + to_place && carried_[sw] > 0;
    });
  }

  struct Key {
    std::uint64_t rank, cost;
    std::uint32_t hop;
    auto operator<=>(const Key&) const = default;
  };
  const LashSearch& search_;
  const sm::SwitchGraph& graph_;
  const LashTaste taste_;
  AcyclicChannels& lane_;
  std::vector<std::uint64_t> load_;  // per slot: pairs of hosts
  SwitchIndex home_ = kNoIndex;
  std::vector<Key> keys_;
  // By switch:
  std::vector<std::uint64_t> cost_;
  std::vector<std::uint32_t> misfits_;  // dependencies on the way that are not in the lane
  std::vector<std::uint32_t> via_;
  std::vector<std::uint32_t> carried_;
};

}  // namespace

LashWays choose_ways(const LashSearch& search, LashTaste taste, AcyclicChannels& first_lane) {
  LashWays out(search.graph, search.trees);
  Chooser chooser(search, taste, first_lane);
  for (unsigned pass = 0; pass < search.passes; ++pass) {
    for (const SwitchIndex home : search.destinations) {
      search.dag.find(home);
      for (unsigned tree = 0; tree < search.trees; ++tree) {
        if (pass > 0) chooser.take_back(tree, home, out);
        chooser.route(tree, home, out);
      }
    }
  }
  chooser.tell_loads(out);
  return out;
}

}  // namespace routing
