#include "sim/scenario/actions.h"

#include <algorithm>
#include <array>

#include <fmt/ranges.h>

#include "mad/format.h"
#include "sim/world/named_counters.h"

namespace sim {
namespace {

using Happen = std::function<void(World&)>;

Happen to_node(ActionReader& reader, void (*change)(World&, NodeIndex)) {
  const NodeIndex node = reader.node("node");
  return [node, change](World& world) { change(world, node); };
}
Happen to_health(ActionReader& reader, std::function<void(Health&)> change) {
  const NodeIndex node = reader.node("node");
  return
      [node, change = std::move(change)](World& world) { change(world.model.nodes[node].health); };
}

Happen cut(ActionReader& reader) {
  const PortIndex port = reader.port("port");
  return [port](World& world) { world.cut(port); };
}

Happen connect(ActionReader& reader) {
  const PortIndex a = reader.port("port"), b = reader.port("to");
  return [a, b](World& world) {
    if (world.model.ports[a].peer == kNone && world.model.ports[b].peer == kNone)
      world.connect(a, b);
  };
}

Happen bounce(ActionReader& reader) {
  const PortIndex port = reader.port("port");
  return [port](World& world) { world.bounce(port); };
}

Happen flap(ActionReader& reader) {
  const PortIndex port = reader.port("port");
  const mad::Duration down = reader.duration("down", std::chrono::milliseconds(100));
  return [port, down](World& world) {
    const PortIndex far = world.model.ports[port].peer;
    if (far == kNone) return;
    world.cut(port);
    world.events().after(down, [&world, port, far] {
      if (world.model.ports[port].peer == kNone && world.model.ports[far].peer == kNone)
        world.connect(port, far);
    });
  };
}

Happen quality(ActionReader& reader) {
  LinkQuality quality;
  quality.latency_min = reader.duration("latency", quality.latency_min);
  quality.latency_max =
      std::max(quality.latency_min, reader.duration("latency_max", quality.latency_min));
  quality.lost = reader.probability("loss", 0);
  quality.duplicated = reader.probability("duplicate", 0);
  quality.corrupted = reader.probability("corrupt", 0);
  quality.late = reader.probability("late", 0);
  quality.late_max = reader.duration("late_max", quality.late_max);
  if (reader.is("port", "all"))
    return [quality](World& world) { world.set_quality_of_all(quality); };
  const PortIndex port = reader.port("port");
  return [port, quality](World& world) { world.set_quality(port, quality); };
}

Happen slow(ActionReader& reader) {
  const mad::Duration least = reader.duration("min", {}),
                      most = reader.duration("max", std::chrono::milliseconds(100));
  return to_health(
      reader, [least, most](Health& health) { health.slow_min = least, health.slow_max = most; });
}

Happen serial(ActionReader& reader) {
  const mad::Duration time = reader.duration("time", std::chrono::milliseconds(30));
  const auto queue = static_cast<unsigned>(reader.number("queue", Health{}.queue, 65535));
  return to_health(
      reader, [time, queue](Health& health) { health.service_time = time, health.queue = queue; });
}

Happen bad_status(ActionReader& reader) {
  const double probability = reader.probability("probability", 1);
  const auto status =
      static_cast<std::uint16_t>(reader.number("status", mad::status::kInvalidValue, 0x7FFF));
  return to_health(reader, [probability, status](Health& health) {
    health.bad_status = probability, health.status = status;
  });
}

Happen lie(ActionReader& reader) {
  const double probability = reader.probability("probability", 1);
  return to_health(reader, [probability](Health& health) { health.lies = probability; });
}

Happen withhold_traps(ActionReader& reader) {
  const bool on = reader.boolean("on", true);
  return to_health(reader, [on](Health& health) { health.withhold_traps = on; });
}

Happen rename(ActionReader& reader) {
  const NodeIndex node = reader.node("node");
  return [node, name = reader.text("name")](World& world) { world.rename(node, name); };
}

Happen link_error(ActionReader& reader) {
  const PortIndex port = reader.port("port");
  const std::uint64_t trap = reader.number("trap", 129, 131);
  if (trap < 129) reader.complain(reader.mark("trap"), "the trap is none of 129, 130 and 131", "");
  return [port, trap](World& world) {
    world.report_link_error(port, static_cast<mad::TrapNumber>(trap));
  };
}

Happen bad_key(ActionReader& reader) {
  const PortIndex port = reader.port("port");
  const std::uint64_t trap = reader.number("trap", 257, 259);
  if (trap < 257) reader.complain(reader.mark("trap"), "the trap is none of 257, 258 and 259", "");
  const auto key = static_cast<std::uint32_t>(reader.number("key", 0x8001, 0xFFFFFFFF));
  const auto from = static_cast<std::uint16_t>(reader.number("from_lid", 0, 0xFFFF)),
             to = static_cast<std::uint16_t>(reader.number("to_lid", 0, 0xFFFF));
  return [=](World& world) {
    world.report_bad_key(port, static_cast<mad::TrapNumber>(trap), mad::Lid{from}, mad::Lid{to},
                         key);
  };
}

Happen data(ActionReader& reader) {
  const PortIndex port = reader.port("port");
  PacketHeader packet;
  packet.dlid = {static_cast<std::uint16_t>(reader.number("to_lid", 0, 0xFFFF))};
  packet.p_key = {static_cast<std::uint16_t>(reader.number("p_key", 0xFFFF, 0xFFFF))};
  packet.sl = {static_cast<std::uint8_t>(reader.number("sl", 0, 15))};
  return [port, packet](World& world) { world.send_data(port, packet); };
}

Happen counters(ActionReader& reader) {
  const PortIndex port = reader.port("port");
  const std::string name = reader.text("counter");
  const std::uint64_t value = reader.number("value", 0, ~std::uint64_t{0});
  const std::vector<std::string> known = counter_names();
  if (reader.has("counter") && std::ranges::find(known, name) == known.end()) {
    reader.complain(reader.mark("counter"),
                    fmt::format("no counter is called {}", config::in_quotes(name)),
                    fmt::format("counters: {}", fmt::join(known, ", ")));
  }
  return [port, name, value](World& world) { set_counter(world.model, port, name, value); };
}

constexpr std::array kActions{
    Action{"cut", "port", "pulls the cable out", cut},
    Action{"connect", "port, to", "plugs a cable in between two free ports", connect},
    Action{"bounce", "port", "the link goes down and trains again", bounce},
    Action{"flap", "port, down", "the cable is out for the time `down`", flap},
    Action{"quality",
           "port (or all), latency, latency_max, loss, duplicate, corrupt, late, late_max",
           "faults of the link for MADs", quality},
    Action{"hang", "node", "links stay up, the node answers and forwards nothing",
           [](ActionReader& reader) {
             return to_health(reader, [](Health& health) { health.silent = true; });
           }},
    Action{"unhang", "node", "ends it",
           [](ActionReader& reader) {
             return to_health(reader, [](Health& health) { health.silent = false; });
           }},
    Action{"reboot", "node", "links down, settings and tables lost, back after the boot",
           [](ActionReader& reader) {
             return to_node(reader, [](World& world, NodeIndex node) { world.reboot(node); });
           }},
    Action{"power-off", "node", "",
           [](ActionReader& reader) {
             return to_node(reader, [](World& world, NodeIndex node) { world.power(node, false); });
           }},
    Action{"power-on", "node", "",
           [](ActionReader& reader) {
             return to_node(reader, [](World& world, NodeIndex node) { world.power(node, true); });
           }},
    Action{"lose-tables", "node", "a switch loses its forwarding tables, links stay up",
           [](ActionReader& reader) {
             return to_node(reader, [](World& world, NodeIndex node) { world.lose_tables(node); });
           }},
    Action{"slow", "node, min, max", "answers take longer by a random time between these", slow},
    Action{"serial", "node, time, queue",
           "serves one request after the other, `queue` more wait, others are dropped", serial},
    Action{"bad-status", "node, probability, status", "answers with a status, without effect",
           bad_status},
    Action{"lie", "node, probability", "answers garbage", lie},
    Action{"healthy", "node", "ends slow, serial, bad-status, lie, hang and withhold-traps",
           [](ActionReader& reader) {
             return to_health(reader, [](Health& health) {
               const bool powered = health.powered;
               health = Health{};
               health.powered = powered;
             });
           }},
    Action{"withhold-traps", "node, on", "raises no traps", withhold_traps},
    Action{"rename", "node, name", "another NodeDescription, trap 144", rename},
    Action{"link-error", "port, trap (129, 130 or 131)", "", link_error},
    Action{"bad-key", "port, trap (257, 258 or 259), key, from_lid, to_lid",
           "a violation is counted and reported", bad_key},
    Action{"counters", "port, counter, value", "sets a performance counter", counters},
    Action{"data", "port, to_lid, p_key, sl", "sends a data packet, with its counters and traps",
           data},
};

}  // namespace

std::span<const Action> actions() {
  static const std::vector<Action> all = [] {
    std::vector<Action> tables(kActions.begin(), kActions.end());
    tables.insert(tables.end(), vport_actions().begin(), vport_actions().end());
    return tables;
  }();
  return all;
}

const Action* find_action(std::string_view name) {
  const auto found = std::ranges::find(actions(), name, &Action::name);
  return found == actions().end() ? nullptr : &*found;
}

std::vector<std::string_view> action_names() {
  std::vector<std::string_view> names;
  names.reserve(actions().size());
  for (const Action& action : actions()) names.push_back(action.name);
  return names;
}

}  // namespace sim
