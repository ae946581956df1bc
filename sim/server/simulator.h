#pragma once
// A fabric that programs can attach to, with its clock and its console: all in one thread and one
// loop.

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/server/console.h"
#include "sim/server/kernel_device.h"
#include "sim/server/pace.h"
#include "sim/server/poller.h"
#include "sim/server/socket_server.h"
#include "sim/world/subnet_routers.h"
#include "sim/world/world.h"

namespace sim::server {

class Output {
 public:
  static constexpr std::size_t kMaxBytes = 64u << 20;  // text beyond that is lost

  explicit Output(int fd) : fd_(fd) {}
  void write(std::string_view text);
  /// Writes as much as the reader takes now. Returns true if text is left.
  bool flush();
  /// Waits for the reader for a bounded time.
  void finish();

 private:
  int fd_;
  bool broken_ = false;
  std::string waiting_;
};

struct SimulatorSettings {
  SocketSettings socket{};
  double speed = 1;
  std::uint64_t seed = 1;
  bool start = true;    // clients may attach at once; else after the console's `Start`
  int console_in = -1;  // -1: no console
  int console_out = 1;
  int stop_fd = -1;  // readable: stop
  unsigned verbosity = 0;
  std::vector<std::string> kernel_nodes{};  // by name; they are HCAs of this machine
  bool omni_path = false;                   // ports have MADs of Omni-Path
};

class Simulator {
 public:
  /// Throws std::system_error if the sockets cannot be opened.
  Simulator(Topology topology, SimulatorSettings settings, SocketServer::Log log);
  ~Simulator();
  Simulator(const Simulator&) = delete;
  Simulator& operator=(const Simulator&) = delete;

  World& world() { return world_; }
  Session& session() { return session_; }
  Console& console() { return console_; }
  const SocketServer* server() const { return server_.get(); }

  /// Runs until `Quit` or stop().
  void run();
  /// Runs one turn: sleeps for at most that long, serves clients with packets, runs due events.
  void turn(std::optional<std::chrono::nanoseconds> sleep_max = std::nullopt);
  /// May be called from any thread, or a signal handler.
  void stop();

 private:
  void start_routers();
  void open_sockets();
  void open_kernel();
  void watch_console();
  void read_console();
  void take_console_text(std::string_view text);
  void run_events();
  std::optional<std::chrono::nanoseconds> sleep_time();
  void wait(std::optional<std::chrono::nanoseconds> sleep);
  tl::expected<void, std::string> trace_to(const std::string& path);

  static constexpr std::chrono::milliseconds kProbePeriod{250};
  static constexpr std::chrono::microseconds kSpin{20};
  /// The period exceeds Pace::kAhead, so that time does not run ahead from one check to the next.
  static constexpr std::chrono::milliseconds kRouterPeriod{50};
  static constexpr unsigned kEventsPerTurn = 4096;  // then sockets and console are served

  Topology topology_;
  SimulatorSettings settings_;
  SocketServer::Log log_;
  Poller poller_;
  EventQueue events_;
  World world_;
  GsiNetwork gsi_{world_};
  std::unique_ptr<SubnetRouters> routers_;  // where the fabric has some
  Names names_;
  Pace pace_;
  Output out_;
  std::unique_ptr<SocketServer> server_;
  std::unique_ptr<KernelDevice> kernel_;
  Session session_;
  Console console_;
  std::string console_line_;
  struct CloseFile {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  std::unique_ptr<std::FILE, CloseFile> trace_;
  std::chrono::steady_clock::time_point next_probe_{};
  int wake_ = -1;
  std::atomic<bool> stop_{false};
  bool out_waits_ = false;
};

}  // namespace sim::server
