#pragma once
// A row of the API is declared once, as a table of its fields: its JSON, its schema in the OpenAPI
// document, its columns in heddlectl's tables and its section of heddle-http(7) come from it.

#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sm {

/// Schemas of values (JSON Schema 2020-12), as JSON text.
namespace value {
inline constexpr std::string_view kText = R"({"type":"string"})",
                                  kInteger = R"({"type":"integer"})",
                                  kNumber = R"({"type":"number"})",
                                  kBoolean = R"({"type":"boolean"})",
                                  kTextOrNull = R"({"type":["string","null"]})",
                                  kIntegerOrNull = R"({"type":["integer","null"]})",
                                  kGuid = R"({"$ref":"#/components/schemas/Guid"})",
                                  kNodeType = R"({"enum":["CA","Switch","Router"]})",
                                  kTexts = R"({"type":"array","items":{"type":"string"}})";
}  // namespace value

struct FieldInfo {
  std::string_view name;
  std::string_view schema;
  std::string_view what = {};  // a phrase; empty: the name says it
  bool may_be_absent = false;
};

/// A column of a table for people. `text` of a row as the API sends it; null: the value of the
/// field.
struct TableColumn {
  std::string_view title, field = {};
  std::string (*text)(const nlohmann::ordered_json& row) = nullptr;
};

/// The declaration of a row, without the code that makes its values.
struct RowInfo {
  std::string_view name;  // of its schema
  std::string_view what;  // a phrase, for the manual
  std::vector<FieldInfo> fields;
  std::vector<TableColumn> columns = {};
};

/// Nothing: this row does not have the field.
using FieldValue = std::optional<nlohmann::json>;

template <class Source>
struct Field {
  FieldInfo info;
  FieldValue (*value)(const Source&);
};

template <class Fields>
std::vector<FieldInfo> infos_of(const Fields& fields) {
  std::vector<FieldInfo> infos;
  infos.reserve(fields.size());
  for (const auto& field : fields) infos.push_back(field.info);
  return infos;
}

/// Json: nlohmann::ordered_json keeps the order of the fields.
template <class Json = nlohmann::json, class Fields, class Source>
Json row_of(const Fields& fields, const Source& source) {
  Json row = Json::object();
  for (const auto& field : fields)
    if (FieldValue value = field.value(source))
      row[std::string(field.info.name)] = std::move(*value);
  return row;
}

/// The schema of an object with these fields.
std::string object_schema(std::span<const FieldInfo> fields);
/// Returns the schema of an answer that has one row: fabric_id, snapshot, those of the row, and
/// `more`.
std::string answer_schema(const RowInfo& row, std::span<const FieldInfo> more);
/// The value of a field as a table has it; "" if it is absent.
std::string field_text(const nlohmann::ordered_json& row, std::string_view field);

}  // namespace sm
