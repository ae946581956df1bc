#pragma once
// A StateReplica and its two coroutines share a Core. One coroutine follows the content of the
// store (replica_content.cpp), the other one makes it equal to the manager's own state
// (replica_writes.cpp).

#include <boost/asio/awaitable.hpp>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "mad/backoff.h"
#include "sm/store/replica/marks.h"
#include "sm/store/replica/state_replica.h"
#include "sm/store/replica/store_history.h"

namespace sm {

class StateReplica::Core {
 public:
  Core(mad::Runtime& runtime, std::shared_ptr<StateStore> store, Settings settings)
      : runtime_(runtime),
        store_(std::move(store)),
        settings_(std::move(settings)),
        watch_wake_(runtime),
        write_wake_(runtime),
        found_wake_(runtime),
        stored_wake_(runtime),
        history_(settings_.term_file, settings_.prefix) {}

  static boost::asio::awaitable<void> watch_loop(std::shared_ptr<Core> self);
  static boost::asio::awaitable<void> write_loop(std::shared_ptr<Core> self);
  void stop();

  void follow();
  void lead();
  boost::asio::awaitable<void> found_by(mad::TimePoint deadline);
  FoundState found() const;
  void replace(std::string_view section, Records records);
  void set(const std::string& key, std::optional<std::string> text);
  static boost::asio::awaitable<bool> stored(std::shared_ptr<Core> self,
                                             std::vector<std::string> keys,
                                             mad::TimePoint deadline);
  tl::expected<void, std::string> local_files_are_complete();
  void finish_sections(mad::Lid own_lid);
  boost::asio::awaitable<void> close(mad::TimePoint deadline);

  Records records(std::string_view section) const {
    return history_.is_old() ? Records() : content_.records(section);
  }
  std::vector<Condition> conditions() const;
  ReplicaStatus status() const;

  std::function<void()> on_change;
  const RecordSeal& seal() const { return settings_.seal; }

 private:
  struct Claim {
    MasterClaim mark;
    StoreGuard guard;
  };

  std::string full(std::string_view key) const { return settings_.prefix + std::string(key); }
  bool leads() const { return leading_ || draining(); }
  /// True if this manager is no longer master, and the store lacks changes that it acknowledged.
  bool draining() const { return !leading_ && claim_ && !dirty_.empty(); }
  bool was_found() const { return claim_ && position_ >= claim_->guard.revision; }
  bool is_given(std::string_view key) const {
    return given_.contains(key.substr(0, std::min(key.find('/'), key.size())));
  }

  boost::asio::awaitable<void> take_content(StoreContent content);
  void take_event(const StoreEvent& event);
  void check_claim();
  void compare(const std::string& key);
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
  mad::WakeUp watch_wake_, write_wake_, found_wake_, stored_wake_;
  bool stopped_ = false;

  // Content of the store
  SharedRecords content_;
  bool synchronised_ = false;  // position_ and content_ count
  StoreRevision position_ = 0;
  std::optional<StoreError> watch_fault_;
  static constexpr mad::Duration kRetryFirst = std::chrono::milliseconds(500),
                                 kRetryLast = std::chrono::seconds(30);
  mad::Backoff watch_pause_{kRetryFirst, kRetryLast};

  // Target content of the store
  bool leading_ = false, given_all_ = false, closing_ = false;
  std::map<std::string, std::string, std::less<>> own_;
  std::set<std::string, std::less<>> given_;  // sections
  std::set<std::string> dirty_;               // keys of own_ and content_ that differ
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
  StoreRevision written_ = 0;       // to come back by the watch
  StoreRevision marked_ = 0;        // of the latest position mark
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
