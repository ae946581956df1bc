#pragma once
// This file has what a start writes to the terminal.

#include <cstddef>
#include <ostream>
#include <string_view>

#include "config/diagnostic.h"
#include "config/flags.h"
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

void print(std::ostream& out, const config::Diagnostics& diagnostics);
/// Prints the version, the file that was read and the flags, as OpenSM does.
void print_banner(const config::CommandLine& line);
/// Writes the options to the file of --create-config; with secrets only its owner may access it.
/// Returns the exit code; `errors` gets a line for each reason of a failure.
int create_config(const config::CommandLine& line, std::ostream& errors);

}  // namespace sm
