#include "man/mdoc.h"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>

namespace manual {
namespace {

/// A line of text: no character has a meaning of roff's.
std::string escaped(std::string_view line) {
  std::string out;
  for (const char character : line) {
    if (character == '\\') {
      out += "\\e";
    } else if (character == '-') {
      out += "\\-";
    } else {
      out += character;
    }
  }
  if (!out.empty() && (out.front() == '.' || out.front() == '\'')) out.insert(0, "\\&");
  return out;
}

bool ends_sentence(std::string_view text, std::size_t at) {
  return text[at] == '.' && at + 2 < text.size() && text[at + 1] == ' ' &&
         (std::isupper(static_cast<unsigned char>(text[at + 2])) != 0 || text[at + 2] == '-' ||
          text[at + 2] == '\'');
}

}  // namespace

std::string sentences(std::string_view prose) {
  std::string text(prose);
  std::ranges::replace(text, '\n', ' ');
  while (text.ends_with(' ')) text.pop_back();
  if (text.empty()) return {};
  if (text.back() != '.' && text.back() != ':') text += '.';
  std::string out;
  std::size_t begin = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (!ends_sentence(text, at)) continue;
    out += escaped(std::string_view(text).substr(begin, at + 1 - begin)) + '\n';
    begin = at + 2;
  }
  return out + escaped(std::string_view(text).substr(begin)) + '\n';
}

std::string argument(std::string_view text) {
  std::string out = "\"";
  for (const char character : text) {
    if (character == '\\') {
      out += "\\e";
    } else if (character == '"') {
      out += "\\(dq";
    } else if (character == '-') {
      out += "\\-";
    } else {
      out += character;
    }
  }
  return out + '"';
}

std::string literal(std::string_view lines) {
  std::string out = ".Bd -literal\n";
  while (!lines.empty()) {
    const std::size_t end = std::min(lines.find('\n'), lines.size());
    out += escaped(lines.substr(0, end)) + '\n';
    lines.remove_prefix(std::min(end + 1, lines.size()));
  }
  return out + ".Ed\n";
}

std::string head(std::string_view name, std::string_view section, std::string_view date,
                 std::string_view what) {
  std::string title(name);
  std::ranges::transform(title, title.begin(),
                         [](unsigned char letter) { return std::toupper(letter); });
  return fmt::format(".Dd {}\n.Dt {} {}\n.Os Heddle\n.Sh NAME\n.Nm {}\n.Nd {}\n", date, title,
                     section, name, what);
}

}  // namespace manual
