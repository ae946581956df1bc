// Commands about routers. Their other subnets are not simulated here: the commands say what their
// firmware would have found.

#include "config/value.h"
#include "mad/format.h"
#include "sim/server/console.h"
#include "sim/world/subnet_routers.h"

namespace sim::server {
namespace {

/// "0xfec0000000000002" or "0xfec0000000000002/0x8001".
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

void router(Session& s, Arguments& args) {
  const NodeIndex node = args.node();
  Model& model = s.world.model;
  if (model.nodes[node].info.node_type() != mad::NodeType::router)
    throw CommandError(fmt::format("\"{}\" is no router", s.names.id(node)));
  std::vector<mad::NextHopTable::Entry> entries;
  while (!args.empty()) entries.push_back(parse_entry(args.text("prefix")));
  for (unsigned number = 1; number <= model.nodes[node].port_count(); ++number)
    if (const PortIndex port = model.port(node, number); model.link_up(port))
      return show_tables(s.world, port, {}, entries);
  throw CommandError("no port of it has a link");
}

constexpr Command kRouterCommands[] = {
    {"router", "NODE [PREFIX[/P_KEY]]...",
     "the router says that it leads to these subnets (NextHop table), and sends trap 1148", router},
};

}  // namespace

std::span<const Command> router_commands() { return kRouterCommands; }

}  // namespace sim::server
