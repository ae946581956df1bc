// The one parser of bodies: its bounds, and what it refuses.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "sm/ops/web/json_body.h"

namespace sm::web::json_body_test {

using ::testing::HasSubstr;

std::string list(std::size_t levels) { return std::string(levels, '[') + std::string(levels, ']'); }

JsonFault fault(const std::string& body, const JsonBounds& bounds = {}) {
  const auto read = parse_json_body(body, bounds);
  EXPECT_FALSE(read) << body.substr(0, 60);
  return read ? JsonFault{} : read.error();
}

TEST(JsonBody, IsOneObject) {
  const auto read = parse_json_body(R"( {"a": [1, {"b": null}], "c": "é"} )");
  ASSERT_TRUE(read);
  EXPECT_EQ((*read)["c"], "é");
  EXPECT_EQ(fault("[]").status, 422U);
  EXPECT_EQ(fault("7").status, 422U);
  for (const char* text : {"", "{", "{}{}", "{]", "nonsense", "{\"a\":1e999}", "{\"a\":\"\xff\"}"})
    EXPECT_EQ(fault(text).detail, "the body is no JSON") << text;
}

TEST(JsonBody, DepthSizeMembersAndValuesAreBounded) {
  const JsonBounds small{.bytes = 100, .depth = 4, .members = 2, .values = 8};
  EXPECT_TRUE(parse_json_body("{\"a\":" + list(3) + "}", small));
  EXPECT_EQ(fault("{\"a\":" + list(4) + "}", small).detail, "the body is nested more than 4 deep");
  EXPECT_TRUE(parse_json_body(R"({"a":1,"b":{"a":1,"b":2}})", small));
  EXPECT_THAT(fault(R"({"a":1,"b":{"a":1,"b":2,"c":3}})", small).detail, HasSubstr("2 members"));
  EXPECT_TRUE(parse_json_body(R"({"a":[1,2,3,4,5,6]})", small));
  EXPECT_EQ(fault(R"({"a":[1,2,3,4,5,6,7]})", small).status, 413U);
  EXPECT_EQ(fault("{}" + std::string(100, ' '), small).status, 413U);
}

TEST(JsonBody, AMegabyteOfBracketsIsRefused) {
  EXPECT_THAT(fault(std::string(1'000'000, '[')).detail, HasSubstr("nested"));
  EXPECT_THAT(fault("{\"a\":" + list(500'000) + "}").detail, HasSubstr("nested"));
  std::string empty_lists = "{\"a\":[[]";
  while (empty_lists.size() < 1'000'000) empty_lists += ",[]";
  EXPECT_EQ(fault(empty_lists + "]}").status, 413U);
}

TEST(JsonBody, FiftyThousandGuidsFit) {
  std::string body = "{\"guids\":[\"0x0002c90300000001\"";
  while (body.size() < 1'000'000) body += ",\"0x0002c90300000001\"";
  EXPECT_TRUE(parse_json_body(body + "]}"));
}

TEST(JsonBody, ANameTwiceIsRefusedInEveryObject) {
  EXPECT_EQ(fault(R"({"a/b":1,"a/b":2})").pointer, "/a~1b");
  EXPECT_EQ(fault(R"({"x":[{"a":1,"a":2}]})").detail, "'a' is there twice");
  EXPECT_TRUE(parse_json_body(R"({"x":[{"a":1},{"a":2}],"a":{"a":3}})"));
}

TEST(JsonPointer, EscapesNames) { EXPECT_EQ(json_pointer("/a/0", "b~/c"), "/a/0/b~0~1c"); }

}  // namespace sm::web::json_body_test
