#pragma once

#include <spdlog/logger.h>

#include <boost/asio/awaitable.hpp>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "mad/runtime.h"
#include "partitions/runtime/lines.h"
#include "sm/conditions/condition_log.h"
#include "sm/events/manager_events.h"
#include "sm/partitions/partition_service.h"

namespace sm {
class Journal;

inline constexpr std::string_view kPartitionsFile = "partitions";

/// Partitions of the API on disk, and changes of them. All calls but read() on the runtime's
/// thread; none of the references is owned.
class PartitionStore {
 public:
  static constexpr std::size_t kWaitingMax = 1'000;

  struct Services {
    /// Why no change is taken now; "": changes are taken.
    std::function<std::string()> refuses;
    EventListener* events = nullptr;  // gets PartitionsStored; not owned; null: none
    /// Brings `records` into the replicated store, or back to `before` if that fails. Returns why
    /// it failed; "": the store has them, or there is none.
    std::function<boost::asio::awaitable<std::string>(std::vector<partitions::RecordChange> records,
                                                      std::vector<partitions::RecordChange> before)>
        replicate;
    std::function<partitions::UnixTime()> wall_clock;
  };
  PartitionStore(mad::Runtime& runtime, ConditionLog& conditions, spdlog::logger& log,
                 Services services);
  /// Returns when the batch that is being written is on disk. Changes that wait fail.
  ~PartitionStore();
  PartitionStore(const PartitionStore&) = delete;
  PartitionStore& operator=(const PartitionStore&) = delete;

  /// The content of the journal.
  struct Stored {
    tl::expected<std::shared_ptr<Journal>, std::string> journal;
    partitions::SharedRuntime partitions;
    std::vector<std::string> messages;  // for the log: what is left out of it, and why
  };
  /// Reads the journal, and makes one where there is none: on any thread, since the disk may take
  /// its time.
  static Stored read(const std::filesystem::path& dir, bool fsync);
  /// Once. Without a journal changes are refused, and a condition says why.
  void open(Stored stored);
  /// Returns once open() was called, or the store ends: until then current() says nothing about the
  /// partitions: no client may be answered from it.
  boost::asio::awaitable<void> opened();
  /// Never null.
  partitions::SharedRuntime current() const;
  /// Waits for open(), and returns when the change is stored.
  boost::asio::awaitable<ChangeResult> change(partitions::Change change, std::string by);
  /// When it changed; since the start of the manager: nothing before that.
  std::optional<partitions::UnixTime> changed_at() const;
  /// Takes over the partitions of the former master. It is announced like any other change.
  void adopt(partitions::RuntimePartitions taken);
  /// The journal has current().
  bool is_on_disk() const;
  /// This manager has become MASTER: what has expired is removed.
  void check_expiry();

 private:
  class Core;
  std::shared_ptr<Core> core_;  // shared with the coroutine that writes
};

}  // namespace sm
