#include "routing/qos/vl_assignment.h"

#include <algorithm>
#include <numeric>
#include <optional>

#include "mad/format.h"
#include "routing/graph/batches.h"
#include "routing/graph/channel_table.h"
#include "routing/graph/destinations.h"
#include "routing/qos/acyclic_channels.h"
#include "routing/qos/spanning_tree.h"
#include "routing/verify/credit_loops.h"

namespace routing {

using fabric::kNoIndex;
using fabric::SwitchIndex;

namespace {

struct Destination {
  mad::Lid lid;
  SwitchIndex last_switch;
};

// Returns LIDs of hosts, ascending: this order does not depend on discovery.
std::vector<Destination> destinations_of(const std::vector<Target>& targets) {
  std::vector<Destination> out;
  for (const Target& target : targets)
    for (unsigned i = 0; !target.is_switch() && i < target.lids.count(); ++i)
      out.push_back(
          {mad::Lid{static_cast<std::uint16_t>(target.lids.base.value + i)}, target.end->sw});
  std::ranges::sort(out, {}, &Destination::lid);
  return out;
}

// Fills VLs in ascending order, one destination after the other.
class FirstFit {
 public:
  FirstFit(const RoutingInput& input, const fabric::ForwardingTables& lfts, unsigned vls)
      : input_(input),
        graph_(input.graph),
        lfts_(lfts),
        channel_table_(input.graph),
        vls_(vls),
        destinations_(destinations_of(targets(input))) {
    is_source_.assign(graph_.switches(), false);
    for (const Destination& destination : destinations_) {
      if (!is_source_[destination.last_switch]) sources_.push_back(destination.last_switch);
      is_source_[destination.last_switch] = true;
    }
    to_.resize(graph_.switches());
    channel_.resize(graph_.switches());
    wanted_.resize(graph_.switches());
    fits_.resize(graph_.switches());
    passed_.assign(graph_.switches(), 0);
    order_.resize(graph_.port.size());
    std::iota(order_.begin(), order_.end(), fabric::ChannelIndex{0});
  }

  /// Writes the VL of each path. Returns false if a path fits on no VL.
  bool run(PathSls& path_vls) {
    for (const Destination& destination : destinations_)
      if (!assign(destination, path_vls)) return false;
    return true;
  }
  /// Returns a tree for all packets on the first VL; nullopt if there is none.
  std::optional<SpanningTree> tree() {
    if (channels_.empty()) return std::nullopt;
    return spanning_tree_within(channels_.front(), graph_,
                                std::vector<std::uint8_t>(graph_.port.size(), 1), by_guid(input_));
  }
  const std::vector<std::uint64_t>& paths() const { return paths_; }  // per VL
  std::string missing() const { return missing_; }
  const std::vector<Destination>& destinations() const { return destinations_; }

 private:
  // Collects switches on paths to the destination, nearest first.
  void collect(const Destination& destination) {
    near_first_.clear();
    ++now_;
    passed_[destination.last_switch] = now_;
    for (const SwitchIndex from : sources_) {
      path_.clear();
      SwitchIndex sw = from;
      while (passed_[sw] != now_) {
        passed_[sw] = now_;
        path_.push_back(sw);
        channel_[sw] = channel_table_.channel(sw, lfts_.at(sw, destination.lid).value);
        to_[sw] = channel_[sw] == kNoIndex ? SwitchIndex(kNoIndex) : graph_.neighbour[channel_[sw]];
        if (to_[sw] == kNoIndex) break;
        sw = to_[sw];
      }
      near_first_.insert(near_first_.end(), path_.rbegin(), path_.rend());
    }
  }

  bool assign(const Destination& destination, PathSls& path_vls) {
    collect(destination);
    std::size_t left = 0;
    for (const SwitchIndex sw : near_first_) {
      wanted_[sw] = is_source_[sw];
      left += wanted_[sw] ? 1u : 0u;
    }
    for (unsigned vl = 0; left > 0; ++vl) {
      if (vl == vls_) return note_missing(destination);
      if (vl == channels_.size()) {
        channels_.emplace_back(graph_, order_);
        paths_.push_back(0);
      }
      // The farthest switches come first, so that only channels on paths without a VL are checked.
      for (const SwitchIndex sw : near_first_) fits_[sw] = wanted_[sw];
      for (std::size_t i = near_first_.size(); i-- > 0;) {
        const SwitchIndex sw = near_first_[i];
        if (fits_[sw] && to_[sw] != kNoIndex && to_[sw] != destination.last_switch)
          fits_[to_[sw]] = true;
      }
      for (const SwitchIndex sw : near_first_) {
        if (!fits_[sw] || to_[sw] == destination.last_switch)
          continue;  // a path of one hop has no channel dependency
        const SwitchIndex next = to_[sw];
        fits_[sw] = next == kNoIndex || to_[next] == kNoIndex ||
                    (fits_[next] &&
                     channels_[vl].allow(channel_[sw], channel_[next] - graph_.offsets[next]));
      }
      for (const SwitchIndex sw : near_first_) {
        if (!wanted_[sw] || !fits_[sw]) continue;
        wanted_[sw] = false;
        --left;
        ++paths_[vl];
        path_vls.row(sw)[destination.lid.value] = static_cast<std::uint8_t>(vl);
      }
    }
    return true;
  }

  bool note_missing(const Destination& destination) {
    const auto from =
        *std::ranges::find_if(near_first_, [&](SwitchIndex sw) { return wanted_[sw]; });
    missing_ = fmt::format(
        "{} virtual lanes are not enough: packets from {} to LID {} of {} would close a credit "
        "loop on each of them",
        vls_, input_.fabric.name(input_.fabric.switches[from].node), destination.lid,
        input_.fabric.port_name(input_.lids.owner(destination.lid)));
    return false;
  }

  const RoutingInput& input_;
  const fabric::SwitchGraph& graph_;
  const fabric::ForwardingTables& lfts_;
  const ChannelTable channel_table_;
  const unsigned vls_;
  const std::vector<Destination> destinations_;
  std::vector<SwitchIndex> sources_;  // with hosts, by their lowest LID
  std::vector<bool> is_source_;
  std::vector<AcyclicChannels> channels_;  // per VL
  std::vector<std::uint64_t> paths_;
  std::vector<fabric::ChannelIndex> order_;
  std::string missing_;

  // These describe the current destination, by switch.
  std::vector<SwitchIndex> to_;
  fabric::IndexVector<SwitchIndex, fabric::ChannelIndex> channel_;
  std::vector<bool> wanted_;  // the path of its hosts has no VL yet
  std::vector<bool> fits_;    // the path from there fits on the current VL
  std::vector<std::uint32_t> passed_;
  std::uint32_t now_ = 0;
  std::vector<SwitchIndex> near_first_, path_;
};

// Holds the first VL and the number of VLs of each class, if paths distribute all VLs.
struct Shares {
  std::vector<unsigned> first, count;
};

Shares distribute_vls(const std::vector<std::uint64_t>& paths, unsigned vls) {
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

tl::expected<VlAssignment, Refusal> assign_vls(const RoutingInput& input,
                                               const fabric::ForwardingTables& lfts, unsigned vls) {
  VlAssignment out;
  if (find_credit_loops(input.graph, input.lids, lfts, {{}, {}}, Traffic::between_hosts).ok()) {
    if (vls == 1 || !input.options.spread_vls) return out;
    out.vls = vls;
    out.weights.assign(vls, 64);
    out.sls = PathSls::by_destination(input.lids.lid_top);
    const auto destinations = destinations_of(targets(input));
    for (std::size_t i = 0; i < destinations.size(); ++i)
      out.sls.row(0)[destinations[i].lid.value] = static_cast<std::uint8_t>(i % vls);
    return out;
  }
  out.vls = vls;
  out.sls = PathSls::by_source_and_lid(input.graph.switches(), input.lids.lid_top);
  FirstFit fit(input, lfts, vls);
  if (!fit.run(out.sls)) return tl::unexpected(Refusal{fit.missing()});
  out.needed = static_cast<unsigned>(fit.paths().size());
  if (auto tree = fit.tree()) out.multicast_up = std::move(tree->up);
  const Shares shares = distribute_vls(fit.paths(), vls);
  out.weights = weights_of(shares, fit.paths());
  for (const SwitchIndex sw : input.graph.all_switches()) {
    const auto row = out.sls.row(sw);
    for (std::size_t i = 0; i < fit.destinations().size(); ++i) {
      std::uint8_t& vl = row[fit.destinations()[i].lid.value];
      vl = static_cast<std::uint8_t>(shares.first[vl] + i % shares.count[vl]);
    }
  }
  return out;
}

}  // namespace routing
