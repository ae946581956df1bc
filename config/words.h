#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "config/diagnostic.h"
#include "config/file_reader.h"
#include "config/value.h"

namespace config {

struct Limits {
  std::uint64_t min, max;
};
inline constexpr Limits kGuidLimits{1, ~std::uint64_t{0}}, kPortLimits{1, 254};

/// Reads the words of one line from left to right; after the first error ok() is false.
class Words {
 public:
  Words(const Line& line, const std::string& file, Diagnostics& out)
      : line_(line), file_(file), out_(out), rest_(line.text) {}

  bool ok() const { return ok_; }
  bool at_end() const { return rest_.empty(); }

  /// Reads the next word as a number; reports a missing word or a number out of range and returns
  /// 0.
  std::uint64_t number(std::string_view what, Limits limits) {
    if (!ok_) return 0;
    if (rest_.empty())
      return fail(rest_, fmt::format("the line ends before the {}", what), what, limits);
    const std::string_view word = take();
    const auto value = parse_number(word);
    if (!value && value.error() == NumberFault::not_a_number) {
      if (what == "GUID" && is_name(word)) return fail_name(word);
      return fail(word, fmt::format("{} is not a {}", in_quotes(word), what), what, limits);
    }
    if (!value || *value < limits.min || *value > limits.max) {
      return fail(word, fmt::format("{} {} is out of range", what, in_quotes(word)), what, limits);
    }
    return *value;
  }

  /// Reads the next word; returns an empty word at the end.
  std::string_view word() { return ok_ ? take() : std::string_view{}; }

  /// Reads the next word as a hexadecimal number; returns nothing for `*`.
  std::optional<std::uint64_t> hexadecimal_or_any(std::string_view what) {
    if (!ok_) return std::nullopt;
    if (rest_.empty())
      return fail_hexadecimal(rest_, fmt::format("the line ends before the {}", what), what);
    const std::string_view word = take();
    if (word == "*") return std::nullopt;
    const auto value = parse_number(word, 16);
    if (!value)
      return fail_hexadecimal(word, fmt::format("{} is not a {}", in_quotes(word), what), what);
    return *value;
  }

  /// Reads the rest of the line, which has to be text in double quotes, and returns it without
  /// them.
  std::string quoted(std::string_view what) {
    if (!ok_) return {};
    const std::string_view text = std::exchange(rest_, rest_.substr(rest_.size()));
    if (text.size() > 2 && text.front() == '"' && text.find('"', 1) == text.size() - 1)
      return std::string(text.substr(1, text.size() - 2));
    error(text, fmt::format("{} is no {} in double quotes", in_quotes(text), what),
          fmt::format("write the {} in double quotes, and nothing after it", what));
    return {};
  }

  void error(std::string_view place, std::string what, std::string remedy) {
    ok_ = false;
    report(Severity::error, place, std::move(what), std::move(remedy));
  }
  void warn(std::string_view place, std::string what) {
    report(Severity::warning, place, std::move(what), {});
  }
  void expect_end() {
    if (ok_ && !rest_.empty())
      warn(rest_, fmt::format("{} after the entry is ignored", in_quotes(rest_)));
  }

 private:
  std::string_view take() {
    const std::string_view word = rest_.substr(0, rest_.find_first_of(" \t"));
    const std::string_view after = rest_.substr(word.size());
    rest_ = after.substr(std::min(after.find_first_not_of(" \t"), after.size()));
    return word;
  }
  std::uint64_t fail(std::string_view place, std::string what, std::string_view name,
                     Limits limits) {
    ok_ = false;
    report(Severity::error, place, std::move(what),
           limits.max > 255 ? fmt::format("write a {} such as {}", name,
                                          name == "GUID" ? "0x0002c90300a1b2c3" : "17")
                            : fmt::format("write a {} in {}..{}", name, limits.min, limits.max));
    return 0;
  }
  /// NVIDIA's OpenSM accepts names of port groups in place of GUIDs.
  static bool is_name(std::string_view word) {
    const auto is_letter = [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
    };
    return word.size() > 2 && is_letter(word.front());
  }
  std::uint64_t fail_name(std::string_view word) {
    error(word, fmt::format("{} is not a GUID", in_quotes(word)),
          "write a GUID, such as 0x0002c90300a1b2c3; names of port groups of pgrp_policy_file may "
          "be in root_guid_file, cn_guid_file, io_guid_file and guid_routing_order_file");
    return 0;
  }
  std::optional<std::uint64_t> fail_hexadecimal(std::string_view place, std::string what,
                                                std::string_view name) {
    ok_ = false;
    report(Severity::error, place, std::move(what),
           fmt::format("write a hexadecimal {}, or * for any", name));
    return std::nullopt;
  }
  void report(Severity severity, std::string_view place, std::string what, std::string remedy) {
    out_.push_back(
        {severity, file_, line_.number, line_.column(place), std::move(what), std::move(remedy)});
  }

  const Line& line_;
  const std::string& file_;
  Diagnostics& out_;
  std::string_view rest_;
  bool ok_ = true;
};

}  // namespace config
