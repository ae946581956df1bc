// Commands that inject faults: of nodes, links and their traps.

#include <algorithm>

#include "config/diagnostic.h"
#include "mad/format.h"
#include "sim/scenario/actions.h"
#include "sim/scenario/scenario.h"
#include "sim/server/console.h"

namespace sim::server {
namespace {

Health& find_health(Session& s, NodeIndex node) { return s.world.model.nodes[node].health; }

template <bool silent>
void hang(Session& s, Arguments& args) {
  const NodeIndex node = args.node();
  args.finish();
  find_health(s, node).silent = silent;
}

/// Parses [on | off].
template <bool Health::* fault>
void set_fault(Session& s, Arguments& args) {
  const NodeIndex node = args.node();
  const std::size_t choice = args.empty() ? 0 : args.choice("setting", {"on", "off"});
  args.finish();
  find_health(s, node).*fault = choice == 0;
}

void reboot(Session& s, Arguments& args) {
  const NodeIndex node = args.node();
  args.finish();
  s.world.reboot(node);
}

void power(Session& s, Arguments& args) {
  const NodeIndex node = args.node();
  const bool on = args.choice("setting", {"off", "on"}) == 1;
  args.finish();
  s.world.power(node, on);
}

void slow(Session& s, Arguments& args) {
  const std::vector<NodeIndex> nodes = args.nodes();
  const mad::Duration least = args.duration();
  const mad::Duration most = args.empty() ? least : args.duration();
  args.finish();
  if (most < least) throw CommandError("the second time is the longer one");
  for (const NodeIndex node : nodes) {
    find_health(s, node).slow_min = least;
    find_health(s, node).slow_max = most;
  }
}

void serial(Session& s, Arguments& args) {
  const std::vector<NodeIndex> nodes = args.nodes();
  const mad::Duration time = args.duration();
  const auto queue =
      static_cast<unsigned>(args.empty() ? Health{}.queue : args.number("queue", 0, 65535));
  args.finish();
  for (const NodeIndex node : nodes) {
    find_health(s, node).service_time = time;
    find_health(s, node).queue = queue;
  }
}

void lft_firmware(Session& s, Arguments& args) {
  const std::vector<NodeIndex> nodes = args.nodes();
  const auto firmware = static_cast<LftFirmware>(args.choice(
      "firmware", {"plain", "hides-above-top", "ignores-above-top", "hides-ports", "sets-unused"}));
  args.finish();
  const bool is_one = nodes.size() == 1;
  for (const NodeIndex node : nodes) {
    NodeModel& model = s.world.model.nodes[node];
    if (is_one && !model.is_switch()) throw CommandError("it is no switch");
    if (model.is_switch()) model.sw->lft_firmware = firmware;
  }
}

void bad_status(Session& s, Arguments& args) {
  const NodeIndex node = args.node();
  const double probability = args.probability();
  const auto status =
      static_cast<std::uint16_t>(args.empty() ? 0x1C : args.number("status", 1, 0x7FFF));
  args.finish();
  find_health(s, node).bad_status = probability;
  find_health(s, node).status = status;
}

void lie(Session& s, Arguments& args) {
  const NodeIndex node = args.node();
  const double probability = args.probability();
  args.finish();
  find_health(s, node).lies = probability;
}

void heal(Session& s, Arguments& args) {
  const NodeIndex node = args.node();
  args.finish();
  const bool powered = find_health(s, node).powered;
  find_health(s, node) = Health{};
  find_health(s, node).powered = powered;
  const auto& sw = s.world.model.nodes[node].sw;
  if (sw && sw->adaptive) sw->adaptive->faults = {};
}

void lose_tables(Session& s, Arguments& args) {
  const NodeIndex node = args.node();
  args.finish();
  if (!s.world.model.nodes[node].is_switch()) throw CommandError("only switches have tables");
  s.world.lose_tables(node);
}

void set_term(LinkQuality& quality, const std::string& term) {
  const std::size_t equals = term.find('=');
  const std::string_view key = std::string_view(term).substr(0, equals);
  if (equals == std::string::npos)
    throw CommandError(fmt::format("{} has no '='", config::in_quotes(term)));
  const std::string_view value = std::string_view(term).substr(equals + 1);
  if (key == "latency") {
    const std::size_t dots = value.find("..");
    quality.latency_min = parse_duration(value.substr(0, dots));
    quality.latency_max = dots == std::string_view::npos ? quality.latency_min
                                                         : parse_duration(value.substr(dots + 2));
    if (quality.latency_max < quality.latency_min) throw CommandError("latency=LEAST..MOST");
  } else if (key == "loss") {
    quality.lost = parse_probability(value);
  } else if (key == "duplicate") {
    quality.duplicated = parse_probability(value);
  } else if (key == "corrupt") {
    quality.corrupted = parse_probability(value);
  } else if (key == "late") {
    const std::size_t comma = value.find(',');
    quality.late = parse_probability(value.substr(0, comma));
    if (comma != std::string_view::npos) quality.late_max = parse_duration(value.substr(comma + 1));
  } else {
    throw CommandError(fmt::format("{} is none of latency, loss, duplicate, corrupt, late",
                                   config::in_quotes(key)));
  }
}

std::string text_of(const LinkQuality& quality) {
  return fmt::format("latency={}..{} loss={} duplicate={} corrupt={} late={},{}",
                     show(quality.latency_min), show(quality.latency_max), quality.lost,
                     quality.duplicated, quality.corrupted, quality.late, show(quality.late_max));
}

void quality(Session& s, Arguments& args) {
  World& world = s.world;
  const Word where = args.word("port, or the word all");
  std::vector<PortIndex> ports;
  const bool all = !where.quoted && where.text == "all";
  if (!all) ports = Arguments({where}, s.names, world.model).ports();
  LinkQuality wanted =
      all ? world.qualities[0] : world.qualities[world.model.ports[ports.front()].quality];
  const bool show_only = args.empty();
  while (!args.empty()) {
    const std::string term = args.text("setting");
    if (term == "good") {
      wanted = LinkQuality{};
    } else {
      set_term(wanted, term);
    }
  }
  if (show_only && !all) {
    for (const PortIndex port : ports)
      s.say("{}: {}", s.names.port(port),
            text_of(world.qualities[world.model.ports[port].quality]));
    return;
  }
  if (show_only) return s.say("all: {}", text_of(wanted));
  if (!all) {
    for (const PortIndex port : ports) world.set_quality(port, wanted);
    return;
  }
  world.set_quality_of_all(wanted);
}

/// Takes the link down and up `left` times, once per period.
void flap_on(Session& s, PortIndex port, mad::Duration period, std::uint64_t left,
             std::uint32_t series) {
  if (left == 0 || series != s.flaps) return;
  s.world.bounce(port);
  s.world.events().after(
      period, [&s, port, period, left, series] { flap_on(s, port, period, left - 1, series); });
}

void flap(Session& s, Arguments& args) {
  const Word where = args.word("port, or the word stop");
  if (!where.quoted && where.text == "stop") {
    args.finish();
    ++s.flaps;
    return;
  }
  const PortIndex port = Arguments({where}, s.names, s.world.model).port();
  const std::uint64_t times = args.empty() ? 1 : args.number("number of times", 1, UINT32_MAX);
  const mad::Duration period = args.empty() ? std::chrono::seconds(1) : args.duration();
  args.finish();
  if (s.world.model.ports[port].peer == kNone) throw CommandError("no cable is plugged in there");
  if (period < std::chrono::milliseconds(1))
    throw CommandError("too short for a link to train: at least a millisecond");
  flap_on(s, port, period, times, s.flaps);
}

void rename(Session& s, Arguments& args) {
  const NodeIndex node = args.node();
  const std::string text = args.rest();
  if (text.empty() || text.size() > 64) throw CommandError("a NodeDescription has 1 to 64 bytes");
  s.world.rename(node, text);
}

void capability(Session& s, Arguments& args) {
  const PortIndex port = args.end_port();
  const auto mask = static_cast<std::uint32_t>(args.number("CapabilityMask", 0, UINT32_MAX));
  args.finish();
  s.world.set_capability(port, mask);
}

void trap(Session& s, Arguments& args) {
  const auto number = static_cast<mad::TrapNumber>(args.number("trap", 128, 259));
  switch (number) {
    case mad::TrapNumber::link_state_change: {
      const PortIndex port = args.port(true);
      args.finish();
      if (!s.world.model.owning_node(port).is_switch())
        throw CommandError("trap 128 comes from switches");
      return s.world.note_state_change(port);
    }
    case mad::TrapNumber::local_link_integrity:
    case mad::TrapNumber::excessive_buffer_overrun:
    case mad::TrapNumber::flow_control_watchdog: {
      const PortIndex port = args.port();
      args.finish();
      return s.world.report_link_error(port, number);
    }
    case mad::TrapNumber::local_change: {
      const NodeIndex node = args.node();
      args.finish();
      return s.world.rename(node, s.world.model.nodes[node].description);
    }
    case mad::TrapNumber::system_image_guid_change: {
      const NodeIndex node = args.node();
      const mad::Guid guid{args.empty() ? s.world.model.nodes[node].info.system_image_guid().value
                                        : args.number("GUID", 0, UINT64_MAX)};
      args.finish();
      return s.world.set_system_image_guid(node, guid);
    }
    case mad::TrapNumber::bad_p_key:
    case mad::TrapNumber::bad_q_key:
    case mad::TrapNumber::switch_bad_p_key: {
      const PortIndex at =
          number == mad::TrapNumber::switch_bad_p_key ? args.port(true) : args.end_port();
      const auto from = static_cast<std::uint16_t>(args.number("LID", 1, 0xFFFF)),
                 to = static_cast<std::uint16_t>(args.number("LID", 1, 0xFFFF));
      const bool q_key = number == mad::TrapNumber::bad_q_key;
      const auto key =
          static_cast<std::uint32_t>(args.number("key", 0, q_key ? UINT32_MAX : 0xFFFF));
      args.finish();
      if (number == mad::TrapNumber::switch_bad_p_key && !s.world.model.owning_node(at).is_switch())
        throw CommandError("trap 259 comes from switches");
      return s.world.report_bad_key(at, number, {from}, {to}, key);
    }
    default:
      throw CommandError("no such trap here: 128, 129, 130, 131, 144, 145, 257, 258, 259");
  }
}

/// Runs an action of scenarios, given as a map of YAML in one line.
void run_action(Session& s, Arguments& args) {
  const std::string line = args.rest();
  const std::string name = line.substr(0, line.find_first_of(" \t"));
  if (name.empty()) {
    for (const Action& action : actions())
      s.say("{} {}{}{}", action.name, action.keys, action.help.empty() ? "" : ": ", action.help);
    return;
  }
  const std::string keys = line.substr(name.size());
  const bool has_keys = keys.find_first_not_of(" \t") != std::string::npos;
  const auto scenario = parse_scenario(
      {"do", fmt::format("events: [{{do: {}{}{}}}]", name, has_keys ? ", " : "", keys)},
      s.world.model, 1, [&s](std::string_view node) { return s.names.node(node); });
  if (!scenario) {
    std::string text;
    for (const config::Diagnostic& each : scenario.error())
      text += fmt::format("{}{}{}{}", text.empty() ? "" : "; ", each.what,
                          each.remedy.empty() ? "" : ": ", each.remedy);
    throw CommandError(text);
  }
  for (const ScenarioEvent& event : scenario->events) event.happen(s.world);
}

constexpr Command kFaultCommands[] = {
    {"hang", "NODE", "the node answers and forwards nothing; its links stay up", hang<true>},
    {"unhang", "NODE", "ends hang", hang<false>},
    {"deaf", "NODE [on|off]", "the node forwards, but its agents answer NodeInfo only",
     set_fault<&Health::agent_ignores_requests>},
    {"reboot", "NODE", "links down, settings and tables lost, and up again after the boot", reboot},
    {"power", "NODE on|off", "switches a node on or off", power},
    {"slow", "NODE|all TIME [TIME]",
     "answers take longer by this time, or by a random one between both; 0 ends it", slow},
    {"serial", "NODE|all TIME [QUEUE]",
     "serves one request after the other, each for this time; as many more wait (8), others are "
     "dropped; 0 ends it",
     serial},
    {"lft-firmware", "NODE|all plain|hides-above-top|ignores-above-top|hides-ports|sets-unused",
     "what a switch does with forwarding table entries: entries above LinearFDBTop read as 255, or "
     "Sets of them have no effect; ports above NumPorts read as 255; 255 reads as 0",
     lft_firmware},
    {"bad-status", "NODE PROBABILITY [STATUS]", "answers with this status (0x1c), without effect",
     bad_status},
    {"lie", "NODE PROBABILITY", "answers with random data", lie},
    {"withhold-traps", "NODE [on|off]", "the node sends no traps",
     set_fault<&Health::withhold_traps>},
    {"heal", "NODE",
     "ends hang, deaf, slow, serial, bad-status, lie, withhold-traps, ar-fault and Error", heal},
    {"lose-tables", "NODE", "a switch's forwarding tables are lost, its links stay up",
     lose_tables},
    {"quality", "NODE[PORT]|all [TERM...]",
     "shows or sets: latency=300ns or 1us..5us, loss=5%, duplicate=, corrupt=, late=5%,1s, good",
     quality},
    {"flap", "NODE[PORT]|stop [TIMES [PERIOD]]",
     "a link goes down and trains again, as often, once per period (1s)", flap},
    {"rename", "NODE TEXT", "another NodeDescription; trap 144", rename},
    {"capability", "NODE[PORT] MASK", "another CapabilityMask; trap 144", capability},
    {"do", "[ACTION [KEY: VALUE, ...]]",
     "an action of scenario files, such as: do vport-guid port: H0/1, index: 1, guid: 0x11; "
     "without "
     "arguments lists all",
     run_action},
    {"trap", "NUMBER NODE[PORT] ...",
     "raises 128..131, 144, 145 [GUID], or 257, 258, 259 FROM-LID TO-LID KEY", trap},
};

}  // namespace

std::span<const Command> fault_commands() { return kFaultCommands; }

}  // namespace sim::server
