// heddle-sim: see options.cpp for its command line.

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <system_error>

#include "config/control_characters.h"
#include "config/file_reader.h"
#include "fabric/recording/recording.h"
#include "fabric/topology/read.h"
#include "mad/format.h"
#include "sim/replay/replay.h"
#include "sim/scenario/scenario.h"
#include "sim/server/server_options.h"
#include "sim/server/simulator.h"
#include "sim/world/vendor_features.h"

namespace {

using namespace sim::server;

int report(ExitCode code, std::string_view text) {
  fmt::print(stderr, "{}", config::escape_lines(text));
  return static_cast<int>(code);
}

void allow_many_files() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = std::min<rlim_t>(limit.rlim_max, 16384);
  setrlimit(RLIMIT_NOFILE, &limit);
}

/// Returns a descriptor that becomes readable on SIGTERM or SIGINT.
int stop_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  sigprocmask(SIG_BLOCK, &signals, nullptr);
  std::signal(SIGPIPE, SIG_IGN);
  return signalfd(-1, &signals, SFD_CLOEXEC);
}

std::string text_of(const config::Diagnostics& findings) {
  std::string out;
  for (const config::Diagnostic& finding : findings) out += finding.text() + '\n';
  return out;
}

SimulatorSettings settings_of(const Options& options, int console_out, int stop_fd) {
  return {.socket = {.base = options.socket_name,
                     .udp_port = options.udp_port,
                     .answer_timeout = std::chrono::milliseconds(options.answer_timeout_ms)},
          .speed = options.speed,
          .seed = options.seed,
          .start = options.start,
          .console_in = options.console ? STDIN_FILENO : -1,
          .console_out = console_out,
          .stop_fd = stop_fd,
          .verbosity = options.verbosity,
          .kernel_nodes = options.kernel_nodes,
          .omni_path = options.omni_path};
}

/// Schedules the scenario of a file. The error is a text with file:line:column.
tl::expected<void, std::string> run_scenario(sim::World& world, const std::string& path,
                                             std::uint64_t seed) {
  const auto scenario = sim::read_scenario(path, world.model, seed);
  if (!scenario) return tl::unexpected(text_of(scenario.error()));
  scenario->schedule(world);
  return {};
}

/// The fabric to simulate: a topology, and the recording that it was made from, if any.
struct Simulated {
  topology::TopologyFile file;
  std::optional<fabric::Recording> recording;
};

Simulated read_input(const Options& options) {
  if (options.replay.empty()) return {topology::read_topology(options.topology), {}};
  Simulated input;
  const auto text = config::read_file(options.replay);
  if (!text) {
    input.file.findings.push_back({.severity = config::Severity::error,
                                   .file = options.replay,
                                   .what = text.error().message(),
                                   .remedy = {}});
    return input;
  }
  auto recording = fabric::read_recording({options.replay, *text});
  if (!recording) {
    input.file.findings = std::move(recording.error());
    return input;
  }
  input.file.topology = sim::make_topology(*recording);
  input.recording = std::move(*recording);
  return input;
}

int simulate(const Options& options) {
  int console_out = STDOUT_FILENO;
  if (!options.output.empty()) {
    console_out = open(options.output.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    if (console_out < 0)
      return report(ExitCode::bad_input,
                    fmt::format("heddle-sim: {}: {}\n", options.output, std::strerror(errno)));
  }
  const int stop_fd = stop_signals();
  allow_many_files();

  auto [file, recording] = read_input(options);
  fmt::print(stderr, "{}", text_of(file.findings));
  if (!file.ok()) return static_cast<int>(ExitCode::bad_input);
  if (file.topology.nodes.empty())
    return report(ExitCode::bad_input, fmt::format("{}: no node in there\n", options.topology));

  Simulator simulator(std::move(file.topology), settings_of(options, console_out, stop_fd),
                      [](std::string_view line) { fmt::print(stderr, "heddle-sim: {}\n", line); });
  for (const sim::AdaptiveKind& kind : sim::adaptive_kinds())
    if (kind.name == options.adaptive_routing)
      sim::make_adaptive(simulator.world().model, kind.capabilities());
  if (recording) sim::restore(simulator.world(), *recording);
  Session& session = simulator.session();
  session.controls.run_scenario = [&](const std::string& path) {
    return run_scenario(simulator.world(), path, options.seed);
  };
  if (!options.trace.empty()) {
    if (const auto done = session.controls.trace_to(options.trace); !done)
      return report(ExitCode::bad_input, fmt::format("heddle-sim: {}\n", done.error()));
  }
  if (!options.scenario.empty()) {
    if (const auto done = session.controls.run_scenario(options.scenario); !done)
      return report(ExitCode::bad_input, done.error());
  }
  for (std::string& line : file.console_lines) simulator.console().submit(std::move(line));
  for (const std::string& line : options.commands) simulator.console().submit(line);
  simulator.run();
  return static_cast<int>(ExitCode::ok);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const auto options = parse_options(argc, argv);
    if (options) return simulate(*options);
    fmt::print(options.error().code == ExitCode::ok ? stdout : stderr, "{}", options.error().text);
    return static_cast<int>(options.error().code);
  } catch (const std::system_error& error) {
    return report(ExitCode::no_socket, fmt::format("heddle-sim: {}\n", error.what()));
  } catch (const std::exception& error) {
    return report(ExitCode::bad_input, fmt::format("heddle-sim: {}\n", error.what()));
  }
}
