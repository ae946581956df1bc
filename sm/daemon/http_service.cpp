#include "sm/daemon/http_service.h"

#include <ifaddrs.h>
#include <net/if.h>

#include <algorithm>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/strand.hpp>
#include <chrono>
#include <mutex>
#include <ranges>

#include "config/http_peer.h"
#include "config/value.h"
#include "mad/format.h"
#include "sm/conditions/manager_conditions.h"
#include "sm/daemon/process.h"
#include "sm/ops/control_socket.h"

namespace sm {
namespace asio = boost::asio;

namespace {

constexpr std::chrono::seconds kTriedAgain{10};

using Site = HttpService::Site;

/// Holds the sites; the server's threads read them.
class Sites {
 public:
  void set(Site site) {
    const std::lock_guard lock(mutex_);
    const auto known = std::ranges::find(sites_, site.port_guid, &Site::port_guid);
    if (known != sites_.end())
      *known = std::move(site);
    else
      sites_.push_back(std::move(site));
  }

  /// Finds the site of a query. Errors: the HTTP answer.
  tl::expected<Site, web::Response> of(const web::Fields& query) const {
    const std::lock_guard lock(mutex_);
    const auto named = std::ranges::find(query, "port_guid", &web::Fields::value_type::first);
    if (sites_.empty())
      return tl::unexpected(web::problem(503, "no subnet manager runs yet", "try again"));
    if (named == query.end()) return sites_.front();
    const auto guid = config::parse_number(named->second);
    const auto found =
        guid ? std::ranges::find(sites_, mad::Guid{*guid}, &Site::port_guid) : sites_.end();
    if (found != sites_.end()) return *found;
    return tl::unexpected(web::problem(
        404, fmt::format("no manager here has port_guid {}", named->second),
        fmt::format("use one of {}",
                    fmt::join(sites_ | std::views::transform(&Site::port_guid), ", "))));
  }

  void show() const {
    std::vector<std::function<void()>> all;
    {
      const std::lock_guard lock(mutex_);
      for (const Site& site : sites_) all.push_back(site.show);
    }
    for (const auto& each : all) each();
  }

  void report(const std::vector<Condition>& active) const {
    std::vector<std::function<void(std::vector<Condition>)>> all;
    {
      const std::lock_guard lock(mutex_);
      for (const Site& site : sites_) all.push_back(site.report);
    }
    for (const auto& each : all) each(active);
  }

  void set_peers(std::vector<config::HttpPeer> peers) {
    const std::lock_guard lock(mutex_);
    peers_ = std::move(peers);
  }

  /// Returns an empty string if the URL is not known.
  std::string url_of(mad::Guid manager) const {
    const std::lock_guard lock(mutex_);
    const auto peer = std::ranges::find(peers_, manager.value, &config::HttpPeer::id);
    return peer == peers_.end() ? std::string() : peer->url;
  }

  void change(bool begins) const {
    const std::lock_guard lock(mutex_);
    for (SharedView view : sites_ | std::views::transform(&Site::view))
      begins ? view.change_begins() : view.change_ends();
  }

 private:
  mutable std::mutex mutex_;
  std::vector<Site> sites_;
  std::vector<config::HttpPeer> peers_;
};

std::string text_of(const KnownManager& manager) {
  return manager.name.empty() ? fmt::format("{}", manager.guid)
                              : fmt::format("{} ({})", manager.guid, manager.name);
}

/// Returns nothing if this manager is the master.
std::optional<web::Elsewhere> elsewhere(const ManagerStatus& status, const Sites& sites) {
  if (status.state == mad::SmState::master) return std::nullopt;
  const auto master =
      std::ranges::find(status.managers, mad::SmState::master, &KnownManager::state);
  if (master == status.managers.end())
    return web::Elsewhere{.master = "not known at the moment", .url = {}};
  return web::Elsewhere{.master = text_of(*master), .url = sites.url_of(master->guid)};
}

/// True in a unit of systemd with PrivateNetwork=yes, for example.
bool has_only_loopback() {
  ifaddrs* list = nullptr;
  if (getifaddrs(&list) != 0) return false;
  bool other = false;
  for (const ifaddrs* at = list; at != nullptr; at = at->ifa_next)
    other = other || (at->ifa_flags & IFF_LOOPBACK) == 0;
  freeifaddrs(list);
  return !other;
}

}  // namespace

struct HttpService::Parts : std::enable_shared_from_this<HttpService::Parts> {
  Parts(asio::any_io_executor on, std::shared_ptr<spdlog::logger> logger)
      : control(std::move(on)), log(std::move(logger)) {}

  web::Dispatcher::Options dispatching() {
    // The function captures the sites and not this object, which owns the server.
    return {.limits = web::limits_within(descriptors_max()),
            .routes = [sites = sites](const web::Fields& query)
                -> tl::expected<std::shared_ptr<const web::Router>, web::Response> {
              return sites->of(query).map([](const Site& site) { return site.router; });
            },
            .elsewhere = [sites = sites](const web::Request& request)
                -> asio::awaitable<std::optional<web::Elsewhere>> {
              const auto site = sites->of(request.query);
              if (!site) co_return std::nullopt;
              const Views views = site->view.views();
              const std::shared_ptr<const View> view = co_await views();
              co_return elsewhere(view->status, *sites);
            },
            .on_change = [sites = sites](bool begins) { sites->change(begins); },
            .audit = [log = log](const std::string& line) { log->info("{}", line); },
            .log_error = [log = log](const std::string& line) { log->error("{}", line); }};
  }

  /// Runs on the server's threads, since the resolution of host names may take time.
  void apply(const config::Options& options, const web::ServerSettings& settings, bool again) {
    config::Diagnostics found = server->apply(settings);
    std::string texts;
    for (config::Diagnostic& diagnostic : found) {
      place(diagnostic, options);
      texts += diagnostic.text() + "\n";
    }
    // A failure that repeats is reported once.
    const bool is_new = texts != said;
    said = texts;
    if (is_new) report_later(found);
    for (const config::Diagnostic& diagnostic : found)
      if (is_new) log->error("{}", diagnostic.text());
    const auto addresses = server->addresses();
    if (config::has_errors(found)) {
      const bool none = addresses.empty();
      if (is_new)
        log->error("{}", none ? "http: nothing listens; it is tried again"
                              : "http: listeners, certificate and users stay as they were");
      if (none) asio::post(control, [self = shared_from_this()] { self->try_again(); });
      return;
    }
    if (!again || is_new) announce(settings, addresses);
  }

  void report_later(const config::Diagnostics& found) {
    std::vector<Condition> faults;
    for (const config::Diagnostic& diagnostic : found)
      if (diagnostic.severity == config::Severity::error)
        faults.push_back({.id = kConfigurationConditions.http_failed, .text = diagnostic.text()});
    asio::post(control, [self = shared_from_this(), faults = std::move(faults)] {
      self->active = faults;
      self->sites->report(faults);
    });
  }

  void announce(const web::ServerSettings& settings,
                const std::vector<config::ListenAddress>& addresses) {
    bool tcp = false;
    for (const config::ListenAddress& address : addresses) {
      tcp = tcp || !address.is_unix();
      const bool tls = !address.is_unix() && !settings.tls_cert.empty();
      log->info("http: listens on {}{}", address.text(), tls ? " with TLS" : "");
    }
    if (!tcp) return;
    if (settings.users_file.empty())
      log->warn("http: there is no http_users_file: over TCP only what needs no user is served");
    if (has_only_loopback())
      log->warn(
          "http: this process sees no network but its own loopback interface, as with "
          "PrivateNetwork=yes of systemd; heddle(8) has the drop-in that permits it");
  }

  /// Sets the position at which the options set the key that the text names.
  static void place(config::Diagnostic& diagnostic, const config::Options& options) {
    if (!diagnostic.file.empty()) return;
    for (const std::string_view key : {"http_listen", "http_tls_cert", "http_tls_key"}) {
      if (diagnostic.what.find(key) == std::string::npos) continue;
      const auto origin = options.origins.find(key);
      if (origin == options.origins.end()) return;
      diagnostic.file = origin->second.file;
      diagnostic.line = origin->second.line;
      diagnostic.column = origin->second.column;
      return;
    }
  }

  void try_again() {
    if (!server) return;
    retry.expires_after(kTriedAgain);
    retry.async_wait([self = shared_from_this()](const boost::system::error_code& error) {
      if (!error) self->apply_later(true);
    });
  }

  void apply_later(bool again) {
    if (!server) return;
    // The strand runs reloads in order: a reload does not overtake another one.
    asio::post(order, [self = shared_from_this(), options = latest, again] {
      self->apply(*options, http_settings(*options), again);
    });
  }

  const asio::any_io_executor control;
  const std::shared_ptr<spdlog::logger> log;
  const std::shared_ptr<Sites> sites = std::make_shared<Sites>();
  std::unique_ptr<web::Server> server = std::make_unique<web::Server>(dispatching());
  asio::any_io_executor order = asio::make_strand(server->executor());  // one after another
  std::shared_ptr<const config::Options> latest;
  bool has_readers = false;       // http_listen or event_command was set at least once
  std::string said;               // on `order`
  std::vector<Condition> active;  // as the sites know it
  asio::steady_timer retry{control};
};

HttpService::HttpService(asio::any_io_executor control, std::shared_ptr<spdlog::logger> log)
    : parts_(std::make_shared<Parts>(std::move(control), std::move(log))) {}

HttpService::~HttpService() { stop({}); }

void HttpService::serve(Site site) {
  site.report(parts_->active);
  parts_->sites->set(std::move(site));
}

tl::expected<void, std::string> HttpService::open_control(mad::Guid port_guid,
                                                          const std::string& group) {
  const std::string name = fmt::format("{}", port_guid);
  return parts_->server->open_control(
      {.path = run_dir() / (name + ".sock"), .manager = name, .group = group});
}

void HttpService::close_control(mad::Guid port_guid) {
  parts_->server->close_control(fmt::format("{}", port_guid));
}

void HttpService::show() {
  if (parts_->has_readers) parts_->sites->show();
}

void HttpService::configure(const config::Options& options) {
  std::vector<config::HttpPeer> peers;
  for (const std::string& text : options.http_peers)
    if (const auto peer = config::parse_http_peer(text)) peers.push_back(*peer);
  parts_->sites->set_peers(std::move(peers));
  parts_->latest = std::make_shared<const config::Options>(options);
  parts_->has_readers =
      parts_->has_readers || !options.http_listen.empty() || !options.event_command.empty();
  parts_->retry.cancel();
  parts_->apply_later(false);
}

std::vector<config::ListenAddress> HttpService::addresses() const {
  return parts_->server ? parts_->server->addresses() : std::vector<config::ListenAddress>();
}

void HttpService::stop(const std::function<void()>& turn) {
  parts_->retry.cancel();
  if (parts_->server) parts_->server->stop(turn);
  parts_->order = {};  // a strand refers to its context, which ends with the server
  parts_->server.reset();
}

web::ServerSettings http_settings(const config::Options& options) {
  web::ServerSettings settings{.listen = {},
                               .tls_cert = options.http_tls_cert,
                               .tls_key = options.http_tls_key,
                               .users_file = options.http_users_file,
                               .control_group = options.control_group,
                               .read_only = options.http_read_only,
                               .plain_passwords = options.http_plain_passwords};
  for (const std::string& text : options.http_listen)
    if (const auto address = config::parse_listen_address(text))
      settings.listen.push_back(*address);
  return settings;
}

}  // namespace sm
