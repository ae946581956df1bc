#pragma once
// How heddlectl reaches a running daemon: HTTP over a socket in the file system, one per port GUID.

#include <boost/asio/any_io_executor.hpp>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

namespace sm {

/// $HEDDLE_RUN_DIR, else /run/heddle.
std::filesystem::path run_dir();

/// Serves requests while it lives. Access, to commands too, is the file's mode: its owner only.
class ControlSocket {
 public:
  /// The body for a target ("/status"), or nothing: 404.
  using Answer = std::function<std::optional<std::string>(std::string_view target)>;
  /// Carries out a command ("/rebalance"), or nothing: 404. Errors: why it is not carried out
  /// (409).
  using Command =
      std::function<std::optional<tl::expected<std::string, std::string>>(std::string_view target)>;

  /// Creates the directory if needed, and replaces a socket without a listener.
  /// Errors: one line with the path and the reason; also when another daemon listens there.
  static tl::expected<std::unique_ptr<ControlSocket>, std::string> listen(
      const boost::asio::any_io_executor& executor, const std::filesystem::path& path,
      Answer answer, Command command = {});
  ~ControlSocket();

 private:
  struct Server;
  explicit ControlSocket(std::shared_ptr<Server> server);
  std::shared_ptr<Server> server_;
};

/// The sockets in a directory, by name.
std::vector<std::filesystem::path> control_sockets(const std::filesystem::path& dir);

/// GET over such a socket. Errors: one line with the path and the reason.
tl::expected<std::string, std::string> get_from(const std::filesystem::path& path,
                                                std::string_view target);
/// POST, for commands. Errors: the same.
tl::expected<std::string, std::string> post_to(const std::filesystem::path& path,
                                               std::string_view target);

}  // namespace sm
