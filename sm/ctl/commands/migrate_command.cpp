// heddlectl migrate-from opensm: what Heddle takes over from an OpenSM, what it would write, and
// the change itself.

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <limits>
#include <map>
#include <memory>

#include <fmt/ranges.h>

#include "config/check.h"
#include "config/command_line.h"
#include "config/flags.h"
#include "config/schema.h"
#include "config/value.h"
#include "mad/format.h"
#include "mad/umad/local_ports.h"
#include "partitions/load.h"
#include "sm/ctl/commands/commands.h"
#include "sm/ctl/commands/list_commands.h"
#include "sm/ctl/commands/managers.h"
#include "sm/ctl/commands/started_daemon.h"
#include "sm/ctl/lists_text.h"
#include "sm/ctl/live.h"
#include "sm/ctl/plan_text.h"
#include "sm/ctl/running_opensm.h"
#include "sm/ops/control_socket.h"
#include "sm/sa/registrations/sa_db.h"
#include "sm/store/guid2lid.h"

namespace sm::commands {

namespace {

namespace fs = std::filesystem;

constexpr std::chrono::seconds kEndLimit{30}, kStartLimit{120}, kLeadLimit{120};
constexpr unsigned kPriorityMax = 15;

struct MigrateOptions {
  std::string from, guid;
  pid_t pid = 0;
  bool apply = false;
};

/// A path as the process in `directory` means it.
std::string in_directory(const std::string& path, const std::string& directory) {
  return path.empty() || directory.empty() || path.front() == '/' ? path : directory + "/" + path;
}

/// What is to be taken over, and where to.
struct Migration {
  std::optional<ctl::RunningOpenSm> opensm;  // nothing: none runs here
  config::CommandLine line;                  // as Heddle reads the OpenSM's
  mad::Guid from, to;                        // port of the OpenSM here (0: none), and of Heddle
  std::string sa_db;                         // a dump of registrations to begin with; may be empty
  std::map<std::string, unsigned> lids;      // by PortGUID, before
  bool same_port() const { return opensm && from == to; }
};

config::CommandLine read_line(const std::vector<std::string>& flags,
                              const ctl::RunningOpenSm& opensm) {
  std::vector<const char*> args{"heddle"};
  for (const std::string& flag : flags) args.push_back(flag.c_str());
  const auto or_null = [](const std::string& text) {
    return text.empty() ? nullptr : text.c_str();
  };
  return config::parse_command_line(
      args,
      [&](const std::string& path) {
        return config::read_file(in_directory(path, opensm.directory));
      },
      config::default_options(or_null(opensm.temporary), or_null(opensm.cache)));
}

/// Ports of this machine, or those that are named although it has none with that GUID.
tl::expected<mad::Guid, std::string> port_of(std::optional<mad::Guid> wanted) {
  return mad::umad::choose_port(mad::umad::list_local_ports(), wanted)
      .map([](const mad::umad::LocalPort& port) { return port.guid; });
}

std::optional<Migration> find_migration(const MigrateOptions& options) {
  Migration found;
  auto all = ctl::running_opensms();
  if (options.pid != 0)
    std::erase_if(all, [&](const ctl::RunningOpenSm& each) { return each.pid != options.pid; });
  if (options.pid != 0 && all.empty())
    return complain(fmt::format("process {} is no OpenSM", options.pid)), std::nullopt;
  if (all.size() > 1) {
    std::vector<pid_t> pids;
    pids.reserve(all.size());
    for (const ctl::RunningOpenSm& each : all) pids.push_back(each.pid);
    return complain(fmt::format("several OpenSMs run here, processes {}; say by --pid which one",
                                fmt::join(pids, ", "))),
           std::nullopt;
  }
  if (!all.empty()) found.opensm = all.front();
  const ctl::RunningOpenSm opensm = found.opensm.value_or(ctl::RunningOpenSm{});
  found.line = read_line(ctl::flags_to_keep(opensm.arguments), opensm);
  if (found.line.options.guid.size() > 1)
    return complain(
               "this OpenSM is for several ports at once; Heddle takes its command line as it "
               "is: stop the one, start the other"),
           std::nullopt;
  if (found.opensm) {
    if (!found.line.options.guid.empty()) {
      found.from = mad::Guid{found.line.options.guid.front()};
    } else if (const auto port = port_of(std::nullopt)) {
      found.from = *port;
    }
  }
  std::optional<mad::Guid> wanted;
  if (std::uint64_t guid = 0; config::read_number(options.guid, guid)) {
    wanted = mad::Guid{guid};
  } else if (found.from != mad::Guid{}) {
    wanted = found.from;
  }
  const auto to = port_of(wanted);
  if (!to) return complain(to.error()), std::nullopt;
  found.to = *to;
  return found;
}

void print_opensm(const Migration& migration) {
  if (!migration.opensm) {
    std::cout << "OpenSM: none runs on this machine; the defaults and "
              << migration.line.config_file << " count\n";
    return;
  }
  const ctl::RunningOpenSm& opensm = *migration.opensm;
  std::cout << fmt::format("OpenSM: process {}, port {}{}\n  {}\n", opensm.pid, migration.from,
                           opensm.unit.empty() ? "" : ", " + opensm.unit,
                           ctl::printable(fmt::format("{}", fmt::join(opensm.arguments, " "))));
}

std::string options_text(const config::Options& options) {
  std::vector<std::string> set;
  const config::Options defaults;
  for (const config::Key& key : config::keys()) {
    if (!options.is_set(key.name)) continue;
    const std::string value = config::value_text(key, options);
    if (value == config::value_text(key, defaults)) continue;
    // Not for a terminal: they are secrets.
    set.push_back(fmt::format(
        "{} {}", key.name,
        key.name.ends_with("_key") || key.name.find("password") != std::string_view::npos ? "***"
                                                                                          : value));
  }
  return set.empty() ? "all have their defaults" : fmt::format("{}", fmt::join(set, ", "));
}

std::string lids_text_of(const config::Options& options, const std::string& directory) {
  const fs::path path = fs::path(in_directory(options.cache_files_dir, directory)) / "guid2lid";
  const auto text = config::read_file(path.string());
  if (!text) return fmt::format("those that ports have; there is no {}", path.string());
  const auto parsed = parse_guid2lid(*text);
  if (!parsed.errors.empty())
    return fmt::format("those that ports have; {} is damaged: {}", path.string(),
                       parsed.errors.front().text(path.string()));
  return fmt::format("those that ports have, and {} of {}", parsed.value.entries.size(),
                     path.string());
}

std::string registrations_text(Migration& migration, const std::string& directory) {
  const config::Options& options = migration.line.options;
  const fs::path path = fs::path(in_directory(options.dump_files_dir, directory)) / sa::kSaDbFile;
  const auto text = config::read_file(path.string());
  if (!options.sa_db_dump || !text)
    return "none: this OpenSM does not write them (sa_db_dump TRUE and SIGHUP would); clients are "
           "told to register again";
  const sa::ParsedSaDb parsed = sa::parse_sa_db(*text);
  if (!parsed.errors.empty())
    return fmt::format("none: {}; clients are told to register again",
                       parsed.errors.front().text(path.string()));
  migration.sa_db = path.string();
  std::size_t members = 0;
  for (const auto& group : parsed.value.groups) members += group.members.size();
  return fmt::format("{} groups with {} members, {} services, {} subscriptions of {}",
                     parsed.value.groups.size(), members, parsed.value.services.size(),
                     parsed.value.subscriptions.size(), path.string());
}

/// What is taken over and what is not. False: Heddle would refuse it.
bool print_configuration(Migration& migration, partitions::Configuration& partitioning) {
  config::CommandLine& line = migration.line;
  const std::string directory = migration.opensm ? migration.opensm->directory : "";
  partitioning = partitions::load(
      line.options,
      [&](const std::string& path) { return config::read_file(in_directory(path, directory)); },
      line.diagnostics);
  std::cout << "Taken over:\n"
            << "  options        " << ctl::printable(options_text(line.options)) << '\n'
            << "  partitions     " << partitioning.definitions.size() << " definitions ("
            << line.options.partition_config_file << ")\n"
            << "  LIDs           " << lids_text_of(line.options, directory) << '\n'
            << "  registrations  " << registrations_text(migration, directory) << '\n'
            << "Not taken over:\n";
  for (const config::Diagnostic& diagnostic : line.diagnostics)
    std::cout << "  " << diagnostic.text() << '\n';
  if (line.diagnostics.empty()) std::cout << "  nothing: Heddle has all that is set\n";
  return line.action == config::CommandLine::Action::run && !config::has_errors(line.diagnostics);
}

/// What a Heddle would write now. Only reads.
bool print_plan(Migration& migration, const partitions::Configuration& partitioning) {
  config::Options options = migration.line.options;
  options.reassign_lids = false;
  config::Diagnostics findings;
  config::InputFiles files = config::read_input_files(options, config::read_file, findings);
  for (const config::Diagnostic& finding : findings) std::cout << finding.text() << '\n';
  const auto preview = ctl::preview_live(
      migration.to, {.context = make_context(options, std::move(files), partitioning),
                     .rebalance = false,
                     .alter = {}});
  if (!preview) return complain(preview.error());
  const Fabric& fabric = preview->subnet.fabric;
  for (const PortIndex port : fabric.end_ports)
    migration.lids.emplace(fmt::format("{}", fabric.ports[port].guid),
                           fabric.ports[port].info.lid().value);
  const SwitchGraph graph = make_switch_graph(fabric);
  std::cout << "What Heddle would write (" << preview->subnet.routing->engine << "):\n"
            << ctl::lid_changes_text(fabric, preview->subnet.lids)
            << ctl::table_changes_text(fabric, graph, preview->subnet.lids,
                                       preview->held_lfts.get(), *preview->target.lfts, 0)
            << ctl::writes_text(fabric, preview->plan, 0);
  return true;
}

StartedDaemon::Command command_of(const Migration& migration) {
  StartedDaemon::Command command{
      .argv = {daemon_program().string()}, .directory = {}, .environment = {}};
  const ctl::RunningOpenSm opensm = migration.opensm.value_or(ctl::RunningOpenSm{});
  for (std::string& flag : ctl::flags_to_keep(opensm.arguments))
    command.argv.push_back(std::move(flag));
  command.directory = opensm.directory;
  if (!opensm.temporary.empty()) command.environment.emplace_back("OSM_TMP_DIR", opensm.temporary);
  if (!opensm.cache.empty()) command.environment.emplace_back("OSM_CACHE_DIR", opensm.cache);
  const auto add = [&](const char* flag, std::string value) {
    command.argv.emplace_back(flag);
    command.argv.push_back(std::move(value));
  };
  add("-g", fmt::format("{}", migration.to));
  if (!migration.sa_db.empty()) add("-S", migration.sa_db);
  if (migration.same_port()) return command;
  add("-p", "0");        // it stands by until it is to lead
  if (migration.opensm)  // the other one goes on writing its own
    add("-f",
        (fs::path(in_directory(migration.line.options.log_file, opensm.directory)).parent_path() /
         fmt::format("opensm.{}.log", migration.to))
            .string());
  return command;
}

void print_steps(const Migration& migration) {
  const std::string start = fmt::format("{}", fmt::join(command_of(migration).argv, " "));
  std::cout << "Steps (--apply):\n";
  if (migration.same_port()) {
    std::cout << fmt::format("  stop OpenSM (process {}), since a port has one subnet manager\n",
                             migration.opensm->pid)
              << "  " << start << '\n'
              << "Back again: stop Heddle, start OpenSM with the command line above; it reads the "
                 "same files\n";
    return;
  }
  std::cout << "  " << start << '\n'
            << "  wait until it has read the subnet as STANDBY, then raise its priority: the "
               "master hands over\n"
            << "Back again: stop Heddle; OpenSM, which stands by then, takes over\n";
}

bool leads(const nlohmann::json& status) {
  return status.at("state") == "Master" &&
         status.at("sweeps").at("last").get<std::string>().ends_with("SUBNET UP");
}

/// LIDs are those of before. What is not is said.
bool check_lids(const Migration& migration) {
  const auto answer = get_from(socket_of(migration.to), "/lids");
  const auto parsed = nlohmann::json::parse(answer.value_or(""), nullptr, false);
  if (parsed.is_discarded()) return complain("the LIDs cannot be compared: no answer of Heddle");
  std::size_t same = 0, changed = 0;
  for (const auto& lid : parsed.at("lids")) {
    const auto before = migration.lids.find(lid.at("port_guid").get<std::string>());
    if (before == migration.lids.end() || before->second == 0) continue;
    ++(before->second == lid.at("lid").get<unsigned>() ? same : changed);
  }
  std::cout << fmt::format("LIDs: {} as before, {} changed\n", same, changed);
  return changed == 0;
}

int conclude(const Migration& migration, const StartedDaemon& heddle,
             const nlohmann::json& status) {
  const bool lids = check_lids(migration);
  std::cout << fmt::format("Heddle (process {}) is MASTER on port {}: {}; {} SubnSet were sent\n",
                           heddle.pid(), migration.to,
                           status.at("sweeps").at("last").get<std::string>(),
                           status.at("smps").at("set").at("sent").get<std::uint64_t>());
  for (const auto& condition : status.at("conditions"))
    std::cout << "  " << ctl::condition_line(condition, wants_colour());
  return lids ? kOk : kFailed;
}

int apply_on_same_port(const Migration& migration) {
  const ctl::RunningOpenSm& opensm = *migration.opensm;
  if (const auto ended = end_process(opensm.pid, kEndLimit); !ended)
    return complain(ended.error() + "; nothing else was done"), kFailed;
  std::cout << "OpenSM has ended\n";
  auto heddle = StartedDaemon::start(command_of(migration));
  auto status =
      heddle ? heddle->wait_until(migration.to, kLeadLimit, leads) : tl::unexpected(heddle.error());
  if (status) return conclude(migration, *heddle, *status);
  complain("Heddle does not lead: " + status.error());
  if (heddle) heddle->stop();
  const auto again = StartedDaemon::start(
      {.argv = opensm.arguments,
       .directory = opensm.directory,
       .environment = {{"OSM_TMP_DIR", migration.line.options.dump_files_dir},
                       {"OSM_CACHE_DIR", migration.line.options.cache_files_dir}}});
  complain(again ? "OpenSM was started again with its command line" : again.error());
  return kFailed;
}

/// The priority that makes the master hand over; nothing: there is none above it.
std::optional<unsigned> priority_above(const nlohmann::json& status) {
  unsigned master = 0;
  for (const auto& other : status.value("managers", nlohmann::json::array()))
    if (other.at("state") == "Master")
      master = std::max(master, other.at("priority").get<unsigned>());
  if (master >= kPriorityMax) return std::nullopt;
  return master + 1;
}

int apply_on_another_port(const Migration& migration) {
  auto heddle = StartedDaemon::start(command_of(migration));
  if (!heddle) return complain(heddle.error()), kFailed;
  const auto failed = [&](const std::string& why) {
    heddle->stop();
    return complain(why + "; Heddle was stopped, and the other manager leads on"), kFailed;
  };
  const auto warm = heddle->wait_until(migration.to, kStartLimit, [](const nlohmann::json& status) {
    return status.contains("standby") || leads(status);
  });
  if (!warm) return failed("Heddle has not read the subnet as STANDBY: " + warm.error());
  if (!leads(*warm)) {
    std::cout << fmt::format(
        "Heddle (process {}) stands by; taking over would write {} "
        "attributes\n",
        heddle->pid(), warm->at("standby").at("writes").dump());
    const auto priority = priority_above(*warm);
    if (!priority)
      return failed("the master has priority 15: give it a lower one (sm_priority, SIGHUP)");
    const auto raised = post_to(socket_of(migration.to), fmt::format("/priority/{}", *priority));
    if (!raised) return failed(raised.error());
    std::cout << fmt::format(
        "priority {} from now on, until sm_priority says otherwise: write it "
        "into the configuration\n",
        *priority);
  }
  const auto status = heddle->wait_until(migration.to, kLeadLimit, leads);
  if (!status) return failed("the master has not handed over: " + status.error());
  return conclude(migration, *heddle, *status);
}

int migrate(const MigrateOptions& options) {
  auto migration = find_migration(options);
  if (!migration) return kFailed;
  print_opensm(*migration);
  partitions::Configuration partitioning;
  if (!print_configuration(*migration, partitioning))
    return complain("Heddle refuses this configuration; the lines above say where and why"),
           kFailed;
  if (!print_plan(*migration, partitioning)) return kFailed;
  if (get_from(socket_of(migration->to), "/status"))
    return complain("a Heddle runs on this port already; `heddlectl status` says what it does"),
           kFailed;
  if (migration->same_port() && !migration->opensm->unit.empty()) {
    const std::string& unit = migration->opensm->unit;
    std::cout << fmt::format(
        "Steps, since systemd runs this OpenSM:\n  systemctl stop {}\n"
        "  systemctl start heddle@{}.service\n"
        "Back again: the same, the other way round; `systemctl disable` and "
        "`enable` for the next boot\n",
        unit, migration->to);
    return options.apply ? (complain("--apply leaves services to systemctl"), kFailed) : kOk;
  }
  print_steps(*migration);
  if (!options.apply) return kOk;
  std::cout << std::flush;
  return migration->same_port() ? apply_on_same_port(*migration)
                                : apply_on_another_port(*migration);
}

}  // namespace

void add_migrate_command(const AddCommand& add) {
  const auto options = std::make_shared<MigrateOptions>();
  CLI::App& command = add(
      "migrate-from", "From OpenSM to Heddle: what is taken over, what is written; and does it.",
      "Reads the OpenSM that runs on this machine: its flags, opensm.conf, partitions, guid2lid\n"
      "and opensm-sa.dump. Prints what Heddle takes over, what it does not have, and what it\n"
      "would write to the fabric, which is only read. With --apply: on the port of OpenSM, that\n"
      "one is stopped first; on another port (--guid), or on another machine, Heddle stands\n"
      "by until it has read the subnet, and the master hands over. Services of systemd are\n"
      "not changed, their commands are printed.",
      "  heddlectl migrate-from opensm\n"
      "  heddlectl migrate-from opensm --apply\n"
      "  heddlectl migrate-from opensm --apply --guid 0x0002c90300000001\n",
      [=] { return migrate(*options); });
  command.add_option("MANAGER", options->from, "opensm")
      ->required()
      ->type_name("")
      ->check([](const std::string& text) {
        return text == "opensm" ? std::string()
                                : fmt::format("'{}' is not known; there is opensm", text);
      });
  command.add_option("--pid", options->pid, "the OpenSM, if several run here")
      ->type_name("PID")
      ->check(config::between(pid_t{1}, std::numeric_limits<pid_t>::max()));
  command.add_flag("--apply", options->apply, "does it; else nothing is changed");
  command
      .add_option("--guid", options->guid, "the port that Heddle is to run on; else that of OpenSM")
      ->type_name("GUID")
      ->check(check_port_guid);
}

}  // namespace sm::commands
