// bench_peers: two managers that keep the state store together, over TLS on this machine: 40,000
// LIDs and 200,000 registrations are written by one, and copied by another one that begins with
// nothing. Prints the time of both, CPU, memory and bytes of the files, the longest time without a
// return to the event loop, and how long a change takes until it is on both disks. Asserts nothing.
//
//   bench_peers [LIDS [REGISTRATIONS [DIRECTORY]]]     default 40000 200000, a temporary directory

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <stdexcept>
#include <string>

#include "bench/measured.h"
#include "mad/format.h"
#include "mad/runtime.h"
#include "sm/store/peers/peer_store.h"
#include "sm/store/replica/record_seal.h"
#include "support/heap.h"

namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;
using sm::peers::PeerSettings;
using sm::peers::PeerStore;

constexpr std::uint64_t kPrefix = 0xfe80000000000000;
constexpr const char* kClaim = "/heddle/fe80000000000000/mastership";

double seconds(Clock::duration time) { return std::chrono::duration<double>(time).count(); }
double megabytes(std::size_t bytes) { return static_cast<double>(bytes) / 1e6; }
double cpu_s() {
  timespec used{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
  return static_cast<double>(used.tv_sec) + static_cast<double>(used.tv_nsec) / 1e9;
}

class Bench {
 public:
  explicit Bench(std::filesystem::path directory) : directory_(std::move(directory)) {}
  ~Bench() {
    for (const auto& store : {master_, standby_})
      if (store) store->stop();
    run([] { return false; }, 1s);
    std::error_code ignored;
    std::filesystem::remove_all(directory_, ignored);
  }
  Bench(const Bench&) = delete;
  Bench& operator=(const Bench&) = delete;

  void write(unsigned lids, unsigned registrations) {
    auto transport = make({{"127.0.0.1", 0}});
    port_ = transport->ports().at(0);
    master_ = start(1, std::move(transport), {});
    commit({{.key = kClaim, .value = "master"}});
    claim_ = master_->copy().head().revision;
    const sm::RecordSeal seal("secret");
    const auto begin = Clock::now();
    const double cpu = cpu_s();
    std::vector<sm::StoreChange> changes;
    const auto add = [&](std::string key, const std::string& text) {
      std::string value = seal.seal(key, text, claim_);
      changes.push_back({.key = std::move(key), .value = std::move(value)});
      if (changes.size() < 1024) return;
      commit(std::exchange(changes, {}));
    };
    for (unsigned number = 0; number < lids; ++number)
      add(fmt::format("/heddle/fe80000000000000/lids/0x{:016x}", number),
          fmt::format("0x{:016x} 0x{:04x} 0x{:04x}", number, number % 49151, number % 49151));
    for (unsigned number = 0; number < registrations; ++number)
      add(fmt::format("/heddle/fe80000000000000/registrations/member/ff12401bffff0000{:016x}/"
                      "{:016x}",
                      number % 1000, number),
          fmt::format("member ff12401bffff0000{:016x} fe80000000000000{:016x} 1 0x0b1b 0xffff 0",
                      number % 1000, number));
    commit(std::move(changes));
    fmt::print(
        "write    {:>8} records {:>6.2f} s {:>6.2f} s CPU; file {:.1f} MB, keys and values "
        "{:.1f} MB, heap {:.1f} MB\n",
        lids + registrations, seconds(Clock::now() - begin), cpu_s() - cpu,
        megabytes(master_->file_bytes()), megabytes(master_->copy().bytes()),
        megabytes(support::heap_bytes()));
    std::fflush(stdout);
  }
  void copy() {
    const std::size_t heap = support::heap_bytes();
    const auto begin = Clock::now();
    const double cpu = cpu_s();
    longest_ = {};
    standby_ = start(2, make({}), {{"127.0.0.1", port_}});
    const bool done = run([&] { return master_->copies()->current == 1; }, 10min);
    if (!done) throw std::runtime_error("the copy does not end");
    fmt::print(
        "copy     {:>8} records {:>6.2f} s {:>6.2f} s CPU of both; {:.1f} MB moved, heap of "
        "the copy {:.1f} MB; longest turn {:.2f} ms\n",
        standby_->copy().entries().size(), seconds(Clock::now() - begin), cpu_s() - cpu,
        megabytes(standby_->bytes_moved()), megabytes(support::heap_bytes() - heap),
        seconds(longest_) * 1e3);
    std::fflush(stdout);
  }
  void changes(unsigned count) {
    std::vector<double> times;
    for (unsigned number = 0; number < count; ++number) {
      const auto begin = Clock::now();
      commit({{.key = "/heddle/fe80000000000000/partitions/0x0013",
               .value = fmt::format("partition 0x0013 {}", number)}});
      times.push_back(seconds(Clock::now() - begin) * 1e3);
    }
    fmt::print("change   on both disks after {} ms\n", measured::text(measured::spread_of(times)));
  }

 private:
  std::unique_ptr<sm::peers::TlsTransport> make(std::vector<sm::peers::PeerAddress> listen) {
    auto made = sm::peers::make_tls_transport(
        *runtime_, {.subnet_prefix = kPrefix, .secret = "secret", .listen = std::move(listen)});
    if (!made) throw std::runtime_error(made.error());
    return std::move(*made);
  }
  std::shared_ptr<PeerStore> start(std::uint64_t guid,
                                   std::unique_ptr<sm::peers::Transport> transport,
                                   std::vector<sm::peers::PeerAddress> peers) {
    PeerSettings settings{.port_guid = {guid},
                          .subnet_prefix = kPrefix,
                          .file = directory_ / fmt::format("{}", guid) / "peer-store",
                          .peers = std::move(peers)};
    std::filesystem::create_directories(settings.file.parent_path());
    auto created = PeerStore::create(*runtime_, std::move(settings), std::move(transport));
    if (!created) throw std::runtime_error(created.error());
    return std::move(*created);
  }
  void commit(std::vector<sm::StoreChange> changes) {
    bool is_done = false;
    std::string error;
    sm::StoreGuard guard{.key = kClaim, .revision = claim_};
    boost::asio::co_spawn(context_, master_->commit(std::move(guard), std::move(changes)),
                          [&](std::exception_ptr, sm::StoreResult<sm::StoreRevision> made) {
                            is_done = true;
                            if (!made) error = made.error().text;
                          });
    run([&] { return is_done; }, 1min);
    if (!is_done || !error.empty()) throw std::runtime_error("commit: " + error);
  }
  template <class Done>
  bool run(Done done, Clock::duration limit) {
    const auto end = Clock::now() + limit;
    while (!done() && Clock::now() < end) {
      context_.restart();
      const auto begin = Clock::now();
      if (context_.poll_one() > 0)
        longest_ = std::max(longest_, Clock::now() - begin);
      else
        context_.run_one_for(10ms);
    }
    return done();
  }

  std::filesystem::path directory_;
  boost::asio::io_context context_{1};
  std::unique_ptr<mad::Runtime> runtime_ = mad::make_asio_runtime(context_.get_executor());
  std::uint16_t port_ = 0;
  std::shared_ptr<PeerStore> master_, standby_;
  sm::StoreRevision claim_ = 0;
  Clock::duration longest_{};
};

}  // namespace

int main(int argc, char** argv) {
  measured::print_build("bench_peers");
  const auto number = [&](int index, unsigned otherwise) {
    return argc > index ? static_cast<unsigned>(std::stoul(argv[index])) : otherwise;
  };
  Bench bench(argc > 3 ? std::filesystem::path(argv[3])
                       : std::filesystem::temp_directory_path() / "heddle-bench-peers");
  bench.write(number(1, 40'000), number(2, 200'000));
  bench.copy();
  bench.changes(200);
}
