// heddlectl route compares what engines would make of a fabric, and writes files and drawings of
// it.

#include <unistd.h>

#include <array>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iostream>

#include <nlohmann/json.hpp>

#include "mad/format.h"
#include "routing/registry.h"
#include "sm/ctl/commands/commands.h"
#include "sm/ctl/comparison.h"
#include "sm/dumps/dumps.h"

namespace sm::commands {

namespace {

/// Converts "a.svg" to "a-updn.svg".
std::filesystem::path with_engine(const std::filesystem::path& path, std::string_view engine) {
  return path.parent_path() /
         fmt::format("{}-{}{}", path.stem().string(), engine, path.extension().string());
}

/// Opens a file, lets `write` fill it, and throws if the disk did not accept it.
template <class Write>
void write_file(const std::filesystem::path& path, Write&& write) {
  std::ofstream out(path);
  if (out) write(out);
  out.flush();
  if (!out) throw std::runtime_error(fmt::format("{} cannot be written", path.string()));
}

void dump(const std::filesystem::path& directory, const Scene& scene,
          const routing::RoutingResult& routed) {
  std::filesystem::create_directories(directory);
  const dumps::Tables tables{scene.fabric, scene.graph, scene.lids, routed.lfts};
  write_file(directory / "opensm-lfts.dump",
             [&](std::ostream& out) { dumps::write_lfts(out, tables); });
  write_file(directory / "opensm-lid-matrix.dump",
             [&](std::ostream& out) { dumps::write_lid_matrix(out, tables); });
  write_file(directory / "opensm.fdbs", [&](std::ostream& out) { dumps::write_fdbs(out, tables); });
  write_file(directory / "opensm-subnet.lst",
             [&](std::ostream& out) { out << subnet_lst(scene.fabric, scene.lids); });
  if (!routed.roots.empty())
    write_file(directory / "opensm-updn-roots.dump",
               [&](std::ostream& out) { dumps::write_roots(out, routed.roots); });
  if (!routed.ca_order.empty()) {
    write_file(directory / "opensm-ftree-ca-order.dump", [&](std::ostream& out) {
      dumps::write_ca_order(out, scene.fabric, scene.lids, routed.ca_order);
    });
  }
  if (!routed.sl_to_vl.empty()) {
    write_file(directory / "opensm-sl2vl.dump", [&](std::ostream& out) {
      dumps::write_sl_to_vl(out, scene.fabric, scene.lids, routed.sl_to_vl);
    });
    write_file(directory / "ibdmchk-sl2vl", [&](std::ostream& out) {
      dumps::write_switch_sl_to_vl(out, scene.fabric, routed.sl_to_vl);
    });
  }
  if (routed.sls.shape() != routing::PathSls::Shape::zero) {
    write_file(directory / "ibdmchk-path-sls",
               [&](std::ostream& out) { dumps::write_path_sls(out, tables, routed.sls); });
  }
}

void draw(const Scene& scene, std::string_view engine, const routing::LinkLoads& loads,
          const RouteOptions& options, bool several) {
  const std::string title = fmt::format("{}: paths between all hosts, by cable", engine);
  const auto path = [&](const std::string& name) {
    return several ? with_engine(name, engine) : std::filesystem::path(name);
  };
  if (!options.svg.empty())
    write_file(path(options.svg), [&](std::ostream& out) {
      ctl::draw_svg(out, scene.fabric, scene.graph, loads, title);
    });
  if (!options.dot.empty())
    write_file(path(options.dot), [&](std::ostream& out) {
      ctl::draw_dot(out, scene.fabric, scene.graph, loads, title);
    });
}

ctl::EngineResult try_engine(const Scene& scene, const std::string& name,
                             const RouteOptions& options, bool several) {
  const bool talks = isatty(STDERR_FILENO) != 0;
  const auto say = [&](std::string_view what) {
    if (talks) std::cerr << fmt::format("\r\033[K{}: {} ...", name, what) << std::flush;
  };
  routing::RoutingInput input{scene.fabric, scene.graph, scene.lids, scene.routing};
  input.conflict_removal = routing::ConflictRemoval::always;
  ctl::EngineResult row{.engine = name, .refusal = {}, .quality = {}, .notes = {}};
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
    for (const Condition& note : routed->routing.conditions) row.notes.push_back(note.text);
    say("measuring");
    row.quality = ctl::measure(input, routed->routing, scene.tables.get(), {}, scene.routing.seed);
    if (!options.dump.empty()) {
      say("writing tables");
      dump(several ? std::filesystem::path(options.dump) / name
                   : std::filesystem::path(options.dump),
           scene, routed->routing);
    }
    draw(scene, name, row.quality->loads, options, several);
  }
  if (talks) std::cerr << "\r\033[K";
  return row;
}

}  // namespace

int route(const RouteOptions& options) {
  const auto scene = make_scene(options.scene, options.engines);
  if (!scene) return kFailed;
  const std::vector<std::string> engines = find_engines(options.engines, scene->options);
  std::vector<ctl::EngineResult> rows;
  for (const std::string& engine : engines)
    rows.push_back(try_engine(*scene, engine, options, engines.size() > 1));
  if (options.json) {
    std::cout << ctl::json(rows).dump(2) << '\n';
  } else {
    std::cout << summary(scene->graph, scene->lids) << "\n\n" << ctl::table(rows);
  }
  return std::ranges::all_of(rows,
                             [](const ctl::EngineResult& row) { return row.quality.has_value(); })
             ? kOk
             : kFailed;
}

}  // namespace sm::commands
