#include "config/option_files.h"

#include <optional>

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include "config/file_reader.h"
#include "config/settings.h"
#include "config/value.h"
#include "config/yaml_position.h"

namespace config {
namespace {

constexpr int kLineMax = 1022;  // OpenSM splits longer lines

std::string_view unquoted(std::string_view value) {
  const bool is_quoted = value.size() >= 2 && (value.front() == '"' || value.front() == '\'') &&
                         value.back() == value.front();
  return is_quoted ? value.substr(1, value.size() - 2) : value;
}

}  // namespace

void parse_opensm_conf(const Source& source, Options& options, Diagnostics& out) {
  Settings settings(source.file, options, out);
  for (const Line& line : content_lines(source.text)) {
    const int end_column =
        line.column(line.text) + static_cast<int>(line.text.size());  // one past the last character
    if (end_column > kLineMax + 1) {
      settings.report(Severity::error, {line.number, kLineMax + 1},
                      "the line is longer than 1022 characters", "shorten it");
      continue;
    }
    const std::string_view name = line.text.substr(0, line.text.find_first_of(" \t"));
    const std::string_view value = trim(line.text.substr(name.size()));
    const Key* const key = settings.look_up(name, {line.number, line.column(name)});
    if (key == nullptr) continue;
    // The position of a missing value is the end of the key.
    settings.set(*key, unquoted(value),
                 {line.number, value.empty() ? end_column : line.column(value)});
  }
  settings.finish();
}

namespace {

Settings::Position settings_position(const YAML::Mark& mark) {
  const YamlPosition position = yaml_position(mark);
  return {position.line, position.column};
}

class MapReader {
 public:
  MapReader(const Source& source, Settings& settings, Options& options)
      : source_(source), settings_(settings), options_(options) {}

  void read(const YAML::Node& map) {
    for (const auto& entry : map) {
      const Settings::Position position = settings_position(entry.first.Mark());
      if (!entry.first.IsScalar()) {
        settings_.report(Severity::error, position, "a key has to be a word", "write key: value");
      } else if (entry.first.Scalar() == "partitions") {
        options_.partitions = {source_.file, std::string(source_.text)};
      } else if (const Key* key = settings_.look_up(entry.first.Scalar(), position)) {
        read_value(*key, entry.second,
                   entry.second.IsNull()
                       ? position
                       : settings_position(entry.second.Mark()));  // null may have no position
      }
    }
  }

 private:
  void read_value(const Key& key, const YAML::Node& node, Settings::Position position) {
    const Ref ref = key.ref(options_);
    const bool is_list = std::holds_alternative<WordList*>(ref) ||
                         std::holds_alternative<GuidList*>(ref) ||
                         std::holds_alternative<SubnetPrefixes*>(ref) ||
                         std::holds_alternative<std::vector<CctEntry>*>(ref) ||
                         std::holds_alternative<std::string*>(ref);
    if (std::holds_alternative<PerSl*>(ref) && node.IsMap()) {
      read_per_sl(key, node);
    } else if (std::holds_alternative<bool*>(ref)) {
      read_bool(key, node, position);
    } else if (node.IsNull()) {
      settings_.set(key, "(null)", position);
    } else if (node.IsScalar()) {
      settings_.set(key, node.Scalar(), position);
    } else if (node.IsSequence() && is_list) {
      if (const auto joined = join(node)) return settings_.set(key, *joined, position);
      settings_.report(Severity::error, position,
                       fmt::format("the list of {} has an entry that is not a word", key.name),
                       right(key));
    } else {
      settings_.report(
          Severity::error, position,
          fmt::format("{} is not a value for {}", node.IsMap() ? "a map" : "a list", key.name),
          right(key));
    }
  }

  void read_bool(const Key& key, const YAML::Node& node, Settings::Position position) {
    const std::string word = node.IsScalar() ? node.Scalar() : "";
    const bool is_true = word == "true" || word == "True" || word == "TRUE";
    if (is_true || word == "false" || word == "False" || word == "FALSE")
      return settings_.set(key, is_true ? "TRUE" : "FALSE", position);
    settings_.report(Severity::error, position,
                     fmt::format("{} is not a value for {}", in_quotes(word), key.name),
                     "write true or false");
  }

  void read_per_sl(const Key& key, const YAML::Node& map) {
    for (const auto& entry : map) {
      const Settings::Position position = settings_position(entry.first.Mark());
      if (!entry.first.IsScalar() || !entry.second.IsScalar()) {
        settings_.report(Severity::error, position,
                         fmt::format("{} has an entry that is not a number", key.name), right(key));
      } else {
        settings_.set(key, entry.first.Scalar() + " " + entry.second.Scalar(), position);
      }
    }
  }

  static std::optional<std::string> join(const YAML::Node& sequence) {
    std::string joined;
    for (const auto& item : sequence) {
      if (!item.IsScalar()) return std::nullopt;
      joined += (joined.empty() ? "" : ",") + item.Scalar();
    }
    return joined;
  }

  static std::string right(const Key& key) { return fmt::format("write {}", expected_value(key)); }

  const Source& source_;
  Settings& settings_;
  Options& options_;
};

}  // namespace

void parse_yaml(const Source& source, Options& options, Diagnostics& out) {
  Settings settings(source.file, options, out);
  try {
    const YAML::Node root = load_yaml(source.text);
    if (root.IsMap()) {
      MapReader(source, settings, options).read(root);
    } else if (!root.IsNull()) {
      settings.report(Severity::error, settings_position(root.Mark()), "the file is not a map",
                      "write lines of the form key: value");
    }
  } catch (const YAML::Exception& fault) {
    out.push_back(not_yaml(source.file, fault));
  }
  settings.finish();
}

}  // namespace config
