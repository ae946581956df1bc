#include "sm/daemon/http_service.h"

#include <ifaddrs.h>
#include <net/if.h>

#include <algorithm>
#include <atomic>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <chrono>
#include <mutex>
#include <ranges>
#include <thread>

#include "config/http_peer.h"
#include "config/value.h"
#include "mad/format.h"
#include "sm/daemon/process.h"

namespace sm {
namespace asio = boost::asio;

namespace {

constexpr std::chrono::seconds kTriedAgain{10};
constexpr std::chrono::seconds kPatienceAtTheEnd{2};
constexpr std::chrono::milliseconds kTurnPause{1};

using Site = HttpService::Site;

/// Read by the server's threads.
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

  /// Errors: the answer.
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
    std::vector<mad::Guid> ports;
    for (const Site& site : sites_) ports.push_back(site.port_guid);
    return tl::unexpected(
        web::problem(404, fmt::format("no manager here has port_guid {}", named->second),
                     fmt::format("use one of {}", fmt::join(ports, ", "))));
  }

  void show() const {
    std::vector<std::function<void()>> all;
    {
      const std::lock_guard lock(mutex_);
      for (const Site& site : sites_) all.push_back(site.show);
    }
    for (const auto& each : all) each();
  }

  void report(const std::vector<Condition>& standing) const {
    std::vector<std::function<void(std::vector<Condition>)>> all;
    {
      const std::lock_guard lock(mutex_);
      for (const Site& site : sites_) all.push_back(site.report);
    }
    for (const auto& each : all) each(standing);
  }

  void set_peers(std::vector<config::HttpPeer> peers) {
    const std::lock_guard lock(mutex_);
    peers_ = std::move(peers);
  }

  /// Empty: not known.
  std::string url_of(mad::Guid manager) const {
    const std::lock_guard lock(mutex_);
    const auto peer = std::ranges::find(peers_, manager.value, &config::HttpPeer::port_guid);
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

/// Nothing: this manager is the master.
std::optional<web::Elsewhere> elsewhere(const ManagerStatus& status, const Sites& sites) {
  if (status.state == mad::SmState::master) return std::nullopt;
  const auto master =
      std::ranges::find(status.managers, mad::SmState::master, &KnownManager::state);
  if (master == status.managers.end())
    return web::Elsewhere{.master = "not known at the moment", .url = {}};
  return web::Elsewhere{.master = text_of(*master), .url = sites.url_of(master->guid)};
}

/// As in a unit of systemd with PrivateNetwork=yes.
bool has_only_loopback() {
  ifaddrs* list = nullptr;
  if (getifaddrs(&list) != 0) return false;
  bool other = false;
  for (const ifaddrs* at = list; at != nullptr; at = at->ifa_next)
    other = other || (at->ifa_flags & IFF_LOOPBACK) == 0;
  freeifaddrs(list);
  return !other;
}

/// Requests that come over control sockets.
class ApiOnSockets {
 public:
  ApiOnSockets(const std::shared_ptr<const Sites>& sites,
               const std::shared_ptr<spdlog::logger>& log)
      : dispatcher_({.limits = {},
                     .routes =
                         [sites](const web::Fields& query) {
                           return sites->of(query).map(
                               [](const Site& site) { return site.control; });
                         },
                     .on_change = [sites](bool begins) { sites->change(begins); },
                     .audit = [log](const std::string& line) { log->info("{}", line); },
                     .log_error = [log](const std::string& line) { log->error("{}", line); }}) {}

  static asio::awaitable<web::Response> answer(std::shared_ptr<ApiOnSockets> self, web::Head head,
                                               std::string body, ControlPeer peer) {
    if (self->ends_) co_return web::problem(503, "the daemon ends");
    web::Peer of{.address = fmt::format("control socket, process {}", peer.pid),
                 .limited_as = "control",
                 .user = fmt::format("uid {}", peer.uid),
                 .role = web::Role::admin,
                 .is_unix = true,
                 .is_private = true};
    ++self->running_;
    auto answered = self->dispatched(std::move(head), std::move(body), std::move(of));
    web::Response response =
        co_await asio::co_spawn(self->thread_, std::move(answered), asio::use_awaitable);
    co_return response;
  }

  /// Requests wait for what `turn` does. False: some still do, and refer to this.
  bool stop(const std::function<void()>& turn) {
    ends_ = true;
    const auto until = std::chrono::steady_clock::now() + kPatienceAtTheEnd;
    while (running_ > 0 && std::chrono::steady_clock::now() < until) {
      if (turn) turn();
      std::this_thread::sleep_for(kTurnPause);
    }
    thread_.stop();
    thread_.join();
    return running_ == 0;
  }

 private:
  asio::awaitable<web::Response> dispatched(web::Head head, std::string body, web::Peer peer) {
    struct Ends {
      std::atomic<unsigned>& count;
      ~Ends() { --count; }
    } const ends{running_};
    auto admitted = co_await dispatcher_.admit(std::move(head), std::move(peer));
    if (auto* const refused = std::get_if<web::Response>(&admitted)) co_return std::move(*refused);
    auto& of = std::get<web::Dispatcher::Admitted>(admitted);
    web::Response response = co_await dispatcher_.answer(std::move(of), std::move(body));
    co_return response;
  }

  web::Dispatcher dispatcher_;
  std::atomic<bool> ends_ = false;
  std::atomic<unsigned> running_ = 0;
  asio::thread_pool thread_{1};  // not the control thread: that makes no long texts
};

}  // namespace

struct HttpService::Parts : std::enable_shared_from_this<HttpService::Parts> {
  Parts(asio::any_io_executor on, std::shared_ptr<spdlog::logger> logger)
      : control(std::move(on)), log(std::move(logger)) {}

  web::Dispatcher::Options dispatching() {
    // Not this object: it owns the server.
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

  /// On the server's threads: it may wait for names of hosts.
  void apply(const config::Options& options, const web::ServerSettings& settings, bool again) {
    config::Diagnostics found = server->apply(settings);
    std::string texts;
    for (config::Diagnostic& diagnostic : found) {
      place(diagnostic, options);
      texts += diagnostic.text() + "\n";
    }
    // A failure that is tried again and again is reported once.
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
        faults.push_back({.id = ConditionId::http_failed, .text = diagnostic.text()});
    asio::post(control, [self = shared_from_this(), faults = std::move(faults)] {
      self->standing = faults;
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

  /// Where the key was set that the text names.
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
    // In turn: a reload does not overtake another one.
    asio::post(order, [self = shared_from_this(), options = latest, again] {
      self->apply(*options, http_settings(*options), again);
    });
  }

  const asio::any_io_executor control;
  const std::shared_ptr<spdlog::logger> log;
  const std::shared_ptr<Sites> sites = std::make_shared<Sites>();
  std::unique_ptr<web::Server> server;
  std::shared_ptr<ApiOnSockets> local;  // control sockets hold it, too
  asio::any_io_executor order;          // of the server's threads, one after another
  std::shared_ptr<const config::Options> latest;
  std::string said;                 // on `order`
  std::vector<Condition> standing;  // as the sites know it
  asio::steady_timer retry{control};
};

HttpService::HttpService(asio::any_io_executor control, std::shared_ptr<spdlog::logger> log)
    : parts_(std::make_shared<Parts>(std::move(control), std::move(log))) {}

HttpService::~HttpService() { stop({}); }

void HttpService::serve(Site site) {
  site.report(parts_->standing);
  parts_->sites->set(std::move(site));
}

ControlSocket::Api HttpService::control_api(mad::Guid port_guid) {
  if (!parts_->local) parts_->local = std::make_shared<ApiOnSockets>(parts_->sites, parts_->log);
  return [local = parts_->local, port_guid](web::Head head, std::string body, ControlPeer peer) {
    const char* const and_also = head.target.find('?') == std::string::npos ? "?" : "&";
    head.target += fmt::format("{}port_guid={}", and_also, port_guid);
    return ApiOnSockets::answer(local, std::move(head), std::move(body), peer);
  };
}

void HttpService::show() {
  if (parts_->server) parts_->sites->show();
}

void HttpService::configure(const config::Options& options) {
  const bool wanted = !options.http_listen.empty();
  if (!wanted && !parts_->server) return;
  if (!parts_->server) {
    parts_->server = std::make_unique<web::Server>(parts_->dispatching());
    parts_->order = asio::make_strand(parts_->server->executor());
  }
  std::vector<config::HttpPeer> peers;
  for (const std::string& text : options.http_peers)
    if (const auto peer = config::parse_http_peer(text)) peers.push_back(*peer);
  parts_->sites->set_peers(std::move(peers));
  parts_->latest = std::make_shared<const config::Options>(options);
  parts_->retry.cancel();
  parts_->apply_later(false);
}

std::vector<config::ListenAddress> HttpService::addresses() const {
  return parts_->server ? parts_->server->addresses() : std::vector<config::ListenAddress>();
}

void HttpService::stop(const std::function<void()>& turn) {
  parts_->retry.cancel();
  if (parts_->server) parts_->server->stop(turn);
  parts_->server.reset();
  // Work that waits on another thread returns to this one: the object has to outlive it.
  if (parts_->local && !parts_->local->stop(turn))
    new std::shared_ptr<ApiOnSockets>(std::move(parts_->local));
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
