#include "sm/sweep/decide/link_rates.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "mad/format.h"
#include "mad/link_speed.h"
#include "sm/sweep/decide/loss_causes.h"
#include "sm/sweep/devices/sweep_conditions.h"

namespace sm {
namespace {

std::string rate_text(const mad::LinkRate& rate) {
  return fmt::format("{} {}", mad::width_name(rate.lanes), mad::name(rate.speed));
}

bool is_known(const mad::LinkRate& rate) {
  return rate.lanes != 0 && rate.speed != mad::LaneSpeed::none;
}

/// A LinkEnd is a switch port with a link that is up and whose rate is known.
struct LinkEnd {
  PortIndex port, peer;
  mad::LinkRate rate;
  bool is_of_host = false;

  /// Returns the value by which parallel links are compared: lanes of hosts' links, else Gb/s.
  double measure() const { return is_of_host ? rate.lanes : mad::gbps(rate); }
};

class SlowLinks {
 public:
  explicit SlowLinks(const Fabric& fabric) : fabric_(fabric) {}

  std::vector<Condition> conditions() {
    for (const Switch& sw : fabric_.switches) {
      collect(sw.node);
      for (const LinkEnd& end : ends_) compare_with_best(end);
      for (const bool is_of_host : {false, true})
        if (has_several_rates(is_of_host)) compare_with_siblings(sw.node, is_of_host);
    }
    return described();
  }

 private:
  void collect(NodeIndex node) {
    ends_.clear();
    for (PortIndex port = fabric_.nodes[node].first_port + 1;
         port <= fabric_.nodes[node].first_port + fabric_.nodes[node].num_ports; ++port) {
      if (!fabric_.is_link_up(port)) continue;
      const mad::LinkRate rate = mad::active_rate(fabric_.ports[port].info);
      const PortIndex peer = fabric_.ports[port].peer;
      if (is_known(rate))
        ends_.push_back({.port = port,
                         .peer = peer,
                         .rate = rate,
                         .is_of_host = !fabric_.owning_node(peer).is_switch()});
    }
  }

  /// Compares each link once with the best rate that both ends support.
  void compare_with_best(const LinkEnd& end) {
    if (!end.is_of_host && end.peer < end.port) return;
    const mad::LinkRate best =
        mad::best_common_rate(fabric_.ports[end.port].info, fabric_.ports[end.peer].info);
    if (end.rate.lanes < best.lanes || end.rate.speed < best.speed)
      found_[std::min(end.port, end.peer)] = fmt::format("both ends support {}", rate_text(best));
  }

  /// True if the ends explain a rate below the links beside it: a host supports no more lanes, or a
  /// port between switches or in front of the host has half of the lanes of a split one.
  bool runs_as_supported(const LinkEnd& end) const {
    constexpr unsigned kLanesOfHalf = 2;
    const mad::PortInfo &here = fabric_.ports[end.port].info, &there = fabric_.ports[end.peer].info;
    const unsigned own = mad::best_common_rate(here, here).lanes,
                   other = mad::best_common_rate(there, there).lanes;
    if (end.is_of_host) return other <= end.rate.lanes || own == kLanesOfHalf;
    return end.rate.lanes == kLanesOfHalf && (own == kLanesOfHalf || other == kLanesOfHalf);
  }

  bool has_several_rates(bool is_of_host) const {
    const LinkEnd* first = nullptr;
    for (const LinkEnd& end : ends_) {
      if (end.is_of_host != is_of_host) continue;
      if (first == nullptr) first = &end;
      if (end.rate != first->rate) return true;
    }
    return false;
  }

  /// Finds the only link of a switch that is below all its other links (at least two) to hosts, or
  /// to switches of one tier.
  void compare_with_siblings(NodeIndex node, bool is_of_host) {
    constexpr std::size_t kOthersMin = 2;
    if (!tiers_) tiers_.emplace(fabric_);
    std::map<std::optional<LinkTier>, std::vector<const LinkEnd*>> groups;
    for (const LinkEnd& end : ends_)
      if (end.is_of_host == is_of_host) groups[tiers_->find_tier(end.port)].push_back(&end);
    for (const auto& [tier, links] : groups) {
      const LinkEnd& lowest = **std::ranges::min_element(links, {}, &LinkEnd::measure);
      const auto is_lowest = [&](const LinkEnd* end) { return end->measure() == lowest.measure(); };
      if (links.size() <= kOthersMin || std::ranges::count_if(links, is_lowest) != 1 ||
          runs_as_supported(lowest))
        continue;
      found_.emplace(
          std::min(lowest.port, lowest.peer),
          fmt::format("all other links of \"{}\" to {} are {}", fabric_.description(node),
                      is_of_host ? "hosts" : "switches beside it",
                      is_of_host ? "wider" : "faster"));
    }
  }

  std::vector<Condition> described() const {
    std::vector<Condition> conditions;
    for (const auto& [port, why] : found_) {
      if (conditions.size() == kSlowLinksNamed) break;
      conditions.push_back(
          {.id = kSweepConditions.link_degraded,
           .text = fmt::format("link degraded: {} <-> {} runs {}; {}", fabric_.port_name(port),
                               fabric_.port_name(fabric_.ports[port].peer),
                               rate_text(mad::active_rate(fabric_.ports[port].info)), why),
           .guid = fabric_.owning_node(port).guid,
           .port = fabric_.ports[port].number});
    }
    if (found_.size() > kSlowLinksNamed)
      conditions.push_back(
          {.id = kSweepConditions.link_degraded,
           .text = fmt::format("and {} more links are degraded", found_.size() - kSlowLinksNamed)});
    return conditions;
  }

  const Fabric& fabric_;
  std::vector<LinkEnd> ends_;               // of the switch that is looked at
  std::map<PortIndex, std::string> found_;  // why, by the lower end
  std::optional<SwitchTiers> tiers_ = {};   // once they are needed
};

}  // namespace

std::vector<Condition> slow_links(const Fabric& fabric) { return SlowLinks(fabric).conditions(); }

}  // namespace sm
