#pragma once
// A StateReplica is one subnet manager's part in a replicated state: as standby it holds the
// content of the store, as master it keeps the store equal to its own state. One coroutine follows
// the content of the store (replica_content.cpp), another one makes it equal to the manager's own
// state (replica_writes.cpp).

#include <algorithm>
#include <boost/asio/awaitable.hpp>
#include <chrono>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fabric/condition.h"
#include "mad/backoff.h"
#include "mad/ids.h"
#include "mad/runtime.h"
#include "sm/store/replica/marks.h"
#include "sm/store/replica/record_seal.h"
#include "sm/store/replica/shared_records.h"
#include "sm/store/replica/state_store.h"
#include "sm/store/replica/store_history.h"

namespace sm {

/// These are the sections of the store.
namespace section {
inline constexpr std::string_view kRegistrations = "registrations";
inline constexpr std::string_view kLids = "lids";
inline constexpr std::string_view kMKeys = "m_keys";
inline constexpr std::string_view kKeyVersion = "key_version";  // what keys are derived with
inline constexpr std::string_view kConfiguration = "configuration";
inline constexpr std::string_view kSettings = "settings";      // values of options, without secrets
inline constexpr std::string_view kPartitions = "partitions";  // of the API
inline constexpr std::string_view kKeptPKeys = "kept_p_keys";  // of unknown origin
inline constexpr std::string_view kChanges = "changes";        // of partitions: who and when
inline constexpr std::string_view kIsolations = "isolations";  // orders of operators
inline constexpr std::string_view kArGroups = "ar_groups";  // numbers of groups of adaptive routing
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
  /// False if another manager may have led since, of which this copy of the store does not know.
  bool is_latest = true;
};

struct ReplicaStatus {
  bool leading = false;    // this manager claimed the store
  bool reachable = false;  // the latest calls were answered
  mad::Guid master;        // that claimed it; Guid{} if none did
  std::uint64_t term = 0;  // of that claim
  std::size_t records = 0;
  std::size_t pending = 0;              // records that the store lacks
  mad::Duration behind{};               // for how long it has lacked some
  StoreRevision revision = 0;           // up to which the store's content is known
  std::string last_error;               // "" if the calls succeed
  bool has_configuration = false;       // of another manager, which claimed the store
  std::optional<StoreCopies> copies{};  // of a store that the managers themselves hold
  std::vector<StorePeer> peers{};       // which hold it
};

/// Says what became of changes that stored() waited for.
struct StoredChanges {
  bool stored = false;
  /// Counts the other managers that hold them; nothing if the store keeps its data by itself.
  std::optional<unsigned> replicated{};
};

/// Maps keys that another manager changed to their texts; nothing: deleted.
using MergedRecords = std::map<std::string, std::optional<std::string>, std::less<>>;

/// Keeps the store equal to the local files, which decide. Pending work is the difference between
/// two maps: changes of one record count once, and the records bound the memory. The content of the
/// store is known from its watch alone: a write counts when the watch returns it.
class StateReplica : public std::enable_shared_from_this<StateReplica> {
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
    /// Makes digests of what managers compare without showing it; nothing: `seal` does. Its secret
    /// must not be known to those who can read the records.
    std::optional<RecordSeal> digests = {};
  };
  /// Starts a replica, which stops with the last pointer that this returned. `runtime` is not
  /// owned, and outlives the coroutines.
  static std::shared_ptr<StateReplica> start(mad::Runtime& runtime,
                                             std::shared_ptr<StateStore> store, Settings settings);
  StateReplica(const StateReplica&) = delete;
  StateReplica& operator=(const StateReplica&) = delete;

  /// Sets a function that is called when records, conditions or the status have changed; on the
  /// runtime's executor.
  void set_on_change(std::function<void()> on_change) { on_change_ = std::move(on_change); }

  /// Sets a function that gets what another manager changed while both led, or before this one led
  /// without the store, and this one did not change: once for a merge, with all of its records. It
  /// puts that in force and passes the sections again, by replace() or set(); what it does not pass
  /// is overwritten. Called while this manager leads, which writes nothing before.
  void set_on_merged(std::function<void(const MergedRecords&)> on_merged) {
    on_merged_ = std::move(on_merged);
  }

  /// Stops leading: another manager is MASTER, or none is. Pending changes are still written until
  /// another manager claims the store.
  void follow();
  /// Names ports at which other subnet managers of this subnet were found.
  void saw_managers(const std::set<mad::Guid>& ports) { store_->set_known_managers(ports); }
  /// Claims the store for this manager, which is MASTER. Nothing else is written before replace().
  /// `predecessor_answered`: when another MASTER was last known to lead. A copy of its state that
  /// is older lacks changes.
  void lead(std::optional<MasterAnswer> predecessor_answered = {});
  /// Waits after lead() until the store is claimed and its content is known, or until `deadline`.
  boost::asio::awaitable<void> found_by(mad::TimePoint deadline);
  /// Returns the state that found_by() has found.
  FoundState found() const;

  /// Sets all records of a section, only while this manager leads; from now on the section of the
  /// store is to have exactly these.
  void replace(std::string_view section, Records records);
  /// True if this manager leads and has passed the section to replace().
  /// Not while the store may have what another manager wrote: that is taken first.
  bool takes(std::string_view section) const {
    return leading_ && !is_late() && given_.contains(section);
  }
  /// Names records of which it is known, after a start without the store, that it had them: if it
  /// lacks them now, another manager has deleted them.
  void had_stored(std::set<std::string, std::less<>> keys) { had_stored_ = std::move(keys); }
  /// True if the store has all records of the section as they are here.
  bool has_section(std::string_view section) const;
  /// Sets one record of a section that was passed to replace(); an empty `text` deletes it.
  void set(const std::string& key, std::optional<std::string> text);
  /// Waits after set() until the store has these keys as they are here, or until `deadline`. They
  /// are not stored if the store has not taken them, or if this manager does not lead.
  boost::asio::awaitable<StoredChanges> stored(std::vector<std::string> keys,
                                               mad::TimePoint deadline) {
    return wait_until_stored(shared_from_this(), std::move(keys), deadline);
  }
  /// Notes that the local files have all that was found. They count if this manager starts again
  /// and no other manager has claimed the store since. Errors: one line with file and reason.
  tl::expected<void, std::string> local_files_are_complete();
  /// Notes that the local files lack changes that the store has: if this manager starts again, the
  /// store counts.
  void local_files_lack_changes() { history_.incomplete(); }
  /// The caller has passed all sections: the master announces that the store is complete as soon as
  /// it is.
  void finish_sections(mad::Lid own_lid);

  /// Leaves the store, which another replica may then open: nothing is read or written any more.
  void stop();

  /// Waits, after SIGTERM, until the store has everything and announces it, or until `deadline`.
  boost::asio::awaitable<void> close(mad::TimePoint deadline);

  /// Returns the records that the store holds.
  Records records(std::string_view section) const {
    return history_.is_old() ? Records() : content_.records(section);
  }
  /// True if the store has a record of the section.
  bool has_records(std::string_view section) const;
  /// Returns what makes digests of values that others must not read.
  const RecordSeal& digests() const {
    return settings_.digests ? *settings_.digests : settings_.seal;
  }
  std::vector<Condition> conditions() const;
  /// Returns the copies of the store that managers hold; nothing if it keeps its data by itself.
  std::optional<StoreCopies> copies() const { return store_->copies(); }
  /// Returns the number of other managers that hold a copy; nothing as StoredChanges has it.
  std::optional<unsigned> replicated() const {
    const std::optional<StoreCopies> copies = store_->copies();
    return copies ? std::optional(copies->current) : std::nullopt;
  }
  ReplicaStatus status() const;

 private:
  using Self = std::shared_ptr<StateReplica>;  // of coroutines, which may outlive the owner
  struct Claim {
    MasterClaim mark;
    StoreGuard guard;
  };

  StateReplica(mad::Runtime& runtime, std::shared_ptr<StateStore> store, Settings settings)
      : runtime_(runtime),
        store_(std::move(store)),
        settings_(std::move(settings)),
        watch_wake_(runtime),
        write_wake_(runtime),
        found_wake_(runtime),
        content_(!is_held_by_managers()),
        history_(settings_.term_file, settings_.prefix) {}
  static boost::asio::awaitable<void> watch_loop(Self self);
  static boost::asio::awaitable<void> write_loop(Self self);
  static boost::asio::awaitable<StoredChanges> wait_until_stored(Self self,
                                                                 std::vector<std::string> keys,
                                                                 mad::TimePoint deadline);
  bool has_stored(std::span<const std::string> keys) const;
  void wake_stored() const {
    for (const auto& wake : stored_waits_) wake->signal();
  }

  std::string full(std::string_view key) const { return settings_.prefix + std::string(key); }
  bool leads() const { return leading_ || draining(); }
  /// True if this manager is no longer master, and the store lacks changes that it acknowledged.
  bool draining() const { return !leading_ && claim_ && has_pending(); }
  bool has_pending() const { return !dirty_.empty() || !unconfirmed_.empty(); }
  bool is_held_by_managers() const { return store_->copies().has_value(); }
  /// True if the manager led on when this one had no copy of its changes any more.
  bool has_led_alone(mad::Guid manager) const;
  /// True if the latest MASTER was this one, to the knowledge of the store.
  bool was_latest(mad::Guid manager) const {
    if (!is_held_by_managers()) return !has_led_alone(manager);
    return manager != settings_.port_guid && predecessor_answered_ && !has_led_alone(manager);
  }
  bool files_cover(const std::optional<MasterClaim>& before) const;
  bool was_found() const { return claim_ && position_ >= claim_->guard.revision; }
  bool is_given(std::string_view key) const {
    return given_.contains(key.substr(0, std::min(key.find('/'), key.size())));
  }

  boost::asio::awaitable<void> take_content(StoreContent content);
  void take_event(const StoreEvent& event);
  void collect_merged(const StoreEvents& events);
  void pass_merged();
  bool is_late() const { return late_ != Late::no; }
  void take_late();
  void note_other_claim(const SharedRecords& before);
  void check_claim();
  void compare(const std::string& key);
  bool is_pending(const std::string& key) const {
    return dirty_.contains(key) || unconfirmed_.contains(key) ||
           std::ranges::binary_search(in_flight_, key);
  }
  void name_lost_orders();
  void keep_own_order(const std::string& key);
  void forget_own();
  void changed();
  boost::asio::awaitable<bool> resume();
  boost::asio::awaitable<void> pause_watch();
  void succeeded();
  void failed(StoreError error);
  void lost_claim();
  const StoreError* fault() const {
    return write_fault_ ? &*write_fault_ : watch_fault_ ? &*watch_fault_ : nullptr;
  }

  boost::asio::awaitable<void> write_step();
  boost::asio::awaitable<void> claim();
  boost::asio::awaitable<void> write_batch();
  boost::asio::awaitable<void> announce(bool for_good);
  boost::asio::awaitable<void> keep_announced();
  StoreChange position_mark() const;

  mad::Runtime& runtime_;
  std::shared_ptr<StateStore> store_;
  Settings settings_;
  mad::WakeUp watch_wake_, write_wake_, found_wake_;
  std::list<std::shared_ptr<mad::WakeUp>> stored_waits_;
  std::function<void()> on_change_;
  std::function<void(const MergedRecords&)> on_merged_;
  bool stopped_ = false;

  // Content of the store
  SharedRecords content_;
  bool synchronised_ = false;  // position_ and content_ count
  StoreRevision position_ = 0;
  std::optional<StoreError> watch_fault_;
  MergedRecords merged_;  // to be passed on when the store has shown all of them
  /// This manager leads, and began without the store, or has lost its claim: the store may have
  /// what another manager wrote.
  enum class Late : std::uint8_t { no, began, lost_claim } late_ = Late::no;
  /// The own records when it began without the store, or the store's before the other claim.
  std::map<std::string, std::string, std::less<>> begun_with_;
  bool has_noted_ = false;                           // the store's are there
  std::set<std::string, std::less<>> changed_late_;  // own keys that were changed since then
  static constexpr mad::Duration kRetryFirst = std::chrono::milliseconds(500),
                                 kRetryLast = std::chrono::seconds(30);
  mad::Backoff watch_pause_{kRetryFirst, kRetryLast};

  // Target content of the store
  bool leading_ = false, given_all_ = false, closing_ = false;
  std::map<std::string, std::string, std::less<>> own_;
  std::set<std::string, std::less<>> given_;  // sections
  std::set<std::string> dirty_;               // keys of own_ and content_ that differ
  std::vector<std::string> in_flight_;        // keys of the commit() under way, ascending
  /// Orders to isolate are acknowledged before the store has them. These were made or released
  /// while this manager led, and the store lacks them.
  std::set<std::string, std::less<>> orders_;
  /// They were given up with the lead, and are named once another manager claims the store.
  MergedRecords lost_orders_;
  std::set<std::string, std::less<>> orders_that_stay_;  // although a merge changes them
  std::set<std::string, std::less<>> had_stored_;        // keys that the store had earlier
  /// Keys of a commit() that failed, in a store that the managers hold: the watch shows its
  /// changes, but they may be in memory alone. They are written again.
  std::set<std::string, std::less<>> unconfirmed_;
  mad::TimePoint dirty_since_{};
  mad::Lid own_lid_;

  // The claim
  std::optional<Claim> claim_;
  std::optional<MasterClaim> predecessor_;  // whose claim this one replaced
  std::optional<Announcement> predecessor_said_;
  bool had_claim_ = false;                 // since lead()
  bool by_other_ = false;                  // another manager claimed the store since
  std::optional<MasterClaim> waited_for_;  // its claim, before which fenced_pause_ was kept
  StoreHistory history_;
  std::string predecessor_is_old_;  // why its state is not used
  std::optional<MasterAnswer> predecessor_answered_;
  StoreRevision written_ = 0;  // to come back by the watch
  StoreRevision marked_ = 0;   // of the latest position mark
  StoreLease lease_ = 0;
  bool announced_ = false, closed_ = false;
  mad::TimePoint keep_due_{}, next_write_{};
  std::optional<StoreError> write_fault_;
  /// A master waits for this time before it claims a store again that another manager has claimed:
  /// a manager that is no longer MASTER has noticed that by then.
  static constexpr mad::Duration kFencedFirst = std::chrono::seconds(30),
                                 kFencedLast = std::chrono::minutes(10);
  mad::Backoff write_pause_{kRetryFirst, kRetryLast}, fenced_pause_{kFencedFirst, kFencedLast};
};

}  // namespace sm
