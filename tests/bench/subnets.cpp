// bench_subnets: subnets joined by routers, each with a manager of its own, all in one process on
// simulated fabrics; what they cost compared with one, path requests across, and how long paths
// take to leave a router that lost its other side.
//
//   build/bench/bin/bench_subnets --hosts 39936 --subnets 3 --routers 12
//   build/bench/bin/bench_subnets --hosts 39936 --subnets 1
//
// Times are those of the managers' computing (metered.h), by CPU time of all threads together: what
// the simulator computes is not in them. Memory is that of managers and simulated fabrics, which
// are shown alone, too. Nothing is asserted: figures depend on the machine.

#include <spdlog/sinks/null_sink.h>
#include <unistd.h>

#include <boost/asio/co_spawn.hpp>

#include <chrono>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <list>
#include <optional>
#include <random>
#include <stdexcept>

#include "bench/measured.h"
#include "bench/metered.h"
#include "mad/format.h"
#include "mad/records/path_records.h"
#include "partitions/configuration.h"
#include "sim/world/subnet_routers.h"
#include "sm/ctl/topology/topology.h"
#include "sm/manager/manager.h"
#include "sm/sa/paths/path_types.h"
#include "sm/sa/query/answer.h"
#include "sm/sa/registrations/registrations.h"

namespace {

using namespace std::chrono_literals;

constexpr std::uint64_t kFirstPrefix = 0xFEC0000000000001;
constexpr mad::Duration kBringUp = 600s;

struct Arguments {
  unsigned hosts = 39'936, subnets = 3, routers = 12, requests = 300'000;
};

Arguments parse_arguments(int argc, char** argv) {
  Arguments arguments;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string_view word = argv[i];
    unsigned* const value = word == "--hosts"      ? &arguments.hosts
                            : word == "--subnets"  ? &arguments.subnets
                            : word == "--routers"  ? &arguments.routers
                            : word == "--requests" ? &arguments.requests
                                                   : nullptr;
    if (value == nullptr) throw std::invalid_argument(fmt::format("{} is not known", word));
    *value = static_cast<unsigned>(std::stoul(argv[i + 1]));
  }
  return arguments;
}

double mib_in_use() {
  std::ifstream statm("/proc/self/statm");
  double size = 0, resident = 0;
  statm >> size >> resident;
  return resident * static_cast<double>(::sysconf(_SC_PAGESIZE)) / (1 << 20);
}
double milliseconds(mad::Duration time) {
  return std::chrono::duration<double, std::milli>(time).count();
}

topology::Topology make_topology(const Arguments& arguments, unsigned number) {
  const unsigned radix = arguments.hosts > 11'664 ? 64 : 36;
  topology::Topology topology =
      topology::fat_tree({.hosts = arguments.hosts, .radix = radix, .levels = 0});
  for (topology::Node& node : topology.nodes) {
    node.guid.value += std::uint64_t{number + 1} << 40;
    if (node.type == topology::NodeType::switch_) ++node.port_count;  // for a router
  }
  return topology;
}

/// A subnet and its manager.
class Site {
 public:
  Site(bench::MeteredRuntime& metered, const Arguments& arguments, unsigned number)
      : world(metered.events(), make_topology(arguments, number)), runtime_(metered) {
    world.timing.boot = world.timing.training = 1us;
    options.subnet_prefix = kFirstPrefix + number;
    options.read_router_tables = true;
    options.sweep_interval = 0;
    options.audit_interval = 0;
    folder_ = std::filesystem::temp_directory_path() /
              fmt::format("bench_subnets-{}-{}", ::getpid(), number);
    std::filesystem::create_directory(folder_);
    options.cache_files_dir = options.dump_files_dir = folder_.string();
  }
  ~Site() {
    manager->stop();
    runtime_.run_until([this] { return has_ended_; }, 600s);
    manager.reset();
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }
  Site(const Site&) = delete;
  Site& operator=(const Site&) = delete;

  void start() {
    const sim::PortIndex own = world.model.port(sim::NodeIndex{0}, 1);
    attachment = world.attach(own);
    attachment->set_is_sm(true);
    port_.emplace(runtime_, *attachment);
    sm::ManagerOptions how;
    how.options = options;
    how.port_guid = world.model.ports[own].guid;
    manager.emplace(runtime_, *port_, log_, std::move(how));
    boost::asio::co_spawn(runtime_.executor(), manager->run(),
                          [this](std::exception_ptr, int) { has_ended_ = true; });
  }
  std::shared_ptr<const fabric::Subnet> subnet() const { return manager->status().subnet; }
  bool is_up() const { return manager->last_sweep().find("SUBNET UP") != std::string::npos; }
  /// How many ports of routers lead to other subnets.
  std::size_t gateways() const {
    std::size_t count = 0;
    const auto published = subnet();
    if (published && published->routers)
      for (const auto& other : published->routers->subnets) count += other.gateways.size();
    return count;
  }

  sim::World world;
  config::Options options;
  std::unique_ptr<sim::Attachment> attachment;
  std::optional<sm::Manager> manager;

 private:
  bench::MeteredRuntime& runtime_;
  std::filesystem::path folder_;
  spdlog::logger log_{"bench", std::make_shared<spdlog::sinks::null_sink_st>()};
  std::optional<bench::MeteredPort> port_;
  bool has_ended_ = false;
};

/// A router at the same leaf switch of each subnet.
void add_router(sim::SubnetRouters& routers, std::list<Site>& sites, unsigned number,
                unsigned all) {
  std::vector<sim::RouterCable> cables;
  for (Site& site : sites) {
    sim::Model& model = site.world.model;
    const auto hosts = static_cast<unsigned>(std::ranges::count_if(
        model.nodes, [](const sim::NodeModel& node) { return !node.is_switch(); }));
    const auto host = model.find(fmt::format("H{}", std::size_t{hosts - number} / all * number));
    const sim::NodeIndex leaf = model.ports[model.ports[model.port(host, 1)].peer].node;
    cables.push_back(
        {.world = &site.world, .to = model.port(leaf, model.nodes[leaf].port_count())});
  }
  routers.add(fmt::format("R{}", number),
              mad::Guid{0x0002c9030f000000 + std::uint64_t{0x100} * (number + 1)}, cables);
}

/// Path requests from hosts of the first subnet to hosts of the second, a second.
double requests_per_second(const Site& site, unsigned requests) {
  using Mask = mad::PathRecordFields::Mask;
  const auto subnet = site.subnet();
  const sa::PathIndex paths(*subnet);
  const sa::Registrations registrations;
  const config::InputFiles files;
  const sa::View view{.subnet = *subnet,
                      .registrations = registrations,
                      .options = site.options,
                      .files = files,
                      .paths = &paths};
  std::vector<fabric::PortIndex> hosts;
  for (const fabric::PortIndex port : subnet->fabric.end_ports)
    if (subnet->fabric.owning_node(port).type == mad::NodeType::ca) hosts.push_back(port);
  sa::ResponseBuffer out;
  std::mt19937_64 random(1);
  std::size_t refused = 0;
  const std::clock_t begin = std::clock();
  for (unsigned i = 0; i < requests; ++i) {
    const fabric::PortIndex from = hosts[random() % hosts.size()];
    mad::PathRecord request;
    request.set<"SGID.prefix">(std::uint64_t{site.options.subnet_prefix});
    request.set<"SGID.guid">(subnet->fabric.ports[from].guid);
    request.set<"DGID.prefix">(kFirstPrefix + 1);
    request.set<"DGID.guid">(mad::Guid{random()});
    const sa::Query query{.method = mad::Method::get,
                          .attribute = mad::SaAttributeId::path_record,
                          .component_mask = 1u << Mask::kSgid | 1u << Mask::kDgid,
                          .record = request.bytes(),
                          .from = {.port = from, .lid = {}}};
    refused += sa::answer(view, query, sa::kPathRecord, out) != mad::status::kOk;
  }
  const double took = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  if (refused > 0) fmt::print("{} requests were refused\n", refused);
  return requests / took;
}

void lose_side(bench::MeteredRuntime& runtime, sim::SubnetRouters& routers,
               std::list<Site>& sites) {
  Site &here = sites.front(), &there = *std::next(sites.begin());
  const std::size_t before = here.gateways();
  here.attachment->forget_counts();
  const mad::TimePoint begin = runtime.events().now();
  const auto used = runtime.used();
  there.world.cut(routers.port(0, there.world));
  runtime.run_until([&] { return here.gateways() < before; }, 60s);
  const mad::Duration took = runtime.events().now() - begin;
  runtime.run_until([] { return false; }, 1s);
  fmt::print(
      "router lost its side in the second subnet: paths of the first move after {:.1f} ms "
      "(router's firmware: up to {:.0f} ms of them), {} LinearForwardingTable Sets there, "
      "{:.1f} ms CPU of all managers in the second after it\n",
      milliseconds(took), milliseconds(sim::SubnetRouters::kPeriod),
      here.attachment->sent(mad::Method::set, mad::AttributeId::linear_forwarding_table),
      milliseconds((runtime.used() - used).cpu));
}

void run(const Arguments& arguments) {
  bench::MeteredRuntime runtime;
  runtime.use_cpu_time();
  std::list<Site> sites;
  for (unsigned number = 0; number < arguments.subnets; ++number)
    sites.emplace_back(runtime, arguments, number);
  sim::SubnetRouters routers(runtime.events());
  if (arguments.subnets > 1)
    for (unsigned number = 0; number < arguments.routers; ++number)
      add_router(routers, sites, number, arguments.routers);
  const double fabrics = mib_in_use();
  for (Site& site : sites) site.start();
  const auto is_up = [](const Site& site) { return site.is_up(); };
  if (!runtime.run_until([&] { return std::ranges::all_of(sites, is_up); }, kBringUp))
    throw std::runtime_error("a subnet did not come up");
  const auto bring_up = runtime.used();
  fmt::print(
      "{} subnet{} of {} hosts, {} routers: up after {:.2f} s of the managers on one thread, "
      "{:.2f} s CPU; {:.0f} MiB, fabrics alone {:.0f} MiB\n",
      arguments.subnets, arguments.subnets == 1 ? "" : "s", arguments.hosts, routers.size(),
      milliseconds(bring_up.wall) / 1000, milliseconds(bring_up.cpu) / 1000, mib_in_use(), fabrics);
  std::fflush(stdout);
  if (arguments.subnets == 1) return;
  const std::size_t expected = routers.size() * (sites.size() - 1);
  runtime.run_until(
      [&] {
        return std::ranges::all_of(sites,
                                   [&](const Site& site) { return site.gateways() == expected; });
      },
      60s);
  fmt::print("the first subnet has {} ways to {} others\n", sites.front().gateways(),
             sites.size() - 1);
  fmt::print("path requests across: {:.0f} a second on one core\n",
             requests_per_second(sites.front(), arguments.requests));
  lose_side(runtime, routers, sites);
}

}  // namespace

int main(int argc, char** argv) {
  measured::print_build("bench_subnets");
  try {
    run(parse_arguments(argc, argv));
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
  return 0;
}
