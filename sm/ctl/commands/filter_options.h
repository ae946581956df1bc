#pragma once
// Filters of the API's lists as options of a command.

#include <map>
#include <span>
#include <string>
#include <string_view>

#include "sm/ops/list_filters.h"

namespace CLI {
class App;
}

namespace sm::commands {

/// The options of one command, and what its command line has for them.
class FilterOptions {
 public:
  /// Adds an option for each filter that heddlectl has. This must outlive `command`.
  void add(CLI::App& command, std::span<const ListFilter> filters);
  /// Returns the target with those of `filters` that were given: "/v1/nodes?type=Switch".
  std::string target(std::string path, std::span<const ListFilter> filters) const;

 private:
  std::map<std::string, std::string, std::less<>> values_;  // by the name of the filter
};

}  // namespace sm::commands
