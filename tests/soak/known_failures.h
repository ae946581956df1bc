#pragma once
// Known failures of long runs, which later changes fix. Lines are only removed.

#include <optional>
#include <regex>
#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

namespace soak {

class KnownFailures {
 public:
  /// Shape:  a line for each class of failures, "<issue>: <regular expression>" (ECMAScript),
  ///         searched in the line that heddle_soak prints; '#' begins a comment line.
  /// Errors: the line's number, and the reason. An expression that matches failures of any kind is
  ///         an error: it would hide new ones.
  static tl::expected<KnownFailures, std::string> parse(std::string_view text);
  static tl::expected<KnownFailures, std::string> read(const std::string& path);

  /// The issue that fixes it; nullopt for a new failure.
  std::optional<std::string> issue_of(const std::string& failure) const;
  std::size_t size() const { return entries_.size(); }

 private:
  struct Entry {
    std::string issue;
    std::regex expression;
  };
  std::vector<Entry> entries_;
};

}  // namespace soak
