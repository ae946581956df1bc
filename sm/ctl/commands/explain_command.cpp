// heddlectl explain says what conditions mean; heddlectl version prints the version.

#include <iostream>
#include <string_view>
#include <vector>

#include "config/build/build.h"
#include "config/nearest.h"
#include "mad/format.h"
#include "sm/conditions/condition_log.h"
#include "sm/ctl/commands/commands.h"
#include "sm/ctl/commands/managers.h"
#include "sm/ops/condition_kinds.h"

namespace sm::commands {

namespace {

Json explained(const ConditionKind& kind) {
  return {{"id", kind.name},
          {"severity", severity_text(kind)},
          {"nature", name(kind.nature())},
          {"meaning", kind.meaning},
          {"cause", kind.cause},
          {"effect", kind.effect},
          {"remedy", kind.remedy}};
}

}  // namespace

int explain(const ExplainOptions& options) {
  if (options.table) {
    std::cout << table_of_conditions(condition_kinds());
    return kOk;
  }
  if (options.condition.empty() && options.json) {
    Json all = Json::array();
    for (const ConditionId kind : condition_kinds()) all.push_back(explained(*kind));
    std::cout << dumped_by_rows({{"conditions", std::move(all)}});
    return kOk;
  }
  if (options.condition.empty()) {
    std::cout << list_of_conditions(condition_kinds());
    return kOk;
  }
  const auto kind = find_condition_kind(options.condition);
  if (!kind) {
    std::vector<std::string_view> names;
    for (const ConditionId each : condition_kinds()) names.push_back(each->name);
    const auto meant = config::nearest(options.condition, names);
    complain(fmt::format("no condition is called {}{}; heddlectl explain lists all of them",
                         options.condition,
                         meant ? fmt::format(" (did you mean {}?)", *meant) : ""));
    return kFailed;
  }
  std::cout << (options.json ? dumped(explained(**kind)) + "\n" : sm::explain(**kind));
  return kOk;
}

int print_version(bool json) {
  if (json)
    std::cout << dumped(Json{{"program", "heddlectl"}, {"version", config::short_version()}})
              << '\n';
  else
    std::cout << config::version_text("heddlectl") << '\n';
  return kOk;
}

}  // namespace sm::commands
