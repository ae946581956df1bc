// heddlectl trace: the way of packets between two ports, there and back.

#include <array>
#include <iostream>

#include <fmt/format.h>

#include "routing/registry.h"
#include "sm/ctl/commands/arguments.h"
#include "sm/ctl/commands/commands.h"
#include "sm/ctl/find_port.h"
#include "sm/ctl/trace.h"

namespace sm::commands {

namespace {

constexpr std::string_view kTraceHelp = R"(usage: heddlectl trace [OPTIONS] FROM TO

The way of packets from one port to another and back, node by node: as the tables of the switches have it, those of --tables, or those that an engine
would make. FROM and TO: a LID, a GUID, or a NodeDescription (or its first word); NAME:PORT for a node with several ports.

  --engine NAME        by the tables that this engine (or the first of a list that routes the fabric) would make
)";

constexpr std::array kTraceFlags{Flag{"engine", true}};

struct Ways {
  const ForwardingTables* lfts = nullptr;
  routing::PathSls sls;
  routing::SlToVl sl_to_vl;
};

}  // namespace

int trace(std::span<char*> args) {
  SceneArguments arguments;
  std::string asked;
  const auto words =
      read_arguments(args, kTraceHelp, kTraceFlags, arguments,
                     [&](std::string_view, std::string_view value) { asked = value; });
  if (!words) return words.error();
  if (words->size() != 2) return usage_error("trace takes two ports: FROM and TO");
  auto scene = make_scene(arguments);
  if (!scene) return kFailed;

  Ways ways;
  std::optional<routing::ChainResult> routed;
  if (asked.empty() && scene->tables) {
    ways.lfts = scene->tables.get();
  } else {
    const auto engines = engines_asked_for(asked, *scene);
    if (!engines) return kUsage;
    auto result = routing::route_with_chain(
        *engines, true, {scene->fabric, scene->graph, scene->lids, scene->routing});
    if (!result) {
      std::cerr << "heddlectl: " << result.error().why << '\n';
      return kFailed;
    }
    routed = std::move(*result);
    ways = {&routed->routing.lfts, routed->routing.sls, routed->routing.sl_to_vl};
    std::cout << "by the tables of " << routed->routing.engine << '\n';
  }

  std::array<ctl::Place, 2> ends;
  for (std::size_t i = 0; i < ends.size(); ++i) {
    const auto place = ctl::find_port(scene->fabric, scene->lids, (*words)[i]);
    if (!place) {
      std::cerr << "heddlectl: " << place.error() << '\n';
      return kFailed;
    }
    ends[i] = *place;
  }
  bool arrives = true;
  for (const auto& [from, to] : {std::pair{ends[0], ends[1]}, {ends[1], ends[0]}}) {
    const ctl::Trace way = ctl::trace(scene->fabric, scene->lids, *ways.lfts, ways.sls,
                                      ways.sl_to_vl, from.port, to.lid);
    std::cout << ctl::text(way, scene->fabric);
    arrives = arrives && way.trouble.empty();
  }
  return arrives ? kOk : kFailed;
}

}  // namespace sm::commands
