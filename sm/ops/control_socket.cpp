#include "sm/ops/control_socket.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <cstdlib>
#include <limits>

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
                                             const std::string& body, const web::Fields& headers) {
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
    return tl::unexpected(fmt::format("{}: {}", path.string(), error.message()));
  };
  socket.connect(Local::endpoint(path.string()), error);
  if (error) return failed();
  http::write(socket, request, error);
  // The daemon may have refused the request before its end.
  if (error && error != asio::error::broken_pipe) return failed();
  beast::flat_buffer buffer;
  http::response_parser<http::string_body> parser;
  // The daemon is trusted; a page of a large fabric is some megabytes.
  parser.body_limit(std::numeric_limits<std::uint64_t>::max());
  http::read(socket, buffer, parser, error);
  if (error) return failed();
  return ApiAnswer{.status = parser.get().result_int(), .body = std::move(parser.get().body())};
}

}  // namespace sm
