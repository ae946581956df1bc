#pragma once
// The engines by name, and the chain: one after the other until one's tables stand the test.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "routing/core/engine.h"
#include "routing/core/memory.h"
#include "routing/verify/credit_loops.h"
#include "routing/verify/verify.h"

namespace routing {

struct Engine {
  std::string_view name;  // as in routing_engine
  RoutingFunction route;
  bool promises_no_credit_loops =
      false;  // between hosts: tables with one are refused (unless RoutingResult::may_deadlock).
              // Other engines' loops are told, not refused
  bool may_withhold_switch_lids =
      promises_no_credit_loops;  // see VerifyRules; not with connect_roots
};

std::span<const Engine> engines();
/// Names are matched exactly. Null if there is none.
const Engine* find_engine(std::string_view name, std::span<const Engine> among = engines());

struct ChainResult {
  RoutingResult routing;
  VerifyReport verification;  // without problems; says what no table could reach
  CreditLoops credit_loops;   // between hosts; none if the engine promises that
  std::vector<std::string>
      refusals;            // of the engines before it: "ftree: leaf S12 has 17 up-links, ..."
  bool fell_back = false;  // minhop, though nobody asked for it
  std::shared_ptr<const RoutingMemory> memory;  // for Before, together with routing.lfts
  bool went_on = false;  // from input.before: what did not change was neither made nor tested again
};

/// Tries the engines in order and takes the first whose tables verify() finds no problem in, that
/// needs no more lanes than there are, and that keeps its promise about credit loops; then minhop,
/// unless `no_fallback`. Loops of engines that promise nothing become a note. "auto" stands for the
/// engines that suit what the fabric looks like, see topology_kind.h; a note says what that is. No
/// names: minhop. Errors: all refusals, joined.
tl::expected<ChainResult, Refusal> route_with_chain(std::span<const std::string> names,
                                                    bool no_fallback, const RoutingInput& input,
                                                    std::span<const Engine> among = engines());

}  // namespace routing
