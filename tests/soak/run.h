#pragma once
// Runs a draw in virtual time: whole managers and clients on a simulated fabric, faults, and after
// each phase all checks of sim/check.

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "soak/draw.h"

namespace soak {

struct Outcome {
  /// The first failure, in one line that begins with the phase and its faults; "" if there is none.
  std::string failure;
  std::string details;                     // the draw, and the last lines of the managers' logs
  std::vector<mad::Duration> converged{};  // how long each phase took after its faults
};

struct Hooks {
  bool whole_logs = false;                        // in Outcome::details; else the end of each
  std::function<void(std::string_view)> trace{};  // every event of the world
  std::function<void(std::string_view)> phase{};  // before each phase, to locate a crash
};
Outcome run(const Draw& draw, const Hooks& hooks = {});

}  // namespace soak
