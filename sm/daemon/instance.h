#pragma once

#include <spdlog/logger.h>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <cstdint>
#include <functional>
#include <future>
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

/// Carries out commands to a process that has managers.
struct ProcessCommands {
  std::function<void(std::uint8_t)> set_log_flags;
  std::function<void(bool)> set_log_flush;
  std::function<ReloadResult()> reload;
};

/// Carries out commands to one manager, and to its process; both outlive this object.
class ManagerCommands final : public OperatorCommands {
 public:
  ManagerCommands(Manager& manager, ProcessCommands process)
      : manager_(manager), process_(std::move(process)) {}

  Done resweep() override { return manager_.orders().resweep(); }
  Done light_resweep() override { return manager_.orders().light_resweep(); }
  Done rebalance() override { return manager_.orders().rebalance(); }
  Done isolate(const IsolationRequest& request) override {
    return manager_.orders().isolate(request);
  }
  Done release(std::string_view place) override { return manager_.orders().release(place); }
  Done forget(std::string_view name) override { return manager_.orders().forget(name); }
  OrderProgress order_progress() const override { return manager_.orders().progress(); }
  Done update_descriptions() override { return manager_.orders().update_descriptions(); }
  Done set_priority(std::uint8_t priority) override {
    manager_.orders().set_priority(priority);
    return {};
  }
  Done set_sweeping(bool on) override {
    manager_.orders().set_sweeping(on);
    return {};
  }
  Done poll_counters() override { return as_done(manager_.performance().poll_now()); }
  Done dump_counters(DumpShape shape) override {
    return as_done(manager_.performance().dump(shape));
  }
  Done set_log_flags(std::uint8_t flags) override {
    process_.set_log_flags(flags);
    return {};
  }
  Done set_log_flush(bool on) override {
    process_.set_log_flush(on);
    return {};
  }
  ReloadResult reload() override { return process_.reload(); }

 private:
  static Done as_done(const tl::expected<void, std::string>& done) {
    if (done) return {};
    return tl::unexpected(done.error());
  }

  Manager& manager_;
  const ProcessCommands process_;
};

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
  /// Leaves the store that managers share: its files and TCP ports are free for another instance at
  /// this port. Called after the manager has ended.
  void leave_store();
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
  std::weak_ptr<StateReplica> replica_;      // which the manager owns; empty: no state is shared
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

/// Ends the managers of a process within two seconds, whatever their ports do.
class Shutdown {
 public:
  // How long a sweep under way may continue, how long all work, and how long the devices may take
  // to close.
  static constexpr std::chrono::milliseconds kSweepMax{700}, kWorkMax{1000}, kCloseMax{700};

  /// Nothing is owned; `instances` may grow.
  Shutdown(boost::asio::io_context& io, const std::vector<std::unique_ptr<Instance>>& instances,
           spdlog::logger& log)
      : io_(io), instances_(instances), log_(log), sweep_timer_(io), work_timer_(io) {}

  /// Stops the managers. The event loop ends after kWorkMax, if nothing else ends it before.
  void begin();
  /// Closes all ports at the same time, after the event loop. Returns false if a device hangs: the
  /// process must then end without destructors and exit handlers, since these wait for the device,
  /// too.
  bool close_ports();
  /// Closes one port. Returns false, and reports the device, if it hangs.
  bool close(Instance& instance) {
    return close(instance, std::chrono::steady_clock::now() + kCloseMax);
  }

 private:
  bool close(Instance& instance, mad::TimePoint end);

  boost::asio::io_context& io_;
  const std::vector<std::unique_ptr<Instance>>& instances_;
  spdlog::logger& log_;
  boost::asio::steady_timer sweep_timer_, work_timer_;
};

}  // namespace sm
