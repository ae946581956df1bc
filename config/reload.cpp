#include "config/reload.h"

#include <fmt/format.h>

#include "config/check.h"
#include "config/schema.h"
#include "config/value.h"

namespace config {
namespace {

// Copies value and origin of one key from one set of options to another.
void take_over(const Key& key, const Options& from, Options& to) {
  copy_value(key, from, to);
  if (const auto old = to.origins.find(key.name); old != to.origins.end()) to.origins.erase(old);
  if (const auto origin = from.origins.find(key.name); origin != from.origins.end())
    to.origins.insert(*origin);
}

}  // namespace

Reloaded reload(const std::string& path, const FileReader& reader, const Options& running,
                const Options& from_file) {
  Reloaded result{running, from_file, {}, {}, {}};
  Options now = from_file;
  now.qos_sets = {};
  now.partitions = {};
  std::erase_if(now.origins, [](const auto& entry) {
    return entry.first.starts_with("qos_") && entry.first != "qos_policy_file";
  });
  if (!load_config(path, reader, now, result.diagnostics)) return result;

  for (const Key& key : keys()) {
    const std::string before = value_text(key, from_file);
    const std::string after = value_text(key, now);
    // Some keys adapt while they are not set: a file that sets such a key to its default also
    // changes it.
    const bool is_new = key.hup && !from_file.is_set(key.name) && now.is_set(key.name);
    if (before == after && !is_new) continue;
    if (key.hup) {
      if (value_text(key, result.options) != after) result.changed.emplace_back(key.name);
      take_over(key, now, result.options);
      take_over(key, now, result.from_file);
    } else {
      result.needs_restart.emplace_back(key.name);
      const auto origin = now.origins.find(key.name);
      const Origin place = origin == now.origins.end() ? Origin{path} : origin->second;
      result.diagnostics.push_back({Severity::warning, place.file, place.line, place.column,
                                    fmt::format("{} changed from {} to {}, which has no effect now",
                                                key.name, before, after),
                                    "restart Heddle", true});
    }
  }
  result.options.partitions = result.from_file.partitions = now.partitions;
  for (Diagnostic& found : check_options(result.options))
    result.diagnostics.push_back(std::move(found));
  if (has_errors(result.diagnostics))
    return {running, from_file, {}, {}, std::move(result.diagnostics)};
  return result;
}

}  // namespace config
