#pragma once
// Reads the words of one line of text. Private to this directory.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "mad/number.h"

namespace topology {

inline bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }
inline bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

/// Reads one line of a file from left to right.
class Cursor {
 public:
  explicit Cursor(std::string_view line) : line_(line) {}

  std::string_view rest() const { return line_.substr(at_); }
  bool done() const { return at_ == line_.size(); }
  std::size_t at() const { return at_; }
  char peek() const { return done() ? '\0' : line_[at_]; }
  void skip_blanks() {
    while (!done() && is_blank(line_[at_])) ++at_;
  }
  bool take(std::string_view text) {
    if (!rest().starts_with(text)) return false;
    at_ += text.size();
    return true;
  }
  template <class Accept>
  std::string_view take_while(Accept accept) {
    const std::size_t from = at_;
    while (!done() && accept(line_[at_])) ++at_;
    return line_.substr(from, at_ - from);
  }
  /// Returns the text up to `end`, and skips `end`; nullopt if there is no `end`.
  std::optional<std::string_view> take_until(char end) {
    const std::size_t to = line_.find(end, at_);
    if (to == std::string_view::npos) return std::nullopt;
    const std::string_view text = line_.substr(at_, to - at_);
    at_ = to + 1;
    return text;
  }
  std::optional<std::uint64_t> take_number(int base) {
    std::string_view after = rest();
    const auto value = mad::take_number(after, base);
    if (!value) return std::nullopt;
    at_ = line_.size() - after.size();
    return *value;
  }
  /// Reads 0x... or decimal, as strtoull with base 0 does, but without octal numbers.
  std::optional<std::uint64_t> take_number() {
    return take("0x") || take("0X") ? take_number(16) : take_number(10);
  }

 private:
  std::string_view line_;
  std::size_t at_ = 0;
};

}  // namespace topology
