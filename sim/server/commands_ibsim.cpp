// Commands of ibsim, with its letters and meanings, and with its text where programs may parse it.

#include <algorithm>
#include <ctime>

#include "config/diagnostic.h"
#include "mad/format.h"
#include "mad/number.h"
#include "sim/server/console.h"
#include "sim/world/forwarding.h"
#include "sim/world/named_counters.h"

namespace sim::server {

void Session::unplug(PortIndex end) {
  const PortIndex far = world.model.ports[end].peer;
  if (far == kNone) return;
  Cable cable{end, far};
  // Only the topology file has the width and speed of a cable.
  const auto is_end = [&](PortRef ref, PortIndex port) { return world.model.port(ref) == port; };
  const auto planned = std::ranges::find_if(plan.links, [&](const Link& link) {
    return (is_end(link.a, end) && is_end(link.b, far)) ||
           (is_end(link.b, end) && is_end(link.a, far));
  });
  if (planned != plan.links.end()) {
    cable.width = planned->width;
    cable.speed = planned->speed;
  }
  world.cut(end);
  unplugged.push_back(cable);
}

namespace {

std::string_view width_text(std::uint8_t width) {
  switch (width) {
    case mad::link_width::k1x:
      return "1x";
    case mad::link_width::k2x:
      return "2x";
    case mad::link_width::k4x:
      return "4x";
    case mad::link_width::k8x:
      return "8x";
    case mad::link_width::k12x:
      return "12x";
    default:
      return "?";
  }
}

std::string_view speed_text(const mad::PortInfo& info) {
  if (info.link_speed_ext_active2() != 0) return "XDR";
  switch (info.link_speed_ext_active()) {
    case mad::link_speed_ext::kFdr:
      return "FDR";
    case mad::link_speed_ext::kEdr:
      return "EDR";
    case mad::link_speed_ext::kHdr:
      return "HDR";
    case mad::link_speed_ext::kNdr:
      return "NDR";
    default:
      break;
  }
  switch (info.link_speed_active()) {
    case mad::link_speed::kSdr:
      return "2.5G";
    case mad::link_speed::kDdr:
      return "5.0G";
    case mad::link_speed::kQdr:
      return "10.0G";
    default:
      return "?";
  }
}

void dump_port(Session& s, PortIndex index) {
  const Model& model = s.world.model;
  const PortModel& port = model.ports[index];
  const std::string peer = port.peer != kNone ? s.names.port(port.peer)
                           : port.number == 0 ? "\"Sma Port\"[0]"
                                              : "";
  const std::string link =
      fmt::format("{} {} {}/{}", width_text(port.info.link_width_active()), speed_text(port.info),
                  mad::name(port.info.port_state()), mad::name(port.info.port_physical_state()));
  const LinkQuality& quality = s.world.qualities[port.quality];
  const std::string note =
      quality.lost > 0 ? fmt::format("\t# err_rate {:.0f}", quality.lost * 100) : "";
  if (model.is_end_port(index)) {
    s.say("{:x}\t[{}]\t{}\t lid {} lmc {} smlid {} {}{}", port.guid.value, port.number, peer,
          port.info.lid(), port.info.lmc(), port.info.master_sm_lid(), link, note);
  } else {
    s.say("{:x}\t[{}]\t{}\t {}{}", port.guid.value, port.number, peer, link, note);
  }
}

void dump_tables(Session& s, const SwitchState& sw) {
  const unsigned top = sw.info.linear_fdb_top();
  s.say("#\tlinearcap {} FDBtop {} portchange {}", sw.info.linear_fdb_cap(), top,
        sw.info.port_state_change() ? 1 : 0);
  for (unsigned first = 0; top > 0 && first <= top; first += 16) {
    const unsigned last = std::min(first + 15, top);
    std::string row = fmt::format("#\tForwarding table {}-{}:", first, last);
    for (unsigned lid = first; lid <= last && lid < sw.lft.size(); ++lid)
      row += fmt::format(" [{}]{:X}", lid, sw.lft[lid]);
    s.say("{}", row);
  }
}

void dump(Session& s, Arguments& args) {
  std::optional<NodeIndex> only;
  if (!args.empty()) only = args.node();
  args.finish();
  const std::time_t now = std::time(nullptr);
  std::array<char, 32> text{};
  s.print(fmt::format("# Net status - {}", ctime_r(&now, text.data())));
  std::size_t count = 0;
  for (const NodeIndex index : s.world.model.nodes.indices()) {
    if (only && *only != index) continue;
    const NodeModel& node = s.world.model.nodes[index];
    s.say("\n{} {} \"{}\"\tnodeguid {:x}\t# \"{}\"{}",
          node.is_switch()                           ? "Switch"
          : mad::name(node.info.node_type()) == "CA" ? "Ca"
                                                     : "Rt",
          node.port_count(), s.names.id(index), node.info.node_guid().value,
          config::printable(node.description), node.health.powered ? "" : " powered off");
    if (node.is_switch()) dump_tables(s, *node.sw);
    for (unsigned number = node.is_switch() ? 0 : 1; number <= node.port_count(); ++number)
      dump_port(s, node.first_port + number);
    ++count;
  }
  s.say("#  dumped {} nodes", count);
}

PortIndex owner_of(Session& s, std::uint64_t lid) {
  const Model& model = s.world.model;
  for (const PortIndex index : model.ports.indices()) {
    if (model.is_end_port(index) &&
        holds(model.ports[index].info, {static_cast<std::uint16_t>(lid)}))
      return index;
  }
  throw CommandError(fmt::format("no port has LID {}", lid));
}

void route(Session& s, Arguments& args) {
  const std::uint64_t from_lid = args.number("LID", 1, 0xBFFF),
                      to_lid = args.number("LID", 1, 0xBFFF);
  args.finish();
  const PortIndex from = owner_of(s, from_lid), to = owner_of(s, to_lid);
  const Model& model = s.world.model;
  std::vector<Hop> hops;
  const Walk walk =
      walk_unicast(model, from, {.dlid = {static_cast<std::uint16_t>(to_lid)}, .sl = {}}, &hops);
  s.say("From node \"{}\" port {} lid {}", s.names.id(model.ports[from].node),
        model.ports[from].number, from_lid);
  for (const Hop& hop : hops)
    s.say("[{}] -> {}", model.ports[hop.out].number, s.names.port(hop.in));
  if (!walk.delivered())
    throw CommandError(fmt::format("dropped at {}: {}",
                                   walk.end == kNone ? "its start" : s.names.port(walk.end),
                                   name(walk.drop)));
  s.say("To node \"{}\" port {} lid {}", s.names.id(model.ports[to].node), model.ports[to].number,
        to_lid);
}

void link(Session& s, Arguments& args) {
  const PortIndex a = args.port(), b = args.port();
  LinkWidth width = LinkWidth::x4;
  LinkSpeed speed = LinkSpeed::qdr;
  if (!args.empty() && !parse_width(args.text("width"), width))
    throw CommandError("a width is one of 1x 2x 4x 8x 12x");
  if (!args.empty() && !parse_speed(args.text("speed"), speed))
    throw CommandError("a speed is one of SDR DDR QDR FDR10 FDR EDR HDR NDR XDR");
  args.finish();
  if (a == b) throw CommandError("a cable has two ends");
  for (const PortIndex end : {a, b}) {
    if (const PortIndex peer = s.world.model.ports[end].peer; peer != kNone)
      throw CommandError(
          fmt::format("{} has a cable to {}", s.names.port(end), s.names.port(peer)));
  }
  s.world.connect(a, b, width, speed);
}

void relink(Session& s, Arguments& args) {
  const std::vector<PortIndex> ports = args.ports();
  args.finish();
  std::size_t count = 0;
  std::erase_if(s.unplugged, [&](const Session::Cable& cable) {
    if (!std::ranges::count(ports, cable.a) && !std::ranges::count(ports, cable.b)) return false;
    if (s.world.model.ports[cable.a].peer != kNone || s.world.model.ports[cable.b].peer != kNone)
      return true;  // another cable is plugged in by now
    s.world.connect(cable.a, cable.b, cable.width, cable.speed);
    ++count;
    return true;
  });
  if (count == 0) throw CommandError("no cable was unplugged there");
}

void unlink(Session& s, Arguments& args) {
  const std::vector<PortIndex> ports = args.ports();
  args.finish();
  const auto before = s.unplugged.size();
  for (const PortIndex port : ports) s.unplug(port);
  if (s.unplugged.size() == before) throw CommandError("no cable is plugged in there");
}

void clear(Session& s, Arguments& args) {
  const Target target = args.target();
  args.finish();
  World& world = s.world;
  const NodeModel& node = world.model.nodes[target.node];
  if (!target.number) {
    for (unsigned number = 1; number <= node.port_count(); ++number)
      s.unplug(node.first_port + number);
    world.power(target.node, false);
    world.power(target.node, true);
    return;
  }
  const PortIndex port = world.model.port(target.node, *target.number);
  if (port == kNone) throw CommandError("the node has no such port");
  s.unplug(port);
  mad::PortInfo& info = world.model.ports[port].info;
  info.set_lid({});
  info.set_lmc(0);
  info.set_master_sm_lid({});
  info.set_m_key({});
  world.model.ports[port].extras.reset();
}

void guid(Session& s, Arguments& args) {
  const Target target = args.target();
  const mad::Guid guid{args.number("GUID", 1, UINT64_MAX)};
  args.finish();
  NodeModel& node = s.world.model.nodes[target.node];
  if (!target.number) {
    node.info.set_node_guid(guid);
    if (!node.is_switch()) return;
    for (unsigned number = 0; number <= node.port_count(); ++number)
      s.world.model.ports[node.first_port + number].guid = guid;
    return;
  }
  const PortIndex port = s.world.model.port(target.node, *target.number);
  if (port == kNone || node.is_switch())
    throw CommandError("only ports of CAs and routers have their own GUIDs");
  s.world.model.ports[port].guid = guid;
}

void error_rate(Session& s, Arguments& args) {
  const Target target = args.target();
  const double rate = static_cast<double>(args.number("percentage", 0, 100)) / 100;
  const auto attribute =
      static_cast<std::uint16_t>(args.empty() ? 0 : args.number("attribute ID", 1, 0xFFFF));
  args.finish();
  World& world = s.world;
  if (!target.number) {
    Health& health = world.model.nodes[target.node].health;
    health.ignored_probability = rate;
    health.ignored_attribute = attribute;
    return;
  }
  if (attribute != 0)
    throw CommandError("an attribute is only possible with a whole node, not with a port");
  const PortIndex port = world.model.port(target.node, *target.number);
  if (port == kNone) throw CommandError("the node has no such port");
  LinkQuality quality = world.qualities[world.model.ports[port].quality];
  quality.lost = rate;
  world.set_quality(port, quality);
}

/// Takes `[attribute.]field=value`; all attributes show the same counters.
void performance_set(Session& s, Arguments& args) {
  const std::vector<PortIndex> ports = args.ports();
  do {
    const std::string text = args.text("field=value");
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos)
      throw CommandError(fmt::format("{} has no '='", config::in_quotes(text)));
    std::string field = text.substr(0, equals);
    if (const std::size_t dot = field.rfind('.'); dot != std::string::npos) field.erase(0, dot + 1);
    const auto value = mad::parse_hex_or_decimal(std::string_view(text).substr(equals + 1));
    if (!value)
      throw CommandError(
          fmt::format("{} is not a number", config::in_quotes(text.substr(equals + 1))));
    std::vector<std::string_view> all;
    for (const CounterRow& counter : counter_rows()) all.push_back(counter.name);
    Arguments one({{.text = field, .tail = {}}}, s.names, s.world.model);
    const CounterRow& counter = counter_rows()[one.choice("counter", all)];
    for (const PortIndex port : ports) s.world.model.extras(port).counters.*counter.member = *value;
  } while (!args.empty());
}

void base_lid(Session& s, Arguments& args) {
  const PortIndex port = args.port(true);
  const auto lid = static_cast<std::uint16_t>(args.number("LID", 1, 0xBFFF));
  mad::PortInfo& info = s.world.model.ports[port].info;
  const auto lmc = static_cast<std::uint8_t>(args.empty() ? info.lmc() : args.number("LMC", 0, 7));
  args.finish();
  if (!s.world.model.is_end_port(port))
    throw CommandError("external ports of switches have no LID; the switch's is at its port 0");
  info.set_lid({lid});
  info.set_lmc(lmc);
  // A switch next to the port, or the switch itself, reports this like a change of the topology.
  const PortIndex teller =
      s.world.model.owning_node(port).is_switch() ? port : s.world.model.ports[port].peer;
  if (teller != kNone) s.world.note_state_change(teller);
}

void verbose(Session& s, Arguments& args) {
  if (!args.empty()) s.verbosity = static_cast<unsigned>(args.number("level", 0, 9));
  args.finish();
  s.say("simulator verbose level is {}", s.verbosity);
}

void attached(Session& s, Arguments& args) {
  args.finish();
  if (!s.controls.clients) throw CommandError("not available");
  for (const ClientInfo& client : s.controls.clients()) {
    const PortModel& port = s.world.model.ports[client.port];
    s.say("Client {}: pid {} connected at \"{}\" port {}, lid {}, qp 0 {}", client.number,
          client.id, s.names.id(port.node), port.guid, port.info.lid(), client.is_sm ? "SM" : "");
  }
}

void disconnect(Session& s, Arguments& args) {
  const auto number = static_cast<unsigned>(args.number("client", 0, UINT32_MAX));
  args.finish();
  if (!s.controls.disconnect || !s.controls.disconnect(number))
    throw CommandError(fmt::format("there is no client {}", number));
}

void start(Session& s, Arguments& args) {
  args.finish();
  if (s.controls.start) s.controls.start();
}

void quit(Session& s, Arguments& args) {
  args.finish();
  s.say("Exiting network simulator.");
  if (s.controls.quit) s.controls.quit();
}

void help(Session& s, Arguments& args);

constexpr Command kIbsimCommands[] = {
    {"Dump", "[NODE]", "nodes, ports and forwarding tables, of one node or all", dump},
    {"Route", "FROM-LID TO-LID", "the path of a packet through the forwarding tables", route},
    {"ReLink", "NODE[PORT]",
     "plugs a cable (without a port: all of the node's) in again that Unlink or Clear has pulled "
     "out",
     relink},
    {"Link", "NODE[PORT] NODE[PORT] [WIDTH [SPEED]]", "plugs in a cable, of 4x QDR by default",
     link},
    {"Unlink", "NODE[PORT]", "pulls out a cable, or all of a node", unlink},
    {"Clear", "NODE[PORT]", "pulls out a cable, or all of a node, and resets the port or node",
     clear},
    {"Guid", "NODE[PORT] GUID", "gives a node or port another GUID, without a trap", guid},
    {"Error", "NODE[PORT] PERCENT [ATTRIBUTE-ID]",
     "how many requests a node ignores, or a link loses", error_rate},
    {"PerformanceSet", "NODE[PORT] COUNTER=VALUE...",
     "sets counters, by the names that perfquery shows", performance_set},
    {"Baselid", "NODE[PORT] LID [LMC]", "changes the LID (and LMC) of a port", base_lid},
    {"Verbose", "[LEVEL]", "0: errors only; 1: clients that attach and detach, too", verbose},
    {"Wait", "SECONDS", "delays the commands after it; also as 20ms. The fabric keeps running",
     [](Session&, Arguments&) {}},
    {"Attached", "", "lists the clients", attached},
    {"X", "CLIENT", "disconnects a client", disconnect},
    {"Start", "", "lets clients in, if the simulator was started without -s", start},
    {"Help", "[COMMAND]", "this", help},
    {"Quit", "", "ends the simulator", quit},
};

void help(Session& s, Arguments& args) {
  if (!args.empty()) {
    const Command& command = find_command(args.text("command"));
    args.finish();
    return s.say("{} {}\n  {}", command.name, command.usage, command.help);
  }
  const auto list = [&](std::string_view title, std::span<const Command> commands) {
    s.say("{}", title);
    for (const Command& command : commands)
      s.say("  {:<46} {}", fmt::format("{} {}", command.name, command.usage), command.help);
  };
  list("As in ibsim:", ibsim_commands());
  s.say("  {:<46} {}", "!FILE", "runs the commands in a file; # begins a comment");
  list("Faults:", fault_commands());
  list("To look at:", show_commands());
  list("Adaptive routing:", adaptive_commands());
  list("Routers:", router_commands());
  list("HCAs of this machine:", kernel_commands());
  list("Ethernet over Omni-Path:", ethernet_commands());
  s.say(
      "NODE is an id of the topology file, a NodeDescription or 0xGUID; NODE[PORT] is \"name\"[3], "
      "name[3] or name:3.\n"
      "Commands can be abbreviated: ibsim's to its letters, others to an unambiguous prefix.");
}

}  // namespace

std::span<const Command> ibsim_commands() { return kIbsimCommands; }

}  // namespace sim::server
