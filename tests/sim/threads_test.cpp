// A whole manager whose decisions are made on another thread while its own serves: for
// ThreadSanitizer (preset tsan), and for what virtual time alone cannot show.

#include <gtest/gtest.h>
#include <spdlog/logger.h>
#include <spdlog/sinks/null_sink.h>

#include <algorithm>
#include <atomic>
#include <boost/asio/post.hpp>
#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "sim/laboratory.h"
#include "sim/world/virtual_runtime.h"
#include "sm/ctl/topology/generators.h"
#include "support/check/checks.h"

namespace threads_test {

using namespace std::chrono_literals;

/// Virtual time, and real threads for what takes long. The clock goes on meanwhile.
class ThreadedRuntime final : public mad::Runtime {
 public:
  explicit ThreadedRuntime(sim::VirtualRuntime& world) : world_(world) {}

  mad::TimePoint now() const override { return world_.now(); }
  boost::asio::any_io_executor executor() override { return world_.executor(); }
  std::uint64_t random() override { return world_.random(); }
  std::unique_ptr<mad::Timer> make_timer(std::function<void()> on_expiry) override {
    return world_.make_timer(std::move(on_expiry));
  }
  void run_aside(Lane lane, std::function<void()> work, std::function<void()> done) override {
    if (lane == Lane::compute) ++computations;
    on_thread(std::move(work), std::move(done));
  }

  std::atomic<unsigned> computations = 0;

 private:
  void on_thread(std::function<void()> work, std::function<void()> done) {
    const std::lock_guard lock(mutex_);  // the end of a snapshot may be on any thread
    threads_.emplace_back([this, work = std::move(work), done = std::move(done)]() mutable {
      work();
      boost::asio::post(world_.executor(), std::move(done));
    });
  }

  sim::VirtualRuntime& world_;
  std::mutex mutex_;
  std::vector<std::jthread> threads_;
};

class Threads : public testing::Test {
 protected:
  Threads()
      : world_(runtime_.events(),
               topology::xgft({.children = {3, 6}, .parents = {1, 4}, .cables = {}})),
        log_("threads", std::make_shared<spdlog::sinks::null_sink_mt>()) {
    own_ = world_.model.port(sim::NodeIndex{0}, 1);
    attachment_ = world_.attach(own_);
    attachment_->set_is_sm(true);
    sm::ManagerOptions options;
    options.options.cache_files_dir = options.options.dump_files_dir = folder_.text();
    options.options.fsync_high_avail_files = false;
    options.port_guid = world_.model.ports[own_].guid;
    manager_ = std::make_unique<sm::Manager>(threaded_, *attachment_, log_, std::move(options));
    end_ = runtime_.start(manager_->run());
  }
  ~Threads() override {
    manager_->stop();
    EXPECT_TRUE(passes([this] { return end_->done; }));
  }

  /// A millisecond after the other, and as much real time as threads need to begin.
  template <class Done>
  bool passes(Done&& done) {
    for (unsigned count = 0; count < 20'000; ++count) {
      step();
      if (done()) return true;
    }
    return false;
  }
  void step() {
    runtime_.run_for(1ms);
    note_snapshot();
    std::this_thread::sleep_for(50us);
  }
  bool is_up() {
    return passes([this] { return complaint().empty(); });
  }
  std::string complaint() {
    return sim::first_complaint(sim::check_subnet(world_.model, own_, sim::Expected{}));
  }
  /// Notes the snapshot that answers come from: never one that another has replaced.
  void note_snapshot() {
    const std::shared_ptr<const fabric::Subnet> now = manager_->status().subnet;
    if (!snapshots_.empty() && snapshots_.back() == now) return;
    EXPECT_EQ(std::ranges::find(snapshots_, now), snapshots_.end()) << "an older snapshot is back";
    snapshots_.push_back(now);
  }

  std::vector<std::shared_ptr<const fabric::Subnet>> snapshots_;  // in their order
  laboratory::Folder folder_;
  sim::VirtualRuntime runtime_;
  ThreadedRuntime threaded_{runtime_};
  sim::World world_;
  spdlog::logger log_;
  sim::PortIndex own_;
  std::unique_ptr<sim::Attachment> attachment_;
  std::unique_ptr<sm::Manager> manager_;
  std::shared_ptr<sim::VirtualRuntime::Outcome<int>> end_;
};

TEST_F(Threads, AManagerServesAndHearsOfChangesWhileItsSweepsDecide) {
  ASSERT_TRUE(is_up()) << complaint();
  EXPECT_GT(threaded_.computations, 5u);
  std::vector<sim::PortIndex> links;
  for (const sim::PortIndex port : world_.model.ports.indices()) {
    const sim::PortIndex peer = world_.model.ports[port].peer;
    if (peer != sim::kNone && port < peer && port != own_ && peer != own_) links.push_back(port);
  }
  // Where threads get little time, one sweep takes several changes: then there are more of them.
  for (unsigned round = 0; round < 12 || (snapshots_.size() <= 3 && round < 300); ++round) {
    const sim::PortIndex link = links[round * 7 % links.size()],
                         peer = world_.model.ports[link].peer;
    world_.cut(link);
    for (unsigned count = 0; count < 3 + 10 * (round % 12); ++count) step();
    world_.connect(link, peer);
  }
  EXPECT_TRUE(is_up()) << complaint();
  EXPECT_GT(snapshots_.size(), 3u);
}

/// Whatever it computes then.
TEST_F(Threads, AManagerEndsAtAnyTime) { runtime_.run_for(3ms); }

}  // namespace threads_test
