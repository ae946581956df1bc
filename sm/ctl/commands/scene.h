#pragma once
// The commands route, trace, plan and verify read their fabric, configuration and tables with these
// functions.

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

#include "config/input_files.h"
#include "fabric/fabric.h"
#include "fabric/forwarding_tables.h"
#include "fabric/lid_map.h"
#include "fabric/switch_graph.h"
#include "routing/core/routing_options.h"

namespace sm::commands {

/// Stands for false, and does not convert to an exit code: false would be kOk.
struct Failure {
  constexpr operator bool() const { return false; }
  operator int() const = delete;
};
/// Prints "heddlectl: " and the text to standard error.
Failure complain(std::string_view what);

/// Holds the values of the command line.
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

/// Reads the fabric, the configuration and the tables; of the files of engines those that `engines`
/// read, which find_engines() takes, too. Returns nothing if one of them cannot be read. The
/// reasons go to standard error, findings in files as file:line:column.
std::optional<Scene> make_scene(const SceneArguments& arguments,
                                const std::vector<std::string>& engines = {});

/// Holds the configuration alone; read_configuration() reports findings as make_scene() does.
struct SceneConfiguration {
  config::Options options;
  config::InputFiles files;
  routing::RoutingOptions routing;
};
std::optional<SceneConfiguration> read_configuration(const SceneArguments& arguments,
                                                     const std::vector<std::string>& engines = {});

/// Takes the links down that SceneArguments::without names. Errors: in words.
tl::expected<void, std::string> disable_links(Fabric& fabric,
                                              const std::vector<std::string>& without);

/// Returns text such as "432 host ports, 24 switches, 1,296 cables between switches, LIDs up to
/// 456".
std::string summary(const SwitchGraph& graph, const LidMap& lids);

/// Returns the engines that a command line names; if it names none, those of the configuration.
/// "all" stands for every engine except those with adaptive routing, which use the tables of
/// others.
std::vector<std::string> find_engines(const std::vector<std::string>& names,
                                      const config::Options& options);

}  // namespace sm::commands
