#pragma once

#include <spdlog/logger.h>

#include <boost/asio/awaitable.hpp>
#include <chrono>
#include <deque>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "mad/backoff.h"
#include "mad/runtime.h"
#include "partitions/runtime_partitions.h"
#include "sm/conditions/condition_log.h"
#include "sm/partitions/partition_service.h"
#include "sm/store/replica/state_replica.h"

namespace sm {
class Journal;

/// Says what a stored change changed.
struct PartitionsStored {
  std::vector<mad::Guid> guids;                       // whose memberships changed, ascending
  bool partitions_changed = false;                    // attributes, or which partitions there are
  std::vector<partitions::MembershipKey> ended = {};  // deleted, or expired
};

inline constexpr std::string_view kPartitionsFile = "partitions";

/// Stores partitions of the API on disk, and changes them. All calls but read() run on the
/// runtime's thread; the store owns none of the references.
class PartitionStore : public std::enable_shared_from_this<PartitionStore> {
 public:
  static constexpr std::size_t kWaitingMax = 1'000;

  struct Replicated {
    std::string failure = {};              // one sentence; "" if it did not fail
    std::optional<unsigned> managers = 0;  // as StoredChange::replicated has it
  };
  using Replicate = std::function<boost::asio::awaitable<Replicated>(
      std::vector<partitions::RecordChange> records, std::vector<partitions::RecordChange> before)>;
  struct Services {
    /// Returns why changes are refused now; "" if they are accepted.
    std::function<std::string()> refuses;
    std::function<void(const PartitionsStored&)> stored = {};  // after each change
    /// Writes `records` to the replicated store, or restores `before` if that fails. It does not
    /// fail if there is no store.
    Replicate replicate;
    std::function<partitions::UnixTime()> wall_clock;
  };
  static constexpr mad::Duration kReplicationTimeout = std::chrono::seconds(5);
  /// Returns Services::replicate for a manager's part in the replicated state; an empty pointer
  /// means that there is no store. The store has kReplicationTimeout for each call.
  static Replicate replicate_to(mad::Runtime& runtime, std::weak_ptr<StateReplica> replica);
  /// Starts a store, which ends with the last pointer that this returned: then the batch that is
  /// being written is on disk, and changes that wait fail.
  static std::shared_ptr<PartitionStore> start(mad::Runtime& runtime, ConditionLog& conditions,
                                               spdlog::logger& log, Services services);
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
  boost::asio::awaitable<void> opened() { return wait_until_open(shared_from_this()); }
  /// Never returns null.
  partitions::SharedRuntime current() const { return current_; }
  /// Waits for open(), and returns when the change is stored.
  boost::asio::awaitable<ChangeResult> change(partitions::Change change, std::string by) {
    return change_when_open(shared_from_this(), std::move(change), std::move(by));
  }
  /// Returns the time of the latest change since the start of the manager; nothing if there was
  /// none.
  std::optional<partitions::UnixTime> changed_at() const { return changed_at_; }
  /// Returns the latest changes that are known: since the start of the manager, and those that the
  /// replicated store had at a takeover. Never null.
  const std::shared_ptr<const NamedChanges>& changes() const { return changes_; }
  /// Takes over the changes that the former master has answered, in place of those that were known.
  void adopt(std::span<const NamedChange> changes);
  /// Takes over the partitions of the former master, and announces them like any other change.
  void adopt(partitions::RuntimePartitions taken);
  /// Adds changes that another manager has answered while both led.
  void merge(std::span<const NamedChange> changes);
  /// Takes partitions that have the changes of another manager that led, too. `ended`: memberships
  /// that it has deleted.
  void merge(partitions::RuntimePartitions merged, std::vector<partitions::MembershipKey> ended);
  /// True if the journal has current().
  bool is_on_disk() const { return journal_ && !stale_ && !batch_; }
  /// Removes what has expired; called when this manager has become MASTER.
  void check_expiry() { arm_expiry(); }

 private:
  using Self = std::shared_ptr<PartitionStore>;  // of coroutines, which may outlive the owner
  struct Pending {
    partitions::Change change;
    std::string by;
    std::function<void(ChangeResult)> done;
  };
  struct Batch;

  PartitionStore(mad::Runtime& runtime, ConditionLog& conditions, spdlog::logger& log,
                 Services services);
  static boost::asio::awaitable<void> loop(Self self);
  static boost::asio::awaitable<void> wait_until_open(Self self);
  static boost::asio::awaitable<ChangeResult> change_when_open(Self self, partitions::Change change,
                                                               std::string by);
  void stop();
  boost::asio::awaitable<void> aside(std::function<void()> work);
  boost::asio::awaitable<void> store_batch(std::shared_ptr<Batch> batch);
  void take(partitions::RuntimePartitions taken, std::vector<partitions::MembershipKey> ended);
  std::vector<partitions::RecordChange> records_at(const partitions::RuntimePartitions& base,
                                                   const Batch& batch) const;
  boost::asio::awaitable<Replicated> replicate(const Batch& batch);
  boost::asio::awaitable<void> restore(const Batch& batch);
  void publish(const Batch& batch);
  NamedChanges find_names(const Batch& batch) const;
  void report(const tl::expected<void, std::string>& result);
  void arm_expiry();
  void expire();
  boost::asio::awaitable<ChangeResult> enqueue(partitions::Change change, std::string by);

  mad::Runtime& runtime_;
  ConditionLog& conditions_;
  spdlog::logger& log_;
  Services services_;
  mad::WakeUp wake_;
  std::unique_ptr<mad::Timer> expiry_timer_;
  std::optional<partitions::UnixTime> changed_at_;
  std::shared_ptr<const NamedChanges> changes_ = std::make_shared<const NamedChanges>();
  partitions::SharedRuntime current_ = std::make_shared<const partitions::RuntimePartitions>();
  std::shared_ptr<Journal> journal_;
  bool is_open_ = false;
  std::vector<std::shared_ptr<mad::WakeUp>> wait_for_open_;  // one for each coroutine that waits
  std::string why_no_journal_;                               // once it is open
  std::deque<Pending> waiting_;
  std::shared_ptr<Batch> batch_;  // null: no batch is under way
  bool stale_ = false;            // the journal lacks what adopt() gave
  bool fails_ = false;            // the disk took nothing the last time; it is tried again
  mad::Backoff retry_{std::chrono::seconds(1), std::chrono::seconds(30)};
  mad::TimePoint retry_at_{};
  bool stopped_ = false;
};

}  // namespace sm
