#include "sm/ops/map/map.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_future.hpp>
#include <fstream>
#include <iterator>

#include "config/engine_names.h"

namespace sm::map_resources_test {

using ::testing::HasSubstr;
using ::testing::Not;

web::Response get(const std::string& path) {
  const web::Resources resources = map_resources();
  const auto route = std::ranges::find(resources.routes, path, &web::Route::path);
  if (route == resources.routes.end()) return {.status = 404};
  boost::asio::io_context io;
  auto response = boost::asio::co_spawn(io, route->handler(web::Request{.path = path}),
                                        boost::asio::use_future);
  io.run();
  return response.get();
}

std::string file(const std::string& name) {
  std::ifstream in(std::string(HEDDLE_MAP_PAGE) + "/" + name, std::ios::binary);
  EXPECT_TRUE(in.good()) << name;
  return {std::istreambuf_iterator<char>(in), {}};
}

std::string header(const web::Response& response, std::string_view name) {
  const auto found = std::ranges::find(response.headers, name, &web::Fields::value_type::first);
  return found == response.headers.end() ? std::string() : found->second;
}

TEST(MapResources, AreTheFilesOfThePage) {
  EXPECT_EQ(get("/map/").body, get("/map").body);
  EXPECT_EQ(get("/map/app.css").body, file("src/app.css"));
  EXPECT_EQ(get("/map/app.js").body, file("bundle/app.js"));
  EXPECT_EQ(get("/map/icon.svg").body, file("src/icon.svg"));
  EXPECT_EQ(get("/map/icon.svg").content_type, "image/svg+xml");
  EXPECT_THAT(get("/map").body, HasSubstr("rel=\"icon\" href=\"/map/icon.svg\""));
  EXPECT_EQ(get("/map/licences.txt").body, file("bundle/licences.txt"));
}

TEST(MapResources, ThePageListsTheRoutingEngines) {
  std::string page = file("src/index.html"), options;
  for (const config::EngineRow& row : config::engine_rows()) {
    EXPECT_EQ(row.what.find_first_of("<>&\""), std::string_view::npos) << row.name;
    options += fmt::format("<option value=\"{0}\" title=\"{1}\">{0}</option>", row.name, row.what);
  }
  const std::size_t mark = page.find("@ENGINES@");
  ASSERT_NE(mark, std::string::npos);
  EXPECT_EQ(get("/map").body, page.replace(mark, 9, options));
}

TEST(MapResources, AreForAllReadersAndNotInTheDocument) {
  for (const web::Route& route : map_resources().routes) {
    if (route.path == "/") continue;  // leads there, below
    EXPECT_EQ(route.method, web::Method::get) << route.path;
    EXPECT_EQ(route.least, web::Role::read) << route.path;
    EXPECT_FALSE(route.in_document) << route.path;
    EXPECT_FALSE(get(route.path).etag.empty()) << route.path;
  }
}

TEST(MapResources, TheServersAddressLeadsToTheMapWithoutAUser) {
  const web::Response start = get("/");
  EXPECT_EQ(start.status, 303u);
  EXPECT_EQ(header(start, "Location"), "/map");
  const auto routes = map_resources().routes;
  const auto route = std::ranges::find(routes, "/", &web::Route::path);
  ASSERT_NE(route, routes.end());
  EXPECT_EQ(route->least, web::Role::none);
}

TEST(MapResources, LetThePageLoadFromItsOwnServerOnly) {
  const std::string policy = header(get("/map"), "Content-Security-Policy");
  EXPECT_THAT(policy, HasSubstr("default-src 'none'"));
  EXPECT_THAT(policy, HasSubstr("script-src 'self'"));
  EXPECT_THAT(policy, Not(HasSubstr("unsafe")));
  EXPECT_THAT(policy, Not(HasSubstr("http")));
}

TEST(MapResources, HaveNoInlineScriptOrStyle) {
  const std::string page = get("/map").body;
  EXPECT_THAT(page, Not(HasSubstr("<style")));
  EXPECT_THAT(page, Not(HasSubstr("style=")));
  EXPECT_THAT(page, Not(HasSubstr("onclick=")));
  EXPECT_THAT(page, HasSubstr("src=\"/map/app.js\"></script>"));
  EXPECT_THAT(page, Not(HasSubstr("://")));
}

TEST(MapResources, NameTheirTypes) {
  EXPECT_EQ(get("/map").content_type, "text/html; charset=utf-8");
  EXPECT_EQ(get("/map/app.js").content_type, "text/javascript; charset=utf-8");
  EXPECT_EQ(get("/map/app.css").content_type, "text/css; charset=utf-8");
  EXPECT_EQ(header(get("/map/app.js"), "X-Content-Type-Options"), "nosniff");
}

}  // namespace sm::map_resources_test
