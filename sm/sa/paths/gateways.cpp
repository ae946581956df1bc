#include "sm/sa/paths/gateways.h"

#include <algorithm>
#include <boost/crc.hpp>
#include <cmath>

#include "sm/sa/paths/recent_ends.h"
#include "sm/sa/registrations/ports.h"
#include "sm/sa/registrations/registrations.h"

namespace sa {
namespace {

constexpr std::uint8_t kHopLimitThroughRouters = 255;

bool is_router(const fabric::Fabric& fabric, fabric::PortIndex port) {
  return fabric.owning_node(port).type == mad::NodeType::router;
}

/// Returns the first router of the fabric that has a LID. If routers are listed, the search visits
/// no other end port.
fabric::PortIndex first_router(const fabric::Subnet& subnet) {
  const auto is_usable = [&](fabric::PortIndex port) {
    return is_router(subnet.fabric, port) && subnet.end_port_index[port] != fabric::kNoIndex &&
           subnet.lid_range(port).count() != 0;
  };
  if (!subnet.routers) {
    const auto first = std::ranges::find_if(subnet.fabric.end_ports, is_usable);
    return first == subnet.fabric.end_ports.end() ? fabric::PortIndex(fabric::kNoIndex) : *first;
  }
  for (const fabric::Router& router : subnet.routers->routers) {
    const fabric::Node& node = subnet.fabric.nodes[router.node];
    for (fabric::PortIndex port = node.first_port; port < node.first_port + node.num_ports; ++port)
      if (is_usable(port)) return port;
  }
  return fabric::kNoIndex;
}

void add_number(boost::crc_32_type& crc, std::uint64_t value) {
  std::array<std::uint8_t, 8> bytes;
  for (std::size_t i = 0; i < bytes.size(); ++i)
    bytes[i] = static_cast<std::uint8_t>(value >> (8 * (bytes.size() - 1 - i)));
  crc.process_bytes(bytes.data(), bytes.size());
}

/// Hashes the pair of GIDs according to rtr_selection_*.
std::uint32_t selection_hash(const config::Options& options, mad::Gid sgid, mad::Gid dgid) {
  const auto by = config::parse_router_selection(options.rtr_selection_algo_parameters)
                      .value_or(config::RouterSelection{true, true});
  boost::crc_32_type crc;
  add_number(crc, options.rtr_selection_seed);
  for (const auto& [counts, gid] : {std::pair{by.by_source, sgid}, {by.by_destination, dgid}}) {
    if (!counts) continue;
    add_number(crc, gid.prefix);
    add_number(crc, gid.guid.value);
  }
  return crc.checksum();
}

/// Weighted rendezvous hashing (Thaler and Ravishankar, 1998; weights: Schindelhauer and Schomaker,
/// 2005): the highest score wins, so that the loss of one router moves only its own pairs.
double score(std::uint32_t hash, mad::Guid router, std::uint8_t weight) {
  std::uint64_t mixed = router.value ^ std::uint64_t{hash} * 0x9E3779B97F4A7C15u;
  mixed = (mixed ^ mixed >> 30) * 0xBF58476D1CE4E5B9u;
  mixed = (mixed ^ mixed >> 27) * 0x94D049BB133111EBu;
  mixed ^= mixed >> 31;
  constexpr double kScale = 0x1p-53;
  const double uniform = (static_cast<double>(mixed >> 11) + 0.5) * kScale;
  return -static_cast<double>(weight) / std::log(uniform);
}

using Candidates = std::vector<const Gateways::Candidate*>;

/// Returns the candidates among which the hash chooses: by policy those with a weight above 0, else
/// the adjacent ones; if there are none, the others.
Candidates preferred(const Candidates& all, bool by_policy) {
  Candidates best;
  const auto rank = [&](const Gateways::Candidate& candidate) {
    return by_policy ? candidate.weight == 0 : !candidate.is_adjacent;
  };
  for (const Gateways::Candidate* candidate : all) {
    if (!best.empty() && rank(*candidate) > rank(*best.front())) continue;
    if (!best.empty() && rank(*candidate) < rank(*best.front())) best.clear();
    best.push_back(candidate);
  }
  return best;
}

}  // namespace

Gateways::Gateways(const View& view, std::uint64_t prefix) {
  if (add_by_prefix_routes(view, prefix) || !view.subnet.routers) return;
  const fabric::OtherSubnet* const subnet = view.subnet.routers->find(prefix);
  if (subnet == nullptr) return;
  const config::RouterRule* const rule = view.files.router_policy.find(prefix);
  for (const auto& gateway : subnet->gateways) add_gateway(view, gateway, rule);
}

void Gateways::add_gateway(const View& view, const fabric::OtherSubnet::Gateway& gateway,
                           const config::RouterRule* rule) {
  if (view.subnet.lid_range(gateway.port).count() == 0) return;
  const config::WeightedRouter* const router =
      rule == nullptr ? nullptr
                      : rule->find(view.subnet.fabric.ports[gateway.port].guid.value,
                                   view.subnet.fabric.owning_node(gateway.port).guid.value);
  if (rule != nullptr && router == nullptr) return;
  candidates_.push_back({.port = gateway.port,
                         .partition = gateway.p_key,
                         .is_adjacent = gateway.is_adjacent,
                         .weight = router == nullptr ? std::uint8_t{1} : router->weight});
}

/// Adds the routers of the first matching line, as in OpenSM. A line without GUID selects the first
/// router of the fabric, or all whose tables name the subnet. Returns false if there is no line.
bool Gateways::add_by_prefix_routes(const View& view, std::uint64_t prefix) {
  const fabric::Fabric& fabric = view.subnet.fabric;
  const auto route = std::ranges::find_if(view.files.prefix_routes, [&](const auto& line) {
    return !line.prefix || *line.prefix == prefix;
  });
  if (route == view.files.prefix_routes.end()) return false;
  if (route->router_guid) {
    const fabric::PortIndex port =
        port_of(mad::Guid{*route->router_guid}, view.subnet, view.registrations.alias_guids);
    if (port != fabric::kNoIndex && is_router(fabric, port)) add_port(view, port, prefix);
    return true;
  }
  if (view.subnet.routers && view.subnet.routers->find(prefix) != nullptr) return false;
  if (const fabric::PortIndex first = first_router(view.subnet); first != fabric::kNoIndex)
    add_port(view, first, prefix);
  return true;
}

void Gateways::add_port(const View& view, fabric::PortIndex port, std::uint64_t prefix) {
  if (view.subnet.lid_range(port).count() == 0) return;
  const fabric::Router* const router =
      view.subnet.routers ? view.subnet.routers->find(view.subnet.fabric.ports[port].node)
                          : nullptr;
  if (router == nullptr || router->state != fabric::RouterState::read) {
    candidates_.push_back({.port = port, .partition = std::nullopt});
    return;
  }
  if (const fabric::OtherSubnet* const subnet = view.subnet.routers->find(prefix))
    for (const auto& gateway : subnet->gateways)
      if (gateway.port == port) add_gateway(view, gateway, nullptr);
}

bool Gateways::owns(const View& view, mad::Lid lid) const {
  const fabric::PortIndex owner = view.subnet.lids.owner(lid);
  return owner != fabric::kNoIndex &&
         std::ranges::find(candidates_, owner, &Candidate::port) != candidates_.end();
}

Ends find_far_ends(const View& view, const EndName& name) {
  if (!name.gid || is_local(view, *name.gid)) return find_ends(view, name);
  const Gateways gateways(view, name.gid->prefix);
  if (gateways.empty())
    return {.recent = view.recent != nullptr && view.recent->contains_subnet(name.gid->prefix),
            .is_foreign = true};
  Ends ends{.kind = Ends::Kind::one, .hop_limit = kHopLimitThroughRouters};
  ends.one.gid = *name.gid;
  ends.one.is_beyond = true;
  ends.one.lids = 1;
  if (!name.lid) return ends;
  ends.one.first_lid = *name.lid;
  ends.contradiction = !gateways.owns(view, *name.lid);
  return ends;
}

std::optional<PathEnd> choose_gateway(const View& view, const PathEnd& from, const PathEnd& to,
                                      std::optional<mad::PKey> wanted) {
  const Gateways gateways(view, to.gid.prefix);
  const std::span<const mad::PKey> keys = view.subnet.find_p_keys(from.end);
  Candidates usable;
  std::uint16_t lowest = 0;
  for (const Gateways::Candidate& candidate : gateways.candidates()) {
    if (to.first_lid != mad::Lid{} && view.subnet.lids.owner(to.first_lid) != candidate.port)
      continue;
    if (wanted && candidate.partition &&
        mad::p_key_base(*wanted) != mad::p_key_base(*candidate.partition))
      continue;
    const auto common = common_p_key(keys, view.subnet.find_p_keys(candidate.port),
                                     candidate.partition ? candidate.partition : wanted);
    if (!common) continue;
    const std::uint16_t base = mad::p_key_base(*common);
    if (!usable.empty() && base > lowest) continue;
    if (base < lowest) usable.clear();
    lowest = base;
    usable.push_back(&candidate);
  }
  if (usable.empty()) return std::nullopt;
  const bool by_policy = view.files.router_policy.find(to.gid.prefix) != nullptr;
  const std::uint32_t hash = selection_hash(view.options, from.gid, to.gid);
  const auto best =
      std::ranges::max(preferred(usable, by_policy), {}, [&](const Gateways::Candidate* candidate) {
        return score(hash, view.subnet.fabric.ports[candidate->port].guid,
                     std::max<std::uint8_t>(candidate->weight, 1));
      });
  PathEnd end = end_with_all_lids(view, {.port = best->port});
  if (to.first_lid != mad::Lid{}) {
    end.first_lid = to.first_lid;
    end.lids = 1;
  }
  end.gid = to.gid;
  end.is_beyond = true;
  end.partition = best->partition;
  return end;
}

}  // namespace sa
