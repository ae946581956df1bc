#include "sm/ops/control_socket.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <string>

namespace sm {
namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using Local = asio::local::stream_protocol;

namespace {

/// True for "0x0002c90300000001.sock"; http_listen may have put sockets there, too.
bool is_named_by_guid(const std::filesystem::path& socket) {
  constexpr std::size_t kNameLength = 18;
  const std::string name = socket.stem().string();
  return socket.extension() == ".sock" && name.size() == kNameLength && name.starts_with("0x") &&
         name.find_first_not_of("0123456789abcdef", 2) == std::string::npos;
}

/// A stream for Beast whose reads and writes end with timed_out if the peer is silent for too long.
class TimedStream {
 public:
  TimedStream(Local::socket& socket, int silence_max_ms)
      : socket_(socket), silence_max_ms_(silence_max_ms) {}

  template <class Buffers>
  std::size_t read_some(const Buffers& buffers, beast::error_code& error) {
    return wait(POLLIN, error) ? socket_.read_some(buffers, error) : 0;
  }
  template <class Buffers>
  std::size_t write_some(const Buffers& buffers, beast::error_code& error) {
    return wait(POLLOUT, error) ? socket_.write_some(buffers, error) : 0;
  }
  // Beast requires of a stream also the forms that throw, and calls those above.
  template <class Buffers>
  std::size_t read_some(const Buffers& buffers) {
    return socket_.read_some(buffers);
  }
  template <class Buffers>
  std::size_t write_some(const Buffers& buffers) {
    return socket_.write_some(buffers);
  }

 private:
  /// Returns false, with the reason in `error`, if the socket is not ready in time.
  bool wait(short events, beast::error_code& error) {
    pollfd waits{.fd = socket_.native_handle(), .events = events, .revents = 0};
    int ready = 0;
    do {
      ready = poll(&waits, 1, silence_max_ms_);
    } while (ready < 0 && errno == EINTR);
    if (ready < 0) error = beast::error_code(errno, boost::system::system_category());
    if (ready == 0) error = asio::error::timed_out;
    return ready > 0;
  }

  Local::socket& socket_;
  int silence_max_ms_;  // -1: no bound
};

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
             std::chrono::milliseconds silence_max, beast::error_code& error) {
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

tl::expected<ApiAnswer, std::string> send_to(const std::filesystem::path& path,
                                             std::string_view method, std::string_view target,
                                             const std::string& body, const web::Fields& headers,
                                             std::chrono::milliseconds silence_max) {
  constexpr unsigned kHttp11 = 11;
  http::request<http::string_body> request;
  request.version(kHttp11);
  request.method_string(beast::string_view(method.data(), method.size()));
  request.target(beast::string_view(target.data(), target.size()));
  request.set(http::field::host, "heddle");
  request.keep_alive(false);
  for (const auto& [name, value] : headers) request.set(name, value);
  if (!body.empty()) request.set(http::field::content_type, "application/json");
  request.body() = body;
  request.prepare_payload();

  asio::io_context io;
  Local::socket socket(io);
  beast::error_code error;
  const auto failed = [&] {
    const bool is_silent = error == asio::error::timed_out;
    return tl::unexpected(fmt::format(
        "{}: {}", path.string(),
        is_silent ? unresponsive_text(listening_process(socket), silence_max) : error.message()));
  };
  connect(socket, path, silence_max, error);
  if (error) return failed();
  TimedStream stream(socket, silence_max.count() == 0 ? -1 : static_cast<int>(silence_max.count()));
  http::write(stream, request, error);
  // The daemon may have refused the request before its end.
  if (error && error != asio::error::broken_pipe) return failed();
  beast::flat_buffer buffer;
  http::response_parser<http::string_body> parser;
  // The daemon is trusted; a page of a large fabric is some megabytes.
  parser.body_limit(std::numeric_limits<std::uint64_t>::max());
  http::read(stream, buffer, parser, error);
  if (error) return failed();
  return ApiAnswer{.status = parser.get().result_int(), .body = std::move(parser.get().body())};
}

}  // namespace sm
