// bench_sa_latency: how long clients and other managers wait for this one while it sweeps. Events
// cause sweeps (a link, a host and a leaf switch are lost and return); meanwhile hosts send 2,000
// path queries, 200 Get(SMInfo) and 50 traps a second, and 200 handlers a second are posted to the
// manager's executor, as the handler of a signal (SIGTERM) is. Prints p50, p99, p99.9 and the
// maximum of the milliseconds from the request to its response (traps: to TrapRepress; signals: to
// the handler), of requests that a sweep overlaps. Prints figures, asserts nothing.
//
//   bench_sa_latency [--hosts N] [--engine NAME] [--clock wall|cpu]
//
// 1,728 and 11,664 hosts and all engines of trees if nothing else is said. With cpu, CPU time of
// all threads counts as time: for a machine that others keep busy.
//
// The fabric is simulated in the same process; its own time counts as none (metered.h), so that a
// duration is what the manager computes before it responds.

#include <spdlog/logger.h>
#include <spdlog/sinks/null_sink.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/post.hpp>
#include <filesystem>
#include <functional>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "bench/measured.h"
#include "bench/metered.h"
#include "mad/records/path_records.h"
#include "mad/rmpp.h"
#include "mad/smp.h"
#include "sim/world/world.h"
#include "sm/ctl/topology/generators.h"
#include "sm/manager/manager.h"

namespace {

using namespace std::chrono_literals;

constexpr std::size_t kClients = 32;

enum class Kind : std::uint8_t { path, sm_info, trap, signal };
constexpr std::array kKinds{std::pair{"path", 500us}, std::pair{"SMInfo", 5000us},
                            std::pair{"trap", 20000us}, std::pair{"signal", 5000us}};

double milliseconds(mad::Duration time) {
  return std::chrono::duration<double, std::milli>(time).count();
}

/// Notes each TrapRepress, which goes to the agent of the port that has sent the trap.
class WatchedPort final : public mad::MadTransport {
 public:
  WatchedPort(mad::MadTransport& port, std::function<void(std::uint64_t id)> on_repress)
      : port_(port), on_repress_(std::move(on_repress)) {}
  int send(std::span<const std::uint8_t> mad, const mad::MadAddress& to, int timeout_ms) override {
    if (mad.size() >= mad::kMadBytes) {
      const mad::ConstMadView view(mad.first<mad::kMadBytes>());
      if (view.method() == mad::Method::trap_repress) on_repress_(view.transaction_id());
    }
    return port_.send(mad, to, timeout_ms);
  }
  void set_receiver(std::function<void(std::span<const mad::ReceivedMad>)> receiver) override {
    port_.set_receiver(std::move(receiver));
  }

 private:
  mad::MadTransport& port_;
  std::function<void(std::uint64_t id)> on_repress_;
};

class Bench : private sm::EventListener {
 public:
  Bench(unsigned hosts, const std::string& engine, bool cpu_clock)
      : world_(runtime_.events(), topology::fat_tree({.hosts = hosts,
                                                      .radix = hosts == 1728   ? 24u
                                                               : hosts > 11664 ? 64u
                                                                               : 36u,
                                                      .levels = 0})),
        model_(world_.model),
        log_("bench", std::make_shared<spdlog::sinks::null_sink_st>()) {
    if (cpu_clock) runtime_.use_cpu_time();
    std::string path =
        (std::filesystem::temp_directory_path() / "bench_sa_latency-XXXXXX").string();
    if (::mkdtemp(path.data()) == nullptr) throw std::runtime_error("no folder for files");
    folder_ = path;
    world_.timing.boot = world_.timing.training = 1us;
    const sim::PortIndex own = model_.port(sim::NodeIndex{0}, 1);
    attachment_ = world_.attach(own);
    attachment_->set_is_sm(true);
    port_.emplace(runtime_, *attachment_);
    watched_.emplace(*port_, [this](std::uint64_t id) { answered(id, runtime_.now()); });
    sm::ManagerOptions options;
    options.options.routing_engine = {engine};
    options.options.cache_files_dir = options.options.dump_files_dir = folder_.string();
    options.options.sweep_interval = 0;
    options.options.audit_interval = 0;
    options.port_guid = model_.ports[own].guid;
    options.listener = this;
    manager_.emplace(runtime_, *watched_, log_, std::move(options));
    boost::asio::co_spawn(runtime_.executor(), manager_->run(),
                          [this](std::exception_ptr, int) { has_ended_ = true; });
    runtime_.run_until([this] { return manager_->last_sweep().ends_with("SUBNET UP"); }, 10min);
    runtime_.run_for(3s);
    for (std::size_t i = 0; i < kClients; ++i) {
      const sim::PortIndex port =
          model_.port(sim::NodeIndex(model_.find(fmt::format("H{}", 100 + i * 37))), 1);
      clients_.push_back(world_.attach(port));
      clients_.back()->set_receiver(
          [this](std::span<const mad::ReceivedMad> mads) { receive(mads); });
    }
    for (std::size_t kind = 0; kind < kKinds.size(); ++kind) tick(static_cast<Kind>(kind));
  }
  ~Bench() {
    asks_ = false;
    manager_->stop();
    runtime_.run_until([this] { return has_ended_; }, 10min);
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }
  Bench(const Bench&) = delete;
  Bench& operator=(const Bench&) = delete;

  void run() {
    for (unsigned round = 0; round < 2; ++round) {
      const sim::PortIndex host =
          model_.port(sim::NodeIndex(model_.find(fmt::format("H{}", 7 + round * 19))), 1);
      const sim::PortIndex another =
          model_.port(sim::NodeIndex(model_.find(fmt::format("H{}", 60 + round * 19))), 1);
      const sim::NodeIndex leaf = model_.ports[model_.ports[another].peer].node;
      const sim::PortIndex up = model_.port(leaf, model_.nodes[leaf].port_count() - round);
      const sim::PortIndex above = model_.ports[up].peer;
      after([&] { world_.cut(up); });
      after([&] { world_.connect(up, above); });
      after([&] { world_.power(model_.ports[host].node, false); });
      after([&] { world_.power(model_.ports[host].node, true); });
      after([&] { world_.power(leaf, false); });
      after([&] { world_.power(leaf, true); });
    }
    runtime_.run_for(3s);
  }
  void print(const std::string& engine) {
    for (std::size_t kind = 0; kind < kKinds.size(); ++kind) {
      std::vector<double>& all = waited_[kind];
      std::ranges::sort(all);
      const auto at = [&](double share) {
        return all.empty()
                   ? 0
                   : all[std::min(all.size() - 1, static_cast<std::size_t>(
                                                      share * static_cast<double>(all.size())))];
      };
      fmt::print("  {:<10} {:<7} {:>8} {:>8.2f} {:>8.2f} {:>8.2f} {:>8.2f}  {:>6}\n", engine,
                 kKinds[kind].first, all.size(), at(0.5), at(0.99), at(0.999), at(1),
                 pending_of(static_cast<Kind>(kind)));
    }
    std::fflush(stdout);
  }

 private:
  struct Pending {
    Kind kind{};
    mad::TimePoint sent{};
    bool in_sweep = false;
  };

  void after(const std::function<void()>& event) {
    runtime_.run_for(1s);
    event();
  }
  using sm::EventListener::on;
  void on(const sm::PhaseEntered& event) override {
    const sm::SweepPhase phase = event.phase;
    sweeping_ = phase != sm::SweepPhase::idle;
    if (!sweeping_) return;
    for (auto& [id, pending] : pending_) pending.in_sweep = true;
  }
  std::size_t pending_of(Kind kind) const {
    return static_cast<std::size_t>(
        std::ranges::count(pending_, kind, [](const auto& entry) { return entry.second.kind; }));
  }
  void tick(Kind kind) {
    if (!asks_) return;
    send(kind);
    runtime_.events().after(kKinds[static_cast<std::size_t>(kind)].second,
                            [this, kind] { tick(kind); });
  }
  void send(Kind kind) {
    const std::uint64_t id = ++transaction_;
    if (kind == Kind::signal) {
      pending_[id] = {.kind = kind, .sent = runtime_.events().now(), .in_sweep = sweeping_};
      boost::asio::post(runtime_.executor(), [this, id] { answered(id, runtime_.now()); });
      return;
    }
    sim::Attachment& from = *clients_[id % kClients];
    const sim::PortModel& port = model_.ports[from.port()];
    mad::MadAddress to{.lid = port.info.master_sm_lid()};
    mad::MadBytes bytes{};
    if (kind == Kind::path) {
      to.qpn = 1;
      to.qkey = mad::kQp1QKey;
      const sim::PortModel& far = model_.ports[clients_[(id * 7 + 1) % kClients]->port()];
      mad::SaView mad{std::span<std::uint8_t, mad::kMadBytes>(bytes)};
      mad.set_base_version(mad::kBaseVersion);
      mad.set_mgmt_class(mad::MgmtClass::sa);
      mad.set_class_version(mad::kSaClassVersion);
      mad.set_method(mad::Method::get);
      mad.set_transaction_id(id);
      mad.set_attribute_id(static_cast<mad::AttributeId>(mad::SaAttributeId::path_record));
      using P = mad::PathRecordFields;
      mad.set_component_mask(1u << P::kSgid | 1u << P::kDgid | 1u << P::kNumbPath);
      mad::PathRecord record;
      record.set<"SGID.prefix">(port.info.gid_prefix());
      record.set<"SGID.guid">(port.guid);
      record.set<"DGID.prefix">(far.info.gid_prefix());
      record.set<"DGID.guid">(far.guid);
      record.set<"NumbPath">(1);
      std::ranges::copy(record.bytes(), mad.data().begin());
    } else if (kind == Kind::sm_info) {
      mad::make_lid_smp(bytes, mad::Method::get, mad::AttributeId::sm_info, 0, {}, id);
    } else {
      mad::Notice notice;
      notice.set_is_generic(true);
      notice.set_trap_number(mad::TrapNumber::bad_p_key);
      notice.set_issuer_lid(port.info.lid());
      mad::make_lid_smp(bytes, mad::Method::trap, mad::AttributeId::notice, 0, {}, id)
          .set_data(notice.bytes());
    }
    pending_[id] = {.kind = kind, .sent = runtime_.events().now(), .in_sweep = sweeping_};
    from.send(bytes, to, 0);
  }
  void receive(std::span<const mad::ReceivedMad> mads) {
    for (const mad::ReceivedMad& received : mads) {
      const mad::ConstMadView mad(std::span<const std::uint8_t, mad::kMadBytes>(received.bytes));
      answered(mad.transaction_id(), runtime_.events().now());
    }
  }
  void answered(std::uint64_t id, mad::TimePoint when) {
    const auto found = pending_.find(id);
    if (found == pending_.end()) return;
    if (found->second.in_sweep)
      waited_[static_cast<std::size_t>(found->second.kind)].push_back(
          milliseconds(when - found->second.sent));
    pending_.erase(found);
  }

  std::filesystem::path folder_;
  bench::MeteredRuntime runtime_;
  sim::World world_;
  sim::Model& model_;
  spdlog::logger log_;
  std::unique_ptr<sim::Attachment> attachment_;
  std::vector<std::unique_ptr<sim::Attachment>> clients_;
  std::optional<bench::MeteredPort> port_;
  std::optional<WatchedPort> watched_;
  std::optional<sm::Manager> manager_;
  bool has_ended_ = false, sweeping_ = false, asks_ = true;
  std::uint64_t transaction_ = 1ull << 20;
  std::map<std::uint64_t, Pending> pending_;
  std::array<std::vector<double>, kKinds.size()> waited_;
};

}  // namespace

int main(int argc, char** argv) {
  try {
    std::vector<unsigned> hosts{1728, 11664};
    bool cpu_clock = false;
    std::vector<std::string> engines{"minhop", "updn",   "dnup", "ftree", "dmodc",
                                     "sssp",   "dfsssp", "lash", "nue",   "dor"};
    for (int i = 1; i < argc; i += 2) {
      const std::string word = argv[i], value = i + 1 < argc ? argv[i + 1] : "";
      if (word == "--hosts" && !value.empty())
        hosts = {static_cast<unsigned>(std::stoul(value))};
      else if (word == "--engine" && !value.empty())
        engines = {value};
      else if (word == "--clock" && (value == "cpu" || value == "wall"))
        cpu_clock = value == "cpu";
      else
        throw std::invalid_argument(
            "usage: bench_sa_latency [--hosts N] [--engine NAME] [--clock wall|cpu]");
    }
    measured::print_build("bench_sa_latency");
    for (const unsigned size : hosts) {
      fmt::print("\n{} hosts; ms\n  {:<10} {:<7} {:>8} {:>8} {:>8} {:>8} {:>8}  {:>6}\n", size,
                 "engine", "request", "number", "p50", "p99", "p99.9", "max", "none");
      for (const std::string& engine : engines) {
        Bench bench(size, engine, cpu_clock);
        bench.run();
        bench.print(engine);
      }
    }
    return 0;
  } catch (const std::exception& error) {
    fmt::print(stderr, "bench_sa_latency: {}\n", error.what());
    return 1;
  }
}
