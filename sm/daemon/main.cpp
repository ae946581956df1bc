// heddle is an InfiniBand subnet manager. This file has the life of the process: flags, ports, log,
// signals; everything else is in Manager.

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <iterator>
#include <list>
#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "config/build/build.h"
#include "config/control_characters.h"
#include "config/flags.h"
#include "config/input_files.h"
#include "mad/format.h"
#include "partitions/load.h"
#include "sm/conditions/manager_conditions.h"
#include "sm/daemon/configuration_reload.h"
#include "sm/daemon/daemon_console.h"
#include "sm/daemon/event_command.h"
#include "sm/daemon/http_resources.h"
#include "sm/daemon/http_service.h"
#include "sm/daemon/instance.h"
#include "sm/daemon/port_choice.h"
#include "sm/daemon/process.h"
#include "sm/daemon/service_manager.h"
#include "sm/daemon/terminal.h"
#include "sm/health/expected_topology.h"
#include "sm/log/log.h"
#include "sm/ops/security.h"
#include "sm/store/port_directory.h"

namespace asio = boost::asio;
using config::CommandLine;

namespace {

// The reload of a driver or the reset of a device takes some ten seconds.
constexpr std::chrono::seconds kPortReturns{60}, kPortRetry{1};

/// Forbids core dumps of a process that holds M_Keys.
void protect_keys(const config::Options& options) {
  if (options.m_key_seed() != 0) sm::forbid_core_dumps();
}

/// A Daemon exists from the first thread to the last.
class Daemon {
 public:
  /// `base` is the directory to which names of files are relative in a process that has left it;
  /// empty if it has not.
  Daemon(const CommandLine& line, sm::Log log, std::filesystem::path base)
      : line_(line), log_(std::move(log)), base_(std::move(base)) {
    configuration_.options = line.options;
    configuration_.configured = line;
  }

  int run(std::span<const mad::umad::LocalPort> ports) {
    // They are on standard error already, which few keep.
    if (!sm::logs_to_stream(line_.options)) log(line_.diagnostics);
    config::Diagnostics diagnostics;
    configuration_.files = config::read_input_files(line_.options, config::read_file, diagnostics);
    sm::check_expected(configuration_.files.expected_topology, diagnostics);
    configuration_.partitioning = partitions::load(line_.options, config::read_file, diagnostics);
    log(diagnostics);
    if (config::has_errors(diagnostics)) return refuse(diagnostics);
    several_ = ports.size() > 1;
    for (const mad::umad::LocalPort& port : ports) {
      if (const auto bound = bind(port); !bound) {
        std::cerr << "Error from osm_opensm_bind (" << fmt::format("{}", port.guid)
                  << "): " << bound.error() << '\n';
        log_.logger().error("{}", bound.error());
        return 1;
      }
    }
    running_ = instances_.size();
    for (const auto& instance : instances_) start(*instance);
    http_.configure(configuration_.options);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGCONT, SIGUSR1}) signals_.add(signal);
    await_signal();
    begin_console();
    service_manager_.ready();
    report_life();
    try {
      io_.run();
    } catch (const std::exception& error) {
      // A timer or a received MAD caused the exception: the state of a manager may be half changed.
      log_.logger().critical("internal error: {}: exiting", error.what());
      hangs_ = !shutdown_.close_ports();
      return 1;
    }
    http_.stop([this] {  // requests wait for this thread
      io_.restart();
      io_.poll();
    });
    hangs_ = !shutdown_.close_ports();
    return exit_code_;
  }
  /// True if a device did not close: the process must then end without destructors and exit
  /// handlers, since these wait for the device, too.
  bool hangs() const { return hangs_; }

 private:
  /// No manager has sent anything yet: the user who started the daemon reads this on stderr.
  static int refuse(const config::Diagnostics& diagnostics) {
    sm::print(std::cerr, diagnostics);
    return 1;
  }

  /// Returns the log of a port; with one port that of the process.
  tl::expected<sm::Log, std::string> log_of(mad::Guid port, const config::Options& options) {
    if (const auto known = port_logs_.find(port); known != port_logs_.end()) return known->second;
    if (!several_) return port_logs_.emplace(port, log_).first->second;
    const std::string name = fmt::format("{}", port);
    auto log = sm::logs_to_stream(options) ? log_.named(name) : sm::Log::open(options, name);
    if (!log) return log;
    return port_logs_.emplace(port, std::move(*log)).first->second;
  }

  /// Returns the options of the manager at this port.
  config::Options make_options(mad::Guid port) {
    const config::Options own = sm::options_for(configuration_.options, port, several_);
    if (several_) return own;
    std::vector<mad::Guid> local;
    for (const mad::umad::LocalPort& other : mad::umad::list_local_ports())
      local.push_back(other.guid);
    std::vector<std::string> warnings;
    config::Options beside = sm::options_beside_others(own, port, local, &warnings);
    for (const std::string& warning : warnings) log_.logger().warn("{}", warning);
    return beside;
  }

  tl::expected<void, std::string> bind(const mad::umad::LocalPort& port) {
    config::Options own = make_options(port.guid);
    if (several_) {
      if (const auto made = sm::make_directories(own); !made) return made;
      sm::inherit_cache(configuration_.options.cache_files_dir, own.cache_files_dir);
    }
    const auto log = log_of(port.guid, own);
    if (!log) return tl::unexpected(log.error());
    if (own.cache_files_dir != configuration_.options.cache_files_dir)
      log->logger().info("this port keeps its files in {} and {}", own.cache_files_dir,
                         own.dump_files_dir);
    sm::ManagerOptions options{.options = std::move(own),
                               .files = configuration_.files,
                               .partitioning = configuration_.partitioning,
                               .port_guid = port.guid,
                               .once = line_.once,
                               .sweep_log = &log->logger(sm::LogModule::sweep),
                               .administration_log = &log->logger(sm::LogModule::administration),
                               .others_in_process = several_,
                               .listener = &listeners_.emplace_back(*this, port.guid)};
    auto instance = sm::Instance::bind(*runtime_, port, log->shared_logger(sm::LogModule::manager),
                                       std::move(options), process_commands());
    if (!instance) return tl::unexpected(std::move(instance.error()));
    instances_.push_back(std::move(*instance));
    serve(*instances_.back());
    return {};
  }

  void serve(sm::Instance& instance) {
    sm::SharedView view(
        io_.get_executor(), [&instance] { return instance.view(); }, instance.view());
    sm::HttpResources served = sm::http_resources(instance, io_.get_executor(), view.views());
    http_.serve(
        {.port_guid = instance.port_guid(),
         .view = view,
         .router = std::make_shared<const sm::web::Router>(std::move(served.resources.routes)),
         .show = [&instance, observe = std::move(served.observe)] { observe(instance.view()); },
         .report =
             [&instance](std::vector<fabric::Condition> active) {
               instance.manager().set_conditions(sm::ConditionSource::http, std::move(active));
             }});
    instance.manager().set_conditions(sm::ConditionSource::reload,
                                      sm::reload_conditions(reloaded_));
    auto command = std::make_unique<sm::EventCommand>(
        std::move(served.events), [this, &instance](std::vector<fabric::Condition> active) {
          asio::post(io_, [&instance, active = std::move(active)]() mutable {
            instance.manager().set_conditions(sm::ConditionSource::event_command,
                                              std::move(active));
          });
        });
    event_commands_.push_back(std::move(command));
    configure_events();
    report_default_keys(instance);
    open_control(instance);
  }

  void open_control(sm::Instance& instance) {
    auto opened = http_.open_control(instance.port_guid(), configuration_.options.control_group);
    if (opened) return;
    log_.logger().warn("{}; only root can use heddlectl", opened.error());
    opened = http_.open_control(instance.port_guid(), "");
    if (!opened) log_.logger().error("{}; heddlectl cannot reach this daemon", opened.error());
  }

  /// Opens what a reload has changed for operators: the console, and the control sockets for
  /// another group.
  void open_again(const std::vector<std::string>& changed) {
    const auto has = [&](std::string_view key) {
      return std::ranges::find(changed, key) != changed.end();
    };
    if (has("console") || has("console_port")) {
      console_.reset();
      begin_console();
    }
    for (const auto& instance : instances_)
      if (has("control_group") && !instance->port_is_lost()) open_control(*instance);
  }

  void configure_events() {
    const config::Options& options = configuration_.options;
    for (const auto& command : event_commands_)
      command->configure({.path = options.event_command,
                          .timeout = std::chrono::seconds(options.event_command_timeout)});
  }

  void report_default_keys(sm::Instance& instance) const {
    instance.manager().set_conditions(sm::ConditionSource::default_keys,
                                      sm::default_key_conditions(configuration_.options));
  }

  /// Returns the commands to the process.
  sm::ProcessCommands process_commands() {
    const auto changed = [this] {
      configure(log_);
      for (auto& [port, log] : port_logs_) configure(log);
    };
    return {.set_log_flags =
                [this, changed](std::uint8_t flags) {
                  configuration_.options.log_flags = flags;
                  log_.logger().info("log_flags is {:#04x} from now on", flags);
                  changed();
                },
            .set_log_flush =
                [this, changed](bool on) {
                  configuration_.options.force_log_flush = on;
                  changed();
                  log_.logger().flush();
                },
            .reload = [this] { return reload(); }};
  }

  /// Starts the console; the managers also run without it.
  void begin_console() {
    if (instances_.empty()) return;
    auto console = sm::start_console(
        io_.get_executor(), configuration_.options,
        [this]() -> sm::Instance& { return *instances_.back(); },
        [this] { return unsigned{log_.flags()}; });
    if (console) {
      console_ = std::move(*console);
    } else {
      log_.logger().error("{}", console.error());
    }
  }

  /// Receives the events of the manager at one port.
  class Listener final : public sm::EventListener {
   public:
    Listener(Daemon& daemon, mad::Guid port) : daemon_(daemon), port_(port) {}
    using sm::EventListener::on;
    void on(const sm::StageProgressed& event) override {
      daemon_.progress_(event.what, event.done, event.total);
    }
    void on(const sm::Resigned& /*event*/) override {
      if (daemon_.several_) daemon_.report_resigned(port_);
    }

   private:
    Daemon& daemon_;
    mad::Guid port_;
  };

  /// Notifies the other managers at once that a manager can no longer be master.
  void report_resigned(mad::Guid port) {
    asio::post(io_, [this, port] {
      for (const auto& instance : instances_) instance->manager().master_resigned(port);
    });
  }

  void start(sm::Instance& instance) {
    asio::co_spawn(io_, instance.manager().run(),
                   [this, &instance](const std::exception_ptr& error, int code) {
                     ended(instance, error, code);
                   });
  }

  void ended(sm::Instance& instance, const std::exception_ptr& error, int code) {
    if (error) {
      try {
        std::rethrow_exception(error);
      } catch (const std::exception& what) {
        log_.logger().critical("internal error: {}", what.what());
      }
      // The other managers end, too: a service manager restarts only a process that ends.
      stop_managers();
      code = 1;
    } else if (instance.port_is_lost() && !stopping_) {
      instance.leave_store();
      http_.close_control(instance.port_guid());
      shutdown_.close(instance);
      if (!line_.once) return asio::co_spawn(io_, wait_for(instance.port_guid()), asio::detached);
      code = 1;
    }
    exit_code_ = std::max(exit_code_, code);
    if (--running_ == 0) io_.stop();
  }

  /// Waits for a lost port. Its manager starts again when the port is back; if the port does not
  /// return in time, the process ends.
  asio::awaitable<void> wait_for(mad::Guid guid) {
    asio::steady_timer timer(io_);
    std::string why = "it is not there";
    for (std::chrono::seconds waited{0}; waited < kPortReturns && !stopping_;
         waited += kPortRetry) {
      timer.expires_after(kPortRetry);
      co_await timer.async_wait(asio::use_awaitable);
      if (stopping_) break;
      const auto ports = mad::umad::list_local_ports();
      const auto port = mad::umad::choose_port(ports, guid);
      if (!port) continue;
      if (const auto bound = bind(*port); !bound) {
        why = bound.error();
        continue;
      }
      log_.logger().critical("port {} is back", guid);
      start(*instances_.back());
      co_return;
    }
    if (!stopping_) {
      log_.logger().critical("port {} did not come back within {} s ({}): exiting", guid,
                             kPortReturns.count(), why);
      stop_managers();
      exit_code_ = 1;
    }
    if (--running_ == 0) io_.stop();
  }

  void stop_managers() {
    stopping_ = true;
    shutdown_.begin();
  }

  void await_signal() {
    signals_.async_wait([this](const boost::system::error_code& error, int signal) {
      if (error) return;
      switch (signal) {
        case SIGHUP:
        case SIGCONT:
          reload();
          break;
        case SIGUSR1:
          reopen_logs();
          break;
        default:
          stop(signal);
          break;
      }
      await_signal();
    });
  }

  /// Reports at least once a second that this thread works, and flushes log files also while little
  /// happens.
  void report_life() {
    std::vector<sm::ServiceState> states;
    for (const auto& instance : instances_) {
      if (!instance->port_is_lost())
        states.push_back(
            {instance->port_guid(), instance->manager().state(), instance->manager().last_sweep()});
    }
    service_manager_.alive(states.empty() ? "waiting for a port that was lost"
                                          : sm::service_status(states));
    http_.show();
    life_timer_.expires_after(service_manager_.period());
    life_timer_.async_wait([this](const boost::system::error_code& error) {
      if (error) return;
      log_.logger().flush();
      for (auto& [port, log] : port_logs_) log.logger().flush();
      report_log_problems();
      report_life();
    });
  }

  /// Reports lost lines of a log as a condition of the managers that write it.
  void report_log_problems() {
    for (const auto& instance : instances_) {
      if (instance->port_is_lost()) continue;
      std::set<std::string> problems{log_.problem()};
      if (const auto own = port_logs_.find(instance->port_guid()); own != port_logs_.end())
        problems.insert(own->second.problem());
      problems.erase("");
      std::vector<fabric::Condition> active;
      for (const std::string& problem : problems)
        active.push_back({.id = sm::kOutputConditions.output_failed, .text = problem});
      instance->manager().set_conditions(sm::ConditionSource::log_file, std::move(active));
    }
  }

  void stop(int signal) {
    std::cout << "Heddle: Got signal " << signal << " - exiting..." << std::endl;
    service_manager_.stopping();
    stop_managers();
  }

  /// Reloads the configuration on SIGHUP, SIGCONT and a request of an operator.
  sm::ReloadResult reload() {
    if (stopping_) return {};  // a service manager sends SIGCONT behind SIGTERM
    sm::ConfigurationReload read = sm::read_again(config::read_file, configuration_, base_);
    log(read.diagnostics);
    sm::ReloadResult& result = read.result;
    if (result.taken) {
      for (const std::string& key : result.changed) log_.logger().info("{} changed", key);
    } else {
      log_.logger().error("the configuration is rejected: the daemon keeps its configuration");
      // Changes that an earlier reload left to a restart still need the restart.
      result.needs_restart = reloaded_.needs_restart;
    }
    configuration_ = std::move(read.configuration);
    protect_keys(configuration_.options);
    configure(log_);
    for (auto& [port, log] : port_logs_) configure(log);
    reloaded_ = result;
    for (const auto& instance : instances_) {
      instance->manager().note_reload(result.taken);
      instance->manager().set_conditions(sm::ConditionSource::reload,
                                         sm::reload_conditions(reloaded_));
      config::Options own = make_options(instance->port_guid());
      if (const auto made =
              several_ ? sm::make_directories(own) : tl::expected<void, std::string>{};
          !made)
        log_.logger().error("{}", made.error());
      instance->manager().reload(own, configuration_.files, configuration_.partitioning);
      report_default_keys(*instance);
    }
    configure_events();
    http_.configure(configuration_.options);
    open_again(result.changed);
    return result;
  }

  void configure(sm::Log& log) const {
    log.set_flags(configuration_.options.log_flags);
    log.set_force_flush(configuration_.options.force_log_flush);
    log.set_max_megabytes(configuration_.options.log_max_size);
    log.set_prefix(configuration_.options.log_prefix);
    log.set_accumulate(configuration_.options.accum_log_file);
    log.set_format(configuration_.options.log_format);
    log.set_syslog(configuration_.options.log_syslog);
  }

  void reopen_logs() {
    if (const auto reopened = log_.reopen(); !reopened) {
      log_.logger().error("{}", reopened.error());
    } else if (configuration_.options.daemon) {
      sm::redirect_standard_streams(log_.descriptor());
    }
    if (!several_ || sm::logs_to_stream(configuration_.options)) return;  // the same file
    for (auto& [port, log] : port_logs_) {
      if (const auto reopened = log.reopen(); !reopened)
        log_.logger().error("{}", reopened.error());
    }
  }

  void log(const config::Diagnostics& diagnostics) {
    for (const config::Diagnostic& diagnostic : diagnostics) {
      diagnostic.severity == config::Severity::error ? log_.logger().error("{}", diagnostic.text())
                                                     : log_.logger().warn("{}", diagnostic.text());
    }
  }

  const CommandLine& line_;
  sm::Log log_;
  const std::filesystem::path base_;
  std::map<mad::Guid, sm::Log> port_logs_;  // also of ports that were lost
  sm::DaemonConfiguration configuration_;
  sm::ReloadResult reloaded_;  // the latest
  asio::io_context io_{1};
  std::unique_ptr<mad::Runtime> runtime_ = mad::make_asio_runtime(io_.get_executor());
  asio::signal_set signals_{io_};
  asio::steady_timer life_timer_{io_};
  sm::ServiceManager service_manager_;
  sm::TerminalProgress progress_{*runtime_};
  std::list<Listener> listeners_;
  std::vector<std::unique_ptr<sm::Instance>> instances_;  // with those that lost their port
  sm::Shutdown shutdown_{io_, instances_, log_.logger()};
  sm::HttpService http_{io_.get_executor(), log_.shared_logger()};
  std::vector<std::unique_ptr<sm::EventCommand>> event_commands_;  // of instances_
  std::unique_ptr<sm::console::ConsoleServer> console_;            // null: none
  bool several_ = false;  // the process was started for several ports
  bool stopping_ = false;
  bool hangs_ = false;  // a device
  std::size_t running_ = 0;
  int exit_code_ = 0;
};

int run(CommandLine line) {
  sm::print_banner(line);
  const std::filesystem::path base = line.options.daemon ? sm::fix_paths(line) : "";
  protect_keys(line.options);
  sm::set_resource_limits();
  const auto ports = sm::choose_ports(line, std::cin, std::cout, std::cerr);
  if (!ports) return ports.error();

  if (line.options.daemon) {
    if (const auto detached = sm::detach(); !detached) {
      std::cerr << detached.error() << '\n';
      return 1;
    }
  }
  auto log = sm::Log::open(line.options);
  if (!log) {
    std::cerr << log.error() << '\n';
    std::cout << sm::kLogInitError << '\n';
    return sm::kLogExitCode;
  }
  std::optional<sm::PidFile> pid_file;
  if (line.options.daemon) {
    sm::redirect_standard_streams(log->descriptor());
    const bool named = line.options.is_set("pid_file");
    if (!line.options.pid_file.empty()) {
      // A manager that is ending may need all of that time.
      auto created = sm::PidFile::create(
          line.options.pid_file, sm::Shutdown::kWorkMax + sm::Shutdown::kCloseMax + 2 * kPortRetry);
      if (created) {
        pid_file.emplace(std::move(*created));
      } else if (named) {
        log->logger().error("{}", created.error());
        return 1;
      } else {  // of several processes only the first one has the usual file
        log->logger().info("{}", created.error());
      }
    }
  }
  log->banner(fmt::format("Heddle {}", config::short_version()));
  Daemon daemon(line, std::move(*log), base);
  const int exit_code = daemon.run(*ports);
  if (daemon.hangs()) {
    pid_file.reset();
    std::cout.flush();
    std::_Exit(exit_code);
  }
  return exit_code;
}

}  // namespace

int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);  // a file at its limit is a write that fails
  const std::span<const char* const> args(argv, static_cast<std::size_t>(argc));
  CommandLine line = config::parse_command_line(
      args, config::read_file,
      sm::read_environment([](const char* name) { return std::getenv(name); }));
  std::ranges::move(sm::secret_warnings(line.options), std::back_inserter(line.diagnostics));
  sm::print(std::cerr, line.diagnostics);
  switch (line.action) {
    case CommandLine::Action::show_help:
      std::cout << config::usage();
      return line.exit_code;
    case CommandLine::Action::show_version:
      std::cout << config::version_text("Heddle") << '\n';
      return 0;
    case CommandLine::Action::create_config:
      return sm::create_config(line, std::cerr);
    case CommandLine::Action::refuse:
      return line.exit_code;
    case CommandLine::Action::run:
      break;
  }
  try {
    return run(line);
  } catch (const std::exception& error) {
    std::cerr << "heddle: " << config::escape_lines(error.what()) << '\n';
    return 1;
  }
}
