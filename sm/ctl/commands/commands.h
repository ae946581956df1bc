#pragma once
// What heddlectl can do, and its exit codes.

#include <span>
#include <string_view>

namespace sm::commands {

inline constexpr int kOk = 0, kFailed = 1, kUsage = 2;

/// Says on standard error what is wrong with the command line, and how to get help. Returns kUsage.
int usage_error(std::string_view what);

// Each takes the arguments behind its name and returns the exit code.
int status(std::span<char*> args);
int check_config(std::span<char*> args);
int route(std::span<char*> args);
int trace(std::span<char*> args);
int plan(std::span<char*> args);

}  // namespace sm::commands
