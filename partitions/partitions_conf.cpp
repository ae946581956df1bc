#include "partitions/load.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "config/file_reader.h"
#include "config/value.h"
#include "partitions/configuration_builder.h"

namespace partitions {
namespace {

using config::Severity;

constexpr std::string_view kHeader =
    "write name=P_Key, flags and ':' on one line, in front of the members";

/// A word and the value after its `=`, if it has one.
struct Token {
  Word name;
  std::optional<Word> value;
};

class ConfReader {
 public:
  ConfReader(const config::Source& source, config::Diagnostics& out)
      : source_(source), builder_(source.file, out) {}

  Configuration read() {
    for (const config::Line& line : config::content_lines(source_.text)) {
      line_ = &line;
      read_line(line.text);
      last_ = word(line.text.substr(line.text.size() - 1));
    }
    if (state_ != State::between)
      builder_.report(Severity::warning, last_, "the last definition is not ended",
                      "write ';' after it");
    if (builder_.definitions() == 0 && !failed_) {
      builder_.report(Severity::warning, {},
                      "no partition is defined here: the file counts as missing, and every port "
                      "becomes a full member of the default partition");
      return default_configuration();
    }
    return builder_.take();
  }

 private:
  enum class State : std::uint8_t { between, inside, skipping };

  void read_line(std::string_view text) {
    if (const std::size_t nul = text.find('\0'); nul != std::string_view::npos) {
      failed_ = true;
      return builder_.report(Severity::error, word(text.substr(nul, 1)),
                             "the line holds a NUL character", "remove it");
    }
    while (!text.empty()) {
      const std::size_t end = text.find(';');
      const std::string_view part = text.substr(0, end);
      read_part(part, end != std::string_view::npos);
      if (end == std::string_view::npos) return;
      state_ = State::between;
      text = text.substr(end + 1);
      text.remove_prefix(std::min(text.find_first_not_of(" \t\r\v\f"), text.size()));
    }
  }

  /// Reads the text between two `;` on one line.
  void read_part(std::string_view part, bool is_ended) {
    if (state_ == State::skipping) return;
    if (state_ == State::between) {
      const std::size_t colon = part.find(':');
      if (colon == std::string_view::npos) {
        const bool empty = config::trim(part).empty();
        error(word(part),
              empty ? "there is no definition before this ';'"
                    : "there is no ':' after the name and flags of a partition",
              empty ? "remove it" : std::string(kHeader));
        if (!is_ended) state_ = State::skipping;
        return;
      }
      state_ = State::inside;
      read_header(part.substr(0, colon));
      part.remove_prefix(colon + 1);
    }
    read_members(part);
  }

  void read_header(std::string_view header) {
    const auto [name, behind] = cut(header);
    const Token first = token(name);
    builder_.begin_definition(first.name, first.value);
    for (std::optional<std::string_view> rest = behind; rest;) {
      const auto [part, next] = cut(*rest);
      const Token flag = token(part);
      if (flag.name.text.empty()) {
        error(flag.name, "a flag is missing here", "remove the comma");
      } else {
        builder_.flag(flag.name, flag.value);
      }
      rest = next;
    }
    builder_.end_header();
  }

  void read_members(std::string_view members) {
    for (std::optional<std::string_view> rest = members; rest;) {
      const auto [part, next] = cut(*rest);
      const Token member = token(part);
      if (member.name.text == "mgid") return read_group(member, next);
      if (member.name.text.empty() && member.value) {
        error(*member.value, "the member before the '=' is missing",
              "write a port GUID or a keyword such as ALL");
      } else {
        builder_.member(member.name, member.value);
      }
      rest = next;
    }
  }

  /// A group takes the rest of its line.
  void read_group(const Token& mgid, std::optional<std::string_view> rest) {
    builder_.begin_group(mgid.value.value_or(mgid.name));
    while (rest) {
      const auto [part, next] = cut(*rest);
      const Token flag = token(part);
      if (!flag.name.text.empty()) builder_.group_flag(flag.name, flag.value);
      rest = next;
    }
    builder_.end_group();
  }

  /// Splits a list into the text up to the first comma and the rest.
  static std::pair<std::string_view, std::optional<std::string_view>> cut(std::string_view list) {
    const std::size_t comma = list.find(',');
    if (comma == std::string_view::npos) return {list, std::nullopt};
    return {list.substr(0, comma), list.substr(comma + 1)};
  }

  Token token(std::string_view text) const {
    const std::size_t equals = text.find('=');
    if (equals == std::string_view::npos) return {word(text), std::nullopt};
    return {word(text.substr(0, equals)), word(text.substr(equals + 1))};
  }

  Word word(std::string_view text) const {
    const std::string_view trimmed = config::trim(text);
    return {trimmed, line_->number, line_->column(trimmed.empty() ? text : trimmed)};
  }

  void error(Word position, std::string what, std::string remedy) {
    failed_ = true;
    builder_.report(Severity::error, position, std::move(what), std::move(remedy));
  }

  const config::Source& source_;
  ConfigurationBuilder builder_;
  const config::Line* line_ = nullptr;
  Word last_;  // the last character that is not blank
  State state_ = State::between;
  bool failed_ = false;
};

}  // namespace

Configuration parse_partitions_conf(const config::Source& source, config::Diagnostics& out) {
  return ConfReader(source, out).read();
}

}  // namespace partitions
