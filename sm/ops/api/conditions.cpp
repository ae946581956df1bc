// /v1/conditions, /v1/occurrences, /v1/isolated, /v1/lost

#include <algorithm>
#include <nlohmann/json.hpp>

#include "mad/format.h"
#include "sm/ops/api/list.h"
#include "sm/ops/api/place_filter.h"
#include "sm/ops/api/resources.h"
#include "sm/ops/condition_kinds.h"
#include "sm/ops/rows.h"

namespace sm::api {

namespace {

/// Selects conditions that name a node or port, which may be lost.
struct SubjectFilter {
  std::optional<PlaceFilter> place;
  std::vector<LostThing> lost;      // what the text names of it
  std::optional<mad::Guid> absent;  // a GUID that is in no snapshot

  bool passes(const Condition& condition, const Reading& reading) const {
    if (place)
      return names_place(condition, reading.subnet()->fabric, reading.view->status.lost, *place);
    return condition.guid == absent || std::ranges::any_of(lost, [&](const LostThing& thing) {
             return condition.guid == thing.node ||
                    (thing.peer_port && condition.guid == thing.peer_node &&
                     condition.port == thing.peer_port);
           });
  }
};

/// Errors: 404 if neither the subnet nor the list of lost nodes and links has it.
tl::expected<SubjectFilter, web::Response> read_subject(const Reading& reading,
                                                        std::string_view text) {
  auto place = find_place(reading, text);
  SubjectFilter filter;
  if (place) {
    filter.place = *place;
    return filter;
  }
  if (const auto& lost = reading.view->status.lost)
    std::ranges::copy_if(*lost, std::back_inserter(filter.lost),
                         [&](const LostThing& thing) { return names_lost(thing, text); });
  // A condition may name a GUID that no snapshot contains.
  if (text.starts_with("0x")) filter.absent = read_guid(text);
  if (filter.lost.empty() && !filter.absent) return tl::unexpected(std::move(place.error()));
  return filter;
}

/// Holds the parameters of a list of conditions or occurrences.
struct ConditionQuery {
  Page page;
  std::optional<std::size_t> severity;
  std::optional<ConditionId> kind;
  std::optional<mad::Guid> guid;
  std::optional<SubjectFilter> subject;

  bool passes(const Condition& condition, const Reading& reading) const {
    return (!severity || find_severity(condition) == static_cast<Severity>(*severity)) &&
           (!kind || *kind == condition.id) && (!guid || condition.guid == *guid) &&
           (!subject || subject->passes(condition, reading));
  }
};

/// Errors: the response.
tl::expected<ConditionQuery, web::Response> read_query(const Reading& reading) {
  Parameters parameters(reading.request);
  ConditionQuery query{.page = make_page(parameters),
                       .severity = parameters.one_of("severity", value::kSeverity),
                       .kind = {},
                       .guid = {},
                       .subject = {}};
  const auto id = parameters.text("id");
  query.guid = parameters.guid("guid");
  const auto node = parameters.text("node");
  if (parameters.fault()) return tl::unexpected(*parameters.fault());
  if (id) query.kind = find_condition_kind(*id);
  if (id && !query.kind)
    return tl::unexpected(
        web::problem(400, fmt::format("no condition is called '{}'", id->substr(0, 100)),
                     "an identifier such as SM-LINK-LOST: heddlectl explain lists them"));
  if (node) {
    auto found = read_subject(reading, *node);
    if (!found) return tl::unexpected(std::move(found.error()));
    query.subject = std::move(*found);
  }
  return query;
}

web::Response list_conditions(const SharedReading& reading) {
  const auto query = read_query(*reading);
  if (!query) return query.error();
  const ManagerStatus& status = reading->view->status;
  const auto row = [&status, &reading = *reading,
                    query = *query](std::size_t i) -> std::optional<nlohmann::json> {
    if (!query.passes(status.conditions[i].condition, reading)) return std::nullopt;
    return condition_row(status.conditions[i], status.now);
  };
  return list_by_place(reading, "conditions", query->page, status.conditions.size(), row);
}

web::Response list_occurrences(const SharedReading& reading) {
  const auto query = read_query(*reading);
  if (!query) return query.error();
  const ManagerStatus& status = reading->view->status;
  const auto row = [&status, &reading = *reading,
                    query = *query](std::size_t i) -> std::optional<nlohmann::json> {
    if (!query.passes(status.occurrences[i].condition, reading)) return std::nullopt;
    return occurrence_row(status.occurrences[i], status.now, status.wall);
  };
  return list_by_place(reading, "occurrences", query->page, status.occurrences.size(), row);
}

web::Response list_isolated(const SharedReading& reading) {
  const ManagerStatus& status = reading->view->status;
  const auto row = [&status](std::size_t i) -> std::optional<nlohmann::json> {
    return isolated_row(status.isolated[i], status.now);
  };
  return list_all(reading, "isolated", status.isolated.size(), row);
}

web::Response list_lost(const SharedReading& reading) {
  Parameters parameters(reading->request);
  const auto node = parameters.text("node");
  if (parameters.fault()) return *parameters.fault();
  const ManagerStatus& status = reading->view->status;
  const auto row = [&status, node](std::size_t i) -> std::optional<nlohmann::json> {
    const LostThing& thing = (*status.lost)[i];
    if (node && !names_lost(thing, *node)) return std::nullopt;
    return lost_row(thing, status.now);
  };
  return list_all(reading, "lost", status.lost ? status.lost->size() : 0, row);
}

}  // namespace

void add_conditions(web::Resources& to, const SharedCore& core) {
  add(to,
      get("/v1/conditions", "listConditions", "Conditions that are active, worst first",
          "ConditionList", filter_parameters(kConditionFilters)),
      reading(core, list_conditions));
  add_schemas(to, condition_info(), "conditions");
  add(to,
      get("/v1/occurrences", "listOccurrences",
          "What has occurred within ten minutes, the latest first: no active conditions",
          "OccurrenceList", filter_parameters(kConditionFilters)),
      reading(core, list_occurrences));
  add_schemas(to, occurrence_info(), "occurrences");
  add(to,
      get("/v1/isolated", "listIsolated", "Links and switches that are kept out of use",
          "IsolatedList", list_parameters({})),
      reading(core, list_isolated));
  add_schemas(to, isolated_info(), "isolated");
  add(to,
      get("/v1/lost", "listLost",
          "Nodes and links that were lost, until they are back or forgotten", "LostList",
          filter_parameters(kLostFilters)),
      reading(core, list_lost));
  add_schemas(to, lost_info(), "lost");
}

}  // namespace sm::api
