#pragma once

#include <spdlog/logger.h>

#include <boost/asio/awaitable.hpp>
#include <memory>
#include <optional>

#include "fabric/subnet.h"
#include "mad/attributes/sm_info.h"
#include "mad/runtime.h"
#include "sm/conditions/condition_log.h"
#include "sm/context/sweep_context.h"
#include "sm/events/manager_events.h"
#include "sm/partitions/partition_store.h"
#include "sm/sa/administrator.h"
#include "sm/store/replica/state_replica.h"
#include "sm/sweep/sweeper.h"

namespace sm {

/// Shares registrations, LIDs, M_Keys and digests of the configuration with other managers by a
/// replicated store. As MASTER it gives its own, when it becomes MASTER it takes what the one
/// before gave. Without a store it does nothing, and a takeover lets clients register again.
class Replication {
 public:
  /// How long a manager that becomes MASTER waits for the store.
  static constexpr mad::Duration kWaitMax = std::chrono::milliseconds(500);

  /// None of the references is owned. `replica` may be null.
  Replication(mad::Runtime& runtime, std::unique_ptr<StateReplica> replica, spdlog::logger& log,
              ConditionLog& conditions, sa::Administrator& administrator, Sweeper& sweeper,
              PartitionStore& partitions);
  ~Replication() { *alive_ = false; }

  /// Takes the configuration that counts from now on: a standby compares it with the master's, and
  /// the master gives it to standbys.
  void configured(const SweepContext& context);
  void entered(mad::SmState state);
  /// Before the first sweep as MASTER is programmed: administrator and sweeper begin with what the
  /// store has, if that is newer than what they have.
  boost::asio::awaitable<void> take_over();
  /// The administrator has prepared a sweep: from now on its registrations are those of the subnet.
  void prepared();
  void registered(const RegistrationsStored& stored);
  /// Changes of partitions: returns when the store has `records`, with "". If it does not within
  /// kStoreTimeout, `before` is what it is to have again, and the reason is returned. Without a
  /// store, "" at once.
  boost::asio::awaitable<std::string> store(std::vector<partitions::RecordChange> records,
                                            std::vector<partitions::RecordChange> before);
  static constexpr mad::Duration kStoreTimeout = std::chrono::seconds(5);
  /// Before keys of another version are set: returns when the store has it, or after kWaitMax. By
  /// their clocks other managers know it without the store, too.
  boost::asio::awaitable<void> store_key_version(KeyVersion version);
  /// A sweep ended.
  void programmed(const Subnet& subnet);
  /// The manager ends: what the store lacks is written, if it answers. Nothing is shared
  /// afterwards.
  boost::asio::awaitable<void> close();

  std::optional<ReplicaStatus> status() const;

 private:
  void on_change();
  void give_registrations();
  void give_partitions();
  void compare_configuration();

  mad::Runtime& runtime_;
  std::unique_ptr<StateReplica> replica_;
  spdlog::logger& log_;
  ConditionLog& conditions_;
  sa::Administrator& administrator_;
  Sweeper& sweeper_;
  PartitionStore& partitions_;
  enum class Stage : std::uint8_t {
    following,
    became_master,  // nothing was taken over yet
    took_over,      // the registrations are to be prepared
    giving,
  };
  Stage stage_ = Stage::following;
  Records configuration_;  // digests of what is configured here
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace sm
