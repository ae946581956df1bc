#include "sm/ops/options_json.h"

#include <nlohmann/json.hpp>

#include "config/schema.h"
#include "config/value.h"
#include "mad/format.h"

namespace sm {

nlohmann::json option_rows(const config::Options& options) {
  const config::Options defaults;
  nlohmann::json list = nlohmann::json::array();
  for (const config::Key& key : config::keys()) {
    const std::string value = config::value_text(key, options);
    const bool is_default = value == config::value_text(key, defaults);
    auto& row = list.emplace_back(
        nlohmann::json{{"key", key.name},
                       {"value", key.is_secret && !is_default ? std::string(config::kMasked)
                                                              : config::without_credentials(value)},
                       {"default", is_default}});
    const auto origin = options.origins.find(key.name);
    if (origin == options.origins.end()) continue;
    row["from"] = origin->second.line == 0
                      ? origin->second.file
                      : fmt::format("{}:{}", origin->second.file, origin->second.line);
  }
  return list;
}

}  // namespace sm
