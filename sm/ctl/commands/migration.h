#pragma once
// `heddlectl migrate-from opensm` takes over the OpenSM that runs on this machine, or the one that
// is configured here: this finds, reads and shows it, and changes nothing.

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

/// The change on one port.
struct PortMigration {
  std::optional<ctl::RunningOpenSm> opensm;  // nothing: none runs here
  std::vector<std::string> flags;            // of Heddle, but for those of command_of()
  config::CommandLine line;                  // `flags`, read
  mad::Guid from, to;                        // port of the OpenSM here (0: none), and of Heddle
  std::string sa_db;                         // a dump of registrations to begin with; may be empty
  std::map<std::string, unsigned> lids;      // by PortGUID, before
  bool other_master = false;                 // somewhere else in the subnet
  bool changes = false;                      // LIDs or forwarding tables would change
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

/// The OpenSM with the process number of `options`, else the only one, else those of one service;
/// if none runs, what the files of the services name. Errors: in words.
tl::expected<Migration, std::string> find_migration(const MigrateOptions& options);

/// Prints what is taken over, what is not and why. Returns false if Heddle would refuse it, or a
/// file that has to be read cannot be.
bool print_configuration(PortMigration& port);

/// Prints what Heddle would write now, and sets what is known of the fabric in `port`; only reads.
/// Returns false if that fails, with the reason on standard error.
bool print_plan(PortMigration& port);

/// Returns how the units of Heddle would differ from these OpenSMs: other ports, other options.
std::vector<std::string> unit_differences(const Migration& migration);

/// A command of the change, empty: none, and the one that takes it back.
struct ServiceStep {
  std::vector<std::string> argv, undo;
};
/// How heddle.service takes the place of the service: stop that one, start this one, and, when it
/// leads, what the next boot starts of either.
std::vector<ServiceStep> service_steps(const Migration& migration);

/// The commands that lead back. `heddle`: its process, 0: not known yet.
std::vector<std::string> way_back(const Migration& migration, pid_t heddle);

/// The environment that an OpenSM had, as far as it concerns its files.
std::vector<std::pair<std::string, std::string>> environment_of(const ctl::RunningOpenSm& opensm);

/// A path as the process in `directory` means it.
std::string in_directory(const std::string& path, const std::string& directory);

}  // namespace sm::commands
