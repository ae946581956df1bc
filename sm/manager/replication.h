#pragma once

#include <spdlog/logger.h>

#include <boost/asio/awaitable.hpp>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "fabric/subnet.h"
#include "mad/attributes/sm_info.h"
#include "mad/runtime.h"
#include "sm/conditions/condition_log.h"
#include "sm/context/sweep_context.h"
#include "sm/events/manager_events.h"
#include "sm/manager/shared_sections.h"
#include "sm/store/replica/state_replica.h"

namespace sm {

/// Shares the sections of shared_sections() and the configuration with other managers by a
/// replicated store. A MASTER writes its state; a manager that becomes MASTER takes the state of
/// its predecessor. Without a store, a takeover lets clients register again.
class Replication {
 public:
  /// A manager that becomes MASTER waits at most this long for the store.
  static constexpr mad::Duration kWaitMax = std::chrono::milliseconds(500);

  /// Owns none of the references. `replica` may be null.
  Replication(mad::Runtime& runtime, std::shared_ptr<StateReplica> replica, spdlog::logger& log,
              ConditionLog& conditions, const SharedParts& parts);

  /// Takes the configuration that is in force from now on: a standby compares it with the master's,
  /// and the master shares it with standbys.
  void configured(const SweepContext& context);
  /// `master_answered`: when another MASTER has last answered to this manager.
  void entered(mad::SmState state, std::optional<MasterAnswer> master_answered);
  /// Other managers of this subnet were found at these ports.
  void saw_managers(const std::set<mad::Guid>& ports) const {
    if (replica_) replica_->saw_managers(ports);
  }
  /// Gives the parts the state of the store, if it is newer than theirs; called before the first
  /// sweep as MASTER is programmed. Returns true if it has done so.
  boost::asio::awaitable<bool> take_over();
  /// Called after the administrator has prepared a sweep: its registrations belong to the subnet.
  void prepared();
  void registered(const RegistrationsStored& stored);
  /// False for a MASTER that has not taken over yet: what operators order now would be replaced.
  bool takes_orders() const { return !replica_ || stage_ == Stage::giving; }
  /// Passes the records of a section, which have changed, to the store.
  void changed(std::string_view section);
  /// Returns how many other managers hold this section as it is now, after kShareMax at most, which
  /// is longer than a store waits for one of several managers; nothing if a store holds it that
  /// keeps its data by itself.
  static constexpr mad::Duration kShareMax = std::chrono::milliseconds(2200);
  boost::asio::awaitable<std::optional<unsigned>> shared(std::string_view section);
  /// Stores a version before its keys are set. Returns when the store has it, or after kWaitMax;
  /// without the store, other managers derive the version from their clocks.
  boost::asio::awaitable<void> store_key_version(KeyVersion version);
  /// Called at the end of a sweep.
  void programmed(const Subnet& subnet);
  /// Writes what the store lacks, if it answers, because the manager ends. Nothing is shared
  /// afterwards.
  boost::asio::awaitable<void> close();

  std::optional<ReplicaStatus> status() const;
  /// Maps options that must be equal and are not to the master's values, without secrets; empty at
  /// a MASTER. The values may be equal: then secrets or contents of files differ.
  const std::map<std::string, std::string, std::less<>>& masters_options() const {
    return masters_options_;
  }

 private:
  void on_change();
  void give(SharedSection::Given when);
  void merge(const MergedRecords& records);
  std::vector<std::string> keys_of(std::string_view name) const;
  void give_configuration();
  void compare_configuration();

  mad::Runtime& runtime_;
  std::shared_ptr<StateReplica> replica_;
  spdlog::logger& log_;
  ConditionLog& conditions_;
  const SharedParts parts_;
  const std::vector<SharedSection> sections_;
  enum class Stage : std::uint8_t {
    following,
    became_master,  // nothing was taken over yet
    took_over,      // the registrations are to be prepared
    giving,
  };
  Stage stage_ = Stage::following;
  MergedRecords early_;  // came while nothing was taken over yet
  /// Records that merges have rejected; named until this manager is no longer MASTER.
  SharedSection::Rejected rejected_by_merges_;
  Records configuration_;  // digests of what is configured here
  Records settings_;       // its values, without secrets
  std::map<std::string, std::string, std::less<>> masters_options_;
};

}  // namespace sm
