#include "sm/ops/web/request_target.h"

#include <fmt/format.h>

#include <algorithm>

namespace sm::web {
namespace {

constexpr std::size_t kSegmentsMax = 32, kQueryMax = 64;

std::optional<unsigned> hex_digit(char c) {
  if (c >= '0' && c <= '9') return static_cast<unsigned>(c - '0');
  if (c >= 'a' && c <= 'f') return static_cast<unsigned>(c - 'a' + 10);
  if (c >= 'A' && c <= 'F') return static_cast<unsigned>(c - 'A' + 10);
  return std::nullopt;
}

bool is_control(char c) {
  const auto value = static_cast<unsigned char>(c);
  return value < 0x20 || value == 0x7F;
}

/// Returns the length of the first code point in UTF-8 (RFC 3629); 0 if it is invalid.
std::size_t code_point_bytes(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return 1;
  const std::size_t size = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || text.size() < size) return 0;
  for (std::size_t i = 1; i < size; ++i)
    if ((byte(i) & 0xC0) != 0x80) return 0;
  const bool overlong = (first == 0xE0 && byte(1) < 0xA0) || (first == 0xF0 && byte(1) < 0x90);
  const bool surrogate = first == 0xED && byte(1) > 0x9F;
  const bool too_large = first == 0xF4 && byte(1) > 0x8F;
  return overlong || surrogate || too_large ? 0 : size;
}

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const std::size_t size = code_point_bytes(text);
    if (size == 0) return false;
    text.remove_prefix(size);
  }
  return true;
}

/// Checks also segments that hide separators in %2F or %5C.
bool climbs(std::string_view segment) {
  while (true) {
    const std::size_t end = segment.find_first_of("/\\");
    const std::string_view part = segment.substr(0, end);
    if (part == "." || part == "..") return true;
    if (end == std::string_view::npos) return false;
    segment.remove_prefix(end + 1);
  }
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (true) {
    const std::size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

tl::expected<Fields, std::string> parse_query(std::string_view text) {
  Fields query;
  for (const std::string_view pair : split(text, '&')) {
    if (pair.empty()) continue;
    if (query.size() == kQueryMax)
      return tl::unexpected(fmt::format("the query has more than {} values", kQueryMax));
    const std::size_t equal = pair.find('=');
    auto name = percent_decoded(pair.substr(0, equal), true);
    auto value = equal == std::string_view::npos ? tl::expected<std::string, std::string>("")
                                                 : percent_decoded(pair.substr(equal + 1), true);
    if (!name) return tl::unexpected("the query: " + name.error());
    if (!value) return tl::unexpected("the query: " + value.error());
    query.emplace_back(std::move(*name), std::move(*value));
  }
  return query;
}

}  // namespace

tl::expected<std::string, std::string> percent_decoded(std::string_view text, bool form) {
  std::string decoded;
  decoded.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (c == '%') {
      if (text.size() - i < 3 || !hex_digit(text[i + 1]) || !hex_digit(text[i + 2]))
        return tl::unexpected(std::string("% is not followed by two hexadecimal digits"));
      c = static_cast<char>(*hex_digit(text[i + 1]) << 4 | *hex_digit(text[i + 2]));
      i += 2;
    } else if (form && c == '+') {
      c = ' ';
    }
    if (is_control(c)) return tl::unexpected(std::string("it has a control character"));
    decoded += c;
  }
  if (!is_utf8(decoded)) return tl::unexpected(std::string("it is not UTF-8"));
  return decoded;
}

std::string percent_encoded(std::string_view text) {
  std::string encoded;
  for (const char c : text) {
    const bool plain = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                       std::string_view("-._~").find(c) != std::string_view::npos;
    if (plain)
      encoded += c;
    else
      encoded += fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return encoded;
}

tl::expected<Target, std::string> parse_target(std::string_view text) {
  for (const std::string_view scheme : {"http://", "https://"}) {
    if (!text.starts_with(scheme)) continue;
    const std::size_t slash = text.find('/', scheme.size());
    text = slash == std::string_view::npos ? "/" : text.substr(slash);
  }
  if (!text.starts_with('/'))
    return tl::unexpected(std::string("the target of the request does not begin with /"));
  const std::size_t mark = text.find('?');
  const std::string_view path = text.substr(0, mark);
  Target target;
  for (const std::string_view raw : split(path.substr(1), '/')) {
    if (target.segments.size() == kSegmentsMax)
      return tl::unexpected(fmt::format("the path has more than {} parts", kSegmentsMax));
    auto segment = percent_decoded(raw);
    if (!segment) return tl::unexpected("the path: " + segment.error());
    if (climbs(*segment)) return tl::unexpected(std::string("the path has a part . or .."));
    target.path += '/' + *segment;
    target.segments.push_back(std::move(*segment));
  }
  if (mark == std::string_view::npos) return target;
  auto query = parse_query(text.substr(mark + 1));
  if (!query) return tl::unexpected(std::move(query.error()));
  target.query = std::move(*query);
  return target;
}

}  // namespace sm::web
