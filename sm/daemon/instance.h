#pragma once

#include <spdlog/logger.h>

#include <future>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "mad/umad/umad_port.h"
#include "sm/daemon/manager_commands.h"
#include "sm/manager/manager.h"
#include "sm/ops/view.h"

namespace sm {

/// An Instance connects a Manager to its port, and claims the role of subnet manager there.
class Instance {
 public:
  /// Errors: one line that names the port and the reason.
  static tl::expected<std::unique_ptr<Instance>, std::string> bind(
      mad::Runtime& runtime, const mad::umad::LocalPort& port, std::shared_ptr<spdlog::logger> log,
      ManagerOptions options, ProcessCommands process);
  /// True if the device of the port is gone: the manager then ends soon, with exit code 1.
  bool port_is_lost() const { return port_is_lost_; }
  /// Begins to release the port and the claim, after the manager has ended. Requests that still
  /// wait get no response. It happens on a thread of its own, since a device may hang.
  void begin_closing();
  /// True if that has ended, before `end`. If not, the instance must not be destroyed.
  bool wait_closed(mad::TimePoint end) const;
  const std::string& port_name() const { return port_name_; }
  Manager& manager() { return *manager_; }
  OperatorCommands& commands() { return *commands_; }
  /// Returns what the manager has published, for the API. Never null.
  std::shared_ptr<const View> view() const;
  mad::Guid port_guid() const { return port_guid_; }

 private:
  Instance(std::shared_ptr<spdlog::logger> log, mad::umad::IssmHold hold,
           std::unique_ptr<mad::umad::UmadPort> port, const mad::umad::LocalPort& local)
      : port_guid_(local.guid),
        port_name_(local.name()),
        log_(std::move(log)),
        port_(std::move(port)),
        hold_(std::move(hold)) {}
  void report_blocked(bool blocked);

  mad::Guid port_guid_;  // the operating system's
  std::string port_name_;
  bool port_is_lost_ = false;
  std::shared_ptr<spdlog::logger> log_;
  std::unique_ptr<mad::umad::UmadPort> port_;
  std::optional<mad::umad::IssmHold> hold_;  // given up before the port closes
  std::unique_ptr<Manager> manager_;
  std::unique_ptr<ManagerCommands> commands_;
  std::future<void> closed_;  // valid from begin_closing() on
};

/// Returns the options of the instance at this port. Several instances in a process may manage
/// several subnets, so each has its own files. Its directories for cache and dumps are below those
/// of the options, named by the port GUID. Its log is `opensm.<GUID>.log` beside `opensm.log`,
/// which keeps the lines about the process; all instances share the standard streams. The position
/// of the port in `guid` selects the value of a list in subnet_prefix.
config::Options options_for(const config::Options& options, mad::Guid port_guid,
                            bool one_of_several);
/// Returns the options of a process with this port alone, where `local` are the ports of this
/// machine. Directories that another port uses, in another process, are replaced by those of
/// claim_directory(), and so are the files in them. Log and pid file belong to the process and
/// stay. `warnings` gets lines for the log; null drops them.
config::Options options_beside_others(const config::Options& options, mad::Guid port_guid,
                                      std::span<const mad::Guid> local,
                                      std::vector<std::string>* warnings = nullptr);
/// True if log_file names a standard stream.
bool logs_to_stream(const config::Options& options);
/// Creates cache_files_dir and dump_files_dir of one of several instances. Errors: one line with
/// the directory and the reason.
tl::expected<void, std::string> make_directories(const config::Options& options);

}  // namespace sm
