#include "sm/ops/control_socket.h"

#include <sys/stat.h>

#include <algorithm>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <cstdlib>
#include <limits>
#include <optional>

#include "mad/format.h"

namespace sm {
namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using Local = asio::local::stream_protocol;

namespace {

constexpr std::chrono::seconds kSessionLimit{
    10};  // a client that says nothing does not hold a session open
constexpr std::chrono::milliseconds kAcceptPause{200};
constexpr std::size_t kRequestBytesMax = std::size_t{16} * 1024;
using Stream = beast::basic_stream<Local>;

/// What a daemon says to a GET and does on a POST.
struct Service {
  ControlSocket::Answer answer;
  ControlSocket::Command command;
};

http::response<http::string_body> answer_to(const http::request<http::empty_body>& request,
                                            const Service& service) {
  const auto make = [&](http::status status, std::string body) {
    http::response<http::string_body> response{status, request.version()};
    response.set(http::field::content_type,
                 status == http::status::ok ? "application/json" : "text/plain");
    response.body() = std::move(body);
    response.keep_alive(false);
    response.prepare_payload();
    return response;
  };
  const std::string_view target(request.target().data(), request.target().size());
  if (request.method() == http::verb::post) {
    if (auto done = service.command ? service.command(target) : std::nullopt)
      return *done ? make(http::status::ok, std::move(**done))
                   : make(http::status::conflict, std::move(done->error()));
  } else if (request.method() != http::verb::get) {
    return make(http::status::method_not_allowed, "only GET and POST\n");
  } else if (auto body = service.answer(target)) {
    return make(http::status::ok, std::move(*body));
  }
  return make(http::status::not_found, "no such thing here\n");
}

asio::awaitable<void> serve(Local::socket socket, Service service) {
  Stream stream(std::move(socket));
  stream.expires_after(kSessionLimit);
  beast::flat_buffer buffer(kRequestBytesMax);
  beast::error_code error;
  http::request<http::empty_body> request;
  co_await http::async_read(stream, buffer, request,
                            asio::redirect_error(asio::use_awaitable, error));
  if (error) co_return;
  auto response = answer_to(request, service);
  co_await http::async_write(stream, response, asio::redirect_error(asio::use_awaitable, error));
}

bool is_listening(const std::filesystem::path& path) {
  asio::io_context io;
  Local::socket socket(io);
  beast::error_code error;
  socket.connect(Local::endpoint(path.string()), error);
  return !error;
}

}  // namespace

std::filesystem::path run_dir() {
  const char* dir = std::getenv("HEDDLE_RUN_DIR");
  return dir != nullptr && *dir != '\0' ? dir : "/run/heddle";
}

struct ControlSocket::Server {
  Server(const asio::any_io_executor& executor, std::filesystem::path socket_path, Service what)
      : acceptor(executor), path(std::move(socket_path)), service(std::move(what)) {}
  Local::acceptor acceptor;
  std::filesystem::path path;
  Service service;

  static asio::awaitable<void> accept_loop(std::shared_ptr<Server> self) {
    for (;;) {
      beast::error_code error;
      Local::socket socket =
          co_await self->acceptor.async_accept(asio::redirect_error(asio::use_awaitable, error));
      if (error == asio::error::operation_aborted || error == asio::error::bad_descriptor)
        co_return;
      if (error) {  // no descriptor is left, or the client is gone: later ones can still be served
        asio::steady_timer pause(self->acceptor.get_executor(), kAcceptPause);
        co_await pause.async_wait(asio::redirect_error(asio::use_awaitable, error));
        continue;
      }
      asio::co_spawn(self->acceptor.get_executor(), serve(std::move(socket), self->service),
                     asio::detached);
    }
  }
};

tl::expected<std::unique_ptr<ControlSocket>, std::string> ControlSocket::listen(
    const asio::any_io_executor& executor, const std::filesystem::path& path, Answer answer,
    Command command) {
  const auto failed = [&](std::string_view what) {
    return tl::unexpected(fmt::format("control socket {}: {}", path.string(), what));
  };
  std::error_code folder_error;
  std::filesystem::create_directories(path.parent_path(), folder_error);
  if (folder_error) return failed(folder_error.message());
  if (is_listening(path)) return failed("another Heddle listens there");
  std::filesystem::remove(path, folder_error);

  auto server =
      std::make_shared<Server>(executor, path, Service{std::move(answer), std::move(command)});
  beast::error_code error;
  server->acceptor.open(Local(), error);
  const mode_t before = umask(0077);  // owner only, from the first moment on
  if (!error) server->acceptor.bind(Local::endpoint(path.string()), error);
  umask(before);
  if (!error) server->acceptor.listen(asio::socket_base::max_listen_connections, error);
  if (error) return failed(error.message());
  asio::co_spawn(executor, Server::accept_loop(server), asio::detached);
  return std::unique_ptr<ControlSocket>(new ControlSocket(std::move(server)));
}

ControlSocket::ControlSocket(std::shared_ptr<Server> server) : server_(std::move(server)) {}

ControlSocket::~ControlSocket() {
  beast::error_code ignored;
  server_->acceptor.close(ignored);
  std::error_code also_ignored;
  std::filesystem::remove(server_->path, also_ignored);
}

std::vector<std::filesystem::path> control_sockets(const std::filesystem::path& dir) {
  std::vector<std::filesystem::path> sockets;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(dir, error)) {
    if (entry.is_socket(error)) sockets.push_back(entry.path());
  }
  std::ranges::sort(sockets);
  return sockets;
}

namespace {

tl::expected<std::string, std::string> exchange(const std::filesystem::path& path, http::verb verb,
                                                std::string_view target) {
  const auto failed = [&](std::string_view what) {
    return tl::unexpected(fmt::format("{}: {}", path.string(), what));
  };
  asio::io_context io;
  Local::socket socket(io);
  beast::error_code error;
  socket.connect(Local::endpoint(path.string()), error);
  if (error) return failed(error.message());
  http::request<http::empty_body> request{verb, beast::string_view(target.data(), target.size()),
                                          11};
  request.set(http::field::host, "heddle");
  http::write(socket, request, error);
  if (error) return failed(error.message());
  beast::flat_buffer buffer;
  http::response_parser<http::string_body> parser;
  // The daemon is trusted; a large fabric's vports are tens of megabytes.
  parser.body_limit(std::numeric_limits<std::uint64_t>::max());
  http::read(socket, buffer, parser, error);
  if (error) return failed(error.message());
  const http::response<http::string_body>& response = parser.get();
  if (response.result() != http::status::ok) return failed(response.body());
  return response.body();
}

}  // namespace

tl::expected<std::string, std::string> get_from(const std::filesystem::path& path,
                                                std::string_view target) {
  return exchange(path, http::verb::get, target);
}

tl::expected<std::string, std::string> post_to(const std::filesystem::path& path,
                                               std::string_view target) {
  return exchange(path, http::verb::post, target);
}

}  // namespace sm
