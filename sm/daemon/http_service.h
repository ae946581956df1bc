#pragma once
// The HTTP service of the process: one server for all its managers, over TCP and Unix sockets.

#include <spdlog/logger.h>

#include <boost/asio/any_io_executor.hpp>
#include <functional>
#include <memory>

#include "config/options.h"
#include "fabric/condition.h"
#include "mad/ids.h"
#include "sm/ops/shared_view.h"
#include "sm/ops/web/router.h"
#include "sm/ops/web/server.h"

namespace sm {

/// Members are called on the control thread.
class HttpService {
 public:
  HttpService(boost::asio::any_io_executor control, std::shared_ptr<spdlog::logger> log);
  ~HttpService();
  HttpService(const HttpService&) = delete;
  HttpService& operator=(const HttpService&) = delete;

  /// The part of the service that belongs to one port.
  struct Site {
    mad::Guid port_guid;
    SharedView view;
    std::shared_ptr<const web::Router> router;
    // On the control thread.
    std::function<void()> show;                          // what is published, to those who watch it
    std::function<void(std::vector<Condition>)> report;  // all active conditions of this service
  };
  /// From now on the service answers requests about the manager of this port so. Requests with
  /// `?port_guid=` are about that port, others about the one that was added first. A port that has
  /// returned replaces its routes.
  void serve(Site site);
  /// Opens the control socket of a port that is served, by which heddlectl reaches it: mode 0600,
  /// or 0660 and of `group`. A client that may open it may do everything. Errors: one line.
  tl::expected<void, std::string> open_control(mad::Guid port_guid, const std::string& group);
  /// When the manager of the port has ended.
  void close_control(mad::Guid port_guid);
  /// Publishes the state of all managers, unless only control sockets listen. To be called about
  /// once a second.
  void show();

  /// At the start and on a reload, in the background: errors are logged. Where nothing listens yet
  /// it is tried again every ten seconds, since addresses may come later than this daemon.
  void configure(const config::Options& options);

  /// Where it listens; a port instead of 0.
  std::vector<config::ListenAddress> addresses() const;

  /// `turn` lets the control thread do what handlers wait for.
  void stop(const std::function<void()>& turn);

 private:
  struct Parts;
  std::shared_ptr<Parts> parts_;
};

/// Returns the settings of the http_* keys. Every address is valid: config/check.cpp has rejected
/// others.
web::ServerSettings http_settings(const config::Options& options);

}  // namespace sm
