#include "sm/ops/web/openapi.h"

#include <fstream>
#include <nlohmann/json.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/require_tool.h"
#include "unit/sm/temporary_directory.h"

namespace sm::web::openapi_test {

using ::testing::HasSubstr;
using Json = nlohmann::json;

const DocumentInfo kInfo{.title = "Test", .version = "1", .description = "For tests"};

Resources resources() {
  Resources made;
  made.schemas = {
      {"Node", R"({"type": "object", "properties": {"guid": {"type": "string"}}})"},
      {"Nodes", R"({"type": "array", "items": {"$ref": "#/components/schemas/Node"}})"}};
  Route list;
  list.path = "/v1/nodes";
  list.operation_id = "getNodes";
  list.summary = "All nodes";
  list.response_schema = "Nodes";
  list.parameters = {{"limit", "query", R"({"type": "integer", "minimum": 1})", "How many", false}};
  Route one = list;
  one.method = Method::put;
  one.path = "/v1/nodes/{guid}";
  one.least = Role::admin;
  one.operation_id = "putNode";
  one.request_schema = "Node";
  one.response_schema = "Node";
  one.parameters = {};
  Route file;
  file.path = "/map/";
  file.in_document = false;
  made.routes = {list, one, file};
  return made;
}

TEST(OpenApi, TheDocumentDescribesTheRoutes) {
  const Resources made = resources();
  const Json document = Json::parse(openapi_document(made.routes, made.schemas, kInfo));
  EXPECT_EQ(document["openapi"], "3.1.0");
  const Json& put = document["paths"]["/v1/nodes/{guid}"]["put"];
  EXPECT_EQ(put["operationId"], "putNode");
  EXPECT_EQ(put["parameters"][0]["name"], "guid");
  EXPECT_EQ(put["parameters"][0]["required"], true);
  EXPECT_EQ(put["requestBody"]["content"]["application/json"]["schema"]["$ref"],
            "#/components/schemas/Node");
  EXPECT_THAT(put["description"], HasSubstr("role admin"));
  EXPECT_FALSE(document["paths"].contains("/map/"));
}

TEST(OpenApi, TheDocumentIsTheSameWhateverTheOrder) {
  Resources made = resources();
  const std::string before = openapi_document(made.routes, made.schemas, kInfo);
  std::ranges::reverse(made.routes);
  EXPECT_EQ(openapi_document(made.routes, made.schemas, kInfo), before);
}

TEST(OpenApi, ErrorsOfTheProgramAreThrown) {
  Resources made = resources();
  const auto document = [&] { return openapi_document(made.routes, made.schemas, kInfo); };
  made.routes[0].response_schema = "Nowhere";
  EXPECT_THROW(document(), std::logic_error);
  made = resources();
  made.routes[0].operation_id = "putNode";
  EXPECT_THROW(document(), std::logic_error);
  made = resources();
  made.schemas[0].second = "{";
  EXPECT_THROW(document(), std::logic_error);
}

TEST(OpenApi, LinksNameWhatHasNoParameters) {
  const Resources own = document_resources(resources(), kInfo);
  ASSERT_EQ(own.routes.size(), 2U);
  EXPECT_EQ(own.routes[0].path, "/v1");
  EXPECT_EQ(own.routes[1].path, "/v1/openapi.json");
}

TEST(OpenApi, OperationsHaveTagsAndExamples) {
  const Resources made = resources();
  DocumentInfo info = kInfo;
  info.tags = {{"Fabric", "What there is", {"/v1/nodes"}}};
  info.examples = R"({"guid": "0x0002c90300000001", "limit": 20})";
  const Json document = Json::parse(openapi_document(made.routes, made.schemas, info));
  EXPECT_EQ(document["tags"][0]["name"], "Fabric");
  const Json& list = document["paths"]["/v1/nodes"]["get"];
  EXPECT_EQ(list["tags"], Json({"Fabric"}));
  EXPECT_EQ(list["parameters"][0]["example"], 20);
  EXPECT_EQ(list["responses"]["200"]["content"]["application/json"]["example"],
            Json::parse(R"([{"guid": "0x0002c90300000001"}])"));
  const Json& put = document["paths"]["/v1/nodes/{guid}"]["put"];
  EXPECT_EQ(put["requestBody"]["content"]["application/json"]["example"]["guid"],
            "0x0002c90300000001");
  info.examples = "{}";
  EXPECT_THROW(openapi_document(made.routes, made.schemas, info), std::logic_error)
      << "a text without an example";
  info.examples = "";
  info.tags[0].paths = {"/v1/links"};
  EXPECT_THROW(openapi_document(made.routes, made.schemas, info), std::logic_error)
      << "a path without a tag";
}

/// The structure of OpenAPI 3.1 as far as this generates it, and each schema by the meta-schema of
/// JSON Schema 2020-12.
TEST(OpenApi, AValidatorAcceptsTheDocument) {
  HEDDLE_REQUIRE_TOOL("python3", "python3-jsonschema");
  HEDDLE_REQUIRE(std::system("python3 -c 'import jsonschema' 2>/dev/null") == 0,
                 "python3's jsonschema", "python3-jsonschema");
  Resources made = resources();
  const Resources own = document_resources(made, kInfo);
  made.routes.insert(made.routes.end(), own.routes.begin(), own.routes.end());
  made.schemas.insert(made.schemas.end(), own.schemas.begin(), own.schemas.end());
  const TemporaryDirectory dir;
  const auto validate = [&](const std::string& text) {
    const std::filesystem::path file = dir / "openapi.json";
    std::ofstream(file) << text;
    return std::system(
        ("python3 " HEDDLE_TEST_SOURCE "/unit/sm/ops/web/validate_openapi.py " + file.string())
            .c_str());
  };
  DocumentInfo info = kInfo;
  info.tags = {{"Fabric", "What there is", {"/v1"}}};
  info.examples = R"({"guid": "0x0002c90300000001", "name": "Test", "version": "1",
                      "href": "/v1/nodes", "title": "All nodes", "openapi": "3.1.0", "info": {}})";
  const std::string document = openapi_document(made.routes, made.schemas, info);
  EXPECT_EQ(validate(document), 0);
  Json broken = Json::parse(document);
  broken["paths"]["/v1/nodes"]["get"]["parameters"][0]["example"] = "many";
  EXPECT_NE(validate(broken.dump()), 0) << "an example that its schema does not allow";
  broken = Json::parse(document);
  broken["paths"]["/v1/nodes"]["get"].erase("tags");
  EXPECT_NE(validate(broken.dump()), 0);
  broken = Json::parse(document);
  broken["paths"]["/v1/nodes"]["get"]["parameters"][0].erase("schema");
  EXPECT_NE(validate(broken.dump()), 0) << "the validator sees errors";
  broken = Json::parse(document);
  broken["components"]["schemas"]["Node"]["type"] = "objekt";
  EXPECT_NE(validate(broken.dump()), 0);
}

}  // namespace sm::web::openapi_test
