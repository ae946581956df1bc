#include "routing/qos/lanes.h"

#include <algorithm>
#include <numeric>
#include <optional>

#include "mad/format.h"
#include "routing/graph/batches.h"
#include "routing/graph/destinations.h"
#include "routing/graph/slot_table.h"
#include "routing/qos/acyclic_channels.h"
#include "routing/qos/spanning_tree.h"
#include "routing/verify/credit_loops.h"

namespace routing {

using sm::kNoIndex;
using sm::SwitchIndex;

namespace {

struct Destination {
  mad::Lid lid;
  SwitchIndex home;
};

// LIDs of hosts, ascending: an order that discovery has no part in.
std::vector<Destination> destinations_of(const std::vector<Target>& targets) {
  std::vector<Destination> out;
  for (const Target& target : targets)
    for (unsigned i = 0; !target.is_switch() && i < target.lids.count(); ++i)
      out.push_back(
          {mad::Lid{static_cast<std::uint16_t>(target.lids.base.value + i)}, target.end->sw});
  std::ranges::sort(out, {}, &Destination::lid);
  return out;
}

// Fills lanes in turn, one destination after the other.
class FirstFit {
 public:
  FirstFit(const RoutingInput& input, const sm::ForwardingTables& lfts, unsigned vls)
      : input_(input),
        graph_(input.graph),
        lfts_(lfts),
        slots_(input.graph),
        vls_(vls),
        destinations_(destinations_of(targets(input))) {
    is_source_.assign(graph_.switches(), false);
    for (const Destination& destination : destinations_) {
      if (!is_source_[destination.home]) sources_.push_back(destination.home);
      is_source_[destination.home] = true;
    }
    to_.resize(graph_.switches());
    slot_.resize(graph_.switches());
    wanted_.resize(graph_.switches());
    fits_.resize(graph_.switches());
    passed_.assign(graph_.switches(), 0);
    order_.resize(graph_.port.size());
    std::iota(order_.begin(), order_.end(), 0u);
  }

  /// The lane of each path. Nothing if one has none.
  bool run(PathSls& lanes) {
    for (const Destination& destination : destinations_)
      if (!place(destination, lanes)) return false;
    return true;
  }
  /// A tree that all packets can go on in the first lane. Nothing if there is none.
  std::optional<SpanningTree> tree() {
    if (lanes_.empty()) return std::nullopt;
    return spanning_tree_within(lanes_.front(), graph_,
                                std::vector<std::uint8_t>(graph_.port.size(), 1), by_guid(input_));
  }
  const std::vector<std::uint64_t>& paths() const { return paths_; }  // per lane
  std::string missing() const { return missing_; }
  const std::vector<Destination>& destinations() const { return destinations_; }

 private:
  // Switches on ways to the destination, nearest first.
  void collect(const Destination& destination) {
    near_first_.clear();
    ++now_;
    passed_[destination.home] = now_;
    for (const SwitchIndex from : sources_) {
      way_.clear();
      SwitchIndex sw = from;
      while (passed_[sw] != now_) {
        passed_[sw] = now_;
        way_.push_back(sw);
        slot_[sw] = slots_.slot(sw, lfts_.at(sw, destination.lid).value);
        to_[sw] = slot_[sw] == kNoIndex ? kNoIndex : graph_.neighbour[slot_[sw]];
        if (to_[sw] == kNoIndex) break;
        sw = to_[sw];
      }
      near_first_.insert(near_first_.end(), way_.rbegin(), way_.rend());
    }
  }

  bool place(const Destination& destination, PathSls& lanes) {
    collect(destination);
    std::size_t left = 0;
    for (const SwitchIndex sw : near_first_) {
      wanted_[sw] = is_source_[sw];
      left += wanted_[sw] ? 1u : 0u;
    }
    for (unsigned lane = 0; left > 0; ++lane) {
      if (lane == vls_) return note_missing(destination);
      if (lane == lanes_.size()) {
        lanes_.emplace_back(graph_, order_);
        paths_.push_back(0);
      }
      // From afar to near, so that only channels that somebody needs are looked at.
      for (const SwitchIndex sw : near_first_) fits_[sw] = wanted_[sw];
      for (std::size_t i = near_first_.size(); i-- > 0;) {
        const SwitchIndex sw = near_first_[i];
        if (fits_[sw] && to_[sw] != kNoIndex && to_[sw] != destination.home) fits_[to_[sw]] = true;
      }
      for (const SwitchIndex sw : near_first_) {
        if (!fits_[sw] || to_[sw] == destination.home)
          continue;  // a way of one hop waits for nothing
        const SwitchIndex next = to_[sw];
        fits_[sw] =
            next == kNoIndex || to_[next] == kNoIndex ||
            (fits_[next] && lanes_[lane].allow(slot_[sw], slot_[next] - graph_.offsets[next]));
      }
      for (const SwitchIndex sw : near_first_) {
        if (!wanted_[sw] || !fits_[sw]) continue;
        wanted_[sw] = false;
        --left;
        ++paths_[lane];
        lanes.row(sw)[destination.lid.value] = static_cast<std::uint8_t>(lane);
      }
    }
    return true;
  }

  bool note_missing(const Destination& destination) {
    const auto from =
        *std::ranges::find_if(near_first_, [&](SwitchIndex sw) { return wanted_[sw]; });
    missing_ = fmt::format(
        "{} virtual lanes are not enough: packets from {} to LID {} of {} would wait for others in "
        "a circle on each of them",
        vls_, input_.fabric.name(input_.fabric.switches[from].node), destination.lid,
        input_.fabric.port_name(input_.lids.owner(destination.lid)));
    return false;
  }

  const RoutingInput& input_;
  const sm::SwitchGraph& graph_;
  const sm::ForwardingTables& lfts_;
  const SlotTable slots_;
  const unsigned vls_;
  const std::vector<Destination> destinations_;
  std::vector<SwitchIndex> sources_;  // that have hosts, by their lowest LID
  std::vector<bool> is_source_;
  std::vector<AcyclicChannels> lanes_;
  std::vector<std::uint64_t> paths_;
  std::vector<std::uint32_t> order_;
  std::string missing_;

  // Of the destination at work, by switch.
  std::vector<SwitchIndex> to_;
  std::vector<std::uint32_t> slot_;
  std::vector<bool> wanted_;  // hosts there have no lane yet
  std::vector<bool> fits_;    // the way from there is in the lane at work
  std::vector<std::uint32_t> passed_;
  std::uint32_t now_ = 0;
  std::vector<SwitchIndex> near_first_, way_;
};

// Lanes that each class has, and where they begin, when all are handed out by need.
struct Shares {
  std::vector<unsigned> first, count;
};

Shares share_out(const std::vector<std::uint64_t>& paths, unsigned vls) {
  Shares shares{std::vector<unsigned>(paths.size()), std::vector<unsigned>(paths.size(), 1)};
  for (unsigned left = vls - static_cast<unsigned>(paths.size()); left > 0; --left) {
    std::size_t most = 0;
    for (std::size_t i = 1; i < paths.size(); ++i)
      if (paths[i] * shares.count[most] > paths[most] * shares.count[i]) most = i;
    ++shares.count[most];
  }
  std::exclusive_scan(shares.count.begin(), shares.count.end(), shares.first.begin(), 0u);
  return shares;
}

std::vector<std::uint8_t> weights_of(const Shares& shares,
                                     const std::vector<std::uint64_t>& paths) {
  constexpr double kLargest = 64;
  double most = 1;
  for (std::size_t i = 0; i < paths.size(); ++i)
    most = std::max(most, static_cast<double>(paths[i]) / shares.count[i]);
  std::vector<std::uint8_t> out;
  for (std::size_t i = 0; i < paths.size(); ++i)
    out.insert(out.end(), shares.count[i],
               static_cast<std::uint8_t>(std::max(
                   1.0, kLargest * static_cast<double>(paths[i]) / shares.count[i] / most)));
  return out;
}

}  // namespace

tl::expected<LaneAssignment, Refusal> assign_lanes(const RoutingInput& input,
                                                   const sm::ForwardingTables& lfts, unsigned vls) {
  LaneAssignment out;
  out.vls = vls;
  if (find_credit_loops(input.graph, input.lids, lfts, {{}, {}}, Traffic::between_hosts).ok()) {
    out.weights.assign(vls, 64);
    if (vls == 1) return out;
    out.sls = PathSls::by_destination(input.lids.lid_top);
    const auto destinations = destinations_of(targets(input));
    for (std::size_t i = 0; i < destinations.size(); ++i)
      out.sls.row(0)[destinations[i].lid.value] = static_cast<std::uint8_t>(i % vls);
    return out;
  }
  out.sls = PathSls::by_source_and_lid(input.graph.switches(), input.lids.lid_top);
  FirstFit fit(input, lfts, vls);
  if (!fit.run(out.sls)) return tl::unexpected(Refusal{fit.missing()});
  out.needed = static_cast<unsigned>(fit.paths().size());
  if (auto tree = fit.tree()) out.multicast_up = std::move(tree->up);
  const Shares shares = share_out(fit.paths(), vls);
  out.weights = weights_of(shares, fit.paths());
  for (SwitchIndex sw = 0; sw < input.graph.switches(); ++sw) {
    const auto row = out.sls.row(sw);
    for (std::size_t i = 0; i < fit.destinations().size(); ++i) {
      std::uint8_t& lane = row[fit.destinations()[i].lid.value];
      lane = static_cast<std::uint8_t>(shares.first[lane] + i % shares.count[lane]);
    }
  }
  return out;
}

}  // namespace routing
