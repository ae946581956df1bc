#include "sm/ops/console/http_line.h"

#include <algorithm>
#include <cctype>

namespace sm::console {

namespace {

/// True for a character of a token (RFC 9110, 5.6.2), such as the name of a method or header.
bool is_of_token(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
         std::string_view("!#$%&'*+-.^_`|~").find(c) != std::string_view::npos;
}

bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }

}  // namespace

bool is_of_http(std::string_view line) {
  constexpr std::string_view kHandshake = "\x16\x03";  // RFC 8446, 5.1
  if (line.starts_with(kHandshake)) return true;
  const auto end = std::ranges::find_if_not(line, is_of_token);
  const std::string_view word = line.substr(0, static_cast<std::size_t>(end - line.begin()));
  const std::string_view rest = line.substr(word.size());
  if (word.empty() || rest.empty()) return false;
  if (rest.front() == ':') return true;
  if (rest.front() != ' ') return false;
  // Commands have small letters only. A long request may be cut in front of its version.
  const std::string_view target = rest.substr(1);
  const bool has_target = target.starts_with('/') || target.starts_with('*') ||
                          target.substr(0, target.find(' ')).find(':') != std::string_view::npos;
  if (has_target && std::ranges::all_of(word, is_upper)) return true;
  return target.find(" HTTP/") != std::string_view::npos;
}

}  // namespace sm::console
