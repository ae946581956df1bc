#include "routing/registry.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "routing/dor.h"
#include "routing/file_engine.h"
#include "routing/minhop.h"
#include "routing/sssp.h"
#include "routing/torus/torus_2qos.h"
#include "routing/updn.h"

namespace routing {

namespace {

constexpr std::array kEngines{
    Engine{"minhop", minhop}, Engine{"updn", updn, true}, Engine{"dnup", dnup, true}, Engine{"dor", dor}, Engine{"file", file},
    Engine{"sssp", sssp},     Engine{"dfsssp", dfsssp, true},
    Engine{"torus-2QoS", torus_2qos, true},
};
constexpr std::string_view kFallback = "minhop";

std::string names_of(std::span<const Engine> engines) {
  std::vector<std::string_view> names;
  for (const Engine& engine : engines) names.push_back(engine.name);
  return fmt::format("{}", fmt::join(names, ", "));
}

tl::expected<ChainResult, Refusal> try_engine(const Engine& engine, const RoutingInput& input) {
  auto result = engine.route(input);
  if (!result) return tl::unexpected(std::move(result.error()));
  if (result->lfts.switches() != input.graph.switches())
    return tl::unexpected(
        Refusal{fmt::format("it made tables for {} switches, but there are {}", result->lfts.switches(), input.graph.switches())});
  const bool promises = engine.promises_no_credit_loops;
  VerifyReport report =
      verify(input.fabric, input.graph, input.lids, result->lfts, {.switch_lids_may_be_withheld = promises && !input.options.connect_roots});
  if (!report.ok())
    return tl::unexpected(
        Refusal{fmt::format("its tables are not used: {}", fmt::join(describe(report, input.fabric, input.lids, 3), "; "))});
  if (const unsigned vls = data_vls(input); result->vls > vls)
    return tl::unexpected(Refusal{fmt::format("it needs {} virtual lanes, but {} are all that every cable between switches has", result->vls, vls)});
  CreditLoops loops = find_credit_loops(input.graph, input.lids, result->lfts, {result->sls, result->sl_to_vl}, Traffic::between_hosts);
  if (!loops.ok()) {
    std::string what = text(loops.loops.front(), input.fabric, input.graph);
    if (promises) return tl::unexpected(Refusal{fmt::format("its tables are not used: {}", what)});
    result->notes.push_back(fmt::format("{} does not keep fabrics like this one from deadlocks: {}", engine.name, what));
  }
  return ChainResult{std::string(engine.name), std::move(*result), std::move(report), std::move(loops), {}, false};
}

}  // namespace

std::span<const Engine> engines() { return kEngines; }

const Engine* find_engine(std::string_view name, std::span<const Engine> among) {
  const auto it = std::ranges::find(among, name, &Engine::name);
  return it == among.end() ? nullptr : &*it;
}

tl::expected<ChainResult, Refusal> route_with_chain(std::span<const std::string> names, bool no_fallback, const RoutingInput& input,
                                                    std::span<const Engine> among) {
  std::vector<std::string_view> chain(names.begin(), names.end());
  const std::size_t asked = chain.size();
  if (chain.empty() || (!no_fallback && std::ranges::find(chain, kFallback) == chain.end())) chain.push_back(kFallback);
  std::vector<std::string> refusals;
  for (std::size_t i = 0; i < chain.size(); ++i) {
    const Engine* const engine = find_engine(chain[i], among);
    if (engine == nullptr) {
      refusals.push_back(fmt::format("{}: there is no routing engine of this name; there are: {}", chain[i], names_of(among)));
      continue;
    }
    auto result = try_engine(*engine, input);
    if (result) {
      result->refusals = std::move(refusals);
      result->fell_back = asked > 0 && i >= asked;
      return result;
    }
    refusals.push_back(fmt::format("{}: {}", chain[i], result.error().why));
  }
  return tl::unexpected(Refusal{fmt::format("{}", fmt::join(refusals, "; "))});
}

}  // namespace routing
