// Reads the files that options name.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

#include "config/changed_files.h"
#include "config/check.h"
#include "config/engine_names.h"
#include "config/input_files.h"
#include "config/qos_policy_reader.h"
#include "config/value.h"

namespace config {
namespace {

/// The files whose lines begin with a GUID.
constexpr std::string_view kFilesOfGuids[] = {"hop_weights_file",      "port_search_ordering_file",
                                              "port_prof_ignore_file", "guid_routing_order_file",
                                              "root_guid_file",        "cn_guid_file",
                                              "io_guid_file",          "ids_guid_file",
                                              "node_name_map_name",    "held_back_sw_file"};

bool is_listed(std::span<const std::string_view> words, std::string_view word) {
  return std::ranges::find(words, word) != words.end();
}

/// Returns the source of the first of these keys that is set.
Origin origin_of(const Options& options, std::initializer_list<std::string_view> keys) {
  for (const std::string_view key : keys)
    if (const auto origin = options.origins.find(key); origin != options.origins.end())
      return origin->second;
  return {};
}

/// Reads files by the keys that name them. A file that cannot be read is reported at the line of
/// its key.
class NamedFiles {
 public:
  using Path = std::string Options::*;

  NamedFiles(const Options& options, const FileReader& reader, Diagnostics& out)
      : options_(options), reader_(reader), out_(out) {}

  template <class T>
  T read(std::string_view key, Path path, T (*parse)(const Source&, Diagnostics&)) {
    return read<T>(key, path, parse, out_);
  }
  template <class T>
  T read(std::string_view key, Path path, T (*parse)(const Source&, Diagnostics&),
         Diagnostics& out) {
    const std::string& name = options_.*path;
    if (name.empty()) return {};
    const auto content = reader_(name);
    if (!content) {
      report(key, name, fmt::format("cannot be read: {}", content.error().message()));
      return {};
    }
    read_.insert(key);
    if (is_listed(kFilesOfGuids, key))
      guid_lines_.files.insert_or_assign(std::string(key), find_guid_lines(*content));
    return parse({name, *content}, out);
  }
  std::string text(std::string_view key, Path path) {
    const auto copy = [](const Source& source, Diagnostics&) { return std::string(source.text); };
    return read<std::string>(key, path, copy);
  }
  /// Reads a file whose defects are left out, and do not stop the daemon: it can manage the fabric
  /// without the file.
  template <class T>
  T read_cosmetic(std::string_view key, Path path, T (*parse)(const Source&, Diagnostics&)) {
    Diagnostics found;
    T result = read<T>(key, path, parse, found);
    std::ranges::move(as_warnings(std::move(found), "the line is left out"),
                      std::back_inserter(out_));
    return result;
  }
  /// Reports a file from which nothing came, and counts it as one that was not read.
  void expect_content(std::string_view key, Path path, bool has_content) {
    const std::string& name = options_.*path;
    if (has_content || read_.erase(key) == 0) return;
    const bool is_reported = std::ranges::any_of(out_, [&](const Diagnostic& finding) {
      return finding.file == name && finding.severity == Severity::error;
    });
    if (!is_reported) report(key, name, "has no entry");
  }
  /// True if the file has to be read: the key is set, or there is a file with its usual name.
  bool is_wanted(std::string_view key, Path path) const {
    if (options_.is_set(key)) return true;
    const auto content = reader_(options_.*path);
    return content || content.error() != std::errc::no_such_file_or_directory;
  }
  /// Returns the GUIDs of what was read, with their lines.
  GuidLines take_guid_lines() { return std::exchange(guid_lines_, {}); }
  /// True if the engine needs a file, and none was read.
  bool refuses(std::string_view engine) const {
    const auto needed = files_needed(engine);
    return !needed.empty() &&
           std::ranges::none_of(needed, [&](auto key) { return read_.contains(key); });
  }

 private:
  /// Returns the configured engines that refuse every fabric without this file.
  std::vector<std::string_view> engines_without(std::string_view key) const {
    std::vector<std::string_view> engines;
    for (const std::string& engine : options_.routing_engine) {
      const auto needed = files_needed(engine);
      const bool has_another = std::ranges::any_of(needed, [&](auto other) {
        return other != key && reader_(value_text(*find_key(other), options_));
      });
      if (is_listed(needed, key) && !has_another) engines.emplace_back(engine);
    }
    return engines;
  }
  void report(std::string_view key, const std::string& name, std::string_view fault) {
    const auto engines = engines_without(key);
    const Origin place =
        engines.empty() ? origin_of(options_, {key}) : origin_of(options_, {key, "routing_engine"});
    out_.push_back(
        {Severity::warning, place.file, place.line, place.column,
         fmt::format("{} {} {}", key, name, fault),
         engines.empty()
             ? "its feature stays off"
             : fmt::format("{} {} not route without it: correct it, or name another "
                           "engine",
                           fmt::join(engines, ", "), engines.size() == 1 ? "does" : "do"),
         true});
  }

  const Options& options_;
  const FileReader& reader_;
  Diagnostics& out_;
  std::set<std::string_view> read_;  // by key; the names are literals
  GuidLines guid_lines_;
};

SharedSource keep_text(const Source& source, Diagnostics&) {
  return {.file = source.file, .text = std::make_shared<const std::string>(source.text)};
}

RoutingChains read_chains(const Options& options, NamedFiles& named, Diagnostics& out) {
  const std::string groups = named.text("pgrp_policy_file", &Options::pgrp_policy_file),
                    topologies = named.text("topo_policy_file", &Options::topo_policy_file),
                    steps = named.text("rch_policy_file", &Options::rch_policy_file);
  return parse_routing_chains({options.pgrp_policy_file, groups},
                              {options.topo_policy_file, topologies},
                              {options.rch_policy_file, steps}, out);
}

/// Reads the files that engines use for a part of the fabric, too. Precondition: files.chains was
/// read.
void read_engine_files(const Options& options, NamedFiles& named, InputFiles& files,
                       Diagnostics& out) {
  files.hop_weights = named.read("hop_weights_file", &Options::hop_weights_file, parse_hop_weights);
  files.port_orders = named.read("port_search_ordering_file", &Options::port_search_ordering_file,
                                 parse_port_orders);
  files.ignored_ports =
      named.read("port_prof_ignore_file", &Options::port_prof_ignore_file, parse_ignored_ports);
  const auto guids = [&](std::string_view key, NamedFiles::Path path,
                         std::vector<std::string>& groups) {
    const std::string text = named.text(key, path);
    GuidsAndGroups read = parse_guids_and_groups({options.*path, text}, files.chains, out);
    groups = std::move(read.groups);
    return std::move(read.guids);
  };
  NamedGroups& groups = files.named_groups;
  files.routing_order =
      guids("guid_routing_order_file", &Options::guid_routing_order_file, groups.routing_order);
  files.roots = guids("root_guid_file", &Options::root_guid_file, groups.roots);
  files.compute_nodes = guids("cn_guid_file", &Options::cn_guid_file, groups.compute_nodes);
  files.io_nodes = guids("io_guid_file", &Options::io_guid_file, groups.io_nodes);
  files.node_ids = named.read("ids_guid_file", &Options::ids_guid_file, parse_node_ids);
}

/// Reads torus_config, which always has a name, only where an engine reads it. `auto` does without
/// it.
TorusFile read_torus(const Options& options, NamedFiles& named, Diagnostics& out) {
  constexpr std::string_view kKey = "torus_config";
  const auto has_engine = [&](auto&& is_one) {
    return std::ranges::any_of(options.routing_engine, is_one);
  };
  const bool is_needed =
      has_engine([&](const std::string& engine) { return is_listed(files_needed(engine), kKey); });
  const bool is_used =
      has_engine([&](const std::string& engine) { return engine_reads(engine, kKey); });
  if (!is_used || (!is_needed && !named.is_wanted(kKey, &Options::torus_config))) return {};
  Diagnostics found;
  TorusFile file = named.read<TorusFile>(kKey, &Options::torus_config, parse_torus_file, found);
  const bool is_left_out = !is_needed && has_errors(found);
  if (is_left_out) found = as_warnings(std::move(found), "the file is not used");
  std::ranges::move(found, std::back_inserter(out));
  if (is_left_out) return {};
  named.expect_content(kKey, &Options::torus_config, file.dimensions.front().radix > 0);
  return file;
}

/// Reports findings once in files that several steps share.
SharedSteps read_step_settings(const Options& options, const FileReader& reader,
                               const RoutingChains& chains, Diagnostics& out) {
  if (chains.steps.empty()) return {};
  auto steps = std::make_shared<std::vector<StepSettings>>();
  Diagnostics found;
  for (const ChainStep& step : chains.steps) {
    StepSettings settings{.options = options, .files = {}};
    settings.files.chains.groups = chains.groups;
    if (!step.config.empty() && !load_config(step.config, reader, settings.options, found))
      found.back().without_effect = true;
    NamedFiles named(settings.options, reader, found);
    read_engine_files(settings.options, named, settings.files, found);
    settings.files.chains = {};
    steps->push_back(std::move(settings));
  }
  for (Diagnostic& finding : found)
    if (std::ranges::find(out, finding) == out.end()) out.push_back(std::move(finding));
  return {std::move(steps)};
}

/// Reports that no engine can route: the daemon would run, and leave the fabric as it is.
void check_needed_files(const Options& options, const NamedFiles& named, Diagnostics& out) {
  const auto engines = runnable_engines(options);
  if (engines.empty() ||
      !std::ranges::all_of(engines, [&](std::string_view engine) { return named.refuses(engine); }))
    return;
  const Origin place = origin_of(options, {"routing_engine"});
  out.push_back({Severity::error, place.file, place.line, place.column,
                 fmt::format("no_fallback excludes minhop, and no engine of {} has the file that "
                             "it needs",
                             fmt::join(options.routing_engine, ",")),
                 "leave no_fallback out, or give an engine its file"});
}

/// True if both route alike: of the options, only those that engines read matter.
bool are_alike(const StepSettings& a, const StepSettings& b) {
  return a.files == b.files && std::ranges::all_of(keys(), [&](const Key& key) {
           return !key.reroutes || value_text(key, a.options) == value_text(key, b.options);
         });
}

bool are_alike(const SharedSteps& a, const SharedSteps& b) {
  if (a.steps == b.steps) return true;
  return a.steps && b.steps &&
         std::ranges::equal(*a.steps, *b.steps, [](const auto& one, const auto& other) {
           return are_alike(one, other);
         });
}

}  // namespace

std::vector<std::string_view> changed_files(const InputFiles& before, const InputFiles& now) {
  const auto groups = [&](auto member) {
    return before.named_groups.*member != now.named_groups.*member;
  };
  const auto file = [&](auto member) { return before.*member != now.*member; };
  const auto chains = [&](auto member) { return before.chains.*member != now.chains.*member; };
  const std::pair<std::string_view, bool> all[] = {
      {"hop_weights_file", file(&InputFiles::hop_weights)},
      {"port_search_ordering_file", file(&InputFiles::port_orders)},
      {"port_prof_ignore_file", file(&InputFiles::ignored_ports)},
      {"guid_routing_order_file",
       file(&InputFiles::routing_order) || groups(&NamedGroups::routing_order)},
      {"root_guid_file", file(&InputFiles::roots) || groups(&NamedGroups::roots)},
      {"cn_guid_file", file(&InputFiles::compute_nodes) || groups(&NamedGroups::compute_nodes)},
      {"io_guid_file", file(&InputFiles::io_nodes) || groups(&NamedGroups::io_nodes)},
      {"ids_guid_file", file(&InputFiles::node_ids)},
      {"node_name_map_name", file(&InputFiles::node_names)},
      {"lfts_file", file(&InputFiles::lfts)},
      {"lid_matrix_dump_file", file(&InputFiles::lid_matrix)},
      {"torus_config", file(&InputFiles::torus)},
      {"prefix_routes_file", file(&InputFiles::prefix_routes)},
      {"router_policy_file", file(&InputFiles::router_policy)},
      {"qos_policy_file", file(&InputFiles::qos_policy)},
      {"hm_ports_health_policy_file", file(&InputFiles::port_health)},
      {"held_back_sw_file", file(&InputFiles::held_back)},
      {"topo_config_file", file(&InputFiles::expected_topology)},
      {"pgrp_policy_file", chains(&RoutingChains::groups)},
      {"topo_policy_file", chains(&RoutingChains::topologies)},
      {"rch_policy_file",
       chains(&RoutingChains::steps) || !are_alike(before.chain_steps, now.chain_steps)}};
  std::vector<std::string_view> keys;
  for (const auto& [key, has_changed] : all)
    if (has_changed) keys.push_back(key);
  return keys;
}

bool SharedSteps::operator==(const SharedSteps& other) const {
  if (steps == other.steps) return true;
  return steps && other.steps &&
         std::ranges::equal(*steps, *other.steps, [](const StepSettings& a, const StepSettings& b) {
           return same_values(a.options, b.options) && a.files == b.files;
         });
}

InputFiles read_input_files(const Options& options, const FileReader& reader, Diagnostics& out) {
  InputFiles files;
  NamedFiles named(options, reader, out);
  files.chains = read_chains(options, named, out);
  read_engine_files(options, named, files, out);
  files.chain_steps = read_step_settings(options, reader, files.chains, out);
  files.lfts = named.read("lfts_file", &Options::lfts_file, parse_forwarding_dump);
  files.lid_matrix =
      named.read("lid_matrix_dump_file", &Options::lid_matrix_dump_file, parse_hop_dump);
  files.torus = read_torus(options, named, out);
  named.expect_content("rch_policy_file", &Options::rch_policy_file, !files.chains.steps.empty());
  named.expect_content("lfts_file", &Options::lfts_file, !files.lfts.rows.empty());
  named.expect_content("lid_matrix_dump_file", &Options::lid_matrix_dump_file,
                       !files.lid_matrix.rows.empty());
  check_needed_files(options, named, out);
  files.node_names =
      named.read_cosmetic("node_name_map_name", &Options::node_name_map_name, parse_node_names);
  // Most subnets have no routers, and no such file under its usual name.
  if (named.is_wanted("prefix_routes_file", &Options::prefix_routes_file))
    files.prefix_routes =
        named.read("prefix_routes_file", &Options::prefix_routes_file, parse_prefix_routes);
  if (options.router_policy_enabled)
    files.router_policy =
        named.read("router_policy_file", &Options::router_policy_file, parse_router_policy);
  if (options.qos && named.is_wanted("qos_policy_file", &Options::qos_policy_file))
    files.qos_policy = named.read("qos_policy_file", &Options::qos_policy_file, parse_qos_policy);
  files.port_health = named.read("hm_ports_health_policy_file",
                                 &Options::hm_ports_health_policy_file, parse_port_health);
  files.held_back = named.read("held_back_sw_file", &Options::held_back_sw_file, parse_guid_list);
  if (options.topo_config_enabled)
    files.expected_topology = named.read("topo_config_file", &Options::topo_config_file, keep_text);
  files.guid_lines = named.take_guid_lines();
  return files;
}

}  // namespace config
