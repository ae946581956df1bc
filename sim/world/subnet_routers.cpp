#include "sim/world/subnet_routers.h"

#include <algorithm>

#include "sim/world/ca_vports.h"
#include "sim/world/vendor_features.h"

namespace sim {
namespace {

constexpr std::uint64_t kSiteLocal = 0xFEC0000000000000;
constexpr std::uint64_t kSubnetId = 0xFFFF;  // of a site-local prefix
constexpr std::uint64_t kDefaultPrefix = 0xFE80000000000000;
constexpr unsigned kRoutersMax = 64;  // on one way

constexpr bool is_site_local(std::uint64_t prefix) { return (prefix & ~kSubnetId) == kSiteLocal; }

/// Returns the P_Keys of a port, by partition.
std::map<std::uint16_t, mad::PKey> keys_of(const Model& model, PortIndex port) {
  std::map<std::uint16_t, mad::PKey> keys;
  for (unsigned block = 0; block < model.p_key_blocks(port); ++block) {
    const mad::PKeyTable table = model.p_keys(port, block);
    for (unsigned index = 0; index < mad::PKeyTable::kEntries; ++index)
      if (const mad::PKey key = table.p_key(index); mad::p_key_base(key) != 0)
        keys[mad::p_key_base(key)] = key;
  }
  return keys;
}

/// Returns the first of the ports that cables and switches connect with this one.
PortIndex find_first_connected(const Model& model, PortIndex from) {
  std::vector<bool> seen(model.ports.size());
  std::vector<PortIndex> to_do{from};
  PortIndex first = from;
  while (!to_do.empty()) {
    const PortIndex far = model.ports[to_do.back()].peer;
    to_do.pop_back();
    if (far == kNone || seen[far]) continue;
    seen[far] = true;
    const NodeModel& node = model.owning_node(far);
    first = std::min(first, node.is_switch() ? node.first_port : far);
    if (!node.is_switch()) continue;
    for (unsigned number = 1; number <= node.port_count(); ++number)
      to_do.push_back(node.first_port + number);
  }
  return first;
}

}  // namespace

SubnetRouters::SubnetRouters(EventQueue& events, mad::Duration period)
    : events_(events), period_(period) {
  const std::weak_ptr<bool> runs = runs_;
  const auto again = std::make_shared<std::function<void()>>();
  *again = [this, runs, weak = std::weak_ptr(again)] {
    if (runs.expired()) return;
    update();
    if (const auto next = weak.lock()) events_.after(period_, [next] { (*next)(); });
  };
  events_.after(period_, [again] { (*again)(); });
}

SubnetRouters::~SubnetRouters() {
  for (const Router& router : routers_)
    for (const Side& side : router.sides) side.world->on_routed = nullptr;
}

std::size_t SubnetRouters::add(const std::string& name, mad::Guid guid,
                               const std::vector<RouterCable>& cables) {
  Router& router = routers_.emplace_back();
  std::uint8_t number = 0;
  for (const RouterCable& cable : cables) {
    World& world = *cable.world;
    const NodeIndex node = world.add({.type = NodeType::router,
                                      .name = name,
                                      .guid = guid,
                                      .port_count = static_cast<unsigned>(cables.size())});
    const PortIndex port = world.model.port(node, ++number);
    world.connect(port, cable.to);
    router.sides.push_back({.world = &world, .node = node, .port = port});
    world.on_routed = [this, &world](const Packet& packet) { return forward(world, packet); };
  }
  return routers_.size() - 1;
}

void SubnetRouters::adopt(World& world) {
  for (const NodeIndex node : world.model.nodes.indices()) {
    const NodeModel& of = world.model.nodes[node];
    if (of.info.node_type() != mad::NodeType::router || find(world, node)) continue;
    Router& router = routers_.emplace_back();
    for (unsigned number = 1; number <= of.port_count(); ++number)
      router.sides.push_back(
          {.world = &world, .node = node, .port = world.model.port(node, number)});
  }
  world.on_routed = [this, &world](const Packet& packet) { return forward(world, packet); };
}

const SubnetRouters::Side* SubnetRouters::side_in(std::size_t router, const World& world) const {
  const auto found = std::ranges::find(routers_[router].sides, &world, &Side::world);
  return found == routers_[router].sides.end() ? nullptr : &*found;
}
NodeIndex SubnetRouters::node(std::size_t router, const World& world) const {
  return side_in(router, world)->node;
}
PortIndex SubnetRouters::port(std::size_t router, const World& world) const {
  return side_in(router, world)->port;
}

/// Returns the port of the router in the subnet of another router's port.
const SubnetRouters::Side* SubnetRouters::side_beside(std::size_t router, const Side& other) const {
  const auto found = std::ranges::find_if(
      routers_[router].sides, [&](const Side& side) { return in_one_subnet(side, other); });
  return found == routers_[router].sides.end() ? nullptr : &*found;
}

std::optional<SubnetRouters::Place> SubnetRouters::find_port(const World& world,
                                                             PortIndex port) const {
  for (std::size_t router = 0; router < routers_.size(); ++router)
    for (std::size_t side = 0; side < routers_[router].sides.size(); ++side)
      if (routers_[router].sides[side].world == &world && routers_[router].sides[side].port == port)
        return Place{.router = router, .side = side};
  return std::nullopt;
}

std::optional<std::size_t> SubnetRouters::find(const World& world, NodeIndex node) const {
  for (std::size_t router = 0; router < routers_.size(); ++router)
    for (const Side& side : routers_[router].sides)
      if (side.world == &world && side.node == node) return router;
  return std::nullopt;
}

bool SubnetRouters::is_in_use(const Side& side) {
  const Model& model = side.world->model;
  const mad::PortInfo& info = model.ports[side.port].info;
  return model.alive(side.node) && model.link_up(side.port) &&
         info.port_state() == mad::PortState::active && info.lid() != mad::Lid{} &&
         info.gid_prefix() != kDefaultPrefix;
}

std::uint64_t SubnetRouters::prefix(const Side& side) {
  return side.world->model.ports[side.port].info.gid_prefix();
}

// ------------------------------------------------------------------------------------------
// what routers know

void SubnetRouters::update() {
  find_subnets();
  find_routes();
  for (std::size_t router = 0; router < routers_.size(); ++router)
    if (routers_[router].faults.shows_changes) show(router);
}

/// Moved cables of routers may lead to other subnets. Moved cables of other nodes are assumed to
/// stay within their subnets.
void SubnetRouters::find_subnets() {
  const auto is_moved = [](const Side& side) {
    const PortIndex peer = side.world->model.ports[side.port].peer;
    return peer != kNone && peer != side.peer;
  };
  if (std::ranges::none_of(routers_, [&](const Router& router) {
        return std::ranges::any_of(router.sides, is_moved);
      }))
    return;
  for (Router& router : routers_) {
    for (Side& side : router.sides) {
      const PortIndex peer = side.world->model.ports[side.port].peer;
      if (peer == kNone) continue;
      side.peer = peer;
      side.subnet = find_first_connected(side.world->model, side.port);
    }
  }
}

std::vector<SubnetRouters::Reached> SubnetRouters::reached(std::size_t router) const {
  std::vector<Reached> all;
  for (const auto& [prefix, route] : routers_[router].routes)
    all.push_back(
        {.prefix = prefix, .by = routers_[router].sides[route.side].port, .next = route.next});
  return all;
}

/// Finds the shortest paths, as routers that exchange distances do.
void SubnetRouters::find_routes() {
  for (Router& router : routers_) {
    router.routes.clear();
    for (std::size_t side = 0; side < router.sides.size(); ++side)
      if (is_in_use(router.sides[side]))
        router.routes[prefix(router.sides[side])] = {.side = side, .next = {}, .hops = 0};
  }
  const auto learn = [this](Router& router, std::size_t side, std::size_t other) {
    bool is_new = false;
    const Side* const there = side_beside(other, router.sides[side]);
    if (there == nullptr || !is_in_use(*there)) return false;
    for (const auto& [to, route] : routers_[other].routes) {
      if (in_one_subnet(routers_[other].sides[route.side], *there))
        continue;  // back to where it is
      const auto known = router.routes.find(to);
      if (known != router.routes.end() && known->second.hops <= route.hops + 1) continue;
      router.routes[to] = {.side = side, .next = other, .hops = route.hops + 1};
      is_new = true;
    }
    return is_new;
  };
  for (bool changes = true; changes;) {
    changes = false;
    for (std::size_t of = 0; of < routers_.size(); ++of)
      for (std::size_t side = 0; side < routers_[of].sides.size(); ++side)
        for (std::size_t other = 0; other < routers_.size(); ++other)
          if (other != of && is_in_use(routers_[of].sides[side]))
            changes = learn(routers_[of], side, other) || changes;
  }
}

/// Returns the partitions with which packets pass from `in` to the subnet of `to`.
std::set<std::uint16_t> SubnetRouters::common_keys(std::size_t number, std::size_t in,
                                                   std::uint64_t to, unsigned depth) const {
  std::set<std::uint16_t> common;
  const Router& router = routers_[number];
  const auto route = router.routes.find(to);
  if (route == router.routes.end() || depth > kRoutersMax) return common;
  const Side &from = router.sides[in], &out = router.sides[route->second.side];
  const auto here = keys_of(from.world->model, from.port),
             there = keys_of(out.world->model, out.port);
  for (const auto& [base, key] : here)
    if (there.contains(base)) common.insert(base);
  if (!route->second.next) return common;
  const std::size_t next = *route->second.next;
  const Side* const entry = side_beside(next, out);
  if (entry == nullptr) return {};
  const auto beyond = common_keys(
      next, static_cast<std::size_t>(entry - routers_[next].sides.data()), to, depth + 1);
  std::erase_if(common, [&](std::uint16_t base) { return !beyond.contains(base); });
  return common;
}

void show_tables(World& world, PortIndex port,
                 std::span<const mad::AdjacentSubnetsTable::Entry> adjacent,
                 std::span<const mad::NextHopTable::Entry> next_hops) {
  if (!show_router_tables(world.model, port, adjacent, next_hops)) return;
  mad::RouterChangeNotice notice;
  notice.set_type(mad::NoticeType::informational);
  notice.set_vendor_id(mad::RouterChangeNotice::kVendor);
  notice.set_vendor_trap_number(mad::RouterChangeNotice::kVendorTrap);
  notice.set_issuer_lid(world.model.ports[port].info.lid());
  world.raise(port, mad::Notice(notice.bytes()));
}

void SubnetRouters::show(std::size_t number) const {
  constexpr std::uint16_t kFull = 0x8000;
  const Router& router = routers_[number];
  for (std::size_t in = 0; in < router.sides.size(); ++in) {
    const Side& here = router.sides[in];
    std::vector<mad::AdjacentSubnetsTable::Entry> adjacent;
    std::vector<mad::NextHopTable::Entry> next_hops;
    for (const auto& [to, route] : router.routes) {
      const Side& out = router.sides[route.side];
      if (in_one_subnet(here, out) || !here.world->model.alive(here.node)) continue;
      for (const std::uint16_t base : common_keys(number, in, to)) {
        const mad::PKey key{static_cast<std::uint16_t>(base | kFull)};
        if (!route.next && is_site_local(to))
          adjacent.push_back(
              {.p_key = key,
               .subnet_prefix = static_cast<std::uint16_t>(to & kSubnetId),
               .master_sm_lid = out.world->model.ports[out.port].info.master_sm_lid()});
        else
          next_hops.push_back(
              {.subnet_prefix = to, .weight = static_cast<std::uint8_t>(route.hops), .p_key = key});
      }
    }
    next_hops.insert(next_hops.end(), router.faults.lies.begin(), router.faults.lies.end());
    show_tables(*here.world, here.port, adjacent, next_hops);
  }
}

// ------------------------------------------------------------------------------------------
// packets

std::optional<SubnetRouters::Route> SubnetRouters::choose_route(Place at,
                                                                std::uint64_t prefix) const {
  const Router& router = routers_[at.router];
  if (const auto detour = router.faults.detours.find(prefix);
      detour != router.faults.detours.end()) {
    Route route{.side = detour->second - 1u, .next = {}};
    for (std::size_t other = 0; other < routers_.size() && !route.next; ++other)
      if (other != at.router && side_beside(other, router.sides[route.side]) != nullptr)
        route.next = other;
    return route;
  }
  const auto found = router.routes.find(prefix);
  if (found == router.routes.end() ||
      in_one_subnet(router.sides[found->second.side], router.sides[at.side]))
    return std::nullopt;
  return found->second;
}

/// Processes the GRH: hop limit, subnet of the DGID, LID of the next router or of the end port
/// there, and the P_Key, which the packet keeps.
SubnetRouters::Step SubnetRouters::next_step(const World& world, PortIndex at, mad::Gid dgid,
                                             mad::PKey p_key, std::uint8_t hop_limit) const {
  const auto place = find_port(world, at);
  if (!place) return {.drop = Drop::no_subnet};
  const Router& router = routers_[place->router];
  if (hop_limit <= 1) return {.drop = Drop::hop_limit};
  if (!router.faults.forwards) return {.drop = Drop::dead_node};
  const auto route = choose_route(*place, dgid.prefix);
  if (!route) return {.drop = Drop::no_subnet};
  const Side& out = router.sides[route->side];
  const Model& model = out.world->model;
  if (!model.takes_p_key(out.port, p_key)) return {.drop = Drop::p_key_out};
  Step step{.router = place->router, .by = &out};
  if (route->next) {
    step.dlid = model.ports[side_beside(*route->next, out)->port].info.lid();
    return step;
  }
  if (router.faults.dlid_from_dgid) {
    step.dlid = mad::Lid{static_cast<std::uint16_t>(dgid.guid.value)};
    return step;
  }
  const auto vport = find_vport_guid(model, dgid.guid);
  const PortIndex to = vport ? vport->port : model.find_port_guid(dgid.guid);
  // A port counts only if its subnet is that of the DGID.
  if (to == kNone || model.ports[to].info.gid_prefix() != dgid.prefix)
    return {.drop = Drop::no_such_gid};
  step.dlid = vport ? vport_lid(model.ports[to], vport->index) : model.ports[to].info.lid();
  return step;
}

bool SubnetRouters::forward(World& in, const Packet& packet) {
  if (!packet.grh || !packet.dgid) return false;
  const Step step = next_step(in, packet.at, *packet.dgid, packet.p_key, packet.grh->hop_limit);
  if (step.drop != Drop::none) {
    in.log("{} drops a packet: {}", in.model.name(packet.at), name(step.drop));
    return false;
  }
  ++routers_[step.router].forwarded;
  Packet routed = packet;
  --routed.grh->hop_limit;
  routed.slid = step.by->world->model.ports[step.by->port].info.lid();
  routed.dlid = step.dlid;
  step.by->world->send_routed(step.by->port, routed);
  return true;
}

Journey SubnetRouters::walk(const World& from, PortIndex port, mad::Gid dgid, PacketHeader packet,
                            std::uint8_t hop_limit) const {
  Journey journey{.world = &from, .end = port, .routers = {}};
  packet.dgid = dgid;
  for (;;) {
    std::vector<Hop>& hops = journey.hops.emplace_back();
    const Walk walk = walk_unicast(journey.world->model, journey.end, packet, &hops);
    journey.drop = walk.drop;
    journey.end = walk.end;
    if (!walk.delivered() || !walk.is_routed) return journey;
    const Step step = next_step(*journey.world, walk.end, dgid, packet.p_key, hop_limit);
    journey.drop = step.drop;
    if (step.drop != Drop::none) return journey;
    journey.routers.push_back(step.router);
    --hop_limit;
    journey.world = step.by->world;
    journey.end = step.by->port;
    packet.dlid = step.dlid;
    packet.from_vport = 0;
  }
}

Forwarded SubnetRouters::send_data(World& from, PortIndex port, PacketHeader packet,
                                   std::size_t size_bytes, std::uint8_t hop_limit) {
  World* world = &from;
  for (;;) {
    Forwarded end{.walk = world->send_data(port, packet, size_bytes),
                  .world = world,
                  .slid = world->model.ports[port].info.lid(),
                  .dlid = packet.dlid,
                  .hop_limit = hop_limit};
    if (!end.walk.delivered() || !end.walk.is_routed) return end;
    const Step step = next_step(*world, end.walk.end, *packet.dgid, packet.p_key, hop_limit);
    if (step.drop != Drop::none) {
      end.walk.drop = step.drop;
      return end;
    }
    ++routers_[step.router].forwarded;
    --hop_limit;
    world = step.by->world;
    port = step.by->port;
    packet.dlid = step.dlid;
    packet.from_vport = 0;
  }
}

}  // namespace sim
