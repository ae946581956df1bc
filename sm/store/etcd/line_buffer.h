#pragma once
// A LineBuffer splits a stream, which arrives in parts, into lines.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace sm::etcd {

class LineBuffer {
 public:
  void append(std::string_view part) { text_.append(part); }

  /// Returns the next complete line, without its end. A call continues the search where the
  /// previous one stopped: a line of 64 MiB arrives in thousands of parts.
  std::optional<std::string> next() {
    const std::size_t end = text_.find('\n', searched_);
    if (end == std::string::npos) {
      searched_ = text_.size();
      return std::nullopt;
    }
    std::string line = text_.substr(begin_, end - begin_);
    begin_ = searched_ = end + 1;
    // Erases the returned lines only once they are most of the text, so that each byte moves a few
    // times at most.
    if (begin_ > text_.size() / 2) {
      text_.erase(0, begin_);
      begin_ = searched_ = 0;
    }
    return line;
  }

  /// Counts the bytes that next() has not returned.
  std::size_t size() const { return text_.size() - begin_; }
  std::string take_rest() {
    std::string rest = text_.substr(begin_);
    text_.clear();
    begin_ = searched_ = 0;
    return rest;
  }

 private:
  std::string text_;
  std::size_t begin_ = 0, searched_ = 0;
};

}  // namespace sm::etcd
