#include "config/engine_names.h"

namespace config {
namespace {

constexpr std::string_view kBuiltEngines[] = {
    "minhop",  "updn",     "dnup",   "ftree",    "dor",       "torus-2QoS",
    "lash",    "sssp",     "dfsssp", "nue",      "dmodc",     "file",
    "ar_updn", "ar_ftree", "ar_dor", "ar_torus", "ar_minhop", "auto"};
constexpr std::string_view kUnbuiltEngines[] = {"pqft", "kdor-hc", "chain", "dfp", "dfp2"};

}  // namespace

std::span<const std::string_view> built_engines() { return kBuiltEngines; }
std::span<const std::string_view> unbuilt_engines() { return kUnbuiltEngines; }

std::string_view plain_engine(std::string_view engine) {
  constexpr std::string_view kAdaptive = "ar_";
  if (engine == "ar_torus") return "torus-2QoS";
  return engine.starts_with(kAdaptive) ? engine.substr(kAdaptive.size()) : engine;
}

}  // namespace config
