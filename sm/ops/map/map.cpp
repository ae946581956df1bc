#include "sm/ops/map/map.h"

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "config/engine_names.h"
#include "sm/ops/map/page_files.h"

namespace sm {
namespace {

// 'none' forbids everything that the page does not use. The page's script sets styles as
// properties, which the policy does not forbid.
constexpr std::string_view kContentSecurityPolicy =
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// Returns the page with an option for each routing engine.
std::string_view page_with_engines() {
  static const std::string kPage = [] {
    constexpr std::string_view kMark = "@ENGINES@";
    std::string options, page(page::index_html());
    for (const config::EngineRow& row : config::engine_rows())
      options += fmt::format(R"(<option value="{0}" title="{1}">{0}</option>)", row.name, row.what);
    return page.replace(page.find(kMark), kMark.size(), options);
  }();
  return kPage;
}

/// FNV-1a: distinguishes two builds, which is all that an ETag needs.
std::string make_hash(std::string_view bytes) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char byte : bytes) {
    hash ^= static_cast<std::uint8_t>(byte);
    hash *= 0x100000001b3;
  }
  return fmt::format("{:016x}", hash);
}

web::Response file_response(std::string_view content, const std::string& content_type,
                            const std::string& etag) {
  return {.content_type = content_type,
          .body = std::string(content),
          .headers = {{"Cache-Control", "no-cache"},  // may be kept, is compared by its ETag
                      {"Content-Security-Policy", std::string(kContentSecurityPolicy)},
                      {"X-Content-Type-Options", "nosniff"},
                      {"Referrer-Policy", "no-referrer"}},
          .etag = etag};
}

web::Route file_route(std::string path, std::string_view content, std::string content_type,
                      std::string operation_id, std::string summary) {
  // The response is made outside the coroutine, where g++ 12 destroys lists of temporaries twice.
  web::Handler handler =
      [=, etag = make_hash(content)](web::Request) -> boost::asio::awaitable<web::Response> {
    co_return file_response(content, content_type, etag);
  };
  return {.method = web::Method::get,
          .path = std::move(path),
          .least = web::Role::read,
          .handler = std::move(handler),
          .operation_id = std::move(operation_id),
          .summary = std::move(summary),
          .request_schema = {},
          .response_schema = {},
          .content_type = std::move(content_type),
          .in_document = false};
}

/// A browser that opens the server's address gets the map.
web::Route start_route() {
  web::Route route;
  route.path = "/";
  route.least = web::Role::none;
  route.operation_id = "getStart";
  route.summary = "To the map of the fabric";
  route.in_document = false;
  route.handler = [](web::Request) -> boost::asio::awaitable<web::Response> {
    web::Response response;
    response.status = 303;
    response.headers.emplace_back("Location", "/map");
    co_return response;
  };
  return route;
}

}  // namespace

web::Resources map_resources() {
  const std::string text = "text/plain; charset=utf-8";
  web::Resources resources;
  resources.routes.push_back(start_route());
  for (const std::string_view path : {"/map", "/map/"}) {
    resources.routes.push_back(file_route(std::string(path), page_with_engines(),
                                          "text/html; charset=utf-8", "getMap",
                                          "The map of the fabric"));
  }
  resources.routes.push_back(file_route("/map/app.js", page::app_js(),
                                        "text/javascript; charset=utf-8", "getMapScript",
                                        "The map's script"));
  resources.routes.push_back(file_route("/map/app.css", page::app_css(), "text/css; charset=utf-8",
                                        "getMapStyle", "The map's style"));
  resources.routes.push_back(file_route("/map/icon.svg", page::icon_svg(), "image/svg+xml",
                                        "getMapIcon", "The map's icon"));
  resources.routes.push_back(file_route("/map/licences.txt", page::licences_txt(), text,
                                        "getMapLicences", "Licences of the map's libraries"));
  return resources;
}

}  // namespace sm
