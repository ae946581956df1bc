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
#include <cctype>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <exception>
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
constexpr std::size_t kSendingBytesMax = std::size_t{256} << 20;
constexpr std::size_t kRequestBytesMax = std::size_t{16} * 1024;
using Stream = beast::basic_stream<Local>;

using Response = http::response<http::string_body>;
using Request = http::request<http::string_body>;

constexpr unsigned kHttp11 = 11;
constexpr std::string_view kApi = "/v1/";

/// While it lives a body counts among those that are being sent.
class Sending {
 public:
  Sending(std::size_t& total, std::size_t bytes) : total_(total), bytes_(bytes) {
    total_ += bytes_;
  }
  ~Sending() { total_ -= bytes_; }
  Sending(const Sending&) = delete;
  Sending& operator=(const Sending&) = delete;

 private:
  std::size_t& total_;
  const std::size_t bytes_;
};

std::string chars_of(beast::string_view text) { return {text.data(), text.size()}; }

web::Head head_of(const Request& request) {
  web::Head head{.method = chars_of(request.method_string()), .target = chars_of(request.target())};
  for (const auto& field : request)
    head.headers.emplace_back(chars_of(field.name_string()), chars_of(field.value()));
  for (auto& [name, value] : head.headers)
    std::ranges::transform(name, name.begin(), [](unsigned char c) { return std::tolower(c); });
  head.has_body = !request.body().empty();
  head.has_length = request.has_content_length() || request.chunked();
  return head;
}

Response response_of(web::Response answer, unsigned version) {
  Response response{static_cast<http::status>(answer.status), version};
  if (!answer.content_type.empty()) response.set(http::field::content_type, answer.content_type);
  for (const auto& [name, value] : answer.headers) response.set(name, value);
  if (!answer.etag.empty()) response.set(http::field::etag, fmt::format("\"{}\"", answer.etag));
  response.body() = std::move(answer.body);
  response.keep_alive(false);
  response.prepare_payload();
  return response;
}

Response make_response(const Request& request, http::status status, std::string body) {
  Response response{status, request.version()};
  response.set(http::field::content_type,
               status == http::status::ok ? "application/json" : "text/plain");
  response.body() = std::move(body);
  response.keep_alive(false);
  response.prepare_payload();
  return response;
}

Response body_too_long() {
  const std::size_t most = web::Limits().body_bytes;
  return response_of(
      web::problem(413, fmt::format("the body has more than {} bytes", most), "send it in parts"),
      kHttp11);
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
  Api api;
  unsigned sessions = 0;
  std::size_t sending_bytes = 0;  // of bodies
  std::atomic<bool> ends = false;
  asio::thread_pool maker{1};  // of answers: the control thread makes no text of a large fabric

  /// The job's text, made on the other thread. "" if the daemon ends first. Throws what the job
  /// throws.
  asio::awaitable<std::string> made(const Job& job) {
    using Made = void(std::exception_ptr, std::string);
    return asio::async_initiate<const asio::use_awaitable_t<>&, Made>(
        [this](auto handler, Job work) {
          asio::post(maker, [this, handler = std::move(handler), work = std::move(work)]() mutable {
            std::string text;
            std::exception_ptr thrown;
            try {
              if (!ends) text = work();
            } catch (...) {
              thrown = std::current_exception();
            }
            const auto back = asio::get_associated_executor(handler, acceptor.get_executor());
            asio::post(back, [handler = std::move(handler), thrown = std::move(thrown),
                              text = std::move(text)]() mutable {
              std::move(handler)(std::move(thrown), std::move(text));
            });
          });
        },
        asio::use_awaitable, job);
  }

  asio::awaitable<Response> respond(const Request& request, const ControlPeer& peer) {
    const std::string target = chars_of(request.target());
    if (api && target.starts_with(kApi)) {
      web::Response answer = co_await api(head_of(request), request.body(), peer);
      co_return response_of(std::move(answer), request.version());
    }
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

  /// A request that fails to be answered ends its session, not the manager.
  asio::awaitable<Response> answer(const Request& request, const ControlPeer& peer) {
    std::string error = "an unknown exception";
    try {
      Response response = co_await respond(request, peer);
      co_return response;
    } catch (const std::exception& thrown) {
      error = thrown.what();
    } catch (...) {
    }
    co_return make_response(request, http::status::internal_server_error,
                            "this cannot be answered: " + error);
  }

  static asio::awaitable<void> serve(std::shared_ptr<Server> self, Local::socket socket) {
    const ControlPeer peer = peer_of(socket);
    Stream stream(std::move(socket));
    stream.expires_after(kSessionLimit);
    beast::flat_buffer buffer(kRequestBytesMax);
    beast::error_code error;
    http::request_parser<http::string_body> parser;
    parser.body_limit(web::Limits().body_bytes);
    co_await http::async_read(stream, buffer, parser,
                              asio::redirect_error(asio::use_awaitable, error));
    const bool too_long = error == http::error::body_limit;
    if (!error || too_long) {
      Response response = too_long ? body_too_long() : Response();
      if (!too_long) response = co_await self->answer(parser.get(), peer);
      const std::size_t bytes = response.body().size();
      const bool waits_for_others = self->sending_bytes > 0;
      if (waits_for_others && self->sending_bytes + bytes > kSendingBytesMax) {
        response = make_response(parser.get(), http::status::service_unavailable,
                                 "too many long answers are being sent; try again");
      }
      const Sending sending(self->sending_bytes, response.body().size());
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

void ControlSocket::serve_api(Api api) { server_->api = std::move(api); }

namespace {

/// "0x0002c90300000001.sock": http_listen may have put its own there, too.
bool is_named_by_guid(const std::filesystem::path& socket) {
  constexpr std::size_t kNameLength = 18;
  const std::string name = socket.stem().string();
  return socket.extension() == ".sock" && name.size() == kNameLength && name.starts_with("0x") &&
         name.find_first_not_of("0123456789abcdef", 2) == std::string::npos;
}

}  // namespace

std::vector<std::filesystem::path> control_sockets(const std::filesystem::path& dir) {
  std::vector<std::filesystem::path> sockets;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(dir, error)) {
    if (entry.is_socket(error) && is_named_by_guid(entry.path())) sockets.push_back(entry.path());
  }
  std::ranges::sort(sockets);
  return sockets;
}

namespace {

using Exchanged = http::response<http::string_body>;

/// Errors: no answer has come.
tl::expected<Exchanged, std::string> exchange(const std::filesystem::path& path, Request request) {
  const auto failed = [&](std::string_view what) {
    return tl::unexpected(fmt::format("{}: {}", path.string(), what));
  };
  asio::io_context io;
  Local::socket socket(io);
  beast::error_code error;
  socket.connect(Local::endpoint(path.string()), error);
  if (error) return failed(error.message());
  request.version(kHttp11);
  request.set(http::field::host, "heddle");
  request.prepare_payload();
  http::write(socket, request, error);
  // It may have been refused before its end.
  if (error && error != asio::error::broken_pipe) return failed(error.message());
  beast::flat_buffer buffer;
  http::response_parser<http::string_body> parser;
  // The daemon is trusted; a large fabric's vports are tens of megabytes.
  parser.body_limit(std::numeric_limits<std::uint64_t>::max());
  http::read(socket, buffer, parser, error);
  if (error) return failed(error.message());
  return parser.release();
}

tl::expected<std::string, std::string> text_from(const std::filesystem::path& path, http::verb verb,
                                                 std::string_view target) {
  Request request;
  request.method(verb);
  request.target(beast::string_view(target.data(), target.size()));
  auto response = exchange(path, std::move(request));
  if (!response) return tl::unexpected(std::move(response.error()));
  if (response->result() != http::status::ok)
    return tl::unexpected(fmt::format("{}: {}", path.string(), response->body()));
  return std::move(response->body());
}

}  // namespace

tl::expected<std::string, std::string> get_from(const std::filesystem::path& path,
                                                std::string_view target) {
  return text_from(path, http::verb::get, target);
}

tl::expected<std::string, std::string> post_to(const std::filesystem::path& path,
                                               std::string_view target) {
  return text_from(path, http::verb::post, target);
}

tl::expected<ApiAnswer, std::string> send_to(const std::filesystem::path& path,
                                             std::string_view method, std::string_view target,
                                             const std::string& body, const web::Fields& headers) {
  Request request;
  request.method_string(beast::string_view(method.data(), method.size()));
  request.target(beast::string_view(target.data(), target.size()));
  for (const auto& [name, value] : headers) request.set(name, value);
  if (!body.empty()) request.set(http::field::content_type, "application/json");
  request.body() = body;
  auto response = exchange(path, std::move(request));
  if (!response) return tl::unexpected(std::move(response.error()));
  return ApiAnswer{.status = response->result_int(), .body = std::move(response->body())};
}

}  // namespace sm
