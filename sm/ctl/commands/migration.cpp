#include "sm/ctl/commands/migration.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <set>
#include <sstream>

#include <fmt/ranges.h>

#include "config/common_command_line.h"
#include "config/file_reader.h"
#include "config/file_trust.h"
#include "config/input_files.h"
#include "config/schema.h"
#include "config/value.h"
#include "mad/format.h"
#include "mad/umad/local_ports.h"
#include "partitions/load.h"
#include "sm/ctl/commands/scene.h"
#include "sm/ctl/commands/started_daemon.h"
#include "sm/ctl/lists_text.h"
#include "sm/ctl/live.h"
#include "sm/ctl/plan_text.h"
#include "sm/sa/registrations/sa_db.h"
#include "sm/store/guid2lid.h"

namespace sm::commands {

namespace {

namespace fs = std::filesystem;

std::string from_environment(const char* name, const char* otherwise) {
  const char* const value = std::getenv(name);
  return value == nullptr || *value == '\0' ? otherwise : value;
}

/// The launcher uses the same variable.
fs::path etc() { return from_environment("HEDDLE_ETC", "/etc"); }

/// Returns the launcher of the units; empty if it is not installed.
std::string launcher() {
  std::error_code error;
  const fs::path own = fs::read_symlink("/proc/self/exe", error).parent_path();
  const std::string path = from_environment(
      "HEDDLE_LAUNCH", (own / "../libexec/heddle/launch").lexically_normal().c_str());
  return access(path.c_str(), X_OK) == 0 ? path : "";
}

std::string text_of(const fs::path& path) { return config::read_file(path.string()).value_or(""); }

bool is_readable(const fs::path& path) { return access(path.c_str(), R_OK) == 0; }

using Ports = std::vector<std::pair<std::string, std::vector<std::string>>>;

/// Returns ports of the units, with their flags: those of the files, and HEDDLE_OPTIONS.
tl::expected<Ports, std::string> ports_of_units() {
  const std::string program = launcher();
  if (program.empty())
    return tl::unexpected(
        std::string("the launcher of Heddle's units is not installed beside heddlectl"));
  const Ran ran = run_program({program, "ports"});
  if (!ran.ok()) return tl::unexpected(ran.err);
  Ports ports = ctl::launcher_ports(ran.out);
  std::string more;
  for (const fs::path& file : {etc() / "default/heddle", etc() / "sysconfig/heddle"}) {
    const auto settings = ctl::shell_settings(text_of(file));
    if (const auto found = settings.find("HEDDLE_OPTIONS"); found != settings.end())
      more = found->second;
  }
  for (auto& [guid, flags] : ports) {
    std::istringstream words(more);
    std::vector<std::string> all;
    for (std::string word; words >> word;) all.push_back(std::move(word));
    all.insert(all.end(), flags.begin(), flags.end());
    flags = std::move(all);
  }
  return ports;
}

/// Returns a reader of files as a process in `directory` names them. It reads no file that another
/// user than root and the caller can change: with --apply, it would choose what Heddle does, and
/// which program it runs, with the rights of the caller. `refused`, which must outlive the reader,
/// gets a line for each.
config::FileReader trusted_reader(const std::string& directory, std::vector<std::string>& refused) {
  return
      [directory, &refused](const std::string& path) -> tl::expected<std::string, std::error_code> {
        const std::string file = in_directory(path, directory);
        const std::string fault = config::trust_fault(file, geteuid());
        if (fault.empty()) return config::read_file(file);
        std::string line =
            fmt::format("{} is not read, since other users can change it: {}", file, fault);
        if (std::ranges::find(refused, line) == refused.end()) refused.push_back(std::move(line));
        return tl::unexpected(std::make_error_code(std::errc::permission_denied));
      };
}

config::CommandLine read_line(const std::vector<std::string>& flags,
                              const ctl::RunningOpenSm& opensm, std::vector<std::string>& refused) {
  std::vector<const char*> args{"heddle"};
  for (const std::string& flag : flags) args.push_back(flag.c_str());
  const auto or_null = [](const std::string& text) {
    return text.empty() ? nullptr : text.c_str();
  };
  return config::parse_command_line(
      args, trusted_reader(opensm.directory, refused),
      config::default_options(or_null(opensm.temporary), or_null(opensm.cache)));
}

/// Ports of this machine, or those that are named although it has none with that GUID.
tl::expected<mad::Guid, std::string> port_of(std::optional<mad::Guid> wanted) {
  return mad::umad::choose_port(mad::umad::list_local_ports(), wanted)
      .map([](const mad::umad::LocalPort& port) { return port.guid; });
}

/// Translates OpenSM's flags for Heddle. If only /etc/rdma has a configuration, OpenSM was built to
/// read it without a flag; Heddle was not.
std::vector<std::string> flags_of(const ctl::RunningOpenSm& opensm) {
  std::vector<std::string> flags = ctl::flags_to_keep(opensm.arguments);
  const bool names_file = std::ranges::any_of(flags, [](const std::string& flag) {
    return flag.starts_with("-F") || flag == "--config" || flag == "-config" ||
           flag.starts_with("--config=") || flag.starts_with("-config=");
  });
  const fs::path red_hat = etc() / "rdma/opensm.conf";
  if (!names_file && !is_readable(etc() / "opensm/opensm.conf") && is_readable(red_hat))
    flags.insert(flags.begin(), {"-F", red_hat.string()});
  return flags;
}

tl::expected<PortMigration, std::string> port_migration(std::optional<ctl::RunningOpenSm> opensm,
                                                        std::vector<std::string> flags,
                                                        const std::string& wanted_guid) {
  PortMigration port{.opensm = std::move(opensm),
                     .flags = std::move(flags),
                     .line = {},
                     .from = {},
                     .to = {},
                     .sa_db = {},
                     .lids = {}};
  const ctl::RunningOpenSm process = port.opensm.value_or(ctl::RunningOpenSm{});
  port.line = read_line(port.flags, process, port.refused);
  if (const std::string& command = port.line.options.event_command; !command.empty()) {
    const std::string program = in_directory(command, process.directory);
    if (const std::string fault = config::trust_fault(program, geteuid()); !fault.empty())
      port.refused.push_back(fmt::format(
          "event_command {} is not run, since other users can change it: {}", program, fault));
  }
  const std::vector<std::uint64_t> guids(port.line.options.guid.begin(),
                                         port.line.options.guid.end());
  if (guids.size() > 1)
    return tl::unexpected(std::string(
        "this OpenSM is for several ports at once; Heddle takes its command line as it is: stop "
        "the one, start the other"));
  if (port.opensm) {
    if (!guids.empty()) {
      port.from = mad::Guid{guids.front()};
    } else if (const auto chosen = port_of(std::nullopt)) {
      port.from = *chosen;
    }
  }
  std::optional<mad::Guid> wanted;
  if (std::uint64_t guid = 0; config::read_number(wanted_guid, guid)) {
    wanted = mad::Guid{guid};
  } else if (port.from != mad::Guid{}) {
    wanted = port.from;
  }
  const auto to = port_of(wanted);
  if (!to) return tl::unexpected(to.error());
  port.to = *to;
  return port;
}

/// Returns what the files of the services configure, since no OpenSM runs here.
tl::expected<Migration, std::string> configured(const MigrateOptions& options) {
  Migration migration;
  const auto ports = ports_of_units();
  if (!ports && !launcher().empty()) return tl::unexpected(ports.error());
  for (const auto& [guid, flags] : ports.value_or(Ports{})) {
    if (!options.guid.empty() && guid != options.guid) continue;
    auto port = port_migration({}, flags, guid);
    if (!port) return tl::unexpected(port.error());
    migration.ports.push_back(std::move(*port));
  }
  if (migration.ports.empty()) {
    auto port = port_migration({}, {}, options.guid);
    if (!port) return tl::unexpected(port.error());
    migration.ports.push_back(std::move(*port));
  }
  return migration;
}

std::string running_text(const std::vector<ctl::RunningOpenSm>& all) {
  std::vector<std::string> texts;
  texts.reserve(all.size());
  for (const ctl::RunningOpenSm& each : all)
    texts.push_back(each.unit.empty() ? fmt::format("{}", each.pid)
                                      : fmt::format("{} ({})", each.pid, each.unit));
  return fmt::format("{}", fmt::join(texts, ", "));
}

std::string options_text(const config::Options& options) {
  std::vector<std::string> set;
  const config::Options defaults;
  for (const config::Key& key : config::keys()) {
    if (!options.is_set(key.name)) continue;
    if (config::value_text(key, options) == config::value_text(key, defaults)) continue;
    set.push_back(fmt::format("{} {}", key.name, config::shown_value(key, options)));
  }
  return set.empty() ? "all have their defaults" : fmt::format("{}", fmt::join(set, ", "));
}

std::string lids_text_of(const fs::path& cache) {
  const fs::path path = cache / kGuid2LidFile;
  const auto text = config::read_file(path.string());
  if (!text) return fmt::format("those that ports have; there is no {}", path.string());
  const auto parsed = parse_guid2lid(*text);
  if (!parsed.errors.empty())
    return fmt::format("those that ports have; {} is damaged: {}", path.string(),
                       parsed.errors.front().text(path.string()));
  return fmt::format("those that ports have, and {} of {}", parsed.value.entries.size(),
                     path.string());
}

/// Describes M_Keys and links in the cache; the keys themselves are not shown.
std::string cache_text(const fs::path& cache, std::string_view file, std::string_view what) {
  const fs::path path = cache / file;
  const auto text = config::read_file(path.string());
  if (!text) return fmt::format("none; there is no {}", path.string());
  const KeyValueText parsed = parse_key_values(*text, 1);
  return fmt::format(
      "{} {} of {}{}", parsed.records.size(), what, path.string(),
      parsed.errors.empty() ? "" : fmt::format("; {}", parsed.errors.front().text(path.string())));
}

std::string registrations_text(PortMigration& port, const std::string& directory) {
  const config::Options& options = port.line.options;
  const fs::path path = fs::path(in_directory(options.dump_files_dir, directory)) / sa::kSaDbFile;
  std::vector<std::string> refused;
  const auto text = trusted_reader(directory, refused)(path.string());
  if (options.sa_db_dump && !refused.empty())
    return fmt::format("none: {}; clients are asked to register again", refused.front());
  if (!options.sa_db_dump || !text)
    return "none: this OpenSM does not write them (sa_db_dump TRUE and SIGHUP would); clients are "
           "asked to register again";
  const sa::ParsedSaDb parsed = sa::parse_sa_db(*text);
  if (!parsed.errors.empty())
    return fmt::format("none: {}; clients are asked to register again",
                       parsed.errors.front().text(path.string()));
  port.sa_db = path.string();
  std::size_t members = 0;
  for (const auto& group : parsed.value.groups) members += group.members.size();
  return fmt::format("{} groups with {} members, {} services, {} subscriptions of {}",
                     parsed.value.groups.size(), members, parsed.value.services.size(),
                     parsed.value.subscriptions.size(), path.string());
}

/// Returns a line for each setting that is not taken over from the files by which services of
/// distributions start OpenSM.
std::vector<std::string> unread_service_settings() {
  std::vector<std::string> lines;
  const std::pair<fs::path, std::vector<std::string_view>> files[] = {
      {etc() / "default/opensm", {"PORTS"}}, {etc() / "sysconfig/opensm", {"GUIDS", "PRIORITY"}}};
  for (const auto& [file, read] : files) {
    for (std::string& line :
         ctl::unread_settings(file.string(), ctl::shell_settings(text_of(file)), read))
      lines.push_back(std::move(line));
  }
  return lines;
}

void print_opensm(const PortMigration& port) {
  if (!port.opensm) {
    std::cout << fmt::format(
        "OpenSM: none runs on this machine; port {}, as {} and flags say: {}\n", port.to,
        ctl::printable(port.line.config_file),
        port.flags.empty() ? "none"
                           : ctl::printable(fmt::format("{}", fmt::join(port.flags, " "))));
    return;
  }
  const ctl::RunningOpenSm& opensm = *port.opensm;
  std::cout << fmt::format("OpenSM: process {}, port {}{}\n  {}\n", opensm.pid, port.from,
                           opensm.unit.empty() ? "" : ", " + opensm.unit,
                           ctl::printable(fmt::format("{}", fmt::join(opensm.arguments, " "))));
}

config::FileReader reader(PortMigration& port) {
  return trusted_reader(port.opensm ? port.opensm->directory : "", port.refused);
}

partitions::Configuration make_partitions(PortMigration& port, config::Diagnostics& diagnostics) {
  return partitions::load(port.line.options, reader(port), diagnostics);
}

/// Complains about each file that was not read. Returns false if there are some.
bool complain_of_refused(const PortMigration& port) {
  std::ranges::for_each(port.refused, [](const std::string& line) { complain(line); });
  return port.refused.empty();
}

std::string not_an_opensm(const ctl::RunningProcesses& found, pid_t pid) {
  const auto refused = std::ranges::find(found.refused, pid, &ctl::RefusedProcess::pid);
  return refused == found.refused.end() ? fmt::format("process {} is no OpenSM", pid)
                                        : refused->text;
}

bool any_lid_changes(const Fabric& fabric, const LidMap& lids) {
  return std::ranges::any_of(fabric.end_ports.indices(), [&](EndPortIndex i) {
    const mad::Lid now = fabric.ports[fabric.end_ports[i]].info.lid();
    return now.value != 0 && now != lids.of_end_port[i].base;
  });
}

}  // namespace

std::string in_directory(const std::string& path, const std::string& directory) {
  return path.empty() || directory.empty() || path.front() == '/' ? path : directory + "/" + path;
}

std::vector<std::pair<std::string, std::string>> environment_of(const ctl::RunningOpenSm& opensm) {
  std::vector<std::pair<std::string, std::string>> environment;
  if (!opensm.temporary.empty()) environment.emplace_back("OSM_TMP_DIR", opensm.temporary);
  if (!opensm.cache.empty()) environment.emplace_back("OSM_CACHE_DIR", opensm.cache);
  return environment;
}

tl::expected<Migration, std::string> find_migration(const MigrateOptions& options) {
  const auto found = ctl::running_opensms(from_environment("HEDDLE_PROC", "/proc"));
  const std::vector<ctl::RunningOpenSm>& running = found.trusted;
  auto chosen = running;
  if (options.pid != 0) {
    std::erase_if(chosen, [&](const auto& each) { return each.pid != options.pid; });
    if (chosen.empty()) return tl::unexpected(not_an_opensm(found, options.pid));
  }
  if (options.pid == 0)
    for (const ctl::RefusedProcess& process : found.refused) complain(process.text);
  if (chosen.empty() && !found.refused.empty())
    return tl::unexpected(
        std::string("no other OpenSM runs here; nothing is done while these processes run"));
  if (chosen.empty()) return configured(options);
  Migration migration;
  migration.service = ctl::find_service(chosen.front().unit);
  if (!migration.service.empty()) {
    // A service starts and stops all of its processes, so all of them change.
    const auto of_service = [&](const ctl::RunningOpenSm& each) {
      return ctl::find_service(each.unit) == migration.service;
    };
    if (std::ranges::all_of(chosen, of_service) && options.guid.empty()) {
      chosen = running;
      std::erase_if(chosen, std::not_fn(of_service));
    }
  }
  if (chosen.size() > 1 && (migration.service.empty() || !options.guid.empty() ||
                            std::ranges::any_of(chosen, [&](const auto& each) {
                              return ctl::find_service(each.unit) != migration.service;
                            })))
    return tl::unexpected(
        fmt::format("several OpenSMs run here: {}; say by --pid which one", running_text(chosen)));
  for (const ctl::RunningOpenSm& opensm : chosen) {
    if (migration.service.empty()) migration.foreign_unit = opensm.unit;
    auto port = port_migration(opensm, flags_of(opensm), options.guid);
    if (!port) return tl::unexpected(port.error());
    // Heddle on another port runs beside the service.
    if (!port->same_port()) migration.service.clear(), migration.foreign_unit.clear();
    if (!migration.service.empty() && opensm.unit != migration.service)
      migration.units.push_back(opensm.unit);
    migration.ports.push_back(std::move(*port));
  }
  if (!migration.service.empty())
    migration.enabled = run_program({"systemctl", "is-enabled", migration.service}).ok();
  return migration;
}

bool print_configuration(PortMigration& port) {
  print_opensm(port);
  config::CommandLine& line = port.line;
  const std::string directory = port.opensm ? port.opensm->directory : "";
  const fs::path cache = in_directory(line.options.cache_files_dir, directory);
  const auto partitioning = make_partitions(port, line.diagnostics);
  if (!complain_of_refused(port)) return false;
  std::cout << "Taken over:\n"
            << "  options        " << ctl::printable(options_text(line.options)) << '\n'
            << "  partitions     " << partitioning.definitions.size() << " definitions ("
            << ctl::printable(line.options.partition_config_file) << ")\n"
            << "  LIDs           " << ctl::printable(lids_text_of(cache)) << '\n'
            << "  M_Keys         " << ctl::printable(cache_text(cache, kGuid2MKeyFile, "ports"))
            << '\n'
            << "  links          " << ctl::printable(cache_text(cache, kNeighborsFile, "link ends"))
            << '\n'
            << "  registrations  " << ctl::printable(registrations_text(port, directory)) << '\n'
            << "Not taken over:\n";
  const std::vector<std::string> unread = unread_service_settings();
  for (const config::Diagnostic& diagnostic : line.diagnostics)
    std::cout << "  " << diagnostic.text() << '\n';
  for (const std::string& text : unread) std::cout << "  " << ctl::printable(text) << '\n';
  if (line.diagnostics.empty() && unread.empty())
    std::cout << "  nothing: Heddle has all that is set\n";
  return line.action == config::CommandLine::Action::run && !config::has_errors(line.diagnostics);
}

bool print_plan(PortMigration& port) {
  config::Options options = port.line.options;
  options.reassign_lids = false;
  config::Diagnostics findings, of_partitions;
  config::InputFiles files = config::read_input_files(options, reader(port), findings);
  if (!complain_of_refused(port)) return false;
  for (const config::Diagnostic& finding : findings) std::cout << finding.text() << '\n';
  const auto preview = ctl::preview_live(
      port.to,
      {.context = make_context(options, std::move(files), make_partitions(port, of_partitions)),
       .rebalance = false,
       .alter = {}});
  if (!preview) return complain(preview.error());
  const Fabric& fabric = preview->subnet.fabric;
  for (const PortIndex end_port : fabric.end_ports)
    port.lids.emplace(fmt::format("{}", fabric.ports[end_port].guid),
                      fabric.ports[end_port].info.lid().value);
  port.other_master = std::ranges::any_of(preview->subnet.sms, [](const OtherSm& other) {
    return other.info.sm_state() == mad::SmState::master;
  });
  const SwitchGraph graph = make_switch_graph(fabric);
  const auto lids = ctl::find_lid_changes(fabric, preview->subnet.lids);
  const auto tables = ctl::compare_tables(fabric, graph, preview->subnet.lids,
                                          preview->held_lfts.get(), *preview->target.lfts, 0);
  port.plan = {{"engine", preview->subnet.routing->engine}, {"lids_changed", lids.size()}};
  port.plan.update(ctl::table_changes_json(fabric, tables));
  port.plan["writes"] = ctl::writes_json(fabric, preview->plan, 0);
  std::cout << "What Heddle would write (" << preview->subnet.routing->engine << "):\n"
            << ctl::lid_changes_text(fabric, lids) << ctl::table_changes_text(fabric, tables)
            << ctl::writes_text(fabric, preview->plan, 0);
  port.changes = any_lid_changes(fabric, preview->subnet.lids) ||
                 preview->plan.writes(StageKind::forwarding_tables) > 0;
  return true;
}

std::vector<std::string> unit_differences(const Migration& migration) {
  // These options name the port and the files of one process.
  constexpr std::string_view kOwn[] = {"guid", "log_file", "daemon", "pid_file"};
  const auto units = ports_of_units();
  if (!units) return {units.error()};
  std::vector<std::string> lines;
  for (const PortMigration& port : migration.ports) {
    const auto unit =
        std::ranges::find(*units, fmt::format("{}", port.to), &Ports::value_type::first);
    if (unit == units->end()) {
      lines.push_back(fmt::format(
          "heddle.service would not run on port {}: heddle(8), FILES, says which file decides",
          port.to));
      continue;
    }
    std::vector<std::string> refused;
    const config::CommandLine line = read_line(unit->second, {}, refused);
    std::ranges::move(refused, std::back_inserter(lines));
    for (const config::Key& key : config::keys()) {
      const std::string now = config::value_text(key, port.line.options),
                        then = config::value_text(key, line.options);
      if (now == then || std::ranges::find(kOwn, key.name) != std::end(kOwn)) continue;
      lines.push_back(fmt::format(
          "heddle@{}.service would have {} {}, this OpenSM has {}: write it into {}, or its flag "
          "into HEDDLE_OPTIONS of /etc/default/heddle",
          port.to, key.name, config::shown_value(key, line.options),
          config::shown_value(key, port.line.options), line.config_file));
    }
  }
  // The launcher leaves out ports that this machine does not have.
  for (const mad::umad::LocalPort& local : mad::umad::list_local_ports()) {
    const std::string guid = fmt::format("{}", local.guid);
    if (std::ranges::find(*units, guid, &Ports::value_type::first) != units->end() &&
        std::ranges::find(migration.ports, local.guid, &PortMigration::to) == migration.ports.end())
      lines.push_back(
          fmt::format("heddle.service would also run on port {}, on which no OpenSM runs", guid));
  }
  return lines;
}

std::vector<ServiceStep> service_steps(const Migration& migration) {
  using Argv = std::vector<std::string>;
  Argv opensm{migration.service}, heddle{"heddle.service"};
  opensm.insert(opensm.end(), migration.units.begin(), migration.units.end());
  for (const PortMigration& port : migration.ports)
    heddle.push_back(fmt::format("heddle@{}.service", port.to));
  const auto systemctl = [](const char* verb, Argv units) {
    units.insert(units.begin(), {"systemctl", verb});
    return units;
  };
  const auto if_enabled = [&](const Argv& argv) { return migration.enabled ? argv : Argv(); };
  return {
      {systemctl("stop", opensm), systemctl("start", opensm)},
      {systemctl("start", {heddle.front()}), systemctl("stop", heddle)},
      {systemctl("disable", {opensm.front()}), if_enabled(systemctl("enable", {opensm.front()}))},
      {if_enabled(systemctl("enable", {heddle.front()})), systemctl("disable", {heddle.front()})}};
}

std::vector<std::string> revert_commands(const Migration& migration, pid_t heddle) {
  std::vector<std::string> commands;
  if (!migration.service.empty()) {
    for (const ServiceStep& step : service_steps(migration))
      if (!step.undo.empty())
        commands.insert(commands.begin(), fmt::format("{}", fmt::join(step.undo, " ")));
    return commands;
  }
  const std::string pid = heddle == 0 ? "PID" : fmt::format("{}", heddle);
  commands.push_back(fmt::format("kill {}", pid));
  const PortMigration& port = migration.ports.front();
  if (!port.same_port()) return commands;
  commands.push_back(fmt::format("tail --pid={} -f /dev/null", pid));
  commands.push_back(ctl::shell_command(port.opensm->arguments, environment_of(*port.opensm),
                                        port.opensm->directory));
  return commands;
}

}  // namespace sm::commands
