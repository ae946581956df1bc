#include "config/engine_names.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <ranges>

#include "config/nearest.h"

namespace config {
namespace {

/// Keys that engines read which distribute destinations over equal ports.
constexpr std::string_view kBalancingKeys[] = {"port_search_ordering_file", "port_prof_ignore_file",
                                               "guid_routing_order_file", "scatter_ports",
                                               "port_shifting"};

constexpr bool suits_auto(const EngineRow& engine) {
  const AutoRank& rank = engine.auto_rank;
  return rank.one_switch != 0 || rank.tree != 0 || rank.torus != 0 || rank.other != 0;
}
constexpr bool routes_parts(const EngineRow& engine) { return engine.routes_parts; }

// Functions of routing/ have no names here.
// NOLINTBEGIN(cppcoreguidelines-macro-usage,bugprone-macro-parentheses)
#define DECLARES(...) __VA_ARGS__
#define COMPUTES(...)
#define ENGINE(engine, declared, computed) {.name = engine, declared},
#define CHOICE(engine, declared) {.name = engine, declared},
// NOLINTEND(cppcoreguidelines-macro-usage,bugprone-macro-parentheses)
constexpr EngineRow kEngineRows[] = {
#include "config/engines.def"
};

constexpr auto kBuiltEngines = [] {
  std::array<std::string_view, std::size(kEngineRows)> names{};
  std::ranges::transform(kEngineRows, names.begin(), &EngineRow::name);
  return names;
}();
constexpr std::string_view kUnbuiltEngines[] = {"pqft", "kdor-hc", "dfp", "dfp2"};

const EngineRow* find_row(std::string_view engine) {
  const auto row = std::ranges::find(kEngineRows, engine, &EngineRow::name);
  return row == std::end(kEngineRows) ? nullptr : row;
}

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

bool is_among(std::span<const std::string_view> names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

bool reads(const EngineRow& engine, std::string_view key) {
  return is_among(engine.reads, key) || (engine.balances_load && is_among(kBalancingKeys, key));
}

/// True for the engine, or for one that may route in its place.
template <typename Predicate>
bool holds_for(std::string_view name, const Predicate& is_so) {
  const EngineRow* const row = plain_engine(name);
  if (row == nullptr) return false;
  return is_so(*row) ||
         (row->runs != nullptr && std::ranges::any_of(kEngineRows, [&](const EngineRow& other) {
            return row->runs(other) && is_so(other);
          }));
}

}  // namespace

std::span<const EngineRow> engine_rows() { return kEngineRows; }

bool routes_adaptively(std::string_view engine) { return plain_engine(engine) != find_row(engine); }

std::span<const std::string_view> built_engines() { return kBuiltEngines; }

std::vector<std::string_view> engines_to_try(std::span<const std::string> routing_engine) {
  std::vector<std::string_view> engines;
  const auto add = [&](std::string_view name) {
    if (!is_among(engines, name)) engines.push_back(name);
  };
  for (const std::string_view name : routing_engine)
    if (const auto built = std::ranges::find(kBuiltEngines, name); built != kBuiltEngines.end())
      add(*built);
  if (std::ranges::find(routing_engine, "no_fallback") == routing_engine.end()) add(kDefaultEngine);
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
  for (const EngineRow& row : kEngineRows)
    if (meant == row.alias && is_among(engines, row.name)) return row.name;
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

const EngineRow* plain_engine(std::string_view engine) {
  const EngineRow* const row = find_row(engine);
  return row == nullptr ? nullptr : find_row(row->plain);
}

std::vector<std::string_view> step_engines() {
  std::vector<std::string_view> engines;
  for (const EngineRow& row : kEngineRows)
    if (row.routes_parts) engines.push_back(row.name);
  return engines;
}

std::vector<std::string_view> auto_engines(unsigned AutoRank::* rank) {
  std::map<unsigned, std::string_view> by_rank;
  for (const EngineRow& row : kEngineRows)
    if (row.auto_rank.*rank != 0) by_rank.emplace(row.auto_rank.*rank, row.name);
  std::vector<std::string_view> engines;
  std::ranges::copy(std::views::values(by_rank), std::back_inserter(engines));
  return engines;
}

bool engine_assigns_vls(std::string_view engine) {
  return holds_for(engine, [](const EngineRow& row) { return row.assigns_vls; });
}

bool engine_reads(std::string_view engine, std::string_view key) {
  return holds_for(engine, [&](const EngineRow& row) { return reads(row, key); });
}

std::vector<std::string_view> engines_that_read(std::string_view key) {
  std::vector<std::string_view> engines;
  for (const EngineRow& row : kEngineRows)
    if (reads(row, key)) engines.push_back(row.name);
  return engines;
}

std::span<const std::string_view> files_needed(std::string_view engine) {
  const EngineRow* const row = plain_engine(engine);
  if (row == nullptr) return {};
  return {std::begin(row->needs), std::ranges::find(row->needs, "")};
}

}  // namespace config
