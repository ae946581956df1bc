#include "sm/daemon/progress.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <string>

#include "mad/format.h"

namespace sm {

namespace {
constexpr mad::Duration kRefresh = std::chrono::milliseconds(100);
}

TerminalProgress::TerminalProgress(mad::Runtime& runtime)
    : runtime_(runtime), is_terminal_(isatty(STDERR_FILENO) == 1), last_(runtime.now()) {}

TerminalProgress::~TerminalProgress() {
  if (shown_ > 0) std::fputc('\n', stderr);
}

void TerminalProgress::operator()(std::string_view what, std::size_t done, std::size_t total) {
  const mad::TimePoint now = runtime_.now();
  if (!is_terminal_ || now - last_ < kRefresh) return;
  last_ = now;
  const std::string line = total == 0 ? fmt::format("{}: {}", what, done)
                                      : fmt::format("{}: {} of {}", what, done, total);
  fmt::print(stderr, "\r{:<{}}", line, std::max(shown_, line.size()));
  std::fflush(stderr);
  shown_ = line.size();
}

}  // namespace sm
