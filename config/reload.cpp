#include "config/reload.h"

#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <string_view>
#include <utility>
#include <variant>

#include "config/check.h"
#include "config/schema.h"
#include "config/value.h"

namespace config {
namespace {

constexpr std::array<std::string_view, 7> kOtherPaths{
    "torus_config",   "node_name_map_name", "http_tls_cert", "http_tls_key",
    "state_tls_cert", "state_tls_key",      "state_tls_ca"};
constexpr std::array<std::string_view, 2> kInDumpDirectory{"subnet_lst_file", "event_db_dump_file"};

bool is_path(std::string_view key) {
  if (std::ranges::find(kInDumpDirectory, key) != kInDumpDirectory.end()) return false;
  return key.ends_with("_file") || key.ends_with("_dir") ||
         std::ranges::find(kOtherPaths, key) != kOtherPaths.end();
}

/// Copies where the key was set. It may have moved to another line although its value is the same.
void copy_origin(const Key& key, const Options& from, Options& to) {
  if (const auto old = to.origins.find(key.name); old != to.origins.end()) to.origins.erase(old);
  if (const auto origin = from.origins.find(key.name); origin != from.origins.end())
    to.origins.insert(*origin);
}

/// True if what the key stands for has changed. Some keys adapt while they are not set: to set such
/// a key to its default, or to set it no longer, is a change, too.
bool has_changed(const Key& key, const Options& before, const Options& now) {
  const bool adapts = key.hup && key.default_counts;
  return value_text(key, before) != value_text(key, now) ||
         (adapts && before.is_set(key.name) != now.is_set(key.name));
}

Diagnostic without_effect_now(const Key& key, const Options& before, const CommandLine& now) {
  const auto origin = now.options.origins.find(key.name);
  const Origin place =
      origin == now.options.origins.end() ? Origin{now.config_file} : origin->second;
  return {Severity::warning,
          place.file,
          place.line,
          place.column,
          fmt::format("{} changed from {} to {}, which has no effect now: {}", key.name,
                      shown_value(key, before), shown_value(key, now.options), key.restart),
          "restart Heddle",
          true};
}

/// A configuration file that is missing for a moment must not give the fabric the defaults.
void refuse_a_lost_file(const CommandLine& before, CommandLine& now) {
  if (!before.was_read || now.was_read || has_errors(now.diagnostics)) return;
  Diagnostic& missing = now.diagnostics.front();
  missing.severity = Severity::error;
  missing.remedy = "write it again, or restart Heddle to run with defaults";
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

Reloaded reload(const CommandLine& configured, const Options& running, const FileReader& reader,
                const std::filesystem::path& base) {
  CommandLine now = evaluate_again(configured, reader);
  if (!base.empty()) make_paths_absolute(now.options, base);
  refuse_a_lost_file(configured, now);
  if (has_errors(now.diagnostics)) return {running, configured, {}, {}, std::move(now.diagnostics)};

  Reloaded result{running, configured, {}, {}, now.diagnostics};
  const Options& before = configured.options;
  for (const Key& key : keys()) {
    const bool is_other = has_changed(key, before, now.options);
    if (is_other && !key.hup) {
      result.needs_restart.emplace_back(key.name);
      result.diagnostics.push_back(without_effect_now(key, before, now));
      continue;
    }
    if (is_other) {
      if (has_changed(key, result.options, now.options)) result.changed.emplace_back(key.name);
      copy_value(key, now.options, result.options);
      copy_value(key, now.options, result.configured.options);
    }
    copy_origin(key, now.options, result.options);
    copy_origin(key, now.options, result.configured.options);
  }
  result.options.partitions = result.configured.options.partitions = now.options.partitions;
  result.configured.was_read = now.was_read;
  // Values of the start stay in force beside new ones, with which they may not go together.
  for (Diagnostic& found : check_options(result.options))
    if (std::ranges::find(result.diagnostics, found) == result.diagnostics.end())
      result.diagnostics.push_back(std::move(found));
  if (has_errors(result.diagnostics))
    return {running, configured, {}, {}, std::move(result.diagnostics)};
  return result;
}

}  // namespace config
