#pragma once
// The process has one HTTP server for all its managers, over TCP and Unix sockets.

#include <spdlog/logger.h>

#include <boost/asio/any_io_executor.hpp>
#include <functional>
#include <memory>

#include "config/options.h"
#include "fabric/condition.h"
#include "mad/ids.h"
#include "sm/ops/view.h"
#include "sm/ops/web/router.h"
#include "sm/ops/web/server.h"

namespace sm {

/// Callers use the members on the control thread.
class HttpService {
 public:
  HttpService(boost::asio::any_io_executor control, std::shared_ptr<spdlog::logger> log);
  ~HttpService();
  HttpService(const HttpService&) = delete;
  HttpService& operator=(const HttpService&) = delete;

  /// A Site is the part of the service that belongs to one port.
  struct Site {
    mad::Guid port_guid;
    SharedView view;
    std::shared_ptr<const web::Router> router;
    // These functions run on the control thread.
    std::function<void()> show;                          // what is published, to those who watch it
    std::function<void(std::vector<Condition>)> report;  // all active conditions of this service
  };
  /// Answers requests about the manager of this port from now on. Requests with `?port_guid=` are
  /// about that port, others about the port that was added first. A port that has returned replaces
  /// its routes.
  void serve(Site site);
  /// Opens the control socket of a served port for heddlectl, with mode 0600, or 0660 and `group`.
  /// A client that may open the socket may do everything. Errors: one line.
  tl::expected<void, std::string> open_control(mad::Guid port_guid, const std::string& group);
  /// Closes the control socket when the manager of the port has ended.
  void close_control(mad::Guid port_guid);
  /// Publishes the state of all managers, unless only control sockets listen. The caller does so
  /// about once a second.
  void show();

  /// Applies the options in the background, at the start and on a reload; logs errors. Tries again
  /// every ten seconds where nothing listens yet, since addresses may appear after the start of
  /// this daemon.
  void configure(const config::Options& options);

  /// Returns the addresses on which the service listens; a port that the options give as 0 has its
  /// real number.
  std::vector<config::ListenAddress> addresses() const;

  /// Stops the service; `turn` lets the control thread complete the calls for which handlers wait.
  void stop(const std::function<void()>& turn);

 private:
  struct Parts;
  std::shared_ptr<Parts> parts_;
};

/// Returns the settings of the http_* keys. Every address is valid: config/check.cpp has rejected
/// all others.
web::ServerSettings http_settings(const config::Options& options);

}  // namespace sm
