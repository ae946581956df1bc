#include "sm/ops/console/console_text.h"

#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <map>

#include "config/build/facts.h"
#include "fabric/find_port.h"
#include "mad/format.h"
#include "mad/link_speed.h"
#include "sm/ops/console/name_expression.h"

namespace sm::console {
namespace {

constexpr std::size_t kPortsMax = 10'000;  // that are printed

bool is_error(Counter counter) {
  return counter >= Counter::symbol_errors && counter != Counter::xmit_wait;
}

void append_port(std::string& out, const Fabric& fabric, NodeIndex node, const PortCounters& port,
                 bool errors_only) {
  std::string lines;
  for (std::size_t i = 0; i < kCounters; ++i) {
    const auto counter = static_cast<Counter>(i);
    if (!port.has(counter)) continue;
    if (errors_only && (!is_error(counter) || port.total(counter) == 0)) continue;
    lines += fmt::format("{:<30} : {}{}\n", name(counter), port.total(counter),
                         port.is_saturated(counter) ? " (saturated)" : "");
  }
  if (errors_only && lines.empty()) return;
  out +=
      fmt::format("\n{} port {} ({})\n{}", fabric.name(node), port.port, name(port.reading), lines);
}

constexpr std::size_t kPortsNamed = 100;

std::string_view state_name(mad::SmState state) {
  switch (state) {
    case mad::SmState::not_active:
      return "Not Active";
    case mad::SmState::discovering:
      return "Discovering";
    case mad::SmState::standby:
      return "Standby";
    case mad::SmState::master:
      return "Master";
  }
  return "Unknown";
}

std::string_view type_name(mad::NodeType type) {
  switch (type) {
    case mad::NodeType::switch_:
      return "Switch";
    case mad::NodeType::router:
      return "Router";
    default:
      return "Channel Adapter";
  }
}

bool is_chosen(const Node& node, NodeChoice choice) {
  switch (choice) {
    case NodeChoice::ca:
      return node.type == mad::NodeType::ca;
    case NodeChoice::switch_:
      return node.type == mad::NodeType::switch_;
    case NodeChoice::router:
      return node.type == mad::NodeType::router;
    case NodeChoice::all:
      break;
  }
  return true;
}

/// Returns the rate of one lane in Gbps, in OpenSM's notation.
std::string_view lane_gbps(mad::LaneSpeed speed) {
  switch (speed) {
    case mad::LaneSpeed::sdr:
      return "2.5";
    case mad::LaneSpeed::ddr:
      return "5.0";
    case mad::LaneSpeed::qdr:
      return "10.0";
    case mad::LaneSpeed::fdr:
      return "14.0625";
    case mad::LaneSpeed::edr:
      return "25.78125";
    case mad::LaneSpeed::hdr:
      return "53.125";
    case mad::LaneSpeed::ndr:
      return "106.25";
    case mad::LaneSpeed::xdr:
      return "212.5";
    case mad::LaneSpeed::none:
      break;
  }
  return "unknown";
}

/// Collects ports that may have a problem of one kind.
class PortProblems {
 public:
  explicit PortProblems(std::string_view what) : what_(what) {}
  void add(const Fabric& fabric, PortIndex port) {
    if (++count_ <= kPortsNamed)
      names_ += fmt::format("   {:#x} {} ({})\n", fabric.owning_node(port).guid.value,
                            fabric.ports[port].number, fabric.description(fabric.ports[port].node));
  }
  std::string text() const {
    if (count_ == 0) return {};
    const std::string more = count_ > kPortsNamed
                                 ? fmt::format("   and {} more\n", count_ - kPortsNamed)
                                 : std::string();
    return fmt::format("   {} {}\n{}{}", count_, what_, names_, more);
  }

 private:
  std::string_view what_;
  std::size_t count_ = 0;
  std::string names_;
};

/// Returns all switches, or the one with that GUID.
std::vector<SwitchIndex> find_switches(const Fabric& fabric, std::optional<mad::Guid> guid) {
  std::vector<SwitchIndex> found;
  for (const SwitchIndex sw : fabric.switches.indices())
    if (!guid || fabric.nodes[fabric.switches[sw].node].guid == *guid) found.push_back(sw);
  return found;
}

/// Returns the port by which a switch forwards packets to a LID, or kNoIndex.
PortIndex out_port(const Subnet& subnet, SwitchIndex sw, unsigned lid) {
  const Node& node = subnet.fabric.nodes[subnet.fabric.switches[sw].node];
  const auto row = subnet.lfts->row(sw);
  if (lid >= row.size() || row[lid] == 0 || row[lid] > node.num_ports) return kNoIndex;
  return node.first_port + row[lid];
}

bool is_towards_switch(const Fabric& fabric, PortIndex port) {
  const PortIndex peer = fabric.ports[port].peer;
  return peer != kNoIndex && fabric.is_link_up(port) && fabric.owning_node(peer).is_switch();
}

/// Visits LIDs of CAs and routers, with the port that has them.
template <class Each>
void for_each_host_lid(const Subnet& subnet, Each&& each) {
  const auto& owners = subnet.lids.port_of_lid;
  for (std::uint32_t lid = 1; lid < owners.size(); ++lid) {
    const PortIndex owner = owners[lid];
    if (owner != kNoIndex && !subnet.fabric.owning_node(owner).is_switch()) each(lid, owner);
  }
}

std::string switch_name(const Fabric& fabric, SwitchIndex sw) {
  const NodeIndex node = fabric.switches[sw].node;
  return fmt::format("{:#018x} ({})", fabric.nodes[node].guid.value, fabric.description(node));
}

}  // namespace

std::string performance_text(const PerformanceFacts& facts) {
  const auto truth = [](bool value) { return value ? "TRUE" : "FALSE"; };
  return fmt::format(
      "Performance Manager status:\n"
      "state                        : {}\n"
      "sweep state                  : {}\n"
      "sweep time                   : {}s\n"
      "outstanding queries/max      : {}/{}\n"
      "remove missing nodes from DB : {}\n"
      "query ClassPortInfo          : {}\n",
      facts.state(), facts.sweep_state(), facts.sweep_time.count(), facts.outstanding,
      facts.outstanding_max, truth(facts.removes_nodes), truth(facts.queries_class_port_info));
}

std::string counters_text(const ManagerStatus& status, std::string_view name, bool errors_only) {
  if (!status.counters || !status.subnet) return "no counters were read yet\n";
  const Subnet& subnet = *status.subnet;
  const Fabric& fabric = subnet.fabric;
  std::optional<NodeIndex> wanted;
  std::optional<unsigned> port;
  if (!name.empty()) {
    const auto found = find_node(fabric, subnet.lids, name);
    if (!found) return found.error() + "\n";
    wanted = found->node;
    port = found->number;
  }
  std::string out;
  std::size_t printed = 0;
  for (const auto& node : status.counters->nodes) {
    const auto index = fabric.node_of_guid.find(node->node);
    if (index == fabric.node_of_guid.end() || (wanted && index->second != *wanted)) continue;
    for (const PortCounters& counters : node->ports) {
      if (port && counters.port.value != *port) continue;
      if (++printed > kPortsMax) return out + "\n... more ports: name a node\n";
      append_port(out, fabric, index->second, counters, errors_only);
    }
  }
  if (!out.empty()) return out;
  return errors_only ? "no port shows errors\n" : "no counters of it were read yet\n";
}

std::string status_text(const StatusFacts& facts) {
  const ManagerStatus& s = facts.status;
  const auto line = [](std::string_view name, const auto& value) {
    return fmt::format("   {:<31}: {}\n", name, value);
  };
  std::uint64_t ignored = s.inbox.sa;
  for (const std::uint64_t count : s.sa.dropped) ignored += count;
  const std::uint64_t sent = s.gets.sent + s.gets.retried + s.sets.sent + s.sets.retried,
                      received = s.gets.answered + s.sets.answered;
  std::string out = fmt::format(
      "   OpenSM Version       : Heddle {}\n   SM State             : {:<11}\n"
      "   SM Priority          : {}\n   SA State             : {}\n"
      "   Routing Engine       : {}\n   Loaded event plugins : <none>\n",
      config::kBuildVersion, state_name(s.state), s.priority, facts.answers ? "Ready" : "Not ready",
      s.subnet && s.subnet->routing ? s.subnet->routing->engine : std::string("not known"));
  out += fmt::format("\n   PerfMgr state/sweep state : {}/{}\n", facts.performance.state(),
                     facts.performance.sweep_state());
  out += "\n   MAD stats\n   ---------\n";
  const auto requests = s.gets.sent + s.sets.sent;
  const auto ended = s.gets.answered + s.sets.answered + s.gets.timed_out + s.sets.timed_out;
  const std::uint64_t outstanding = requests > ended ? requests - ended : 0;
  out += line("QP0 MADs outstanding", outstanding);
  out += line("QP0 MADs outstanding (on wire)", outstanding);
  out += line("QP0 MADs rcvd", received);
  out += line("QP0 MADs sent", sent);
  out += line("QP0 unicasts sent", 0);
  out += line("QP0 unknown MADs rcvd", s.inbox.smps);
  out += line("SA MADs outstanding", 0);
  out += line("SA MADs rcvd", s.sa.received);
  out += line("SA MADs sent", s.sa.answered + s.sa.refused + s.reports.delivered);
  out += line("SA unknown MADs rcvd", 0);
  out += line("SA MADs ignored", ignored);
  out += "\n   Subnet flags\n   ------------\n";
  out += line("Sweeping enabled", facts.sweeping ? 1 : 0);
  out += line("Sweep interval (seconds)", facts.context->options.sweep_interval);
  out += line("Ignore existing lfts", 0);
  out += line("Subnet Init errors", facts.has_errors ? 1 : 0);
  out += line("In sweep hop 0", 0);
  out += line("First time master sweep", s.state == mad::SmState::master && !s.subnet ? 1 : 0);
  out += line("Coming out of standby", 0);
  out +=
      "\n   Known SMs\n   ---------\n   Port GUID       SM State    Priority\n"
      "   ---------       --------    --------\n";
  out += fmt::format("   {:#x} {:<11} {:<8} SELF\n", s.port_guid.value, state_name(s.state),
                     s.priority);
  for (const KnownManager& sm : s.managers)
    out += fmt::format("   {:#x} {:<11} {}\n", sm.guid.value, state_name(sm.state), sm.priority);
  return out + '\n';
}

std::string port_status_text(const Fabric& fabric, NodeChoice choice, std::uint64_t scan_us) {
  constexpr std::array<std::string_view, 4> kTitles{"ALL", "Channel Adapter", "Switch", "Router"};
  std::size_t nodes = 0, ports = 0;
  std::map<mad::PortState, std::size_t> states;
  std::map<unsigned, std::size_t> widths;
  std::map<mad::LaneSpeed, std::size_t> speeds;
  PortProblems disabled("disabled"), narrow("with reduced width"), slow("with reduced speed"),
      unread("that did not answer"), kept_out("kept out of use");
  for (const NodeIndex index : fabric.nodes.indices()) {
    const Node& node = fabric.nodes[index];
    if (!is_chosen(node, choice)) continue;
    ++nodes;
    for (unsigned number = 1; number <= node.num_ports; ++number) {
      const PortIndex at = fabric.port(index, mad::PortNum{static_cast<std::uint8_t>(number)});
      const Port& port = fabric.ports[at];
      if (!port.known) {
        if (node.is_switch()) unread.add(fabric, at);
        continue;
      }
      ++ports;
      ++states[port.info.port_state()];
      if (port.isolated || port.withheld) kept_out.add(fabric, at);
      if (port.info.port_physical_state() == mad::PortPhysicalState::disabled)
        disabled.add(fabric, at);
      if (!port.is_up()) continue;
      const mad::LinkRate rate = mad::active_rate(port.info);
      ++widths[rate.lanes];
      ++speeds[rate.speed];
      if (port.peer == kNoIndex) continue;
      const mad::LinkRate best = mad::best_common_rate(port.info, fabric.ports[port.peer].info);
      if (rate.lanes < best.lanes) narrow.add(fabric, at);
      if (rate.speed < best.speed) slow.add(fabric, at);
    }
  }
  std::string out = fmt::format("\"{}\" port status:\n   {} port(s) scanned on {} nodes in {} us\n",
                                kTitles[static_cast<std::size_t>(choice)], ports, nodes, scan_us);
  for (const auto& [state, name] :
       {std::pair(mad::PortState::down, "down"), std::pair(mad::PortState::init, "initializing"),
        std::pair(mad::PortState::armed, "armed"), std::pair(mad::PortState::active, "active")})
    if (states[state] > 0) out += fmt::format("   {} {}\n", states[state], name);
  for (const auto& [lanes, count] : widths)
    if (lanes != 0) out += fmt::format("   {} at {}X\n", count, lanes);
  for (const auto& [speed, count] : speeds)
    if (speed != mad::LaneSpeed::none)
      out += fmt::format("   {} at {} Gbps\n", count, lane_gbps(speed));
  std::string problems;
  for (const PortProblems* of : {&disabled, &narrow, &slow, &unread, &kept_out})
    problems += of->text();
  if (!problems.empty()) out += "\nPossible issues:\n" + problems;
  return out + '\n';
}

std::string lid_text(const Subnet* subnet, std::uint64_t lid) {
  const PortIndex owner = subnet != nullptr && lid <= mad::kUnicastLidMax.value
                              ? subnet->lids.owner(mad::Lid{static_cast<std::uint16_t>(lid)})
                              : PortIndex(kNoIndex);
  if (owner == kNoIndex) return fmt::format("Invalid lid {}\n", lid);
  const Fabric& fabric = subnet->fabric;
  const NodeIndex index = fabric.ports[owner].node;
  const Node& node = fabric.nodes[index];
  std::string out = fmt::format("Query results for LID {}\n", lid);
  const auto line = [](std::string_view name, const auto& value) {
    return fmt::format("   {:<20}: {}\n", name, value);
  };
  out += line("GUID", fmt::format("{:#018x}", fabric.ports[owner].guid.value));
  out += line("Node Desc", fabric.description(index));
  out += line("Node Type", type_name(node.type));
  out += line("Num Ports", node.num_ports);
  for (const Port& port : fabric.node_ports(index)) {
    if (!node.is_switch() && !port.known) continue;
    const bool good = port.known && !port.isolated && !port.withheld;
    out += line(fmt::format("Port {} health", port.number), good ? "OK" : "ERROR");
  }
  return out;
}

std::string switch_balance_text(const Subnet& subnet, bool verbose, std::optional<mad::Guid> guid) {
  std::string out;
  const Fabric& fabric = subnet.fabric;
  if (!subnet.lfts) return out;
  for (const SwitchIndex sw : find_switches(fabric, guid)) {
    std::map<PortIndex, std::size_t> lids;
    const Node& node = fabric.nodes[fabric.switches[sw].node];
    for (PortIndex port = node.first_port + 1; port <= node.first_port + node.num_ports; ++port)
      if (is_towards_switch(fabric, port)) lids[port] = 0;
    if (lids.empty()) continue;
    for_each_host_lid(subnet, [&](std::uint32_t lid, PortIndex) {
      if (const auto found = lids.find(out_port(subnet, sw, lid)); found != lids.end())
        ++found->second;
    });
    const auto [least, most] =
        std::ranges::minmax_element(lids, {}, [](const auto& entry) { return entry.second; });
    const bool unbalanced = most->second - least->second > 1;
    if (!unbalanced && !verbose) continue;
    out += fmt::format("{}Switch: {}\n", unbalanced ? "Unbalanced " : "", switch_name(fabric, sw));
    for (const auto& [port, count] : lids)
      out += fmt::format("Port {}: {}\n", fabric.ports[port].number, count);
  }
  return out;
}

std::string lid_balance_text(const Subnet& subnet, std::optional<mad::Guid> guid) {
  std::string out;
  const Fabric& fabric = subnet.fabric;
  if (!subnet.lfts) return out;
  for (const SwitchIndex sw : find_switches(fabric, guid)) {
    struct Use {
      std::map<NodeIndex, std::size_t> nodes;
      std::map<PortIndex, std::size_t> ports;
    };
    std::map<PortIndex, Use> uses;  // by the port that has the LIDs
    for_each_host_lid(subnet, [&](std::uint32_t lid, PortIndex owner) {
      if (subnet.lid_range(owner).count() < 2) return;
      const PortIndex port = out_port(subnet, sw, lid);
      if (port == kNoIndex || !is_towards_switch(fabric, port)) return;
      ++uses[owner].nodes[fabric.ports[fabric.ports[port].peer].node];
      ++uses[owner].ports[port];
    });
    const auto spread = [](const auto& counts) {
      const auto [least, most] =
          std::ranges::minmax_element(counts, {}, [](const auto& entry) { return entry.second; });
      return most->second - least->second;
    };
    for (const auto& [owner, use] : uses) {
      const std::string to =
          fmt::format("{}, to {:#018x} ({})", switch_name(fabric, sw),
                      fabric.ports[owner].guid.value, fabric.description(fabric.ports[owner].node));
      if (spread(use.nodes) > 1) {
        out += fmt::format("Unbalanced Remote Forwarding: Switch {}:", to);
        for (const auto& [node, count] : use.nodes)
          out += fmt::format(" {:#018x}={}", fabric.nodes[node].guid.value, count);
        out += '\n';
      }
      if (spread(use.ports) > 1) {
        out += fmt::format("Unbalanced Port Forwarding: Switch {}:", to);
        for (const auto& [port, count] : use.ports)
          out += fmt::format(" {}={}", fabric.ports[port].number, count);
        out += '\n';
      }
    }
  }
  return out;
}

tl::expected<std::string, std::string> port_guids_text(const Fabric& fabric,
                                                       const std::vector<std::string>& expressions,
                                                       std::chrono::milliseconds time_max) {
  std::vector<NameExpression> compiled;
  std::size_t steps = 0;
  for (const std::string& text : expressions) {
    auto expression = NameExpression::compile(text);
    if (!expression)
      return tl::unexpected(fmt::format("Error: couldn't compile regular expression \"{}\": {}\n",
                                        text, expression.error()));
    steps += expression->steps();
    compiled.push_back(std::move(*expression));
  }
  if (steps > NameExpression::kStepsMax)
    return tl::unexpected(fmt::format(
        "Error: the regular expressions have {} steps together, more than {}: give them "
        "one after the other\n",
        steps, NameExpression::kStepsMax));
  const auto end = std::chrono::steady_clock::now() + time_max;
  std::string out;
  for (const PortIndex port : fabric.end_ports) {
    if (std::chrono::steady_clock::now() >= end)
      return tl::unexpected(
          fmt::format("Error: the regular expressions take more than {} ms: give shorter ones\n",
                      time_max.count()));
    const std::string name = fabric.description(fabric.ports[port].node);
    const bool matches = std::ranges::any_of(
        compiled, [&](const NameExpression& each) { return each.matches(name); });
    if (matches) out += fmt::format("{:#x}\n", fabric.ports[port].guid.value);
  }
  return out;
}

}  // namespace sm::console
