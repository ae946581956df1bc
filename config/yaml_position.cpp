#include "config/yaml_position.h"

#include <fmt/format.h>

#include <algorithm>

namespace config {

// yaml-cpp counts from 0; -1: no position.
YamlPosition place_of(const YAML::Mark& mark) {
  return {std::max(mark.line, 0) + 1, std::max(mark.column, 0) + 1};
}

Diagnostic not_yaml(std::string file, const YAML::Exception& error) {
  const YamlPosition place = place_of(error.mark);
  return {.severity = Severity::error,
          .file = std::move(file),
          .line = place.line,
          .column = place.column,
          .what = fmt::format("not YAML: {}", printable(error.msg)),
          .remedy = {}};
}

}  // namespace config
