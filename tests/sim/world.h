#pragma once
// A whole manager on a fake fabric, in virtual time.

#include <gtest/gtest.h>
#include <spdlog/logger.h>
#include <spdlog/sinks/ostream_sink.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <sstream>
#include <string>

#include "sm/daemon/manager.h"
#include "support/fake_fabric.h"

namespace world {

using namespace std::chrono_literals;

class World {
 public:
  explicit World(const sim::Topology& topology, std::uint64_t seed = 1)
      : fabric(runtime, topology, seed), folder_(std::filesystem::temp_directory_path() / fmt::format("heddle-sim-{}-{}", ::getpid(), ++count())) {
    std::filesystem::create_directory(folder_);
    logger_ = std::make_shared<spdlog::logger>("sim", std::make_shared<spdlog::sinks::ostream_sink_st>(log_));
    logger_->set_pattern("%v");
    options.cache_files_dir = folder_.string();
    options.dump_files_dir = folder_.string();
    options.enable_subnet_lst = false;
    options.fsync_high_avail_files = false;
  }
  ~World() {
    stop();
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  /// A manager begins, as if Heddle had been started now.
  void start(bool once = false) {
    stop();
    manager_ = std::make_unique<sm::Manager>(runtime, fabric, *logger_,
                                             sm::ManagerOptions{.options = options, .files = {}, .port_guid = own_guid(), .once = once, .progress = {}});
    end_ = runtime.start(manager_->run());
  }
  /// SIGTERM: it ends, and is gone.
  void stop() {
    if (!manager_) return;
    manager_->stop();
    EXPECT_TRUE(runtime.run_until([this] { return end_->done; }, 10min)) << "it does not end";
    manager_.reset();
  }
  /// Waits until the manager ended by itself; its exit code.
  std::optional<int> exit_code(mad::Duration limit = 1h) {
    runtime.run_until([this] { return end_->done; }, limit);
    return end_->value;
  }
  sm::Manager& manager() { return *manager_; }

  /// Waits for SUBNET UP on a fabric about which nothing is wrong.
  bool comes_up(mad::Duration limit = 5min) {
    const auto ups = up_count();
    return runtime.run_until([&] { return up_count() > ups && fabric.complaint().empty(); }, limit);
  }
  /// Waits until nothing is wrong with the fabric any more, without a word about when the manager says so.
  bool heals(mad::Duration limit = 5min) {
    return runtime.run_until([&] { return fabric.complaint().empty(); }, limit);
  }
  /// Lets everything that is under way come to its end.
  void settle() { runtime.run_for(3s); }
  bool start_and_settle() {
    start();
    const bool up = comes_up();
    settle();
    fabric.forget_counts();
    return up;
  }

  std::string log() const { return log_.str(); }
  bool says(std::string_view text) const { return log_.str().find(text) != std::string::npos; }
  void forget_log() { log_.str(""); }
  mad::Guid own_guid() const { return fabric.nodes[fabric.own.node].port_guids[fabric.own.port.value]; }
  const std::filesystem::path& folder() const { return folder_; }
  std::string tail() const {
    const std::string all = log_.str();
    return "...\n" + all.substr(all.size() > 3000 ? all.size() - 3000 : 0);
  }

  fake::VirtualRuntime runtime;
  fake::FakeFabric fabric;
  config::Options options;

 private:
  static unsigned& count() {
    static unsigned number = 0;
    return number;
  }
  std::size_t up_count() const {
    std::size_t ups = 0;
    const std::string text = log_.str();
    for (std::size_t at = text.find("SUBNET UP"); at != std::string::npos; at = text.find("SUBNET UP", at + 1)) ++ups;
    return ups;
  }

  std::filesystem::path folder_;
  std::ostringstream log_;
  std::shared_ptr<spdlog::logger> logger_;
  std::unique_ptr<sm::Manager> manager_;
  std::shared_ptr<fake::VirtualRuntime::Outcome<int>> end_;
};

/// Another subnet manager on a host.
inline void put_sm(World& world, const std::string& host, mad::SmState state, std::uint8_t priority) {
  fake::Node& node = world.fabric.nodes[world.fabric.find(host)];
  node.sm.emplace();
  node.sm->set_guid(node.port_guids[1]);
  node.sm->set_priority(priority);
  node.sm->set_sm_state(state);
  node.ports[1].info.set_capability_mask(node.ports[1].info.capability_mask() | mad::capability::kIsSm);
}

}  // namespace world
