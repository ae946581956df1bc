#include "sm/ctl/topology_differences_text.h"

#include <nlohmann/json.hpp>

#include "mad/format.h"
#include "sm/health/difference_text.h"

namespace sm::ctl {

namespace {

using Json = nlohmann::ordered_json;

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

std::string differences_text(const std::vector<Difference>& differences, std::size_t nodes,
                             std::size_t links) {
  std::string out;
  for (const Difference& difference : differences) out += describe(difference) + '\n';
  const std::string compared = fmt::format("{} nodes and {} links", nodes, links);
  if (differences.empty()) return fmt::format("no difference: {} as saved\n", compared);
  return out + fmt::format("{} difference{}; {} now\n", differences.size(),
                           differences.size() == 1 ? "" : "s", compared);
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
