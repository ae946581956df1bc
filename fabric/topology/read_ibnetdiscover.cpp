#include <algorithm>
#include <array>
#include <bit>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "fabric/topology/findings.h"
#include "fabric/topology/graph.h"
#include "fabric/topology/ibnetdiscover_parser.h"
#include "fabric/topology/other_formats.h"
#include "fabric/topology/read.h"
#include "mad/format.h"

namespace topology::ibnetdiscover {
namespace {

constexpr std::array kWidthsBestFirst{LinkWidth::x12, LinkWidth::x8, LinkWidth::x4, LinkWidth::x2,
                                      LinkWidth::x1};

/// Makes a link with the best values that both ends have; a value of only one end counts for both.
Link make_link(PortRef a, PortRef b, Enabled at_a, Enabled at_b) {
  Link link{a, b};
  const auto common = [](unsigned one, unsigned other) {
    if (one == 0 || other == 0) return one | other;
    return (one & other) != 0 ? one & other : std::min(one, other);
  };
  const unsigned widths = common(at_a.widths, at_b.widths),
                 speeds = common(at_a.speeds, at_b.speeds);
  for (const LinkWidth width : kWidthsBestFirst) {
    if ((widths & static_cast<unsigned>(width)) == 0) continue;
    link.width = width;
    break;
  }
  if (speeds != 0) {
    link.speed = static_cast<LinkSpeed>(std::min<unsigned>(
        static_cast<unsigned>(std::bit_width(speeds)) - 1, static_cast<unsigned>(LinkSpeed::xdr)));
  }
  return link;
}

/// Checks the records of ibnetdiscover's text against each other: both ends of a link name each
/// other, and no node, port or GUID occurs twice.
class Cabling {
 public:
  Cabling(Records& records, Findings& findings)
      : records_(records.nodes), aliases_(records.aliases), findings_(findings) {}

  /// Writes the GUIDs of ports to the records' nodes, and the links to `links`; to `without_rate`
  /// the indices of those whose width or speed neither end states.
  void check(std::vector<Link>& links, std::vector<std::size_t>& without_rate);

 private:
  struct Target {
    std::size_t record;
    unsigned port;
    bool by_alias;
  };

  void fill_port_guids();
  static mad::Guid usual_port_guid(const Node& node, unsigned port);
  static bool has_free_port_guids(const Node& node, const std::set<mad::Guid>& taken);
  static void invent_port_guids(Node& node, std::set<mad::Guid>& taken);
  void set_port_guid(Record& record, unsigned port, mad::Guid guid, const Position& at);
  std::optional<Target> target_of(const Plug& plug);
  void connect(std::vector<Link>& links, std::vector<std::size_t>& without_rate);

  std::vector<Record>& records_;
  const std::map<std::string, Alias>& aliases_;
  Findings& findings_;
  std::unordered_map<std::string, Record*> index_by_id_;
  std::unordered_map<std::string, std::size_t> index_;
};

void Cabling::check(std::vector<Link>& links, std::vector<std::size_t>& without_rate) {
  fill_port_guids();
  IdentityCheck identities(findings_);
  for (std::size_t i = 0; i < records_.size(); ++i) {
    identities.add(records_[i].node, records_[i].position);
    index_.emplace(records_[i].node.key(), i);
  }
  connect(links, without_rate);
}

/// Sets the port GUIDs that either end of a link states.
void Cabling::fill_port_guids() {
  for (Record& record : records_) index_by_id_.emplace(record.node.key(), &record);
  for (const Record& record : records_) {
    for (const Plug& plug : record.plugs) {
      if (plug.own_guid)
        set_port_guid(*index_by_id_.at(record.node.key()), plug.port, *plug.own_guid,
                      plug.position);
      if (!plug.peer_guid) continue;
      const auto peer = index_by_id_.find(plug.peer_id);
      if (peer != index_by_id_.end())
        set_port_guid(*peer->second, plug.peer_port, *plug.peer_guid, plug.peer_position);
    }
  }
  std::set<mad::Guid> taken{mad::Guid{}};
  std::vector<Record*> usual, others;
  for (Record& record : records_) {
    if (record.node.type == NodeType::switch_) taken.insert(record.node.guid);
    for (const mad::Guid guid : record.node.port_guids)
      if (guid.value != 0) taken.insert(guid);
  }
  for (Record& record : records_)
    if (record.node.type != NodeType::switch_)
      (has_free_port_guids(record.node, taken) ? usual : others).push_back(&record);
  // IdentityCheck reports two such nodes with one port GUID: ibsim would use it for both.
  for (const Record* const record : usual)
    for (unsigned port = 1; port <= record->node.port_count; ++port)
      taken.insert(usual_port_guid(record->node, port));
  for (const Record& record : records_) taken.insert(record.node.guid);
  for (Record* const record : others) invent_port_guids(record->node, taken);
}

/// Returns the GUID of a port of which the file does not state one.
mad::Guid Cabling::usual_port_guid(const Node& node, unsigned port) {
  return mad::Guid{node.guid.value + port};
}

/// True if the file states no port GUID of the node, and the usual ones are free.
bool Cabling::has_free_port_guids(const Node& node, const std::set<mad::Guid>& taken) {
  if (!node.port_guids.empty()) return false;
  for (unsigned port = 1; port <= node.port_count; ++port)
    if (taken.contains(usual_port_guid(node, port))) return false;
  return true;
}

/// Invents the port GUIDs that the file does not state, such as those of ports without a link. They
/// differ from all GUIDs that it states, and from each other.
void Cabling::invent_port_guids(Node& node, std::set<mad::Guid>& taken) {
  node.port_guids.resize(node.port_count);
  bool is_usual = true;
  for (unsigned port = 1; port <= node.port_count; ++port) {
    mad::Guid& guid = node.port_guids[port - 1];
    if (guid.value == 0) {
      guid = usual_port_guid(node, port);
      while (!taken.insert(guid).second) guid.value += node.port_count + 1u;
    }
    is_usual = is_usual && guid == usual_port_guid(node, port);
  }
  if (is_usual) node.port_guids.clear();
}

void Cabling::set_port_guid(Record& record, unsigned port, mad::Guid guid, const Position& at) {
  if (record.node.type == NodeType::switch_ || port > record.node.port_count) return;
  record.node.port_guids.resize(record.node.port_count);
  mad::Guid& known = record.node.port_guids[port - 1];
  if (known.value != 0 && known != guid) {
    findings_.error(at,
                    fmt::format("port {} of {} has GUID {} here and {} elsewhere", port,
                                config::in_quotes(record.node.key()), guid, known),
                    "both ends of a link have to give the same GUID");
  }
  known = guid;
}

std::optional<Cabling::Target> Cabling::target_of(const Plug& plug) {
  if (plug.peer_id.find('@') != std::string::npos) {
    const auto alias = aliases_.find(plug.peer_id);
    if (alias != aliases_.end()) return Target{alias->second.record, alias->second.port, true};
    findings_.error(plug.peer_position,
                    fmt::format("no port is called {}", config::in_quotes(plug.peer_id)),
                    R"(@[1] "name" in the node that it is a port of)");
    return std::nullopt;
  }
  const auto peer = index_.find(plug.peer_id);
  if (peer == index_.end()) {
    findings_.error(plug.peer_position,
                    fmt::format("there is no node {}", config::in_quotes(plug.peer_id)),
                    "every node of a link needs a record of its own");
    return std::nullopt;
  }
  const Node& node = records_[peer->second].node;
  if (plug.peer_port > node.port_count) {
    findings_.error(plug.peer_position,
                    fmt::format("{} has no port {}", config::in_quotes(node.key()), plug.peer_port),
                    fmt::format("line {} says {} ports", records_[peer->second].position.line,
                                node.port_count));
    return std::nullopt;
  }
  return Target{peer->second, plug.peer_port, false};
}

void Cabling::connect(std::vector<Link>& links, std::vector<std::size_t>& without_rate) {
  const auto add = [&](PortRef a, PortRef b, Enabled at_a, Enabled at_b) {
    if ((at_a.widths | at_b.widths) == 0 || (at_a.speeds | at_b.speeds) == 0)
      without_rate.push_back(links.size());
    links.push_back(make_link(a, b, at_a, at_b));
  };
  std::map<std::pair<std::size_t, unsigned>, const Plug*> plugs;
  std::set<std::pair<std::size_t, unsigned>> taken_aliases;
  for (std::size_t i = 0; i < records_.size(); ++i) {
    for (const Plug& plug : records_[i].plugs) plugs[{i, plug.port}] = &plug;
  }
  for (std::size_t i = 0; i < records_.size(); ++i) {
    const std::string& own = records_[i].node.key();
    for (const Plug& plug : records_[i].plugs) {
      const std::optional<Target> target = target_of(plug);
      if (!target) continue;
      const Node& peer = records_[target->record].node;
      const PortRef a{i, {static_cast<std::uint8_t>(plug.port)}},
          b{target->record, {static_cast<std::uint8_t>(target->port)}};
      if (a == b) {
        findings_.error(
            plug.peer_position,
            fmt::format("port {} of {} is connected to itself", plug.port, config::in_quotes(own)),
            "a link has two ends");
        continue;
      }
      if (target->by_alias) {
        if (!taken_aliases.emplace(target->record, target->port).second) {
          findings_.error(
              plug.peer_position,
              fmt::format("the port called {} has a link already", config::in_quotes(plug.peer_id)),
              "a port has one link");
          continue;
        }
        add(a, b, plug.enabled, {});
        continue;
      }
      const auto back = plugs.find({target->record, target->port});
      if (back == plugs.end()) {
        findings_.error(
            plug.peer_position,
            fmt::format("port {} of {} leads to port {} of {}, which has no line of its own",
                        plug.port, config::in_quotes(own), target->port,
                        config::in_quotes(peer.key())),
            fmt::format("[{}] \"{}\"[{}] below line {}", target->port, config::printable(own),
                        plug.port, records_[target->record].position.line));
        continue;
      }
      const Plug& other = *back->second;
      if (other.peer_port != plug.port || other.peer_id != own) {
        findings_.error(
            plug.peer_position,
            fmt::format("port {} of {} leads to port {} of {}, but line {} says that one leads to "
                        "port {} of {}",
                        plug.port, config::in_quotes(own), target->port,
                        config::in_quotes(peer.key()), other.position.line, other.peer_port,
                        config::in_quotes(other.peer_id)),
            "both ends of a link have to name each other");
        continue;
      }
      // Both ends list the link; only the end that comes first adds it.
      if (i < target->record || (i == target->record && plug.port < target->port))
        add(a, b, plug.enabled, other.enabled);
    }
  }
}

}  // namespace
}  // namespace topology::ibnetdiscover

namespace topology {

namespace {

/// Leaves one finding about a file without a node: what the file is, or else its first error.
void report_no_node(const config::Source& source, config::Diagnostics& findings) {
  config::Diagnostic only{.file = source.file,
                          .line = 1,
                          .column = 1,
                          .what = "there is no node in this file",
                          .remedy = R"(Switch 36 "name", Ca 1 "name" or Rt 2 "name")"};
  const auto first =
      std::ranges::find(findings, config::Severity::error, &config::Diagnostic::severity);
  if (const auto other = find_other_format(source.text)) {
    only.line = other->line;
    only.what = other->what;
    only.remedy = other->remedy;
  } else if (first != findings.end()) {
    only = std::move(*first);
  }
  findings = {std::move(only)};
}

}  // namespace

TopologyFile read_ibnetdiscover(const config::Source& source, const config::FileReader& files) {
  TopologyFile file;
  Findings findings(file.findings);
  ibnetdiscover::Records records;
  ibnetdiscover::Parser parser(records, file.console_lines, findings, files);
  parser.read(source);
  parser.report_other_lines();
  const Position start{source.file, 1, 1};
  if (records.nodes.empty()) {
    report_no_node(source, file.findings);
    return file;
  }
  ibnetdiscover::Cabling(records, findings).check(file.topology.links, file.links_without_rate);
  config::sort_by_position(file.findings);
  if (findings.full() || !file.ok()) return file;
  for (std::size_t node = 0; node < records.nodes.size(); ++node) {
    const ibnetdiscover::Record& record = records.nodes[node];
    const auto state = [&](unsigned port, const std::optional<ibnetdiscover::CommentLid>& of) {
      if (of)
        file.lids.push_back(
            {{node, {static_cast<std::uint8_t>(port)}}, mad::Lid{of->lid}, of->lmc});
    };
    state(0, record.lid);
    if (record.node.type == NodeType::switch_) continue;
    for (const ibnetdiscover::Plug& plug : record.plugs) state(plug.port, plug.own_lid);
  }
  for (ibnetdiscover::Record& record : records.nodes) {
    if (record.node.id == record.node.name) record.node.id.clear();
    file.topology.nodes.push_back(std::move(record.node));
  }
  try {
    require_lid_space(file.topology);
  } catch (const TopologyError& error) {
    findings.error(start, error.what());
  }
  return file;
}

TopologyFile read_topology(const std::string& path, const config::FileReader& files) {
  const auto text = files(path);
  if (!text) {
    TopologyFile file;
    file.findings.push_back({config::Severity::error,
                             path,
                             0,
                             0,
                             fmt::format("cannot be read: {}", text.error().message()),
                             {}});
    return file;
  }
  const bool yaml = path.ends_with(".yaml") || path.ends_with(".yml");
  return yaml ? read_yaml({path, *text}) : read_ibnetdiscover({path, *text}, files);
}

}  // namespace topology
