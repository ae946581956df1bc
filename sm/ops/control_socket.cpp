#include "sm/ops/control_socket.h"

#include <grp.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <boost/asio/associated_executor.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <cerrno>
#include <cstdlib>
#include <cstring>
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
constexpr unsigned kSessionsMax = 32;  // at a time; others wait
constexpr std::size_t kRequestBytesMax = std::size_t{16} * 1024;
using Stream = beast::basic_stream<Local>;

using Response = http::response<http::string_body>;
using Request = http::request<http::empty_body>;

Response make_response(const Request& request, http::status status, std::string body) {
  Response response{status, request.version()};
  response.set(http::field::content_type,
               status == http::status::ok ? "application/json" : "text/plain");
  response.body() = std::move(body);
  response.keep_alive(false);
  response.prepare_payload();
  return response;
}

ControlPeer peer_of(Local::socket& socket) {
  ucred of{};
  socklen_t size = sizeof of;
  if (getsockopt(socket.native_handle(), SOL_SOCKET, SO_PEERCRED, &of, &size) != 0) return {};
  return {.uid = static_cast<long>(of.uid), .pid = of.pid};
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
  Server(const asio::any_io_executor& executor, std::filesystem::path socket_path, Options what)
      : acceptor(executor), path(std::move(socket_path)), service(std::move(what)) {}
  Local::acceptor acceptor;
  std::filesystem::path path;
  Options service;
  unsigned sessions = 0;
  std::atomic<bool> ends = false;
  asio::thread_pool maker{1};  // of answers: the control thread makes no text of a large fabric

  /// The job's text, made on the other thread. "" if the daemon ends meanwhile.
  asio::awaitable<std::string> made(const Job& job) {
    return asio::async_initiate<const asio::use_awaitable_t<>&, void(std::string)>(
        [this](auto handler, Job work) {
          asio::post(maker, [this, handler = std::move(handler), work = std::move(work)]() mutable {
            std::string text = ends ? std::string() : work();
            const auto back = asio::get_associated_executor(handler, acceptor.get_executor());
            asio::post(back, [handler = std::move(handler), text = std::move(text)]() mutable {
              std::move(handler)(std::move(text));
            });
          });
        },
        asio::use_awaitable, job);
  }

  asio::awaitable<Response> respond(const Request& request, const ControlPeer& peer) {
    const std::string target(request.target().data(), request.target().size());
    if (request.method() == http::verb::post) {
      if (auto done = service.command ? service.command(target, peer) : std::nullopt)
        co_return *done ? make_response(request, http::status::ok, std::move(**done))
                        : make_response(request, http::status::conflict, std::move(done->error()));
    } else if (request.method() != http::verb::get) {
      co_return make_response(request, http::status::method_not_allowed, "only GET and POST");
    } else if (const std::optional<Job> job = service.answer(target)) {
      std::string text = co_await made(*job);
      co_return make_response(request, http::status::ok, std::move(text));
    } else if (auto reading = service.read ? service.read(target) : std::nullopt) {
      auto text = co_await std::move(*reading);
      if (!text) co_return make_response(request, http::status::conflict, std::move(text.error()));
      co_return make_response(request, http::status::ok, std::move(*text));
    }
    co_return make_response(request, http::status::not_found, "no such thing here");
  }

  static asio::awaitable<void> serve(std::shared_ptr<Server> self, Local::socket socket) {
    const ControlPeer peer = peer_of(socket);
    Stream stream(std::move(socket));
    stream.expires_after(kSessionLimit);
    beast::flat_buffer buffer(kRequestBytesMax);
    beast::error_code error;
    Request request;
    co_await http::async_read(stream, buffer, request,
                              asio::redirect_error(asio::use_awaitable, error));
    if (!error) {
      Response response = co_await self->respond(request, peer);
      stream.expires_after(kSessionLimit);
      co_await http::async_write(stream, response,
                                 asio::redirect_error(asio::use_awaitable, error));
    }
    --self->sessions;
  }

  static asio::awaitable<void> accept_loop(std::shared_ptr<Server> self) {
    for (;;) {
      beast::error_code error;
      Local::socket socket =
          co_await self->acceptor.async_accept(asio::redirect_error(asio::use_awaitable, error));
      if (error == asio::error::operation_aborted || error == asio::error::bad_descriptor)
        co_return;
      if (!error) {
        ++self->sessions;
        asio::co_spawn(self->acceptor.get_executor(), serve(self, std::move(socket)),
                       asio::detached);
      }
      // No descriptor is left, or the client is gone: later ones can still be served.
      while (error || self->sessions >= kSessionsMax) {
        asio::steady_timer pause(self->acceptor.get_executor(), kAcceptPause);
        co_await pause.async_wait(asio::redirect_error(asio::use_awaitable, error));
        error = {};
      }
    }
  }
};

namespace {

/// Nothing, or why its members cannot open it.
std::optional<std::string> give_to_group(const std::filesystem::path& path,
                                         const std::string& group) {
  if (group.empty()) return std::nullopt;
  const struct group* const found = getgrnam(group.c_str());
  if (found == nullptr) return fmt::format("control_group: there is no group \"{}\"", group);
  if (chown(path.c_str(), static_cast<uid_t>(-1), found->gr_gid) != 0 ||
      chmod(path.c_str(), 0660) != 0)
    return fmt::format("control_group {}: {}", group, std::strerror(errno));
  return std::nullopt;
}

}  // namespace

tl::expected<std::unique_ptr<ControlSocket>, std::string> ControlSocket::listen(
    const asio::any_io_executor& executor, const std::filesystem::path& path, Options options) {
  const auto failed = [&](std::string_view what) {
    return tl::unexpected(fmt::format("control socket {}: {}", path.string(), what));
  };
  std::error_code folder_error;
  std::filesystem::create_directories(path.parent_path(), folder_error);
  if (folder_error) return failed(folder_error.message());
  if (is_listening(path)) return failed("another Heddle listens there");
  std::filesystem::remove(path, folder_error);

  const std::string group = options.group;
  auto server = std::make_shared<Server>(executor, path, std::move(options));
  beast::error_code error;
  server->acceptor.open(Local(), error);
  const mode_t before = umask(0077);  // owner only, from the first moment on
  if (!error) server->acceptor.bind(Local::endpoint(path.string()), error);
  umask(before);
  if (!error) server->acceptor.listen(asio::socket_base::max_listen_connections, error);
  if (error) return failed(error.message());
  if (const auto refused = give_to_group(path, group)) return failed(*refused);
  asio::co_spawn(executor, Server::accept_loop(server), asio::detached);
  return std::unique_ptr<ControlSocket>(new ControlSocket(std::move(server)));
}

ControlSocket::ControlSocket(std::shared_ptr<Server> server) : server_(std::move(server)) {}

ControlSocket::~ControlSocket() {
  beast::error_code ignored;
  server_->acceptor.close(ignored);
  server_->ends = true;
  server_->maker.join();
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
