#include "sm/ops/web/request_target.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sm::web::target_test {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

TEST(Target, IsSplitAndDecoded) {
  const auto target = parse_target("/v1/nodes/leaf%201?limit=10&name=a+b%2Bc&flag");
  ASSERT_TRUE(target) << target.error();
  EXPECT_THAT(target->segments, ElementsAre("v1", "nodes", "leaf 1"));
  EXPECT_EQ(target->path, "/v1/nodes/leaf 1");
  EXPECT_THAT(target->query,
              ElementsAre(Pair("limit", "10"), Pair("name", "a b+c"), Pair("flag", "")));
}

TEST(Target, TrailingSlashIsAnEmptySegment) {
  EXPECT_THAT(parse_target("/a/")->segments, ElementsAre("a", ""));
  EXPECT_THAT(parse_target("/")->segments, ElementsAre(""));
}

TEST(Target, AbsoluteFormIsTheSame) {
  EXPECT_EQ(parse_target("http://host:80/v1?a=b")->path, "/v1");
  EXPECT_EQ(parse_target("https://host")->path, "/");
}

class BadTarget : public ::testing::TestWithParam<std::pair<const char*, const char*>> {};

TEST_P(BadTarget, IsAnErrorThatSaysWhy) {
  const auto target = parse_target(GetParam().first);
  ASSERT_FALSE(target) << GetParam().first;
  EXPECT_THAT(target.error(), HasSubstr(GetParam().second));
}

INSTANTIATE_TEST_SUITE_P(
    Forms, BadTarget,
    ::testing::Values(std::pair("v1", "begin with /"), std::pair("*", "begin with /"),
                      std::pair("/a%", "hexadecimal"), std::pair("/a%4", "hexadecimal"),
                      std::pair("/a%zz", "hexadecimal"), std::pair("/a?b=%g0", "hexadecimal"),
                      std::pair("/a%00", "control"), std::pair("/a%0d%0aX:1", "control"),
                      std::pair("/a?b=%0A", "control"), std::pair("/%ff", "UTF-8"),
                      std::pair("/%c0%af", "UTF-8"), std::pair("/%ed%a0%80", "UTF-8"),
                      std::pair("/../etc/passwd", ". or .."), std::pair("/a/./b", ". or .."),
                      std::pair("/map/%2e%2e/x", ". or .."),
                      std::pair("/map/..%2f..%2fetc", ". or .."),
                      std::pair("/map/a%5c..%5cb", ". or ..")));

TEST(Target, PartsAndQueryAreBounded) {
  std::string path, query = "/?";
  for (int i = 0; i < 33; ++i) path += "/a";
  for (int i = 0; i < 65; ++i) query += "a=1&";
  EXPECT_FALSE(parse_target(path));
  EXPECT_FALSE(parse_target(query));
}

TEST(PercentEncoded, IsDecodedToTheSame) {
  const std::string text = "leaf 1/\xC3\xA9%+";
  EXPECT_EQ(percent_decoded(percent_encoded(text)).value(), text);
}

}  // namespace sm::web::target_test
