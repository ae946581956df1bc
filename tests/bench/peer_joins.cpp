// bench_peer_joins: hosts join the broadcast group of a manager that keeps the state store together
// with another one (state_store peers), which is another process and copies by TLS. Prints the CPU
// time of a join with the journal alone, with a store that no other manager reads, and with one
// that is connected, and the ratios; and the time from the begin of leading until the store is
// claimed, both without and with that manager. Asserts nothing.
//
//   bench_peer_joins [HOSTS [DIRECTORY]]        default 11664, a temporary directory

#include <sys/wait.h>
#include <unistd.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <utility>

#include "bench/join_subnet.h"
#include "bench/measured.h"
#include "mad/format.h"
#include "mad/runtime.h"
#include "sm/sa/registrations/persistence.h"
#include "sm/sa/registrations/replicated.h"
#include "sm/store/peers/peer_store.h"
#include "sm/store/replica/state_replica.h"

namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

constexpr std::uint64_t kSubnetPrefix = 0xfe80000000000000;
constexpr unsigned kJoinsOfBatch = 256;
constexpr auto kPortBytes = static_cast<ssize_t>(sizeof(std::uint16_t));

double cpu_s() {
  timespec used{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
  return static_cast<double>(used.tv_sec) + static_cast<double>(used.tv_nsec) / 1e9;
}

/// A manager's side of the store.
class Manager {
 public:
  Manager(std::uint64_t guid, std::filesystem::path directory, std::uint16_t peer_port)
      : directory_(std::move(directory)) {
    std::filesystem::create_directories(directory_);
    auto transport = sm::peers::make_tls_transport(
        *runtime_,
        {.subnet_prefix = kSubnetPrefix, .secret = "secret", .listen = {{"127.0.0.1", 0}}});
    if (!transport) throw std::runtime_error(transport.error());
    port_ = (*transport)->ports().at(0);
    sm::peers::PeerSettings settings{
        .port_guid = {guid}, .subnet_prefix = kSubnetPrefix, .file = directory_ / "peer-store"};
    if (peer_port != 0) settings.peers.push_back({.host = "127.0.0.1", .port = peer_port});
    auto store =
        sm::peers::PeerStore::create(*runtime_, std::move(settings), std::move(*transport));
    if (!store) throw std::runtime_error(store.error());
    store_ = *store;
    replica_ = sm::StateReplica::start(
        *runtime_, store_,
        sm::StateReplica::Settings{.prefix = "/heddle/fe80000000000000/",
                                   .seal = sm::RecordSeal("secret"),
                                   .port_guid = {guid},
                                   .term_file = directory_ / "state-store"});
  }
  ~Manager() {
    replica_.reset();
    run([] { return false; }, 500ms);
  }
  Manager(const Manager&) = delete;
  Manager& operator=(const Manager&) = delete;

  std::uint16_t port() const { return port_; }
  sm::StateReplica& replica() { return *replica_; }
  bool is_current() const { return store_->copies()->current > 0; }

  /// Returns the seconds until the store is claimed.
  double lead() {
    replica_->follow();
    run([] { return false; }, 50ms);
    const auto begin = Clock::now();
    replica_->lead();
    if (!run([&] { return replica_->status().leading; }, 1min))
      throw std::runtime_error("the store is not claimed");
    return std::chrono::duration<double>(Clock::now() - begin).count();
  }
  template <class Done>
  bool run(Done done, Clock::duration limit) {
    const auto end = Clock::now() + limit;
    while (!done() && Clock::now() < end) {
      context_.restart();
      if (context_.poll() == 0) context_.run_one_for(2ms);
    }
    return done();
  }

 private:
  std::filesystem::path directory_;
  boost::asio::io_context context_{1};
  std::unique_ptr<mad::Runtime> runtime_ = mad::make_asio_runtime(context_.get_executor());
  std::uint16_t port_ = 0;
  std::shared_ptr<sm::peers::PeerStore> store_;
  std::shared_ptr<sm::StateReplica> replica_;
};

/// Another process, which reads the copy of the manager at a port.
class OtherManager {
 public:
  /// Forks, before this process has threads.
  explicit OtherManager(const std::filesystem::path& directory) {
    int ends[2];
    if (::pipe(ends) != 0) throw std::runtime_error("no pipe");
    child_ = ::fork();
    if (child_ < 0) throw std::runtime_error("no process");
    if (child_ == 0) {
      ::close(ends[1]);
      std::uint16_t port = 0;
      if (::read(ends[0], &port, sizeof port) == kPortBytes) {
        Manager other(2, directory, port);
        while (::getppid() != 1) other.run([] { return false; }, 1s);
      }
      ::_exit(0);
    }
    ::close(ends[0]);
    pipe_ = ends[1];
  }
  ~OtherManager() {
    ::kill(child_, SIGKILL);
    ::waitpid(child_, nullptr, 0);
    ::close(pipe_);
  }
  OtherManager(const OtherManager&) = delete;
  OtherManager& operator=(const OtherManager&) = delete;

  void connect_to(std::uint16_t port) const {
    if (::write(pipe_, &port, sizeof port) != kPortBytes)
      throw std::runtime_error("the other process has ended");
  }

 private:
  pid_t child_ = -1;
  int pipe_ = -1;
};

/// All hosts join. Returns the CPU microseconds of a join.
double join_all(const fabric::Subnet& subnet, const std::filesystem::path& directory,
                Manager* shared) {
  const config::Options options;
  const config::InputFiles files;
  std::filesystem::remove_all(directory);
  auto loaded = sa::RegistrationStore::load(directory, true);
  if (!loaded) throw std::runtime_error(loaded.error());
  sa::Registrations& registrations = loaded->registrations;
  std::vector<std::string> log;
  sa::reconcile_groups(registrations, subnet, options, log);
  const sa::View view{
      .subnet = subnet, .registrations = registrations, .options = options, .files = files};
  const auto all_stored = [&] {
    return shared->run([&] { return shared->replica().status().pending == 0; }, 1min);
  };
  if (shared != nullptr) {
    shared->replica().replace(sm::section::kRegistrations, {});
    all_stored();
  }
  const auto commit = [&] {
    const auto written = loaded->store.commit(registrations);
    if (!written) throw std::runtime_error(written.error());
    if (shared == nullptr) return;
    for (sa::RecordChange& change : sa::record_changes(written->lines))
      shared->replica().set(change.key, std::move(change.text));
    all_stored();
  };
  const double begin = cpu_s();
  unsigned joins = 0;
  for (const fabric::PortIndex port : subnet.fabric.end_ports) {
    if (subnet.fabric.owning_node(port).is_switch()) continue;
    if (const sa::Outcome out = bench::join(registrations, view, port); !out.is_ok())
      throw std::runtime_error(out.log);
    if (++joins % kJoinsOfBatch == 0) commit();
  }
  commit();
  return (cpu_s() - begin) / joins * 1e6;
}

void run_bench(unsigned hosts, const std::filesystem::path& directory) {
  std::filesystem::remove_all(directory);
  std::filesystem::create_directories(directory);
  const OtherManager other(directory / "other");
  const fabric::Subnet subnet = bench::join_subnet(hosts);
  const double journal_us = join_all(subnet, directory / "journal", nullptr);
  Manager manager(1, directory / "manager", 0);
  const double claimed_alone_s = manager.lead();
  const double alone_us = join_all(subnet, directory / "alone", &manager);
  other.connect_to(manager.port());
  if (!manager.run([&] { return manager.is_current(); }, 1min))
    throw std::runtime_error("the other manager does not connect");
  const double claimed_s = manager.lead();
  const double shared_us = join_all(subnet, directory / "shared", &manager);
  fmt::print(
      "join of {} hosts, in batches of {}: {:.1f} us CPU with the journal alone, {:.1f} with a "
      "store that no manager reads, {:.1f} with one connected; ratios {:.2f} and {:.2f}\n",
      hosts, kJoinsOfBatch, journal_us, alone_us, shared_us, shared_us / journal_us,
      shared_us / alone_us);
  fmt::print("the store is claimed after {:.1f} ms alone, {:.1f} ms with a manager connected\n",
             claimed_alone_s * 1e3, claimed_s * 1e3);
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    measured::print_build("bench_peer_joins");
    std::fflush(stdout);
    const std::filesystem::path directory =
        argc > 2 ? std::filesystem::path(argv[2])
                 : std::filesystem::temp_directory_path() / "heddle-bench-peer-joins";
    run_bench(argc > 1 ? static_cast<unsigned>(std::stoul(argv[1])) : 11664, directory);
    std::filesystem::remove_all(directory);
    return 0;
  } catch (const std::exception& error) {
    fmt::print(stderr, "bench_peer_joins: {}\n", error.what());
    return 1;
  }
}
