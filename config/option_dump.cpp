#include "config/option_files.h"

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>

#include "config/schema.h"
#include "config/value.h"

namespace config {
namespace {

constexpr std::string_view kUnset = "(null)";

// A value that begins or ends with blanks, or is in quotes, needs quotes of the other kind.
std::string conf_quoted(const std::string& value) {
  const bool looks_quoted = value.size() >= 2 && value.front() == value.back() &&
                            (value.front() == '"' || value.front() == '\'');
  if (trim(value) == value && !looks_quoted) return value;
  const char quote = value.find('"') == std::string::npos ? '"' : '\'';
  return quote + value + quote;
}

std::string yaml_value(const Key& key, const Options& options) {
  Options copy = options;
  const Ref ref = key.ref(copy);
  std::string text = value_text(key, options);
  if (std::holds_alternative<bool*>(ref)) return text == "TRUE" ? "true" : "false";
  if (const auto* per_sl = std::get_if<PerSl*>(&ref)) {
    std::string map;
    for (std::size_t sl = 0; sl < (*per_sl)->size(); ++sl)
      map += fmt::format("{}{}: {}", sl > 0 ? ", " : "", sl, (**per_sl)[sl]);
    return "{" + map + "}";
  }
  const bool may_be_unset = std::holds_alternative<std::string*>(ref) ||
                            std::holds_alternative<WordList*>(ref) ||
                            std::holds_alternative<std::vector<CctEntry>*>(ref);
  if (!may_be_unset) return text;
  if (text == kUnset) return "null";
  YAML::Emitter emitter;
  emitter << YAML::DoubleQuoted << text;
  return emitter.c_str();
}

std::string heading(Section section) { return fmt::format("#\n# {}\n#\n", title(section)); }

// Returns the comment lines above a key: help, allowed values, default.
std::string comment(const Key& key, const Options& defaults) {
  std::string out = fmt::format("# {}\n# Value: {}\n# Default: {}\n", key.help, expected_value(key),
                                value_text(key, defaults));
  if (!key.built) out += "# Heddle does not have this yet.\n";
  return out;
}

/// Returns value_lines() as these readers may see them.
std::vector<std::string> lines_for(Readers readers, const Key& key, const Options& options) {
  std::vector<std::string> lines = value_lines(key, options);
  if (readers == Readers::owner) return lines;
  if (key.is_secret) return {shown_value(key, options)};
  for (std::string& line : lines) line = without_credentials(std::move(line));
  return lines;
}

std::string dump(const Options& options, const auto& write_key) {
  const Options defaults;
  std::string out =
      "# Written by heddle --create-config. Keys may be left out; then their defaults are "
      "used.\n\n";
  const Key* previous = nullptr;
  for (const Key& key : keys()) {
    if (previous == nullptr || previous->section != key.section) out += heading(key.section);
    previous = &key;
    const bool is_default = value_text(key, options) == value_text(key, defaults);
    const bool as_comment =
        is_default && (!key.in_opensm || (key.default_counts && !options.is_set(key.name)));
    out += comment(key, defaults);
    for (const std::string& line : write_key(key)) out += (as_comment ? "# " : "") + line + "\n";
    out += "\n";
  }
  return out;
}

}  // namespace

tl::expected<std::string, Diagnostics> dump_opensm_conf(const Options& options, Readers readers) {
  Diagnostics faults;
  constexpr std::size_t kValueMax = 900;  // a line holds 1022 characters, keys are shorter than 64
  std::string out = dump(options, [&](const Key& key) {
    std::vector<std::string> lines;
    for (const std::string& value : lines_for(readers, key, options)) {
      const bool fits =
          std::ranges::none_of(value, [](char c) { return c == '#' || c == '\n' || c == '\0'; }) &&
          value.size() <= kValueMax;
      if (!fits) {
        faults.push_back({Severity::error, "", 0, 0,
                          fmt::format("{} {} cannot be written in opensm.conf", key.name,
                                      key.is_secret ? std::string(kMasked)
                                                    : in_quotes(without_credentials(value))),
                          "write the configuration as YAML (a name that ends in .yaml)"});
      }
      lines.push_back(fmt::format("{} {}", key.name, conf_quoted(value)));
    }
    return lines;
  });
  if (!faults.empty()) return tl::unexpected(std::move(faults));
  if (readers == Readers::others)
    out = fmt::format("# {} stands in the place of keys and passwords.\n", kMasked) + out;
  return out;
}

std::string dump_yaml(const Options& options) {
  return dump(options, [&](const Key& key) {
    return std::vector<std::string>{fmt::format("{}: {}", key.name, yaml_value(key, options))};
  });
}

tl::expected<std::string, Diagnostics> dump_for(std::string_view path, const Options& options) {
  if (!options.partitions.text.empty()) {
    return tl::unexpected(
        Diagnostics{{Severity::error, options.partitions.file, 0, 0,
                     "the partitions of this file cannot be written with the options",
                     "copy the list partitions by hand, or move it to a partitions.conf"}});
  }
  if (is_yaml_name(path)) return dump_yaml(options);
  return dump_opensm_conf(options);
}

bool is_yaml_name(std::string_view path) {
  return path.ends_with(".yaml") || path.ends_with(".yml");
}

}  // namespace config
