#pragma once
// Plays what was drawn, in virtual time: whole managers and clients on a simulated fabric, faults,
// and after each phase all checks of sim/check.

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "soak/draw.h"

namespace soak {

struct Outcome {
  /// What went wrong, in one line that begins with the phase and its faults; "" if nothing did.
  std::string failure;
  std::string details;                     // for people: the draw, the end of the managers' logs
  std::vector<mad::Duration> converged{};  // how long each phase took after its faults
};

struct Hooks {
  std::function<void(std::string_view)> trace{};  // every event of the world
  std::function<void(std::string_view)> phase{};  // before each phase: what a crash happens in
};
Outcome run(const Draw& draw, const Hooks& hooks = {});

}  // namespace soak
