#pragma once
// A program that heddlectl runs to its end: systemctl, the launcher of the units.

#include <string>
#include <vector>

namespace sm::commands {

struct Ran {
  int code = -1;         // of its exit; 128 and the signal's number after a signal, 127: not found
  std::string out, err;  // without the last line end
  bool ok() const { return code == 0; }
};

/// Found by PATH, in front of which is the directory of this program; with /dev/null as its input.
/// Returns when it has ended.
Ran run_program(const std::vector<std::string>& argv);

}  // namespace sm::commands
