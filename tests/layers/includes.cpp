#include "layers/includes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <optional>
#include <set>
#include <sstream>

namespace layers {

namespace {

using Place = std::size_t;  // in the table

std::string layer_text(const Module& module) {
  return module.layer == kSide ? "side" : fmt::format("layer {}", module.layer);
}
std::string text_of(const Module& module) {
  return fmt::format("{} ({})", module.path, layer_text(module));
}

/// The module with the longest directory that the path is in.
std::optional<Place> module_of(const Table& table, std::string_view path) {
  std::optional<Place> found;
  for (Place i = 0; i < table.size(); ++i) {
    const std::string& directory = table[i].path;
    const bool inside = path.size() > directory.size() && path.starts_with(directory) &&
                        path[directory.size()] == '/';
    if (inside && (!found || table[*found].path.size() < directory.size())) found = i;
  }
  return found;
}

/// The reason why `from` may not include `to`; empty if it may.
std::string objection(const Table& table, Place from, Place to) {
  if (from == to) return {};
  const Module &user = table[from], &used = table[to];
  if (user.layer != kSide && used.layer == kSide) return "no layer includes a side module";
  if (user.layer == kSide && used.layer != kSide)
    return used.layer <= kSideIncludesLayers
               ? std::string{}
               : fmt::format("side modules may include layers 1 to {}", kSideIncludesLayers);
  if (to > from) return {};
  return used.layer == user.layer ? "in the same layer it is higher in layers.txt"
                                  : "includes only lead to lower layers";
}

std::string_view trimmed(std::string_view line) {
  const std::size_t first = line.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return {};
  return line.substr(first, line.find_last_not_of(" \t\r") - first + 1);
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(trimmed(text.substr(0, end)));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

/// The path of an `#include "..."`; nullopt for other lines.
std::optional<std::string_view> quoted_include(std::string_view line) {
  if (!line.starts_with('#')) return std::nullopt;
  line = trimmed(line.substr(1));
  if (!line.starts_with("include")) return std::nullopt;
  line = trimmed(line.substr(std::string_view("include").size()));
  if (!line.starts_with('"')) return std::nullopt;
  return line.substr(1, line.find('"', 1) - 1);
}

bool declares_type(std::string_view line) {
  return line.ends_with(';') && line.find_first_of("({=") == std::string_view::npos &&
         (line.starts_with("struct ") || line.starts_with("class ") || line.starts_with("enum "));
}

/// The namespace whose types are declared, and nothing else, in the block that begins at this line.
std::optional<std::string_view> forward_declared(const std::vector<std::string_view>& lines,
                                                 std::size_t at) {
  constexpr std::string_view kNamespace = "namespace ";
  if (!lines[at].starts_with(kNamespace) || !lines[at].ends_with('{')) return std::nullopt;
  bool any = false;
  for (std::size_t i = at + 1; i < lines.size(); ++i) {
    const std::string_view line = lines[i];
    if (line.empty() || line.starts_with("//")) continue;
    if (line.starts_with('}') && any) {
      const std::string_view name = trimmed(lines[at].substr(kNamespace.size()));
      return name.substr(0, name.find_first_of(": {"));
    }
    if (!declares_type(trimmed(line.substr(0, line.find("//"))))) return std::nullopt;
    any = true;
  }
  return std::nullopt;
}

/// Finds the files that include each other in a cycle: strongly connected components (Tarjan
/// 1972). A header and its .cpp file are one file.
class FileCycles {
 public:
  explicit FileCycles(const std::vector<Source>& sources) {
    for (const Source& source : sources) {
      std::set<std::string>& includes = includes_[stem(source.path)];
      for (const std::string_view line : lines_of(source.text))
        if (const auto name = quoted_include(line)) includes.insert(stem(*name));
    }
    for (const auto& [file, includes] : includes_)
      if (!number_.contains(file)) visit(file);
  }

  /// Returns a finding for each cycle.
  std::vector<std::string> take() { return std::move(findings_); }

 private:
  static std::string stem(std::string_view path) {
    return std::string(path.substr(0, path.rfind('.')));
  }

  /// Returns the lowest number that the file reaches.
  std::size_t visit(const std::string& file) {
    const std::size_t number = number_.size();
    number_[file] = number;
    open_.push_back(file);
    std::size_t lowest = number;
    for (const std::string& other : includes_.at(file)) {
      if (!includes_.contains(other)) continue;
      if (!number_.contains(other))
        lowest = std::min(lowest, visit(other));
      else if (std::ranges::find(open_, other) != open_.end())
        lowest = std::min(lowest, number_.at(other));
    }
    if (lowest < number) return lowest;
    const auto first = std::ranges::find(open_, file);
    std::vector<std::string> files(first, open_.end());
    open_.erase(first, open_.end());
    std::ranges::sort(files);
    if (files.size() > 1)
      findings_.push_back(
          fmt::format("{}: these files include each other in a cycle", fmt::join(files, ", ")));
    return lowest;
  }

  std::map<std::string, std::set<std::string>> includes_;
  std::map<std::string, std::size_t> number_;  // in the order of the visits
  std::vector<std::string> open_;              // visited, and in no component yet
  std::vector<std::string> findings_;
};

class Check {
 public:
  explicit Check(const Table& table) : table_(table) {}

  void file(const Source& source) {
    const std::optional<Place> module = module_of(table_, source.path);
    if (!module) {
      report_.findings.push_back(fmt::format("{}: in no module of layers.txt", source.path));
      return;
    }
    const std::vector<std::string_view> lines = lines_of(source.text);
    for (std::size_t i = 0; i < lines.size(); ++i) {
      const std::string where = fmt::format("{}:{}", source.path, i + 1);
      if (const auto name = quoted_include(lines[i])) include(where, *module, *name);
      if (const auto name = forward_declared(lines, i)) declaration(where, *module, *name);
    }
  }

  Report take() { return std::move(report_); }

 private:
  void include(const std::string& where, Place from, std::string_view name) {
    const std::optional<Place> to = module_of(table_, name);
    if (!to) {
      report_.findings.push_back(fmt::format(
          "{}: \"{}\" is in no module of layers.txt; files of the product are named from the top "
          "of the source tree",
          where, name));
      return;
    }
    ++report_.includes[{from, *to}];
    if (const std::string why = objection(table_, from, *to); !why.empty())
      report_.findings.push_back(fmt::format("{}: {} includes {}: {}", where, text_of(table_[from]),
                                             text_of(table_[*to]), why));
  }

  /// Allowed if some module of that namespace may be included.
  void declaration(const std::string& where, Place from, std::string_view name) {
    std::optional<Place> forbidden;
    for (Place to = 0; to < table_.size(); ++to) {
      if (std::ranges::find(table_[to].namespaces, name) == table_[to].namespaces.end()) continue;
      if (objection(table_, from, to).empty()) return;
      forbidden = to;
    }
    if (!forbidden) return;
    report_.findings.push_back(fmt::format(
        "{}: {} declares types of namespace {}, as of {}: {}", where, text_of(table_[from]), name,
        text_of(table_[*forbidden]), objection(table_, from, *forbidden)));
  }

  const Table& table_;
  Report report_;
};

}  // namespace

tl::expected<Table, std::string> parse_table(std::string_view text) {
  Table table;
  const std::vector<std::string_view> lines = lines_of(text);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (lines[i].empty() || lines[i].starts_with('#')) continue;
    std::istringstream words{std::string(lines[i])};
    std::string layer, path, namespaces;
    words >> layer >> path >> namespaces;
    Module module{.path = path, .layer = kSide, .namespaces = {}};
    if (layer != "side") {
      const auto [end, error] =
          std::from_chars(layer.data(), layer.data() + layer.size(), module.layer);
      if (error != std::errc{} || end != layer.data() + layer.size() || module.layer <= kSide)
        return tl::unexpected(
            fmt::format("line {}: '{}' is neither a layer nor 'side'", i + 1, layer));
    }
    if (namespaces.empty())
      return tl::unexpected(
          fmt::format("line {}: a layer, a module and its namespaces are needed", i + 1));
    std::istringstream names(namespaces);
    for (std::string name; std::getline(names, name, ',');) module.namespaces.push_back(name);
    if (std::ranges::find(table, path, &Module::path) != table.end())
      return tl::unexpected(fmt::format("line {}: {} is listed twice", i + 1, path));
    const auto before = std::ranges::find_if(table.rbegin(), table.rend(),
                                             [](const Module& of) { return of.layer != kSide; });
    if (module.layer != kSide && before != table.rend() && before->layer < module.layer)
      return tl::unexpected(
          fmt::format("line {}: layer {} is below layer {}", i + 1, module.layer, before->layer));
    table.push_back(std::move(module));
  }
  if (table.empty()) return tl::unexpected(std::string("there is no module"));
  return table;
}

Report check(const Table& table, const std::vector<Source>& sources) {
  Check check(table);
  for (const Source& source : sources) check.file(source);
  Report report = check.take();
  for (std::string& cycle : FileCycles(sources).take()) report.findings.push_back(std::move(cycle));
  return report;
}

std::string map_text(const Table& table, const Report& report) {
  std::string text;
  for (Place from = 0; from < table.size(); ++from) {
    text += fmt::format("{}\n", text_of(table[from]));
    for (const auto& [pair, count] : report.includes) {
      if (pair.first != from || pair.second == from) continue;
      const std::string why = objection(table, from, pair.second);
      text += fmt::format("  {:>5}  {} {}{}\n", count, why.empty() ? "->" : "!!",
                          text_of(table[pair.second]), why.empty() ? "" : ": " + why);
    }
  }
  return text;
}

}  // namespace layers
