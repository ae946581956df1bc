#include "routing/registry.h"

#include <algorithm>
#include <array>

#include <fmt/ranges.h>

#include "mad/format.h"
#include "routing/engines/distance/dor.h"
#include "routing/engines/distance/file_engine.h"
#include "routing/engines/distance/minhop.h"
#include "routing/engines/distance/updn.h"
#include "routing/engines/torus/torus_2qos.h"
#include "routing/engines/trees/dmodc.h"
#include "routing/engines/trees/ftree.h"
#include "routing/engines/virtual_lanes/lash.h"
#include "routing/engines/virtual_lanes/nue.h"
#include "routing/engines/virtual_lanes/sssp.h"
#include "routing/graph/hops.h"
#include "routing/qos/data_vls.h"
#include "routing/topology_kind.h"
#include "routing/verify/changed_tables.h"

namespace routing {

namespace {

constexpr std::array kEngines{
    Engine{"minhop", minhop},          Engine{"updn", updn, true},
    Engine{"dnup", dnup, true},        Engine{"dor", dor},
    Engine{"file", file, false, true}, Engine{"sssp", sssp},
    Engine{"dfsssp", dfsssp, true},    Engine{"dmodc", dmodc, true},
    Engine{"ftree", ftree, true},      Engine{"lash", lash, true},
    Engine{"nue", nue, true},          Engine{"torus-2QoS", torus_2qos, true},
};
constexpr std::string_view kFallback = "minhop";

constexpr std::string_view kAuto = "auto";

struct Link {
  std::string_view engine;
  bool by_auto = false;
};

std::string names_of(std::span<const Engine> engines) {
  std::vector<std::string_view> names;
  for (const Engine& engine : engines) names.push_back(engine.name);
  return fmt::format("{}", fmt::join(names, ", "));
}

/// What the tests of tables that go on from tested ones say; nothing if that proves too little, and
/// all has to be tested.
bool still_good(const RoutingInput& input, const VerifyRules rules, const RoutingResult& result,
                ChainResult& tested, RoutingMemory& memory) {
  const VerifyReport& before = input.before->memory.verification;
  const bool whole = before.islands.size() == 1 && before.small_switches.empty() &&
                     input.before->memory.waits.has_value();
  if (!whole || result.sls.shape() != PathSls::Shape::zero || !result.sl_to_vl.empty())
    return false;
  if (std::ranges::any_of(input.fabric.switches, [&](const sm::Switch& sw) {
        return sw.info.linear_fdb_cap() <= input.lids.lid_top.value;
      }))
    return false;
  const std::vector<std::uint32_t> pieces = components(input.graph);
  if (std::ranges::any_of(pieces, [](std::uint32_t piece) { return piece != 0; })) return false;
  const ChangedTables changed(input, result.lfts);
  if (!changed.ways_arrive(rules)) return false;
  memory.waits.emplace(changed.waits_before_and_after(*input.before->memory.waits));
  tested.credit_loops = find_circles(*memory.waits);
  if (!tested.credit_loops.ok()) return false;
  tested.verification = before;
  const Correspondence was = correspondence(*input.before->memory.rows, input.fabric, input.graph);
  const auto here = [&](sm::SwitchIndex sw) { return was.switch_now[sw]; };
  std::erase_if(tested.verification.withheld, [&](const TableProblem& of) {
    return here(of.sw) == sm::kNoIndex || input.lids.owner(of.lid) == sm::kNoIndex;
  });
  for (TableProblem& of : tested.verification.withheld) of.sw = here(of.sw);
  if (tested.verification.withheld.empty()) tested.verification.withheld_count = 0;
  tested.verification.islands.front() = {0, input.graph.switches(),
                                         tested.verification.islands.front().lids};
  return true;
}

tl::expected<ChainResult, Refusal> try_engine(const Engine& engine, const RoutingInput& asked) {
  RoutingInput input = asked;
  if (input.before != nullptr &&
      (input.before->memory.engine != engine.name || input.before->memory.rows == nullptr ||
       input.before->memory.options != input.options))
    input.before = nullptr;
  auto result = engine.route(input);
  if (!result) return tl::unexpected(std::move(result.error()));
  if (result->lfts.switches() != input.graph.switches())
    return tl::unexpected(Refusal{fmt::format("it made tables for {} switches, but there are {}",
                                              result->lfts.switches(), input.graph.switches())});
  const bool promises = engine.promises_no_credit_loops;
  const VerifyRules rules{.switch_lids_may_be_withheld =
                              engine.may_withhold_switch_lids && !input.options.connect_roots};
  ChainResult tested{
      .routing = {}, .verification = {}, .credit_loops = {}, .refusals = {}, .memory = {}};
  auto memory = std::make_shared<RoutingMemory>();
  memory->engine = engine.name;
  memory->options = input.options;
  memory->rows = result->rows;
  tested.went_on = input.before != nullptr && result->rows != nullptr &&
                   still_good(input, rules, *result, tested, *memory);
  if (!tested.went_on) {
    tested.verification = verify(input.fabric, input.graph, input.lids, result->lfts, rules);
    if (!tested.verification.ok())
      return tl::unexpected(Refusal{fmt::format(
          "its tables are not used: {}",
          fmt::join(describe(tested.verification, input.fabric, input.lids, 3), "; "))});
    if (const unsigned vls = data_vls(input); result->vls > vls)
      return tl::unexpected(Refusal{fmt::format(
          "it needs {} virtual lanes, but {} are all that every cable between switches has",
          result->vls, vls)});
    memory->waits.emplace(find_dependencies(input.graph, input.lids, result->lfts,
                                            {result->sls, result->sl_to_vl},
                                            Traffic::between_hosts));
    tested.credit_loops = find_circles(*memory->waits);
    if (!tested.credit_loops.ok()) {
      std::string what = text(tested.credit_loops.loops.front(), input.fabric, input.graph);
      if (promises && !result->may_deadlock)
        return tl::unexpected(Refusal{fmt::format("its tables are not used: {}", what)});
      result->notes.push_back(fmt::format(
          "{} does not keep fabrics like this one from deadlocks: {}", engine.name, what));
    }
  }
  memory->verification = tested.verification;
  if (memory->rows == nullptr || !tested.credit_loops.ok()) {
    memory->waits.reset();
  } else {
    memory->waits->refer_to(memory->rows->graph);
  }
  tested.memory = std::move(memory);
  tested.routing = std::move(*result);
  tested.routing.engine = engine.name;
  return tested;
}

}  // namespace

std::span<const Engine> engines() { return kEngines; }

const Engine* find_engine(std::string_view name, std::span<const Engine> among) {
  const auto it = std::ranges::find(among, name, &Engine::name);
  return it == among.end() ? nullptr : &*it;
}

tl::expected<ChainResult, Refusal> route_with_chain(std::span<const std::string> names,
                                                    bool no_fallback, const RoutingInput& input,
                                                    std::span<const Engine> among) {
  const auto is_among = [&](std::string_view name) { return find_engine(name, among) != nullptr; };
  std::vector<Link> chain;
  std::string looks_like;
  for (const std::string& name : names) {
    if (name != kAuto || is_among(name)) {
      chain.push_back({name});
      continue;
    }
    const Topology topology = recognise(input);
    looks_like = topology.what;
    for (const std::string_view engine : engines_for(topology, input.options))
      if (is_among(engine)) chain.push_back({engine, true});
  }
  const std::size_t asked = chain.size();
  if (names.empty() ||
      (!no_fallback && std::ranges::find(chain, kFallback, &Link::engine) == chain.end()))
    chain.push_back({kFallback});
  std::vector<std::string> refusals;
  for (std::size_t i = 0; i < chain.size(); ++i) {
    const Engine* const engine = find_engine(chain[i].engine, among);
    if (engine == nullptr) {
      refusals.push_back(fmt::format("{}: there is no routing engine of this name; there are: {}",
                                     chain[i].engine, names_of(among)));
      continue;
    }
    auto result = try_engine(*engine, input);
    if (result) {
      if (chain[i].by_auto)
        result->routing.notes.insert(result->routing.notes.begin(),
                                     fmt::format("auto: {}: {}", looks_like, engine->name));
      result->refusals = std::move(refusals);
      result->fell_back = !names.empty() && i >= asked;
      return result;
    }
    refusals.push_back(fmt::format("{}{}: {}", chain[i].by_auto ? "auto: " : "", engine->name,
                                   result.error().why));
  }
  return tl::unexpected(Refusal{fmt::format("{}", fmt::join(refusals, "; "))});
}

}  // namespace routing
