#include "man/mdoc.h"

#include <algorithm>
#include <cctype>
#include <utility>

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
  constexpr std::size_t kLongWord = 40;
  std::string out = "\"";
  std::size_t word = 0;  // how long it is so far
  for (const char character : text) {
    word = character == ' ' ? 0 : word + 1;
    if (word % kLongWord == 0 && word > 0) out += "\\:";  // a line may end here
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

namespace {

constexpr std::size_t kHelpColumn = 30;  // where CLI11 begins the text of an option

/// An entry of a list: "  --seed N=1      what it is".
std::pair<std::string_view, std::string_view> entry_of(std::string_view line) {
  line.remove_prefix(2);
  std::size_t end = line.find("  ");
  if (end == std::string_view::npos && line.size() > kHelpColumn && line[kHelpColumn - 3] == ' ')
    end = kHelpColumn - 3;
  if (end == std::string_view::npos) return {line, {}};
  const std::string_view text = line.substr(end);
  return {line.substr(0, end), text.substr(text.find_first_not_of(' '))};
}

/// Reads the text of --help line by line.
class Help {
 public:
  void add(std::string_view line) {
    const std::size_t indent = std::min(line.find_first_not_of(' '), line.size());
    const bool is_heading = indent == 0 && line.ends_with(':');
    if (examples_ && (indent > 0 || line.empty())) {
      examples_text_ += std::string(line) + '\n';
    } else if (line.empty()) {
      flush();
      after_blank_ = true;
    } else if (indent == 0) {
      if (in_list_ || examples_ || is_heading) close();
      if (is_heading) {
        examples_ = line == "Examples:";
        if (!examples_) out_ += fmt::format(".Ss {}\n", line.substr(0, line.size() - 1));
      } else if (!line.starts_with("usage: ")) {
        if (after_blank_ && !out_.empty()) out_ += ".Pp\n";
        prose_ += std::string(line) + ' ';
      }
      after_blank_ = false;
    } else if (indent == 2) {
      flush();
      if (!in_list_) out_ += ".Bl -tag -width Ds\n";
      in_list_ = true;
      const auto [tag, text] = entry_of(line);
      out_ += fmt::format(".It {}\n", argument(tag));
      prose_ = std::string(text) + ' ';
    } else {
      prose_ += std::string(line.substr(indent)) + ' ';
    }
  }
  std::string finish() {
    close();
    return std::move(out_);
  }

 private:
  void flush() {
    const std::string prose = std::exchange(prose_, {});
    out_ += sentences(prose.substr(std::min(prose.find_first_not_of(' '), prose.size())));
  }
  void close() {
    if (in_list_ || !out_.ends_with('\n')) flush();
    if (in_list_) out_ += ".El\n";
    in_list_ = false;
    if (examples_) {
      while (examples_text_.ends_with("\n\n")) examples_text_.pop_back();
      out_ += ".Ss Examples\n" + literal(std::exchange(examples_text_, {}));
    }
    examples_ = false;
  }

  std::string out_, prose_, examples_text_;
  bool in_list_ = false, examples_ = false, after_blank_ = false;
};

}  // namespace

std::string from_help(std::string_view text) {
  Help help;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    help.add(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  help.add("");
  return help.finish();
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
