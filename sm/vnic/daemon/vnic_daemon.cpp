#include "sm/vnic/daemon/vnic_daemon.h"

#include <prometheus/metric_family.h>
#include <prometheus/text_serializer.h>
#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <csignal>
#include <iostream>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "config/build/build.h"
#include "config/control_characters.h"
#include "config/file_reader.h"
#include "mad/format.h"
#include "mad/umad/gsi_port.h"
#include "sm/conditions/manager_conditions.h"
#include "sm/daemon/process.h"
#include "sm/daemon/service_manager.h"
#include "sm/log/log.h"
#include "sm/ops/control_socket.h"
#include "sm/ops/web/server.h"
#include "sm/store/atomic_file.h"
#include "sm/vnic/ethernet_manager.h"
#include "sm/vnic/vnic_status.h"

namespace vnic {
namespace asio = boost::asio;
namespace web = sm::web;
namespace {

using prometheus::ClientMetric;
using prometheus::MetricFamily;
using prometheus::MetricType;

class Families {
 public:
  void add(std::string_view name, MetricType type, std::string_view help) {
    MetricFamily family;
    family.name = "heddle_vnic_" + std::string(name);
    family.type = type;
    family.help = help;
    families_.push_back(std::move(family));
  }
  void sample(double value, std::vector<ClientMetric::Label> labels = {}) {
    ClientMetric metric;
    metric.label = std::move(labels);
    (families_.back().type == MetricType::Counter ? metric.counter.value : metric.gauge.value) =
        value;
    families_.back().metric.push_back(std::move(metric));
  }
  void counter(std::string_view name, std::uint64_t value, std::string_view help) {
    add(name, MetricType::Counter, help);
    sample(static_cast<double>(value));
  }
  std::string text() const { return prometheus::TextSerializer().Serialize(families_); }

 private:
  std::vector<MetricFamily> families_;
};

void add_switches(Families& families, const Status& status) {
  const auto each = [&](std::string_view name, std::string_view help, auto value) {
    families.add(name, MetricType::Gauge, help);
    for (const SwitchStatus& of : status.switches)
      families.sample(static_cast<double>(value(of)), {{"switch", of.name}});
  };
  each("switch_members", "Ports that are members of the switch.",
       [](const SwitchStatus& of) { return of.members; });
  each("switch_forwarding", "Ports whose VNIC forwards frames.",
       [](const SwitchStatus& of) { return of.forwarding; });
  each("switch_mac_addresses", "Entries of the MAC table of the switch.",
       [](const SwitchStatus& of) { return of.macs; });
}

/// Metrics in the text format 0.0.4 of Prometheus; heddle-vnic(8) lists them.
std::string metrics_text(const Status& status) {
  Families families;
  add_switches(families, status);
  families.add("conditions", MetricType::Gauge, "Conditions that are raised, by identifier.");
  std::map<std::string, unsigned> raised;
  for (const RaisedCondition& of : status.conditions) ++raised[of.id];
  for (const auto& [id, count] : raised) families.sample(count, {{"condition", id}});
  const Totals& of = status.totals;
  families.counter("passes_total", of.passes, "Passes of all ports.");
  families.counter("port_passes_total", of.passes_of_ports, "Passes of ports that sent traps.");
  families.counter("gets_total", of.gets, "Gets that were sent to agents.");
  families.counter("sets_total", of.sets, "Sets that were sent to agents.");
  families.counter("refused_total", of.refused, "Requests that agents refused with a status.");
  families.counter("silent_total", of.silent, "Requests that agents did not answer.");
  families.counter("malformed_total", of.malformed, "Responses that break a rule.");
  families.counter("traps_total", of.traps, "Traps of agents.");
  families.counter("traps_ignored_total", of.traps_ignored, "Traps that are not of a member.");
  families.counter("repeated_total", of.mads_repeated, "MADs that were sent again.");
  families.counter("stray_total", of.mads_stray, "Responses to no open request.");
  families.counter("dropped_total", of.mads_dropped, "MADs that found the inbox full.");
  families.add("mac_addresses_left_out", MetricType::Gauge,
               "MAC addresses beyond the bounds of ports and tables.");
  families.sample(static_cast<double>(of.macs_left_out));
  return families.text();
}

constexpr int kRefused = 2;
constexpr std::chrono::seconds kLockTimeout{2};  // for a process that is just ending

void print_errors(const config::Diagnostics& diagnostics) {
  for (const config::Diagnostic& one : diagnostics) std::cerr << one.text() << '\n';
}

/// Returns the port with this GUID, or without a GUID the first Active port. Errors: one line.
tl::expected<mad::umad::LocalPort, std::string> find_port(mad::Guid wanted) {
  constexpr unsigned kActive = 4;
  const auto ports = mad::umad::list_local_ports();
  if (ports.empty())
    return tl::unexpected(mad::umad::no_ports_text(mad::umad::are_namespaces_exclusive()));
  const auto found = std::ranges::find_if(ports, [&](const mad::umad::LocalPort& port) {
    return wanted.value != 0 ? port.guid == wanted
                             : port.infiniband && port.has_guid() && port.state == kActive;
  });
  if (found != ports.end()) return *found;
  std::string list;
  for (const auto& port : ports) list += "; " + port.text();
  return tl::unexpected(
      wanted.value != 0 ? fmt::format("no local port has GUID {}{}", wanted, list)
                        : fmt::format("no local port is Active; port_guid chooses one{}", list));
}

class Daemon {
 public:
  Daemon(const DaemonOptions& options, sm::Log log) : options_(options), log_(std::move(log)) {}

  int run(Configuration configuration, Stored stored) {
    const auto port = find_port(configuration.port_guid);
    if (!port) return fail(port.error());
    auto opened = mad::umad::GsiPort::open(*port, *runtime_);
    if (!opened) return fail(opened.error());
    port_ = std::move(*opened);
    log_.logger().info("heddle-vnic {} at {}; virtual switches: {}", config::short_version(),
                       port->text(), configuration.switches.size());
    manager_ =
        std::make_unique<Manager>(*runtime_, *port_, log_.logger(), std::move(configuration),
                                  std::move(stored), ManagerOptions{.folder = options_.state_dir});
    serve(port->guid);
    asio::co_spawn(io_, manager_->run(), [this](const std::exception_ptr& error) { ended(error); });
    for (const int signal : {SIGHUP, SIGUSR1}) signals_.add(signal);
    await_signal();
    service_manager_.ready();
    report_life();
    io_.run();
    server_->stop();
    log_.logger().info("heddle-vnic ends; VNICs stay as they are");
    return exit_code_;
  }

 private:
  int fail(const std::string& why) {
    std::cerr << "heddle-vnic: " << config::escape_lines(why) << '\n';
    log_.logger().error("{}", why);
    return 1;
  }

  /// The threads of the server respond with the latest published status.
  web::Route route(std::string path, const std::string& content_type,
                   std::string (*text)(const Status& status)) {
    web::Route made;
    made.method = web::Method::get;
    made.path = std::move(path);
    made.content_type = content_type;
    made.handler = [this, text,
                    content_type](const web::Request&) -> asio::awaitable<web::Response> {
      web::Response response;
      response.content_type = content_type;
      response.body = text(*manager_->status());
      co_return response;
    };
    return made;
  }

  void serve(mad::Guid guid) {
    std::vector<web::Route> routes;
    routes.push_back(route("/v1/vnic", "application/json", to_json));
    routes.push_back(route("/metrics", "text/plain; version=0.0.4", metrics_text));
    auto router = std::make_shared<const web::Router>(std::move(routes));
    web::Dispatcher::Options dispatching;
    dispatching.limits = web::limits_within(sm::descriptors_max());
    dispatching.routes = [router](const web::Fields&)
        -> tl::expected<std::shared_ptr<const web::Router>, web::Response> { return router; };
    dispatching.log_error = [log = log_.shared_logger()](const std::string& line) {
      log->error("{}", line);
    };
    server_ = std::make_unique<web::Server>(std::move(dispatching));
    const std::string name = fmt::format("{}", guid);
    const auto listening =
        server_->open_control({.path = (socket_dir() / (name + ".sock")).string(),
                               .manager = name,
                               .group = options_.control_group});
    if (!listening) log_.logger().warn("{}; there is no status", listening.error());
  }

  void await_signal() {
    signals_.async_wait([this](const boost::system::error_code& error, int signal) {
      if (error) return;
      if (signal == SIGHUP) {
        reload();
      } else if (signal == SIGUSR1) {
        if (const auto reopened = log_.reopen(); !reopened)
          log_.logger().error("{}", reopened.error());
      } else {
        service_manager_.stopping();
        manager_->stop();
      }
      await_signal();
    });
  }

  void reload() {
    auto read = load_configuration(options_.configuration);
    std::vector<fabric::Condition> conditions;
    if (read) {
      manager_->reload(std::move(*read));
    } else {
      for (const config::Diagnostic& one : read.error()) log_.logger().error("{}", one.text());
      conditions.push_back({.id = sm::kConfigurationConditions.config_rejected,
                            .text = fmt::format("the configuration was rejected, the former one "
                                                "stays in force: {}",
                                                read.error().front().text())});
    }
    manager_->set_conditions(std::move(conditions));
  }

  void report_life() {
    const auto status = manager_->status();
    service_manager_.alive(
        fmt::format("virtual switches: {}, member ports: {}, passes: {}, conditions: {}",
                    status->switches.size(), status->ports.size(), status->totals.passes,
                    status->conditions.size()));
    log_.logger().flush();
    if (port_->is_lost()) {
      log_.logger().critical("the device of port {} is gone: exiting", port_->state().guid);
      exit_code_ = 1;
      manager_->stop();
      return;
    }
    life_timer_.expires_after(service_manager_.period());
    life_timer_.async_wait([this](const boost::system::error_code& error) {
      if (!error) report_life();
    });
  }

  void ended(const std::exception_ptr& error) {
    if (error) {
      exit_code_ = 1;
      try {
        std::rethrow_exception(error);
      } catch (const std::exception& what) {
        log_.logger().critical("internal error: {}: exiting", what.what());
      }
    }
    life_timer_.cancel();
    signals_.cancel();
    io_.stop();
  }

  DaemonOptions options_;
  sm::Log log_;
  asio::io_context io_{1};
  std::unique_ptr<mad::Runtime> runtime_ = mad::make_asio_runtime(io_.get_executor());
  std::unique_ptr<mad::umad::GsiPort> port_;
  std::unique_ptr<Manager> manager_;
  std::unique_ptr<web::Server> server_;
  asio::signal_set signals_{io_, SIGINT, SIGTERM};
  asio::steady_timer life_timer_{io_};
  sm::ServiceManager service_manager_;
  int exit_code_ = 0;
};

}  // namespace

std::filesystem::path socket_dir() { return sm::run_dir() / "vnic"; }

tl::expected<Configuration, config::Diagnostics> load_configuration(const std::string& file) {
  const auto text = config::read_file(file);
  if (text) return read_configuration({file, *text});
  return tl::unexpected(config::Diagnostics{{.severity = config::Severity::error,
                                             .file = file,
                                             .what = "cannot read it: " + text.error().message(),
                                             .remedy = {}}});
}

int run_daemon(const DaemonOptions& options) {
  auto configuration = load_configuration(options.configuration);
  if (!configuration) {
    print_errors(configuration.error());
    return kRefused;
  }
  sm::set_resource_limits();
  config::Options log_options;
  log_options.log_file = options.log_file;
  log_options.log_format = options.log_format;
  auto log = sm::Log::open(log_options);
  const auto made = sm::ensure_directory(options.state_dir);
  if (!log || !made) {
    std::cerr << "heddle-vnic: " << config::escape_lines(log ? made.error() : log.error()) << '\n';
    return 1;
  }
  // Two processes would overwrite each other's store.
  const auto held = sm::PidFile::create(options.state_dir / "pid", kLockTimeout);
  if (!held) {
    std::cerr << "heddle-vnic: " << config::escape_lines(held.error()) << '\n';
    return 1;
  }
  auto stored = load_store(options.state_dir);
  if (!stored) {
    const auto aside = sm::move_aside(options.state_dir / kStoreFile);
    log->logger().error("{}; {}", stored.error(),
                        aside ? "it was moved to " + aside->string() : aside.error());
    stored = Stored();
  }
  std::error_code ignored;
  std::filesystem::create_directories(socket_dir(), ignored);  // open_control() reports it
  return Daemon(options, std::move(*log)).run(std::move(*configuration), std::move(*stored));
}

int print_from_daemon(const std::string& target) {
  const auto sockets = sm::control_sockets(socket_dir());
  if (sockets.empty()) {
    std::cerr << "heddle-vnic: no daemon has a socket in " << socket_dir().string() << '\n';
    return 1;
  }
  int exit_code = 0;
  for (const auto& socket : sockets) {
    const auto answer = sm::send_to(socket, "GET", target);
    if (answer)
      std::cout << answer->body;
    else
      std::cerr << "heddle-vnic: " << answer.error() << '\n';
    if (!answer || answer->status != 200) exit_code = 1;
  }
  return exit_code;
}

}  // namespace vnic
