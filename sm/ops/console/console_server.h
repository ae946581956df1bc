#pragma once
// Sessions of the console: on the terminal of the process, or on TCP port console_port of
// 127.0.0.1.

#include <boost/asio/any_io_executor.hpp>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <tl/expected.hpp>

#include "sm/ops/console/console_commands.h"

namespace sm::console {

inline constexpr std::string_view kPrompt = "OpenSM $ ";
/// Longer lines are refused.
inline constexpr std::size_t kLineBytesMax = 1024;

/// Serves while it lives; commands are carried out on the executor. One session at a time. Who
/// connects during one is asked whether it shall end, and is disconnected without an answer within
/// ten seconds; at most kWaitingMax are asked at a time. A session may be idle. A session over TCP
/// ends at a line of HTTP (is_of_http()).
class ConsoleServer {
 public:
  static constexpr unsigned kWaitingMax = 4;

  /// On 127.0.0.1; port 0: any, see port(). Errors: one line.
  static tl::expected<std::unique_ptr<ConsoleServer>, std::string> listen(
      const boost::asio::any_io_executor& executor, std::uint16_t port, ConsoleActions actions);
  /// Reads lines from descriptor `in` and writes to `out`; ends at the end of `in`. The descriptors
  /// are duplicated. Errors: one line; also if `in` is a file, which cannot be waited for.
  static tl::expected<std::unique_ptr<ConsoleServer>, std::string> on_terminal(
      const boost::asio::any_io_executor& executor, int in, int out, ConsoleActions actions);
  ~ConsoleServer();
  std::uint16_t port() const;

 private:
  struct State;
  explicit ConsoleServer(std::shared_ptr<State> state) : state_(std::move(state)) {}
  std::shared_ptr<State> state_;
};

/// True for a line that a web browser or another client of HTTP or TLS sends: the line of a request
/// ("POST / HTTP/1.1", also its beginning), a header ("Host: ...") or the first bytes of a TLS
/// handshake. Each page that a browser of this machine shows can make it send them to the console,
/// with commands behind them. No line with a command is such a line.
bool is_of_http(std::string_view line);

}  // namespace sm::console
