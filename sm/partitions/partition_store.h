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
#include "partitions/runtime_partitions.h"
#include "sm/conditions/condition_log.h"
#include "sm/partitions/partition_service.h"

namespace sm {
class Journal;

/// Says what a stored change changed.
struct PartitionsStored {
  std::vector<mad::Guid> guids;     // whose memberships changed, ascending
  bool partitions_changed = false;  // attributes, or which partitions there are
};

inline constexpr std::string_view kPartitionsFile = "partitions";

/// Stores partitions of the API on disk, and changes them. All calls but read() run on the
/// runtime's thread; the store owns none of the references.
class PartitionStore {
 public:
  static constexpr std::size_t kWaitingMax = 1'000;

  struct Services {
    /// Returns why changes are refused now; "" if they are accepted.
    std::function<std::string()> refuses;
    std::function<void(const PartitionsStored&)> stored = {};  // after each change
    /// Writes `records` to the replicated store, or restores `before` if that fails. Returns why it
    /// failed; "" if the store has them, or if there is no store.
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

  /// Holds the content of the journal.
  struct Stored {
    tl::expected<std::shared_ptr<Journal>, std::string> journal;
    partitions::SharedRuntime partitions;
    std::vector<std::string> messages;  // for the log: what is left out of it, and why
  };
  /// Reads the journal, or creates it if there is none; on any thread, since the disk may be slow.
  static Stored read(const std::filesystem::path& dir, bool fsync);
  /// Opens the store, once. Without a journal the store refuses changes, and a condition says why.
  void open(Stored stored);
  /// Returns once open() was called, or the store ends. Until then current() does not have the
  /// partitions: no client may get an answer from it.
  boost::asio::awaitable<void> opened();
  /// Never returns null.
  partitions::SharedRuntime current() const;
  /// Waits for open(), and returns when the change is stored.
  boost::asio::awaitable<ChangeResult> change(partitions::Change change, std::string by);
  /// Returns the time of the latest change since the start of the manager; nothing if there was
  /// none.
  std::optional<partitions::UnixTime> changed_at() const;
  /// Takes over the partitions of the former master, and announces them like any other change.
  void adopt(partitions::RuntimePartitions taken);
  /// True if the journal has current().
  bool is_on_disk() const;
  /// Removes what has expired; called when this manager has become MASTER.
  void check_expiry();

 private:
  class Core;
  std::shared_ptr<Core> core_;  // shared with the coroutine that writes
};

}  // namespace sm
