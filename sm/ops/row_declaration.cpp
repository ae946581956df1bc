#include "sm/ops/row_declaration.h"

namespace sm {

std::string object_schema(std::span<const FieldInfo> fields) {
  using Ordered = nlohmann::ordered_json;
  Ordered schema{
      {"type", "object"}, {"required", Ordered::array()}, {"properties", Ordered::object()}};
  for (const FieldInfo& field : fields) {
    if (!field.may_be_absent) schema["required"].push_back(field.name);
    Ordered value = Ordered::parse(field.schema);
    if (!field.what.empty()) value["description"] = field.what;
    schema["properties"][std::string(field.name)] = std::move(value);
  }
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
