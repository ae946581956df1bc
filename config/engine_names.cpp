#include "config/engine_names.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include "config/nearest.h"

namespace config {
namespace {

using KeyNames = std::span<const std::string_view>;

constexpr std::string_view kReadByMinhop[] = {"hop_weights_file",      "port_search_ordering_file",
                                              "port_prof_ignore_file", "guid_routing_order_file",
                                              "scatter_ports",         "port_shifting"};
constexpr std::string_view kReadByFile[] = {"lfts_file",
                                            "lid_matrix_dump_file",
                                            "hop_weights_file",
                                            "port_search_ordering_file",
                                            "port_prof_ignore_file",
                                            "guid_routing_order_file",
                                            "scatter_ports",
                                            "port_shifting"};
constexpr std::string_view kReadByUpdn[] = {
    "root_guid_file",        "ids_guid_file",           "port_search_ordering_file",
    "port_prof_ignore_file", "guid_routing_order_file", "scatter_ports",
    "port_shifting"};
constexpr std::string_view kReadByDnup[] = {"ids_guid_file",         "port_search_ordering_file",
                                            "port_prof_ignore_file", "guid_routing_order_file",
                                            "scatter_ports",         "port_shifting"};
constexpr std::string_view kReadByFtree[] = {"root_guid_file", "cn_guid_file", "io_guid_file",
                                             "max_reverse_hops"};
constexpr std::string_view kReadByDmodc[] = {"root_guid_file"};
constexpr std::string_view kReadByTorus[] = {"torus_config"};
constexpr std::string_view kReadByLash[] = {"do_mesh_analysis", "lash_start_vl"};
constexpr std::string_view kReadBySssp[] = {"cn_guid_file", "io_guid_file",
                                            "avoid_throttled_links"};
constexpr std::string_view kReadByDfsssp[] = {"cn_guid_file", "io_guid_file",
                                              "avoid_throttled_links", "spread_vls"};
constexpr std::string_view kReadByNue[] = {"cn_guid_file", "io_guid_file", "avoid_throttled_links",
                                           "nue_max_num_vls", "nue_include_switches"};
constexpr std::string_view kReadByChain[] = {"rch_policy_file", "topo_policy_file"};

constexpr std::string_view kNeededByFile[] = {"lfts_file", "lid_matrix_dump_file"};
constexpr std::string_view kNeededByChain[] = {"rch_policy_file"};

constexpr std::string_view kStepEngines[] = {"minhop", "updn", "dnup", "ftree",
                                             "dmodc",  "dor",  "sssp"};
constexpr std::string_view kAutoEngines[] = {"minhop", "dmodc",      "updn", "dfsssp",
                                             "nue",    "torus-2QoS", "lash", "dnup"};

/// Describes a value of routing_engine. An engine with adaptive routing reads what its plain engine
/// reads.
struct EngineRow {
  std::string_view name;
  std::string_view plain = name;
  KeyNames reads = {};  // keys of files and others
  KeyNames needs = {};  // of these files one
  KeyNames runs = {};   // engines of which some route in its place
};

constexpr EngineRow kEngineRows[] = {
    {.name = "minhop", .reads = kReadByMinhop},
    {.name = "updn", .reads = kReadByUpdn},
    {.name = "dnup", .reads = kReadByDnup},
    {.name = "ftree", .reads = kReadByFtree},
    {.name = "dor", .reads = kReadByMinhop},
    {.name = "torus-2QoS", .reads = kReadByTorus, .needs = kReadByTorus},
    {.name = "lash", .reads = kReadByLash},
    {.name = "sssp", .reads = kReadBySssp},
    {.name = "dfsssp", .reads = kReadByDfsssp},
    {.name = "nue", .reads = kReadByNue},
    {.name = "dmodc", .reads = kReadByDmodc},
    {.name = "file", .reads = kReadByFile, .needs = kNeededByFile},
    {.name = "ar_updn", .plain = "updn"},
    {.name = "ar_ftree", .plain = "ftree"},
    {.name = "ar_dor", .plain = "dor"},
    {.name = "ar_torus", .plain = "torus-2QoS"},
    {.name = "ar_minhop", .plain = "minhop"},
    {.name = "auto", .runs = kAutoEngines},
    {.name = "chain", .reads = kReadByChain, .needs = kNeededByChain, .runs = kStepEngines},
};

constexpr auto kBuiltEngines = [] {
  std::array<std::string_view, std::size(kEngineRows)> names{};
  std::ranges::transform(kEngineRows, names.begin(), &EngineRow::name);
  return names;
}();
constexpr std::string_view kUnbuiltEngines[] = {"pqft", "kdor-hc", "dfp", "dfp2"};

const EngineRow* find_engine_row(std::string_view engine) {
  const auto row = std::ranges::find(kEngineRows, engine, &EngineRow::name);
  return row == std::end(kEngineRows) ? nullptr : row;
}

/// Returns the row of the engine whose paths this one has; null for an unknown name.
const EngineRow* find_plain_row(std::string_view engine) {
  const EngineRow* const row = find_engine_row(engine);
  return row == nullptr ? nullptr : find_engine_row(row->plain);
}

/// Names of algorithms that are not spelled like the engine's.
constexpr std::pair<std::string_view, std::string_view> kOtherNames[] = {
    {"torus", "torus-2QoS"}, {"shortestpath", "minhop"}};

/// Returns letters and digits in lower case: what is left of all spellings.
std::string spelled(std::string_view name) {
  std::string out;
  for (const char c : name) {
    if (c >= 'A' && c <= 'Z')
      out += static_cast<char>(c - 'A' + 'a');
    else if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'))
      out += c;
  }
  return out;
}

bool is_among(KeyNames names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

}  // namespace

std::span<const std::string_view> built_engines() { return kBuiltEngines; }

std::vector<std::string_view> engines_to_try(std::span<const std::string> routing_engine) {
  std::vector<std::string_view> engines;
  const auto add = [&](std::string_view name) {
    if (!is_among(engines, name)) engines.push_back(name);
  };
  for (const std::string_view name : routing_engine)
    if (const auto built = std::ranges::find(kBuiltEngines, name); built != kBuiltEngines.end())
      add(*built);
  if (std::ranges::find(routing_engine, "no_fallback") == routing_engine.end()) add("minhop");
  return engines;
}

std::string_view why_not_built(std::string_view engine) {
  if (engine == "pqft")
    return "is not built: its tables are not documented; dmodc has a closed form for fat trees";
  if (engine == "kdor-hc")
    return "is not built: no public description of it suffices; dor routes hypercubes";
  return is_among(kUnbuiltEngines, engine) ? "is not built yet" : "is unknown";
}

std::optional<std::string_view> meant_engine(std::string_view name,
                                             std::span<const std::string_view> engines) {
  const std::string meant = spelled(name);
  if (meant.empty() || is_among(kUnbuiltEngines, name)) return std::nullopt;
  for (const auto& [other, engine] : kOtherNames)
    if (meant == other && is_among(engines, engine)) return engine;
  std::vector<std::string> spellings;
  spellings.reserve(engines.size());
  std::ranges::transform(engines, std::back_inserter(spellings), spelled);
  const std::vector<std::string_view> candidates(spellings.begin(), spellings.end());
  const auto found = nearest(meant, candidates);
  if (!found) return std::nullopt;
  const auto at = std::ranges::find(candidates, *found) - candidates.begin();
  return engines[static_cast<std::size_t>(at)];
}

std::string engine_remedy(std::string_view name, std::span<const std::string_view> engines) {
  const auto meant = meant_engine(name, engines);
  return fmt::format("{}engines: {}", meant ? fmt::format("did you mean {}? ", *meant) : "",
                     fmt::join(engines, ", "));
}

std::string_view plain_engine(std::string_view engine) {
  const EngineRow* const row = find_engine_row(engine);
  return row == nullptr ? engine : row->plain;
}

std::span<const std::string_view> step_engines() { return kStepEngines; }

std::vector<std::string_view> routing_engines_of(std::string_view engine) {
  const EngineRow* const row = find_plain_row(engine);
  if (row == nullptr) return {};
  if (row->runs.empty()) return {row->name};
  return {row->runs.begin(), row->runs.end()};
}

bool engine_reads(std::string_view engine, std::string_view key) {
  const EngineRow* const row = find_plain_row(engine);
  if (row == nullptr) return false;
  return is_among(row->reads, key) || std::ranges::any_of(row->runs, [&](std::string_view other) {
           return engine_reads(other, key);
         });
}

std::vector<std::string_view> engines_that_read(std::string_view key) {
  std::vector<std::string_view> engines;
  for (const EngineRow& row : kEngineRows)
    if (is_among(row.reads, key)) engines.push_back(row.name);
  return engines;
}

std::span<const std::string_view> files_needed(std::string_view engine) {
  const EngineRow* const row = find_plain_row(engine);
  return row == nullptr ? KeyNames{} : row->needs;
}

}  // namespace config
