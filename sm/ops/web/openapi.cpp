#include "sm/ops/web/openapi.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/asio/awaitable.hpp>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>

namespace sm::web {
namespace {

/// Examples in the document: values that a schema allows, with those of the fields from a table by
/// their names.
class ExampleMaker {
 public:
  /// `schemas`: those of the document by their names. `by_name`: an object with an example for each
  /// name of a field or parameter. Both must outlive this.
  ExampleMaker(const nlohmann::ordered_json& schemas, const nlohmann::ordered_json& by_name)
      : schemas_(schemas), by_name_(by_name) {}

  /// An example of a value with that schema, for the field `name`. Optional fields are in it where
  /// the table has them; lists have one row. Throws std::logic_error for a text without a choice of
  /// values that is not in the table: an error of the program.
  nlohmann::ordered_json make(const nlohmann::ordered_json& schema, std::string_view name,
                              unsigned depth = 0) const;

 private:
  nlohmann::ordered_json make_object(const nlohmann::ordered_json& schema, unsigned depth) const;
  nlohmann::ordered_json make_plain(const nlohmann::ordered_json& schema,
                                    std::string_view name) const;
  const nlohmann::ordered_json& resolve(const nlohmann::ordered_json& schema) const;

  const nlohmann::ordered_json& schemas_;
  const nlohmann::ordered_json& by_name_;
};

using Json = nlohmann::ordered_json;

constexpr unsigned kExampleDepthMax = 6;  // schemas may refer to each other in a cycle
constexpr std::string_view kSchemaReference = "#/components/schemas/";

/// True if a value of this JSON type is allowed; a schema without types allows any.
bool allows(const Json& schema, std::string_view type) {
  if (!schema.contains("type")) return true;
  const Json& types = schema["type"];
  if (types.is_string()) return types == type;
  return std::ranges::any_of(types, [&](const Json& one) { return one == type; });
}

/// True if the value in the table is of a type that the schema allows.
bool fits(const Json& schema, const Json& value) {
  if (schema.contains("enum"))
    return std::ranges::find(schema["enum"], value) != schema["enum"].end();
  if (value.is_string()) return allows(schema, "string");
  if (value.is_number_integer()) return allows(schema, "integer") || allows(schema, "number");
  if (value.is_number()) return allows(schema, "number");
  if (value.is_boolean()) return allows(schema, "boolean");
  if (value.is_array()) return allows(schema, "array");
  return value.is_object() ? allows(schema, "object") : allows(schema, "null");
}

const Json& ExampleMaker::resolve(const Json& schema) const {
  const Json* at = &schema;
  while (at->is_object() && at->contains("$ref")) {
    const std::string reference = (*at)["$ref"].get<std::string>();
    at = &schemas_.at(reference.substr(kSchemaReference.size()));
  }
  return *at;
}

Json ExampleMaker::make_object(const Json& schema, unsigned depth) const {
  Json object = Json::object();
  const Json required = schema.value("required", Json::array());
  const Json properties = schema.value("properties", Json::object());
  for (const auto& [name, of] : properties.items()) {
    const bool is_required = std::ranges::find(required, Json(name)) != required.end();
    if (is_required || by_name_.contains(name)) object[name] = make(of, name, depth + 1);
  }
  // A schema may require members that it does not describe.
  for (const Json& name : required) {
    const auto text = name.get<std::string>();
    if (!object.contains(text)) object[text] = make(Json::object(), text, depth + 1);
  }
  return object;
}

Json ExampleMaker::make_plain(const Json& schema, std::string_view name) const {
  if (schema.contains("const")) return schema["const"];
  if (schema.contains("enum")) return schema["enum"].front();
  if (schema.contains("default")) return schema["default"];
  if (allows(schema, "integer") || allows(schema, "number"))
    return schema.contains("minimum") ? schema["minimum"] : Json(0);
  if (allows(schema, "boolean")) return true;
  if (allows(schema, "null")) return nullptr;
  throw std::logic_error(fmt::format("there is no example for {}", name));
}

Json ExampleMaker::make(const Json& unresolved, std::string_view name, unsigned depth) const {
  if (unresolved.is_object() && unresolved.contains("$ref")) {
    const std::string reference = unresolved["$ref"].get<std::string>();
    const auto known = by_name_.find(reference.substr(kSchemaReference.size()));
    if (known != by_name_.end()) return *known;
  }
  const Json& schema = resolve(unresolved);
  if (!schema.is_object()) return Json::object();
  if (schema.contains("examples")) return schema["examples"].front();
  for (const char* const choice : {"oneOf", "anyOf"})
    if (schema.contains(choice)) return make(schema[choice].front(), name, depth);
  const auto known = by_name_.find(std::string(name));
  if (known != by_name_.end() && fits(schema, *known)) return *known;
  if (depth > kExampleDepthMax && allows(schema, "null")) return nullptr;
  if (schema.contains("type") && allows(schema, "object")) return make_object(schema, depth);
  if (schema.contains("type") && allows(schema, "array")) {
    Json rows = Json::array();
    if (depth <= kExampleDepthMax && schema.contains("items"))
      rows.push_back(make(schema["items"], name, depth + 1));
    return rows;
  }
  return make_plain(schema, name);
}

// clang-format off
constexpr std::string_view kProblemSchema = R"json({
  "type": "object",
  "description": "An error (RFC 9457)",
  "required": ["title", "status", "detail"],
  "properties": {
    "title": {"type": "string", "description": "The reason phrase of the status"},
    "status": {"type": "integer"},
    "detail": {"type": "string", "description": "What is wrong"},
    "remedy": {"type": "string", "description": "What would be right"},
    "pointer": {"type": "string", "description": "The member of the body at fault (RFC 6901)"}
  }
})json";
// clang-format on

[[noreturn]] void refuse_route(const Route& route, std::string_view why) {
  throw std::logic_error(fmt::format("{} {}: {}", name(route.method), route.path, why));
}

Json parsed_schema(std::string_view text, std::string_view of) {
  Json schema = Json::parse(text, nullptr, false);
  if (schema.is_discarded() || !(schema.is_object() || schema.is_boolean()))
    throw std::logic_error(fmt::format("the schema of {} is no JSON schema", of));
  return schema;
}

Json reference_to(std::string_view schema) {
  return {{"$ref", fmt::format("#/components/schemas/{}", schema)}};
}

/// Adds examples to an operation. Does nothing if the document has no examples.
class Examples {
 public:
  Examples(const Json& schemas, const DocumentInfo& info)
      : table_(info.examples.empty() ? Json() : Json::parse(info.examples)),
        maker_(schemas, table_) {}

  /// Adds the example of a parameter, or of a media type whose value has that schema.
  void add(Json& to, const Json& schema, std::string_view name) const {
    if (!table_.is_null()) to["example"] = maker_.make(schema, name);
  }

 private:
  const Json table_;
  const ExampleMaker maker_;
};

Json parameters_of(const Route& route, const Examples& examples) {
  Json parameters = Json::array();
  const auto described = [&](std::string_view name) {
    return std::ranges::any_of(route.parameters,
                               [&](const auto& p) { return p.in == "path" && p.name == name; });
  };
  const auto add = [&](std::string_view name, std::string_view in, Json schema,
                       std::string_view description, bool required) {
    Json parameter{{"name", name}, {"in", in}, {"required", required || in == "path"}};
    if (!description.empty()) parameter["description"] = description;
    examples.add(parameter, schema, name);
    parameter["schema"] = std::move(schema);
    parameters.push_back(std::move(parameter));
  };
  for (std::string_view rest = route.path; rest.find('{') != std::string_view::npos;) {
    rest.remove_prefix(rest.find('{') + 1);
    const std::string_view name = rest.substr(0, rest.find('}'));
    if (!described(name)) add(name, "path", {{"type", "string"}}, "", true);
  }
  for (const Route::Parameter& p : route.parameters)
    add(p.name, p.in,
        p.schema.empty() ? Json{{"type", "string"}}
                         : parsed_schema(p.schema, route.path + " " + p.name),
        p.description, p.required);
  return parameters;
}

/// Returns the content of a request or response with that schema.
Json content_of(const std::string& content_type, const std::string& schema,
                const Examples& examples) {
  Json media{{"schema", reference_to(schema)}};
  // A stream is text, which has no example.
  if (content_type.ends_with("json")) examples.add(media, media["schema"], "");
  return {{content_type, std::move(media)}};
}

Json responses_of(const Route& route, const Examples& examples) {
  Json success{{"description", route.summary}};
  if (!route.response_schema.empty())
    success["content"] = content_of(route.content_type, route.response_schema, examples);
  else if (!route.content_type.empty() && route.content_type != "application/json")
    success["content"] = {{route.content_type, {{"schema", {{"type", "string"}}}}}};
  return {{"200", std::move(success)},
          {"4XX", {{"$ref", "#/components/responses/Problem"}}},
          {"5XX", {{"$ref", "#/components/responses/Problem"}}}};
}

/// Returns the tag of the operations of that path; nullopt if the document has no tags.
std::optional<std::string> find_tag(const Route& route, const DocumentInfo& info) {
  if (info.tags.empty()) return std::nullopt;
  for (const DocumentTag& tag : info.tags)
    for (const std::string& path : tag.paths)
      if (route.path.starts_with(path)) return tag.name;
  refuse_route(route, "no tag is for this path");
}

Json operation_of(const Route& route, const DocumentInfo& info, const Examples& examples) {
  Json operation{{"operationId", route.operation_id}, {"summary", route.summary}};
  if (const auto tag = find_tag(route, info)) operation["tags"] = Json::array({*tag});
  if (route.least != Role::none)
    operation["description"] = fmt::format("Needs role {}.", name(route.least));
  if (Json parameters = parameters_of(route, examples); !parameters.empty())
    operation["parameters"] = std::move(parameters);
  if (!route.request_schema.empty())
    operation["requestBody"] = {
        {"required", true},
        {"content", content_of("application/json", route.request_schema, examples)}};
  operation["responses"] = responses_of(route, examples);
  operation["security"] = route.least == Role::none ? Json::array({Json::object()})
                                                    : Json::array({Json{{"basic", Json::array()}}});
  return operation;
}

Json tags_of(const DocumentInfo& info) {
  Json tags = Json::array();
  for (const DocumentTag& tag : info.tags)
    tags.push_back({{"name", tag.name}, {"description", tag.description}});
  return tags;
}

std::string lower_method(Method method) {
  std::string text(name(method));
  for (char& c : text) c = static_cast<char>(c - 'A' + 'a');
  return text;
}

}  // namespace

std::string openapi_document(std::span<const Route> routes, const Schemas& schemas,
                             const DocumentInfo& info) {
  Json all_schemas{{"Problem", parsed_schema(kProblemSchema, "Problem")}};
  for (const auto& [schema_name, text] : schemas) {
    if (all_schemas.contains(schema_name) && schema_name != "Problem" &&
        all_schemas[schema_name] != parsed_schema(text, schema_name))
      throw std::logic_error(fmt::format("schema {} is there twice", schema_name));
    all_schemas[schema_name] = parsed_schema(text, schema_name);
  }
  std::map<std::string, std::map<Method, const Route*>> by_path;  // sorted
  std::set<std::string> operation_ids;
  for (const Route& route : routes) {
    if (!route.in_document) continue;
    if (route.operation_id.empty() || !operation_ids.insert(route.operation_id).second)
      refuse_route(route, "operation_id is missing or there twice");
    for (const std::string& schema : {route.request_schema, route.response_schema})
      if (!schema.empty() && !all_schemas.contains(schema))
        refuse_route(route, fmt::format("there is no schema {}", schema));
    by_path[route.path][route.method] = &route;
  }
  Json paths = Json::object();
  const Examples examples(all_schemas, info);
  for (const auto& [path, methods] : by_path)
    for (const auto& [method, route] : methods)
      paths[path][lower_method(method)] = operation_of(*route, info, examples);

  Json document{
      {"openapi", "3.1.0"},
      {"info",
       {{"title", info.title}, {"version", info.version}, {"description", info.description}}},
      {"jsonSchemaDialect", "https://json-schema.org/draft/2020-12/schema"},
      {"tags", tags_of(info)},
      {"paths", std::move(paths)},
      {"components",
       {{"schemas", std::move(all_schemas)},
        {"responses",
         {{"Problem",
           {{"description", "What is wrong, and what would be right"},
            {"content", {{"application/problem+json", {{"schema", reference_to("Problem")}}}}}}}}},
        {"securitySchemes",
         {{"basic",
           {{"type", "http"},
            {"scheme", "basic"},
            {"description", "A user of http_users_file; over a Unix socket root needs none"}}}}}}}};
  return document.dump(1) + "\n";
}

namespace {

/// Answers with a text that the first request makes: most daemons are never asked, and to make the
/// document takes longer than to bring up a small subnet.
Handler text_on_demand(std::function<std::string()> make) {
  struct Text {
    std::once_flag made;
    std::function<std::string()> make;
    std::string body, etag;
  };
  const auto text = std::make_shared<Text>();
  text->make = std::move(make);
  return [text](Request) -> boost::asio::awaitable<Response> {
    std::call_once(text->made, [&] {
      text->body = text->make();
      text->etag = fmt::format("{:016x}", std::hash<std::string>{}(text->body));
      text->make = nullptr;
    });
    Response response;
    response.body = text->body;
    response.etag = text->etag;
    co_return response;
  };
}

}  // namespace

Resources document_resources(const Resources& resources, const DocumentInfo& info) {
  Resources own;
  own.schemas = {{"Links", R"({"type": "object", "required": ["name", "version", "links"],
    "properties": {"name": {"type": "string"}, "version": {"type": "string"},
    "links": {"type": "array", "items": {"type": "object", "required": ["href", "title"],
    "properties": {"href": {"type": "string"}, "title": {"type": "string"}}}}}})"},
                 {"OpenApiDocument", R"({"type": "object", "required": ["openapi", "info"]})"}};
  own.routes = {{.method = Method::get,
                 .path = "/v1",
                 .least = Role::read,
                 .handler = {},
                 .operation_id = "getLinks",
                 .summary = "Links to what there is",
                 .request_schema = {},
                 .response_schema = "Links"},
                {.method = Method::get,
                 .path = "/v1/openapi.json",
                 .least = Role::read,
                 .handler = {},
                 .operation_id = "getOpenApiDocument",
                 .summary = "This API as an OpenAPI 3.1 document",
                 .request_schema = {},
                 .response_schema = "OpenApiDocument"}};
  std::vector<Route> all = resources.routes;
  all.insert(all.end(), own.routes.begin(), own.routes.end());
  Schemas schemas = resources.schemas;
  schemas.insert(schemas.end(), own.schemas.begin(), own.schemas.end());

  Json links = Json::array();
  std::set<std::string> seen;
  for (const Route& route : all) {
    const bool linked = route.method == Method::get && route.path.find('{') == std::string::npos &&
                        route.path != "/v1" && seen.insert(route.path).second;
    if (linked) links.push_back({{"href", route.path}, {"title", route.summary}});
  }
  const Json index{{"name", info.title}, {"version", info.version}, {"links", std::move(links)}};
  for (Route& route : all) route.handler = {};  // the document does not need what they hold
  own.routes[0].handler = text_on_demand([text = index.dump(1) + "\n"] { return text; });
  own.routes[1].handler =
      text_on_demand([routes = std::move(all), schemas = std::move(schemas), info] {
        return openapi_document(routes, schemas, info);
      });
  return own;
}

}  // namespace sm::web
