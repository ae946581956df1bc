#pragma once
// route, trace, plan and verify share this: which fabric, which configuration, which tables.

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

#include "config/check.h"
#include "fabric/fabric.h"
#include "fabric/forwarding_tables.h"
#include "fabric/lid_map.h"
#include "fabric/switch_graph.h"
#include "routing/core/routing_options.h"

namespace sm::commands {

/// Prints "heddlectl: " and the text to standard error; false.
bool complain(std::string_view what);

/// The values of the command line.
struct SceneArguments {
  std::string topology;               // a file; empty: the live fabric
  std::optional<mad::Guid> guid;      // live: from which port
  std::string config;                 // a file; empty: defaults
  std::vector<std::string> settings;  // "key=value", as in opensm.conf
  std::string tables;  // a file like opensm-lfts.dump; empty: the live tables, or none
  std::vector<std::string> without;  // "NODE" or "NODE:PORT": counts as gone
  double degrade = 0;  // a file only: this fraction of the cables between switches counts as gone
  std::uint64_t seed = 1;
};

struct Scene {
  config::Options options;
  config::InputFiles files;
  routing::RoutingOptions routing;
  Fabric fabric;
  SwitchGraph graph;
  LidMap lids;
  std::shared_ptr<const ForwardingTables> tables;  // rows as in `fabric`; null if there are none
};

/// Reads all of it. Nothing if something cannot be: the reasons went to standard error, findings in
/// files by file:line:column.
std::optional<Scene> make_scene(const SceneArguments& arguments);

/// The configuration alone; findings as make_scene().
struct SceneConfiguration {
  config::Options options;
  config::InputFiles files;
  routing::RoutingOptions routing;
};
std::optional<SceneConfiguration> read_configuration(const SceneArguments& arguments);

/// Takes links down, as SceneArguments::without says. Errors: in words.
tl::expected<void, std::string> take_away(Fabric& fabric, const std::vector<std::string>& without);

/// "432 host ports, 24 switches, 1,296 cables between switches, LIDs up to 456"
std::string summary(const SwitchGraph& graph, const LidMap& lids);

/// The engines that a command line names: "all" among them stands for every one (those with
/// adaptive routing have the tables of others), none for those of the configuration.
std::vector<std::string> engines_of(const std::vector<std::string>& names,
                                    const config::Options& options);

}  // namespace sm::commands
