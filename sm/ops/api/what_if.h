#pragma once
// Plans for a published subnet with hypothetical changes. Pure: nothing is read from the fabric,
// and nothing is written to it.

#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "sm/context/sweep_context.h"
#include "sm/ops/api/routing_quality.h"
#include "sm/ops/api/snapshot.h"
#include "sm/ops/row_declaration.h"
#include "sm/ops/web/exchange.h"
#include "sm/sweep/apply/plan.h"

namespace sm::api {

/// The body of POST /v1/plan.
struct WhatIf {
  std::vector<std::string> without = {};         // "NODE" or "NODE:PORT": its links are down
  std::vector<std::string> routing_engine = {};  // empty: as configured
  bool rebalance = false;                        // no route stays because it is there
  std::optional<std::string> partitions = {};    // a partitions.conf; nothing: as configured
  bool links = false;                            // loads of each link are answered
};
inline constexpr std::size_t kWithoutMax = 1'000, kPartitionsBytesMax = 1u << 20;
/// Errors: 400 or 422, as from Body.
tl::expected<WhatIf, web::Response> read_what_if(std::string_view body);

struct WhatIfResult {
  std::shared_ptr<const Fabric> fabric;  // without what was taken away; indices as in the subnet
  Plan plan;                             // what would be written
  std::shared_ptr<const PublishedRouting> routing;
  RoutingQuality before, after;
  std::vector<PortIndex> cut_off;  // ports of hosts and routers that are not reached any more
  std::size_t hosts_before = 0, hosts_after = 0;  // end ports of hosts and routers at switches
  std::uint64_t paths_changed = 0;                // pairs (host, LID of another)
  std::size_t lids_changed = 0;
  std::vector<Condition> conditions;
};

/// Decides as a sweep that finds these tables does, and as `heddlectl plan` does: routes that
/// fulfil the engine's guarantees stay unless `rebalance`. Multicast tables and vports do not
/// change. `before` is the present quality of the subnet. Errors: 422 with a pointer for an unknown
/// name or partitions that do not parse; 409 if no engine routes the fabric.
tl::expected<WhatIfResult, web::Response> what_if(const Subnet& subnet, const SweepContext& context,
                                                  const WhatIf& change,
                                                  const RoutingQuality& before);

/// These describe and make the answer, without the envelope. README.md describes its shape.
RowInfo plan_side_info();
RowInfo plan_info();
nlohmann::json what_if_json(const WhatIfResult& result, const Subnet& subnet, const WhatIf& change);

}  // namespace sm::api
