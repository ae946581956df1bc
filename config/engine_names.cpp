#include "config/engine_names.h"

#include <algorithm>
#include <iterator>

namespace config {
namespace {

constexpr std::string_view kBuiltEngines[] = {
    "minhop", "updn",     "dnup",      "ftree", "dor",  "torus-2QoS", "lash",
    "sssp",   "dfsssp",   "nue",       "dmodc", "file", "ar_updn",    "ar_ftree",
    "ar_dor", "ar_torus", "ar_minhop", "auto",  "chain"};
constexpr std::string_view kUnbuiltEngines[] = {"pqft", "kdor-hc", "dfp", "dfp2"};

}  // namespace

std::span<const std::string_view> built_engines() { return kBuiltEngines; }

std::string_view why_not_built(std::string_view engine) {
  if (engine == "pqft")
    return "is not built: its tables are not documented; dmodc has a closed form for fat trees";
  if (engine == "kdor-hc")
    return "is not built: no public description of it suffices; dor routes hypercubes";
  return std::ranges::find(kUnbuiltEngines, engine) != std::end(kUnbuiltEngines)
             ? "is not built yet"
             : "is unknown";
}

std::string_view plain_engine(std::string_view engine) {
  constexpr std::string_view kAdaptive = "ar_";
  if (engine == "ar_torus") return "torus-2QoS";
  return engine.starts_with(kAdaptive) ? engine.substr(kAdaptive.size()) : engine;
}

}  // namespace config
