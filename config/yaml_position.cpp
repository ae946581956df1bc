#include "config/yaml_position.h"

#include <fmt/format.h>
#include <yaml-cpp/node/parse.h>

#include <algorithm>
#include <boost/locale/utf.hpp>
#include <cstdint>

namespace config {
namespace {

/// True for code points that are not characters of interchanged text (Unicode, 23.7).
bool is_noncharacter(std::uint32_t code_point) {
  return (code_point & 0xfffe) == 0xfffe || (code_point >= 0xfdd0 && code_point <= 0xfdef);
}

void require_text(std::string_view text) {
  using Utf8 = boost::locale::utf::utf_traits<char>;
  const char* line_start = text.data();
  int line = 0;
  for (const char* at = text.data(); at != text.data() + text.size();) {
    const char* const character = at;
    const std::uint32_t code_point = Utf8::decode(at, text.data() + text.size());
    const bool is_utf8 = code_point != boost::locale::utf::illegal &&
                         code_point != boost::locale::utf::incomplete &&
                         !is_noncharacter(code_point);
    if (!is_utf8 || code_point == 0) {
      YAML::Mark mark;
      mark.line = line;
      mark.column = static_cast<int>(character - line_start);
      throw YAML::ParserException(
          mark, is_utf8
                    ? "byte 0x00 is no character of a text; remove it"
                    : fmt::format("byte 0x{:02X} begins no UTF-8 character; save the file as UTF-8",
                                  static_cast<unsigned char>(*character)));
    }
    if (code_point == '\n') {
      ++line;
      line_start = at;
    }
  }
}

}  // namespace

// yaml-cpp counts from 0; -1 means that there is no position.
YamlPosition yaml_position(const YAML::Mark& mark) {
  return {std::max(mark.line, 0) + 1, std::max(mark.column, 0) + 1};
}

Diagnostic not_yaml(std::string file, const YAML::Exception& error) {
  const YamlPosition place = yaml_position(error.mark);
  return {.severity = Severity::error,
          .file = std::move(file),
          .line = place.line,
          .column = place.column,
          .what = fmt::format("not YAML: {}", printable(error.msg)),
          .remedy = {}};
}

YAML::Node load_yaml(std::string_view text) {
  require_text(text);
  return YAML::Load(std::string(text));
}

}  // namespace config
