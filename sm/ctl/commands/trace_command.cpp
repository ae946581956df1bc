// heddlectl trace: the path of packets between two ports, there and back.

#include <array>
#include <iostream>

#include <fmt/format.h>

#include "fabric/find_port.h"
#include "routing/registry.h"
#include "sm/ctl/commands/commands.h"
#include "sm/ops/trace.h"

namespace sm::commands {

namespace {

struct RoutedTables {
  const ForwardingTables* lfts = nullptr;
  routing::PathSls sls;
  routing::SlToVl sl_to_vl;
};

}  // namespace

int trace(const TraceOptions& options) {
  auto scene = make_scene(options.scene);
  if (!scene) return kFailed;

  RoutedTables tables;
  std::optional<routing::ChainResult> routed;
  if (options.engines.empty() && scene->tables) {
    tables.lfts = scene->tables.get();
  } else {
    auto result =
        routing::route_with_chain(engines_of(options.engines, scene->options), true,
                                  {scene->fabric, scene->graph, scene->lids, scene->routing});
    if (!result) {
      std::cerr << "heddlectl: " << result.error().why << '\n';
      return kFailed;
    }
    routed = std::move(*result);
    tables = {&routed->routing.lfts, routed->routing.sls, routed->routing.sl_to_vl};
    std::cout << "by the tables of " << routed->routing.engine << '\n';
  }

  const std::array names{options.from, options.to};
  std::array<NamedPort, 2> ends;
  for (std::size_t i = 0; i < ends.size(); ++i) {
    const auto place = find_port(scene->fabric, scene->lids, names[i]);
    if (!place) {
      std::cerr << "heddlectl: " << place.error() << '\n';
      return kFailed;
    }
    ends[i] = *place;
  }
  bool arrives = true;
  for (const auto& [from, to] : {std::pair{ends[0], ends[1]}, {ends[1], ends[0]}}) {
    const Trace path = sm::trace(scene->fabric, scene->lids, *tables.lfts, tables.sls,
                                 tables.sl_to_vl, from.port, to.lid);
    std::cout << text(path, scene->fabric);
    arrives = arrives && path.trouble.empty();
  }
  return arrives ? kOk : kFailed;
}

}  // namespace sm::commands
