#include "sm/store/key_value_file.h"

#include <charconv>

#include "mad/format.h"

namespace sm {
namespace {

constexpr std::size_t kFileMessagesMax = 20;

constexpr bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

std::vector<FileToken> split(std::string_view line, int number) {
  std::vector<FileToken> tokens;
  for (std::size_t at = 0; at < line.size();) {
    if (is_blank(line[at])) {
      ++at;
      continue;
    }
    std::size_t end = at;
    while (end < line.size() && !is_blank(line[end])) ++end;
    tokens.push_back({line.substr(at, end - at), number, static_cast<int>(at) + 1});
    at = end;
  }
  return tokens;
}

}  // namespace

std::string FileError::text(std::string_view file) const {
  return fmt::format("{}:{}:{}: {}", file, line, column, what);
}

std::vector<std::string> as_messages(const std::vector<FileError>& errors, std::string_view file) {
  std::vector<std::string> out;
  for (std::size_t i = 0; i < errors.size() && i < kFileMessagesMax; ++i)
    out.push_back(errors[i].text(file));
  if (errors.size() > kFileMessagesMax)
    out.push_back(fmt::format("{}: {} more like these", file, errors.size() - kFileMessagesMax));
  return out;
}

KeyValueText parse_key_values(std::string_view text, unsigned values) {
  KeyValueText out;
  int number = 0;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    ++number;
    std::vector<FileToken> tokens = split(line, number);
    if (tokens.empty()) continue;
    if (tokens.front().column != 1) {
      out.errors.push_back(
          {number, tokens.front().column,
           fmt::format("'{}' should begin in column 1", in_quotes(tokens.front().text))});
    } else if (tokens.size() < values + 1) {
      const FileToken& last = tokens.back();
      out.errors.push_back({number, last.column + static_cast<int>(last.text.size()),
                            fmt::format("the line ends here, but should have a key and {} value{}",
                                        values, values == 1 ? "" : "s")});
    } else if (tokens.size() > values + 1) {
      out.errors.push_back(
          {number, tokens[values + 1].column,
           fmt::format("'{}' is too much: a line has a key and {} value{}",
                       in_quotes(tokens[values + 1].text), values, values == 1 ? "" : "s")});
    } else {
      const FileToken key = tokens.front();
      tokens.erase(tokens.begin());
      out.records.push_back({key, std::move(tokens)});
    }
  }
  return out;
}

std::optional<std::uint64_t> parse_hex(std::string_view text) {
  if (!text.starts_with("0x") && !text.starts_with("0X")) return std::nullopt;
  text.remove_prefix(2);
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, 16);
  if (text.empty() || text.size() > 16 || error != std::errc() || end != text.data() + text.size())
    return std::nullopt;
  return value;
}

std::string in_quotes(std::string_view text) {
  std::string out;
  for (const char c : text.substr(0, 40)) out += c >= 0x20 && c < 0x7F ? c : '?';
  if (text.size() > 40) out += "...";
  return out;
}

}  // namespace sm
