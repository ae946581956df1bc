#pragma once
// `heddlectl migrate-from opensm` takes over the OpenSM that runs on this machine, or the one that
// is configured here. The functions of this file find, read and show it; they change nothing.

#include <sys/types.h>

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>
#include <tl/expected.hpp>

#include "config/flags.h"
#include "mad/ids.h"
#include "sm/ctl/running_opensm.h"

namespace sm::commands {

struct MigrateOptions {
  bool json = false;
  std::string from, guid;
  pid_t pid = 0;
  bool apply = false;
  bool allow_changes = false;  // of LIDs and forwarding tables
  unsigned wait_s = 120;       // for each step
};

/// Describes the change on one port.
struct PortMigration {
  std::optional<ctl::RunningOpenSm> opensm;  // nothing: none runs here
  std::vector<std::string> flags;            // of Heddle, but for those of command_of()
  config::CommandLine line;                  // `flags`, read
  mad::Guid from, to;                        // port of the OpenSM here (0: none), and of Heddle
  std::string sa_db;                         // a dump of registrations to begin with; may be empty
  std::map<std::string, unsigned> lids;      // by PortGUID, before
  bool other_master = false;                 // somewhere else in the subnet
  bool changes = false;                      // LIDs or forwarding tables would change
  std::vector<std::string> refused = {};     // files that other users can change, a line each
  nlohmann::ordered_json plan = {};          // what would be written, as `heddlectl plan` has it
  bool same_port() const { return opensm && from == to; }
};

struct Migration {
  std::vector<PortMigration> ports;  // one at least
  std::string service;               // of systemd, that runs the OpenSMs; empty: none
  std::string foreign_unit;          // that runs it and is none of OpenSM's; empty: there is none
  bool enabled = false;              // that service, at boot
  std::vector<std::string> units;    // of it, that run
};

/// Finds the OpenSM to take over: the process that `options` name, else the only one, else the
/// processes of one service. If none runs, takes the OpenSM that the files of the services name.
/// Processes that another user has started, or can change, do not count; complains about each.
/// Errors: in words, also if there are only such processes.
tl::expected<Migration, std::string> find_migration(const MigrateOptions& options);

/// Prints what Heddle takes over, what it does not, and why. Returns false if Heddle would refuse
/// the configuration, or if a necessary file cannot be read.
bool print_configuration(PortMigration& port);

/// Prints what Heddle would write now, and sets what is known of the fabric in `port`. Sends no
/// writes. Returns false after a failure, with the reason on standard error.
bool print_plan(PortMigration& port);

/// Returns how the ports and options of the units of Heddle would differ from those of these
/// OpenSMs.
std::vector<std::string> unit_differences(const Migration& migration);

/// Holds a command of the change and the command that reverts it; an empty one means none.
struct ServiceStep {
  std::vector<std::string> argv, undo;
};
/// Returns the steps that replace the service by heddle.service: stop the service and start Heddle.
/// Once Heddle is master, the last two steps disable the service at boot and enable Heddle.
std::vector<ServiceStep> service_steps(const Migration& migration);

/// Returns the commands that revert the change. `heddle` is the process of Heddle, or 0 if it is
/// not known yet.
std::vector<std::string> revert_commands(const Migration& migration, pid_t heddle);

/// Returns the variables of an OpenSM's environment that concern its files.
std::vector<std::pair<std::string, std::string>> environment_of(const ctl::RunningOpenSm& opensm);

/// Resolves a path as a process in `directory` does.
std::string in_directory(const std::string& path, const std::string& directory);

}  // namespace sm::commands
