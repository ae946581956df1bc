#pragma once
// What route, trace and plan have in common: which fabric, which configuration, which tables.

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "config/check.h"
#include "fabric/fabric.h"
#include "fabric/forwarding_tables.h"
#include "fabric/lid_map.h"
#include "fabric/switch_graph.h"
#include "routing/core/options.h"
#include "sm/sweep/table_memory.h"

namespace sm::commands {

/// What the command line says about it.
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

inline constexpr std::string_view kSceneHelp =
    R"(  --topology FILE      the fabric from a file: what ibnetdiscover prints, or the YAML of heddle-topo; else the live one, which is only read
  --guid GUID          live: from the port with this GUID
  --config FILE        opensm.conf or heddle.yaml: engines, roots, and all else that routing looks at
  --set KEY=VALUE      one setting on top of it, as in opensm.conf; may come several times
  --tables FILE        forwarding tables to compare with or to follow, as opensm-lfts.dump or dump_fts have them; else the live ones
  --without NODE[:PORT]  what if this node, or this cable, were gone? May come several times
  --degrade FRACTION   with --topology: what if this part (0.01: one in a hundred) of all cables between switches were gone?
  --seed NUMBER        of all random choices; default 1
)";

struct Scene {
  config::Options options;
  config::InputFiles files;
  routing::RoutingOptions routing;
  Fabric fabric;
  SwitchGraph graph;
  LidMap lids;
  std::shared_ptr<const ForwardingTables> tables;  // rows as in `fabric`; null if there are none
  std::optional<TableMemory> live;                 // a live fabric: what its switches hold
};

/// Takes one option that kSceneHelp names. Errors: the value is none, and what would be right.
tl::expected<void, std::string> take_argument(SceneArguments& arguments, std::string_view name,
                                              std::string_view value);

/// Reads all of it. Nothing if something cannot be: the reasons went to standard error, findings in
/// files by file:line:column.
std::optional<Scene> make_scene(const SceneArguments& arguments);

/// "432 hosts, 24 switches, 1,296 cables, LIDs up to 456"
std::string summary(const Scene& scene);

/// The names of the engines that "a,b,c" or "all" asks for; empty: those of the configuration.
/// Nothing if one is unknown: the reason went to standard error.
std::optional<std::vector<std::string>> engines_asked_for(std::string_view text,
                                                          const Scene& scene);

}  // namespace sm::commands
