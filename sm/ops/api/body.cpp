#include "sm/ops/api/body.h"

#include "mad/format.h"
#include "sm/ops/api/parameters.h"
#include "sm/ops/web/json_body.h"

namespace sm::api {

Body::Body(std::string_view text) {
  auto parsed = web::parse_json_body(text);
  if (parsed) {
    object_ = std::move(*parsed);
    return;
  }
  const web::JsonFault& fault = parsed.error();
  fault_ = web::problem(fault.status, fault.detail, fault.remedy, fault.pointer);
}

void Body::refuse(std::string_view member, std::string_view what, std::string_view remedy) {
  if (!fault_) fault_ = web::problem(422, what, remedy, web::json_pointer("", member));
}

const nlohmann::json* Body::find(const std::string& member) {
  known_.insert(member);
  const auto found = object_.find(member);
  return fault_ || found == object_.end() ? nullptr : &*found;
}

std::optional<std::uint64_t> Body::number(const std::string& member, std::uint64_t max,
                                          bool required, std::uint64_t min) {
  const nlohmann::json* const value = find(member);
  const std::string right = fmt::format("a number in {}..{}", min, max);
  if (value == nullptr) {
    if (required) refuse(member, fmt::format("'{}' is missing", member), right);
    return std::nullopt;
  }
  if (value->is_number_unsigned() && value->get<std::uint64_t>() >= min &&
      value->get<std::uint64_t>() <= max)
    return value->get<std::uint64_t>();
  refuse(member, fmt::format("'{}' has an invalid value", member), right);
  return std::nullopt;
}

std::optional<bool> Body::boolean(const std::string& member) {
  const nlohmann::json* const value = find(member);
  if (value == nullptr) return std::nullopt;
  if (value->is_boolean()) return value->get<bool>();
  refuse(member, fmt::format("'{}' has an invalid value", member), "true or false");
  return std::nullopt;
}

std::optional<std::string> Body::text(const std::string& member, std::size_t bytes_max,
                                      bool required) {
  const nlohmann::json* const value = find(member);
  const std::string right = fmt::format("a text of at most {} bytes", bytes_max);
  if (value == nullptr) {
    if (required) refuse(member, fmt::format("'{}' is missing", member), right);
    return std::nullopt;
  }
  if (value->is_string() && value->get_ref<const std::string&>().size() <= bytes_max)
    return value->get<std::string>();
  refuse(member, fmt::format("'{}' has an invalid value", member), right);
  return std::nullopt;
}

std::optional<std::vector<std::string>> Body::texts(const std::string& member,
                                                    std::size_t count_max, std::size_t bytes_max) {
  const nlohmann::json* const value = find(member);
  if (value == nullptr) return std::nullopt;
  bool right = value->is_array() && value->size() <= count_max;
  std::vector<std::string> list;
  for (std::size_t i = 0; right && i < value->size(); ++i) {
    const nlohmann::json& entry = (*value)[i];
    right = entry.is_string() && !entry.get_ref<const std::string&>().empty() &&
            entry.get_ref<const std::string&>().size() <= bytes_max;
    if (right) list.push_back(entry.get<std::string>());
  }
  if (right) return list;
  refuse(member, fmt::format("'{}' has an invalid value", member),
         fmt::format("a list of at most {} texts of 1 to {} bytes", count_max, bytes_max));
  return std::nullopt;
}

void Body::finish() {
  for (const auto& [name, value] : object_.items()) {
    if (known_.contains(name)) continue;
    const std::vector<std::string_view> names(known_.begin(), known_.end());
    refuse(name, fmt::format("there is no member '{}' here", name.substr(0, 100)),
           one_of_text(names));
  }
}

}  // namespace sm::api
