// bench_http_flood: what a flood of HTTP requests costs the subnet manager. Heavy sweeps of a
// simulated fabric, in turn without and with 32 clients that send GET /v1 over TCP and GET
// /v1/openapi.json over a Unix socket without pause; beside each, queries on the control socket,
// which the control thread answers between its other work. Prints medians and the worst of the
// milliseconds of a sweep, of the control thread's CPU in it and of a query, and requests served a
// second.
//
//   bench_http_flood [HOSTS] [SWEEPS]     324 hosts, 15 sweeps
//
// The clients have the lowest priority: they represent other machines. Prints figures, asserts
// nothing.

#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <thread>

#include "ibsim/subnet_manager.h"
#include "mad/format.h"
#include "sm/ctl/topology/generators.h"
#include "sm/ops/control_socket.h"
#include "unit/sm/ops/web/raw_client.h"

namespace {

using Clock = std::chrono::steady_clock;
constexpr std::uint16_t kPort = 19'387;
constexpr unsigned kClients = 32;
constexpr harness::Milliseconds kComesUp{300'000};

double ms_since(Clock::time_point begin) {
  return std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
}

struct Spread {
  std::vector<double> values;
  std::string text() {
    if (values.empty()) return "-";
    std::ranges::sort(values);
    return fmt::format("{:8.1f} {:8.1f}", values[values.size() / 2], values.back());
  }
};

/// A connection each.
void flood_over_tcp(const std::atomic<bool>& ends, std::atomic<std::size_t>& served) {
  while (!ends) {
    sm::web::RawClient client(kPort);
    served +=
        client.exchange("GET /v1 HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n").empty() ? 0 : 1;
  }
}

void flood_over_unix(const std::string& path, const std::atomic<bool>& ends,
                     std::atomic<std::size_t>& served) {
  const std::string request =
      "GET /v1/openapi.json HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n";
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  path.copy(address.sun_path, sizeof address.sun_path - 1);
  while (!ends) {
    const int descriptor = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    char part[65'536];
    bool any = false;
    if (connect(descriptor, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0 &&
        send(descriptor, request.data(), request.size(), MSG_NOSIGNAL) > 0)
      while (recv(descriptor, part, sizeof part, 0) > 0) any = true;
    close(descriptor);
    served += any ? 1 : 0;
  }
}

class Flood {
 public:
  explicit Flood(const std::string& path) {
    for (unsigned i = 0; i < kClients; ++i)
      threads_.emplace_back([this, i, path] {
        setpriority(PRIO_PROCESS, static_cast<id_t>(gettid()), 19);
        i % 2 == 0 ? flood_over_tcp(ends_, served_) : flood_over_unix(path, ends_, served_);
      });
  }
  ~Flood() {
    ends_ = true;
    for (std::thread& thread : threads_) thread.join();
  }
  std::size_t served() const { return served_; }

 private:
  std::atomic<bool> ends_ = false;
  std::atomic<std::size_t> served_ = 0;
  std::vector<std::thread> threads_;
};

/// How long the sweep took that the log shows behind `from`.
double sweep_ms(const std::string& log, std::size_t from) {
  const std::size_t line = log.find("sweep used ", from);
  const std::size_t number = log.find("SMPs in ", line);
  return number == std::string::npos ? -1 : std::atof(log.c_str() + number + 8);
}

/// Returns the CPU time of the thread that owns all state: the first one of the process.
double control_thread_cpu_ms(pid_t process) {
  std::ifstream file(fmt::format("/proc/{}/task/{}/schedstat", process, process));
  double nanoseconds = 0;
  file >> nanoseconds;
  return nanoseconds / 1e6;
}

struct Figures {
  Spread sweeps, cpu, queries;
  double seconds = 0;
  std::size_t served = 0;
};

void sweep_once(harness::SubnetManager& manager, const std::filesystem::path& control,
                Figures& figures) {
  const std::size_t from = manager.log_end();
  const auto begin = Clock::now();
  const double cpu = control_thread_cpu_ms(manager.pid());
  const auto done = sm::send_to(control, "POST", "/v1/resweep");
  if (!done) throw std::runtime_error(done.error());
  if (done->status != 200) throw std::runtime_error(done->body);
  std::atomic<bool> over = false;
  std::thread asking([&] {
    while (!over) {
      const auto sent = Clock::now();
      if (sm::send_to(control, "GET", "/v1/sms")) figures.queries.values.push_back(ms_since(sent));
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
  });
  const bool up = manager.wait_log("SUBNET UP", from, kComesUp).has_value();
  over = true;
  asking.join();
  if (!up) throw std::runtime_error(manager.tail());
  figures.cpu.values.push_back(control_thread_cpu_ms(manager.pid()) - cpu);
  figures.sweeps.values.push_back(sweep_ms(manager.log(), from));
  figures.seconds += ms_since(begin) / 1000;
}

void print(std::string_view name, Figures& of) {
  std::cout << fmt::format("{:14} {} {} {} {:10.0f}\n", name, of.sweeps.text(), of.cpu.text(),
                           of.queries.text(),
                           of.seconds > 0 ? static_cast<double>(of.served) / of.seconds : 0.0);
}

}  // namespace

int main(int argc, char** argv) {
  const unsigned hosts = argc > 1 ? static_cast<unsigned>(std::atoi(argv[1])) : 324;
  const unsigned sweeps = argc > 2 ? static_cast<unsigned>(std::atoi(argv[2])) : 15;
  try {
    harness::IbsimFabric fabric(topology::fat_tree({.hosts = hosts}), HEDDLE_SIM_PROGRAM);
    const std::filesystem::path run = fabric.dir() / "run";
    std::filesystem::create_directories(run);
    const std::string http = run / "http";
    harness::SubnetManager manager(
        fabric, {.kind = harness::SmKind::heddle,
                 .conf = fmt::format("http_listen 127.0.0.1:{},unix:{}\n", kPort, http),
                 .env = {{"HEDDLE_RUN_DIR", run.string()}}});
    if (!manager.wait_subnet_up(kComesUp)) throw std::runtime_error(manager.tail());
    std::filesystem::path control;
    for (const auto& socket : sm::control_sockets(run))
      if (socket.extension() == ".sock") control = socket;
    std::cout << fmt::format(
        "{} hosts, {} sweeps each; ms: median, worst\n{:14} {:>17} {:>17} {:>17} {:>10}\n", hosts,
        sweeps, "", "sweep", "its CPU", "query", "requests/s");
    Figures warm_up, without, with;
    sweep_once(manager, control, warm_up);
    for (unsigned i = 0; i < sweeps; ++i) {
      const auto flooded = [&] {
        const Flood flood(http);
        sweep_once(manager, control, with);
        with.served += flood.served();
      };
      if (i % 2 == 0) sweep_once(manager, control, without);
      flooded();
      if (i % 2 != 0) sweep_once(manager, control, without);
    }
    print("without", without);
    print("with the flood", with);
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
}
