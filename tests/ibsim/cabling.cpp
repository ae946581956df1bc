#include "ibsim/cabling.h"
#include "mad/format.h"

#include <charconv>
#include <deque>
#include <stdexcept>
#include <vector>

namespace harness {

namespace {

std::uint64_t number_at(std::string_view text, int base) {
  if (base == 16 && text.starts_with("0x")) text.remove_prefix(2);
  std::uint64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value, base);
  return value;
}

// Decimal number that follows `key`; 0 without the key.
unsigned number_behind(std::string_view text, std::string_view key) {
  const std::size_t at = text.find(key);
  return at == std::string_view::npos
             ? 0
             : static_cast<unsigned>(number_at(text.substr(at + key.size()), 10));
}

// Quoted text at or after `from`; moves `from` after it.
std::string_view in_quotes(std::string_view text, std::size_t& from) {
  const std::size_t open = text.find('"', from);
  if (open == std::string_view::npos) return {};
  const std::size_t close = text.find('"', open + 1);
  if (close == std::string_view::npos) return {};
  from = close + 1;
  return text.substr(open + 1, close - open - 1);
}

struct Plug {
  PortId from;
  std::string to_id;
  unsigned to_port;
};

}  // namespace

std::string PortId::text() const { return fmt::format("{:#018x}[{}]", node_guid, port); }

std::uint64_t Cabling::find_guid(std::string_view id) const {
  for (const auto& [guid, node] : nodes) {
    if (node.id == id) return guid;
  }
  throw std::out_of_range(fmt::format("no node '{}'", id));
}

Cabling Cabling::reachable_from(std::uint64_t node_guid) const {
  std::map<std::uint64_t, std::vector<std::uint64_t>> peers;
  for (const Cable& cable : cables) {
    peers[cable.a.node_guid].push_back(cable.b.node_guid);
    peers[cable.b.node_guid].push_back(cable.a.node_guid);
  }
  std::set<std::uint64_t> seen{node_guid};
  std::deque<std::uint64_t> queue{node_guid};
  while (!queue.empty()) {
    const std::uint64_t guid = queue.front();
    queue.pop_front();
    // CAs do not forward: nothing is reached through one, except from the first CA.
    if (guid != node_guid && !nodes.at(guid).is_switch) continue;
    for (const std::uint64_t peer : peers[guid]) {
      if (seen.insert(peer).second) queue.push_back(peer);
    }
  }
  Cabling part;
  part.first_id = first_id;
  for (const std::uint64_t guid : seen) part.nodes[guid] = nodes.at(guid);
  for (const Cable& cable : cables) {
    if (seen.contains(cable.a.node_guid) && seen.contains(cable.b.node_guid))
      part.cables.insert(cable);
  }
  for (const auto& [port, end_port] : end_ports) {
    if (seen.contains(port.node_guid)) part.end_ports[port] = end_port;
  }
  return part;
}

Cabling parse_cabling(std::string_view text) {
  Cabling cabling;
  std::vector<Plug> plugs;
  std::map<std::string, std::uint64_t, std::less<>> guid_by_id;
  std::uint64_t guid = 0;
  bool is_switch = false;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (line.starts_with("caguid=") || line.starts_with("switchguid=") ||
        line.starts_with("rtguid=")) {
      guid = number_at(line.substr(line.find('=') + 1), 16);
    } else if (line.starts_with("Switch") || line.starts_with("Ca") || line.starts_with("Hca") ||
               line.starts_with("Rt")) {
      is_switch = line.starts_with("Switch");
      CabledNode node{
          is_switch,
          {},
          {},
          static_cast<unsigned>(number_at(line.substr(line.find_first_of("0123456789")), 10))};
      std::size_t from = 0;
      node.id = in_quotes(line, from);
      node.name = in_quotes(line, from);
      if (!cabling.nodes.emplace(guid, node).second)
        throw std::runtime_error(
            fmt::format("GUID {:#x} twice: every node needs its own line", guid));
      guid_by_id[node.id] = guid;
      if (cabling.first_id.empty()) cabling.first_id = node.id;
      if (is_switch && from < line.size()) {
        cabling.end_ports[{guid, 0}] = {number_behind(line.substr(from), " lid "),
                                        number_behind(line.substr(from), " lmc "), guid};
      }
    } else if (line.starts_with('[')) {
      const auto port = static_cast<unsigned>(number_at(line.substr(1), 10));
      std::size_t from = 0;
      Plug plug{{guid, port}, std::string(in_quotes(line, from)), 0};
      if (from < line.size() && line[from] == '[')
        plug.to_port = static_cast<unsigned>(number_at(line.substr(from + 1), 10));
      plugs.push_back(plug);
      const std::size_t paren = line.find("](");
      if (!is_switch && paren != std::string_view::npos && paren < line.find('"')) {
        const std::string_view rest = line.substr(line.find('#'));
        cabling.end_ports[{guid, port}] = {number_behind(rest, "# lid "),
                                           number_behind(rest, " lmc "),
                                           number_at(line.substr(paren + 2), 16)};
      }
    }
  }
  for (const Plug& plug : plugs) {
    const auto peer = guid_by_id.find(plug.to_id);
    if (peer == guid_by_id.end()) continue;  // ibnetdiscover prints a peer that it could not read
    const PortId other{peer->second, plug.to_port};
    cabling.cables.insert(plug.from < other ? Cable{plug.from, other} : Cable{other, plug.from});
  }
  return cabling;
}

}  // namespace harness
