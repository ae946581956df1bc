#include "sm/ctl/diff_topology.h"

#include <algorithm>
#include <optional>
#include <set>
#include <unordered_map>

#include <nlohmann/json.hpp>

#include "mad/attributes/port_info.h"
#include "mad/format.h"
#include "mad/number.h"
#include "sm/ctl/lists_text.h"

namespace sm::ctl {
namespace {

using Json = nlohmann::ordered_json;

/// Returns all 64 bytes but the zeros at the end.
std::string recorded_description(const RecordedNode& node) {
  const RecordedAnswer* const answer = node.ports.front().find(mad::AttributeId::node_description);
  if (answer == nullptr || !answer->outcome.ok()) return {};
  std::string text(answer->data.begin(), answer->data.end());
  text.erase(text.find_last_not_of('\0') + 1);
  return text;
}

/// Returns the rate of the port by its PortInfo with extended speeds if both forms were read.
mad::LinkRate recorded_rate(const RecordedPort& port, std::uint8_t number) {
  mad::LinkRate rate;
  for (const RecordedAnswer& answer : port.answers) {
    if (answer.attribute != mad::AttributeId::port_info || !answer.outcome.ok()) continue;
    const unsigned asked = answer.modifier & 0xFFu;
    if ((asked == 0 ? port.number : asked) != number) continue;
    const bool extended = (answer.modifier & mad::PortInfo::kExtendedSpeeds) != 0;
    if (rate.lanes != 0 && !extended) continue;
    rate = mad::active_rate(
        mad::PortInfo(std::span<const std::uint8_t, mad::kAttributeBytes>(answer.data)));
  }
  return rate;
}

mad::Guid guid_in(const Json& object) {
  const auto& text = object.at("node_guid").get_ref<const std::string&>();
  const auto guid = mad::parse_guid(text);
  if (!guid) throw std::runtime_error(fmt::format("\"{}\" is no GUID", text));
  return *guid;
}

mad::LinkRate rate_in(const Json& link) {
  topology::LinkWidth width{};
  topology::LinkSpeed speed{};
  if (!topology::parse_width(link.at("link_width_active").get<std::string>(), width) ||
      !topology::parse_speed(link.at("link_speed_active").get<std::string>(), speed))
    return {};
  return link_rate(width, speed);
}

class ListReader {
 public:
  ComparedTopology read(const Json& nodes, const Json& links) {
    for (const Json& row : nodes.at("nodes")) add_node(row);
    for (const Json& row : links.at("links")) {
      if (row.at("port_state").get_ref<const std::string&>().starts_with("Down")) continue;
      out_.links.push_back(
          {.a = end_in(row.at("a")), .b = end_in(row.at("b")), .rate = rate_in(row)});
    }
    leave_out_unlinked();
    return std::move(out_);
  }

 private:
  /// A manager still knows a node for a while that has lost its last link and cannot be reached.
  void leave_out_unlinked() {
    if (out_.links.empty()) return;  // the manager's own node alone
    std::vector<std::size_t> index(out_.nodes.size(), kUnlinked);
    for (const auto& link : out_.links) index[link.a.node] = index[link.b.node] = 0;
    std::vector<ComparedTopology::Node> linked;
    for (std::size_t i = 0; i < index.size(); ++i) {
      if (index[i] == kUnlinked) continue;
      index[i] = linked.size();
      linked.push_back(std::move(out_.nodes[i]));
    }
    out_.nodes = std::move(linked);
    for (auto& link : out_.links) {
      link.a.node = index[link.a.node];
      link.b.node = index[link.b.node];
    }
  }

  void add_node(const Json& row) {
    const mad::Guid guid = guid_in(row);
    const auto& type = row.at("node_type").get_ref<const std::string&>();
    const auto name = row.at("description").get<std::string>();
    // Only rows of nodes with an operator's name have both.
    const bool named = row.contains("node_description");
    node_of_.emplace(guid, out_.nodes.size());
    out_.nodes.push_back(
        {.guid = guid,
         .type = type == "Switch"   ? mad::NodeType::switch_
                 : type == "Router" ? mad::NodeType::router
                                    : mad::NodeType::ca,
         .description = named ? row.at("node_description").get<std::string>() : name,
         .operator_name = named ? name : std::string()});
  }
  ComparedTopology::End end_in(const Json& end) const {
    const mad::Guid guid = guid_in(end);
    const auto node = node_of_.find(guid);
    if (node == node_of_.end())
      throw std::runtime_error(fmt::format("a link of {}, which is not among the nodes", guid));
    return {.node = node->second, .port = {end.at("port").get<std::uint8_t>()}};
  }

  static constexpr std::size_t kUnlinked = SIZE_MAX;

  ComparedTopology out_;
  std::unordered_map<mad::Guid, std::size_t> node_of_;
};

std::string text_of(const mad::LinkRate& rate) {
  return fmt::format("{} {}", mad::width_name(rate.lanes), mad::name(rate.speed));
}

Json make_json(const DifferentNode& node) {
  return {{"node_guid", fmt::format("{}", node.guid)}, {"description", node.description}};
}
Json make_json(const DifferentEnd& end) {
  Json json = make_json(end.node);
  json["port"] = end.port.value;
  return json;
}
Json make_json(const std::vector<DifferentLink>& links) {
  Json json = Json::array();
  for (const DifferentLink& link : links)
    json.push_back({{"a", make_json(link.a)}, {"b", make_json(link.b)}});
  return json;
}

}  // namespace

ComparedTopology compared(const Recording& recording) {
  ComparedTopology out;
  for (std::size_t index = 0; index < recording.nodes.size(); ++index) {
    const RecordedNode& node = recording.nodes[index];
    out.nodes.push_back({.guid = node.info.node_guid(),
                         .type = node.info.node_type(),
                         .description = recorded_description(node),
                         .operator_name = {}});
    for (const RecordedPort& port : node.ports) {
      for (const RecordedLink& link : port.links) {
        if (!link.peer) continue;
        out.links.push_back({.a = {index, {link.port}},
                             .b = {link.peer->node, {link.peer->port}},
                             .rate = recorded_rate(port, link.port)});
      }
    }
  }
  return out;
}

tl::expected<ComparedTopology, std::string> compared(const Json& nodes, const Json& links) {
  try {
    return ListReader().read(nodes, links);
  } catch (const std::exception& error) {
    return tl::unexpected(std::string(error.what()));
  }
}

tl::expected<ComparedTopology, config::Diagnostics> read_compared(const std::string& path,
                                                                  const config::FileReader& files,
                                                                  config::Diagnostics* warnings) {
  const auto text = files(path);
  constexpr std::string_view kRecording = "heddle-recording ";
  // Comments may precede its first line.
  std::string_view rest = text ? std::string_view(*text) : std::string_view();
  while (rest.starts_with('#')) rest.remove_prefix(std::min(rest.find('\n'), rest.size() - 1) + 1);
  if (rest.starts_with(kRecording)) {
    const auto recording = read_recording({path, *text});
    if (!recording) return tl::unexpected(recording.error());
    return compared(*recording);
  }
  topology::TopologyFile file = topology::read_topology(path, files);
  if (!file.ok()) return tl::unexpected(std::move(file.findings));
  if (warnings != nullptr) *warnings = std::move(file.findings);
  return compared(file);
}

std::string differences_text(const std::vector<Difference>& differences, std::size_t nodes,
                             std::size_t links) {
  std::string out;
  for (const Difference& difference : differences) out += describe(difference) + '\n';
  const std::string compared = counted(nodes, "node") + " and " + counted(links, "link");
  if (differences.empty()) return fmt::format("no difference: {} as saved\n", compared);
  return out + fmt::format("{}; {} now\n", counted(differences.size(), "difference"), compared);
}

Json differences_json(const std::vector<Difference>& differences) {
  Json list = Json::array();
  for (const Difference& of : differences) {
    Json& row = list.emplace_back(Json{{"kind", find_name(of.kind)}});
    if (of.node.guid != mad::Guid{}) row["node"] = make_json(of.node);
    if (!of.saved.empty()) row["saved"] = make_json(of.saved);
    if (!of.now.empty()) row["now"] = make_json(of.now);
    if (of.kind == DifferenceKind::description_changed)
      row["saved_description"] = of.saved_description;
    if (of.saved_rate.lanes != 0) {
      row["saved_rate"] = text_of(of.saved_rate);
      row["now_rate"] = text_of(of.now_rate);
    }
  }
  return {{"same", differences.empty()}, {"differences", std::move(list)}};
}

}  // namespace sm::ctl
