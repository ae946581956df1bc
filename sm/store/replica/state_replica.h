#pragma once
// A StateReplica is one subnet manager's part in a replicated state: as standby it holds the
// content of the store, as master it keeps the store equal to its own state.

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

/// These are the sections of the store.
namespace section {
inline constexpr std::string_view kRegistrations = "registrations";
inline constexpr std::string_view kLids = "lids";
inline constexpr std::string_view kMKeys = "m_keys";
inline constexpr std::string_view kKeyVersion = "key_version";  // what keys are derived with
inline constexpr std::string_view kConfiguration = "configuration";
inline constexpr std::string_view kPartitions = "partitions";  // of the API
}  // namespace section

/// Holds the state that a manager finds when it becomes master.
struct FoundState {
  Records records{};
  /// Names the manager that wrote the records, and its LID. Guid{} means that the local files
  /// count: there are no records, or they are not newer.
  mad::Guid manager{};
  mad::Lid manager_lid{};
  /// Says why changes may be missing; "" if none are missing, except those of the manager's last
  /// moments.
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

/// Keeps the store equal to the local files, which decide. Pending work is the difference between
/// two maps: changes of one record count once, and the records bound the memory. The content of the
/// store is known from its watch alone: a write counts when the watch returns it.
class StateReplica {
 public:
  struct Settings {
    std::string prefix;  // of all keys; ends with '/'
    RecordSeal seal;
    mad::Guid port_guid;
    /// Keeps the term of the latest claim after which the local files were complete, and the latest
    /// state of the store that was seen (store_history.h). Empty means that nothing is kept.
    std::filesystem::path term_file = {};
    /// The master's announcement that the store has all of its changes lasts for this time if the
    /// master does not renew it.
    std::chrono::seconds announced_for{10};
  };
  /// `runtime` is not owned, and outlives the coroutines.
  StateReplica(mad::Runtime& runtime, std::shared_ptr<StateStore> store, Settings settings);
  ~StateReplica();
  StateReplica(const StateReplica&) = delete;
  StateReplica& operator=(const StateReplica&) = delete;

  /// Sets a function that is called when records, conditions or the status have changed; on the
  /// runtime's executor.
  void set_on_change(std::function<void()> on_change);

  /// Stops leading: another manager is MASTER, or none is. Pending changes are still written until
  /// another manager claims the store.
  void follow();
  /// Claims the store for this manager, which is MASTER. Nothing else is written before replace().
  void lead();
  /// Waits after lead() until the store is claimed and its content is known, or until `deadline`.
  boost::asio::awaitable<void> found_by(mad::TimePoint deadline);
  /// Returns the state that found_by() has found.
  FoundState found() const;

  /// Sets all records of a section, only while this manager leads; from now on the section of the
  /// store is to have exactly these.
  void replace(std::string_view section, Records records);
  /// Sets one record of a section that was passed to replace(); an empty `text` deletes it.
  void set(const std::string& key, std::optional<std::string> text);
  /// Waits after set() until the store has these keys as they are here, or until `deadline`.
  /// Returns false if it does not, or if this manager does not lead. One call at a time.
  boost::asio::awaitable<bool> stored(std::vector<std::string> keys, mad::TimePoint deadline);
  /// Notes that the local files have all that was found. They count if this manager starts again
  /// and no other manager has claimed the store since. Errors: one line with file and reason.
  tl::expected<void, std::string> local_files_are_complete();
  /// The caller has passed all sections: the master announces that the store is complete as soon as
  /// it is.
  void finish_sections(mad::Lid own_lid);

  /// Waits, after SIGTERM, until the store has everything and announces it, or until `deadline`.
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
