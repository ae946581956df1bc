// bench_counters: the performance manager on a full fat tree of 11,664 hosts (1,620 switches of 36
// ports) that is up. Prints what a poll costs: CPU of the manager, queries, the longest time
// without a return to its event loop; and how long SMPs take meanwhile and without polls:
// Get(SMInfo) of a host every 20 ms, and sweeps of everything. Prints figures, asserts nothing.
//
//   bench_counters [HOSTS [SWEEP_TIME_S [cas]]]     default 11664 180; cas: hosts' own ports, too
//
// The fabric is simulated in the same process and costs no time (metered.h). The clock goes on by
// CPU time, since other programs may keep the machine busy.

#include <spdlog/logger.h>
#include <spdlog/sinks/null_sink.h>
#include <unistd.h>

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <filesystem>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "bench/measured.h"
#include "bench/metered.h"
#include "partitions/load.h"
#include "sim/world/world.h"
#include "sm/ctl/topology/generators.h"
#include "sm/manager/manager.h"

namespace {

using namespace std::chrono_literals;

double milliseconds(mad::Duration time) {
  return std::chrono::duration<double, std::milli>(time).count();
}

class Bench : private sm::EventListener {
 public:
  Bench(unsigned hosts, unsigned sweep_time_s, bool cas)
      : world_(runtime_.events(), topology::fat_tree({.hosts = hosts, .radix = 36, .levels = 0})),
        model_(world_.model),
        log_("bench", std::make_shared<spdlog::sinks::null_sink_st>()) {
    runtime_.use_cpu_time();
    std::string path = (std::filesystem::temp_directory_path() / "bench_counters-XXXXXX").string();
    if (::mkdtemp(path.data()) == nullptr) throw std::runtime_error("no folder for files");
    folder_ = path;
    world_.timing.boot = world_.timing.training = 1us;
    for (sim::NodeModel& node : model_.nodes)
      if (!node.is_switch()) hosts_.push_back(node.first_port + 1);
    prober_ = world_.attach(hosts_.back());
    prober_->set_receiver([this](std::span<const mad::ReceivedMad> mads) {
      for (const mad::ReceivedMad& received : mads) answered(received);
    });
    start(sweep_time_s, cas);
  }
  ~Bench() {
    manager_->stop();
    runtime_.run_until([this] { return has_ended_; }, 10min);
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }
  Bench(const Bench&) = delete;
  Bench& operator=(const Bench&) = delete;

  /// Waits for the begin of a poll, or for the end of one that has just ended.
  void wait_for(bool polling) {
    if (!runtime_.run_until([&] { return manager_->performance().status().polling == polling; },
                            24h))
      throw std::runtime_error("no poll");
  }
  /// Probes for `time`, or until the poll under way has ended, and prints.
  void measure(const char* what, mad::Duration time) {
    responses_.clear();
    runtime_.forget_longest();
    const auto used = runtime_.used();
    const mad::TimePoint begin = runtime_.now();
    const std::uint64_t queries = manager_->performance().status().queries.sent;
    while (runtime_.now() - begin < time) {
      probe();
      runtime_.run_for(20ms);
    }
    const double seconds = std::chrono::duration<double>(runtime_.now() - begin).count();
    const double cpu_ms = milliseconds((runtime_.used() - used).cpu);
    std::ranges::sort(responses_);
    const auto at = [&](double share) {
      return responses_.empty() ? 0
                                : responses_[static_cast<std::size_t>(
                                      share * static_cast<double>(responses_.size() - 1))];
    };
    fmt::print(
        "  {:<22} {:>7.1f} s {:>9} queries {:>9.1f} ms CPU = {:>5.2f} % of a core; longest "
        "{:>5.2f} "
        "ms; Get(SMInfo) p50 {:.3f} p99 {:.3f} most {:.3f} ms\n",
        what, seconds, manager_->performance().status().queries.sent - queries, cpu_ms,
        cpu_ms / seconds / 10, milliseconds(runtime_.longest()), at(0.5), at(0.99), at(1));
    std::fflush(stdout);
  }
  void sweep(const char* what) {
    runtime_.forget_longest();
    const unsigned sweeps = sweeps_;
    const auto used = runtime_.used();
    const mad::TimePoint begin = runtime_.now();
    if (!manager_->orders().resweep()) throw std::runtime_error("no sweep");
    runtime_.run_until([&] { return sweeps_ > sweeps; }, 10min);
    const double ms = milliseconds(runtime_.now() - begin);
    fmt::print("  {:<22} {:>8.1f} ms, {:.1f} ms CPU, longest {:.2f} ms\n", what, ms,
               milliseconds((runtime_.used() - used).cpu), milliseconds(runtime_.longest()));
    std::fflush(stdout);
  }
  void print_poll() const {
    const auto table = manager_->status().counters;
    if (!table) throw std::runtime_error("no counters");
    const sm::PollSummary& poll = table->latest;
    fmt::print("poll: {} ports read, {} down, {} queries, {} repeated, in {:.1f} s\n",
               poll.ports_read, poll.ports_down, poll.queries, poll.repeated,
               std::chrono::duration<double>(poll.ended - poll.begun).count());
    std::fflush(stdout);
  }
  mad::Duration poll_time() const {
    const auto table = manager_->status().counters;
    return table->latest.ended - table->latest.begun;
  }

 private:
  void probe() {
    const mad::PortInfo& info = model_.ports[prober_->port()].info;
    mad::MadBytes bytes;
    mad::make_lid_smp(bytes, mad::Method::get, mad::AttributeId::sm_info, 0, {}, ++transaction_);
    sent_[transaction_] = runtime_.events().now();
    prober_->send(bytes, {.lid = info.master_sm_lid()}, 0);
  }
  void answered(const mad::ReceivedMad& received) {
    const mad::ConstMadView mad(std::span<const std::uint8_t, mad::kMadBytes>(received.bytes));
    const auto sent = sent_.find(mad.transaction_id());
    if (sent == sent_.end()) return;
    responses_.push_back(milliseconds(runtime_.events().now() - sent->second));
    sent_.erase(sent);
  }
  using sm::EventListener::on;
  void on(const sm::PhaseEntered& event) override {
    if (event.phase == sm::SweepPhase::idle) ++sweeps_;
  }
  void start(unsigned sweep_time_s, bool cas) {
    attachment_ = world_.attach(hosts_.front());
    attachment_->set_is_sm(true);
    port_.emplace(runtime_, *attachment_);
    sm::ManagerOptions options;
    options.options.cache_files_dir = options.options.dump_files_dir = folder_.string();
    options.options.sweep_interval = 0;
    options.options.audit_interval = 0;
    options.options.perfmgr = true;
    options.options.perfmgr_sweep_time_s = static_cast<std::uint16_t>(sweep_time_s);
    options.options.perfmgr_ignore_cas = !cas;
    options.partitioning = partitions::default_configuration();
    options.port_guid = model_.ports[hosts_.front()].guid;
    options.wall_clock = [this] {
      return sa::UnixTime(
          std::chrono::floor<std::chrono::seconds>(runtime_.now().time_since_epoch()));
    };
    options.listener = this;
    manager_.emplace(runtime_, *port_, log_, std::move(options));
    boost::asio::co_spawn(runtime_.executor(), manager_->run(),
                          [this](std::exception_ptr, int) { has_ended_ = true; });
    if (!runtime_.run_until([this] { return manager_->last_sweep().ends_with("SUBNET UP"); },
                            10min))
      throw std::runtime_error("the subnet does not come up");
  }

  std::filesystem::path folder_;
  bench::MeteredRuntime runtime_;
  sim::World world_;
  sim::Model& model_;
  spdlog::logger log_;
  std::vector<sim::PortIndex> hosts_;
  std::unique_ptr<sim::Attachment> attachment_, prober_;
  std::optional<bench::MeteredPort> port_;
  std::optional<sm::Manager> manager_;
  bool has_ended_ = false;
  unsigned sweeps_ = 0;  // that have ended
  std::uint64_t transaction_ = 0;
  std::map<std::uint64_t, mad::TimePoint> sent_;
  std::vector<double> responses_;  // ms
};

}  // namespace

int main(int argc, char** argv) {
  try {
    measured::print_build("bench_counters");
    const unsigned hosts = argc > 1 ? static_cast<unsigned>(std::stoul(argv[1])) : 11664;
    const unsigned sweep_time_s = argc > 2 ? static_cast<unsigned>(std::stoul(argv[2])) : 180;
    Bench bench(hosts, sweep_time_s, argc > 3 && std::string(argv[3]) == "cas");
    bench.wait_for(true);
    bench.wait_for(false);
    bench.print_poll();
    const mad::Duration idle = std::chrono::seconds(sweep_time_s) - bench.poll_time();
    bench.measure("between polls", idle * 3 / 4);
    bench.wait_for(true);
    bench.measure("whole poll", bench.poll_time() + 500ms);
    bench.print_poll();
    bench.sweep("sweep between polls");
    bench.wait_for(true);
    bench.sweep("sweep during a poll");
    return 0;
  } catch (const std::exception& error) {
    fmt::print(stderr, "bench_counters: {}\n", error.what());
    return 1;
  }
}
