#include "sim/server/simulator.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <system_error>

#include "mad/format.h"

namespace sim::server {

void Output::write(std::string_view text) {
  if (broken_ || waiting_.size() + text.size() > kMaxBytes) return;
  waiting_ += text;
}

bool Output::flush() {
  // A pipe takes this much at once if poll() calls it writable.
  constexpr std::size_t kChunkBytes = 4096;
  std::size_t done = 0;
  while (done < waiting_.size()) {
    pollfd writable{fd_, POLLOUT, 0};
    if (poll(&writable, 1, 0) <= 0) break;
    const ssize_t wrote =
        ::write(fd_, waiting_.data() + done, std::min(kChunkBytes, waiting_.size() - done));
    if (wrote < 0) {
      if (errno == EINTR || errno == EAGAIN) break;
      broken_ = true;
      done = waiting_.size();
      break;
    }
    done += static_cast<std::size_t>(wrote);
  }
  waiting_.erase(0, done);
  return !waiting_.empty();
}

void Output::finish() {
  for (int tries = 0; tries < 20 && flush(); ++tries) {
    pollfd writable{fd_, POLLOUT, 0};
    poll(&writable, 1, 100);
  }
}

Simulator::Simulator(Topology topology, SimulatorSettings settings, SocketServer::Log log)
    : topology_(std::move(topology)),
      settings_(std::move(settings)),
      log_(std::move(log)),
      world_(events_, topology_, settings_.seed),
      names_(topology_, world_.model),
      pace_(settings_.speed, events_.now(), std::chrono::steady_clock::now()),
      out_(settings_.console_out),
      session_{.world = world_,
               .names = names_,
               .plan = topology_,
               .pace = pace_,
               .controls = {},
               .print = [this](std::string_view text) { out_.write(text); }},
      console_(session_),
      wake_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  if (wake_ < 0) throw std::system_error(errno, std::generic_category(), "eventfd");
  poller_.add(wake_, EPOLLIN, [](std::uint32_t) {});
  if (settings_.stop_fd >= 0)
    poller_.add(settings_.stop_fd, EPOLLIN, [this](std::uint32_t) { stop(); });
  session_.verbosity = settings_.verbosity;
  if (settings_.omni_path) session_.gsi = settings_.socket.omni_path = &gsi_;
  session_.controls.clients = [this] {
    return server_ ? server_->clients() : std::vector<ClientInfo>{};
  };
  session_.controls.disconnect = [this](unsigned number) {
    return server_ && server_->drop(number, "the console says so");
  };
  session_.controls.started = [this] { return server_ != nullptr; };
  session_.controls.start = [this] {
    try {
      open_sockets();
    } catch (const std::system_error& error) {
      throw CommandError(error.what());
    }
  };
  session_.controls.quit = [this] { stop(); };
  session_.controls.trace_to = [this](const std::string& path) { return trace_to(path); };
  start_routers();
  if (!settings_.kernel_nodes.empty()) open_kernel();
  if (settings_.start) open_sockets();
  if (settings_.console_in >= 0) watch_console();
}

Simulator::~Simulator() {
  server_.reset();  // its clients are attached to the world
  kernel_.reset();
  out_.finish();
  close(wake_);
}

void Simulator::start_routers() {
  if (topology_.count(NodeType::router) == 0) return;
  routers_ = std::make_unique<SubnetRouters>(events_, kRouterPeriod);
  routers_->adopt(world_);
  session_.routers = routers_.get();
}

void Simulator::open_sockets() {
  if (!server_)
    server_ = std::make_unique<SocketServer>(world_, names_, poller_, settings_.socket, log_);
}

void Simulator::open_kernel() {
  kernel_ = std::make_unique<KernelDevice>(world_, routers_.get(), poller_, log_);
  session_.kernel = kernel_.get();
  for (const std::string& name : settings_.kernel_nodes) {
    const std::optional<NodeIndex> node = names_.node(name);
    const auto done = node ? kernel_->plug(*node)
                           : tl::unexpected(fmt::format("--kernel: no node is called {}", name));
    if (!done) throw std::invalid_argument(done.error());
  }
}

tl::expected<void, std::string> Simulator::trace_to(const std::string& path) {
  world_.trace = nullptr;
  trace_.reset();
  if (path.empty()) return {};
  trace_.reset(std::fopen(path.c_str(), "we"));
  if (!trace_) return tl::unexpected(fmt::format("{}: {}", path, std::strerror(errno)));
  world_.trace = [this](std::string_view line) {
    std::fwrite(line.data(), 1, line.size(), trace_.get());
    std::fputc('\n', trace_.get());
  };
  return {};
}

// ------------------------------------------------------------------------------------------
// console

void Simulator::watch_console() {
  out_.write("########################\nNetwork simulator ready.\n");
  out_.write(fmt::format("Nodes    = {}\nSwitches = {}\nPorts    = {}\n", world_.model.nodes.size(),
                         topology_.count(NodeType::switch_), world_.model.ports.size()));
  console_.prompt();
  if (poller_.add(settings_.console_in, EPOLLIN, [this](std::uint32_t) { read_console(); })) return;
  // The poller refuses a regular file, which is read at once.
  while (settings_.console_in >= 0) read_console();
}

void Simulator::read_console() {
  std::array<char, 65536> buffer;
  const ssize_t got = read(settings_.console_in, buffer.data(), buffer.size());
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (got > 0) return take_console_text({buffer.data(), static_cast<std::size_t>(got)});
  // The input has ended; the fabric keeps running.
  if (!console_line_.empty()) take_console_text("\n");
  poller_.remove(settings_.console_in);
  settings_.console_in = -1;
}

void Simulator::take_console_text(std::string_view text) {
  constexpr std::size_t kLineMax = 65536;
  for (const char c : text) {
    if (c == '\n') {
      console_.submit_typed(std::move(console_line_));
      console_line_.clear();
    } else if (console_line_.size() < kLineMax) {
      console_line_ += c;
    }
  }
}

// ------------------------------------------------------------------------------------------
// time

void Simulator::run_events() {
  const auto real = std::chrono::steady_clock::now();
  const TimePoint due = pace_.due(real, events_.now());
  unsigned left = kEventsPerTurn;
  while (left > 0 && events_.run_one(due)) --left;
  if (left > 0) {
    const TimePoint now = pace_.now(real);
    const auto next = events_.next();
    events_.advance(next ? std::min(*next, now) : now);
  }
  pace_.ran_to(events_.now(), real);
}

std::optional<std::chrono::nanoseconds> Simulator::sleep_time() {
  const auto real = std::chrono::steady_clock::now();
  std::optional<std::chrono::nanoseconds> sleep;
  const auto at_most = [&sleep](std::chrono::nanoseconds time) {
    sleep = sleep ? std::min(*sleep, time) : time;
  };
  if (const auto next = events_.next()) at_most(pace_.until(*next, real, events_.now()));
  if (const auto next = console_.next()) at_most(pace_.until(*next, real, events_.now()));
  if (server_) at_most(next_probe_ - real);
  if (out_waits_) at_most(std::chrono::milliseconds(2));
  return sleep;
}

/// Polls before it sleeps: a client that has been served usually sends its next request soon, and
/// polling is faster than sleeping and waking up.
void Simulator::wait(std::optional<std::chrono::nanoseconds> sleep) {
  if (poller_.found_last() && (!sleep || *sleep > std::chrono::nanoseconds{})) {
    const auto end = std::chrono::steady_clock::now() + kSpin;
    do {
      if (poller_.wait(std::chrono::nanoseconds{})) return;
    } while (std::chrono::steady_clock::now() < end);
  }
  poller_.wait(sleep);
}

void Simulator::turn(std::optional<std::chrono::nanoseconds> sleep_max) {
  std::optional<std::chrono::nanoseconds> sleep = sleep_time();
  if (sleep_max) sleep = sleep ? std::min(*sleep, *sleep_max) : *sleep_max;
  wait(sleep);
  run_events();  // events that were due run before requests that arrive now
  poller_.dispatch();
  console_.run_due();
  run_events();
  if (kernel_) kernel_->flush();
  if (server_) {
    server_->flush();
    if (const auto real = std::chrono::steady_clock::now(); real >= next_probe_) {
      next_probe_ = real + kProbePeriod;
      server_->probe();
    }
  }
  out_waits_ = out_.flush();
}

void Simulator::run() {
  while (!stop_) turn();
  out_.finish();
}

void Simulator::stop() {
  stop_ = true;
  const std::uint64_t one = 1;
  [[maybe_unused]] const ssize_t wrote = write(wake_, &one, sizeof one);
}

}  // namespace sim::server
