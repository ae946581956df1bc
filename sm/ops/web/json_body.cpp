#include "sm/ops/web/json_body.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace sm::web {
namespace {

/// Parses a text without keeping its values, up to the first fault. Its memory is bounded by the
/// depth and by the names of open objects.
class Checker final : public nlohmann::json_sax<nlohmann::json> {
 public:
  explicit Checker(const JsonBounds& bounds) : bounds_(bounds) {}

  bool null() override { return one_value(); }
  bool boolean(bool) override { return one_value(); }
  bool number_integer(number_integer_t) override { return one_value(); }
  bool number_unsigned(number_unsigned_t) override { return one_value(); }
  bool number_float(number_float_t, const string_t&) override { return one_value(); }
  bool string(string_t&) override { return one_value(); }
  bool binary(binary_t&) override { return false; }
  bool start_object(std::size_t) override {
    names_.emplace_back(std::in_place);
    return deeper();
  }
  bool key(string_t& name) override {
    std::set<std::string>& names = *names_.back();
    if (names.size() == bounds_.members)
      return fail({400, fmt::format("an object has more than {} members", bounds_.members),
                   "leave out what this resource does not have", ""});
    if (names.insert(name).second) return true;
    return fail({422, fmt::format("'{}' is there twice", shown(name)), "write it once",
                 open_ == 1 ? json_pointer("", name) : ""});
  }
  bool end_object() override { return close(); }
  bool start_array(std::size_t) override {
    names_.emplace_back(std::nullopt);
    return deeper();
  }
  bool end_array() override { return close(); }
  bool parse_error(std::size_t, const std::string&, const nlohmann::json::exception&) override {
    return fail({400, "the body is no JSON", "one JSON object, UTF-8", ""});
  }

  std::optional<JsonFault> fault;

 private:
  bool fail(JsonFault what) {
    if (!fault) fault = std::move(what);
    return false;
  }
  bool one_value() {
    if (++values_ <= bounds_.values) return true;
    return fail({413, fmt::format("the body has more than {} values", bounds_.values),
                 "send it in several requests", ""});
  }
  bool deeper() {
    if (++open_ > bounds_.depth)
      return fail({400, fmt::format("the body is nested more than {} deep", bounds_.depth),
                   "one JSON object", ""});
    return one_value();
  }
  bool close() {
    --open_;
    names_.pop_back();
    return true;
  }

  const JsonBounds& bounds_;
  std::size_t open_ = 0, values_ = 0;
  // Holds the names of each open object; nullopt stands for an open list.
  std::vector<std::optional<std::set<std::string>>> names_;
};

}  // namespace

tl::expected<nlohmann::json, JsonFault> parse_json_body(std::string_view text,
                                                        const JsonBounds& bounds) {
  if (text.size() > bounds.bytes)
    return tl::unexpected(JsonFault{413,
                                    fmt::format("the body is longer than {} bytes", bounds.bytes),
                                    "send it in several requests", ""});
  Checker checker(bounds);
  nlohmann::json::sax_parse(text, &checker);
  if (checker.fault) return tl::unexpected(std::move(*checker.fault));
  nlohmann::json parsed = nlohmann::json::parse(text, nullptr, false);
  if (!parsed.is_object())
    return tl::unexpected(JsonFault{422, "the body is no JSON object", "one JSON object", ""});
  return tl::expected<nlohmann::json, JsonFault>(std::move(parsed));
}

std::string json_pointer(std::string_view parent, std::string_view name) {
  constexpr std::size_t kNameMax = 100;
  std::string pointer(parent);
  pointer += '/';
  for (const char c : name.substr(0, kNameMax)) {
    if (c == '~')
      pointer += "~0";
    else if (c == '/')
      pointer += "~1";
    else
      pointer += c;
  }
  return pointer;
}

std::string shown(std::string_view text) {
  std::string out;
  for (const char c : text.substr(0, 40)) out += c >= ' ' && c <= '~' ? c : '?';
  return out;
}

}  // namespace sm::web
