#pragma once

#include <string>
#include <vector>

namespace routing {

/// Notes of one kind for the operator: the first ten in full, the number of the others.
class NoteList {
 public:
  void add(std::string text) {
    if (++count_ <= kShown) notes_.push_back(std::move(text));
  }
  std::vector<std::string> take() {
    if (count_ > kShown)
      notes_.push_back("and " + std::to_string(count_ - kShown) + " more of this kind");
    return std::move(notes_);
  }

 private:
  static constexpr std::size_t kShown = 10;
  std::size_t count_ = 0;
  std::vector<std::string> notes_;
};

}  // namespace routing
