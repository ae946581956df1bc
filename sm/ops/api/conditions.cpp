// /v1/conditions

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "mad/format.h"
#include "sm/ops/api/list.h"
#include "sm/ops/api/resources.h"
#include "sm/ops/rows.h"

namespace sm::api {

namespace {

constexpr std::array<std::string_view, 4> kSeverityNames{"info", "warning", "error", "critical"};

web::Response list_conditions(const SharedReading& reading) {
  Parameters parameters(reading->request);
  const Page page = make_page(parameters);
  const auto severity = parameters.one_of("severity", kSeverityNames);
  const auto id = parameters.text("id");
  const auto guid = parameters.guid("guid");
  if (parameters.fault()) return *parameters.fault();
  const ConditionKind* const kind = id ? find_condition_kind(*id) : nullptr;
  if (id && kind == nullptr)
    return web::problem(400, fmt::format("no condition is called '{}'", id->substr(0, 100)),
                        "an identifier such as SM-LINK-LOST: heddlectl explain lists them");
  const std::vector<ConditionLog::Raised>& raised = reading->view->status.conditions;
  const mad::TimePoint now = reading->view->status.now;
  const auto row = [=, &raised](std::size_t i) -> std::optional<nlohmann::json> {
    const Condition& condition = raised[i].condition;
    if (severity && find_severity(condition) != static_cast<Severity>(*severity))
      return std::nullopt;
    if (kind != nullptr && kind->id != condition.id) return std::nullopt;
    if (guid && condition.guid != *guid) return std::nullopt;
    return condition_row(raised[i], now);
  };
  return list_by_place(reading, "conditions", page, raised.size(), row);
}

}  // namespace

void add_conditions(web::Resources& to, const SharedCore& core) {
  add(to,
      get("/v1/conditions", "listConditions", "Conditions that are raised, worst first",
          "ConditionList",
          list_parameters(
              {query("severity", R"({"enum":["info","warning","error","critical"]})", "Severity"),
               query("id", R"({"type":"string","minLength":1})", "Identifier, SM-LINK-LOST"),
               query("guid", R"({"$ref":"#/components/schemas/Guid"})", "GUID that it names")})),
      reading(core, list_conditions));
  add_schemas(to, condition_info(), "conditions");
}

}  // namespace sm::api
