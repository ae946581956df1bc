#pragma once
// A row of the API is declared once, as a table of its fields. Its JSON, its schema in the OpenAPI
// document, its columns in heddlectl's tables and its section of heddle-http(7) follow from it.

#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace sm {

/// Schemas of values (JSON Schema 2020-12), as JSON text or in the notation of read_schema().
namespace value {
inline constexpr std::string_view kText = R"({"type":"string"})",
                                  kInteger = R"({"type":"integer"})",
                                  kNumber = R"({"type":"number"})",
                                  kBoolean = R"({"type":"boolean"})",
                                  kObject = R"({"type":"object"})",
                                  kTextOrNull = R"({"type":["string","null"]})",
                                  kIntegerOrNull = R"({"type":["integer","null"]})",
                                  kGuid = R"({"$ref":"#/components/schemas/Guid"})",
                                  kNodeType = "CA|Switch|Router",
                                  kSmState = "NotActive|Discovering|Standby|Master",
                                  kPortState = "Down|Init|Armed|Active",
                                  kSeverity = "info|warning|error|critical",
                                  kAdaptiveState =
                                      "off|active|pending|unsupported|refused|"
                                      "mismatch|silent",
                                  kTime = R"({"type":"string","format":"date-time"})",
                                  kPrefix = R"({"type":"string","pattern":"^0x[0-9a-f]{16}$"})",
                                  kTexts = R"({"type":"string"}[])",
                                  kIntegers = R"({"type":"integer"}[])",
                                  kNumbers = R"({"type":"number"}[])";
}  // namespace value

/// Reads a schema: JSON text; "full|limited" for one of these texts; or "Link" for the document's
/// schema of that name. The suffix "[]" makes it a list, and "?" allows null.
nlohmann::ordered_json read_schema(std::string_view text);
/// Returns the `n`th of the texts in "full|limited".
constexpr std::string_view choice(std::string_view texts, std::size_t n) {
  for (; n > 0; --n) texts.remove_prefix(texts.find('|') + 1);
  return texts.substr(0, texts.find('|'));
}

struct FieldInfo {
  std::string_view name;
  std::string_view schema;     // as read_schema() reads it
  std::string_view what = {};  // a phrase; empty: the name says it
  bool may_be_absent = false;
};

/// In answers to changes that managers share.
inline constexpr FieldInfo kReplicatedField{
    "replicated", value::kInteger,
    "Other managers that hold the change, 0: only this one. Absent: etcd holds it, or there was "
    "nothing to change",
    true};

/// A column of a table for operators. `text` formats a row of the API; if it is null, the column
/// shows the field.
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

/// nullopt means that this row does not have the field.
using FieldValue = std::optional<nlohmann::json>;

template <class Source>
struct Field {
  /// `get` is a lambda without captures that returns the value of a source, or nullopt.
  template <class Get>
    requires std::is_class_v<Get>
  constexpr Field(FieldInfo declared, Get)
      : info(declared), value([](const Source& of) -> FieldValue { return Get()(of); }) {}

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

/// Returns the row of a source. With nlohmann::ordered_json as Json the fields keep their order.
template <class Json = nlohmann::json, class Fields, class Source>
Json row_of(const Fields& fields, const Source& source) {
  Json row = Json::object();
  for (const auto& field : fields)
    if (FieldValue value = field.value(source))
      row[std::string(field.info.name)] = std::move(*value);
  return row;
}

/// Returns the schema of an object with these fields; `closed` excludes others, as in a body.
std::string object_schema(std::span<const FieldInfo> fields, bool closed = false);
/// Returns the schema of an object in a field, which ends with the expression that it is in.
std::string object_of(std::initializer_list<FieldInfo> fields);
/// Returns the schema of an answer that has one row: fabric_id, snapshot, the fields of the row,
/// and `more`.
std::string answer_schema(const RowInfo& row, std::span<const FieldInfo> more);
/// Returns the value of a field as a table shows it; "" if it is absent.
std::string field_text(const nlohmann::ordered_json& row, std::string_view field);

}  // namespace sm
