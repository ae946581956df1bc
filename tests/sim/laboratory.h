#pragma once
// Whole managers, one or several, on a simulated fabric in virtual time.

#include <gtest/gtest.h>
#include <spdlog/logger.h>
#include <spdlog/sinks/ostream_sink.h>

#include <filesystem>
#include <list>
#include <memory>
#include <sstream>
#include <string>

#include "sim/check/checks.h"
#include "sim/world/attachment.h"
#include "sim/world/virtual_runtime.h"
#include "sim/world/world.h"
#include "sm/daemon/manager.h"

namespace laboratory {

using namespace std::chrono_literals;

/// A folder of its own for every manager, gone with it.
class Folder {
 public:
  Folder() : path_(std::filesystem::temp_directory_path() / fmt::format("heddle-laboratory-{}-{}", ::getpid(), ++count())) { std::filesystem::create_directory(path_); }
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

/// One Heddle at one port.
class Instance {
 public:
  Instance(sim::VirtualRuntime& runtime, sim::World& world, sim::PortIndex port, config::Options options = {})
      : runtime_(runtime), attachment_(world.attach(port)) {
    attachment_->set_is_sm(true);
    logger_ = std::make_shared<spdlog::logger>("laboratory", std::make_shared<spdlog::sinks::ostream_sink_st>(log_));
    logger_->set_pattern("%v");
    options.cache_files_dir = options.dump_files_dir = folder_.text();
    options.enable_subnet_lst = false;
    options.fsync_high_avail_files = false;
    manager_ = std::make_unique<sm::Manager>(
        runtime, *attachment_, *logger_,
        sm::ManagerOptions{.options = options, .files = {}, .port_guid = world.model.ports[port].guid, .once = false, .progress = {}});
    end_ = runtime.start(manager_->run());
  }
  ~Instance() {
    manager_->stop();
    EXPECT_TRUE(runtime_.run_until([this] { return end_->done; }, 10min)) << "it does not end";
  }
  Instance(const Instance&) = delete;
  Instance& operator=(const Instance&) = delete;

  const sm::Manager& manager() const { return *manager_; }
  sim::Attachment& attachment() { return *attachment_; }
  sim::PortIndex port() const { return attachment_->port(); }
  std::string log() const { return log_.str(); }
  std::string tail() const {
    const std::string all = log_.str();
    return "...\n" + all.substr(all.size() > 3000 ? all.size() - 3000 : 0);
  }

 private:
  sim::VirtualRuntime& runtime_;
  Folder folder_;
  std::unique_ptr<sim::Attachment> attachment_;
  std::ostringstream log_;
  std::shared_ptr<spdlog::logger> logger_;
  std::unique_ptr<sm::Manager> manager_;
  std::shared_ptr<sim::VirtualRuntime::Outcome<int>> end_;
};

class Laboratory {
 public:
  explicit Laboratory(const sim::Topology& topology, std::uint64_t seed = 1) : world(runtime.events(), topology, seed) {}

  Instance& start(sim::PortIndex port, const config::Options& options = {}) { return instances.emplace_back(runtime, world, port, options); }
  Instance& start(const std::string& host, const config::Options& options = {}) { return start(port(host), options); }
  sim::PortIndex port(const std::string& host, unsigned number = 1) const { return world.model.port(world.model.find(host), number); }

  /// What is wrong now, first thing first: the hardware as a manager at `from` could see it, and the number of masters. "" if nothing is.
  std::string complaint() const {
    std::size_t masters = 0;
    for (const Instance& instance : instances) masters += instance.manager().status().state == mad::SmState::master;
    if (masters != 1) return fmt::format("{} masters", masters);
    return sim::first_complaint(sim::check_subnet(world.model, instances.front().port()));
  }
  /// Runs until nothing is wrong, and then on to see that it stays so. False if something is wrong after `limit`.
  bool settles(mad::Duration limit = 10min, mad::Duration quiet = 3s) {
    const mad::TimePoint end = runtime.now() + limit;
    while (runtime.now() < end) {
      runtime.run_for(100ms);
      if (!complaint().empty()) continue;
      runtime.run_for(quiet);
      if (complaint().empty()) return true;
    }
    return false;
  }

  sim::VirtualRuntime runtime;
  sim::World world;
  std::list<Instance> instances;
};

}  // namespace laboratory
