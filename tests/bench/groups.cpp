// bench_groups: 8,000 multicast groups of 16 to 11,664 members on a full fat tree of 11,664 hosts
// that is up. Prints the memory of the registrations, the bring-up, and what one more member costs:
// milliseconds from its request to its response and to the last SubnSet, CPU of the manager, the
// longest time without a return to its event loop, and blocks written. Prints figures, asserts
// nothing.
//
//   bench_groups [HOSTS [GROUPS]]     default 11664 8000
//
// Sizes have the density 1/x^2 (few groups of all hosts, many of a job): 845,000 memberships, 72 of
// each host. The fabric is simulated in the same process and costs no time (metered.h).

#include <malloc.h>
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
#include "fabric/topology/random_source.h"
#include "mad/records/mc_member_record.h"
#include "mad/rmpp.h"
#include "partitions/load.h"
#include "sim/world/world.h"
#include "sm/ctl/topology/generators.h"
#include "sm/manager/manager.h"
#include "sm/sa/registrations/persistence.h"
#include "sm/sa/registrations/ports.h"

namespace {

using namespace std::chrono_literals;

constexpr std::size_t kLeast = 16;

double milliseconds(mad::Duration time) {
  return std::chrono::duration<double, std::milli>(time).count();
}
double heap_mb() {
  const struct mallinfo2 info = mallinfo2();
  return static_cast<double>(info.uordblks + info.hblkhd) / 1e6;
}

mad::Gid mgid_of(std::size_t group) { return {0xff12401bffff0000, mad::Guid{0x10000 + group}}; }

/// The size of the group at this share of all, from the smallest to the largest.
std::size_t size_of(double share, std::size_t hosts) {
  const double least = kLeast, most = static_cast<double>(hosts);
  return static_cast<std::size_t>(least / (1 - share * (1 - least / most)));
}

class Bench {
 public:
  Bench(unsigned hosts, std::size_t groups)
      : world_(runtime_.events(), topology::fat_tree({.hosts = hosts, .radix = 36, .levels = 0})),
        model_(world_.model),
        log_("bench", std::make_shared<spdlog::sinks::null_sink_st>()) {
    std::string path = (std::filesystem::temp_directory_path() / "bench_groups-XXXXXX").string();
    if (::mkdtemp(path.data()) == nullptr) throw std::runtime_error("no folder for files");
    folder_ = path;
    world_.timing.boot = world_.timing.training = 1us;
    for (sim::NodeModel& node : model_.nodes) {
      if (node.is_switch())
        node.sw->info.set_multicast_fdb_cap(16383);
      else
        hosts_.push_back(node.first_port + 1);
    }
    own_ = hosts_.front();
    register_groups(groups);
    start();
  }
  ~Bench() {
    manager_->stop();
    runtime_.run_until([this] { return has_ended_; }, 10min);
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }
  Bench(const Bench&) = delete;
  Bench& operator=(const Bench&) = delete;

  struct Figures {
    double response_ms = 0, wall_ms = 0, cpu_ms = 0, longest_ms = 0, blocks = 0;
  };
  /// A host that is not in the group joins, or leaves again.
  Figures change(std::size_t group, mad::Method method) {
    const sim::PortIndex host = outsiders_.at(group);
    sim::Attachment& client = *clients_.try_emplace(host, world_.attach(host)).first->second;
    mad::MadBytes bytes{};
    mad::SaView mad{std::span<std::uint8_t, mad::kMadBytes>(bytes)};
    mad.set_base_version(mad::kBaseVersion);
    mad.set_mgmt_class(mad::MgmtClass::sa);
    mad.set_class_version(mad::kSaClassVersion);
    mad.set_method(method);
    mad.set_transaction_id(++transaction_);
    mad.set_attribute_id(static_cast<mad::AttributeId>(mad::SaAttributeId::mc_member_record));
    mad.set_component_mask(1u << mad::McMemberRecord::kMgid | 1u << mad::McMemberRecord::kPortGid |
                           1u << mad::McMemberRecord::kJoinState);
    mad::McMemberRecord record;
    record.set_mgid(mgid_of(group));
    record.set_port_gid({model_.ports[host].info.gid_prefix(), model_.ports[host].guid});
    record.set_join_state(1);
    std::ranges::copy(record.bytes(), mad.data().begin());

    std::optional<mad::TimePoint> answered;
    client.set_receiver([&](std::span<const mad::ReceivedMad> mads) {
      for (const mad::ReceivedMad& received : mads) {
        const mad::ConstSaView view(std::span<const std::uint8_t, mad::kMadBytes>(received.bytes));
        if (view.transaction_id() != transaction_) continue;
        if (view.status() != 0)
          throw std::runtime_error(fmt::format("status {:#x}", view.status()));
        answered = runtime_.events().now();
      }
    });
    attachment_->forget_counts();
    runtime_.forget_longest();
    const auto used = runtime_.used();
    const mad::TimePoint begin = runtime_.now();
    client.send(bytes,
                {.lid = model_.ports[host].info.master_sm_lid(), .qpn = 1, .qkey = mad::kQp1QKey},
                0);
    runtime_.run_for(1500ms);
    client.set_receiver({});
    if (!answered) throw std::runtime_error("no response");
    return {.response_ms = milliseconds(*answered - begin),
            .wall_ms = milliseconds(std::max(port_->last_set(), begin) - begin),
            .cpu_ms = milliseconds((runtime_.used() - used).cpu),
            .longest_ms = milliseconds(runtime_.longest()),
            .blocks = static_cast<double>(
                attachment_->sent(mad::Method::set, mad::AttributeId::multicast_forwarding_table))};
  }
  std::size_t members(std::size_t group) const { return sizes_[group]; }

 private:
  void register_groups(std::size_t groups) {
    const double before = heap_mb();
    auto loaded = sa::RegistrationStore::load(folder_, false);
    if (!loaded) throw std::runtime_error(loaded.error());
    sa::Registrations registrations;
    topology::Random random(1);
    std::vector<sim::PortIndex> shuffled = hosts_;
    std::size_t memberships = 0, at = 0;
    for (std::size_t group = 0; group < groups; ++group) {
      const std::size_t size = std::min(
          size_of((static_cast<double>(group) + 0.5) / static_cast<double>(groups), hosts_.size()),
          hosts_.size() - 1);
      registrations.groups.create({.mgid = mgid_of(group),
                                   .mlid = {static_cast<std::uint16_t>(0xC001 + group)},
                                   .p_key = mad::kDefaultPKeyFull,
                                   .q_key = 0x0b1b,
                                   .mtu = 4,
                                   .rate = 3,
                                   .packet_life = 18});
      if (group % 64 == 0) random.shuffle(shuffled);
      for (std::size_t i = 0; i < size; ++i) {
        const sim::PortIndex host = shuffled[(at + i) % shuffled.size()];
        registrations.groups.join(mgid_of(group),
                                  {.port_gid = {sa::kDefaultPrefix, model_.ports[host].guid},
                                   .join_state = sa::join_state::kFull,
                                   .registered_by = model_.ports[host].guid});
      }
      at = (at + size) % shuffled.size();
      outsiders_.push_back(shuffled[at]);
      sizes_.push_back(size);
      memberships += size;
    }
    sa::take_changes(registrations);  // frees what says which have changed
    const double after = heap_mb();
    loaded->store.replace_all();
    if (const auto written = loaded->store.commit(registrations); !written)
      throw std::runtime_error(written.error());
    fmt::print(
        "{} hosts, {} groups, {} memberships: {:.0f} MB, {:.0f} bytes a membership; journal {:.0f} "
        "MB\n",
        hosts_.size(), groups, memberships, after - before,
        (after - before) * 1e6 / static_cast<double>(memberships),
        static_cast<double>(std::filesystem::file_size(folder_ / sa::kRegistrationsFile)) / 1e6);
    std::fflush(stdout);
  }
  void start() {
    attachment_ = world_.attach(own_);
    attachment_->set_is_sm(true);
    port_.emplace(runtime_, *attachment_);
    sm::ManagerOptions options;
    options.options.cache_files_dir = options.options.dump_files_dir = folder_.string();
    options.options.sweep_interval = 0;
    options.options.audit_interval = 0;
    options.partitioning = partitions::default_configuration();
    options.port_guid = model_.ports[own_].guid;
    options.wall_clock = [this] {
      return sa::UnixTime(
          std::chrono::floor<std::chrono::seconds>(runtime_.now().time_since_epoch()));
    };
    const auto used = runtime_.used();
    const mad::TimePoint begin = runtime_.now();
    manager_.emplace(runtime_, *port_, log_, std::move(options));
    boost::asio::co_spawn(runtime_.executor(), manager_->run(),
                          [this](std::exception_ptr, int) { has_ended_ = true; });
    runtime_.run_until([this] { return manager_->last_sweep().ends_with("SUBNET UP"); }, 10min);
    runtime_.run_for(3s);
    fmt::print("up: {:.0f} ms to the last SubnSet, {:.0f} ms CPU, longest {:.0f} ms, {} blocks\n",
               milliseconds(port_->last_set() - begin), milliseconds((runtime_.used() - used).cpu),
               milliseconds(runtime_.longest()),
               attachment_->sent(mad::Method::set, mad::AttributeId::multicast_forwarding_table));
    const std::size_t routed = manager_->administrator().registrations().groups.all().size();
    fmt::print("{} groups are registered\n", routed);
    std::fflush(stdout);
  }

  std::filesystem::path folder_;
  bench::MeteredRuntime runtime_;
  sim::World world_;
  sim::Model& model_;
  spdlog::logger log_;
  std::vector<sim::PortIndex> hosts_;
  std::vector<sim::PortIndex> outsiders_;  // by group: a host that is not in it
  std::vector<std::size_t> sizes_;
  sim::PortIndex own_{};
  std::unique_ptr<sim::Attachment> attachment_;
  std::map<sim::PortIndex, std::unique_ptr<sim::Attachment>> clients_;
  std::optional<bench::MeteredPort> port_;
  std::optional<sm::Manager> manager_;
  bool has_ended_ = false;
  std::uint64_t transaction_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  try {
    measured::print_build("bench_groups");
    const unsigned hosts = argc > 1 ? static_cast<unsigned>(std::stoul(argv[1])) : 11664;
    const std::size_t groups = argc > 2 ? std::stoul(argv[2]) : 8000;
    Bench bench(hosts, groups);
    fmt::print("  {:<8} {:>8} {:>10} {:>8} {:>8} {:>8} {:>6}\n", "members", "", "response",
               "last Set", "CPU ms", "longest", "blocks");
    for (const double share : {0.0, 0.5, 0.9, 0.99, 0.999, 1.0}) {
      const auto group = static_cast<std::size_t>(share * static_cast<double>(groups - 1));
      for (const mad::Method method : {mad::Method::set, mad::Method::delete_}) {
        const Bench::Figures figures = bench.change(group, method);
        fmt::print("  {:<8} {:>8} {:>10.2f} {:>8.2f} {:>8.2f} {:>8.2f} {:>6.0f}\n",
                   bench.members(group), method == mad::Method::set ? "join" : "leave",
                   figures.response_ms, figures.wall_ms, figures.cpu_ms, figures.longest_ms,
                   figures.blocks);
        std::fflush(stdout);
      }
    }
    return 0;
  } catch (const std::exception& error) {
    fmt::print(stderr, "bench_groups: {}\n", error.what());
    return 1;
  }
}
