#include "sm/ops/api/api.h"

#include <gmock/gmock.h>

#include <boost/asio/awaitable.hpp>

#include "unit/sm/ops/api/published.h"

namespace support_bundle_test {

using api_client::Client;
using api_client::Json;
using ::testing::HasSubstr;

sm::web::Route route(std::string path, sm::web::Handler handler,
                     sm::web::Role least = sm::web::Role::read) {
  sm::web::Route made;
  made.path = std::move(path);
  made.least = least;
  made.handler = std::move(handler);
  return made;
}

sm::web::Handler always(sm::web::Response response) {
  return [response = std::move(response)](
             sm::web::Request) -> boost::asio::awaitable<sm::web::Response> { co_return response; };
}

/// In these parts.
sm::web::Handler streamed(std::string content_type, std::vector<std::string> parts) {
  return [=](sm::web::Request) -> boost::asio::awaitable<sm::web::Response> {
    const auto next = std::make_shared<std::size_t>(0);
    sm::web::Response response;
    response.content_type = content_type;
    response.chunks = [=]() -> boost::asio::awaitable<std::optional<std::string>> {
      if (*next == parts.size()) co_return std::nullopt;
      co_return parts[(*next)++];
    };
    co_return response;
  };
}

/// With the bundle of these routes.
Client make_client(sm::web::Resources all) {
  const auto at_the_epoch = [] { return std::chrono::system_clock::time_point{}; };
  sm::web::Resources bundle = sm::api::support_bundle(all, "1.2 \"x\"", at_the_epoch);
  std::ranges::move(bundle.routes, std::back_inserter(all.routes));
  std::ranges::move(bundle.schemas, std::back_inserter(all.schemas));
  return Client(std::move(all));
}

TEST(SupportBundle, HasWhatTheResourcesAnswer) {
  published::Manager manager;
  Client client = make_client(sm::api_resources(manager.sources()));
  const Json bundle = client.json("/v1/support-bundle");
  EXPECT_EQ(bundle["made_at"], "1970-01-01T00:00:00.000Z");
  EXPECT_EQ(bundle["version"], "1.2 \"x\"");
  for (const char* const path :
       {"/v1/subnet", "/v1/adaptive-routing", "/v1/options", "/v1/sms", "/v1/conditions",
        "/v1/routing", "/v1/groups", "/v1/vports", "/v1/topology"}) {
    ASSERT_TRUE(bundle["resources"].contains(path)) << path;
    EXPECT_EQ(bundle["resources"][path]["status"], 200) << path;
    EXPECT_EQ(bundle["resources"][path]["body"]["fabric_id"],
              client.json("/v1/subnet")["fabric_id"]);
  }
  EXPECT_EQ(bundle["resources"]["/v1/topology"]["body"], client.json("/v1/topology"));
  EXPECT_THAT(client.get("/v1/support-bundle").headers,
              testing::Contains(testing::Pair("Content-Disposition", HasSubstr("attachment"))));
}

TEST(SupportBundle, BodiesInPartsTextsAndProblemsAreKept) {
  sm::web::Resources all;
  all.routes.push_back(route("/v1/groups", streamed("application/json", {"{\"a\":[1", ",2]}\n"})));
  all.routes.push_back(route(
      "/metrics", streamed("text/plain; version=0.0.4", {"# HELP \"x\"\n", "x{a=\"\\\\\"} 1\n"})));
  all.routes.push_back(route("/v1/sms", always(sm::web::problem(503, "not yet"))));
  all.routes.push_back(route("/v1/vports", always({.status = 204})));
  // Not what a reader may see, nor what the bundle is made of.
  all.routes.push_back(route("/v1/options", always({.body = "{}"}), sm::web::Role::admin));
  all.routes.push_back(route("/v1/secret", always({.body = "{}"})));
  Client client = make_client(std::move(all));
  const Json resources = client.json("/v1/support-bundle")["resources"];
  EXPECT_EQ(resources.size(), 4u) << resources;
  EXPECT_EQ(resources["/v1/groups"]["body"], Json::parse(R"({"a":[1,2]})"));
  EXPECT_EQ(resources["/metrics"]["body"], "# HELP \"x\"\nx{a=\"\\\\\"} 1\n");
  EXPECT_EQ(resources["/v1/sms"]["status"], 503);
  EXPECT_EQ(resources["/v1/sms"]["body"]["detail"], "not yet");
  EXPECT_TRUE(resources["/v1/vports"]["body"].is_null());
}

TEST(SupportBundle, OfNothingIsEmpty) {
  Client client = make_client({});
  EXPECT_EQ(client.json("/v1/support-bundle")["resources"], Json::object());
}

}  // namespace support_bundle_test
