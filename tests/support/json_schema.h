#pragma once
// The part of JSON Schema 2020-12 that the API's schemas use. Stricter: members that a schema with
// `properties` does not name are faults, so that no answer has members that no document has.

#include <nlohmann/json.hpp>
#include <regex>
#include <string>

#include "sm/ops/web/exchange.h"

namespace json_schema {

class Validator {
 public:
  explicit Validator(const sm::web::Schemas& schemas) {
    for (const auto& [name, text] : schemas) schemas_[name] = nlohmann::json::parse(text);
  }
  bool has(const std::string& name) const { return schemas_.contains(name); }
  const nlohmann::json& all() const { return schemas_; }

  /// "" if the value is valid; else where and why it is not.
  std::string fault(const nlohmann::json& value, const std::string& schema) const {
    if (!has(schema)) return "there is no schema " + schema;
    return check(value, schemas_.at(schema), schema);
  }

 private:
  static bool is(const nlohmann::json& value, const std::string& type) {
    if (type == "object") return value.is_object();
    if (type == "array") return value.is_array();
    if (type == "string") return value.is_string();
    if (type == "integer") return value.is_number_integer();
    if (type == "number") return value.is_number();
    if (type == "boolean") return value.is_boolean();
    return type == "null" && value.is_null();
  }

  std::string check(const nlohmann::json& value, const nlohmann::json& schema,
                    const std::string& at) const {
    if (const auto ref = schema.find("$ref"); ref != schema.end()) {
      constexpr std::string_view kPrefix = "#/components/schemas/";
      const auto name = ref->get<std::string>();
      if (!name.starts_with(kPrefix)) return at + ": not a reference of this document: " + name;
      return fault_of(value, name.substr(kPrefix.size()), at);
    }
    if (const auto any = schema.find("oneOf"); any != schema.end()) {
      int valid = 0;
      std::string why;
      for (const nlohmann::json& one : *any) {
        const std::string fault = check(value, one, at);
        valid += fault.empty() ? 1 : 0;
        why += fault + "; ";
      }
      return valid == 1 ? "" : at + ": not one of: " + why;
    }
    if (const auto type = schema.find("type"); type != schema.end()) {
      bool right = false;
      for (const nlohmann::json& one : type->is_array() ? *type : nlohmann::json{*type})
        right = right || is(value, one.get<std::string>());
      if (!right) return at + ": " + value.dump().substr(0, 100) + " is not " + type->dump();
    }
    if (const auto values = schema.find("enum"); values != schema.end()) {
      if (std::find(values->begin(), values->end(), value) == values->end())
        return at + ": " + value.dump() + " is not one of " + values->dump();
    }
    if (const auto pattern = schema.find("pattern"); pattern != schema.end() && value.is_string()) {
      if (!std::regex_search(value.get<std::string>(), std::regex(pattern->get<std::string>())))
        return at + ": " + value.dump() + " does not match " + pattern->dump();
    }
    if (value.is_array() && schema.contains("items")) {
      for (std::size_t i = 0; i < value.size(); ++i) {
        auto fault = check(value[i], schema["items"], at + "/" + std::to_string(i));
        if (!fault.empty()) return fault;
      }
    }
    return value.is_object() ? check_members(value, schema, at) : "";
  }

  std::string fault_of(const nlohmann::json& value, const std::string& name,
                       const std::string& at) const {
    if (!has(name)) return at + ": there is no schema " + name;
    return check(value, schemas_.at(name), at);
  }

  std::string check_members(const nlohmann::json& value, const nlohmann::json& schema,
                            const std::string& at) const {
    for (const nlohmann::json& name : schema.value("required", nlohmann::json::array()))
      if (!value.contains(name.get<std::string>())) return at + ": no " + name.dump();
    if (!schema.contains("properties")) return "";
    const nlohmann::json& properties = schema["properties"];
    for (const auto& [name, member] : value.items()) {
      if (!properties.contains(name)) return at + ": the schema has no " + name;
      auto fault = check(member, properties[name], at + "/" + name);
      if (!fault.empty()) return fault;
    }
    return "";
  }

  nlohmann::json schemas_ = nlohmann::json::object();
};

}  // namespace json_schema
