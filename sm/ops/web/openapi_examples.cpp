#include "sm/ops/web/openapi_examples.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <string>

namespace sm::web {

namespace {

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

}  // namespace

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

}  // namespace sm::web
