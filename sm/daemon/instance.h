#pragma once

#include <spdlog/logger.h>
#include <cstdint>
#include <functional>

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "mad/umad/umad_port.h"
#include "sm/manager/manager.h"
#include "sm/ops/operator_commands.h"
#include "sm/ops/view.h"

namespace sm {

/// The log of a process that has managers.
struct ProcessLog {
  std::function<void(std::uint8_t)> set_flags;
  std::function<void(bool)> set_flush;
};

/// Commands to one manager, and to the log of its process. Both outlive this.
class ManagerCommands final : public OperatorCommands {
 public:
  ManagerCommands(Manager& manager, ProcessLog log) : manager_(manager), log_(std::move(log)) {}

  Done resweep() override { return manager_.resweep(); }
  Done light_resweep() override { return manager_.light_resweep(); }
  Done rebalance() override { return manager_.rebalance(); }
  Done isolate(std::string_view place) override { return manager_.isolate(place); }
  Done release(std::string_view place) override { return manager_.release(place); }
  Done update_descriptions() override { return manager_.update_descriptions(); }
  Done set_priority(std::uint8_t priority) override {
    manager_.set_priority(priority);
    return {};
  }
  Done set_sweeping(bool on) override {
    manager_.set_sweeping(on);
    return {};
  }
  Done poll_counters() override { return manager_.performance().poll_now(); }
  Done dump_counters(DumpShape shape) override { return manager_.performance().dump(shape); }
  Done set_log_flags(std::uint8_t flags) override {
    log_.set_flags(flags);
    return {};
  }
  Done set_log_flush(bool on) override {
    log_.set_flush(on);
    return {};
  }

 private:
  Manager& manager_;
  const ProcessLog log_;
};

/// A Manager with the real world around it: its port, and its claim to be a subnet manager there.
class Instance {
 public:
  /// Errors: one line that names the port and the reason.
  static tl::expected<std::unique_ptr<Instance>, std::string> bind(
      mad::Runtime& runtime, const mad::umad::LocalPort& port, std::shared_ptr<spdlog::logger> log,
      ManagerOptions options, ProcessLog process_log);
  /// The device of the port is gone: the manager ends soon, with exit code 1.
  bool port_is_lost() const { return port_is_lost_; }
  /// After the manager has ended: gives the port and the claim up, so that another instance can
  /// have them. What still waits for a response gets none.
  void retire();
  Manager& manager() { return *manager_; }
  OperatorCommands& commands() { return *commands_; }
  /// Returns what the manager has published, for the API. Never null.
  std::shared_ptr<const View> view() const;
  mad::Guid port_guid() const { return port_guid_; }

 private:
  Instance(std::shared_ptr<spdlog::logger> log, mad::umad::IssmHold hold,
           std::unique_ptr<mad::umad::UmadPort> port, mad::Guid guid)
      : port_guid_(guid), log_(std::move(log)), port_(std::move(port)), hold_(std::move(hold)) {}

  mad::Guid port_guid_;  // the operating system's
  bool port_is_lost_ = false;
  std::shared_ptr<spdlog::logger> log_;
  std::unique_ptr<mad::umad::UmadPort> port_;
  std::optional<mad::umad::IssmHold> hold_;  // given up before the port closes
  std::unique_ptr<Manager> manager_;
  std::unique_ptr<ManagerCommands> commands_;
};

/// The options of the instance at this port. Of several in a process each has files of its own,
/// since each may manage another subnet: directories for cache and dumps below those of the
/// options, named by the port GUID, and a log `opensm.<GUID>.log` beside `opensm.log`, which keeps
/// what is about the process. Standard streams are shared. Of a list in subnet_prefix the value at
/// the place of the port in `guid`.
config::Options options_for(const config::Options& options, mad::Guid port_guid,
                            bool one_of_several);
/// The options of a process with this port alone, where `local` are the ports of this machine:
/// directories that another of them uses, in another process, are replaced by those of
/// claim_directory(), and so are files that are named in them. Log and pid file are the process's
/// and stay. `warnings`: lines for the log; null: they are dropped.
config::Options options_beside_others(const config::Options& options, mad::Guid port_guid,
                                      std::span<const mad::Guid> local,
                                      std::vector<std::string>* warnings = nullptr);
/// Whether log_file names a standard stream.
bool logs_to_stream(const config::Options& options);
/// Creates cache_files_dir and dump_files_dir of one of several instances. Errors: one line with
/// the directory and the reason.
tl::expected<void, std::string> make_directories(const config::Options& options);

}  // namespace sm
