#pragma once
// One subnet manager's part in a replicated state: as standby it holds what the store has, as
// master it keeps the store equal to its own state.

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fabric/condition.h"
#include "mad/ids.h"
#include "mad/runtime.h"
#include "sm/store/replica/record_seal.h"
#include "sm/store/replica/shared_records.h"
#include "sm/store/replica/state_store.h"

namespace sm {

/// The sections.
namespace section {
inline constexpr std::string_view kRegistrations = "registrations";
inline constexpr std::string_view kLids = "lids";
inline constexpr std::string_view kMKeys = "m_keys";
inline constexpr std::string_view kKeyVersion = "key_version";  // what keys are derived with
inline constexpr std::string_view kConfiguration = "configuration";
inline constexpr std::string_view kPartitions = "partitions";  // of the API
}  // namespace section

/// The state that a manager finds when it becomes master.
struct FoundState {
  Records records{};
  /// The manager that wrote them, and its LID. Guid{}: they are not newer than the local files, or
  /// there are none: the local files count.
  mad::Guid manager{};
  mad::Lid manager_lid{};
  /// Why changes may be missing; "": none are, up to those of the manager's last moments.
  std::string missing{};
};

struct ReplicaStatus {
  bool leading = false;    // this manager claimed the store
  bool reachable = false;  // the latest calls were answered
  mad::Guid master;        // that claimed it; Guid{} if none did
  std::uint64_t term = 0;  // of that claim
  std::size_t records = 0;
  std::size_t pending = 0;     // records that the store lacks
  mad::Duration behind{};      // for how long it has lacked some
  StoreRevision revision = 0;  // up to which the store's content is known
  std::string last_error;      // "" if there is none
};

/// The local files decide; the store follows. All that is pending is the difference between two
/// maps, so that changes of one record are one, and memory is bounded by the records themselves.
/// The content of the store is known from its watch alone: a write counts when it comes back.
class StateReplica {
 public:
  struct Settings {
    std::string prefix;  // of all keys; ends with '/'
    RecordSeal seal;
    mad::Guid port_guid;
    /// Keeps the term of the latest claim after which the local files were complete, and how far
    /// the store was when it was last seen (store_history.h). Empty: they are not kept.
    std::filesystem::path term_file = {};
    /// How long the master's announcement that the store has all of its changes lasts without it.
    std::chrono::seconds announced_for{10};
  };
  /// `runtime` is not owned, and outlives the coroutines.
  StateReplica(mad::Runtime& runtime, std::shared_ptr<StateStore> store, Settings settings);
  ~StateReplica();
  StateReplica(const StateReplica&) = delete;
  StateReplica& operator=(const StateReplica&) = delete;

  /// Called when records, conditions or the status have changed; on the runtime's executor.
  void set_on_change(std::function<void()> on_change);

  /// Another manager is MASTER, or none. Pending changes are still written until another manager
  /// claims the store.
  void follow();
  /// This manager is MASTER: claims the store. Nothing else is written before replace().
  void lead();
  /// After lead(): waits until the store is claimed and its content is known, or for `deadline`.
  boost::asio::awaitable<void> found_by(mad::TimePoint deadline);
  /// Returns the state that was found then.
  FoundState found() const;

  /// The own state, only while leading. All records of a section; from now on the store is to have
  /// these and no others in it.
  void replace(std::string_view section, Records records);
  /// One record of a section that was given before; nothing: it is deleted.
  void set(const std::string& key, std::optional<std::string> text);
  /// After set(): waits until the store has these keys as they are here, or for `deadline`. False:
  /// it does not, or this manager does not lead. One call at a time.
  boost::asio::awaitable<bool> stored(std::vector<std::string> keys, mad::TimePoint deadline);
  /// The local files have all that was found: should this manager start again, and no other one
  /// have claimed the store since, they count. Errors: one line with file and reason.
  tl::expected<void, std::string> local_files_are_complete();
  /// All sections were given: the master announces that the store is complete as soon as it is.
  void all_is_given(mad::Lid own_lid);

  /// SIGTERM: waits until the store has everything and says so, or for `deadline`.
  boost::asio::awaitable<void> close(mad::TimePoint deadline);

  /// Returns the records that the store holds.
  Records records(std::string_view section) const;
  const RecordSeal& seal() const;
  std::vector<Condition> conditions() const;
  ReplicaStatus status() const;

 private:
  class Core;
  std::shared_ptr<Core> core_;  // shared with the coroutines
};

}  // namespace sm
