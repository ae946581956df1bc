#pragma once
// Finds the entries of tables, as found on the fabric, that can stay beside those of an engine.

#include <cstdint>

#include "fabric/forwarding_tables.h"
#include "routing/core/engine.h"

namespace routing {

/// Says what the engine guarantees of its paths to hosts and routers; kept tables give the same
/// guarantee.
enum class PathsToHosts : std::uint8_t { no_longer_than_own, any, only_own };

struct KeptTables {
  fabric::ForwardingTables lfts;
  std::uint64_t kept = 0;  // entries of `found` that differ from those of `own`
};

/// Tables of `found` where these deliver, and of `own` elsewhere; with only_own, `found` for LIDs
/// of switches alone. By LID, decided for itself:
/// - all entries stay if the LID arrives from every switch from which it arrives by `own`, to hosts
///   by no longer path where that is guaranteed;
/// - else, with that guarantee, each entry to a host stays that leads to a switch from which `own`
///   has fewer hops left. So no mixture has a forwarding loop;
/// - else the entries stay of switches from which the LID arrives. The paths of the others end as
///   soon as they meet one of these, so no mixture has a forwarding loop.
/// LIDs without an owner, and entries beyond a switch's LinearFDBCap, are those of `own`. Whether
/// the LIDs together allow credit loops is not examined here.
/// Shape: both have a table per switch of input.graph; `found` may have any number of LIDs.
/// Precondition: paths of `own` have no forwarding loop, or the result is not used.
KeptTables keep_tables(const RoutingInput& input, const fabric::ForwardingTables& found,
                       const fabric::ForwardingTables& own, PathsToHosts guarantee);

}  // namespace routing
