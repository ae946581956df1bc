#pragma once
// The routing engines of this build: their names, and the keys that only some of them read. An
// engine's row in engine_names.cpp is the one place that says which files it reads: the loader of
// files, the checks of a configuration and the diagnostics take it from there.

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace config {

/// A name of routing_engine with adaptive routing: "ar_updn".
inline bool routes_adaptively(std::string_view engine) { return engine.starts_with("ar_"); }

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
/// The engine whose paths one with adaptive routing has; other names as they are.
std::string_view plain_engine(std::string_view engine);
/// Returns the engines for the steps of a routing chain: their paths need neither service levels
/// nor virtual lanes of their own, so that the paths of several engines can be in one table.
std::span<const std::string_view> step_engines();

/// Returns the plain engines that may route where this name is configured: several for `auto`,
/// which chooses among them, and for `chain`, whose steps have theirs.
std::vector<std::string_view> routing_engines_of(std::string_view engine);
/// True if the engine, or one that may route in its place, reads this key. False for keys that all
/// engines read.
bool engine_reads(std::string_view engine, std::string_view key);
/// Returns the plain engines that read the key, in the order of built_engines(). Empty for keys
/// that all engines read.
std::vector<std::string_view> engines_that_read(std::string_view key);
/// Returns the keys of files of which the engine needs one: without a file it refuses every fabric.
std::span<const std::string_view> files_needed(std::string_view engine);

}  // namespace config
