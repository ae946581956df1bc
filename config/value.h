#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "config/diagnostic.h"
#include "config/schema.h"
#include "mad/number.h"

namespace config {

/// A Finding is a defect of a value, without its position.
struct Finding {
  Severity severity;
  std::string what, remedy;
};

/// Reads `text` as a value of `key` and stores it in `options`.
/// Shape:  numbers decimal, 0x hexadecimal or 0 octal; booleans TRUE or FALSE; lists comma
/// separated; "(null)" or "" unsets a text or list. Errors: with an error the option is unchanged;
/// with a warning it is set. Source: OpenSM's opensm.conf. Deliberately stricter: values that
/// OpenSM replaces by the default are refused.
std::optional<Finding> assign(const Key& key, std::string_view text, Options& options);

/// Returns the value in the notation of opensm.conf, one string per line (only per-SL values have
/// several); assign() accepts each.
std::vector<std::string> value_lines(const Key& key, const Options& options);

/// Returns the value in one string: equal strings are equal values.
std::string value_text(const Key& key, const Options& options);

/// Replaces a secret in texts that others may read.
inline constexpr std::string_view kMasked = "MASKED";
/// Masks user and password of URLs.
std::string without_credentials(std::string text);
/// Returns value_text() for texts that others may read, such as logs: a secret (Key::is_secret)
/// that is not its (public) default is masked, and so are user and password of URLs.
std::string shown_value(const Key& key, const Options& options);

/// True if every key has the same value in both; origins are ignored.
bool same_values(const Options& a, const Options& b);

/// Copies the key's value from `from` to `to`.
void copy_value(const Key& key, const Options& from, Options& to);

/// Returns the allowed values of this key: "a number in 0..7 or 15", "TRUE or FALSE", ...
std::string expected_value(const Key& key);

using mad::NumberFault;

/// Reads the whole text as a non-negative number. Base 0: by prefix, as strtoul; base 16: with or
/// without 0x.
tl::expected<std::uint64_t, NumberFault> parse_number(std::string_view text, int base = 0);

/// Splits `list` at any of `separators` and removes the blanks around each part; empty parts are
/// kept unless the list is blank.
std::vector<std::string_view> split(std::string_view list, std::string_view separators);
std::string_view trim(std::string_view text);

}  // namespace config
