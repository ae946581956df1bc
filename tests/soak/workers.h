#pragma once
// Each seed in its own process: one that crashes or does not end is one failure, and the others
// continue.

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace soak {

struct Ended {
  std::uint64_t seed = 0;
  std::string text;  // result of the body
  std::string
      crash;  // "" if it returned; else its signal or exit code: "signal 11 (Segmentation fault)"
  double seconds = 0;  // of processor time
};

struct WorkerLimits {
  unsigned jobs = 1;                   // processes at a time
  std::chrono::seconds processor{60};  // of one seed
  std::chrono::seconds wall{600};      // in elapsed time: for processes that block
};

/// Runs `body(seed)` for all seeds, each in a forked process, and calls `done` here as they end, in
/// any order. The body's stderr, for example the name of its current part, is kept for a crash.
/// Stops starting more when `done` returns false.
void for_each_seed(const std::vector<std::uint64_t>& seeds, const WorkerLimits& limits,
                   const std::function<std::string(std::uint64_t)>& body,
                   const std::function<bool(const Ended&)>& done);

}  // namespace soak
