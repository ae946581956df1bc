#pragma once
// How heddlectl reaches a running daemon: HTTP over a socket in the file system, one per port GUID.

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "sm/ops/web/dispatcher.h"

namespace sm {

/// $HEDDLE_RUN_DIR, else /run/heddle.
std::filesystem::path run_dir();

/// Who has opened a session, as the kernel says (SO_PEERCRED).
struct ControlPeer {
  long uid = -1, pid = -1;  // -1: unknown
};

/// Serves requests while it lives. Access, to commands too, is the file's mode: its owner, and a
/// group if there is one. Answers are made on a thread of their own, one after another; sessions
/// are bounded.
class ControlSocket {
 public:
  /// Makes the body of an answer on another thread.
  using Job = std::function<std::string()>;
  /// For a target ("/status"), or nothing: 404.
  using Answer = std::function<std::optional<Job>(std::string_view target)>;
  /// Carries out a command ("/rebalance"), or nothing: 404. Errors: why it is not carried out
  /// (409).
  using Command = std::function<std::optional<tl::expected<std::string, std::string>>(
      std::string_view target, const ControlPeer& peer)>;

  /// Reads from the fabric for a target ("/read/portinfo/H0"), or nothing: 404. Errors: why that
  /// cannot be read (409).
  using Read =
      std::function<std::optional<boost::asio::awaitable<tl::expected<std::string, std::string>>>(
          std::string_view target)>;

  /// Answers requests below /v1/, with any method and a body.
  using Api = std::function<boost::asio::awaitable<web::Response>(web::Head head, std::string body,
                                                                  ControlPeer peer)>;

  struct Options {
    Answer answer;
    Read read = {};
    Command command = {};
    std::string group = {};  // whose members may open it, too; empty: no others
  };

  /// Creates the directory if needed, and replaces a socket without a listener.
  /// Errors: one line with the path and the reason; also when another daemon listens there, or
  /// there is no such group.
  static tl::expected<std::unique_ptr<ControlSocket>, std::string> listen(
      const boost::asio::any_io_executor& executor, const std::filesystem::path& path,
      Options options);
  ~ControlSocket();

  /// For requests from now on. Until then: 404.
  void serve_api(Api api);

 private:
  struct Server;
  explicit ControlSocket(std::shared_ptr<Server> server);
  std::shared_ptr<Server> server_;
};

/// The control sockets in a directory, by name.
std::vector<std::filesystem::path> control_sockets(const std::filesystem::path& dir);

/// GET over such a socket. Errors: one line with the path and the reason.
tl::expected<std::string, std::string> get_from(const std::filesystem::path& path,
                                                std::string_view target);
/// POST, for commands. Errors: the same.
tl::expected<std::string, std::string> post_to(const std::filesystem::path& path,
                                               std::string_view target);

/// What the API has answered, be it a problem.
struct ApiAnswer {
  unsigned status = 0;
  std::string body;  // JSON
};
/// A request of the API: method as in HTTP; a body is JSON, and "" is none. Errors: the same, where
/// nothing was answered.
tl::expected<ApiAnswer, std::string> send_to(const std::filesystem::path& path,
                                             std::string_view method, std::string_view target,
                                             const std::string& body = {},
                                             const web::Fields& headers = {});

}  // namespace sm
