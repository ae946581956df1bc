#include "config/absolute_paths.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <variant>

#include "config/schema.h"

namespace config {
namespace {

constexpr std::array<std::string_view, 4> kOtherPaths{"torus_config", "node_name_map_name",
                                                      "http_tls_cert", "http_tls_key"};
constexpr std::array<std::string_view, 2> kInDumpDirectory{"subnet_lst_file", "event_db_dump_file"};

bool is_path(std::string_view key) {
  if (std::ranges::find(kInDumpDirectory, key) != kInDumpDirectory.end()) return false;
  return key.ends_with("_file") || key.ends_with("_dir") ||
         std::ranges::find(kOtherPaths, key) != kOtherPaths.end();
}

}  // namespace

void make_paths_absolute(Options& options, const std::filesystem::path& base) {
  for (const Key& key : keys()) {
    const Ref ref = key.ref(options);
    std::string* const* const member = std::get_if<std::string*>(&ref);
    if (!is_path(key.name) || member == nullptr || (*member)->empty()) continue;
    std::string& value = **member;
    const bool is_stream =
        key.name == "log_file" && (value == "stdout" || value == "-" || value == "stderr");
    const std::filesystem::path path(value);
    if (!is_stream && path.is_relative()) value = (base / path).lexically_normal().string();
  }
}

}  // namespace config
