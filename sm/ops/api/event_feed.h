#pragma once
// Makes events of the Views that it is shown.

#include <chrono>
#include <functional>
#include <memory>
#include <mutex>

#include "sm/ops/api/event_log.h"
#include "sm/ops/api/snapshot.h"
#include "sm/ops/web/worker.h"

namespace sm::api {

class EventFeed {
 public:
  using WallClock = std::function<std::chrono::system_clock::time_point()>;
  /// Owns none of the references; `worker` ends before this.
  EventFeed(Snapshots& snapshots, EventLog& log, web::Worker& worker, WallClock wall_clock)
      : snapshots_(snapshots), log_(log), worker_(worker), wall_clock_(std::move(wall_clock)) {}

  /// Any thread, and quick: the comparison is made on the worker. If it is behind, the latest View
  /// counts.
  void observe(std::shared_ptr<const View> view);
  /// When the latest View was shown; the epoch: none was.
  std::chrono::steady_clock::time_point observed_at() const;

 private:
  void compare();

  Snapshots& snapshots_;
  EventLog& log_;
  web::Worker& worker_;
  const WallClock wall_clock_;
  mutable std::mutex mutex_;
  std::shared_ptr<const View> pending_;  // null: nothing is to be compared
  std::chrono::steady_clock::time_point observed_at_{};
  std::shared_ptr<const View> last_;  // the worker's
};

}  // namespace sm::api
