// heddlectl migrate-from opensm makes the change itself, and reverts it if it fails. migration.h
// decides what is taken over.

#include <signal.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <limits>
#include <memory>
#include <optional>
#include <sstream>
#include <system_error>

#include <fmt/ranges.h>

#include "config/common_command_line.h"
#include "config/control_characters.h"
#include "mad/format.h"
#include "sm/ctl/commands/command_options.h"
#include "sm/ctl/commands/commands.h"
#include "sm/ctl/commands/list_commands.h"
#include "sm/ctl/commands/managers.h"
#include "sm/ctl/commands/migration.h"
#include "sm/ctl/commands/started_daemon.h"
#include "sm/ctl/lists_text.h"
#include "sm/ctl/running_opensm.h"
#include "sm/ops/control_socket.h"

namespace sm::commands {

namespace {

namespace fs = std::filesystem;

constexpr std::chrono::seconds kEndLimit{30}, kKillLimit{5};
constexpr unsigned kPriorityMax = 15;
constexpr const char* kUnit = "heddle.service";

/// Exit codes of this command.
constexpr int kWouldDiffer = 1, kNotDone = 2;

constexpr const char* kMigrateExitCodes =
    "Exit codes: 0 done, or without --apply: no LID and no forwarding table would change;\n"
    "1 they would change, and nothing was done, or after --apply: LIDs have changed; 2 it cannot\n"
    "be done, or it has failed and OpenSM runs as before, or the command line is wrong.\n";

/// Blocks the signals of a terminal while it lives, so that they do not interrupt a change.
class BlockedSignals {
 public:
  BlockedSignals() {
    sigset_t waiting;
    sigemptyset(&waiting);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE})
      sigaddset(&waiting, signal);
    sigprocmask(SIG_BLOCK, &waiting, &before_);
  }
  ~BlockedSignals() { sigprocmask(SIG_SETMASK, &before_, nullptr); }
  BlockedSignals(const BlockedSignals&) = delete;
  BlockedSignals& operator=(const BlockedSignals&) = delete;

 private:
  sigset_t before_{};
};

StartedDaemon::Command command_of(const PortMigration& port) {
  StartedDaemon::Command command{
      .argv = {daemon_program().string()}, .directory = {}, .environment = {}};
  command.argv.insert(command.argv.end(), port.flags.begin(), port.flags.end());
  const ctl::RunningOpenSm opensm = port.opensm.value_or(ctl::RunningOpenSm{});
  command.directory = opensm.directory;
  command.environment = environment_of(opensm);
  const auto add = [&](const char* flag, std::string value) {
    command.argv.emplace_back(flag);
    command.argv.push_back(std::move(value));
  };
  add("-g", fmt::format("{}", port.to));
  if (!port.sa_db.empty()) add("-S", port.sa_db);
  if (port.same_port()) return command;
  add("-p", "0");   // it stands by until it is to lead
  if (port.opensm)  // the other one goes on writing its own
    add("-f", (fs::path(in_directory(port.line.options.log_file, opensm.directory)).parent_path() /
               fmt::format("opensm.{}.log", port.to))
                  .string());
  return command;
}

void print_way_back(const Migration& migration, pid_t heddle) {
  std::cout << "Back again:\n";
  for (const std::string& command : revert_commands(migration, heddle))
    std::cout << "  " << config::escape_control_characters(command) << '\n';
  if (migration.service.empty() && !migration.ports.front().same_port())
    std::cout << "  (the other subnet manager, which stands by then, takes over)\n";
}

void print_steps(const Migration& migration) {
  std::cout << "Steps (--apply):\n";
  if (!migration.service.empty()) {
    const std::vector<ServiceStep> steps = service_steps(migration);
    for (std::size_t i = 0; i < steps.size(); ++i) {
      if (i == 2) std::cout << "  wait until Heddle leads, compare the LIDs\n";
      if (!steps[i].argv.empty()) std::cout << fmt::format("  {}\n", fmt::join(steps[i].argv, " "));
    }
    return print_way_back(migration, 0);
  }
  const PortMigration& port = migration.ports.front();
  const StartedDaemon::Command command = command_of(port);
  const std::string start = config::escape_control_characters(
      ctl::shell_command(command.argv, command.environment, command.directory));
  if (port.same_port()) {
    std::cout << fmt::format("  kill {}, since a port has one subnet manager\n  {}\n",
                             port.opensm->pid, start);
  } else {
    std::cout << "  " << start << '\n'
              << "  wait until it has read the subnet as STANDBY, then raise its priority: the "
                 "master hands over\n";
  }
  print_way_back(migration, 0);
}

bool leads(const Json& status) {
  return status.at("state") == "Master" &&
         status.at("sweeps").at("last").get<std::string>().starts_with("SUBNET UP");
}

/// True if Heddle does what OpenSM did: it is master, or standby if there is a master elsewhere.
StatusPredicate replaces(const PortMigration& port) {
  return [&port](const Json& status) {
    return leads(status) || (port.other_master && status.at("state") == "Standby");
  };
}

/// Checks that ports have the LIDs of before, and prints those that differ.
bool check_lids(const PortMigration& port) {
  const auto lids = ManagerApi(port.to).all_rows("/v1/lids", "lids");
  if (!lids) return complain("the LIDs cannot be compared: " + lids.error());
  std::size_t same = 0, changed = 0;
  for (const auto& lid : lids->at("lids")) {
    const auto before = port.lids.find(lid.at("port_guid").get<std::string>());
    if (before == port.lids.end() || before->second == 0) continue;
    ++(before->second == lid.at("lid").get<unsigned>() ? same : changed);
  }
  std::cout << fmt::format("LIDs: {} as before, {} changed\n", same, changed);
  return changed == 0;
}

/// Prints the outcome for one port. Returns false if LIDs have changed.
bool conclude(const PortMigration& port, const std::string& who, const Json& status) {
  if (!leads(status)) {
    std::cout << fmt::format("Heddle ({}) stands by on port {}, as OpenSM did\n", who, port.to);
    return true;
  }
  const bool lids = check_lids(port);
  std::cout << fmt::format("Heddle ({}) is MASTER on port {}: {}; {} SubnSet were sent\n", who,
                           port.to, status.at("sweeps").at("last").get<std::string>(),
                           status.at("smps").at("set").at("sent").get<std::uint64_t>());
  for (const auto& condition : status.at("conditions"))
    if (!ctl::is_caused(condition))
      std::cout << "  " << ctl::condition_line(condition, uses_colour());
  return lids;
}

/// Starts OpenSM after a failure as it was, and prints whether that succeeded.
void start_again(const ctl::RunningOpenSm& opensm) {
  const auto again = StartedDaemon::start({.argv = opensm.arguments,
                                           .directory = opensm.directory,
                                           .environment = environment_of(opensm)});
  complain(again ? fmt::format("OpenSM was started again with its command line (process {})",
                               again->pid())
                 : again.error());
}

int apply_on_same_port(const Migration& migration, std::chrono::seconds limit) {
  const PortMigration& port = migration.ports.front();
  const ctl::RunningOpenSm& opensm = *port.opensm;
  const ForeignProcess process(opensm.pid);
  if (const auto ended = process.end(SIGTERM, std::min(kEndLimit, limit)); !ended) {
    complain(ended.error() + " of SIGTERM");
    // OpenSM could end at a later time, and leave the subnet without a manager.
    if (const auto killed = process.end(SIGKILL, kKillLimit); !killed)
      return complain(killed.error() + " of SIGKILL; nothing else was done"), kNotDone;
    complain("it was killed");
    return start_again(opensm), kNotDone;
  }
  std::cout << "OpenSM has ended\n";
  auto heddle = StartedDaemon::start(command_of(port));
  auto status =
      heddle ? heddle->wait_until(port.to, limit, replaces(port)) : tl::unexpected(heddle.error());
  if (!status) {
    complain("Heddle does not lead: " + status.error());
    if (heddle) heddle->stop();
    return start_again(opensm), kNotDone;
  }
  const bool good = conclude(port, fmt::format("process {}", heddle->pid()), *status);
  print_way_back(migration, heddle->pid());
  return good ? kOk : kWouldDiffer;
}

/// Returns the priority that makes the master hand over, or nothing if there is none above the
/// master's.
std::optional<unsigned> priority_above(const Json& status) {
  unsigned master = 0;
  for (const auto& other : status.at("managers"))
    if (other.at("state") == "Master")
      master = std::max(master, other.at("priority").get<unsigned>());
  if (master >= kPriorityMax) return std::nullopt;
  return master + 1;
}

int apply_on_another_port(const Migration& migration, std::chrono::seconds limit) {
  const PortMigration& port = migration.ports.front();
  auto heddle = StartedDaemon::start(command_of(port));
  if (!heddle) return complain(heddle.error()), kNotDone;
  const auto failed = [&](const std::string& why) {
    heddle->stop();
    return complain(why + "; Heddle was stopped, and the other manager leads"), kNotDone;
  };
  const auto warm = heddle->wait_until(port.to, limit, [](const Json& status) {
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
    const auto raised =
        ManagerApi(port.to).send("PUT", "/v1/priority", dumped(Json{{"priority", *priority}}));
    if (!raised) return failed(raised.error());
    std::cout << fmt::format(
        "priority {} from now on, until sm_priority says otherwise: write it "
        "into the configuration\n",
        *priority);
  }
  const auto status = heddle->wait_until(port.to, limit, leads);
  if (!status) return failed("the master has not handed over: " + status.error());
  const bool good = conclude(port, fmt::format("process {}", heddle->pid()), *status);
  print_way_back(migration, heddle->pid());
  return good ? kOk : kWouldDiffer;
}

/// Runs a step, and prints the reason if it fails. Returns true also for a step without a command.
bool run_step(const std::vector<std::string>& argv) {
  if (argv.empty()) return true;
  const Ran ran = run_program(argv);
  return ran.ok() || complain(fmt::format("{}: {}", fmt::join(argv, " "), ran.err));
}

/// Adds flags to the units of Heddle for this one start: registrations to begin with.
class FlagsOfThisStart {
 public:
  explicit FlagsOfThisStart(const std::vector<PortMigration>& ports) {
    std::error_code ignored;
    fs::create_directories(run_dir(), ignored);
    for (const PortMigration& port : ports) {
      if (port.sa_db.empty()) continue;
      files_.push_back(run_dir() / fmt::format("{}.once", port.to));
      std::ofstream(files_.back()) << "MIGRATION_OPTIONS=\"-S " << port.sa_db << "\"\n";
    }
  }
  ~FlagsOfThisStart() {
    std::error_code ignored;
    for (const fs::path& file : files_) fs::remove(file, ignored);
  }
  FlagsOfThisStart(const FlagsOfThisStart&) = delete;
  FlagsOfThisStart& operator=(const FlagsOfThisStart&) = delete;

 private:
  std::vector<fs::path> files_;
};

/// Stops the service and waits until its processes have ended.
bool stop_service(const Migration& migration, const std::vector<std::string>& stop,
                  std::chrono::seconds limit) {
  std::vector<ForeignProcess> processes;
  processes.reserve(migration.ports.size());
  for (const PortMigration& port : migration.ports) processes.emplace_back(port.opensm->pid);
  if (!run_step(stop)) return false;
  return std::ranges::all_of(processes, [&](const ForeignProcess& process) {
    const auto ended = process.end(0, std::min(kEndLimit, limit));
    return ended ||
           complain(fmt::format("{}, although {} is stopped", ended.error(), migration.service));
  });
}

int apply_to_service(const Migration& migration, std::chrono::seconds limit) {
  const FlagsOfThisStart flags(migration.ports);
  const std::vector<ServiceStep> steps = service_steps(migration);
  const auto failed = [&](bool heddle_started) {
    if (heddle_started) run_step(steps[1].undo);
    if (run_step(steps[0].undo)) complain(migration.service + " was started again");
    return kNotDone;
  };
  if (!stop_service(migration, steps[0].argv, limit)) return failed(false);
  std::cout << migration.service << " is stopped\n";
  if (!run_step(steps[1].argv)) return failed(true);
  bool good = true;
  for (const PortMigration& port : migration.ports) {
    const auto status = wait_for_status(port.to, limit, replaces(port));
    if (!status) {
      complain(fmt::format("Heddle does not lead on port {}: {}", port.to, status.error()));
      return failed(true);
    }
    good = conclude(port, fmt::format("heddle@{}.service", port.to), *status) && good;
  }
  // This is the last step: until here, another boot would have started OpenSM.
  const bool disabled = run_step(steps[2].argv), at_boot = run_step(steps[3].argv) && disabled;
  if (!migration.enabled)
    std::cout << fmt::format("{} is not enabled, as {} was not: systemctl enable {}\n", kUnit,
                             migration.service, kUnit);
  print_way_back(migration, 0);
  if (!at_boot)
    return complain("Heddle runs; what the next boot starts is not as it should be"), kNotDone;
  return good ? kOk : kWouldDiffer;
}

/// Returns false, with the reason on standard error, if the change is not possible.
bool can_be_applied(const Migration& migration) {
  for (const PortMigration& port : migration.ports)
    if (ManagerApi(port.to).get("/v1/subnet"))
      return complain(
          fmt::format("a Heddle runs on port {} already; `heddlectl status` says what "
                      "it does",
                      port.to));
  if (migration.ports.size() > 1 && migration.service.empty())
    return complain("several ports are configured: choose one by --guid");
  if (!migration.foreign_unit.empty())
    return complain(
        fmt::format("this OpenSM belongs to {}, which may be more than OpenSM: stop that yourself, "
                    "then `systemctl start {}`",
                    migration.foreign_unit, kUnit));
  if (migration.service.empty()) return true;
  if (!run_program({"systemctl", "cat", kUnit}).ok())
    return complain("OpenSM is a service, and heddle.service is not installed");
  const std::vector<std::string> differences = unit_differences(migration);
  for (const std::string& difference : differences) complain(difference);
  return differences.empty();
}

/// Captures standard output while it lives.
class CapturedOutput {
 public:
  CapturedOutput() : before_(std::cout.rdbuf(kept_.rdbuf())) {}
  ~CapturedOutput() { std::cout.rdbuf(before_); }
  CapturedOutput(const CapturedOutput&) = delete;
  CapturedOutput& operator=(const CapturedOutput&) = delete;
  /// Returns the lines so far.
  Json lines() const {
    Json all = Json::array();
    std::istringstream text(kept_.str());
    for (std::string line; std::getline(text, line);) all.push_back(line);
    return all;
  }

 private:
  std::ostringstream kept_;
  std::streambuf* before_;
};

Json migration_json(const Migration& migration) {
  Json ports = Json::array();
  for (const PortMigration& port : migration.ports)
    ports.push_back({{"port_guid", fmt::format("{}", port.to)},
                     {"opensm_pid", port.opensm ? Json(port.opensm->pid) : Json()},
                     {"same_port", port.same_port()},
                     {"other_master", port.other_master},
                     {"changes", port.changes},
                     {"plan", port.plan.is_null() ? Json() : port.plan}});
  return {{"service", migration.service.empty() ? Json() : Json(migration.service)},
          {"ports", std::move(ports)},
          {"revert_commands", revert_commands(migration, 0)}};
}

int carry_out(const MigrateOptions& options, Migration& migration);

int migrate(const MigrateOptions& options) {
  auto migration = find_migration(options);
  if (!migration) return complain(migration.error()), kNotDone;
  if (!options.json) return carry_out(options, *migration);
  Json out;
  int code = kNotDone;
  {
    const CapturedOutput output;
    code = carry_out(options, *migration);
    out = migration_json(*migration);
    const bool is_held_back =
        !options.allow_changes && std::ranges::any_of(migration->ports, &PortMigration::changes);
    out["applied"] = options.apply && code != kNotDone && !is_held_back;
    out["report"] = output.lines();
  }
  std::cout << dumped_by_rows(out);
  return code;
}

int carry_out(const MigrateOptions& options, Migration& migration) {
  for (PortMigration& port : migration.ports) {
    if (!print_configuration(port))
      return complain("Heddle refuses this configuration; the lines above say where and why"),
             kNotDone;
    if (!print_plan(port)) return kNotDone;
  }
  if (!can_be_applied(migration)) return kNotDone;
  print_steps(migration);
  std::cout << std::flush;
  const bool changes = std::ranges::any_of(migration.ports, &PortMigration::changes);
  if (!options.apply) return changes ? kWouldDiffer : kOk;
  if (changes && !options.allow_changes)
    return complain(
               "LIDs or forwarding tables would change, see above; nothing was done. "
               "--allow-changes migrates anyway"),
           kWouldDiffer;
  const BlockedSignals wait;
  const std::chrono::seconds limit{options.wait_s};
  if (!migration.service.empty()) return apply_to_service(migration, limit);
  return migration.ports.front().same_port() ? apply_on_same_port(migration, limit)
                                             : apply_on_another_port(migration, limit);
}

}  // namespace

void add_migrate_command(const AddCommand& add) {
  const auto options = std::make_shared<MigrateOptions>();
  CLI::App& command = add(
      "migrate-from", "From OpenSM to Heddle: what is taken over, what is written; and does it.",
      "Reads the OpenSM that runs on this machine: its flags, opensm.conf, partitions, guid2lid,\n"
      "guid2mkey and opensm-sa.dump; if none runs, what /etc/default/opensm, "
      "/etc/sysconfig/opensm\n"
      "and /etc/rdma/opensm.conf.N name. Prints what Heddle takes over, what it does not have, "
      "and\n"
      "what it would write to the fabric, which is only read. With --apply: on the port of "
      "OpenSM,\n"
      "that one is stopped first; a service of systemd is stopped and disabled, and "
      "heddle.service\n"
      "started and enabled in its place, for all of its ports. On another port (--guid), or on\n"
      "another machine, Heddle stands by until it has read the subnet, and the master hands over.\n"
      "If a step fails, Heddle is stopped and OpenSM started again. The way back is printed.\n"
      "Processes of other users than root and the caller, and files that they can change, are\n"
      "refused by name: the configuration says which programs run.",
      "  heddlectl migrate-from opensm\n"
      "  heddlectl migrate-from opensm --apply\n"
      "  heddlectl migrate-from opensm --apply --guid 0x0002c90300000001\n",
      [=] { return migrate(*options); });
  set_exit_codes(command, kMigrateExitCodes);
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
  command.add_flag("--json", options->json, "findings, plan and steps as JSON");
  command.add_flag("--apply", options->apply, "does it; else nothing is changed");
  command.add_flag("--allow-changes", options->allow_changes,
                   "does it, too, if LIDs or forwarding tables change");
  command
      .add_option("--wait", options->wait_s,
                  "seconds that Heddle has for each step; after them OpenSM\n"
                  "is started again")
      ->type_name("SECONDS")
      ->check(config::between(1U, 86400U));
  command
      .add_option("--guid", options->guid, "the port that Heddle is to run on; else that of OpenSM")
      ->type_name("GUID")
      ->check(check_port_guid);
}

}  // namespace sm::commands
