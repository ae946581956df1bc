#include "sm/congestion/congestion_suggestion.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "fabric/switch_graph.h"
#include "mad/format.h"
#include "mad/link_speed.h"

namespace sm {
namespace {

constexpr std::size_t kTableEntries = 128;  // OpenSM's largest table, and two blocks of the annex
constexpr unsigned kMultiplierMax = 0x3FFF;
constexpr double kTickUs = 1.024;         // of CCTI_Timer
constexpr double kSwitchLatencyUs = 0.2;  // of a hop, with its cable
constexpr unsigned kTimerMax = 0xFFFF;
constexpr unsigned kSlCount = 16;

/// Searches breadth first from one switch. Returns the distance in switches, itself counted, to the
/// farthest switch with hosts.
unsigned farthest(const fabric::SwitchGraph& graph, SwitchIndex from,
                  const std::vector<bool>& has_hosts, std::vector<unsigned>& distance) {
  std::ranges::fill(distance, 0u);
  std::vector<SwitchIndex> queue{from};
  distance[static_cast<std::size_t>(from)] = 1;
  unsigned most = 1;
  for (std::size_t at = 0; at < queue.size(); ++at) {
    const unsigned here = distance[static_cast<std::size_t>(queue[at])];
    if (has_hosts[static_cast<std::size_t>(queue[at])]) most = here;
    for (const SwitchIndex next : graph.neighbours(queue[at])) {
      if (distance[static_cast<std::size_t>(next)] != 0) continue;
      distance[static_cast<std::size_t>(next)] = here + 1;
      queue.push_back(next);
    }
  }
  return most;
}

unsigned find_diameter(const fabric::SwitchGraph& graph, const std::vector<bool>& has_hosts) {
  std::vector<unsigned> distance(graph.switches());
  unsigned most = 0;
  for (const SwitchIndex sw : graph.all_switches())
    if (has_hosts[static_cast<std::size_t>(sw)])
      most = std::max(most, farthest(graph, sw, has_hosts, distance));
  return most;
}

/// Returns the bits of the ports, as the option has them.
std::string mask_text(const std::vector<bool>& ports) {
  std::string digits;
  for (std::size_t nibble = 0; 4 * nibble < ports.size(); ++nibble) {
    unsigned value = 0;
    for (std::size_t bit = 0; bit < 4 && 4 * nibble + bit < ports.size(); ++bit)
      value |= ports[4 * nibble + bit] ? 1u << bit : 0u;
    digits.insert(0, fmt::format("{:x}", value));
  }
  return "0x" + (digits.empty() ? std::string("0") : digits);
}

/// Returns Gbit/s of data: up to QDR a fifth of the nominal rate is line code.
double data_gbps(const mad::LinkRate& rate) {
  constexpr double kEightOfTen = 0.8;
  return mad::gbps(rate) * (rate.speed <= mad::LaneSpeed::qdr ? kEightOfTen : 1.0);
}

double packet_us(const CongestionFacts& facts) {
  constexpr double kBitsPerByte = 8, kMega = 1e3;
  return facts.mtu_bytes * kBitsPerByte / (facts.slowest_gbps * kMega);
}

struct Chosen {
  unsigned senders;  // that the timer and the table are made for
  std::uint16_t last_pause;
  unsigned timer;
};

Chosen choose(const CongestionFacts& facts) {
  const auto senders = static_cast<unsigned>(
      std::min<std::size_t>(facts.hosts - 1, std::numeric_limits<unsigned>::max()));
  // Each sender has to slow down to its part of the slowest link.
  const double shares = senders * std::max(1.0, facts.fastest_gbps / facts.slowest_gbps);
  const auto last = static_cast<std::uint16_t>(
      std::clamp(std::ceil(shares) - 1, double{kTableEntries - 1}, double{kMultiplierMax}));
  const double held = std::min<double>(senders, kTableEntries - 1) * packet_us(facts);
  const double round_trip = 2 * facts.diameter * kSwitchLatencyUs + 2 * packet_us(facts);
  const auto timer = static_cast<unsigned>(
      std::clamp(std::ceil((held + round_trip) / kTickUs), 1.0, double{kTimerMax}));
  return {.senders = senders, .last_pause = last, .timer = timer};
}

void add_switch_lines(const CongestionFacts& facts, std::vector<SuggestedLine>& lines) {
  lines.push_back({"cc_sw_cong_setting_control_map", "0x15",
                   "victim mask, threshold with packet size, and marking rate; credit starvation "
                   "detection stays off"});
  lines.push_back(
      {"cc_sw_cong_setting_victim_mask", mask_text(facts.host_ports),
       "ports that some switch has a host at: a host that takes packets slowly shows as "
       "missing credits there, as at a victim (IBTA annex A10)"});
  lines.push_back({"cc_sw_cong_setting_threshold", "0x0f",
                   "the most sensitive: packets are marked before a congestion tree has grown "
                   "(ibccconfig(8), EXAMPLES)"});
  lines.push_back({"cc_sw_cong_setting_packet_size", "8",
                   "packets below 512 bytes are not marked: acknowledgements cause no congestion "
                   "(ibccconfig(8), EXAMPLES)"});
  lines.push_back({"cc_sw_cong_setting_marking_rate", "1",
                   "packets between two marks, on average (ibccconfig(8), EXAMPLES)"});
}

void add_ca_lines(const CongestionFacts& facts, const Chosen& chosen,
                  std::vector<SuggestedLine>& lines) {
  const unsigned sls = facts.vls > 1 ? kSlCount : 1;
  lines.push_back({"cc_ca_cong_setting_port_control", "0x0000",
                   "by queue pair: only the flows that meet congestion are slowed down"});
  lines.push_back({"cc_ca_cong_setting_control_map", sls == 1 ? "0x0001" : "0xffff",
                   sls == 1
                       ? "unicast uses SL 0 alone"
                       : fmt::format("unicast uses {} VLs, and SLs that select them", facts.vls)});
  for (unsigned sl = 0; sl < sls; ++sl) {
    const auto add = [&](std::string_view option, unsigned value, std::string why) {
      lines.push_back({fmt::format("cc_ca_cong_setting_{}", option),
                       fmt::format("{} {}", sl, value), sl == 0 ? std::move(why) : std::string()});
    };
    add("ccti_timer", chosen.timer,
        fmt::format("{:.0f} us: as long as {} senders take for a packet of {} bytes each at {:.0f} "
                    "Gbit/s, and a round trip over {} switches: a flow at its share is not faster "
                    "before the next mark can have reached it",
                    chosen.timer * kTickUs,
                    std::min<std::size_t>(chosen.senders, kTableEntries - 1), facts.mtu_bytes,
                    facts.slowest_gbps, facts.diameter));
    add("ccti_increase", 1, "the smallest step (ibccconfig(8), EXAMPLES)");
    add("trigger_threshold", kTableEntries / 2, "the CongestionLog has flows in mid-table");
    add("ccti_min", 0, "full rate without congestion");
  }
}

}  // namespace

CongestionFacts congestion_facts(const Subnet& subnet) {
  const Fabric& fabric = subnet.fabric;
  const fabric::SwitchGraph graph = fabric::make_switch_graph(fabric);
  CongestionFacts facts;
  std::vector<bool> has_hosts(graph.switches());
  for (const fabric::SwitchGraph::EndPort& end : graph.end_ports) {
    const Port& port = fabric.ports[end.port];
    if (fabric.nodes[port.node].type != mad::NodeType::ca) continue;
    const double gbps = data_gbps(mad::active_rate(port.info));
    if (gbps <= 0) continue;
    facts.slowest_gbps = facts.hosts == 0 ? gbps : std::min(facts.slowest_gbps, gbps);
    facts.fastest_gbps = std::max(facts.fastest_gbps, gbps);
    facts.mtu_bytes =
        std::max(facts.mtu_bytes, mad::mtu_bytes(port.info.neighbor_mtu()).value_or(0));
    if (facts.host_ports.size() <= end.out.value) facts.host_ports.resize(end.out.value + 1u);
    facts.host_ports[end.out.value] = true;
    has_hosts[static_cast<std::size_t>(end.sw)] = true;
    ++facts.hosts;
  }
  facts.diameter = find_diameter(graph, has_hosts);
  if (subnet.routing) facts.vls = subnet.routing->vls;
  return facts;
}

/// Returns steps of one packet time first, since shares of few senders are far apart. Later steps
/// make the rate fall by an equal part with each entry.
std::vector<std::uint16_t> suggested_pauses(std::uint16_t last) {
  const auto with = [](double growth) {
    std::vector<double> pauses(kTableEntries);
    for (std::size_t at = 1; at < kTableEntries; ++at)
      pauses[at] = std::max(pauses[at - 1] + 1, pauses[at - 1] * growth);
    return pauses;
  };
  double low = 1, high = 2;
  constexpr unsigned kHalvings = 60;
  for (unsigned step = 0; step < kHalvings; ++step)
    (with((low + high) / 2).back() > last ? high : low) = (low + high) / 2;
  std::vector<std::uint16_t> pauses;
  for (const double pause : with(low))
    pauses.push_back(
        static_cast<std::uint16_t>(std::min(std::lround(pause), static_cast<long>(last))));
  pauses.back() = last;
  return pauses;
}

std::vector<SuggestedLine> suggest_congestion(const CongestionFacts& facts) {
  std::vector<SuggestedLine> lines;
  if (facts.hosts < 2 || facts.slowest_gbps <= 0) return lines;
  const Chosen chosen = choose(facts);
  lines.push_back({"congestion_control", "TRUE", ""});
  add_switch_lines(facts, lines);
  add_ca_lines(facts, chosen, lines);
  std::string table;
  for (const std::uint16_t pause : suggested_pauses(chosen.last_pause))
    table += fmt::format("{}0:{}", table.empty() ? "" : ",", pause);
  lines.push_back(
      {"cc_cct", table,
       fmt::format("entry n pauses for so many packet times; the last one leaves 1/{} of a link, "
                   "for {} senders to one host{}",
                   chosen.last_pause + 1, chosen.senders,
                   facts.fastest_gbps > facts.slowest_gbps
                       ? fmt::format(", from {:.0f} to {:.0f} Gbit/s", facts.fastest_gbps,
                                     facts.slowest_gbps)
                       : std::string())});
  return lines;
}

}  // namespace sm
