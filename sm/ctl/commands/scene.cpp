#include "sm/ctl/commands/scene.h"

#include <algorithm>
#include <cstdlib>
#include <iostream>

#include "config/check.h"
#include "config/control_characters.h"
#include "config/engine_names.h"
#include "config/settings.h"
#include "config/table_files.h"
#include "mad/format.h"
#include "routing/registry.h"
#include "sm/ctl/fabric_file.h"
#include "sm/ctl/lists_text.h"
#include "sm/ctl/live.h"
#include "sm/ctl/topology/decorate.h"
#include "sm/ops/cut_off.h"
#include "sm/sweep/decide/engine_options.h"
#include "sm/sweep/decide/lids.h"
#include "sm/sweep/decide/port_groups.h"

namespace sm::commands {

Failure complain(std::string_view what) {
  std::cerr << "heddlectl: " << config::escape_lines(what) << '\n';
  return {};
}

namespace {

/// Prints findings; returns false if one of them is an error.
bool print(const config::Diagnostics& findings) {
  for (const config::Diagnostic& finding : findings) std::cerr << finding.text() << '\n';
  return !config::has_errors(findings);
}

class SceneMaker {
 public:
  SceneMaker(const SceneArguments& arguments, const std::vector<std::string>& engines)
      : arguments_(arguments), engines_(engines) {}

  std::optional<Scene> make() {
    if (!read_config() || !read_tables_file()) return std::nullopt;
    if (arguments_.topology.empty() ? !read_live() : !read_topology()) return std::nullopt;
    scene_.fabric.node_names = node_names_of(scene_.files);
    assign_lids();
    if (!apply_tables_file()) return std::nullopt;
    if (const auto taken = disable_links(scene_.fabric, arguments_.without); !taken)
      return complain(taken.error()), std::nullopt;
    add_port_groups(scene_.files, scene_.fabric, scene_.routing);
    scene_.graph = make_switch_graph(scene_.fabric);
    if (scene_.fabric.end_ports.empty())
      return complain("there is no node with a cable here, so there is nothing to route"),
             std::nullopt;
    return std::move(scene_);
  }

 private:
  bool read_config() {
    auto read = read_configuration(arguments_, engines_);
    if (!read) return false;
    scene_.options = std::move(read->options);
    scene_.files = std::move(read->files);
    scene_.routing = std::move(read->routing);
    return true;
  }

  bool read_tables_file() {
    if (arguments_.tables.empty()) return true;
    const auto text = config::read_file(arguments_.tables);
    if (!text)
      return complain(
          fmt::format("{} cannot be read: {}", arguments_.tables, text.error().message()));
    config::Diagnostics findings;
    dump_ = config::parse_forwarding_dump({arguments_.tables, *text}, findings);
    if (!print(findings)) return false;
    if (dump_.rows.empty())
      return complain(fmt::format(
          "{}: there is no table of a switch in this file; opensm-lfts.dump and dump_fts have some",
          arguments_.tables));
    return true;
  }

  bool read_topology() {
    topology::TopologyFile file = topology::read_topology(arguments_.topology);
    if (!print(file.findings)) return false;
    try {
      if (arguments_.degrade > 0)
        file.topology = topology::degrade(file.topology, arguments_.degrade, arguments_.seed,
                                          topology::Connectivity::keep);
    } catch (const topology::TopologyError& error) {
      return complain(fmt::format("--degrade {}: {}", arguments_.degrade, error.what()));
    }
    ctl::FabricOfFile made = ctl::build_fabric(file.topology, file.lids);
    for (const std::string& note : made.notes) complain(note);
    scene_.fabric = std::move(made.fabric);
    return true;
  }

  bool read_live() {
    if (arguments_.degrade > 0)
      return complain("--degrade is for fabrics from a file (--topology)");
    auto live = ctl::read_live(arguments_.guid, scene_.options);
    if (!live) return complain(live.error());
    scene_.fabric = std::move(live->survey.fabric);
    for (const Condition& condition : scene_.fabric.conditions) complain(condition.text);
    if (live->memory.tables() != nullptr)
      scene_.tables = std::make_shared<ForwardingTables>(*live->memory.tables());
    return true;
  }

  /// Assigns LIDs: ports keep the LIDs that they have or that a file states; a dump of tables gives
  /// the LIDs of the others.
  void assign_lids() {
    if (!arguments_.topology.empty()) {
      for (std::size_t lid = dump_.owner_of_lid.size(); lid-- > 1;) {
        const auto port = scene_.fabric.port_of_guid.find(mad::Guid{dump_.owner_of_lid[lid]});
        if (port == scene_.fabric.port_of_guid.end()) continue;
        scene_.fabric.ports[port->second].info.set_lid(mad::Lid{static_cast<std::uint16_t>(lid)});
      }
    }
    LidAssignment assigned = sm::assign_lids(scene_.fabric, lid_options(scene_.options), {}, true);
    for (const std::string& message : assigned.messages) complain(message);
    scene_.lids = std::move(assigned.lids);
  }

  /// Routes by the tables of the file with the LIDs that ports have now, as the engine `file` does.
  bool apply_tables_file() {
    if (dump_.rows.empty()) return true;
    routing::RoutingOptions options = scene_.routing;
    config::InputFiles files;
    files.lfts = std::move(dump_);
    options.lfts = routing_options(scene_.options, files).lfts;
    const SwitchGraph graph = make_switch_graph(scene_.fabric);
    auto tables = routing::find_engine("file")->route({scene_.fabric, graph, scene_.lids, options});
    if (!tables) return complain(fmt::format("{}: {}", arguments_.tables, tables.error().why));
    for (const Condition& note : tables->conditions)
      std::cerr << config::escape_lines(fmt::format("{}: {}\n", arguments_.tables, note.text));
    scene_.tables = std::make_shared<ForwardingTables>(std::move(tables->lfts));
    return true;
  }

  const SceneArguments& arguments_;
  const std::vector<std::string>& engines_;
  Scene scene_;
  config::ForwardingDump dump_;
};

}  // namespace

std::optional<SceneConfiguration> read_configuration(const SceneArguments& arguments,
                                                     const std::vector<std::string>& engines) {
  SceneConfiguration read;
  read.options = config::default_options(std::getenv("OSM_TMP_DIR"), std::getenv("OSM_CACHE_DIR"));
  config::Diagnostics findings;
  if (!arguments.config.empty()) {
    // The daemon starts with defaults then; here they would be taken for the file's.
    if (const auto text = config::read_file(arguments.config); !text)
      return complain(fmt::format("--config {}: {}", arguments.config, text.error().message())),
             std::nullopt;
    config::load_config(arguments.config, config::read_file, read.options, findings);
  }
  config::Settings settings("--set", read.options, findings);
  for (int i = 0; i < static_cast<int>(arguments.settings.size()); ++i) {
    const std::string& text = arguments.settings[static_cast<std::size_t>(i)];
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos)
      return complain(fmt::format("--set {}: KEY=VALUE is what it takes", text)), std::nullopt;
    if (const config::Key* key =
            settings.look_up(std::string_view(text).substr(0, equals), {i + 1, 1}))
      settings.set(*key, std::string_view(text).substr(equals + 1),
                   {i + 1, static_cast<int>(equals) + 2});
  }
  settings.finish();
  config::Options of_engines = read.options;
  if (!engines.empty()) of_engines.routing_engine = engines;
  // Each of all engines would miss a file that it needs; `auto` does without them.
  std::ranges::replace(of_engines.routing_engine, "all", std::string(config::kAutoEngine));
  read.files = config::read_input_files(of_engines, config::read_file, findings);
  const config::Diagnostics contradictions = config::check_options(read.options);
  findings.insert(findings.end(), contradictions.begin(), contradictions.end());
  if (!print(findings)) return std::nullopt;
  read.routing = routing_options(read.options, read.files);
  read.routing.seed = arguments.seed;
  return read;
}

tl::expected<void, std::string> disable_links(Fabric& fabric,
                                              const std::vector<std::string>& without) {
  if (without.empty()) return {};
  const LidMap lids = assign_lids(fabric, {}, {}, true).lids;
  return sm::disable_links(fabric, lids, without).map_error([](const std::string& error) {
    return "--without " + error;
  });
}

std::optional<Scene> make_scene(const SceneArguments& arguments,
                                const std::vector<std::string>& engines) {
  return SceneMaker(arguments, engines).make();
}

std::string summary(const SwitchGraph& graph, const LidMap& lids) {
  const auto hosts = std::ranges::count_if(
      graph.end_ports, [](const auto& end) { return end.out != mad::PortNum{0}; });
  return fmt::format("{}, {}, {} between switches, LIDs up to {}",
                     ctl::counted(static_cast<std::uint64_t>(hosts), "host port"),
                     ctl::counted(graph.switches(), "switch"),
                     ctl::counted(graph.neighbour.size() / 2, "cable"), lids.lid_top.value);
}

std::vector<std::string> find_engines(const std::vector<std::string>& names,
                                      const config::Options& options) {
  if (std::ranges::find(names, "all") != names.end()) {
    std::vector<std::string> all;
    for (const routing::Engine& engine : routing::engines())
      if (engine.groups == routing::GroupRule::none) all.emplace_back(engine.name);
    return all;
  }
  if (!names.empty()) return names;
  const auto of_configuration = config::runnable_engines(options);
  return {of_configuration.begin(), of_configuration.end()};
}

}  // namespace sm::commands
