#include "routing/registry.h"

#include <algorithm>
#include <optional>

#include <fmt/ranges.h>

#include "config/engine_names.h"
#include "mad/format.h"
#include "routing/adaptive/verify_groups.h"
#include "routing/balance/balance.h"
#include "routing/balance/sibling_columns.h"
#include "routing/core/remembered_routings.h"
#include "routing/core/routing_conditions.h"
#include "routing/engines/distance/distance_engines.h"
#include "routing/engines/torus/torus_2qos.h"
#include "routing/engines/trees/tree_engines.h"
#include "routing/engines/virtual_lanes/virtual_lane_engines.h"
#include "routing/graph/destinations.h"
#include "routing/graph/hops.h"
#include "routing/qos/operational_vls.h"
#include "routing/topology_kind.h"
#include "routing/trees/conflict_removal.h"
#include "routing/verify/changed_tables.h"

namespace routing {

namespace {

using enum FoundTables;
// config/ reads other fields of the same rows.
// NOLINTBEGIN(cppcoreguidelines-macro-usage,bugprone-macro-parentheses)
#define DECLARES(...)
#define COMPUTES(...) __VA_ARGS__
#define ENGINE(engine, declared, computed) Engine{.name = engine, computed},
#define CHOICE(engine, declared)
// NOLINTEND(cppcoreguidelines-macro-usage,bugprone-macro-parentheses)
constexpr Engine kEngines[] = {
#include "config/engines.def"
};

struct ChainEntry {
  std::string_view engine;
  bool by_auto = false;
};

std::string names_of(std::span<const Engine> engines) {
  std::vector<std::string_view> names;
  for (const Engine& engine : engines) names.push_back(engine.name);
  return fmt::format("{}", fmt::join(names, ", "));
}

/// Verifies the differences of tables that were made incrementally from the previous, verified
/// tables. Returns false if this is not sufficient, and the tables must be verified as a whole.
bool verify_changes(const RoutingInput& input, const VerifyRules rules, const RoutingResult& result,
                    ChainResult& out, RoutingState& memory) {
  const VerifyReport& before = input.previous_routing->memory.verification;
  // A switch with gaps may have got a host.
  if (rules.switches_without_hosts_may_drop && !before.withheld.empty()) return false;
  const bool comparable = before.components.size() == 1 && before.small_switches.empty() &&
                          input.previous_routing->memory.dependencies.has_value();
  if (!comparable) return false;
  if (std::ranges::any_of(input.fabric.switches, [&](const fabric::Switch& sw) {
        return sw.info.linear_fdb_cap() <= input.lids.lid_top.value;
      }))
    return false;
  const std::vector<std::uint32_t> component = components(input.graph);
  if (std::ranges::any_of(component, [](std::uint32_t number) { return number != 0; }))
    return false;
  const ChangedTables changed(input, result.lfts, result);
  if (!changed.are_few() || !changed.has_same_vls()) return false;
  const bool all_arrive = changed.paths_arrive({});
  if (!all_arrive && !changed.paths_arrive(rules)) return false;
  memory.dependencies.emplace(
      changed.combined_dependencies(*input.previous_routing->memory.dependencies));
  out.credit_loops = find_cycles(*memory.dependencies);
  if (!out.credit_loops.ok()) return false;
  if (all_arrive && before.withheld_count == 0) {
    out.verification = before;
  } else {
    out.verification = changed.has_same_switches()
                           ? verify_again(input.fabric, input.graph, input.lids, result.lfts, rules,
                                          before, changed.inner_lids_with_changed_paths())
                           : verify(input.fabric, input.graph, input.lids, result.lfts, rules);
    if (!out.verification.ok()) return false;
  }
  out.verification.components.front() = {fabric::SwitchIndex{0}, input.graph.switches(),
                                         out.verification.components.front().lids};
  return true;
}

/// Forms the groups of an engine with adaptive routing, and verifies them. Entries of tables that
/// are not in their group become members of it. Errors: the consequence of some choice of ports.
tl::expected<void, Refusal> add_groups(const Engine& engine, const RoutingInput& input,
                                       RoutingResult& result) {
  if (engine.groups == GroupRule::none) return {};
  const FormedGroups formed = form_groups(input, engine.groups, result);
  if (formed.moved) forget_loads(result);
  if (formed.without == 0 && are_verified_choices(input, result)) return {};
  const GroupReport report = verify_groups(input.fabric, input.graph, input.lids, result.lfts,
                                           result.adaptive.get(), {result.sls, result.sl_to_vl});
  const bool loops_are_allowed = result.may_deadlock && report.arrives() && report.outside == 0;
  if (report.ok() || loops_are_allowed) return {};
  return tl::unexpected(Refusal{
      fmt::format("adaptive routing is not possible: {}", text(report, input.fabric, input.graph)),
      result.turns});
}

/// Looks for cycles of channel dependencies. Errors: a credit loop of an engine that excludes them;
/// for other engines it is a condition.
tl::expected<void, Refusal> look_for_loops(const Engine& engine, const RoutingInput& input,
                                           RoutingResult& result, ChainResult& out,
                                           RoutingState& memory) {
  const auto look = [&] {
    memory.dependencies.emplace(find_dependencies(input.graph, input.lids, result.lfts,
                                                  {result.sls, result.sl_to_vl},
                                                  Traffic::between_hosts));
    out.credit_loops = find_cycles(*memory.dependencies);
    return out.credit_loops.ok();
  };
  if (look()) return {};
  std::string what = text(out.credit_loops.loops.front(), input.fabric, input.graph);
  if (engine.promises_no_credit_loops && !result.may_deadlock)
    return tl::unexpected(Refusal{fmt::format("tables rejected: {}", what), result.turns});
  result.conditions.push_back(
      {.id = kRoutingConditions.routing_limit, .text = fmt::format("{}: {}", engine.name, what)});
  return {};
}

/// Returns the result of an engine if it is verified.
tl::expected<ChainResult, Refusal> verified(const Engine& engine, const RoutingInput& input,
                                            RoutingResult result, bool adopted) {
  if (result.lfts.switches() != input.graph.switches())
    return tl::unexpected(
        Refusal{fmt::format("tables rejected: made for {} switches, the fabric has {}",
                            result.lfts.switches(), input.graph.switches())});
  const VerifyRules rules{
      .switch_lids_may_be_withheld =
          engine.may_withhold_switch_lids && !input.options.connect_roots,
      .inside_lids_may_be_withheld = input.turn_rule == TurnRule::pairs_with_hosts,
      .switches_without_hosts_may_drop = engine.may_have_gaps};
  ChainResult out{
      .routing = {}, .verification = {}, .credit_loops = {}, .refusals = {}, .memory = {}};
  if (const unsigned vls = data_vls(input); result.vls > vls)
    return tl::unexpected(Refusal{fmt::format(
        "{} VLs needed, {} available on every link between switches", result.vls, vls)});
  const std::vector<fabric::Condition> notes = result.conditions;
  if (auto added = add_groups(engine, input, result); !added)
    return tl::unexpected(std::move(added.error()));
  result.candidates = nullptr;
  if (result.rows == nullptr) result.rows = std::make_shared<const TableState>(table_state(input));
  auto memory = std::make_shared<RoutingState>();
  memory->engine = engine.name;
  memory->options = input.options;
  memory->rows = result.rows;
  memory->notes = notes;
  memory->adopted = adopted;
  memory->conflicts_removed =
      !engine.removes_conflicts || result.conflicts_removed ||
      (input.previous_routing != nullptr && input.previous_routing->memory.conflicts_removed);
  memory->turn_rule = input.turn_rule;
  out.incremental =
      input.previous_routing != nullptr && verify_changes(input, rules, result, out, *memory);
  if (!out.incremental) {
    out.verification = verify(input.fabric, input.graph, input.lids, result.lfts, rules);
    if (!out.verification.ok())
      return tl::unexpected(Refusal{
          fmt::format("tables rejected: {}",
                      fmt::join(describe(out.verification, input.fabric, input.lids, 3), "; ")),
          result.turns});
    if (auto looked = look_for_loops(engine, input, result, out, *memory); !looked)
      return tl::unexpected(std::move(looked.error()));
  }
  memory->verification = out.verification;
  if (!out.credit_loops.ok()) {
    memory->dependencies.reset();
  } else {
    memory->dependencies->refer_to(memory->rows->graph);
  }
  out.memory = std::move(memory);
  out.routing = std::move(result);
  out.routing.engine = engine.name;
  return out;
}

/// Tables that start from others move in quiet times only.
bool wants_removal(const Engine& engine, const RoutingInput& input, const RoutingResult& result) {
  constexpr std::ptrdiff_t kQuickHosts = 400;
  if (!engine.removes_conflicts || result.candidates == nullptr ||
      result.lfts.switches() != input.graph.switches())
    return false;
  if (input.conflict_removal != ConflictRemoval::if_quick)
    return input.conflict_removal == ConflictRemoval::always;
  return input.previous_routing == nullptr &&
         std::ranges::count_if(input.graph.end_ports, &fabric::SwitchGraph::EndPort::is_host) <=
             kQuickHosts;
}

void remove_conflicts_of(const RoutingInput& input, RoutingResult& result) {
  result.conflicts_removed = true;
  const bool one_lid_each =
      std::ranges::all_of(input.lids.of_end_port,
                          [](const fabric::LidMap::Range& range) { return range.count() <= 1; });
  if (!one_lid_each) return;  // paths of one port would meet
  const std::vector<OrderedHost> hosts = hosts_along_tree(input);
  if (remove_conflicts(input, *result.candidates, hosts,
                       effort_for(hosts.size(), input.graph.port.size()), result.lfts) > 0)
    forget_loads(result);
}

/// Removes conflicts where packets turn: moved entries may close a cycle that the others do not.
/// The tables then stay as they were.
tl::expected<ChainResult, Refusal> with_conflicts_removed(const Engine& engine,
                                                          const RoutingInput& input,
                                                          RoutingResult result, bool adopted) {
  auto before = verified(engine, input, result, adopted);
  if (!before) return before;
  remove_conflicts_of(input, result);
  if (auto after = verified(engine, input, std::move(result), adopted)) return after;
  auto memory = std::make_shared<RoutingState>(*before->memory);
  memory->conflicts_removed = true;
  before->memory = std::move(memory);
  return before;
}

/// Chooses all routes again, or incrementally as route() does.
tl::expected<ChainResult, Refusal> routed(const Engine& engine, const RoutingInput& input,
                                          bool adopted = false) {
  auto result = engine.route(input);
  if (!result) return tl::unexpected(std::move(result.error()));
  // The engine's guarantee concerns paths between hosts. LIDs of switches therefore keep paths that
  // the engine would not choose, or withholds. If LIDs of switches count as load, the engine alone
  // chooses their paths.
  if (adopted && engine.promises_no_credit_loops && !input.options.port_profile_switch_nodes &&
      result->lfts.switches() == input.graph.switches())
    result->lfts = keep_tables(input, *input.previous, result->lfts, PathsToHosts::only_own).lfts;
  if (!adopted && wants_removal(engine, input, *result)) {
    if (result->turns) return with_conflicts_removed(engine, input, std::move(*result), adopted);
    remove_conflicts_of(input, *result);
  }
  return verified(engine, input, std::move(*result), adopted);
}

/// Computes the engine's own choice, although there was a routing to start from.
tl::expected<ChainResult, Refusal> route_from_scratch(const Engine& engine, RoutingInput input,
                                                      std::string_view why) {
  input.previous = nullptr;
  input.previous_routing = nullptr;
  auto out = routed(engine, input);
  if (out)
    out->routing.note(fmt::format("{}: all routes are computed again: {}", engine.name, why));
  return out;
}

/// Keeps the tables found as far as they fulfil the guarantees, and uses the other parts of `own`.
tl::expected<ChainResult, Refusal> with_found_tables(const Engine& engine,
                                                     const RoutingInput& input,
                                                     const RoutingResult& own,
                                                     fabric::ForwardingTables tables) {
  RoutingResult mixed;
  static_cast<fabric::PublishedRouting&>(mixed) = own;
  mixed.conditions = own.conditions;
  mixed.candidates = own.candidates;
  mixed.lfts = std::move(tables);
  mixed.ca_order.clear();          // it belongs to the engine's own paths
  if (engine.removes_conflicts) {  // its state does not depend on the tables, except for the loads
    mixed.rows = own.rows;
    forget_loads(mixed);
  }
  if (engine.choose_vls != nullptr) {
    mixed.sls = {};
    mixed.sl_to_vl = {};
    mixed.vls = 1;
    mixed.vl_weights.clear();
    mixed.multicast_up.clear();
    if (auto chosen = engine.choose_vls(input, mixed); !chosen)
      return tl::unexpected(std::move(chosen.error()));
  }
  return verified(engine, input, std::move(mixed), true);
}

/// Adopts tables found on the fabric for an engine that ignores previous tables. After a return,
/// the remembered tables come first, then the tables in use.
tl::expected<ChainResult, Refusal> adopt_tables(const Engine& engine, const RoutingInput& input) {
  auto own = engine.route(input);
  if (!own) return tl::unexpected(std::move(own.error()));
  if (own->lfts.switches() != input.graph.switches())
    return verified(engine, input, std::move(*own), false);
  const PathsToHosts guarantee =
      engine.promises_shortest_paths ? PathsToHosts::no_longer_than_own : PathsToHosts::any;
  KeptTables tables;
  if (input.current != nullptr) {
    const KeptTables in_use = keep_tables(input, *input.current, own->lfts, guarantee);
    tables = keep_tables(input, *input.previous, in_use.lfts, guarantee);
    tables.kept += in_use.kept;
  } else {
    tables = keep_tables(input, *input.previous, own->lfts, guarantee);
  }
  // The engine's own choice may be a repair of tables that were adopted before.
  const bool is_repair = engine.removes_conflicts && input.previous_routing != nullptr &&
                         input.previous_routing->memory.adopted;
  if (tables.kept == 0) return verified(engine, input, std::move(*own), is_repair);
  if (own->turns)  // so that the rule does not depend on what was found
    if (auto without = verified(engine, input, *own, false); !without) return without;
  auto out = engine.found == FoundTables::replaced
                 ? tl::unexpected(Refusal{"its SLs are those of its own paths"})
                 : with_found_tables(engine, input, *own, std::move(tables.lfts));
  if (!out) {
    own->note(fmt::format("{}: tables found on the fabric are replaced: {}", engine.name,
                          out.error().why));
    return verified(engine, input, std::move(*own), false);
  }
  if (engine.removes_conflicts) return out;  // its choice would still have conflicts
  auto memory = std::make_shared<RoutingState>(*out->memory);
  memory->choice = std::make_shared<const fabric::ForwardingTables>(std::move(own->lfts));
  out->memory = std::move(memory);
  return out;
}

/// Starts from the previous routing if only end ports have changed. Returns nullopt if more has
/// changed, or if the result is not verified.
std::optional<ChainResult> with_same_graph(const Engine& engine, const RoutingInput& input) {
  if (engine.same_graph != SameGraph::sibling_columns || input.previous_routing == nullptr)
    return std::nullopt;
  auto result = with_sibling_columns(input);
  if (!result) return std::nullopt;
  auto out = verified(engine, input, std::move(*result), input.previous_routing->memory.adopted);
  if (!out || (engine.promises_no_credit_loops && !out->credit_loops.ok())) return std::nullopt;
  return std::move(*out);
}

/// Starts from the previous routing of the input, if this engine made it.
tl::expected<ChainResult, Refusal> try_from(const Engine& engine, const RoutingInput& input,
                                            bool adopted) {
  if (auto out = with_same_graph(engine, input)) return std::move(*out);
  const bool has_tables =
      input.previous != nullptr && input.previous->switches() == input.graph.switches();
  if (adopted && has_tables && engine.found != FoundTables::routed_from)
    return adopt_tables(engine, input);
  return routed(engine, input, adopted && has_tables);
}

/// True if the tables still count as adopted when another engine of the chain takes over. A
/// fallback's tables are not kept against the engine that comes before it.
bool resumes_adopted(const RoutingInput& input, const RoutingOrigin& origin) {
  if (origin.from) return origin.from->memory.adopted;
  return input.previous_routing != nullptr && input.previous_routing->memory.adopted &&
         !input.previous_routing->memory.is_fallback;
}

void remember(ChainResult& out, const RoutingOrigin& origin) {
  if (origin.remembered.empty() && !origin.gained && !origin.returned_to) return;
  auto memory = std::make_shared<RoutingState>(*out.memory);
  memory->remembered = origin.remembered;
  memory->returned_to = origin.returned_to;
  memory->gained = origin.gained && origin.from.has_value();
  out.memory = std::move(memory);
}

/// Restores the routes that a loss had moved, if the lost parts came back. Returns nullopt if
/// nothing came back, or if the result is not verified.
std::optional<ChainResult> try_returned(const Engine& engine, RoutingInput input) {
  if (input.previous_routing == nullptr || input.previous_routing->memory.remembered.empty())
    return std::nullopt;
  const RoutingOrigin origin = routing_origin(engine.name, input, true);
  if (!origin.returned_to) return std::nullopt;
  const fabric::ForwardingTables current = tables_here(*input.previous_routing, input),
                                 remembered = tables_here(*origin.from, input);
  input.current = &current;
  input.turn_rule = origin.from->memory.turn_rule;
  input.previous = &remembered;
  input.previous_routing = &*origin.from;
  auto out = try_from(engine, input, origin.from->memory.adopted);
  if (!out) return std::nullopt;
  remember(*out, origin);
  return std::move(*out);
}

/// True if the routing to start from has one top, and this one has not, or the reverse.
bool has_other_order(const RoutingInput& input) {
  return input.previous_routing != nullptr &&
         (input.previous_routing->memory.turn_rule == TurnRule::no_pair) !=
             (input.turn_rule == TurnRule::no_pair);
}

tl::expected<ChainResult, Refusal> try_turns(const Engine& engine, RoutingInput input) {
  if (auto returned = try_returned(engine, input)) return std::move(*returned);
  const RoutingOrigin origin = routing_origin(engine.name, input, false);
  const bool finds_its_own = input.fallback_engine.empty() || input.fallback_engine == engine.name;
  const bool adopted = input.adopt ? finds_its_own : resumes_adopted(input, origin);
  const bool uses_fallback = input.adopt ? !finds_its_own
                                         : !origin.from && input.previous_routing != nullptr &&
                                               input.previous_routing->memory.is_fallback;
  if (uses_fallback) input.previous = nullptr;
  input.previous_routing = origin.from ? &*origin.from : nullptr;
  fabric::ForwardingTables tables;
  if (has_other_order(input)) {  // the tables are all that remains of it
    tables = tables_here(*input.previous_routing, input);
    input.previous = &tables;
    input.previous_routing = nullptr;
  }
  auto out = try_from(engine, input, adopted);
  const bool has_tables =
      input.previous != nullptr && input.previous->switches() == input.graph.switches();
  const bool from_tables = has_tables && engine.found == FoundTables::routed_from;
  if (!out && (input.previous_routing != nullptr || from_tables))
    out = route_from_scratch(engine, input, out.error().why);
  if (out) remember(*out, origin);
  return out;
}

/// Tries one rule after the other while paths that turn close a cycle. Only pairs with hosts turn
/// if that was so before: the others, between CAs inside of switches, are not worth the time.
tl::expected<ChainResult, Refusal> try_engine(const Engine& engine, RoutingInput input) {
  if (input.previous_routing != nullptr && input.previous_routing->memory.engine == engine.name &&
      input.previous_routing->memory.turn_rule == TurnRule::pairs_with_hosts)
    input.turn_rule = TurnRule::pairs_with_hosts;
  while (true) {
    auto out = try_turns(engine, input);
    if (out || !out.error().by_turns || input.turn_rule == TurnRule::no_pair) return out;
    input.turn_rule = input.turn_rule == TurnRule::every_pair && !input.options.connect_roots
                          ? TurnRule::pairs_with_hosts
                          : TurnRule::no_pair;
  }
}

/// Returns an engine other than `running` whose tables for this fabric have no credit loop, or null
/// if there is no such engine.
const Engine* find_engine_without_loops(const Engine& running, const RoutingInput& input,
                                        const Topology& topology, std::span<const Engine> among) {
  RoutingInput fresh = input;
  fresh.previous = fresh.current = nullptr;
  fresh.previous_routing = nullptr;
  fresh.adopt = false;
  fresh.conflict_removal = ConflictRemoval::none;
  fresh.turn_rule = TurnRule::every_pair;
  for (const std::string_view name : engines_for(topology, input.options)) {
    const Engine* const engine = find_engine(name, among);
    if (engine == nullptr || engine->name == running.name) continue;
    if (const auto tried = try_engine(*engine, fresh); tried && tried->credit_loops.ok())
      return engine;
  }
  return nullptr;
}

/// Adds to the report of a credit loop what excludes it. In a large fabric that would delay the
/// tables.
void advise(const Engine& running, const RoutingInput& input, const Topology* topology,
            std::span<const Engine> among, ChainResult& result) {
  constexpr std::size_t kSwitchesMax = 50;
  if (result.credit_loops.ok()) return;
  std::string advice = "`heddlectl route --engine all` shows which engines exclude it";
  if (input.graph.switches() <= kSwitchesMax) {
    const Engine* const other = find_engine_without_loops(
        running, input, topology != nullptr ? *topology : recognise(input), among);
    advice = other != nullptr
                 ? fmt::format("routing_engine {} excludes it", other->name)
                 : std::string("no engine that auto would take excludes it on this fabric");
  }
  for (fabric::Condition& condition : result.routing.conditions)
    if (condition.id == kRoutingConditions.routing_limit)
      condition.text += fmt::format("; {}", advice);
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
  std::vector<ChainEntry> chain;
  std::optional<Topology> topology;
  for (const std::string& name : names) {
    if (name != config::kAutoEngine || is_among(name)) {
      chain.push_back({name});
      continue;
    }
    if (!topology) topology = recognise(input);
    for (const std::string_view engine : engines_for(*topology, input.options))
      if (is_among(engine)) chain.push_back({engine, true});
  }
  const std::size_t configured = chain.size();
  if (names.empty() || (!no_fallback && std::ranges::find(chain, config::kDefaultEngine,
                                                          &ChainEntry::engine) == chain.end()))
    chain.push_back({config::kDefaultEngine});
  std::vector<std::string> refusals;
  for (std::size_t i = 0; i < chain.size(); ++i) {
    const Engine* const engine = find_engine(chain[i].engine, among);
    if (engine == nullptr) {
      refusals.push_back(
          fmt::format("{}: unknown routing engine; known: {}", chain[i].engine, names_of(among)));
      continue;
    }
    auto result = try_engine(*engine, input);
    if (result) {
      advise(*engine, input, topology ? &*topology : nullptr, among, *result);
      if (chain[i].by_auto)
        result->routing.conditions.insert(
            result->routing.conditions.begin(),
            {.id = kRoutingConditions.routing_note,
             .text = fmt::format("auto: {}: {}", topology->what, engine->name)});
      if (!refusals.empty()) {
        auto memory = std::make_shared<RoutingState>(*result->memory);
        memory->is_fallback = true;
        result->memory = std::move(memory);
      }
      result->refusals = std::move(refusals);
      result->fell_back = !names.empty() && i >= configured;
      return result;
    }
    refusals.push_back(fmt::format("{}{}: {}", chain[i].by_auto ? "auto: " : "", engine->name,
                                   result.error().why));
  }
  return tl::unexpected(Refusal{fmt::format("{}", fmt::join(refusals, "; "))});
}

}  // namespace routing
