#include "sm/ops/api/routing_quality.h"

#include "routing/verify/credit_loops.h"

namespace sm::api {

std::optional<Loads> loads_of(const Fabric& fabric, const LidMap& lids,
                              const ForwardingTables* lfts) {
  if (lfts == nullptr || lfts->switches() != fabric.switches.size()) return std::nullopt;
  Loads result{.graph = make_switch_graph(fabric), .loads = {}};
  result.loads = routing::all_to_all(result.graph, lids, *lfts);
  return result;
}

std::vector<std::int64_t> loads_by_port(const Fabric& fabric, const Loads& loads) {
  std::vector<std::int64_t> by_port(fabric.ports.size(), -1);
  const SwitchGraph& graph = loads.graph;
  for (const SwitchIndex sw : graph.all_switches()) {
    for (const ChannelIndex channel : graph.channels(sw))
      by_port[fabric.port(fabric.switches[sw].node, graph.port[channel])] =
          static_cast<std::int64_t>(loads.loads.per_channel[channel]);
  }
  return by_port;
}

std::optional<RoutingQuality> routing_quality(const Fabric& fabric, const LidMap& lids,
                                              const ForwardingTables* lfts,
                                              const PublishedRouting* routing) {
  std::optional<Loads> loads = loads_of(fabric, lids, lfts);
  if (!loads) return std::nullopt;
  RoutingQuality quality;
  quality.by_port = loads_by_port(fabric, *loads);
  quality.lengths = routing::path_lengths(loads->graph, lids, *lfts);
  const PathSls no_sls;
  const SlToVl no_mapping;
  quality.credit_loops =
      routing::find_credit_loops(loads->graph, lids, *lfts,
                                 {routing == nullptr ? no_sls : routing->sls,
                                  routing == nullptr ? no_mapping : routing->sl_to_vl},
                                 routing::Traffic::between_hosts)
          .loop_count;
  quality.loads = std::move(loads->loads);
  return quality;
}

}  // namespace sm::api
