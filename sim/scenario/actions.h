#pragma once
// Actions of scenarios, and the reader of their keys.

#include <functional>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include <yaml-cpp/yaml.h>

#include "config/diagnostic.h"
#include "sim/scenario/scenario.h"
#include "sim/world/world.h"

namespace sim {

/// Parses "20ms" or "1.5s": a number that is not negative, and ns, us, ms, s, min or h.
std::optional<mad::Duration> parse_duration(std::string_view text);

/// Reads the keys of one YAML map. For a missing or invalid key it adds a diagnostic and returns a
/// default value.
class ActionReader {
 public:
  /// `find` is empty or finds nodes by names other than their NodeDescriptions; not owned.
  ActionReader(const std::string& file, const Model& model, const YAML::Node& map,
               config::Diagnostics& out, const FindNode& find)
      : file_(file), model_(model), map_(map), out_(out), find_(find) {}

  const Model& model() const { return model_; }
  mad::Duration duration(const std::string& key, mad::Duration otherwise);
  double probability(const std::string& key, double otherwise);
  std::uint64_t number(const std::string& key, std::uint64_t otherwise, std::uint64_t most);
  bool boolean(const std::string& key, bool otherwise);
  std::string text(const std::string& key);  // must be there
  NodeIndex node(const std::string& key);    // must be there; kNone after a complaint
  PortIndex port(const std::string& key);    // NODE/NUMBER, must be there; kNone after a complaint
  bool is(const std::string& key, std::string_view value);
  bool has(const std::string& key) const { return map_[key].IsDefined(); }
  std::optional<std::string> needed(const std::string& key);

  void expect(const std::string& key) { known_keys_.insert(key); }
  void reject_unknown_keys();
  void complain(const YAML::Mark& mark, std::string what, std::string remedy);
  YAML::Mark mark(const std::string& key) const {
    return map_[key] ? map_[key].Mark() : map_.Mark();
  }

 private:
  std::optional<std::string> scalar(const std::string& key);
  NodeIndex find_node(std::string_view name) const;  // kNone if there is none
  template <class T, class Parse>
  T value(const std::string& key, T otherwise, std::string_view wanted, Parse parse);

  std::string file_;
  const Model& model_;
  const YAML::Node map_;
  config::Diagnostics& out_;
  const FindNode& find_;
  std::set<std::string> known_keys_;
};

struct Action {
  std::string_view name;
  std::string_view keys;  // for messages and --help
  std::string_view help;
  std::function<void(World&)> (*read)(ActionReader&);
};
/// Returns the actions about vports: on their hosts, and on the firmware of their ports.
std::span<const Action> vport_actions();
/// Returns all actions, in the order of the README.
std::span<const Action> actions();
const Action* find_action(std::string_view name);
std::vector<std::string_view> action_names();

}  // namespace sim
