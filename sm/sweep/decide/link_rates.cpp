#include "sm/sweep/decide/link_rates.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "mad/format.h"
#include "mad/link_speed.h"
#include "sm/sweep/decide/loss_causes.h"

namespace sm {
namespace {

std::string rate_text(const mad::LinkRate& rate) {
  return fmt::format("{} {}", mad::width_name(rate.lanes), mad::name(rate.speed));
}

bool is_known(const mad::LinkRate& rate) {
  return rate.lanes != 0 && rate.speed != mad::LaneSpeed::none;
}

/// The links of a switch that are compared: those to switches of one tier, or those of hosts.
struct Siblings {
  SwitchIndex sw = kNoIndex;
  std::optional<LinkTier> tier = {};  // nothing: of hosts
  auto operator<=>(const Siblings&) const = default;
};

/// Rates of the links of one switch by how many have each: lanes of hosts' links, else Gb/s.
using Rates = std::map<double, unsigned>;

class SlowLinks {
 public:
  explicit SlowLinks(const Fabric& fabric) : fabric_(fabric), tiers_(fabric) {
    for_each_end([&](PortIndex port, const mad::LinkRate& rate) {
      ++rates_[siblings(port)][measure(port, rate)];
    });
  }

  std::vector<Condition> conditions() const {
    std::map<PortIndex, std::string> found;  // by the lower end
    for_each_end([&](PortIndex port, const mad::LinkRate& rate) {
      const PortIndex peer = fabric_.ports[port].peer, lower = std::min(port, peer);
      const mad::LinkRate best =
          mad::best_common_rate(fabric_.ports[port].info, fabric_.ports[peer].info);
      if (rate.lanes < best.lanes || rate.speed < best.speed) {
        found[lower] = fmt::format("both ends support {}", rate_text(best));
      } else if (stands_out(port, rate)) {
        found.emplace(lower, fmt::format("all other links of \"{}\" to {} are {}",
                                         fabric_.description(fabric_.ports[port].node),
                                         is_of_host(port) ? "hosts" : "switches beside it",
                                         is_of_host(port) ? "wider" : "faster"));
      }
    });
    return described(found);
  }

 private:
  /// Calls each(port, rate) for each switch port with a link that is up, whose rate is known.
  template <class Each>
  void for_each_end(Each&& each) const {
    for (const PortIndex port : fabric_.ports.indices()) {
      if (!fabric_.owning_node(port).is_switch() || fabric_.ports[port].number.value == 0 ||
          !fabric_.is_link_up(port))
        continue;
      const mad::LinkRate rate = mad::active_rate(fabric_.ports[port].info);
      if (is_known(rate)) each(port, rate);
    }
  }
  bool is_of_host(PortIndex port) const {
    return !fabric_.owning_node(fabric_.ports[port].peer).is_switch();
  }
  Siblings siblings(PortIndex port) const {
    return {.sw = fabric_.owning_node(port).switch_index, .tier = tiers_.find_tier(port)};
  }
  double measure(PortIndex port, const mad::LinkRate& rate) const {
    return is_of_host(port) ? rate.lanes : mad::gbps(rate);
  }
  bool stands_out(PortIndex port, const mad::LinkRate& rate) const {
    constexpr unsigned kOthersMin = 2;
    const Rates& rates = rates_.at(siblings(port));
    const auto lowest = rates.begin();
    if (lowest->first < measure(port, rate) || lowest->second != 1) return false;
    unsigned others = 0;
    for (const auto& [value, count] : rates) others += count;
    return others - 1 >= kOthersMin;
  }

  std::vector<Condition> described(const std::map<PortIndex, std::string>& found) const {
    std::vector<Condition> conditions;
    for (const auto& [port, why] : found) {
      if (conditions.size() == kSlowLinksNamed) break;
      conditions.push_back(
          {.id = ConditionId::link_degraded,
           .text = fmt::format("link degraded: {} <-> {} runs {}; {}", fabric_.port_name(port),
                               fabric_.port_name(fabric_.ports[port].peer),
                               rate_text(mad::active_rate(fabric_.ports[port].info)), why),
           .guid = fabric_.owning_node(port).guid,
           .port = fabric_.ports[port].number});
    }
    if (found.size() > kSlowLinksNamed)
      conditions.push_back(
          {.id = ConditionId::link_degraded,
           .text = fmt::format("and {} more links are degraded", found.size() - kSlowLinksNamed)});
    return conditions;
  }

  const Fabric& fabric_;
  const SwitchTiers tiers_;
  std::map<Siblings, Rates> rates_;
};

}  // namespace

std::vector<Condition> slow_links(const Fabric& fabric) { return SlowLinks(fabric).conditions(); }

}  // namespace sm
