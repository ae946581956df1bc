#include "sm/daemon/terminal.h"

#include <fmt/format.h>
#include <unistd.h>
#include <algorithm>
#include <cstdio>
#include <iostream>
#include <string>

#include "config/build/build.h"
#include "config/check.h"
#include "config/control_characters.h"
#include "config/option_files.h"
#include "config/secret_files.h"
#include "mad/format.h"
#include "sm/store/atomic_file.h"

namespace sm {
namespace {

constexpr mad::Duration kRefresh = std::chrono::milliseconds(100);

}  // namespace

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

void print(std::ostream& out, const config::Diagnostics& diagnostics) {
  for (const config::Diagnostic& diagnostic : diagnostics) out << diagnostic.text() << '\n';
}

void print_banner(const config::CommandLine& line) {
  constexpr std::string_view kDashes = "-------------------------------------------------";
  std::cout << kDashes << "\nHeddle " << config::short_version() << '\n';
  for (const std::string& text : line.banner) std::cout << config::escape_lines(text + '\n');
  std::cout << kDashes << std::endl;
}

int create_config(const config::CommandLine& line, std::ostream& errors) {
  const auto text = config::dump_for(line.create_file, line.options);
  if (!text) {
    print(errors, text.error());
    return 1;
  }
  const auto written = write_file_atomically(line.create_file, *text, false,
                                             config::configuration_mode(line.options));
  if (written) return 0;
  errors << config::escape_control_characters(written.error()) << '\n';
  return 1;
}

}  // namespace sm
