#pragma once
// Whole managers, one or several, on a simulated fabric in virtual time.

#include <gtest/gtest.h>
#include <spdlog/logger.h>

#include <algorithm>
#include <filesystem>
#include <list>
#include <memory>
#include <optional>
#include <set>
#include <sstream>
#include <string>

#include "mad/format.h"
#include "sim/expected_of.h"
#include "sim/hardware.h"
#include "sim/world/world.h"
#include "sm/manager/manager.h"
#include "support/recording_sink.h"
#include "support/scratch.h"
#include "support/stoppable.h"
#include "support/tap.h"

namespace laboratory {

using namespace std::chrono_literals;

// How long an operator waits, in virtual time, each with what decides it.
/// A first sweep of a subnet without faults: less than a second on hardware that answers.
inline constexpr mad::Duration kComesUp = 5s;
/// The change is found by the light sweep after sweep_interval (10 s) if no trap arrives.
inline constexpr mad::Duration kLightSweep = 15s;
/// A sweep with errors is repeated after 1, 2, 4, ... 30 s. A shorter kRetryLast (manager.cpp)
/// would lower it.
inline constexpr mad::Duration kSweepsWithErrors = 45s;
/// A standby notices after sminfo_polling_timeout (10 s) times polling_retry_number + 1 (5),
/// sweeps, and the other one turns to it; two that notice at the same time may stand by for each
/// other first, and poll once more. Handover and fewer polls would lower it.
inline constexpr mad::Duration kTakeover = 130s;

/// A folder of its own for every manager, gone with it.
class Folder {
 public:
  Folder()
      : path_(support::parent_of_scratch() /
              fmt::format("heddle-laboratory-{}-{}", ::getpid(), ++count())) {
    std::filesystem::create_directory(path_);
  }
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  std::string text() const { return path_.string(); }

 private:
  static unsigned& count() {
    static unsigned number = 0;
    return number;
  }
  std::filesystem::path path_;
};

/// One Heddle at one port. It may end and be started again, and finds its files then. `prepare` is
/// called before its first start.
class Instance {
 public:
  Instance(sim::VirtualRuntime& runtime, sim::World& world, sim::PortIndex port,
           const config::Options& options = {}, bool once = false,
           const std::function<void(Instance&)>& prepare = {})
      : runtime_(runtime),
        own_runtime_(runtime),
        world_(world),
        attachment_(world.attach(port)),
        tap_(*attachment_) {
    logger_ = std::make_shared<sm::FieldLogger>("laboratory", sink_);
    logger_->set_level(spdlog::level::debug);
    if (prepare) prepare(*this);
    start(options, once);
  }
  ~Instance() {
    tap_.on_request = {};  // what tests captured may be gone
    stop();
  }
  Instance(const Instance&) = delete;
  Instance& operator=(const Instance&) = delete;

  /// As if Heddle had been started now.
  void start(const config::Options& options, bool once = false) {
    options_ = options;
    stop();
    attachment_->set_is_sm(true);
    manager_ = std::make_unique<sm::Manager>(
        own_runtime_, tap_, *logger_,
        sm::ManagerOptions{.options = at_home(options),
                           .files = files,
                           .partitioning = partitioning,
                           .port_guid = world_.model.ports[port()].guid,
                           .once = once,
                           .survey_bounds = survey_bounds,
                           .others_in_process = on_resigned != nullptr,
                           .listener = &resignations_,
                           .replica = replica ? replica(folder_.text()) : nullptr,
                           .wall_clock = [this] { return wall_clock(); }});
    end_ = runtime_.start(manager_->run());
  }
  /// SIGTERM: it ends, and is gone.
  void stop() {
    if (!manager_) return;
    if (own_runtime_.is_stopped()) resume();
    manager_->stop();
    EXPECT_TRUE(runtime_.run_until([this] { return end_->done; }, 10min)) << "it does not end";
    manager_.reset();
    attachment_->set_is_sm(false);
  }
  /// SIGSTOP and SIGCONT. Of what happened meanwhile, `timers_first` or else MADs are handled
  /// first.
  void suspend() {
    own_runtime_.stop();
    tap_.hold();
  }
  void resume(bool timers_first = false) {
    if (timers_first) own_runtime_.go_on();
    tap_.release();
    own_runtime_.go_on();
  }
  /// kill -9: it does nothing any more, and its files stay as they are. For the memory that it had,
  /// and with it the calls of clients, it is stop()ped at the end of the test, cut off from all.
  void kill() {
    suspend();
    attachment_->set_is_sm(false);
    tap_.cut();
  }
  /// The clock, the disk and the directory of the program.
  StoppableRuntime& program() { return own_runtime_; }
  std::string folder() const { return folder_.text(); }
  /// SIGTERM, without waiting for the end.
  void ask_to_stop() { manager_->stop(); }
  /// The process ends although something is under way. The runtime must not run after this.
  void abandon() { manager_.reset(); }
  /// SIGHUP
  void reload(const config::Options& options) {
    options_ = options;
    manager_->reload(at_home(options), files, partitioning);
  }
  /// For handlers of requests; each call runs in virtual time.
  sm::PartitionService partition_service() {
    return manager_->partitions().service(runtime_.executor());
  }
  sa::UnixTime wall_clock() const {
    return wall_clock_begin +
           std::chrono::floor<std::chrono::seconds>(runtime_.now().time_since_epoch());
  }
  /// heddlectl rebalance
  bool order_rebalance() { return manager_->orders().rebalance().has_value(); }
  /// heddlectl resweep
  bool order_resweep() { return manager_->orders().resweep().has_value(); }
  /// heddlectl isolate, heddlectl release
  bool order_isolation(const std::string& name, const std::string& reason = "",
                       std::optional<std::chrono::seconds> lasting = {}) {
    return manager_->orders()
        .isolate({.place = name, .by = "alice", .reason = reason, .lasting = lasting})
        .has_value();
  }
  /// heddlectl forget
  bool order_forget(const std::string& name) { return manager_->orders().forget(name).has_value(); }
  /// Returns when the orders so far are in force.
  auto orders_in_force() { return manager_->orders().in_force(); }
  void set_sweeping(bool on) { manager_->orders().set_sweeping(on); }
  bool order_release(const std::string& name) {
    return manager_->orders().release(name).has_value();
  }
  /// As the performance manager does.
  void report_noisy(const std::set<sm::PortPlace>& ports) { manager_->set_noisy_ports(ports); }
  bool rebalance() { return manager_->orders().rebalance().has_value(); }
  /// Waits until it ends by itself.
  std::optional<int> exit_code(mad::Duration limit = 1h) {
    runtime_.run_until([this] { return end_->done; }, limit);
    return end_->value;
  }
  /// Nothing while it runs; else how it ended without being stopped.
  std::optional<std::string> ended() const {
    if (!end_->done) return std::nullopt;
    if (!end_->error) return fmt::format("exit code {}", end_->value.value_or(-1));
    try {
      std::rethrow_exception(end_->error);
    } catch (const std::exception& error) {
      return fmt::format("exception: {}", error.what());
    }
  }

  bool runs() const { return manager_ != nullptr; }
  const sm::Manager& manager() const { return *manager_; }
  void master_resigned(mad::Guid port) { manager_->master_resigned(port); }
  sim::Attachment& attachment() { return *attachment_; }
  Tap& tap() { return tap_; }
  partitions::Configuration partitioning =
      partitions::default_configuration();  // for the next start or reload
  config::InputFiles files = {};            // likewise
  sm::SurveyBounds survey_bounds = {};      // for the next start
  std::function<void()> on_resigned = {};   // for the next start
  /// For the next start: its part in a replicated state. It is given the folder of its files.
  std::function<std::shared_ptr<sm::StateReplica>(const std::string& folder)> replica;
  sa::UnixTime wall_clock_begin{};  // the time of day when virtual time begins
  sim::PortIndex port() const { return attachment_->port(); }
  std::size_t in_flight_max() const { return attachment_->in_flight_max(); }

  std::string log() const { return log_.str(); }
  /// As log_format text with the default log_flags, without times.
  std::string default_log() const { return sink_->default_text.str(); }
  /// As log_format human, without times.
  std::string human_log() const { return sink_->human.str(); }
  bool says(std::string_view text) const {
    return log_.view().find(text) != std::string_view::npos;
  }
  /// How often it said so.
  std::size_t count(std::string_view text) const {
    std::size_t times = 0;
    for (std::size_t at = log_.view().find(text); at != std::string_view::npos;
         at = log_.view().find(text, at + 1))
      ++times;
    return times;
  }
  void forget_log() {
    log_.str("");
    sink_->human.str("");
    sink_->default_text.str("");
  }
  std::string tail() const {
    const std::string all = log_.str();
    return "...\n" + all.substr(all.size() > 3000 ? all.size() - 3000 : 0);
  }

  /// Returns the options that it was started with, or has reloaded since.
  const config::Options& options() const { return options_; }

 private:
  struct Resignations final : sm::EventListener {
    explicit Resignations(Instance& by) : instance(by) {}
    using sm::EventListener::on;
    void on(const sm::Resigned& /*event*/) override {
      if (instance.on_resigned) instance.on_resigned();
    }
    Instance& instance;
  };

  /// Its files are in its own folder, unless the test has a place for them.
  config::Options at_home(config::Options options) const {
    const config::Options usual;
    if (options.cache_files_dir == usual.cache_files_dir) options.cache_files_dir = folder_.text();
    if (options.dump_files_dir == usual.dump_files_dir) options.dump_files_dir = folder_.text();
    options.enable_subnet_lst = false;
    options.fsync_high_avail_files = false;
    return options;
  }

  sim::VirtualRuntime& runtime_;
  StoppableRuntime own_runtime_;
  sim::World& world_;
  Folder folder_;
  std::unique_ptr<sim::Attachment> attachment_;
  Tap tap_;
  const std::shared_ptr<support::RecordingSink> sink_ = std::make_shared<support::RecordingSink>();
  std::ostringstream& log_ = sink_->texts;
  std::shared_ptr<sm::FieldLogger> logger_;
  config::Options options_;
  Resignations resignations_{*this};
  std::unique_ptr<sm::Manager> manager_;
  std::shared_ptr<sim::VirtualRuntime::Outcome<int>> end_;
};

class Laboratory : public Hardware {
 public:
  /// The port's budget admits 200 MADs; repetitions, copies, and what was given up and still
  /// travels come on top.
  static constexpr std::size_t kInFlightMax = 256;

  using Hardware::Hardware;

  Instance& start(sim::PortIndex port, const config::Options& options = {}, bool once = false) {
    return instances.emplace_back(runtime, world, port, options, once);
  }
  Instance& start(const std::string& host, const config::Options& options = {}) {
    return start(port(host), options);
  }

  /// Returns the first fault: of the hardware as a manager at the first instance's port could see
  /// it, and of the number of masters. "" if there is none.
  std::string complaint() const {
    std::size_t masters = 0;
    for (const Instance& instance : instances)
      masters += instance.runs() && instance.manager().status().state == mad::SmState::master;
    if (masters != 1) return fmt::format("{} masters", masters);
    for (const Instance& instance : instances) {
      if (instance.in_flight_max() > kInFlightMax)
        return fmt::format("{} SMPs were in flight", instance.in_flight_max());
    }
    const auto master = std::find_if(instances.begin(), instances.end(), [](const Instance& i) {
      return i.runs() && i.manager().status().state == mad::SmState::master;
    });
    const std::string wrong = sim::first_complaint(sim::check_subnet(
        world.model, instances.front().port(),
        expected_of(master->options(), master->manager().status().key_version.current)));
    return !wrong.empty()
               ? wrong
               : sim::first_complaint(sim::check_p_keys(world.model, default_partition()));
  }
  /// Data packets arrive at all end ports that the first manager reaches, whatever switches with
  /// adaptive routing choose. complaint() checks that for SL 0, too.
  void expect_all_choices_arrive(std::uint16_t sls = 1,
                                 sim::Transport transport = sim::Transport::rc) const {
    const auto reach = sim::reachable(model, instances.front().port());
    EXPECT_EQ(sim::first_complaint(sim::check_choices(
                  model, reach, !instances.front().options().connect_roots, sls, transport)),
              "");
  }
  /// Returns the keys of all end ports that the manager reaches: full members of the default
  /// partition, and of no other.
  sim::ExpectedPKeys default_partition() const {
    const std::vector<bool> reach = sim::reachable(world.model, instances.front().port());
    sim::ExpectedPKeys keys;
    for (const sim::PortIndex port : world.model.ports.indices()) {
      const bool linked = world.model.ports[port].number == 0
                              ? world.model.owning_node(port).is_switch()
                              : world.model.link_up(port);
      if (reach[world.model.ports[port].node] && world.model.is_end_port(port) && linked)
        keys[world.model.ports[port].guid] = {mad::kDefaultPKeyFull.value};
    }
    return keys;
  }
  /// Runs until nothing is wrong, and then on to see that it stays so. False if something is wrong
  /// after `limit`.
  bool settles(mad::Duration limit = kSweepsWithErrors, mad::Duration quiet = 3s) {
    const mad::TimePoint end = runtime.now() + limit;
    while (runtime.now() < end) {
      runtime.run_for(100ms);
      if (!complaint().empty()) continue;
      runtime.run_for(quiet);
      if (complaint().empty()) return true;
    }
    return false;
  }
  /// Waits until nothing is wrong any more, without a word about when a manager says so.
  bool heals(mad::Duration limit = kSweepsWithErrors) {
    return runtime.run_until([&] { return complaint().empty(); }, limit);
  }

  std::list<Instance> instances;
};

/// A laboratory with one manager, at the first node.
class Solo : public Laboratory {
 public:
  using Laboratory::Laboratory;

  config::Options options;  // for the next start

  void start(bool once = false) {
    if (instances.empty()) {
      Laboratory::start(own(), options, once);
    } else {
      heddle().start(options, once);
    }
  }
  Instance& heddle() { return instances.front(); }
  sm::ManagerStatus status() const { return instances.front().manager().status(); }

  /// Waits for SUBNET UP on a fabric about which nothing is wrong.
  bool comes_up(mad::Duration limit = kSweepsWithErrors) {
    const std::size_t ups = heddle().count("SUBNET UP");
    return runtime.run_until(
        [&] { return heddle().count("SUBNET UP") > ups && complaint().empty(); }, limit);
  }
  /// Lets everything that is under way come to its end.
  void settle() { runtime.run_for(3s); }
  bool start_and_settle() {
    start();
    const bool up = comes_up();
    settle();
    forget_counts();
    return up;
  }

  // These count what it sent, and the requests to every node.
  std::uint64_t sent(mad::Method method, mad::AttributeId attribute) {
    return heddle().attachment().sent(method, attribute);
  }
  std::uint64_t gets() { return heddle().attachment().gets(); }
  std::uint64_t sets() { return heddle().attachment().sets(); }
  void forget_counts() {
    heddle().attachment().forget_counts();
    heddle().tap().responses.clear();
    for (sim::NodeModel& node : model.nodes) node.gets = node.sets = 0;
  }

  bool says(std::string_view text) const { return instances.front().says(text); }
  /// How many conditions of this kind are active.
  std::size_t raised(fabric::ConditionId id) const {
    const auto all = status().conditions;
    return static_cast<std::size_t>(
        std::ranges::count_if(all, [&](const auto& each) { return each.condition.id == id; }));
  }
  /// At how many subjects this has occurred within ten minutes.
  std::size_t occurred(fabric::ConditionId id) const {
    const auto all = status().occurrences;
    return static_cast<std::size_t>(
        std::ranges::count_if(all, [&](const auto& each) { return each.condition.id == id; }));
  }
  std::string log() const { return instances.front().log(); }
  std::string tail() const { return instances.front().tail(); }
};

}  // namespace laboratory
