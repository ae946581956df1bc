// Scenarios from YAML. The reader resolves every name, so that a mistake is found before anything
// happens.

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>

#include <fmt/ranges.h>
#include <yaml-cpp/yaml.h>

#include "config/yaml_position.h"
#include "mad/format.h"
#include "mad/number.h"
#include "sim/scenario/actions.h"
#include "sim/scenario/scenario.h"

namespace sim {
namespace {

using config::Diagnostics;

struct Unit {
  std::string_view name;
  double nanoseconds;
};
constexpr std::array kUnits{Unit{"ns", 1},  Unit{"us", 1e3},   Unit{"ms", 1e6},
                            Unit{"s", 1e9}, Unit{"min", 60e9}, Unit{"h", 3600e9}};
constexpr double kLongestNs = 365.0 * 24 * 3600 * 1e9;

}  // namespace

std::optional<mad::Duration> parse_duration(std::string_view text) {
  const auto number = mad::take_number<double>(text);  // the unit is left
  if (!number || !std::isfinite(*number) || *number < 0) return std::nullopt;
  const auto known = std::ranges::find(kUnits, text, &Unit::name);
  if (known == kUnits.end() || *number * known->nanoseconds > kLongestNs) return std::nullopt;
  return std::chrono::duration_cast<mad::Duration>(
      std::chrono::nanoseconds(std::llround(*number * known->nanoseconds)));
}

// ------------------------------------------------------------------------------------------
// one map of the file

void ActionReader::complain(const YAML::Mark& mark, std::string what, std::string remedy) {
  const config::YamlPosition place = config::yaml_position(mark);
  out_.push_back({.severity = config::Severity::error,
                  .file = file_,
                  .line = place.line,
                  .column = place.column,
                  .what = std::move(what),
                  .remedy = std::move(remedy)});
}

std::optional<std::string> ActionReader::scalar(const std::string& key) {
  known_keys_.insert(key);
  const YAML::Node value = map_[key];
  if (!value) return std::nullopt;
  if (value.IsScalar()) return value.Scalar();
  complain(value.Mark(), fmt::format("{} is not a single value", key), "");
  return std::nullopt;
}

std::optional<std::string> ActionReader::needed(const std::string& key) {
  const auto value = scalar(key);
  if (!value && !map_[key])
    complain(map_.Mark(), fmt::format("{} is missing", key), fmt::format("add {}: ...", key));
  return value;
}

template <class T, class Parse>
T ActionReader::value(const std::string& key, T otherwise, std::string_view wanted, Parse parse) {
  const auto text = scalar(key);
  if (!text) return otherwise;
  if (const std::optional<T> read = parse(*text)) return *read;
  complain(map_[key].Mark(), fmt::format("{} {} is not {}", key, config::in_quotes(*text), wanted),
           "");
  return otherwise;
}

mad::Duration ActionReader::duration(const std::string& key, mad::Duration otherwise) {
  return value(key, otherwise, "a time with a unit, such as 20ms or 1.5s",
               [](const std::string& text) { return parse_duration(text); });
}

double ActionReader::probability(const std::string& key, double otherwise) {
  return value(key, otherwise, "a probability from 0 to 1",
               [](const std::string& text) -> std::optional<double> {
                 const auto number = mad::parse_number<double>(text);
                 if (!number || !(*number >= 0 && *number <= 1)) return std::nullopt;
                 return *number;
               });
}

std::uint64_t ActionReader::number(const std::string& key, std::uint64_t otherwise,
                                   std::uint64_t most) {
  return value(key, otherwise, fmt::format("a number from 0 to {}", most),
               [most](const std::string& text) { return mad::parse_hex_or_decimal(text, most); });
}

bool ActionReader::boolean(const std::string& key, bool otherwise) {
  return value(key, otherwise, "true or false", [](const std::string& text) -> std::optional<bool> {
    if (text == "true" || text == "yes" || text == "on") return true;
    if (text == "false" || text == "no" || text == "off") return false;
    return std::nullopt;
  });
}

std::string ActionReader::text(const std::string& key) { return needed(key).value_or(""); }

NodeIndex ActionReader::find_node(std::string_view name) const {
  if (const auto found = find_ ? find_(name) : std::nullopt) return *found;
  const auto described = std::ranges::find(model_.nodes, name, &NodeModel::description);
  return described == model_.nodes.end() ? NodeIndex(kNone)
                                         : NodeIndex(described - model_.nodes.begin());
}

NodeIndex ActionReader::node(const std::string& key) {
  const auto name = needed(key);
  if (!name) return kNone;
  if (const NodeIndex found = find_node(*name); found != kNone) return found;
  complain(map_[key].Mark(), fmt::format("no node is called {}", config::in_quotes(*name)),
           "use a NodeDescription of the topology");
  return kNone;
}

PortIndex ActionReader::port(const std::string& key) {
  const auto name = needed(key);
  if (!name) return kNone;
  const std::size_t slash = name->rfind('/');
  const auto number = mad::parse_number<unsigned>(
      slash == std::string::npos ? "" : std::string_view(*name).substr(slash + 1));
  if (!number) {
    complain(map_[key].Mark(), fmt::format("{} is no port", config::in_quotes(*name)),
             "write NODE/PORT, such as leaf-1/3");
    return kNone;
  }
  const NodeIndex found = find_node(name->substr(0, slash));
  if (found == kNone) {
    complain(map_[key].Mark(),
             fmt::format("no node is called {}", config::in_quotes(name->substr(0, slash))),
             "use a NodeDescription of the topology");
    return kNone;
  }
  const PortIndex port = model_.port(found, *number);
  if (port == kNone)
    complain(map_[key].Mark(),
             fmt::format("{} has no port {}", model_.nodes[found].description, *number),
             fmt::format("its last port is {}", model_.nodes[found].port_count()));
  return port;
}

bool ActionReader::is(const std::string& key, std::string_view value) {
  const auto text = scalar(key);
  return text && *text == value;
}

void ActionReader::reject_unknown_keys() {
  for (const auto& entry : map_) {
    const std::string key = entry.first.IsScalar() ? entry.first.Scalar() : "?";
    if (!known_keys_.contains(key))
      complain(entry.first.Mark(), fmt::format("{} is unknown here", config::in_quotes(key)),
               fmt::format("keys here: {}", fmt::join(known_keys_, ", ")));
  }
}

// ------------------------------------------------------------------------------------------
// the file

namespace {

class Parser {
 public:
  Parser(const std::string& file, const Model& model, std::uint64_t seed, const FindNode& find)
      : file_(file), model_(model), seed_(seed), find_(find) {}

  tl::expected<Scenario, Diagnostics> parse(std::string_view text) {
    try {
      read_root(config::load_yaml(text));
    } catch (const YAML::Exception& error) {
      ActionReader(file_, model_, YAML::Node(), out_, find_)
          .complain(error.mark, fmt::format("not YAML: {}", config::printable(error.msg)), "");
    }
    if (!out_.empty()) return tl::unexpected(std::move(out_));
    return std::move(scenario_);
  }

 private:
  void read_root(const YAML::Node& root) {
    ActionReader reader(file_, model_, root, out_, find_);
    if (!root.IsMap())
      return reader.complain(root.Mark(), "the file is not a map", "write events: and a list");
    reader.expect("events");
    reader.expect("random");
    reader.reject_unknown_keys();
    if (const YAML::Node events = root["events"]) {
      if (!events.IsSequence())
        return reader.complain(events.Mark(), "events is not a list", "write - {at: 1s, do: ...}");
      for (const YAML::Node& event : events) read_event(event);
    }
    if (const YAML::Node random = root["random"]) read_random(random);
  }

  void read_event(const YAML::Node& node) {
    ActionReader reader(file_, model_, node, out_, find_);
    if (!node.IsMap())
      return reader.complain(node.Mark(), "an event is not a map", "write - {at: 1s, do: ...}");
    ScenarioEvent event;
    event.at = reader.duration("at", {});
    event.every = reader.duration("every", {});
    event.times = static_cast<unsigned>(reader.number("times", 1, 1'000'000));
    const auto name = reader.needed("do");
    if (!name) return;
    const Action* const action = find_action(*name);
    if (!action) {
      return reader.complain(node["do"].Mark(),
                             fmt::format("no action is called {}", config::in_quotes(*name)),
                             fmt::format("actions: {}", fmt::join(action_names(), ", ")));
    }
    const std::size_t before = out_.size();
    event.happen = action->read(reader);
    event.text = *name;
    reader.reject_unknown_keys();
    if (event.times > 1 && event.every == mad::Duration{})
      reader.complain(node.Mark(), "times without every", "add every: TIME");
    if (out_.size() == before) scenario_.events.push_back(std::move(event));
  }

  void read_random(const YAML::Node& node) {
    ActionReader reader(file_, model_, node, out_, find_);
    if (!node.IsMap())
      return reader.complain(node.Mark(), "random is not a map",
                             "write random: {until: 60s, kinds: [flap, reboot]}");
    RandomScenario params;
    params.from = reader.duration("from", params.from);
    params.until = reader.duration("until", params.until);
    params.mean_interval = reader.duration("mean_interval", params.mean_interval);
    if (node["spare"]) params.spare = {reader.node("spare")};
    reader.expect("spare");
    reader.expect("kinds");
    reader.reject_unknown_keys();
    if (params.mean_interval < std::chrono::microseconds(1))
      reader.complain(node.Mark(), "mean_interval is shorter than a microsecond", "");
    if (const YAML::Node kinds = node["kinds"]) {
      if (!kinds.IsSequence())
        return reader.complain(kinds.Mark(), "kinds is not a list", "write kinds: [flap, reboot]");
      params.kinds.clear();
      for (const YAML::Node& kind : kinds) {
        const std::string name = kind.IsScalar() ? kind.Scalar() : "?";
        if (!is_random_kind(name)) {
          reader.complain(kind.Mark(), fmt::format("no kind is called {}", config::in_quotes(name)),
                          fmt::format("kinds: {}, {}", fmt::join(random_kinds(), ", "),
                                      fmt::join(random_vport_kinds(), ", ")));
        } else {
          params.kinds.push_back(name);
        }
      }
    }
    if (!out_.empty()) return;
    Scenario drawn = random_scenario(model_, seed_, params);
    std::ranges::move(drawn.events, std::back_inserter(scenario_.events));
  }

  std::string file_;
  const Model& model_;
  std::uint64_t seed_;
  const FindNode& find_;
  Diagnostics out_;
  Scenario scenario_;
};

}  // namespace

tl::expected<Scenario, Diagnostics> parse_scenario(const config::Source& source, const Model& model,
                                                   std::uint64_t seed, const FindNode& find) {
  return Parser(source.file, model, seed, find).parse(source.text);
}

tl::expected<Scenario, Diagnostics> read_scenario(const std::string& path, const Model& model,
                                                  std::uint64_t seed,
                                                  const config::FileReader& read,
                                                  const FindNode& find) {
  const auto text = read(path);
  if (!text) {
    return tl::unexpected(
        Diagnostics{{.severity = config::Severity::error,
                     .file = path,
                     .what = fmt::format("cannot be read: {}", text.error().message()),
                     .remedy = ""}});
  }
  return parse_scenario({path, *text}, model, seed, find);
}

}  // namespace sim
