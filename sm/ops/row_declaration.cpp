#include "sm/ops/row_declaration.h"

#include <fmt/format.h>

namespace sm {

using Ordered = nlohmann::ordered_json;

Ordered read_schema(std::string_view text) {
  if (text.ends_with("[]"))
    return {{"type", "array"}, {"items", read_schema(text.substr(0, text.size() - 2))}};
  if (text.ends_with('?'))
    return {{"oneOf", {read_schema(text.substr(0, text.size() - 1)), {{"type", "null"}}}}};
  if (text.starts_with('{')) return Ordered::parse(text);
  if (text.find('|') == std::string_view::npos)
    return {{"$ref", fmt::format("#/components/schemas/{}", text)}};
  Ordered names = Ordered::array();
  for (std::size_t from = 0, to = 0; to != std::string_view::npos; from = to + 1) {
    to = text.find('|', from);
    names.push_back(text.substr(from, to - from));
  }
  return {{"enum", std::move(names)}};
}

std::string object_of(std::initializer_list<FieldInfo> fields) {
  return object_schema({fields.begin(), fields.size()});
}

std::string object_schema(std::span<const FieldInfo> fields, bool closed) {
  Ordered schema{
      {"type", "object"}, {"required", Ordered::array()}, {"properties", Ordered::object()}};
  if (closed) schema["additionalProperties"] = false;
  for (const FieldInfo& field : fields) {
    if (!field.may_be_absent) schema["required"].push_back(field.name);
    Ordered value = read_schema(field.schema);
    if (!field.what.empty()) value["description"] = field.what;
    schema["properties"][std::string(field.name)] = std::move(value);
  }
  if (schema["required"].empty()) schema.erase("required");
  return schema.dump();
}

std::string answer_schema(const RowInfo& row, std::span<const FieldInfo> more) {
  std::vector<FieldInfo> fields{
      {"fabric_id", value::kTextOrNull, "the same from master and standbys"},
      {"snapshot", value::kText, "which published snapshot it is of"}};
  fields.insert(fields.end(), row.fields.begin(), row.fields.end());
  fields.insert(fields.end(), more.begin(), more.end());
  return object_schema(fields);
}

std::string field_text(const nlohmann::ordered_json& row, std::string_view field) {
  const auto found = row.find(std::string(field));
  if (found == row.end()) return "";
  return found->is_string() ? found->get<std::string>() : found->dump();
}

}  // namespace sm
