// heddlectl trace shows the path of packets between two ports, there and back.

#include <array>
#include <iostream>

#include <fmt/format.h>

#include "fabric/find_port.h"
#include "mad/format.h"
#include "routing/registry.h"
#include "sm/ctl/adaptive_text.h"
#include "sm/ctl/commands/commands.h"
#include "sm/ctl/commands/managers.h"
#include "sm/ctl/describe_text.h"
#include "sm/ops/control_socket.h"
#include "sm/ops/trace.h"
#include "sm/ops/web/request_target.h"

namespace sm::commands {

namespace {

struct RoutedTables {
  const ForwardingTables* lfts = nullptr;
  routing::PathSls sls = {};
  routing::SlToVl sl_to_vl = {};
  std::shared_ptr<const AdaptiveRouting> adaptive = {};  // null: the engine makes no groups
};

/// Assumes that all switches choose ports adaptively, for all SLs.
std::shared_ptr<const AdaptiveRouting> assume_adaptive(std::shared_ptr<const AdaptiveGroups> groups,
                                                       std::size_t switches) {
  if (!groups) return nullptr;
  AdaptiveRouting adaptive;
  adaptive.groups = std::move(groups);
  adaptive.switches.resize(switches);
  for (AdaptiveSwitch& sw : adaptive.switches) sw.state = AdaptiveState::active;
  return std::make_shared<const AdaptiveRouting>(std::move(adaptive));
}

/// Returns one direction as JSON, with the names of /v1/routing/path.
Json direction_json(const Scene& scene, const RoutedTables& tables, PortIndex from,
                    const Trace& path) {
  Json way = ctl::trace_json(path, scene.fabric);
  if (!tables.adaptive) return way;
  const AdaptiveTrace adaptive = trace_adaptive(
      {scene.fabric, scene.lids, *tables.lfts, tables.sl_to_vl}, *tables.adaptive, from, path);
  if (adaptive.hops.empty()) return way;
  way["adaptive_hops"] = ctl::adaptive_hops_json(adaptive, scene.fabric);
  way["adaptive_detail"] = adaptive.trouble.empty() ? Json() : Json(adaptive.trouble);
  return way;
}

/// True if the request is only about the tables that a manager on this machine has written.
bool asks_manager(const TraceOptions& options) {
  const SceneArguments& scene = options.scene;
  return !options.live && options.engines.empty() && scene.topology.empty() &&
         scene.config.empty() && scene.settings.empty() && scene.tables.empty() &&
         scene.without.empty() && scene.degrade == 0;
}

/// Returns the first manager that answers, of those on this machine or on that port; nothing if
/// none does. Says so of one that runs and does not answer.
std::optional<ManagerApi> find_running_manager(const TraceOptions& options) {
  const std::optional<mad::Guid>& port = options.scene.guid;
  for (const std::filesystem::path& socket : control_sockets(run_dir())) {
    if (port && socket.stem() != fmt::format("{}", *port)) continue;
    const std::chrono::seconds silence_max = options.managers.silence_max;
    const auto answer = send_to(socket, "GET", "/healthz", {}, {}, silence_max);
    if (answer) return ManagerApi(socket, silence_max);
    if (!answer.error().ends_with("Connection refused"))  // what an ended daemon has left
      complain(answer.error() + "; the tables are read from the switches instead");
  }
  return std::nullopt;
}

int trace_by_manager(const ManagerApi& api, const TraceOptions& options) {
  const auto answer =
      api.get(fmt::format("/v1/routing/path?from={}&to={}", web::percent_encoded(options.from),
                          web::percent_encoded(options.to)));
  if (!answer) {
    complain(answer.error());
    return kFailed;
  }
  bool arrives = true;
  if (options.json) std::cout << dumped(*answer) << '\n';
  for (const char* const way : {"forward", "reverse"}) {
    if (!options.json) std::cout << ctl::path_text(answer->at(way));
    arrives = arrives && answer->at(way).at("arrives").get<bool>();
  }
  return arrives ? kOk : kFailed;
}

}  // namespace

int trace(const TraceOptions& options) {
  if (asks_manager(options)) {
    if (const auto code = trace_between_subnets(options)) return *code;
    if (const auto api = find_running_manager(options)) return trace_by_manager(*api, options);
  }
  auto scene = make_scene(options.scene, options.engines);
  if (!scene) return kFailed;

  RoutedTables tables;
  std::optional<routing::ChainResult> routed;
  if (options.engines.empty() && scene->tables) {
    tables.lfts = scene->tables.get();
  } else {
    auto result =
        routing::route_with_chain(find_engines(options.engines, scene->options), true,
                                  {scene->fabric, scene->graph, scene->lids, scene->routing});
    if (!result) {
      complain(result.error().why);
      return kFailed;
    }
    routed = std::move(*result);
    tables = {&routed->routing.lfts, routed->routing.sls, routed->routing.sl_to_vl,
              assume_adaptive(routed->routing.adaptive, scene->fabric.switches.size())};
    if (!options.json) std::cout << "by the tables of " << routed->routing.engine << '\n';
  }

  const std::array names{options.from, options.to};
  std::array<NamedPort, 2> ends;
  for (std::size_t i = 0; i < ends.size(); ++i) {
    const auto place = find_port(scene->fabric, scene->lids, names[i]);
    if (!place) {
      complain(place.error());
      return kFailed;
    }
    ends[i] = *place;
  }
  bool arrives = true;
  Json ways = Json::array();
  for (const auto& [from, to] : {std::pair{ends[0], ends[1]}, {ends[1], ends[0]}}) {
    const Trace path = sm::trace(scene->fabric, scene->lids, *tables.lfts, tables.sls,
                                 tables.sl_to_vl, from.port, to.lid);
    Json way = direction_json(*scene, tables, from.port, path);
    if (!options.json)
      std::cout << (way.contains("adaptive_hops") ? ctl::path_text(way)
                                                  : text(path, scene->fabric));
    ways.push_back(std::move(way));
    arrives = arrives && path.trouble.empty();
  }
  if (options.json)
    std::cout << dumped({{"engine", routed ? Json(routed->routing.engine) : Json()},
                         {"forward", ways.at(0)},
                         {"reverse", ways.at(1)}})
              << '\n';
  return arrives ? kOk : kFailed;
}

}  // namespace sm::commands
