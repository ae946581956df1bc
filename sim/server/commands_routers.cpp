// Commands about routers: the subnets that they reach, their faults, and packets that they forward.

#include "config/value.h"
#include "mad/format.h"
#include "sim/server/console.h"
#include "sim/world/subnet_routers.h"

namespace sim::server {
namespace {

/// Parses "0xfec0000000000002" or "0xfec0000000000002/0x8001".
mad::NextHopTable::Entry parse_entry(const std::string& text) {
  const std::size_t slash = text.find('/');
  const auto prefix = config::parse_number(text.substr(0, slash), 16);
  const auto key =
      slash == std::string::npos
          ? tl::expected<std::uint64_t, config::NumberFault>(mad::kDefaultPKeyFull.value)
          : config::parse_number(text.substr(slash + 1), 16);
  if (!prefix || !key || *key > 0xFFFF)
    throw CommandError(fmt::format("'{}' is no PREFIX or PREFIX/P_KEY", text));
  return {
      .subnet_prefix = *prefix, .weight = 0, .p_key = mad::PKey{static_cast<std::uint16_t>(*key)}};
}

SubnetRouters& find_routers(Session& s) {
  if (s.routers == nullptr) throw CommandError("the fabric has no router");
  return *s.routers;
}
std::size_t find_router(Session& s, Arguments& args) {
  const NodeIndex node = args.node();
  const auto router = find_routers(s).find(s.world, node);
  if (!router) throw CommandError(fmt::format("\"{}\" is no router", s.names.id(node)));
  return *router;
}

std::string counted(std::uint64_t number, std::string_view noun) {
  return fmt::format("{} {}{}", number, noun, number == 1 ? "" : "s");
}

void router(Session& s, Arguments& args) {
  RouterFaults& faults = find_routers(s).faults(find_router(s, args));
  std::vector<mad::NextHopTable::Entry> entries;
  while (!args.empty()) entries.push_back(parse_entry(args.text("prefix")));
  faults.lies = std::move(entries);
  s.routers->update();
}

void router_fault(Session& s, Arguments& args) {
  RouterFaults& faults = find_routers(s).faults(find_router(s, args));
  const std::size_t fault = args.choice("fault", {"none", "drop", "stale"});
  args.finish();
  faults.forwards = fault != 1;
  faults.shows_changes = fault != 2;
  s.routers->update();
}

void show_router(Session& s, NodeIndex node, std::size_t number) {
  const Model& model = s.world.model;
  s.say("\"{}\": forwarded {}", s.names.id(node), counted(s.routers->forwarded(number), "packet"));
  for (unsigned port = 1; port <= model.nodes[node].port_count(); ++port) {
    const PortIndex index = model.port(node, port);
    const mad::PortInfo& info = model.ports[index].info;
    s.say("  port {}: {}, subnet {:#018x}, LID {}", port,
          model.link_up(index) ? mad::name(info.port_state()) : "no link", info.gid_prefix(),
          info.lid());
  }
  for (const SubnetRouters::Reached& each : s.routers->reached(number)) {
    const unsigned by = model.ports[each.by].number;
    s.say("  to {:#018x} by port {}{}", each.prefix, by,
          each.next ? fmt::format(" and \"{}\"", s.names.id(s.routers->node(*each.next, s.world)))
                    : "");
  }
}

void routers(Session& s, Arguments& args) {
  args.finish();
  const SubnetRouters& all = find_routers(s);
  for (std::size_t number = 0; number < all.size(); ++number)
    show_router(s, all.node(number, s.world), number);
}

void global_walk(Session& s, Arguments& args) {
  const PortIndex from = args.end_port();
  const mad::Lid dlid{static_cast<std::uint16_t>(args.number("LID", 1, 0xBFFF))};
  const PortIndex to = args.end_port();
  const auto hop_limit =
      static_cast<std::uint8_t>(args.empty() ? 255 : args.number("hop limit", 0, 255));
  args.finish();
  const Model& model = s.world.model;
  const mad::Gid dgid{model.ports[to].info.gid_prefix(), model.ports[to].guid};
  const Journey journey =
      find_routers(s).walk(s.world, from, dgid, {.dlid = dlid, .sl = {}}, hop_limit);
  for (std::size_t leg = 0; leg < journey.hops.size(); ++leg) {
    if (leg > 0)
      s.say("\"{}\" forwards it", s.names.id(s.routers->node(journey.routers[leg - 1], s.world)));
    for (const Hop& hop : journey.hops[leg])
      s.say("  {} -> {}  VL {}", s.names.port(hop.out), s.names.port(hop.in), hop.vl.value);
  }
  const std::string end =
      journey.end == kNone ? std::string("its start") : s.names.port(journey.end);
  if (!journey.delivered()) return s.say("dropped at {}: {}", end, name(journey.drop));
  s.say("delivered to {} through {}", end, counted(journey.routers.size(), "router"));
}

constexpr Command kRouterCommands[] = {
    {"router", "NODE [PREFIX[/P_KEY]]...",
     "the router says that it leads to these subnets, too (NextHop table), and sends trap 1148",
     router},
    {"router-fault", "NODE none|drop|stale",
     "the router drops what it should forward, or its tables stay as they are", router_fault},
    {"routers", "", "routers with their subnets, and what they reach", routers},
    {"global-walk", "NODE[PORT] LID NODE[PORT] [HOP_LIMIT]",
     "follows a data packet to the LID, with a GRH for the second port, through routers",
     global_walk},
};

}  // namespace

std::span<const Command> router_commands() { return kRouterCommands; }

}  // namespace sim::server
