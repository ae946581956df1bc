#include "sm/health/expected_topology.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "config/file_reader.h"
#include "config/option_files.h"
#include "config/value.h"
#include "sm/health/health_conditions.h"
#include "sm/health/topology_differences.h"

namespace sm {
namespace {

constexpr std::size_t kDifferencesNamed = 100;  // of a kind
constexpr std::size_t kFindingsMax = 50;
constexpr std::string_view kLineShape =
    "write GUID,PORT,GUID,PORT,TYPE,STATE, such as "
    "0x0002c90300a1b2c0,1,0x0002c90300a1b2d0,4,Any,Active";

/// Reads a list of links, a line each.
class LinkListReader {
 public:
  explicit LinkListReader(const config::SharedSource& source) : source_(source) {}

  tl::expected<ExpectedLinks, config::Diagnostics> read() {
    for (const config::Line& line : config::content_lines(*source_.text)) {
      if (findings_.size() >= kFindingsMax) break;
      read_line(line);
    }
    if (config::has_errors(findings_)) return tl::unexpected(std::move(findings_));
    return std::move(out_);
  }

 private:
  /// Returns the parts between commas, without blanks around them.
  static std::vector<std::string_view> list_fields(std::string_view text) {
    std::vector<std::string_view> fields;
    for (;;) {
      const std::size_t comma = std::min(text.find(','), text.size());
      std::string_view field = text.substr(0, comma);
      const std::size_t first = std::min(field.find_first_not_of(" \t\r"), field.size());
      field.remove_prefix(first);
      field = field.substr(0, field.find_last_not_of(" \t\r") + 1);
      fields.push_back(field);
      if (comma == text.size()) return fields;
      text.remove_prefix(comma + 1);
    }
  }

  void error(const config::Line& line, std::string_view place, std::string what,
             std::string remedy) {
    findings_.push_back({config::Severity::error, source_.file, line.number, line.column(place),
                         std::move(what), std::move(remedy)});
  }

  std::optional<PortPlace> end_in(const config::Line& line, std::string_view guid,
                                  std::string_view port) {
    const auto value = config::parse_number(guid);
    if (!value || *value == 0) {
      error(line, guid, fmt::format("{} is not a GUID", config::in_quotes(guid)),
            std::string(kLineShape));
      return std::nullopt;
    }
    const auto number = config::parse_number(port);
    if (!number || *number == 0 || *number > mad::kPortNumMax) {
      error(line, port, fmt::format("{} is not a port number", config::in_quotes(port)),
            "write a port number in 1..254");
      return std::nullopt;
    }
    return PortPlace{mad::Guid{*value}, mad::PortNum{static_cast<std::uint8_t>(*number)}};
  }

  static bool is_one_of(std::string_view word, std::span<const std::string_view> words) {
    const auto same = [](char a, char b) {
      return std::tolower(static_cast<unsigned char>(a)) ==
             std::tolower(static_cast<unsigned char>(b));
    };
    return std::ranges::any_of(
        words, [&](std::string_view each) { return std::ranges::equal(each, word, same); });
  }

  void read_line(const config::Line& line) {
    constexpr std::array<std::string_view, 7> kTypes{"any",    "hca", "ca",    "sw",
                                                     "switch", "rtr", "router"};
    constexpr std::array<std::string_view, 1> kActive{"active"};
    constexpr std::array<std::string_view, 2> kAny{"no-discover", "no_discover"};
    const std::vector<std::string_view> fields = list_fields(line.text);
    if (fields.size() != 6)
      return error(line, line.text,
                   fmt::format("a line has 6 fields, and this one {}", fields.size()),
                   std::string(kLineShape));
    const auto a = end_in(line, fields[0], fields[1]), b = end_in(line, fields[2], fields[3]);
    if (!a || !b) return;
    if (!is_one_of(fields[4], kTypes))
      return error(line, fields[4], fmt::format("type {} is unknown", config::in_quotes(fields[4])),
                   "write Any, HCA, SW or RTR");
    const bool is_any = is_one_of(fields[5], kAny);
    if (!is_any && !is_one_of(fields[5], kActive))
      return error(line, fields[5],
                   fmt::format("state {} is unknown", config::in_quotes(fields[5])),
                   "write Active or No-discover");
    if (*a == *b)
      return error(line, fields[2], "both ends of the link are the same port",
                   "write the port at the other end");
    add(line, *a, *b, is_any);
  }

  void add(const config::Line& line, const PortPlace& a, const PortPlace& b, bool is_any) {
    for (const auto& [end, far] : {std::pair(a, b), std::pair(b, a)}) {
      const auto known = peer_of_.find(end);
      if (known == peer_of_.end() || known->second.peer == far) continue;
      return error(line, line.text,
                   fmt::format("port {} of {:#018x} is linked otherwise in line {}", end.port.value,
                               end.node.value, known->second.line),
                   "a port has one link: leave one of the two lines out");
    }
    const bool is_new = peer_of_.try_emplace(a, Peer{b, line.number}).second;
    peer_of_.try_emplace(b, Peer{a, line.number});
    if (!is_new) return;  // the same link from its other end
    if (is_any) {
      out_.any.insert({a, b});
      return;
    }
    ComparedTopology::Link link{
        .a = {node(a.node), a.port}, .b = {node(b.node), b.port}, .rate = {}};
    out_.topology.links.push_back(link);
  }

  std::size_t node(mad::Guid guid) {
    const auto [known, is_new] = node_of_.try_emplace(guid, out_.topology.nodes.size());
    if (is_new)
      out_.topology.nodes.push_back(
          {.guid = guid, .type = {}, .description = {}, .operator_name = {}});
    return known->second;
  }

  struct Peer {
    PortPlace peer;
    int line = 0;
  };
  const config::SharedSource& source_;
  config::Diagnostics findings_;
  std::map<PortPlace, Peer> peer_of_;
  std::unordered_map<mad::Guid, std::size_t> node_of_;
  ExpectedLinks out_;
};

/// A list of links begins with a GUID in hexadecimal, and has commas.
bool is_link_list(std::string_view text) {
  for (const config::Line& line : config::content_lines(text))
    return line.text.find(',') != std::string_view::npos &&
           line.text.find('=') == std::string_view::npos &&
           line.text.find('"') == std::string_view::npos;
  return true;  // nothing is expected
}

std::optional<ConditionId> make_condition(DifferenceKind kind) {
  switch (kind) {
    case DifferenceKind::node_missing:
      return kTopologyConditions.topology_node_missing;
    case DifferenceKind::node_extra:
      return kTopologyConditions.topology_node_extra;
    case DifferenceKind::node_moved:
      return kTopologyConditions.topology_node_moved;
    case DifferenceKind::link_missing:
      return kTopologyConditions.topology_link_missing;
    case DifferenceKind::link_extra:
      return kTopologyConditions.topology_link_extra;
    case DifferenceKind::miscabled:
      return kTopologyConditions.topology_miscabled;
    case DifferenceKind::link_slower:
      return kTopologyConditions.topology_link_slow;
    case DifferenceKind::description_changed:
    case DifferenceKind::link_faster:
      break;
  }
  return std::nullopt;
}

/// Returns the topology of the file, completed by what the fabric knows of the same nodes.
ComparedTopology completed(const ExpectedLinks& expected, const Fabric& fabric) {
  ComparedTopology saved = expected.topology;
  for (ComparedTopology::Node& node : saved.nodes) {
    if (const auto port = fabric.port_of_guid.find(node.guid);
        port != fabric.port_of_guid.end() && !fabric.node_of_guid.contains(node.guid))
      node.guid = fabric.owning_node(port->second).guid;
    if (fabric.node_names) {
      if (const auto name = fabric.node_names->find(node.guid); name != fabric.node_names->end())
        node.operator_name = name->second;
    }
    if (expected.has_nodes) continue;
    const auto found = fabric.node_of_guid.find(node.guid);
    if (found == fabric.node_of_guid.end()) continue;
    node.type = fabric.nodes[found->second].type;
    node.description = fabric.nodes[found->second].description.text();
  }
  return saved;
}

/// True if an end is isolated: nodes behind isolated ports may be present.
bool is_isolated(const Fabric& fabric, const DifferentLink& link) {
  return std::ranges::any_of(std::array{link.a, link.b}, [&](const DifferentEnd& end) {
    const PortIndex port = find_place(fabric, {end.node.guid, end.port});
    return port != kNoIndex && fabric.ports[port].isolated;
  });
}

bool is_of_no_interest(const Difference& of, const ExpectedLinks& expected, const Fabric& fabric) {
  if (of.kind == DifferenceKind::node_missing || of.kind == DifferenceKind::link_missing)
    return !of.saved.empty() && std::ranges::all_of(of.saved, [&](const DifferentLink& link) {
      return is_isolated(fabric, link);
    });
  if (of.kind == DifferenceKind::node_extra || of.kind == DifferenceKind::link_extra)
    return !of.now.empty() && std::ranges::all_of(of.now, [&](const DifferentLink& link) {
      return expected.any.contains({link.a.node.guid, link.a.port}) ||
             expected.any.contains({link.b.node.guid, link.b.port});
    });
  return false;
}

}  // namespace

tl::expected<ExpectedLinks, config::Diagnostics> read_expected(const config::SharedSource& source) {
  const bool is_yaml = config::is_yaml_name(source.file);
  if (!is_yaml && is_link_list(*source.text)) return LinkListReader(source).read();
  const config::Source whole{source.file, *source.text};
  topology::TopologyFile file =
      is_yaml ? topology::read_yaml(whole) : topology::read_ibnetdiscover(whole);
  if (!file.ok()) return tl::unexpected(std::move(file.findings));
  return ExpectedLinks{.topology = compared(file),
                       .any = {},
                       .has_nodes = true,
                       .warnings = std::move(file.findings)};
}

void check_expected(const config::SharedSource& source, config::Diagnostics& out) {
  if (!source.text) return;
  auto read = read_expected(source);
  config::Diagnostics found =
      read ? std::move(read->warnings)
           : config::as_warnings(std::move(read.error()), "links are not compared with this file");
  std::ranges::move(found, std::back_inserter(out));
}

std::vector<Condition> compare_expected(const ExpectedLinks& expected, const Fabric& fabric) {
  std::map<ConditionId, std::size_t> count;
  std::vector<Condition> found;
  for (const Difference& of : differences(completed(expected, fabric), compared(fabric))) {
    const auto id = make_condition(of.kind);
    if (!id || is_of_no_interest(of, expected, fabric) || ++count[*id] > kDifferencesNamed)
      continue;
    Condition& condition = found.emplace_back(Condition{.id = *id, .text = describe(of)});
    condition.guid = of.node.guid;
    if (of.node.guid != mad::Guid{}) continue;
    const DifferentLink& link = of.now.empty() ? of.saved.front() : of.now.front();
    condition.guid = link.a.node.guid;
    condition.port = link.a.port;
  }
  for (const auto& [id, all] : count) {
    if (all > kDifferencesNamed)
      found.push_back(
          {.id = id, .text = fmt::format("and {} more of this kind", all - kDifferencesNamed)});
  }
  return found;
}

std::vector<Condition> ExpectedTopology::conditions(const config::SharedSource& source,
                                                    const Fabric& fabric) {
  if (!source.text) {
    *this = {};
    return {};
  }
  const bool is_new = text_ != source.text;
  if (is_new) {
    text_ = source.text;
    expected_.reset();
    if (auto read = read_expected(source)) expected_ = std::move(*read);
  }
  if (!expected_) return {};  // was reported when the configuration was read
  ComparedTopology now = compared(fabric);
  std::vector<bool> isolated;
  isolated.reserve(fabric.ports.size());
  for (const Port& port : fabric.ports) isolated.push_back(port.isolated);
  if (is_new || now != now_ || isolated != isolated_) {
    found_ = compare_expected(*expected_, fabric);
    now_ = std::move(now);
    isolated_ = std::move(isolated);
  }
  return found_;
}

}  // namespace sm
