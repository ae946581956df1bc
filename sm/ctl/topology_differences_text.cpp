#include "sm/ctl/topology_differences_text.h"

#include <algorithm>
#include <array>

#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "mad/format.h"
#include "sm/ctl/lists_text.h"

namespace sm::ctl {

namespace {

using Json = nlohmann::json;

constexpr std::size_t kLinksInText = 4;

std::string text_of(const DifferentNode& node) {
  return fmt::format("\"{}\" ({})", printable(node.description), node.guid);
}
std::string text_of(const DifferentEnd& end) {
  return fmt::format("{} port {}", text_of(end.node), end.port);
}
std::string text_of(const DifferentLink& link) {
  return fmt::format("{} <-> {}", text_of(link.a), text_of(link.b));
}
std::string text_of(const mad::LinkRate& rate) {
  return fmt::format("{} {}", mad::width_name(rate.lanes), mad::name(rate.speed));
}

std::string joined(const std::vector<DifferentLink>& links) {
  std::vector<std::string> texts;
  texts.reserve(links.size());
  for (const DifferentLink& link : links) texts.push_back(text_of(link));
  return fmt::format("{}", fmt::join(texts, ", "));
}

/// Where a node is: the other ends of its links.
std::string place(const std::vector<DifferentLink>& links) {
  std::vector<std::string> ends;
  for (std::size_t i = 0; i < std::min(links.size(), kLinksInText); ++i)
    ends.push_back(text_of(links[i].b));
  if (links.size() > ends.size())
    ends.push_back(fmt::format("{} others", links.size() - ends.size()));
  return fmt::format("{}", fmt::join(ends, ", "));
}

std::string with_place(std::string text, std::string_view before,
                       const std::vector<DifferentLink>& links) {
  return links.empty() ? text : fmt::format("{}{}{}", text, before, place(links));
}

std::string line_of(const Difference& of) {
  switch (of.kind) {
    case DifferenceKind::node_missing:
      return with_place("node missing: " + text_of(of.node), "; saved at ", of.saved);
    case DifferenceKind::node_extra:
      return with_place("node extra: " + text_of(of.node), " at ", of.now);
    case DifferenceKind::node_moved:
      return fmt::format("node moved: {} at {}; saved at {}", text_of(of.node), place(of.now),
                         place(of.saved));
    case DifferenceKind::description_changed:
      return fmt::format("description changed: {}; saved \"{}\"", text_of(of.node),
                         printable(of.saved_description));
    case DifferenceKind::link_missing:
      return "link missing: " + joined(of.saved);
    case DifferenceKind::link_extra:
      return "link extra: " + joined(of.now);
    case DifferenceKind::miscabled:
      return fmt::format("miscabled: {}; saved {}", joined(of.now), joined(of.saved));
    case DifferenceKind::link_slower:
    case DifferenceKind::link_faster:
      return fmt::format("{}: {}: {}; saved {}",
                         of.kind == DifferenceKind::link_slower ? "link slower or narrower"
                                                                : "link faster or wider",
                         joined(of.now), text_of(of.now_rate), text_of(of.saved_rate));
  }
  return {};
}

Json json_of(const DifferentNode& node) {
  return {{"node_guid", fmt::format("{}", node.guid)}, {"description", node.description}};
}
Json json_of(const DifferentEnd& end) {
  Json json = json_of(end.node);
  json["port"] = end.port.value;
  return json;
}
Json json_of(const std::vector<DifferentLink>& links) {
  Json json = Json::array();
  for (const DifferentLink& link : links)
    json.push_back({{"a", json_of(link.a)}, {"b", json_of(link.b)}});
  return json;
}

}  // namespace

std::string differences_text(const std::vector<Difference>& differences, std::size_t nodes,
                             std::size_t links) {
  std::string out;
  for (const Difference& difference : differences) out += line_of(difference) + '\n';
  const std::string compared = fmt::format("{} nodes and {} links", nodes, links);
  if (differences.empty()) return fmt::format("no difference: {} as saved\n", compared);
  return out + fmt::format("{} difference{}; {} now\n", differences.size(),
                           differences.size() == 1 ? "" : "s", compared);
}

Json differences_json(const std::vector<Difference>& differences) {
  Json list = Json::array();
  for (const Difference& of : differences) {
    Json& row = list.emplace_back(Json{{"kind", name_of(of.kind)}});
    if (of.node.guid != mad::Guid{}) row["node"] = json_of(of.node);
    if (!of.saved.empty()) row["saved"] = json_of(of.saved);
    if (!of.now.empty()) row["now"] = json_of(of.now);
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
