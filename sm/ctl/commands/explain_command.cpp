// heddlectl explain: what conditions mean.

#include <iostream>

#include "sm/conditions/explain.h"
#include "sm/ctl/commands/commands.h"

namespace sm::commands {

int explain(const ExplainOptions& options) {
  if (options.table) {
    std::cout << table_of_conditions();
    return kOk;
  }
  if (options.condition.empty()) {
    std::cout << list_of_conditions();
    return kOk;
  }
  const ConditionKind* const kind = find_condition_kind(options.condition);
  if (kind == nullptr) {
    std::cerr << "heddlectl: no condition is called " << options.condition
              << "; heddlectl explain lists all of them\n";
    return kFailed;
  }
  std::cout << sm::explain(*kind);
  return kOk;
}

}  // namespace sm::commands
