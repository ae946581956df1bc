#include "sm/ops/web/router.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sm/ops/web/request_target.h"

namespace sm::web::router_test {

using ::testing::ElementsAre;
using ::testing::Pair;

Route route(Method method, std::string path) {
  Route made;
  made.method = method;
  made.path = std::move(path);
  return made;
}

struct Found {
  std::string path;
  Fields parameters;
  std::string allow;
};

Found match(const Router& router, Method method, std::string_view target) {
  const auto result = router.match(method, parse_target(target)->segments);
  if (const auto* found = std::get_if<Router::Match>(&result))
    return {found->route->path, found->parameters, {}};
  if (const auto* others = std::get_if<Router::OtherMethods>(&result))
    return {{}, {}, others->allow};
  return {};
}

class RouterTest : public ::testing::Test {
 protected:
  const Router router_{{route(Method::get, "/v1/nodes/{guid}"), route(Method::get, "/v1/nodes"),
                        route(Method::put, "/v1/nodes/{guid}"), route(Method::get, "/v1/nodes/all"),
                        route(Method::get, "/pkeys/"), route(Method::post, "/pkeys")}};
};

TEST_F(RouterTest, TemplatesGiveParameters) {
  const Found found = match(router_, Method::put, "/v1/nodes/0x%30a");
  EXPECT_EQ(found.path, "/v1/nodes/{guid}");
  EXPECT_THAT(found.parameters, ElementsAre(Pair("guid", "0x0a")));
}

TEST_F(RouterTest, LiteralsWinOverParameters) {
  EXPECT_EQ(match(router_, Method::get, "/v1/nodes/all").path, "/v1/nodes/all");
  EXPECT_EQ(match(router_, Method::get, "/v1/nodes/alle").path, "/v1/nodes/{guid}");
}

TEST_F(RouterTest, AMethodOfAnotherTemplateThatFitsIsFound) {
  EXPECT_EQ(match(router_, Method::put, "/v1/nodes/all").path, "/v1/nodes/{guid}");
}

TEST_F(RouterTest, TrailingSlashesAreAsRouted) {
  EXPECT_EQ(match(router_, Method::get, "/pkeys/").path, "/pkeys/");
  EXPECT_EQ(match(router_, Method::get, "/pkeys").allow, "POST");
  EXPECT_EQ(match(router_, Method::get, "/v1/nodes/").path, "") << "a parameter is not empty";
}

TEST_F(RouterTest, OtherMethodsAreListed) {
  EXPECT_EQ(match(router_, Method::delete_, "/v1/nodes/1").allow, "GET, HEAD, PUT");
  EXPECT_EQ(match(router_, Method::delete_, "/v2").allow, "");
}

TEST_F(RouterTest, HeadIsServedByGet) {
  EXPECT_EQ(match(router_, Method::head, "/v1/nodes").path, "/v1/nodes");
}

TEST(Router, ErrorsOfTheProgramAreThrown) {
  const auto make = [](std::vector<Route> routes) { return Router(std::move(routes)); };
  EXPECT_THROW(make({route(Method::get, "/a"), route(Method::get, "/a")}), std::logic_error);
  EXPECT_THROW(make({route(Method::get, "/{a}"), route(Method::put, "/{b}")}), std::logic_error);
  EXPECT_THROW(make({route(Method::get, "a")}), std::logic_error);
  EXPECT_THROW(make({route(Method::get, "/a{b}")}), std::logic_error);
}

}  // namespace sm::web::router_test
