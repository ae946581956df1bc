#include "sm/ops/control_socket.h"

#include <fmt/format.h>
#include <sys/socket.h>

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/use_future.hpp>
#include <boost/beast/core/error.hpp>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <limits>
#include <string>
#include <utility>

namespace sm {
namespace asio = boost::asio;
using Local = asio::local::stream_protocol;

namespace {

/// True for "0x0002c90300000001.sock"; http_listen may have put sockets there, too.
bool is_named_by_guid(const std::filesystem::path& socket) {
  constexpr std::size_t kNameLength = 18;
  const std::string name = socket.stem().string();
  return socket.extension() == ".sock" && name.size() == kNameLength && name.starts_with("0x") &&
         name.find_first_not_of("0123456789abcdef", 2) == std::string::npos;
}

/// Returns the process that listens at the other end; 0 if that is not known.
pid_t listening_process(Local::socket& socket) {
  ucred peer{};
  socklen_t size = sizeof peer;
  const bool is_known =
      getsockopt(socket.native_handle(), SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0;
  return is_known ? peer.pid : 0;
}

/// Returns the letter of /proc/PID/stat, such as T of a stopped process; 0 if it cannot be read.
char process_state(pid_t pid) {
  std::ifstream file(fmt::format("/proc/{}/stat", pid));
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const std::size_t name_end = text.rfind(") ");
  return name_end == std::string::npos || name_end + 2 >= text.size() ? '\0' : text[name_end + 2];
}

/// Connects. If as many clients wait as the socket has places for, waits for a place; the error is
/// timed_out if there is none in time.
void connect(Local::socket& socket, const std::filesystem::path& path,
             std::chrono::milliseconds silence_max, boost::system::error_code& error) {
  socket.open(Local(), error);
  if (error) return;
  const auto seconds = std::chrono::floor<std::chrono::seconds>(silence_max);
  const timeval bound{.tv_sec = seconds.count(),
                      .tv_usec = std::chrono::microseconds(silence_max - seconds).count()};
  setsockopt(socket.native_handle(), SOL_SOCKET, SO_SNDTIMEO, &bound, sizeof bound);
  socket.connect(Local::endpoint(path.string()), error);
  // Asio reports the EAGAIN of such a connect as no_buffer_space; older versions as success.
  if (!error) socket.remote_endpoint(error);
  if (error == asio::error::no_buffer_space || error == asio::error::not_connected)
    error = asio::error::timed_out;
  if (!error) socket.non_blocking(true, error);
}

std::string unresponsive_text(pid_t pid, std::chrono::milliseconds silence_max) {
  const std::string process = pid == 0 ? "the daemon" : fmt::format("pid {}", pid);
  const std::string text =
      fmt::format("{} does not respond within {} s", process,
                  std::chrono::ceil<std::chrono::seconds>(silence_max).count());
  switch (pid == 0 ? '\0' : process_state(pid)) {
    case 'T':
    case 't':
      return fmt::format("{}: it is stopped; `kill -CONT {}` lets it go on", text, pid);
    case 'D':
      return text +
             ": it waits for a device or disk; see the kernel's log, and restart the daemon "
             "if that lasts";
    default:
      return text + "; see its log, wait for longer with --timeout, or restart the daemon";
  }
}

}  // namespace

std::filesystem::path run_dir() {
  const char* dir = std::getenv("HEDDLE_RUN_DIR");
  return dir != nullptr && *dir != '\0' ? dir : "/run/heddle";
}

std::vector<std::filesystem::path> control_sockets(const std::filesystem::path& dir) {
  std::vector<std::filesystem::path> sockets;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(dir, error)) {
    if (entry.is_socket(error) && is_named_by_guid(entry.path())) sockets.push_back(entry.path());
  }
  std::ranges::sort(sockets);
  return sockets;
}

tl::expected<HttpAnswer, std::string> send_to(const std::filesystem::path& path, std::string method,
                                              std::string target, std::string body,
                                              HttpFields headers,
                                              std::chrono::milliseconds silence_max) {
  HttpRequest request{.method = std::move(method), .target = std::move(target)};
  request.fields = {{"Host", "heddle"}, {"Connection", "close"}};
  std::ranges::move(headers, std::back_inserter(request.fields));
  request.body = std::move(body);

  asio::io_context io;
  Local::socket socket(io);
  boost::system::error_code error;
  connect(socket, path, silence_max, error);
  const pid_t pid = listening_process(socket);
  if (!error) {
    // The daemon is trusted; a page of a large fabric is some megabytes.
    constexpr auto kUnlimited = std::numeric_limits<std::uint64_t>::max();
    HttpClient client(std::move(socket), {.silence = silence_max, .body_bytes = kUnlimited});
    auto result = asio::co_spawn(io, client.exchange(std::move(request)), asio::use_future);
    io.run();
    HttpResult<HttpAnswer> answer = result.get();
    if (answer) return std::move(*answer);
    error = answer.error().code;
  }
  const bool is_silent = error == asio::error::timed_out || error == boost::beast::error::timeout;
  return tl::unexpected(fmt::format(
      "{}: {}", path.string(), is_silent ? unresponsive_text(pid, silence_max) : error.message()));
}

}  // namespace sm
