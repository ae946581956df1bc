#pragma once
// Examples in the OpenAPI document: values that a schema allows, with those of the fields from a
// table by their names.

#include <nlohmann/json.hpp>
#include <string_view>

namespace sm::web {

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

}  // namespace sm::web
