#pragma once
// The managers on this machine that a command is for, and how long it waits for them.

#include <chrono>
#include <string>

namespace sm::commands {

/// A daemon that sends nothing for this time does not respond. The control thread of a daemon is
/// busy for seconds when it routes the largest fabrics.
inline constexpr std::chrono::seconds kSilenceMax{30};

struct ManagerChoice {
  std::string guid;  // of the port of one manager; empty: all
  std::chrono::seconds silence_max = kSilenceMax;
};

}  // namespace sm::commands
