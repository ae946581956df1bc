#include "ibsim/reference_checks.h"
#include "mad/format.h"

#include <algorithm>
#include <charconv>
#include <random>
#include <set>
#include <unordered_map>

namespace harness {

namespace {

constexpr Milliseconds kToolTimeout{60'000};
constexpr std::size_t kProblemsShown = 12;
constexpr unsigned kUnicastLidMax = 0xBFFF;

template <class Number>
Number parse(std::string_view text, int base) {
  if (base == 16 && text.starts_with("0x")) text.remove_prefix(2);
  Number value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value, base);
  return value;
}

// Calls `take(line)` for each line.
template <class Take>
void for_lines(std::string_view text, Take take) {
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    take(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
}

std::string run_tool(IbsimFabric& fabric, const std::vector<std::string>& argv,
                     const std::string& host, Problems& problems) {
  const Finished result = fabric.run(argv, {.host = host, .timeout = kToolTimeout});
  if (!result.ok()) {
    problems.push_back(fmt::format("{} {}: {} (exit code {})\n{}{}", argv[0],
                                   argv.size() > 1 ? argv[1] : "",
                                   result.timed_out ? "timed out" : "failed", result.exit.code,
                                   result.out.substr(0, 400), result.err.substr(0, 400)));
  }
  return result.out;
}

constexpr std::size_t kNotSwitch = ~std::size_t{0};
// The peer of a switch port: another switch by its number, or the CA port `end`.
struct Hop {
  std::size_t next = kNotSwitch;
  PortId end;
  bool cabled = false;
};

void append(Problems& to, const Problems& from) { to.insert(to.end(), from.begin(), from.end()); }

}  // namespace

std::string text_of(const Problems& problems) {
  std::string text = fmt::format("{} problem(s)\n", problems.size());
  for (std::size_t i = 0; i < std::min(problems.size(), kProblemsShown); ++i)
    text += "  " + problems[i] + "\n";
  return text;
}

ForwardingTables parse_dump_fts(std::string_view text) {
  ForwardingTables tables;
  std::vector<std::uint8_t>* table = nullptr;
  for_lines(text, [&](std::string_view line) {
    if (line.starts_with("Unicast lids")) {
      const std::size_t at = line.find(" guid ");
      table = at == std::string_view::npos ? nullptr
                                           : &tables[parse<std::uint64_t>(line.substr(at + 6), 16)];
    } else if (line.starts_with("0x") && table != nullptr && line.size() > 10) {
      const auto lid = parse<unsigned>(line.substr(0, 6), 16);
      if (table->size() <= lid) table->resize(lid + 1, kDropped);
      (*table)[lid] = static_cast<std::uint8_t>(parse<unsigned>(line.substr(7, 3), 10));
    }
  });
  return tables;
}

Problems check_cables(const Cabling& plan, const Cabling& found) {
  Problems problems;
  for (const Cable& cable : plan.cables) {
    if (!found.cables.contains(cable)) problems.push_back("cable not found: " + cable.text());
  }
  for (const Cable& cable : found.cables) {
    if (!plan.cables.contains(cable)) problems.push_back("unexpected cable:  " + cable.text());
  }
  return problems;
}

Problems check_lids(const Cabling& found) {
  Problems problems;
  std::map<unsigned, PortId> owner;
  std::set<PortId> expected;
  for (const auto& [guid, node] : found.nodes) {
    if (node.is_switch) expected.insert({guid, 0});
  }
  for (const Cable& cable : found.cables) {
    for (const PortId& end : {cable.a, cable.b}) {
      if (!found.nodes.at(end.node_guid).is_switch) expected.insert(end);
    }
  }
  for (const PortId& port : expected) {
    const auto end_port = found.end_ports.find(port);
    if (end_port == found.end_ports.end()) {
      problems.push_back("end port unknown to ibnetdiscover: " + port.text());
      continue;
    }
    const auto [lid, lmc, port_guid] = end_port->second;
    const unsigned last = lid + (1u << lmc) - 1;
    if (lid == 0 || last > kUnicastLidMax)
      problems.push_back(
          fmt::format("{}: LID {} (LMC {}) is not a unicast LID", port.text(), lid, lmc));
    for (unsigned each = lid; each <= last && lid != 0; ++each) {
      const auto [it, is_new] = owner.emplace(each, port);
      if (!is_new)
        problems.push_back(
            fmt::format("LID {} belongs to {} and to {}", each, it->second.text(), port.text()));
    }
  }
  return problems;
}

Problems check_links_active(const Cabling& found, std::string_view iblinkinfo_lines) {
  Problems problems;
  std::unordered_map<std::uint64_t, std::uint64_t>
      node_of;  // port GUID -> node GUID; for a switch its node GUID
  for (const auto& [port, end_port] : found.end_ports) node_of[end_port.port_guid] = port.node_guid;
  std::map<PortId, std::string> state;
  for_lines(iblinkinfo_lines, [&](std::string_view line) {
    const std::size_t name_end = line.find('"', line.find('"') + 1);
    const std::size_t bracket =
        line.find('[', name_end == std::string_view::npos ? line.size() : name_end);
    const std::size_t arrow = line.find("==(");
    if (!line.starts_with("0x") || bracket == std::string_view::npos) return;
    const auto node = node_of.find(parse<std::uint64_t>(line.substr(0, 18), 16));
    if (node == node_of.end()) return;
    std::size_t digits = bracket;
    while (digits > 0 && line[digits - 1] >= '0' && line[digits - 1] <= '9') --digits;
    const std::size_t end = line.find(")==", arrow == std::string_view::npos ? 0 : arrow);
    state[{node->second, parse<unsigned>(line.substr(digits), 10)}] =
        arrow == std::string_view::npos || end == std::string_view::npos
            ? "unreadable"
            : std::string(line.substr(arrow + 3, end - arrow - 3));
  });
  for (const Cable& cable : found.cables) {
    for (const PortId& end : {cable.a, cable.b}) {
      const auto it = state.find(end);
      const std::string text = it == state.end() ? "not listed" : it->second;
      if (text.find("Active/") == std::string::npos || text.find("LinkUp") == std::string::npos) {
        problems.push_back(
            fmt::format("{} of cable {} is not Active: {}", end.text(), cable.text(), text));
      }
    }
  }
  return problems;
}

Problems check_forwarding(const Cabling& found, const ForwardingTables& tables) {
  Problems problems;
  // Dense switch numbers, so that 1,728 hosts do not take minutes.
  std::unordered_map<std::uint64_t, std::size_t> number;
  std::vector<std::uint64_t> guids;
  for (const auto& [guid, node] : found.nodes) {
    if (!node.is_switch) continue;
    number[guid] = guids.size();
    guids.push_back(guid);
    if (!tables.contains(guid))
      problems.push_back(fmt::format("no forwarding table could be read from {:#018x}", guid));
  }
  std::map<PortId, PortId> peer;
  for (const Cable& cable : found.cables) {
    peer[cable.a] = cable.b;
    peer[cable.b] = cable.a;
  }
  std::vector<std::vector<Hop>> hops(guids.size());
  static const std::vector<std::uint8_t> kEmpty;
  std::vector<const std::vector<std::uint8_t>*> table_of;
  for (std::size_t s = 0; s < guids.size(); ++s) {
    hops[s].resize(found.nodes.at(guids[s]).ports + 1);
    for (unsigned port = 1; port < hops[s].size(); ++port) {
      const auto it = peer.find({guids[s], port});
      if (it == peer.end()) continue;
      const auto next = number.find(it->second.node_guid);
      hops[s][port] = {next == number.end() ? kNotSwitch : next->second, it->second, true};
    }
    const auto table = tables.find(guids[s]);
    table_of.push_back(table == tables.end() ? &kEmpty : &table->second);
  }
  enum class Mark : char { unknown, on_path, good, bad };
  for (const auto& [owner, end_port] : found.end_ports) {
    for (unsigned lid = end_port.lid; lid != 0 && lid < end_port.lid + (1u << end_port.lmc);
         ++lid) {
      std::vector<Mark> mark(guids.size(), Mark::unknown);
      for (std::size_t start = 0; start < guids.size(); ++start) {
        std::vector<std::size_t> path;
        std::size_t at = start;
        Mark verdict = Mark::bad;
        while (true) {
          if (mark[at] == Mark::on_path) {
            problems.push_back(
                fmt::format("forwarding loop of LID {} at switch {:#018x}", lid, guids[at]));
            break;
          }
          if (mark[at] != Mark::unknown) {
            verdict = mark[at];
            break;
          }
          mark[at] = Mark::on_path;
          path.push_back(at);
          const unsigned port = lid < table_of[at]->size() ? (*table_of[at])[lid] : kDropped;
          if (port == 0 && owner == PortId{guids[at], 0}) {
            verdict = Mark::good;
            break;
          }
          if (port == 0 || port >= hops[at].size() || !hops[at][port].cabled) {
            problems.push_back(fmt::format("LID {} of {} ends at port {} of switch {:#018x}", lid,
                                           owner.text(), port, guids[at]));
            break;
          }
          const Hop& hop = hops[at][port];
          if (hop.next == kNotSwitch) {
            if (hop.end == owner) {
              verdict = Mark::good;
            } else {
              problems.push_back(fmt::format("LID {} of {} is delivered to {}", lid, owner.text(),
                                             hop.end.text()));
            }
            break;
          }
          at = hop.next;
        }
        for (const std::size_t s : path) mark[s] = verdict;
      }
    }
  }
  return problems;
}

Cabling discover(IbsimFabric& fabric, const std::string& host, Problems& problems) {
  return parse_cabling(run_tool(fabric, {"ibnetdiscover"}, host, problems));
}

Problems check_fabric(IbsimFabric& fabric, const CheckOptions& options) {
  Problems problems;
  const std::string host = options.host.empty() ? fabric.first_host() : options.host;
  const Cabling everything = fabric.cabling();
  const Cabling plan = everything.reachable_from(everything.find_guid(host));
  const Cabling found = discover(fabric, host, problems);
  append(problems, check_cables(plan, found));
  append(problems, check_lids(found));
  append(problems,
         check_links_active(found, run_tool(fabric, {"iblinkinfo", "-l"}, host, problems)));
  const bool has_switches =
      std::ranges::any_of(found.nodes, [](const auto& entry) { return entry.second.is_switch; });
  if (has_switches)
    append(problems,
           check_forwarding(found, parse_dump_fts(run_tool(fabric, {"dump_fts"}, host, problems))));
  if (!problems.empty() || options.traces_max == 0)
    return problems;  // traces would report the same, slowly

  std::vector<unsigned> lids;
  for (const auto& [port, end_port] : found.end_ports) lids.push_back(end_port.lid);
  std::vector<std::pair<unsigned, unsigned>> pairs;
  std::mt19937 random(1);
  if (lids.size() * (lids.size() - 1) <= options.traces_max) {
    for (const unsigned from : lids) {
      for (const unsigned to : lids) {
        if (from != to) pairs.emplace_back(from, to);
      }
    }
  } else {
    for (unsigned i = 0; i < options.traces_max; ++i)
      pairs.emplace_back(lids[random() % lids.size()], lids[random() % lids.size()]);
  }
  for (const auto& [from, to] : pairs) {
    if (from != to)
      run_tool(fabric, {"ibtracert", std::to_string(from), std::to_string(to)}, host, problems);
  }
  for (unsigned i = 0; i < std::min<std::size_t>(lids.size(), 8); ++i) {
    const std::string lid = std::to_string(lids[random() % lids.size()]);
    const std::string keys = run_tool(fabric, {"smpquery", "pkeys", lid}, host, problems);
    if (keys.find("0: 0xffff ") == std::string::npos)
      problems.push_back(fmt::format("P_Key 0xffff is not at index 0 of LID {}:\n{}", lid, keys));
  }
  return problems;
}

Problems check_sm(IbsimFabric& fabric, std::uint64_t port_guid, const std::string& state,
                  const std::string& host) {
  Problems problems;
  const std::string out = run_tool(fabric, {"sminfo"}, host, problems);
  if (out.find(fmt::format("sm guid {:#x}", port_guid)) == std::string::npos ||
      out.find(state) == std::string::npos) {
    problems.push_back(fmt::format("sminfo should name {:#x} as {}: {}", port_guid, state, out));
  }
  return problems;
}

}  // namespace harness
