#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "config/diagnostic.h"
#include "config/schema.h"

namespace config {

/// What is wrong with a value, without the place: the caller knows that.
struct Finding {
  Severity severity;
  std::string what, remedy;
};

/// Reads `text` as a value of `key` and stores it in `options`.
/// Shape:  numbers decimal, 0x hexadecimal or 0 octal; booleans TRUE or FALSE; lists comma
/// separated; "(null)" or "" unsets a text or list. Errors: an error finding leaves the option as
/// it was; a warning finding comes with the option set. Source: OpenSM's opensm.conf. Deliberately
/// stricter: what OpenSM replaces by a default with a message is refused here.
std::optional<Finding> assign(const Key& key, std::string_view text, Options& options);

/// The value as opensm.conf has it, one string for each line that it takes (only per-SL values take
/// several); assign() reads each back.
std::vector<std::string> value_lines(const Key& key, const Options& options);

/// The same in one string: equal strings are equal values.
std::string value_text(const Key& key, const Options& options);

/// Every key has the same value in both, wherever it comes from.
bool same_values(const Options& a, const Options& b);

/// Makes `to` have the value that `from` has.
void copy_value(const Key& key, const Options& from, Options& to);

/// "a number in 0..7 or 15", "TRUE or FALSE", ...: what would be right for this key.
std::string expected_value(const Key& key);

enum class NumberFault : std::uint8_t { not_a_number, too_large };

/// A non-negative number that takes up the whole text. Base 0: by prefix, as strtoul; base 16: with
/// or without 0x.
tl::expected<std::uint64_t, NumberFault> parse_number(std::string_view text, int base = 0);

/// `list` cut at any of `separators`, without the blanks around each part; empty parts are kept
/// unless the list is blank.
std::vector<std::string_view> split(std::string_view list, std::string_view separators);
std::string_view trim(std::string_view text);

}  // namespace config
