#include "layers/rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <filesystem>
#include <set>
#include <sstream>

namespace layers {

namespace {

bool is_upper(char c) { return std::isupper(static_cast<unsigned char>(c)) != 0; }
bool is_lower(char c) { return std::islower(static_cast<unsigned char>(c)) != 0; }
bool is_alphanumeric(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; }
bool is_part_of_name(char c) { return is_alphanumeric(c) || c == '_'; }

/// Returns the text in lower case, with a space between the words of each identifier.
std::string split_identifiers(std::string_view text) {
  std::string out;
  out.reserve(text.size() + text.size() / 8);
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool begins_word =
        is_upper(text[i]) && i > 0 &&
        (is_lower(text[i - 1]) ||
         (is_upper(text[i - 1]) && i + 1 < text.size() && is_lower(text[i + 1])));
    if (begins_word) out += ' ';
    out +=
        text[i] == '_' ? ' ' : static_cast<char>(std::tolower(static_cast<unsigned char>(text[i])));
  }
  return out;
}

std::size_t count_word(std::string_view text, std::string_view word) {
  std::size_t count = 0;
  for (std::size_t at = text.find(word); at != std::string_view::npos;
       at = text.find(word, at + word.size())) {
    const std::size_t end = at + word.size();
    const bool begins = at == 0 || !is_alphanumeric(text[at - 1]);
    if (begins && (end == text.size() || !is_alphanumeric(text[end]))) ++count;
  }
  return count;
}

void find_words(const Source& source, const std::vector<std::string>& words, Exceptions& out) {
  const std::string text = split_identifiers(source.text);
  for (const std::string& word : words)
    if (const std::size_t count = count_word(text, word); count > 0)
      out[fmt::format("word {} {}", source.path, word)] = count;
}

std::vector<std::string> split_lines(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(std::move(line));
  return lines;
}

/// Comments that begin with a word after which no sentence with a subject and a verb follows. The
/// later lines of a comment do not count.
std::size_t count_fragments(const std::vector<std::string>& lines) {
  constexpr auto kOpenings = std::to_array<std::string_view>(
      {"Of ", "The same ", "What ", "Who ", "Whose ", "Which ", "Whether ", "Those ", "Such ",
       "None of ", "Null: ", "False: ", "True: ", "Nothing: "});
  std::size_t count = 0;
  bool continues = false;
  for (const std::string& line : lines) {
    const std::size_t slashes = line.find("//");
    const std::size_t begin =
        slashes == std::string::npos ? slashes : line.find_first_not_of("/<! ", slashes);
    const bool is_alone = slashes != std::string::npos && line.find_first_not_of(' ') == slashes;
    if (begin != std::string::npos && !(is_alone && continues))
      for (const std::string_view opening : kOpenings)
        if (line.compare(begin, opening.size(), opening) == 0) ++count;
    continues = is_alone;
  }
  return count;
}

/// Returns the name before the first parenthesis of a line that begins a function; else nothing.
std::string function_name(const std::string& line) {
  if (line.empty() || line.front() == '#' || line.front() == '}' || line.starts_with("//"))
    return {};
  const std::size_t open = line.find('(');
  if (open == std::string::npos || open == 0) return {};
  std::size_t begin = open;
  while (begin > 0 &&
         (is_part_of_name(line[begin - 1]) || line[begin - 1] == ':' || line[begin - 1] == '~'))
    --begin;
  return line.substr(begin, open - begin);
}

/// Functions at the outermost level, as clang-format lays them out: from the line with their name
/// to the "}" in the first column. Bodies inside of classes are indented and count with the class.
void find_long_functions(const Source& source, Exceptions& out) {
  const std::vector<std::string> lines = split_lines(source.text);
  std::string name;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::string& line = lines[i];
    if (!line.empty() && line.front() != ' ' && line.front() != '}') {
      if (std::string found = function_name(line); !found.empty()) {
        name = std::move(found);
        begin = i;
      } else if (line.starts_with("struct") || line.starts_with("class") ||
                 line.starts_with("namespace") || line.starts_with("enum")) {
        name.clear();
      }
    } else if (line == "}" && !name.empty()) {
      const std::size_t length = i - begin + 1;
      if (length > kFunctionLinesMax)
        out[fmt::format("function-lines {}:{}", source.path, name)] = length;
      name.clear();
    }
  }
}

std::set<std::string> find_included(const std::vector<Source>& sources) {
  std::set<std::string> included;
  for (const Source& source : sources)
    for (const std::string& line : split_lines(source.text)) {
      const std::size_t open = line.find('"');
      if (!line.starts_with("#include \"") || open == std::string::npos) continue;
      included.insert(line.substr(open + 1, line.find('"', open + 1) - open - 1));
    }
  return included;
}

}  // namespace

std::vector<std::string> parse_words(std::string_view text) {
  std::vector<std::string> words;
  for (std::string& line : split_lines(std::string(text)))
    if (!line.empty() && line.front() != '#') words.push_back(std::move(line));
  return words;
}

Exceptions find_exceptions(const std::vector<Source>& sources,
                           const std::vector<std::string>& words) {
  Exceptions out;
  const std::set<std::string> included = find_included(sources);
  std::map<std::string, std::size_t> named;
  for (const Source& source : sources) {
    find_words(source, words, out);
    find_long_functions(source, out);
    if (const std::size_t count = count_fragments(split_lines(source.text)); count > 0)
      out["comment-fragment " + source.path] = count;
    const auto lines = std::count(source.text.begin(), source.text.end(), '\n');
    if (static_cast<std::size_t>(lines) > kFileLinesMax)
      out["file-lines " + source.path] = static_cast<std::size_t>(lines);
    ++named[std::filesystem::path(source.path).filename().string()];
    if (source.path.ends_with(".h") && !included.contains(source.path))
      out["header-without-user " + source.path] = 1;
  }
  for (const auto& [name, count] : named)
    if (count > 1 && name != "main.cpp") out["basename " + name] = count;
  return out;
}

Exceptions find_test_names(const std::vector<Source>& tests,
                           const std::vector<std::string>& words) {
  Exceptions out;
  for (const Source& test : tests)
    for (const std::string& line : split_lines(test.text)) {
      if (!line.starts_with("TEST")) continue;
      const std::string name = split_identifiers(line);
      for (const std::string& word : words)
        if (count_word(name, word) > 0) ++out[fmt::format("test-name {} {}", test.path, word)];
    }
  return out;
}

std::string exceptions_text(const Exceptions& exceptions) {
  std::string text;
  for (const auto& [name, measure] : exceptions) text += fmt::format("{} {}\n", measure, name);
  return text;
}

Exceptions parse_exceptions(std::string_view text) {
  Exceptions out;
  for (const std::string& line : split_lines(std::string(text))) {
    std::size_t measure = 0;
    const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), measure);
    if (error != std::errc() || end == line.data() + line.size() || *end != ' ') continue;
    out[std::string(end + 1, line.data() + line.size())] = measure;
  }
  return out;
}

std::vector<std::string> compare(const Exceptions& listed, const Exceptions& found) {
  std::vector<std::string> lines;
  for (const auto& [name, measure] : found) {
    const auto before = listed.find(name);
    if (before == listed.end())
      lines.push_back(
          fmt::format("{} ({}): breaks a rule of tests/layers/README.md", name, measure));
    else if (before->second < measure)
      lines.push_back(
          fmt::format("{}: {}, was {}; the list only shrinks", name, measure, before->second));
    else if (before->second > measure)
      lines.push_back(fmt::format("{}: {} now, exceptions.txt says {}; heddle_layers --exceptions",
                                  name, measure, before->second));
  }
  for (const auto& [name, measure] : listed)
    if (!found.contains(name))
      lines.push_back(fmt::format("{}: mended; take it out of exceptions.txt", name));
  return lines;
}

}  // namespace layers
