// Commands that show state: paths, nodes, clients, statistics.

#include <algorithm>
#include <array>
#include <fstream>
#include <map>

#include "config/diagnostic.h"
#include "fabric/topology/write.h"
#include "mad/format.h"
#include "sim/server/console.h"
#include "sim/world/ca_vports.h"
#include "sim/world/forwarding.h"
#include "sim/world/world.h"

namespace sim::server {
namespace {

mad::PKey p_key_or_default(Arguments& args) {
  return args.empty() ? mad::kDefaultPKeyFull
                      : mad::PKey{static_cast<std::uint16_t>(args.number("P_Key", 1, 0xFFFF))};
}

void print_hops(Session& s, const std::vector<Hop>& hops) {
  for (const Hop& hop : hops)
    s.say("  {} -> {}  VL {}", s.names.port(hop.out), s.names.port(hop.in), hop.vl.value);
}

void walk(Session& s, Arguments& args) {
  const PortIndex from = args.end_port(), to = args.end_port();
  const mad::PKey p_key = p_key_or_default(args);
  const mad::Sl sl{static_cast<std::uint8_t>(args.empty() ? 0 : args.number("SL", 0, 15))};
  args.finish();
  const mad::Lid lid = s.world.model.ports[to].info.lid();
  if (lid == mad::Lid{}) throw CommandError(fmt::format("{} has no LID", s.names.port(to)));
  std::vector<Hop> hops;
  const Walk result =
      walk_unicast(s.world.model, from, {.dlid = lid, .sl = sl, .p_key = p_key}, &hops);
  s.say("from {} to LID {}, P_Key {}, SL {}:", s.names.port(from), lid, p_key, sl.value);
  print_hops(s, hops);
  if (result.delivered())
    return s.say("delivered to {} after {} hops", s.names.port(result.end), hops.size());
  s.say("dropped at {}: {}", result.end == kNone ? "its start" : s.names.port(result.end),
        name(result.drop));
}

void multicast_walk(Session& s, Arguments& args) {
  const PortIndex from = args.end_port();
  const mad::Lid mlid{static_cast<std::uint16_t>(args.number("multicast LID", 0xC000, 0xFFFE))};
  const mad::PKey p_key = p_key_or_default(args);
  const mad::Sl sl{static_cast<std::uint8_t>(args.empty() ? 0 : args.number("SL", 0, 15))};
  args.finish();
  const Copies copies =
      walk_multicast(s.world.model, from, {.dlid = mlid, .sl = sl, .p_key = p_key});
  s.say("from {} to {:#06x}, P_Key {}, SL {}:", s.names.port(from), mlid.value, p_key, sl.value);
  print_hops(s, copies.hops);
  for (const PortIndex end : copies.delivered) {
    const auto times = std::ranges::count(copies.delivered, end);
    s.say("delivered to {}{}", s.names.port(end),
          times > 1 ? fmt::format(" ({} copies in all)", times) : "");
  }
  s.say("{} copies delivered over {} links{}", copies.delivered.size(), copies.hops.size(),
        copies.forwarding_loop ? "; forwarding loop" : "");
}

void trace(Session& s, Arguments& args) {
  const bool on = args.choice("setting", {"off", "on"}) == 1;
  const std::string path = on ? args.rest() : "";
  args.finish();
  if (on && path.empty()) throw CommandError("a file is missing: trace on FILE");
  if (!s.controls.trace_to) throw CommandError("not available");
  if (const auto done = s.controls.trace_to(path); !done) throw CommandError(done.error());
}

void scenario(Session& s, Arguments& args) {
  const std::string path = args.rest();
  if (path.empty()) throw CommandError("a file is missing");
  if (!s.controls.run_scenario) throw CommandError("scenarios are not available here");
  if (const auto done = s.controls.run_scenario(path); !done) throw CommandError(done.error());
}

void statistics(Session& s, Arguments& args) {
  args.finish();
  const WorldStatistics& w = s.world.statistics;
  std::size_t up = 0, active = 0, cables = 0;
  for (const PortIndex port : s.world.model.ports.indices()) {
    if (s.world.model.ports[port].peer == kNone || s.world.model.ports[port].peer < port) continue;
    ++cables;
    up += s.world.model.link_up(port) ? 1 : 0;
    active += s.world.model.ports[port].info.port_state() == mad::PortState::active ? 1 : 0;
  }
  s.say("{} nodes, {} cables ({} up, {} active)", s.world.model.nodes.size(), cables, up, active);
  s.say("MADs: {} sent by clients, {} answered by agents, {} lost on links, {} dropped",
        w.mads_sent, w.mads_answered, w.mads_lost, w.mads_dropped);
  s.say("traps: {} raised, {} sent, {} repressed; M_Key violations: {}", w.traps_raised,
        w.traps_sent, w.traps_repressed, w.m_key_violations);
}

void smps(Session& s, Arguments& args) {
  SmpTally& tally = s.world.smps;
  const TimePoint now = s.world.events().now();
  if (!args.empty()) {
    args.choice("action", {"reset"});
    args.finish();
    tally = {};
    tally.since = now;
    return;
  }
  const auto seconds_after = [&](TimePoint time) {
    return std::chrono::duration<double>(time - tally.since).count();
  };
  std::uint64_t sets = 0;
  for (const auto& [attribute, count] : tally.sets) sets += count;
  s.say("{:.6f} s: {} Gets, {} Sets", seconds_after(now), tally.gets, sets);
  if (sets > 0) s.say("last Set after {:.6f} s", seconds_after(tally.last_set));
  for (const auto& [attribute, count] : tally.sets)
    s.say("  SubnSet({}) {}", mad::name(attribute), count);
}

void clients(Session& s, Arguments& args) {
  args.finish();
  if (!s.controls.clients) throw CommandError("not available");
  const auto all = s.controls.clients();
  for (const ClientInfo& client : all) {
    s.say("client {} pid {} at {}{}{}: {} MADs from it, {} to it, {} waiting, {} dropped",
          client.number, client.id, s.names.port(client.port),
          client.vport != 0 ? fmt::format(" vport {}", client.vport) : "",
          client.is_sm ? " (SM)" : "", client.mads_from, client.mads_to, client.waiting,
          client.dropped);
  }
  s.say("{} clients", all.size());
}

void who_is_sm(Session& s, Arguments& args) {
  args.finish();
  const Model& model = s.world.model;
  std::map<std::uint16_t, std::size_t> served;  // ports by MasterSMLID
  std::map<std::uint16_t, PortIndex> owner;
  for (const PortIndex port : model.ports.indices()) {
    if (!model.is_end_port(port) ||
        (model.ports[port].number == 0 && !model.owning_node(port).is_switch()))
      continue;
    const mad::PortInfo& info = model.ports[port].info;
    ++served[info.master_sm_lid().value];
    if (info.lid() != mad::Lid{}) owner.emplace(info.lid().value, port);
    if ((info.capability_mask() & mad::capability::kIsSm) != 0)
      s.say("IsSM: {} LID {}", s.names.port(port), info.lid());
  }
  for (const auto& [lid, count] : served) {
    if (lid == 0) {
      s.say("{} ports have no master", count);
    } else {
      const auto at = owner.find(lid);
      s.say("master of {} ports: LID {} ({})", count, lid,
            at == owner.end() ? "which no port has" : s.names.port(at->second));
    }
  }
}

void print_vports(Session& s, PortIndex port) {
  const PortModel& of = s.world.model.ports[port];
  const mad::VirtualizationInfo info = virtualization_info(of);
  s.say("{}: {} vports at most, top index {}, virtualization {}", s.names.port(port),
        info.vport_cap(), info.vport_index_top(),
        info.virtualization_enable() ? "enabled" : "disabled");
  constexpr std::array<std::string_view, 3> kPolicies{"down", "follow", "up"};
  for (const auto& [index, vport] : of.extras->vports) {
    std::string keys;
    for (unsigned block = 0; block < vport_p_key_blocks(s.world.model, port, index); ++block) {
      const mad::PKeyTable table = vport_p_keys(s.world.model, port, index, block);
      for (unsigned entry = 0; entry < mad::PKeyTable::kEntries; ++entry)
        if (table.p_key(entry) != mad::PKey{}) keys += fmt::format(" {}", table.p_key(entry));
    }
    const mad::VPortInfo vport_data = vport_info(of, index);
    s.say("  {:>3} {} GUID {:#018x} LID {}{} policy {}{} P_Keys{}", index,
          mad::name(vport_state(of, index)), vport_data.port_guid().value, vport_lid(of, index),
          vport_data.lid_required() ? " (own)" : "",
          kPolicies[static_cast<std::size_t>(vport.policy)], vport.bound ? "" : ", unbound", keys);
  }
}

void vports(Session& s, Arguments& args) {
  const Model& model = s.world.model;
  std::vector<PortIndex> ports;
  if (!args.empty()) ports.push_back(args.end_port());
  args.finish();
  const bool all = ports.empty();
  if (all) {
    for (const PortIndex port : model.ports.indices())
      if (find_vport(model.ports[port], 0)) ports.push_back(port);
  } else if (!find_vport(model.ports[ports.front()], 0)) {
    throw CommandError("the port cannot have vports; `do vport-capacity port: NODE/PORT`");
  }
  for (const PortIndex port : ports) print_vports(s, port);
  if (all) s.say("{} ports can have vports", ports.size());
}

void show_time(Session& s, Arguments& args) {
  if (!args.empty()) {
    const std::string text = args.text("speed");
    const auto speed =
        text.find_first_not_of("0123456789.") == std::string::npos ? std::atof(text.c_str()) : -1;
    if (speed < 0 || speed > 1e6)
      throw CommandError(fmt::format("{} is not a speed; 1 is real time, 0 as fast as possible",
                                     config::in_quotes(text)));
    s.pace.set_speed(speed, std::chrono::steady_clock::now());
  }
  args.finish();
  s.say("{:.6f} s since the start, speed {}",
        std::chrono::duration<double>(s.world.events().elapsed()).count(), s.pace.speed());
}

void node_info(Session& s, Arguments& args) {
  const NodeIndex index = args.node();
  args.finish();
  const NodeModel& node = s.world.model.nodes[index];
  const Health& h = node.health;
  s.say("\"{}\" ({}): {}, {} ports, GUID {}, {} Gets and {} Sets received", s.names.id(index),
        config::printable(node.description), mad::name(node.info.node_type()), node.port_count(),
        node.info.node_guid(), node.gets, node.sets);
  if (!h.powered) s.say("  powered off");
  if (h.silent) s.say("  hangs");
  if (h.agent_ignores_requests) s.say("  deaf");
  if (h.withhold_traps) s.say("  withholds traps");
  if (h.slow_max > mad::Duration{}) s.say("  slow by {} to {}", show(h.slow_min), show(h.slow_max));
  if (h.service_time > mad::Duration{})
    s.say("  serves one request after the other, {} each, {} more wait; {} dropped",
          show(h.service_time), h.queue, node.agent_drops);
  if (h.bad_status > 0) s.say("  bad status {:#06x} with probability {}", h.status, h.bad_status);
  if (h.lies > 0) s.say("  answers with random data with probability {}", h.lies);
  if (h.ignored_probability > 0)
    s.say("  ignores requests with probability {}", h.ignored_probability);
}

/// Saves the current fabric as a topology file.
void save(Session& s, Arguments& args) {
  const std::string path = args.rest();
  if (path.empty()) throw CommandError("a file is missing");
  const Model& model = s.world.model;
  Topology now = s.plan;
  if (now.nodes.size() != model.nodes.size())
    throw CommandError("the fabric has nodes that are not in the topology file");
  for (const NodeIndex node : model.nodes.indices())
    now.nodes[node].name = model.nodes[node].description;
  const auto ref = [&](PortIndex port) {
    return PortRef{model.ports[port].node, {model.ports[port].number}};
  };
  std::erase_if(now.links, [&](const Link& link) {
    return model.ports[model.port(link.a)].peer != model.port(link.b);
  });
  std::vector<bool> known(model.ports.size());
  for (const Link& link : now.links) known[model.port(link.a)] = known[model.port(link.b)] = true;
  for (const PortIndex port : model.ports.indices()) {
    if (!known[port] && model.ports[port].peer != kNone && model.ports[port].peer > port)
      now.links.push_back({.a = ref(port), .b = ref(model.ports[port].peer)});
  }
  std::ofstream out(path);
  write_ibsim(now, out);
  if (!out.flush()) throw CommandError(fmt::format("cannot write {}", config::in_quotes(path)));
}

constexpr Command kShowCommands[] = {
    {"walk", "NODE[PORT] NODE[PORT] [P_KEY [SL]]",
     "follows a data packet to the LID of the second port", walk},
    {"multicast", "NODE[PORT] MLID [P_KEY [SL]]",
     "follows a multicast packet, and counts the copies", multicast_walk},
    {"node", "NODE", "a node's type, ports and faults", node_info},
    {"sm", "", "ports with IsSM, and the number of ports by MasterSMLID", who_is_sm},
    {"vports", "[NODE[PORT]]", "vports of one port or of all, with states, LIDs and P_Keys",
     vports},
    {"stat", "", "totals since the start", statistics},
    {"smps", "[reset]", "SMPs that clients have sent since the start or `smps reset`", smps},
    {"clients", "", "lists the clients, with counts", clients},
    {"time", "[SPEED]", "the clock of the fabric; sets its speed", show_time},
    {"trace", "on FILE | off", "writes every event to a file", trace},
    {"scenario", "FILE", "runs a file of events", scenario},
    {"save", "FILE", "writes the current nodes and links", save},
};

}  // namespace

std::span<const Command> show_commands() { return kShowCommands; }

}  // namespace sim::server
