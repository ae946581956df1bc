#pragma once

#include <cstddef>
#include <string_view>

#include "mad/runtime.h"

namespace sm {

/// One line on a terminal that is written over during long work ("nodes found: 4096",
/// "forwarding table blocks written: 61440 of 336960"). Silent where standard error is not a
/// terminal, and for work that is over before a person would wonder.
class TerminalProgress {
 public:
  explicit TerminalProgress(mad::Runtime& runtime);
  ~TerminalProgress();
  TerminalProgress(const TerminalProgress&) = delete;
  TerminalProgress& operator=(const TerminalProgress&) = delete;

  void operator()(std::string_view what, std::size_t done, std::size_t total);

 private:
  mad::Runtime& runtime_;
  bool is_terminal_;
  mad::TimePoint last_{};
  std::size_t shown_ = 0;  // characters of the line that is shown now
};

}  // namespace sm
