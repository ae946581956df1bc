#include "man/row_section.h"

#include <nlohmann/json.hpp>

#include "mad/format.h"
#include "man/mdoc.h"
#include "sm/ops/partition_rows.h"
#include "sm/ops/rows.h"

namespace manual {
namespace {

using Json = nlohmann::ordered_json;

/// "integer", "Guid", "list of EndPort", "one of full, limited".
std::string type_text(const Json& schema) {
  if (schema.contains("$ref")) {
    const auto name = schema.at("$ref").get<std::string>();
    return name.substr(name.rfind('/') + 1);
  }
  if (schema.contains("enum"))
    return fmt::format("one of {}",
                       fmt::join(schema.at("enum").get<std::vector<std::string>>(), ", "));
  const Json& type = schema.at("type");
  if (type.is_array()) return type.at(0).get<std::string>() + " or null";
  if (type == "array") return "list of " + type_text(schema.at("items"));
  return type.get<std::string>();
}

std::string field_item(const sm::FieldInfo& field) {
  std::string text = type_text(sm::read_schema(field.schema));
  if (!field.what.empty()) text += fmt::format(": {}", field.what);
  if (field.may_be_absent) text += " (may be absent)";
  return fmt::format(".It Li {}\n{}", field.name, sentences(text));
}

}  // namespace

std::string rows() {
  std::string out;
  std::vector<sm::RowInfo> infos = sm::all_row_infos();
  infos.insert(infos.end(), {sm::api::partition_info(), sm::api::partition_member_info()});
  for (const sm::RowInfo& row : infos) {
    out += fmt::format(".Ss {}: {}\n.Bl -tag -width Ds -compact\n", row.name, row.what);
    for (const sm::FieldInfo& field : row.fields) out += field_item(field);
    out += ".El\n";
  }
  return out;
}

}  // namespace manual
