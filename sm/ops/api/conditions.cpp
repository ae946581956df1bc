// /v1/conditions

#include <algorithm>
#include <nlohmann/json.hpp>

#include "mad/format.h"
#include "sm/ops/api/list.h"
#include "sm/ops/api/place_filter.h"
#include "sm/ops/api/resources.h"
#include "sm/ops/rows.h"

namespace sm::api {

namespace {

/// Selects conditions that name a node or port, which may be lost.
struct SubjectFilter {
  std::optional<PlaceFilter> place;
  std::vector<mad::Guid> guids;  // of what was lost, or in no snapshot
  std::optional<mad::PortNum> number;

  bool passes(const Condition& condition, const Subnet* subnet) const {
    if (place) return names_place(condition, subnet->fabric, *place);
    return std::ranges::find(guids, condition.guid) != guids.end() &&
           (!number || condition.port == number);
  }
};

/// Errors: 404 if neither the subnet nor the list of lost nodes and links has it.
tl::expected<SubjectFilter, web::Response> read_subject(const Reading& reading,
                                                        std::string_view text) {
  auto place = find_place(reading, text);
  if (place) return SubjectFilter{.place = *place, .guids = {}, .number = {}};
  SubjectFilter filter;
  if (const auto& lost = reading.view->status.lost) {
    for (const LostThing& thing : *lost) {
      if (!thing.is_called(text)) continue;
      filter.guids.push_back(thing.node);
      if (text.find(':') != std::string_view::npos) filter.number = thing.port;
    }
  }
  // A condition may name a GUID that no snapshot contains.
  if (const auto guid = text.starts_with("0x") ? read_guid(text) : std::nullopt)
    filter.guids.push_back(*guid);
  if (filter.guids.empty()) return tl::unexpected(std::move(place.error()));
  return filter;
}

web::Response list_conditions(const SharedReading& reading) {
  Parameters parameters(reading->request);
  const Page page = make_page(parameters);
  const auto severity = parameters.one_of("severity", value::kSeverity);
  const auto id = parameters.text("id");
  const auto guid = parameters.guid("guid");
  const auto node = parameters.text("node");
  if (parameters.fault()) return *parameters.fault();
  const ConditionKind* const kind = id ? find_condition_kind(*id) : nullptr;
  if (id && kind == nullptr)
    return web::problem(400, fmt::format("no condition is called '{}'", id->substr(0, 100)),
                        "an identifier such as SM-LINK-LOST: heddlectl explain lists them");
  std::optional<SubjectFilter> subject;
  if (node) {
    auto found = read_subject(*reading, *node);
    if (!found) return std::move(found.error());
    subject = std::move(*found);
  }
  const std::vector<ConditionLog::Raised>& raised = reading->view->status.conditions;
  const mad::TimePoint now = reading->view->status.now;
  const auto row = [=, &raised,
                    subnet = reading->subnet()](std::size_t i) -> std::optional<nlohmann::json> {
    const Condition& condition = raised[i].condition;
    if (severity && find_severity(condition) != static_cast<Severity>(*severity))
      return std::nullopt;
    if (kind != nullptr && kind->id != condition.id) return std::nullopt;
    if (guid && condition.guid != *guid) return std::nullopt;
    if (subject && !subject->passes(condition, subnet)) return std::nullopt;
    return condition_row(raised[i], now);
  };
  return list_by_place(reading, "conditions", page, raised.size(), row);
}

web::Response list_isolated(const SharedReading& reading) {
  const ManagerStatus& status = reading->view->status;
  const auto row = [&status](std::size_t i) -> std::optional<nlohmann::json> {
    return isolated_row(status.isolated[i], status.now);
  };
  return list_all(reading, "isolated", status.isolated.size(), row);
}

web::Response list_lost(const SharedReading& reading) {
  const ManagerStatus& status = reading->view->status;
  const auto row = [&status](std::size_t i) -> std::optional<nlohmann::json> {
    return lost_row((*status.lost)[i], status.now);
  };
  return list_all(reading, "lost", status.lost ? status.lost->size() : 0, row);
}

}  // namespace

void add_conditions(web::Resources& to, const SharedCore& core) {
  add(to,
      get("/v1/conditions", "listConditions", "Conditions that are raised, worst first",
          "ConditionList", filter_parameters(kConditionFilters)),
      reading(core, list_conditions));
  add_schemas(to, condition_info(), "conditions");
  add(to,
      get("/v1/isolated", "listIsolated", "Links and switches that are kept out of use",
          "IsolatedList", list_parameters({})),
      reading(core, list_isolated));
  add_schemas(to, isolated_info(), "isolated");
  add(to,
      get("/v1/lost", "listLost",
          "Nodes and links that were lost, until they are back or forgotten", "LostList",
          list_parameters({})),
      reading(core, list_lost));
  add_schemas(to, lost_info(), "lost");
}

}  // namespace sm::api
