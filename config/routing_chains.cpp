#include "config/routing_chains.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <regex.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <span>
#include <utility>

#include "config/engine_names.h"
#include "config/file_reader.h"
#include "config/guid_files.h"
#include "config/value.h"

namespace config {
namespace {

constexpr std::uint64_t kAny = ~std::uint64_t{0};
constexpr std::size_t kExpressionMax = 256;

/// Reads a file of paragraphs of one kind.
class Paragraphs : public PositionedValues {
 public:
  struct Qualifier {
    std::string_view key, value;
    const Line* line;
  };
  struct Paragraph {
    const Line* begin;
    std::vector<Qualifier> qualifiers = {};
  };

  /// `rules` lists qualifiers that a paragraph may have more than once.
  Paragraphs(const Source& source, std::string_view word, std::span<const std::string_view> keys,
             std::span<const std::string_view> rules, std::size_t most, Diagnostics& out)
      : PositionedValues(source.file, out), word_(word), keys_(keys), rules_(rules), most_(most) {
    lines_ = content_lines(source.text);
    for (const Line& line : lines_) read(line);
    if (is_open_) {
      begin(*all_.back().begin);
      error(all_.back().begin->text, fmt::format("the {} that begins here does not end", word_),
            fmt::format("write end-{} after it", word_));
    }
  }
  Paragraphs(const Paragraphs&) = delete;
  Paragraphs& operator=(const Paragraphs&) = delete;

  std::span<const Paragraph> all() const { return all_; }

  /// Returns the text of a qualifier that occurs once, or an empty text if it is missing. Later
  /// errors have the position of its line.
  std::string_view value(const Paragraph& paragraph, std::string_view key) {
    const auto at = std::ranges::find(paragraph.qualifiers, key, &Qualifier::key);
    if (at == paragraph.qualifiers.end()) return {};
    begin(*at->line);
    return at->value;
  }
  std::string_view required(const Paragraph& paragraph, std::string_view key,
                            std::string_view example) {
    const std::string_view text = value(paragraph, key);
    if (text.empty()) {
      begin(*paragraph.begin);
      error(paragraph.begin->text, fmt::format("the {} has no {}", word_, key),
            fmt::format("write a line such as {}: {}", key, example));
    }
    return text;
  }

 private:
  void read(const Line& line) {
    begin(line);
    const std::string_view text = line.text;
    if (text == word_) {
      if (is_open_)
        error(text, fmt::format("a {} cannot begin within another", word_),
              fmt::format("write end-{} in front of it", word_));
      if (all_.size() == most_)
        error(text, fmt::format("this is one {} too many", word_),
              fmt::format("write at most {}", most_));
      if (all_.size() <= most_) all_.push_back({&line});
      is_open_ = true;
    } else if (text.starts_with("end-") && text.substr(4) == word_) {
      if (!is_open_)
        error(text, fmt::format("there is no {} to end here", word_), "remove the line");
      is_open_ = false;
    } else if (!is_open_) {
      error(text, fmt::format("{} is in no {}", in_quotes(text), word_),
            fmt::format("write {} in front of it", word_));
    } else {
      read_qualifier(line);
    }
  }

  void read_qualifier(const Line& line) {
    const std::size_t colon = line.text.find(':');
    const std::string_view key = trim(line.text.substr(0, colon));
    if (colon == std::string_view::npos || std::ranges::find(keys_, key) == keys_.end()) {
      error(line.text, fmt::format("{} is no qualifier of a {}", in_quotes(key), word_),
            fmt::format("write one of {}, with a colon behind it", fmt::join(keys_, ", ")));
      return;
    }
    const std::string_view value = trim(line.text.substr(colon + 1));
    std::vector<Qualifier>& known = all_.back().qualifiers;
    if (value.empty() && key != "use") {
      error(line.text, fmt::format("{} has no value", key), "write it behind the colon");
    } else if (key != "port-regexp" && value.find(':') != std::string_view::npos) {
      error(value.substr(value.find(':')), "a value cannot contain a colon", "remove it");
    } else if (std::ranges::find(rules_, key) == rules_.end() &&
               std::ranges::find(known, key, &Qualifier::key) != known.end()) {
      error(line.text, fmt::format("this {} has a {} already", word_, key), "remove one of them");
    } else {
      known.push_back({key, value, &line});
    }
  }

  std::string_view word_;
  std::span<const std::string_view> keys_, rules_;
  std::size_t most_;
  std::vector<Line> lines_;
  std::vector<Paragraph> all_;
  bool is_open_ = false;
};

using Position = PositionedValues::Position;

bool is_predefined(std::string_view name) {
  return name == kAllPorts || name == kAllSwitches || name == kAllCas;
}

// ------------------------------------------------------------------------------------------
// groups

constexpr std::array<std::string_view, 6> kRules{"port-guid",   "port-guid-range", "port-name",
                                                 "port-regexp", "union-rule",      "subtract-rule"};
constexpr std::array<std::string_view, 8> kGroupKeys{
    "name",      "use",         "port-guid",  "port-guid-range",
    "port-name", "port-regexp", "union-rule", "subtract-rule"};

std::optional<std::uint8_t> read_port(PositionedValues& in, std::string_view text) {
  const auto port = in.number(text, "port number", 0, 254);
  if (!port) return std::nullopt;
  return static_cast<std::uint8_t>(*port);
}

/// Reads GUID or GUID@1-3/7.
bool read_guid(PositionedValues& in, std::string_view text, PortGroup& group) {
  const std::size_t at = text.find('@');
  const auto guid = in.number(trim(text.substr(0, at)), "GUID", 1, kAny);
  if (!guid) return false;
  PortGroup::Guids entry{.first = *guid, .last = *guid};
  if (at != std::string_view::npos) {
    for (const std::string_view part : split(text.substr(at + 1), "/")) {
      const std::size_t dash = part.find('-');
      const auto first = read_port(in, trim(part.substr(0, dash)));
      const auto last =
          dash == std::string_view::npos ? first : read_port(in, trim(part.substr(dash + 1)));
      if (!first || !last) return false;
      if (*first > *last) {
        in.error(part, fmt::format("range {} ends before it begins", in_quotes(part)),
                 "write the lower port first");
        return false;
      }
      entry.ports.add({*first, *last});
    }
  }
  group.guids.push_back(std::move(entry));
  return true;
}

void read_guid_range(PositionedValues& in, std::string_view text, PortGroup& group) {
  const std::size_t dash = text.find('-');
  if (dash == std::string_view::npos || text.find_first_of(",@") != std::string_view::npos)
    return in.error(text, fmt::format("{} is not one range of GUIDs", in_quotes(text)),
                    "write FIRST-LAST; port-guid takes a list");
  const auto first = in.number(trim(text.substr(0, dash)), "GUID", 1, kAny);
  const auto last = in.number(trim(text.substr(dash + 1)), "GUID", 1, kAny);
  if (!first || !last) return;
  if (*first > *last)
    return in.error(text, fmt::format("range {} ends before it begins", in_quotes(text)),
                    "write the lower GUID first");
  group.guids.push_back({.first = *first, .last = *last});
}

/// Reads hostname=NAME; port=N; hca_idx=N.
bool read_host(PositionedValues& in, std::string_view text, PortGroup& group) {
  PortGroup::Host host{.name = {}};
  for (const std::string_view part : split(text, "; \t")) {
    if (part.empty()) continue;
    const std::size_t equals = std::min(part.find('='), part.size());
    const std::string_view key = part.substr(0, equals);
    const std::string_view value = part.substr(std::min(equals + 1, part.size()));
    if (key == "hostname" && !value.empty()) {
      host.name = std::string(value);
    } else if (key == "port") {
      if (!(host.port = read_port(in, value))) return false;
    } else if (key == "hca_idx") {
      const auto index = in.number(value, "hca_idx", 0, 255);
      if (!index) return false;
      host.hca = static_cast<std::uint8_t>(*index);
    } else {
      in.error(part, fmt::format("{} describes no host", in_quotes(part)),
               "write hostname=NAME, and if need be ; port=N; hca_idx=N");
      return false;
    }
  }
  if (host.name.empty()) {
    in.error(text, "no hostname is given", "write hostname=NAME");
    return false;
  }
  group.hosts.push_back(std::move(host));
  return true;
}

/// Reads EXPRESSION or EXPRESSION:PORT.
void read_pattern(PositionedValues& in, std::string_view text, PortGroup& group) {
  const std::size_t colon = text.rfind(':');
  PortGroup::Pattern pattern{.expression = std::string(trim(text.substr(0, colon)))};
  if (colon != std::string_view::npos &&
      !(pattern.port = read_port(in, trim(text.substr(colon + 1)))))
    return;
  regex_t compiled;
  if (pattern.expression.empty() || pattern.expression.size() > kExpressionMax ||
      regcomp(&compiled, pattern.expression.c_str(), REG_EXTENDED | REG_NOSUB) != 0)
    return in.error(
        text, fmt::format("{} is no regular expression", in_quotes(pattern.expression)),
        fmt::format("write an extended one (POSIX) of at most {} characters", kExpressionMax));
  regfree(&compiled);
  group.patterns.push_back(std::move(pattern));
}

/// Holds a group, and the places where it names others.
struct DraftGroup {
  PortGroup group;
  Position place;
  std::vector<Position> combinations = {};
};

void read_combination(PositionedValues& in, std::string_view text, bool subtract,
                      DraftGroup& draft) {
  const std::vector<std::string_view> names = split(text, ",");
  if (names.size() != 2 || names[0].empty() || names[1].empty())
    return in.error(text, fmt::format("{} does not name two groups", in_quotes(text)),
                    "write two names with a comma between them");
  draft.group.combinations.push_back(
      {.first = std::string(names[0]), .second = std::string(names[1]), .subtract = subtract});
  draft.combinations.push_back(in.position(text));
}

void read_rule(PositionedValues& in, const Paragraphs::Qualifier& rule, DraftGroup& draft) {
  in.begin(*rule.line);
  if (rule.key == "port-guid")
    in.for_each_part(rule.value,
                     [&](std::string_view part) { return read_guid(in, part, draft.group); });
  if (rule.key == "port-guid-range") read_guid_range(in, rule.value, draft.group);
  if (rule.key == "port-name")
    in.for_each_part(rule.value,
                     [&](std::string_view part) { return read_host(in, part, draft.group); });
  if (rule.key == "port-regexp") read_pattern(in, rule.value, draft.group);
  if (rule.key == "union-rule" || rule.key == "subtract-rule")
    read_combination(in, rule.value, rule.key == "subtract-rule", draft);
}

/// Returns each group after those that it combines. Errors: unknown names, and groups that combine
/// themselves.
std::vector<PortGroup> in_order(std::vector<DraftGroup> drafts, PositionedValues& in) {
  std::set<std::string, std::less<>> names,
      done{std::string(kAllPorts), std::string(kAllSwitches), std::string(kAllCas)};
  for (const DraftGroup& draft : drafts) names.insert(draft.group.name);
  bool all_known = true;
  for (const DraftGroup& draft : drafts) {
    for (std::size_t i = 0; i < draft.combinations.size(); ++i) {
      const PortGroup::Combination& of = draft.group.combinations[i];
      for (const std::string& name : {of.first, of.second}) {
        if (names.contains(name) || done.contains(name)) continue;
        in.report(Severity::error, draft.combinations[i],
                  fmt::format("there is no port group {}", in_quotes(name)), "define it");
        all_known = false;
      }
    }
  }
  std::vector<PortGroup> ordered;
  if (!all_known) return ordered;
  const auto is_due = [&](const DraftGroup& draft) {
    return std::ranges::all_of(draft.group.combinations, [&](const PortGroup::Combination& of) {
      return done.contains(of.first) && done.contains(of.second);
    });
  };
  while (!drafts.empty()) {
    const auto due = std::ranges::find_if(drafts, is_due);
    if (due == drafts.end()) {
      in.report(
          Severity::error, drafts.front().place,
          fmt::format("port group {} is made of itself", in_quotes(drafts.front().group.name)),
          "union and subtract rules must not lead back to their group");
      return {};
    }
    done.insert(due->group.name);
    ordered.push_back(std::move(due->group));
    drafts.erase(due);
  }
  return ordered;
}

std::vector<PortGroup> read_groups(const Source& source, Diagnostics& out) {
  Paragraphs in(source, "port-group", kGroupKeys, kRules, RoutingChains::kGroupsMax, out);
  std::vector<DraftGroup> drafts;
  std::set<std::string_view> names;
  for (const Paragraphs::Paragraph& paragraph : in.all()) {
    const std::string_view name = in.required(paragraph, "name", "leaf_switches");
    if (name.empty()) continue;
    DraftGroup draft{.group = {.name = std::string(name)}, .place = in.position(name)};
    if (is_predefined(name))
      in.error(name, fmt::format("{} is there without a definition", name), "choose another name");
    else if (name.find(',') != std::string_view::npos)
      in.error(name, "a name cannot contain a comma", "choose another name");
    else if (!names.insert(name).second)
      in.error(name, fmt::format("port group {} was defined before", in_quotes(name)),
               "give each group a name of its own");
    bool has_rule = false;
    for (const Paragraphs::Qualifier& qualifier : paragraph.qualifiers) {
      if (std::ranges::find(kRules, qualifier.key) == kRules.end()) continue;
      has_rule = true;
      read_rule(in, qualifier, draft);
    }
    if (!has_rule) {
      in.begin(*paragraph.begin);
      in.error(paragraph.begin->text, "the port-group has no rule",
               fmt::format("write one of {}", fmt::join(kRules, ", ")));
    }
    drafts.push_back(std::move(draft));
  }
  return in.failed() ? std::vector<PortGroup>{} : in_order(std::move(drafts), in);
}

// ------------------------------------------------------------------------------------------
// topologies and steps

std::vector<ChainTopology> read_topologies(const Source& source, std::span<const PortGroup> groups,
                                           bool has_all_groups, Diagnostics& out) {
  static constexpr std::array<std::string_view, 3> kTopologyKeys{"id", "sw-grp", "hca-grp"};
  Paragraphs in(source, "topology", kTopologyKeys, {}, RoutingChains::kTopologiesMax, out);
  std::vector<ChainTopology> topologies;
  for (const Paragraphs::Paragraph& paragraph : in.all()) {
    ChainTopology topology;
    const auto group = [&](std::string_view key, std::string& into) {
      const std::string_view name = in.required(paragraph, key, kAllSwitches);
      into = std::string(name);
      if (!name.empty() && has_all_groups && !is_predefined(name) &&
          std::ranges::find(groups, name, &PortGroup::name) == groups.end())
        in.error(name, fmt::format("there is no port group {}", in_quotes(name)),
                 "define it in pgrp_policy_file");
    };
    if (const std::string_view id = in.required(paragraph, "id", "1"); !id.empty()) {
      topology.id = in.number(id, "id", 1, kAny).value_or(0);
      if (std::ranges::find(topologies, topology.id, &ChainTopology::id) != topologies.end())
        in.error(id, fmt::format("topology {} was defined before", topology.id),
                 "give each topology an id of its own");
    }
    group("sw-grp", topology.switches);
    group("hca-grp", topology.hosts);
    topologies.push_back(std::move(topology));
  }
  return topologies;
}

struct DraftStep {
  ChainStep step;
  Position begin, topology, fallback;
};

DraftStep read_step(Paragraphs& in, const Paragraphs::Paragraph& paragraph) {
  DraftStep draft;
  in.begin(*paragraph.begin);
  draft.begin = draft.topology = in.position(paragraph.begin->text);
  ChainStep& step = draft.step;
  if (const std::string_view id = in.required(paragraph, "id", "1"); !id.empty())
    step.id = in.number(id, "id", 1, kAny).value_or(0);
  if (const std::string_view engine = in.required(paragraph, "engine", "updn"); !engine.empty()) {
    step.engine = std::string(engine);
    const auto fit = step_engines();
    if (std::ranges::find(fit, engine) == fit.end())
      in.error(engine, fmt::format("{} cannot route a part of a fabric", in_quotes(engine)),
               engine_remedy(engine, fit));
  }
  step.config = std::string(in.value(paragraph, "config"));
  if (const std::string_view id = in.value(paragraph, "topology"); !id.empty()) {
    draft.topology = in.position(id);
    step.topology = in.number(id, "topology", 0, kAny).value_or(0);
  }
  if (const std::string_view id = in.value(paragraph, "fallback-to"); !id.empty()) {
    draft.fallback = in.position(id);
    step.fallback_to = in.number(id, "fallback-to", 1, kAny);
  }
  if (const std::string_view bit = in.value(paragraph, "path-bit"); !bit.empty() && bit != "0")
    in.error(bit, "a step routes all LIDs of a port", "write path-bit: 0, or leave it out");
  return draft;
}

/// Removes fallbacks to a missing step, or to a step that is a fallback itself.
void check_fallbacks(std::vector<DraftStep>& drafts, PositionedValues& in) {
  const std::vector<DraftStep> all = drafts;
  std::erase_if(drafts, [&](const DraftStep& draft) {
    if (!draft.step.fallback_to) return false;
    const auto of = std::ranges::find_if(
        all, [&](const DraftStep& other) { return other.step.id == *draft.step.fallback_to; });
    if (of != all.end() && !of->step.fallback_to) return false;
    in.report(Severity::warning, draft.fallback,
              of == all.end() ? fmt::format("there is no step {}: this step is never used",
                                            *draft.step.fallback_to)
                              : fmt::format("step {} is a fallback itself: this step is never used",
                                            *draft.step.fallback_to),
              "name a step that is no fallback");
    return true;
  });
}

std::vector<ChainStep> read_steps(const Source& source, std::span<const ChainTopology> topologies,
                                  Diagnostics& out) {
  static constexpr std::array<std::string_view, 7> kStepKeys{
      "id", "engine", "use", "config", "topology", "fallback-to", "path-bit"};
  Paragraphs in(source, "unicast-step", kStepKeys, {}, RoutingChains::kStepsMax, out);
  std::vector<DraftStep> drafts;
  for (const Paragraphs::Paragraph& paragraph : in.all()) {
    drafts.push_back(read_step(in, paragraph));
    const DraftStep& draft = drafts.back();
    const auto same = [&](const DraftStep& other) { return other.step.id == draft.step.id; };
    if (draft.step.id != 0 && std::any_of(drafts.begin(), drafts.end() - 1, same))
      in.report(Severity::error, draft.begin,
                fmt::format("step {} was defined before", draft.step.id),
                "give each step an id of its own");
    if (draft.step.topology != 0 &&
        std::ranges::find(topologies, draft.step.topology, &ChainTopology::id) == topologies.end())
      in.report(Severity::error, draft.topology,
                fmt::format("there is no topology {}", draft.step.topology),
                "define it in topo_policy_file");
  }
  if (in.failed()) return {};
  check_fallbacks(drafts, in);
  std::ranges::sort(drafts, {}, [](const DraftStep& draft) { return draft.step.id; });
  const auto first = std::ranges::find_if(
      drafts, [](const DraftStep& draft) { return !draft.step.fallback_to.has_value(); });
  if (first != drafts.end() && first->step.topology != 0)
    in.report(Severity::error, first->topology,
              "the first step routes a part: the rest would have no routes",
              "give the step with the lowest id topology: 0");
  std::vector<ChainStep> steps;
  for (DraftStep& draft : drafts) steps.push_back(std::move(draft.step));
  return steps;
}

}  // namespace

RoutingChains parse_routing_chains(const Source& groups, const Source& topologies,
                                   const Source& steps, Diagnostics& out) {
  RoutingChains chains;
  Diagnostics found;
  chains.groups = read_groups(groups, found);
  chains.topologies = read_topologies(topologies, chains.groups, !has_errors(found), found);
  chains.steps = read_steps(steps, chains.topologies, found);
  sort_by_position(found);
  const bool is_usable = !has_errors(found);
  std::ranges::move(found, std::back_inserter(out));
  return is_usable ? chains : RoutingChains{};
}

GuidsAndGroups parse_guids_and_groups(const Source& source, const RoutingChains& chains,
                                      Diagnostics& out) {
  GuidsAndGroups read;
  std::string text(source.text);
  for (const Line& line : content_lines(source.text)) {
    const bool is_group =
        std::ranges::find(chains.groups, line.text, &PortGroup::name) != chains.groups.end();
    if (!is_group && (chains.groups.empty() || !is_predefined(line.text))) continue;
    read.groups.emplace_back(line.text);
    const auto at = static_cast<std::size_t>(line.text.data() - source.text.data());
    text.replace(at, line.text.size(), line.text.size(), ' ');
  }
  read.guids = parse_guid_list({source.file, text}, out);
  return read;
}

}  // namespace config
