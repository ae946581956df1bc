#pragma once
// The command line of heddle-sim.

#include <cstdint>
#include <optional>
#include <string>
#include <tl/expected.hpp>
#include <vector>

namespace sim::server {

struct Options {
  std::string topology, replay;  // one of both
  std::string socket_name;
  std::optional<std::uint16_t> udp_port{};
  bool start = false;
  bool console = true;
  std::string output;  // of the console; empty: stdout
  unsigned verbosity = 0;
  double speed = 1;
  std::uint64_t seed = 1;
  std::uint64_t answer_timeout_ms = 1000;
  std::string scenario, trace;
  std::vector<std::string> kernel_nodes;  // HCAs of this machine
  bool omni_path = false;
  std::vector<std::string> commands;
  std::string adaptive_routing;  // an AdaptiveKind; empty: none
};

/// Exit codes of the program.
enum class ExitCode : int { ok = 0, usage = 1, bad_input = 2, no_socket = 3 };

/// Why the program ends right away: with a text that was asked for (`code` ok), or because the
/// command line is wrong.
struct EarlyEnd {
  ExitCode code = ExitCode::usage;
  std::string text;
};

/// Takes ibsim's options and our own. `argv` as main() gets it.
tl::expected<Options, EarlyEnd> parse_options(int argc, const char* const argv[]);

}  // namespace sim::server
