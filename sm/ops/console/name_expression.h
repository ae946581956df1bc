#pragma once
// Regular expressions of the console. Pure.

#include <bitset>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

namespace sm::console {

/// Holds a POSIX extended regular expression (IEEE Std 1003.1, 9.4) without back-references,
/// collating symbols and equivalence classes; a character is a byte. All positions of the
/// expression are followed at once (Thompson 1968), so that no expression and no text makes
/// matches() slow: steps() times the bytes of the text bound its work. The C library's regcomp()
/// and regexec() have no such bound, neither of time nor of memory.
class NameExpression {
 public:
  /// Bounds steps(). Repetitions count with each copy of what they repeat.
  static constexpr std::size_t kStepsMax = 500;

  /// Errors: why the text is no such expression, in words.
  static tl::expected<NameExpression, std::string> compile(std::string_view text);

  /// True if a part of `text` matches.
  bool matches(std::string_view text) const;
  std::size_t steps() const { return steps_.size(); }

  /// One step of the program that an expression becomes. Targets are relative, so that a part can
  /// be copied.
  struct Step {
    enum class Kind : std::uint8_t { byte, fork, text_begins, text_ends } kind = Kind::byte;
    std::ptrdiff_t next = 1, other = 1;  // `other`: of fork
    std::bitset<256> bytes = {};         // of byte: those that it takes
  };

 private:
  explicit NameExpression(std::vector<Step> steps) : steps_(std::move(steps)) {}

  std::vector<Step> steps_;  // behind the last one: a match
};

}  // namespace sm::console
