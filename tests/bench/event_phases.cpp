// bench_event_phases: what an event costs one Heddle on a fabric that is up. Prints for each event
// the median over several runs: milliseconds from the event to the last SubnSet, CPU of the
// manager, the longest time without a return to its event loop, sweeps, SubnGets, SubnSets by
// attribute, and milliseconds by phase.
//
//   build/bench/bin/bench_event_phases                  324, 1,728 and 11,664 hosts, three runs
//   build/bench/bin/bench_event_phases --hosts 324 --runs 1 --engine ftree
//   build/bench/bin/bench_event_phases --clock cpu      where the machine is busy
//   build/bench/bin/bench_event_phases --hosts 39936 --unchecked
//   build/bench/bin/bench_event_phases --hosts 324 --runs 1 --log
//   build/bench/bin/bench_event_phases --event host     those whose name has this word
//   build/bench/bin/bench_event_phases --groups 0       no host has joined a multicast group
//
// After each event all paths are followed, which takes minutes for 39,936 hosts: --unchecked.
// --log: what the manager says about each event goes to standard error.
//
// The fabric is simulated in the same process; its own time counts as none (metered.h). It answers
// within microseconds, and nodes boot and links train at once, so that the figures are the
// manager's. Files are written to the folder for temporary files.

#include <spdlog/logger.h>
#include <spdlog/sinks/null_sink.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <unistd.h>

#include <array>
#include <boost/asio/co_spawn.hpp>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <map>
#include <stdexcept>
#include <string>

#include "bench/measured.h"
#include "bench/metered.h"
#include "partitions/load.h"
#include "sim/world/vendor_features.h"
#include "sim/world/world.h"
#include "sm/ctl/topology/generators.h"
#include "sm/manager/manager.h"
#include "sm/sa/registrations/persistence.h"
#include "sm/sa/registrations/ports.h"
#include "support/check/checks.h"

namespace {

using namespace std::chrono_literals;
using mad::AttributeId;

double milliseconds(mad::Duration time) {
  return std::chrono::duration<double, std::milli>(time).count();
}

constexpr std::array kAttributes{
    std::pair{AttributeId::linear_forwarding_table, "LFT"},
    std::pair{AttributeId::ar_linear_forwarding_table, "ARLFT"},
    std::pair{AttributeId::ar_group_table, "ARGroup"},
    std::pair{AttributeId::multicast_forwarding_table, "MFT"},
    std::pair{AttributeId::switch_info, "SwitchInfo"},
    std::pair{AttributeId::port_info, "PortInfo"},
    std::pair{AttributeId::p_key_table, "P_Key"},
    std::pair{AttributeId::sl_to_vl_mapping_table, "SL2VL"},
    std::pair{AttributeId::vl_arbitration_table, "VLArb"},
};

struct Figures {
  double wall_ms = 0, cpu_ms = 0, longest_ms = 0;
  double sweeps = 0, gets = 0, other_sets = 0;
  std::array<double, kAttributes.size()> sets{};
  std::array<double, sm::kSweepPhaseNames.size()> phase_ms{};
};

std::filesystem::path new_folder() {
  std::string path =
      (std::filesystem::temp_directory_path() / "bench_event_phases-XXXXXX").string();
  if (::mkdtemp(path.data()) == nullptr) throw std::runtime_error("no folder for files");
  return path;
}

mad::Gid mgid(unsigned number) { return {0xff12401bffff0000, mad::Guid{0x10000ULL + number}}; }

/// Multicast groups in the journal of registrations: some with all hosts, and one of its own for
/// each host, as hosts join that run IPoIB with IPv6 (RFC 4391, 4). What has no MLID left shares
/// one.
void register_groups(const std::filesystem::path& folder, const sim::Model& model,
                     unsigned groups) {
  constexpr unsigned kMlids = 1000;
  auto loaded = sa::RegistrationStore::load(folder, false);
  if (!loaded) throw std::runtime_error(loaded.error());
  sa::Registrations registrations;
  const auto create = [&](unsigned number) {
    registrations.groups.create({.mgid = mgid(number),
                                 .mlid = {static_cast<std::uint16_t>(0xC001 + number % kMlids)},
                                 .p_key = mad::kDefaultPKeyFull,
                                 .q_key = 0x0b1b,
                                 .mtu = 4,
                                 .rate = 3,
                                 .packet_life = 18});
  };
  const auto join = [&](unsigned number, mad::Guid host) {
    registrations.groups.join(mgid(number), {.port_gid = {sa::kDefaultPrefix, host},
                                             .join_state = sa::join_state::kFull,
                                             .registered_by = host});
  };
  for (unsigned number = 0; number < groups; ++number) create(number);
  unsigned own = groups;
  for (const sim::NodeModel& node : model.nodes) {
    if (node.is_switch() || groups == 0) continue;
    const mad::Guid host = model.ports[node.first_port + 1].guid;
    for (unsigned number = 0; number < groups; ++number) join(number, host);
    create(own);
    join(own++, host);
  }
  loaded->store.replace_all();
  if (const auto written = loaded->store.commit(registrations); !written)
    throw std::runtime_error(written.error());
}

/// One manager, and a fabric with one host that is not plugged in yet.
class Bench : private sm::EventListener {
 public:
  Bench(unsigned hosts, const std::string& engine, unsigned groups, bool cpu_time, bool checked,
        bool logs)
      : checked_(checked),
        folder_(new_folder()),
        world_(runtime_.events(), topology::fat_tree({.hosts = hosts,
                                                      .radix = hosts == 1728   ? 24u
                                                               : hosts > 11664 ? 64u
                                                                               : 36u,
                                                      .levels = 0})),
        model_(world_.model),
        logs_(logs),
        log_("bench", std::make_shared<spdlog::sinks::null_sink_st>()) {
    if (cpu_time) runtime_.use_cpu_time();
    world_.timing.boot = world_.timing.training = 1us;
    own_ = model_.port(sim::NodeIndex{0}, 1);
    new_host_ = model_.port(model_.find(fmt::format("H{}", hosts - 1)), 1);
    new_hosts_leaf_ = model_.ports[new_host_].peer;
    world_.cut(new_host_);
    if (engine.starts_with("ar_")) sim::make_adaptive(model_);
    register_groups(folder_, model_, groups);
    attachment_ = world_.attach(own_);
    attachment_->set_is_sm(true);
    port_.emplace(runtime_, *attachment_);
    sm::ManagerOptions options;
    options.options.routing_engine = {engine};
    options.options.cache_files_dir = options.options.dump_files_dir = folder_.string();
    options.options.sweep_interval = 0;  // no light sweep between the events
    options.options.audit_interval = 0;
    options.partitioning = partitions::default_configuration();
    options.port_guid = model_.ports[own_].guid;
    options.listener = this;
    manager_.emplace(runtime_, *port_, log_, std::move(options));
    bring_up_ = measure([this] {
      boost::asio::co_spawn(runtime_.executor(), manager_->run(),
                            [this](std::exception_ptr, int) { has_ended_ = true; });
      runtime_.run_until([this] { return manager_->last_sweep().ends_with("SUBNET UP"); }, 10min);
      settle();  // traps of the last links that became Active are no part of the first event
    });
    settle();
    if (logs_) log_.sinks() = {std::make_shared<spdlog::sinks::stderr_sink_st>()};
  }
  ~Bench() {
    manager_->stop();
    runtime_.run_until([this] { return has_ended_; }, 10min);
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }
  Bench(const Bench&) = delete;
  Bench& operator=(const Bench&) = delete;

  Figures measure(const std::function<void()>& event) {
    attachment_->forget_counts();
    phases_ = {};
    runtime_.forget_longest();
    const std::uint64_t sweeps = manager_->status().sweeps;
    const auto used = runtime_.used();
    const mad::TimePoint begin = runtime_.now();
    event();
    settle();
    Figures figures;
    figures.wall_ms = milliseconds(std::max(port_->last_set(), begin) - begin);
    figures.cpu_ms = milliseconds((runtime_.used() - used).cpu);
    figures.longest_ms = milliseconds(runtime_.longest());
    figures.sweeps = static_cast<double>(manager_->status().sweeps - sweeps);
    figures.gets = static_cast<double>(attachment_->gets());
    figures.other_sets = static_cast<double>(attachment_->sets());
    for (std::size_t i = 0; i < kAttributes.size(); ++i) {
      figures.sets[i] =
          static_cast<double>(attachment_->sent(mad::Method::set, kAttributes[i].first));
      figures.other_sets -= figures.sets[i];
    }
    for (std::size_t i = 0; i < phases_.size(); ++i) figures.phase_ms[i] = milliseconds(phases_[i]);
    if (!checked_) return figures;
    const sim::Expected expected{.switch_lids_may_be_withheld = true};  // ftree has no such paths
    const std::string wrong = sim::first_complaint(sim::check_subnet(model_, own_, expected));
    if (!wrong.empty()) throw std::runtime_error("the fabric is not as it should be: " + wrong);
    return figures;
  }

  /// Each event once, on another link, host and leaf each time.
  void run(unsigned number, const std::string& word,
           std::map<std::string, std::vector<Figures>>& all) {
    if (number == 0 && std::string_view("0 bring-up").find(word) != std::string_view::npos)
      all["0 bring-up"].push_back(bring_up_);
    const auto note = [&](std::string_view name, const std::function<void()>& event) {
      if (name.find(word) == name.npos) return;
      if (logs_) log_.info("-- event {}", name);
      all[std::string(name)].push_back(measure(event));
    };
    const sim::PortIndex host =
        model_.port(sim::NodeIndex(model_.find(fmt::format("H{}", 7 + number * 19))), 1);
    const sim::PortIndex leaf_port = model_.ports[host].peer;
    const sim::NodeIndex leaf = model_.ports[leaf_port].node;
    const sim::PortIndex up = model_.port(leaf, model_.nodes[leaf].port_count() - number);
    const sim::PortIndex above = model_.ports[up].peer;
    note("1 link lost", [&] { world_.cut(up); });
    note("2 link back", [&] { world_.connect(up, above); });
    note("3 host lost", [&] { world_.power(model_.ports[host].node, false); });
    note("4 host back", [&] { world_.power(model_.ports[host].node, true); });
    if (number == 0) note("5 new host", [&] { world_.connect(new_host_, new_hosts_leaf_); });
    const sim::NodeIndex other =
        model_
            .ports[model_
                       .ports[model_.port(
                           sim::NodeIndex(model_.find(fmt::format("H{}", 60 + number * 19))), 1)]
                       .peer]
            .node;
    note("6 leaf lost", [&] { world_.power(other, false); });
    note("7 leaf back", [&] { world_.power(other, true); });
  }

 private:
  void settle() { runtime_.run_for(3s); }
  using sm::EventListener::on;
  void on(const sm::PhaseEntered& event) override {
    const mad::TimePoint now = runtime_.now();
    phases_[static_cast<std::size_t>(phase_)] += now - phase_begin_;
    phase_begin_ = now;
    phase_ = event.phase;
  }

  const bool checked_;
  const std::filesystem::path folder_;
  bench::MeteredRuntime runtime_;
  sim::World world_;
  sim::Model& model_;
  const bool logs_;
  spdlog::logger log_;
  sim::PortIndex own_, new_host_, new_hosts_leaf_;
  std::unique_ptr<sim::Attachment> attachment_;
  std::optional<bench::MeteredPort> port_;
  std::optional<sm::Manager> manager_;
  bool has_ended_ = false;
  Figures bring_up_;
  sm::SweepPhase phase_ = sm::SweepPhase::idle;
  mad::TimePoint phase_begin_{};
  std::array<mad::Duration, sm::kSweepPhaseNames.size()> phases_{};
};

void print(const std::map<std::string, std::vector<Figures>>& all) {
  fmt::print("  {:<12} {:>8} {:>8} {:>8} {:>6} {:>6}  {:<44}  ms:", "event", "ms", "CPU ms",
             "longest", "sweeps", "Gets", "Sets");
  for (std::size_t phase = 1; phase < sm::kSweepPhaseNames.size(); ++phase)
    fmt::print(" {:>8}", sm::kSweepPhaseNames[phase]);
  fmt::print("\n");
  for (const auto& [name, runs] : all) {
    const auto median = [&of_event = runs](const auto& figure) {
      std::vector<double> figures;
      figures.reserve(of_event.size());
      for (const Figures& run : of_event) figures.push_back(figure(run));
      return measured::spread_of(std::move(figures)).median;
    };
    std::string sets;
    for (std::size_t i = 0; i < kAttributes.size(); ++i) {
      const double count = median([i](const Figures& run) { return run.sets[i]; });
      if (count > 0) sets += fmt::format("{} {:.0f} ", kAttributes[i].second, count);
    }
    if (const double count = median([](const Figures& run) { return run.other_sets; }); count > 0)
      sets += fmt::format("others {:.0f}", count);
    fmt::print("  {:<12} {:>8.1f} {:>8.1f} {:>8.1f} {:>6.0f} {:>6.0f}  {:<44}     ", name,
               median([](const Figures& run) { return run.wall_ms; }),
               median([](const Figures& run) { return run.cpu_ms; }),
               median([](const Figures& run) { return run.longest_ms; }),
               median([](const Figures& run) { return run.sweeps; }),
               median([](const Figures& run) { return run.gets; }), sets);
    for (std::size_t phase = 1; phase < sm::kSweepPhaseNames.size(); ++phase)
      fmt::print(" {:>8.1f}", median([phase](const Figures& run) { return run.phase_ms[phase]; }));
    fmt::print("\n");
  }
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    std::vector<unsigned> hosts{324, 1728, 11664};
    unsigned runs = 3;
    unsigned groups = 3;
    std::string engine = "minhop", event;
    bool cpu_time = false, checked = true, logs = false;
    for (int i = 1; i < argc; ++i) {
      const std::string word = argv[i];
      if (word == "--unchecked") {
        checked = false;
        continue;
      }
      if (word == "--log") {
        logs = true;
        continue;
      }
      const std::string value = i + 1 < argc ? argv[++i] : "";
      if (word == "--hosts" && !value.empty()) {
        hosts = {static_cast<unsigned>(std::stoul(value))};
      } else if (word == "--runs" && !value.empty()) {
        runs = static_cast<unsigned>(std::stoul(value));
      } else if (word == "--groups" && !value.empty()) {
        groups = static_cast<unsigned>(std::stoul(value));
      } else if (word == "--engine" && !value.empty()) {
        engine = value;
      } else if (word == "--event" && !value.empty()) {
        event = value;
      } else if (word == "--clock" && (value == "cpu" || value == "real")) {
        cpu_time = value == "cpu";
      } else {
        throw std::invalid_argument(
            "usage: bench_event_phases [--hosts N] [--runs N, at most 10] [--engine NAME] "
            "[--groups N] [--event WORD] [--clock cpu|real] [--unchecked] [--log]");
      }
    }
    measured::print_build("bench_event_phases");
    for (const unsigned size : hosts) {
      fmt::print("\n{} hosts, {} multicast groups of all of them, {}; medians of {} runs{}\n", size,
                 groups, engine, runs, cpu_time ? "; all times are CPU time of all threads" : "");
      std::map<std::string, std::vector<Figures>> all;
      Bench bench(size, engine, groups, cpu_time, checked, logs);
      for (unsigned run = 0; run < std::min(runs, 10u); ++run) bench.run(run, event, all);
      print(all);
    }
    return 0;
  } catch (const std::exception& error) {
    fmt::print(stderr, "bench_event_phases: {}\n", error.what());
    return 1;
  }
}
