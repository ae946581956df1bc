#pragma once
// Files that show the subnet as it was programmed: opensm-subnet.lst, dumps of tables, neighbors.

#include <boost/asio/awaitable.hpp>
#include <memory>
#include <string>
#include <vector>

#include <spdlog/logger.h>

#include "fabric/subnet.h"
#include "mad/runtime.h"
#include "sm/conditions/condition_log.h"
#include "sm/context/sweep_context.h"

namespace sm {

/// Writes files from snapshots, off the runtime's thread: for a large fabric the files have tens of
/// MB. While the subnet changes, files are written at most once in kPause, or more rarely, so that
/// writing takes a thousandth of a core; the pause is at most kPauseMax. The last snapshot is
/// written in any case. Nothing depends on a file that a crash has left behind: the next start asks
/// ports to register again by the journal of registrations alone.
class SnapshotFiles {
 public:
  static constexpr mad::Duration kPause = std::chrono::seconds(5),
                                 kPauseMax = std::chrono::minutes(1);
  static constexpr unsigned kPausePerTime = 1000;

  /// Owns none of the references.
  SnapshotFiles(mad::Runtime& runtime, spdlog::logger& log, ConditionLog& conditions);
  ~SnapshotFiles();
  SnapshotFiles(const SnapshotFiles&) = delete;
  SnapshotFiles& operator=(const SnapshotFiles&) = delete;

  /// Schedules the files of `subnet`. `with_neighbors` adds neighbors: the LID map on disk is in
  /// use. A file that cannot be written is a condition until it is written (SM-OUTPUT-FAILED).
  void write(SharedContext context, std::shared_ptr<const Subnet> subnet, bool with_neighbors);
  /// Returns when everything passed to write() is on disk, or cannot be written.
  boost::asio::awaitable<void> finish();

 private:
  using Problems = std::vector<std::string>;
  void begin_when_due();
  void begin();
  void write_neighbors(SharedContext context, std::shared_ptr<const Subnet> subnet);
  void run_aside(std::function<Problems()> work, std::function<void(const Problems&)> report);

  mad::Runtime& runtime_;
  spdlog::logger& log_;
  ConditionLog& conditions_;
  mad::WakeUp idle_;
  std::unique_ptr<mad::Timer> timer_;
  SharedContext context_;                 // with `wanted_`
  std::shared_ptr<const Subnet> wanted_;  // null: nothing is left to be written
  std::vector<mad::Guid> neighbors_;      // end ports of the latest neighbors file, by GUID
  bool neighbors_due_ = false;            // `wanted_` has other ones
  std::string neighbors_dir_;             // where it is; "": not written yet
  mad::TimePoint pause_end_{};
  unsigned writing_ = 0;  // of running_: with the list and the tables
  unsigned running_ = 0;  // parts of work that have not ended
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace sm
