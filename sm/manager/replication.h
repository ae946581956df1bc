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
/// replicated store. A MASTER writes its state; a manager that becomes MASTER takes the state of
/// its predecessor. Without a store, a takeover lets clients register again.
class Replication {
 public:
  /// A manager that becomes MASTER waits at most this long for the store.
  static constexpr mad::Duration kWaitMax = std::chrono::milliseconds(500);

  /// Owns none of the references. `replica` may be null.
  Replication(mad::Runtime& runtime, std::shared_ptr<StateReplica> replica, spdlog::logger& log,
              ConditionLog& conditions, sa::Administrator& administrator, Sweeper& sweeper,
              PartitionStore& partitions);

  /// Takes the configuration that is in force from now on: a standby compares it with the master's,
  /// and the master shares it with standbys.
  void configured(const SweepContext& context);
  void entered(mad::SmState state);
  /// Gives administrator and sweeper the state of the store, if it is newer than theirs; called
  /// before the first sweep as MASTER is programmed.
  boost::asio::awaitable<void> take_over();
  /// Called after the administrator has prepared a sweep: its registrations belong to the subnet.
  void prepared();
  void registered(const RegistrationsStored& stored);
  /// Stores a version before its keys are set. Returns when the store has it, or after kWaitMax;
  /// without the store, other managers derive the version from their clocks.
  boost::asio::awaitable<void> store_key_version(KeyVersion version);
  /// Called at the end of a sweep.
  void programmed(const Subnet& subnet);
  /// Writes what the store lacks, if it answers, because the manager ends. Nothing is shared
  /// afterwards.
  boost::asio::awaitable<void> close();

  std::optional<ReplicaStatus> status() const;

 private:
  void on_change();
  void give_registrations();
  void give_partitions();
  void compare_configuration();

  mad::Runtime& runtime_;
  std::shared_ptr<StateReplica> replica_;
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
};

}  // namespace sm
