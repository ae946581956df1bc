// bench_partition_change: a GUID is added to a partition of the API, and removed, on a full fat
// tree of 11,664 hosts that is up. Prints milliseconds from the request to the answer of
// `?wait=applied` and to the last SubnSet, CPU of the manager (all of its threads; and of those
// beside the control thread), the longest time without a return to its event loop, and SMPs; then
// what GET /v1/partitions takes. Prints figures, asserts nothing. Target: 20 ms.
//
//   bench_partition_change [HOSTS [PARTITIONS [RUNS]]]     default 11664 100 11
//
// Before, each host is a member of one of PARTITIONS partitions of the API. The fabric is simulated
// in the same process and costs no time (metered.h); the journal is in the directory of temporary
// files, with fsync.

#include <spdlog/logger.h>
#include <spdlog/sinks/null_sink.h>
#include <unistd.h>

#include <boost/asio/co_spawn.hpp>
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "bench/measured.h"
#include "bench/metered.h"
#include "mad/format.h"
#include "partitions/load.h"
#include "sim/world/world.h"
#include "sm/ctl/topology/generators.h"
#include "sm/manager/manager.h"
#include "sm/ops/api/partition_resources.h"
#include "sm/ops/web/request_target.h"
#include "sm/ops/web/router.h"

namespace {

using namespace std::chrono_literals;
using sm::web::Method;

double milliseconds(mad::Duration time) {
  return std::chrono::duration<double, std::milli>(time).count();
}

class Bench {
 public:
  explicit Bench(unsigned hosts)
      : world_(runtime_.events(), topology::fat_tree({.hosts = hosts, .radix = 36, .levels = 0})),
        model_(world_.model),
        log_("bench", std::make_shared<spdlog::sinks::null_sink_st>()) {
    std::string path =
        (std::filesystem::temp_directory_path() / "bench_partition_change-XXXXXX").string();
    if (::mkdtemp(path.data()) == nullptr) throw std::runtime_error("no folder for files");
    folder_ = path;
    world_.timing.boot = world_.timing.training = 1us;
    for (const sim::NodeModel& node : model_.nodes)
      if (!node.is_switch()) hosts_.push_back(node.first_port + 1);
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
    double answer_ms = 0, last_set_ms = 0, cpu_ms = 0, aside_ms = 0, longest_ms = 0;
    std::uint64_t sets = 0, gets = 0;
    std::size_t bytes = 0;  // of the answer
  };
  Figures request(Method method, const std::string& target, std::string body = {}) {
    auto split = sm::web::parse_target(target);
    const auto match = router_->match(method, split->segments);
    const auto& found = std::get<sm::web::Router::Match>(match);
    sm::web::Request request{.method = method, .path = split->path, .query = split->query};
    request.body = std::move(body);
    request.parameters = found.parameters;
    request.caller = {.user = "bench", .address = "unix", .role = sm::web::Role::admin};

    attachment_->forget_counts();
    runtime_.forget_longest();
    const auto used = runtime_.used(), aside = runtime_.aside();
    const mad::TimePoint begin = runtime_.now();
    std::optional<mad::TimePoint> answered;
    sm::web::Response response;
    boost::asio::co_spawn(runtime_.executor(), found.route->handler(std::move(request)),
                          [&](const std::exception_ptr& error, sm::web::Response answer) {
                            if (error) std::rethrow_exception(error);
                            response = std::move(answer);
                            answered = runtime_.now();
                          });
    runtime_.run_until([&] { return answered.has_value(); }, 1min);
    runtime_.run_for(100ms);  // what follows
    if (!answered || response.status >= 300)
      throw std::runtime_error(fmt::format("{}: {}", response.status, response.body));
    if (method != Method::get && response.body.find("\"applied\":true") == std::string::npos)
      throw std::runtime_error("not applied: " + response.body);
    return {.answer_ms = milliseconds(*answered - begin),
            .last_set_ms = milliseconds(std::max(port_->last_set(), begin) - begin),
            .cpu_ms = milliseconds((runtime_.used() - used).cpu),
            .aside_ms = milliseconds((runtime_.aside() - aside).cpu),
            .longest_ms = milliseconds(runtime_.longest()),
            .sets = attachment_->sets(),
            .gets = attachment_->gets(),
            .bytes = response.body.size()};
  }
  Figures change(const std::string& one) {
    return request(Method::post, "/v1/partition-changes?wait=applied&timeout_ms=30000",
                   "{\"changes\": [" + one + "]}");
  }
  std::string guid(std::size_t host) const {
    return fmt::format("{}", model_.ports[hosts_[host]].guid);
  }
  std::size_t hosts() const { return hosts_.size(); }

 private:
  void start() {
    own_ = hosts_.front();
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
    manager_.emplace(runtime_, *port_, log_, std::move(options));
    boost::asio::co_spawn(runtime_.executor(), manager_->run(),
                          [this](std::exception_ptr, int) { has_ended_ = true; });
    runtime_.run_until([this] { return manager_->last_sweep().ends_with("SUBNET UP"); }, 10min);
    runtime_.run_for(3s);
    router_.emplace(
        sm::partition_resources(manager_->partitions().service(runtime_.executor())).routes);
  }

  std::filesystem::path folder_;
  bench::MeteredRuntime runtime_;
  sim::World world_;
  sim::Model& model_;
  spdlog::logger log_;
  std::vector<sim::PortIndex> hosts_;
  sim::PortIndex own_{};
  std::unique_ptr<sim::Attachment> attachment_;
  std::optional<bench::MeteredPort> port_;
  std::optional<sm::Manager> manager_;
  std::optional<sm::web::Router> router_;
  bool has_ended_ = false;
};

/// Medians, and the range of the times of answers.
void print(const char* what, const std::vector<Bench::Figures>& runs) {
  const auto spread = [&](double Bench::Figures::* of) {
    std::vector<double> values;
    for (const Bench::Figures& run : runs) values.push_back(run.*of);
    return measured::spread_of(std::move(values));
  };
  fmt::print("  {:<28} {:>27} {:>8.2f} {:>8.2f} {:>8.2f} {:>8.2f} {:>6} {:>6} {:>9}\n", what,
             measured::text(spread(&Bench::Figures::answer_ms)),
             spread(&Bench::Figures::last_set_ms).median, spread(&Bench::Figures::cpu_ms).median,
             spread(&Bench::Figures::aside_ms).median, spread(&Bench::Figures::longest_ms).median,
             runs.back().sets, runs.back().gets, runs.back().bytes);
  std::fflush(stdout);
}

std::string in_list(const std::vector<std::string>& guids) {
  std::string list;
  for (const std::string& guid : guids)
    list += fmt::format("{}{{\"guid\": \"{}\"}}", list.empty() ? "" : ",", guid);
  return list;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    measured::print_build("bench_partition_change");
    const unsigned hosts = argc > 1 ? static_cast<unsigned>(std::stoul(argv[1])) : 11664;
    const std::size_t partitions = argc > 2 ? std::stoul(argv[2]) : 100;
    const std::size_t runs = argc > 3 ? std::stoul(argv[3]) : 11;
    Bench bench(hosts);
    fmt::print("{} hosts, {} partitions of the API\n", bench.hosts(), partitions);
    fmt::print("  {:<28} {:>27} {:>8} {:>8} {:>8} {:>8} {:>6} {:>6} {:>9}\n", "", "answer ms",
               "last Set", "CPU ms", "aside", "longest", "Sets", "Gets", "bytes");
    std::vector<std::string> all;
    for (std::size_t partition = 0; partition < partitions; ++partition) {
      std::vector<std::string> guids;
      for (std::size_t host = partition; host < bench.hosts(); host += partitions)
        guids.push_back(bench.guid(host));
      all.push_back(fmt::format(R"({{"op": "add", "p_key": "{:#06x}", "members": [{}]}})",
                                0x100 + partition, in_list(guids)));
    }
    // As a portal would after its start.
    std::vector<Bench::Figures> filled;
    for (const std::string& one : all) filled.push_back(bench.change(one));
    print(fmt::format("add {} GUIDs", bench.hosts() / partitions).c_str(), filled);

    std::vector<Bench::Figures> added, removed;
    for (std::size_t run = 0; run < runs; ++run) {
      const std::string guid = bench.guid(1 + run * 37 % (bench.hosts() - 1));
      added.push_back(bench.change(
          fmt::format(R"({{"op": "add", "p_key": "0x0010", "members": [{}]}})", in_list({guid}))));
      removed.push_back(bench.change(
          fmt::format(R"({{"op": "remove", "p_key": "0x0010", "guids": ["{}"]}})", guid)));
    }
    print("add a GUID", added);
    print("remove it", removed);
    std::vector<Bench::Figures> listed, shown, paged;
    for (std::size_t run = 0; run < 3; ++run) {
      listed.push_back(bench.request(Method::get, "/v1/partitions"));
      shown.push_back(bench.request(Method::get, "/v1/partitions/0x7fff"));
      paged.push_back(bench.request(Method::get, "/v1/partitions/0x0100/members"));
    }
    print("GET /v1/partitions", listed);
    print("GET /v1/partitions/{p_key}", shown);
    print("GET .../members", paged);
    return 0;
  } catch (const std::exception& error) {
    fmt::print(stderr, "bench_partition_change: {}\n", error.what());
    return 1;
  }
}
