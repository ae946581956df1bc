#pragma once
// The routing engines of this build: their names, and the keys that only some of them read. An
// engine is one row of engines.def: the loader of files, the checks of a configuration, the
// diagnostics, the manual, the map and the registry of routing/ take it from there.

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace config {

/// The engine that routes if routing_engine is empty, and after all others have failed.
inline constexpr std::string_view kDefaultEngine = "minhop";
/// The name that stands for the engines that suit the topology.
inline constexpr std::string_view kAutoEngine = "auto";

/// Ranks of an engine among those that `auto` tries on a topology. 1 is the first; 0: not tried.
struct AutoRank {
  unsigned one_switch = 0, tree = 0;
  unsigned torus = 0;  // with a torus_config
  unsigned other = 0;
};

/// Declares a value of routing_engine. An engine with adaptive routing has paths, keys and limits
/// of its plain engine.
struct EngineRow {
  std::string_view name;
  std::string_view plain = name;            // the engine whose paths it has
  std::string_view alias = {};              // another name of its algorithm, in lower case
  std::string_view what = {};               // for manuals and completion: a phrase
  std::string_view reads[5] = {};           // keys of files and others that only some engines read
  bool balances_load = false;               // reads the keys of balancing, too
  std::string_view needs[2] = {};           // of these files one: without, it refuses every fabric
  bool refuses_start_without_file = false;  // OpenSM's configurations may name others without one
  bool works_with_lmc = true;
  bool assigns_vls = false;   // its paths need service levels and VLs of their own
  bool routes_parts = false;  // may be the engine of a step of a chain: needs no VLs of its own, so
                              // that the paths of several engines can be in one table
  AutoRank auto_rank = {};
  bool (*runs)(const EngineRow& other) = nullptr;  // true for engines that route in its place
};

/// Returns all rows, in the order of lists that operators read.
std::span<const EngineRow> engine_rows();
/// True for a name of routing_engine with adaptive routing: "ar_updn".
bool routes_adaptively(std::string_view engine);

/// Routing engines of this build.
std::span<const std::string_view> built_engines();
/// Returns the engines to try, in order: those of a routing_engine that are built, then minhop
/// unless `no_fallback` is among them.
std::vector<std::string_view> engines_to_try(std::span<const std::string> routing_engine);
/// Says of a name that is not among built_engines() why not: "is unknown".
std::string_view why_not_built(std::string_view engine);
/// Returns the engine that a misspelled name means: "up/down" and "UPDN" mean "updn". Names are
/// case-sensitive, as in OpenSM. Nothing for a name that is like no engine's, and for the name of
/// an engine that is not built.
std::optional<std::string_view> meant_engine(std::string_view name,
                                             std::span<const std::string_view> engines);
/// Returns what would be right in place of a wrong name: "did you mean updn? engines: minhop, ...".
std::string engine_remedy(std::string_view name,
                          std::span<const std::string_view> engines = built_engines());
/// Returns the row of the engine whose paths this one has; null for an unknown name.
const EngineRow* plain_engine(std::string_view engine);
/// Returns the engines for the steps of a routing chain.
std::vector<std::string_view> step_engines();
/// Returns the engines that `auto` tries where `rank` counts, best first.
std::vector<std::string_view> auto_engines(unsigned AutoRank::* rank);

/// True if the engine, or one that may route in its place, assigns VLs.
bool engine_assigns_vls(std::string_view engine);
/// True if the engine, or one that may route in its place, reads this key. False for keys that all
/// engines read.
bool engine_reads(std::string_view engine, std::string_view key);
/// Returns the plain engines that read the key, in the order of built_engines(). Empty for keys
/// that all engines read.
std::vector<std::string_view> engines_that_read(std::string_view key);
/// Returns the keys of files of which the engine needs one: without a file it refuses every fabric.
std::span<const std::string_view> files_needed(std::string_view engine);

}  // namespace config
