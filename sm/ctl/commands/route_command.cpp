// heddlectl route: what engines would make of a fabric, side by side, in files and in pictures.

#include <unistd.h>

#include <array>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iostream>

#include <nlohmann/json.hpp>

#include "mad/format.h"
#include "routing/registry.h"
#include "sm/ctl/commands/arguments.h"
#include "sm/ctl/commands/commands.h"
#include "sm/ctl/comparison.h"
#include "sm/ctl/drawing.h"
#include "sm/dumps/dumps.h"
#include "sm/dumps/subnet_lst.h"

namespace sm::commands {

namespace {

constexpr std::string_view kRouteHelp = R"(usage: heddlectl route [OPTIONS]

Routes a fabric and says how good the tables are; writes to no fabric. A row an engine: time, data VLs, credit loops, pairs of hosts that do not reach each
other, cables on the way, load of the busiest cable (all hosts to all: against the mean; shift and random permutations: pairs on it), effective bisection
bandwidth, directions of cables that no path uses; with --tables or a live fabric also what would change.

  --engine NAME[,...]  engines to compare; "all"; else those of the configuration
  --dump FOLDER        writes opensm-lfts.dump, opensm.fdbs, opensm-lid-matrix.dump and more, as OpenSM does; several engines: a folder each
  --svg FILE           a picture in which hot cables are red; several engines: FILE with the engine's name in it
  --dot FILE           the same for Graphviz
  --json               all figures as JSON
)";

constexpr std::array kRouteFlags{Flag{"engine", true}, Flag{"dump", true}, Flag{"svg", true},
                                 Flag{"dot", true}, Flag{"json", false}};

struct Wishes {
  std::string engines, dump, svg, dot;
  bool json = false;
};

/// "a.svg" -> "a-updn.svg"
std::filesystem::path with_engine(const std::filesystem::path& path, std::string_view engine) {
  return path.parent_path() /
         fmt::format("{}-{}{}", path.stem().string(), engine, path.extension().string());
}

/// Opens a file, lets `write` fill it, and throws if the disk did not take it.
template <class Write>
void write_file(const std::filesystem::path& path, Write&& write) {
  std::ofstream out(path);
  if (out) write(out);
  out.flush();
  if (!out) throw std::runtime_error(fmt::format("{} cannot be written", path.string()));
}

void dump(const std::filesystem::path& folder, const Scene& scene,
          const routing::RoutingResult& routed) {
  std::filesystem::create_directories(folder);
  const dumps::Tables tables{scene.fabric, scene.graph, scene.lids, routed.lfts};
  write_file(folder / "opensm-lfts.dump",
             [&](std::ostream& out) { dumps::write_lfts(out, tables); });
  write_file(folder / "opensm-lid-matrix.dump",
             [&](std::ostream& out) { dumps::write_lid_matrix(out, tables); });
  write_file(folder / "opensm.fdbs", [&](std::ostream& out) { dumps::write_fdbs(out, tables); });
  write_file(folder / "opensm-subnet.lst",
             [&](std::ostream& out) { out << subnet_lst(scene.fabric, scene.lids); });
  if (!routed.roots.empty())
    write_file(folder / "opensm-updn-roots.dump",
               [&](std::ostream& out) { dumps::write_roots(out, routed.roots); });
  if (!routed.ca_order.empty()) {
    write_file(folder / "opensm-ftree-ca-order.dump", [&](std::ostream& out) {
      dumps::write_ca_order(out, scene.fabric, scene.lids, routed.ca_order);
    });
  }
  if (!routed.sl_to_vl.empty()) {
    write_file(folder / "opensm-sl2vl.dump", [&](std::ostream& out) {
      dumps::write_sl_to_vl(out, scene.fabric, scene.lids, routed.sl_to_vl);
    });
    write_file(folder / "ibdmchk-sl2vl", [&](std::ostream& out) {
      dumps::write_switch_sl_to_vl(out, scene.fabric, routed.sl_to_vl);
    });
  }
  if (routed.sls.shape() != routing::PathSls::Shape::zero) {
    write_file(folder / "ibdmchk-path-sls",
               [&](std::ostream& out) { dumps::write_path_sls(out, tables, routed.sls); });
  }
}

void draw(const Scene& scene, std::string_view engine, const routing::LinkLoads& loads,
          const Wishes& wishes, bool several) {
  const std::string title = fmt::format("{}: paths between all hosts, by cable", engine);
  const auto path = [&](const std::string& name) {
    return several ? with_engine(name, engine) : std::filesystem::path(name);
  };
  if (!wishes.svg.empty())
    write_file(path(wishes.svg), [&](std::ostream& out) {
      ctl::draw_svg(out, scene.fabric, scene.graph, loads, title);
    });
  if (!wishes.dot.empty())
    write_file(path(wishes.dot), [&](std::ostream& out) {
      ctl::draw_dot(out, scene.fabric, scene.graph, loads, title);
    });
}

ctl::Row try_engine(const Scene& scene, const std::string& name, const Wishes& wishes,
                    bool several) {
  const bool talks = isatty(STDERR_FILENO) != 0;
  const auto say = [&](std::string_view what) {
    if (talks) std::cerr << fmt::format("\r\033[K{}: {} ...", name, what) << std::flush;
  };
  const routing::RoutingInput input{scene.fabric, scene.graph, scene.lids, scene.routing};
  ctl::Row row{.engine = name, .refusal = {}, .quality = {}, .notes = {}};
  say("routing");
  const auto start = std::chrono::steady_clock::now();
  const std::array<std::string, 1> names{name};
  auto routed = routing::route_with_chain(names, true, input);
  row.wall_ms =
      std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  if (!routed) {
    row.refusal = routed.error().why;
  } else {
    row.engine = routed->routing.engine == name
                     ? name
                     : fmt::format("{} ({})", name, routed->routing.engine);
    row.notes = routed->routing.notes;
    say("measuring");
    row.quality = ctl::measure(input, routed->routing, scene.tables.get(), {}, scene.routing.seed);
    if (!wishes.dump.empty()) {
      say("writing tables");
      dump(several ? std::filesystem::path(wishes.dump) / name : std::filesystem::path(wishes.dump),
           scene, routed->routing);
    }
    draw(scene, name, row.quality->loads, wishes, several);
  }
  if (talks) std::cerr << "\r\033[K";
  return row;
}

}  // namespace

int route(std::span<char*> args) {
  SceneArguments arguments;
  Wishes wishes;
  const auto words = read_arguments(args, kRouteHelp, kRouteFlags, arguments,
                                    [&](std::string_view name, std::string_view value) {
                                      if (name == "engine") wishes.engines = value;
                                      if (name == "dump") wishes.dump = value;
                                      if (name == "svg") wishes.svg = value;
                                      if (name == "dot") wishes.dot = value;
                                      if (name == "json") wishes.json = true;
                                    });
  if (!words) return words.error();
  if (!words->empty())
    return usage_error("route takes no word besides its options: " + words->front());
  const auto scene = make_scene(arguments);
  if (!scene) return kFailed;
  const auto engines = engines_asked_for(wishes.engines, *scene);
  if (!engines) return kUsage;

  std::vector<ctl::Row> rows;
  for (const std::string& engine : *engines)
    rows.push_back(try_engine(*scene, engine, wishes, engines->size() > 1));
  if (wishes.json) {
    std::cout << ctl::json(rows).dump(2) << '\n';
  } else {
    std::cout << summary(*scene) << "\n\n" << ctl::table(rows);
  }
  return std::ranges::all_of(rows, [](const ctl::Row& row) { return row.quality.has_value(); })
             ? kOk
             : kFailed;
}

}  // namespace sm::commands
