#pragma once
// A program that is stopped as by SIGSTOP, on a clock that goes on.

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "mad/runtime.h"
#include "support/full_disk.h"

namespace laboratory {

/// The runtime of one of several programs in a simulation. While it is stopped no timer of it
/// expires; those that were due do when it goes on. What is ready to run must have run before.
class StoppableRuntime final : public mad::Runtime {
 public:
  explicit StoppableRuntime(mad::Runtime& world) : world_(world) {}

  mad::TimePoint now() const override { return world_.now(); }
  boost::asio::any_io_executor executor() override { return world_.executor(); }
  std::uint64_t random() override { return world_.random(); }
  void run_aside(Lane lane, std::function<void()> work, std::function<void()> done) override {
    auto guarded = [this, work = std::move(work)] {
      std::optional<support::FullDisk> full;
      if (disk_full) full.emplace();
      work();
    };
    if (lane != Lane::journal || disk_time == mad::Duration{})
      return world_.run_aside(lane, std::move(guarded), std::move(done));
    write_later(std::move(guarded), std::move(done));
  }
  std::unique_ptr<mad::Timer> make_timer(std::function<void()> on_expiry) override {
    return std::make_unique<StoppableTimer>(*this, std::move(on_expiry));
  }

  void stop() { stopped_ = true; }
  void go_on() {
    stopped_ = false;
    for (const std::weak_ptr<Expiry>& late : std::exchange(late_, {})) {
      const auto expiry = late.lock();
      if (expiry && std::exchange(expiry->is_late, false)) expiry->run();
    }
  }
  bool is_stopped() const { return stopped_; }

  /// The duration of a write and fsync for which a client waits. The disk has the data after half
  /// of it: a program that is killed has written, or has not, and knows nothing of it.
  mad::Duration disk_time{};
  bool disk_full = false;  // work on other threads writes nothing

 private:
  struct Expiry {
    std::function<void()> run;
    bool is_late = false;
  };
  class StoppableTimer final : public mad::Timer {
   public:
    StoppableTimer(StoppableRuntime& runtime, std::function<void()> on_expiry)
        : expiry_(std::make_shared<Expiry>(std::move(on_expiry))),
          timer_(runtime.world_.make_timer([&runtime, expiry = expiry_] {
            if (!runtime.stopped_) return expiry->run();
            expiry->is_late = true;
            runtime.late_.push_back(expiry);
          })) {}
    void arm(mad::TimePoint deadline) override {
      expiry_->is_late = false;
      timer_->arm(deadline);
    }
    void cancel() override {
      expiry_->is_late = false;
      timer_->cancel();
    }

   private:
    std::shared_ptr<Expiry> expiry_;
    std::unique_ptr<mad::Timer> timer_;
  };

  struct Write {
    std::unique_ptr<mad::Timer> on_disk, reported;
  };
  void write_later(std::function<void()> work, std::function<void()> done) {
    Write& write = writes_.emplace_back();
    write.on_disk = make_timer(std::move(work));
    write.reported = make_timer(std::move(done));
    write.on_disk->arm(now() + disk_time / 2);
    write.reported->arm(now() + disk_time);
  }

  mad::Runtime& world_;
  std::deque<Write> writes_;  // those that have ended, too
  bool stopped_ = false;
  std::vector<std::weak_ptr<Expiry>> late_;
};

}  // namespace laboratory
