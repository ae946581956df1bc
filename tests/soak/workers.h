#pragma once
// Each seed in a process of its own: one that crashes or hangs is one failure, and ends nothing
// else.

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace soak {

struct Ended {
  std::uint64_t seed = 0;
  std::string text;    // what the body returned
  std::string crash;   // "" if it returned; else how it ended: "signal 11 (Segmentation fault)"
  double seconds = 0;  // of processor time
};

struct WorkerLimits {
  unsigned jobs = 1;                   // processes at a time
  std::chrono::seconds processor{60};  // of one seed
  std::chrono::seconds wall{600};      // the same by the wall: one that waits for ever
};

/// Runs `body(seed)` for all seeds, each in a forked process, and calls `done` here as they end, in
/// any order. What the body writes to stderr, for example which part of it begins, is kept for a
/// crash. Stops starting more when `done` returns false.
void for_each_seed(const std::vector<std::uint64_t>& seeds, const WorkerLimits& limits,
                   const std::function<std::string(std::uint64_t)>& body,
                   const std::function<bool(const Ended&)>& done);

}  // namespace soak
