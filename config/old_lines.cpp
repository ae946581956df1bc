#include "config/old_lines.h"

#include <algorithm>
#include <cctype>
#include <cstddef>

#include "config/schema.h"
#include "config/value.h"

namespace config {
namespace {

struct Place {
  std::size_t at = 0, size = 0;
};

bool is_of_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

/// Finds the value of a secret option in what follows its name on a line; size 0: there is none.
Place value_behind(std::string_view rest) {
  constexpr std::string_view kSet = " = ", kChanged = " changed from ";
  if (rest.starts_with(kSet)) return {kSet.size(), rest.size() - kSet.size()};
  if (rest.starts_with(kChanged)) {
    const std::size_t end = std::min(rest.find(", which has no effect now"), rest.size());
    return {kChanged.size(), end - kChanged.size()};
  }
  // A sentence about the option has words behind its name; a key is a number.
  const std::size_t begin = std::min(rest.find_first_not_of(" \t=:'\"<"), rest.size());
  if (begin == rest.size() || std::isdigit(static_cast<unsigned char>(rest[begin])) == 0) return {};
  const std::string_view value = rest.substr(begin);
  const auto end = std::ranges::find_if_not(value, is_of_word);
  return {begin, static_cast<std::size_t>(end - value.begin())};
}

void mask_behind_name(std::string& line, std::string_view name) {
  for (std::size_t at = 0; (at = line.find(name, at)) != std::string::npos;) {
    const bool begins = at == 0 || !is_of_word(line[at - 1]);
    at += name.size();
    if (!begins || (at < line.size() && is_of_word(line[at]))) continue;
    const Place value = value_behind(std::string_view(line).substr(at));
    if (value.size > 0) line.replace(at + value.at, value.size, kMasked);
  }
}

/// Masks what the banner shows of a flag: " SM Key <{}>".
void mask_echo(std::string& line, std::string_view echo) {
  const std::size_t hole = echo.find("{}");
  if (hole == std::string_view::npos) return;
  const std::string_view before = echo.substr(0, hole), after = echo.substr(hole + 2);
  const std::size_t found = line.find(before);
  if (found == std::string::npos) return;
  const std::size_t begin = found + before.size();
  const std::size_t end =
      after.empty() ? line.size() : std::min(line.find(after, begin), line.size());
  line.replace(begin, end - begin, kMasked);
}

std::string mask_line(std::string line) {
  for (const Key& key : keys())
    if (key.is_secret) mask_behind_name(line, key.name);
  for (const Flag& flag : flags())
    if (const Key* const key = find_key(flag.key); key != nullptr && key->is_secret)
      mask_echo(line, flag.echo);
  return without_credentials(std::move(line));
}

}  // namespace

std::string without_secrets(std::string_view lines) {
  std::string out;
  out.reserve(lines.size());
  while (!lines.empty()) {
    const std::size_t end = std::min(lines.find('\n'), lines.size());
    out += mask_line(std::string(lines.substr(0, end)));
    if (end < lines.size()) out += '\n';
    lines.remove_prefix(std::min(end + 1, lines.size()));
  }
  return out;
}

}  // namespace config
