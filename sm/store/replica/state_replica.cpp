#include "sm/store/replica/state_replica.h"

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <functional>
#include <numeric>
#include <set>
#include <utility>

#include "mad/backoff.h"
#include "mad/format.h"
#include "sm/store/replica/marks.h"
#include "sm/store/replica/store_history.h"

namespace sm {
namespace asio = boost::asio;

namespace {

constexpr std::size_t kBatch = 1024;  // records in one call
constexpr std::size_t kSlice = 1000;  // records that are authenticated at a time: about 2 ms
constexpr mad::Duration kRetryFirst = std::chrono::milliseconds(500),
                        kRetryLast = std::chrono::seconds(30);
/// Before a master claims a store again that another manager has claimed: a manager that is no
/// longer MASTER has noticed by then.
constexpr mad::Duration kFencedFirst = std::chrono::seconds(30),
                        kFencedLast = std::chrono::minutes(10);

}  // namespace

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

  static asio::awaitable<void> watch_loop(std::shared_ptr<Core> self);
  static asio::awaitable<void> write_loop(std::shared_ptr<Core> self);
  void stop();

  void follow();
  void lead();
  asio::awaitable<void> found_by(mad::TimePoint deadline);
  FoundState found() const;
  void replace(std::string_view section, Records records);
  void set(const std::string& key, std::optional<std::string> text);
  static asio::awaitable<bool> stored(std::shared_ptr<Core> self, std::vector<std::string> keys,
                                      mad::TimePoint deadline);
  tl::expected<void, std::string> local_files_are_complete();
  void all_is_given(mad::Lid own_lid);
  asio::awaitable<void> close(mad::TimePoint deadline);

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
  /// No longer master, and what it acknowledged is not all in the store.
  bool draining() const { return !leading_ && claim_ && !dirty_.empty(); }
  bool was_found() const { return claim_ && position_ >= claim_->guard.revision; }
  bool is_given(std::string_view key) const {
    return given_.contains(key.substr(0, std::min(key.find('/'), key.size())));
  }

  asio::awaitable<void> take_content(StoreContent content);
  void take_event(const StoreEvent& event);
  void check_claim();
  void compare(const std::string& key);
  void forget_own();
  void changed();
  asio::awaitable<bool> resume();
  asio::awaitable<void> pause_watch();
  void succeeded();
  void failed(StoreError error);
  void lost_claim();
  const StoreError* fault() const {
    return write_fault_ ? &*write_fault_ : watch_fault_ ? &*watch_fault_ : nullptr;
  }

  asio::awaitable<void> write_step();
  asio::awaitable<void> claim();
  asio::awaitable<void> write_batch();
  asio::awaitable<void> announce(bool for_good);
  asio::awaitable<void> keep_announced();
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
  mad::Backoff write_pause_{kRetryFirst, kRetryLast}, fenced_pause_{kFencedFirst, kFencedLast};
};

// ------------------------------------------------------------------------------------------
// Content of the store

asio::awaitable<void> StateReplica::Core::watch_loop(std::shared_ptr<Core> self) {
  Core& core = *self;
  const std::string prefix = core.settings_.prefix;
  while (!core.stopped_) {
    if (!core.synchronised_) {
      auto content = co_await core.store_->read(prefix);
      if (core.stopped_) co_return;
      if (!content) {
        core.watch_fault_ = content.error();
        core.changed();
        co_await core.pause_watch();
        continue;
      }
      co_await core.take_content(std::move(*content));
      if (core.stopped_) co_return;
    }
    const auto events = co_await core.store_->watch(prefix, core.position_);
    if (core.stopped_) co_return;
    if (events) {
      const bool recovered = core.watch_fault_.has_value();
      core.watch_fault_.reset();
      core.watch_pause_.reset();
      for (const StoreEvent& event : events->events) core.take_event(event);
      core.position_ = events->revision;
      core.check_claim();
      if (recovered || !events->events.empty()) core.changed();
    } else if (events.error().fault == StoreFault::compacted) {
      core.synchronised_ = false;
    } else {
      core.watch_fault_ = events.error();
      core.changed();
      co_await core.pause_watch();
      if (!core.stopped_ && !co_await core.resume()) core.synchronised_ = false;
    }
  }
}

asio::awaitable<void> StateReplica::Core::pause_watch() {
  const mad::TimePoint end = runtime_.now() + watch_pause_.next();
  while (!stopped_ && runtime_.now() < end) co_await watch_wake_.wait_until(end);
}

/// After the watch was interrupted: it can go on from its revision if this is still the same
/// history of the store, which a store that has lost its data since does not have.
asio::awaitable<bool> StateReplica::Core::resume() {
  const auto mark = co_await store_->read(full(kMastershipKey));
  if (stopped_ || !mark) co_return true;  // the next watch() says why
  const SharedRecords::Stored* const known = content_.find(kMastershipKey);
  if (mark->entries.empty()) co_return known == nullptr && mark->revision >= position_;
  co_return known != nullptr && known->revision == mark->entries.front().revision;
}

asio::awaitable<void> StateReplica::Core::take_content(StoreContent content) {
  SharedRecords fresh;  // until it is complete, the one before counts
  // In the order of revisions: the first one at the top of a heap, since a sort takes too long.
  std::vector<std::uint32_t> order(content.entries.size());
  std::iota(order.begin(), order.end(), 0u);
  const auto by_revision = [&](std::uint32_t at) { return content.entries[at].revision; };
  std::ranges::make_heap(order, std::ranges::greater{}, by_revision);
  for (std::size_t index = 0; index < content.entries.size(); ++index) {
    std::ranges::pop_heap(order, std::ranges::greater{}, by_revision);
    const StoreEntry& entry = content.entries[order.back()];
    order.pop_back();
    fresh.put(settings_.prefix, settings_.seal, entry.key, entry.value, entry.revision);
    if (index % kSlice != kSlice - 1) continue;
    co_await asio::post(asio::use_awaitable);
    if (stopped_) co_return;
  }
  content_ = std::move(fresh);
  position_ = content.revision;
  synchronised_ = true;
  watch_fault_.reset();
  watch_pause_.reset();
  // Writes before this history began do not come back.
  written_ = std::min(written_, position_);
  const std::optional<mad::TimePoint> since =
      dirty_.empty() ? std::nullopt : std::optional(dirty_since_);
  dirty_.clear();
  for (const auto& [key, value] : content_.all()) compare(key);
  for (const auto& [key, value] : own_) compare(key);
  if (since) dirty_since_ = *since;
  check_claim();
  changed();
}

void StateReplica::Core::take_event(const StoreEvent& event) {
  content_.put(settings_.prefix, settings_.seal, event.key, event.value, event.revision);
  if (event.key.starts_with(settings_.prefix)) compare(event.key.substr(settings_.prefix.size()));
}

void StateReplica::Core::changed() {
  if (synchronised_) history_.note(content_, runtime_.now());
  for (mad::WakeUp* const wake : {&write_wake_, &found_wake_, &stored_wake_}) wake->signal();
  if (on_change) on_change();
}

void StateReplica::Core::stop() {
  stopped_ = true;
  history_.close();
  on_change = {};
  store_->stop();
  for (mad::WakeUp* const wake : {&watch_wake_, &write_wake_, &found_wake_, &stored_wake_})
    wake->signal();
}

// ------------------------------------------------------------------------------------------
// Target content of the store

void StateReplica::Core::follow() {
  if (!leading_) return;
  stored_wake_.signal();
  leading_ = by_other_ = false;
  if (!draining()) forget_own();
  changed();
}

void StateReplica::Core::forget_own() {
  claim_.reset();
  own_.clear();
  given_.clear();
  dirty_.clear();
  announced_ = given_all_ = false;
}

void StateReplica::Core::lead() {
  if (leading_) return;
  forget_own();
  leading_ = true;
  had_claim_ = by_other_ = false;
  fenced_pause_.reset();
  predecessor_.reset();
  predecessor_said_.reset();
  next_write_ = {};
  write_pause_.reset();
  write_wake_.signal();
}

void StateReplica::Core::compare(const std::string& key) {
  if (!is_given(key)) return;
  const auto own = own_.find(key);
  const SharedRecords::Stored* const there = content_.find(key);
  const bool same =
      own == own_.end() ? there == nullptr : there != nullptr && there->text == own->second;
  if (same) {
    dirty_.erase(key);
  } else {
    if (dirty_.empty()) dirty_since_ = runtime_.now();
    dirty_.insert(key);
  }
}

void StateReplica::Core::replace(std::string_view section, Records records) {
  if (!leading_) return;
  given_.emplace(section);
  std::vector<std::string> gone;
  for (auto at = own_.lower_bound(section); at != own_.end() && at->first.starts_with(section);
       ++at) {
    if (is_in(at->first, section) && !records.contains(at->first)) gone.push_back(at->first);
  }
  for (const std::string& key : gone) own_.erase(key);
  for (auto& [key, text] : records) own_.insert_or_assign(key, std::move(text));
  for (auto at = content_.all().lower_bound(section);
       at != content_.all().end() && at->first.starts_with(section); ++at)
    compare(at->first);
  for (auto at = own_.lower_bound(section); at != own_.end() && at->first.starts_with(section);
       ++at)
    compare(at->first);
  write_wake_.signal();
}

void StateReplica::Core::set(const std::string& key, std::optional<std::string> text) {
  if (!leading_ || !is_given(key)) return;
  if (text)
    own_.insert_or_assign(key, std::move(*text));
  else
    own_.erase(key);
  compare(key);
  write_wake_.signal();
}

asio::awaitable<bool> StateReplica::Core::stored(std::shared_ptr<Core> self,
                                                 std::vector<std::string> keys,
                                                 mad::TimePoint deadline) {
  Core& core = *self;
  const auto is_pending = [&core](const std::string& key) { return core.dirty_.contains(key); };
  while (!core.stopped_ && core.leading_) {
    if (core.claim_ && !core.by_other_ && core.synchronised_ &&
        std::ranges::none_of(keys, is_pending))
      co_return true;
    if (core.runtime_.now() >= deadline) co_return false;
    co_await core.stored_wake_.wait_until(deadline);
  }
  co_return false;
}

void StateReplica::Core::all_is_given(mad::Lid own_lid) {
  if (!leading_) return;
  if (own_lid != own_lid_) announced_ = false;
  own_lid_ = own_lid;
  given_all_ = true;
  write_wake_.signal();
}

tl::expected<void, std::string> StateReplica::Core::local_files_are_complete() {
  return leading_ && claim_ ? history_.complete_under(claim_->mark.term)
                            : tl::expected<void, std::string>();
}

// ------------------------------------------------------------------------------------------
// Writes

asio::awaitable<void> StateReplica::Core::write_loop(std::shared_ptr<Core> self) {
  while (!self->stopped_) co_await self->write_step();
}

asio::awaitable<void> StateReplica::Core::write_step() {
  const mad::TimePoint now = runtime_.now();
  if (!leading_ && claim_ && dirty_.empty()) forget_own();
  // Until the store says what it holds, also of one's own last write, there is nothing to decide.
  const bool reads =
      !leads() || !synchronised_ || (claim_ && now >= next_write_ && position_ < written_);
  if (reads) {
    co_await write_wake_.wait_until(mad::TimePoint::max());
  } else if (now < next_write_) {
    co_await write_wake_.wait_until(next_write_);
  } else if (!claim_) {
    co_await claim();
  } else if (announced_ && !closed_ && now >= keep_due_ && (dirty_.empty() || !write_fault_)) {
    co_await keep_announced();  // not while changes cannot be written
  } else if (!dirty_.empty()) {
    co_await write_batch();
  } else if (given_all_ && (!announced_ || (closing_ && !closed_))) {
    co_await announce(closing_);
  } else {
    co_await write_wake_.wait_until(announced_ && !closed_ ? keep_due_ : mad::TimePoint::max());
  }
}

asio::awaitable<void> StateReplica::Core::claim() {
  const SharedRecords::Stored* const there = content_.find(kMastershipKey);
  const std::optional<MasterClaim> before = content_.mastership();
  const std::optional<Announcement> said = content_.announcement();
  if (had_claim_ && before && before->manager != settings_.port_guid && before != waited_for_) {
    waited_for_ = before;
    by_other_ = true;
    next_write_ = runtime_.now() + fenced_pause_.next();
    co_return changed();
  }
  Claim claim{
      .mark = {.manager = settings_.port_guid,
               .term = history_.next_term(before),
               .nonce = runtime_.random()},
      .guard = {.key = full(kMastershipKey), .revision = there == nullptr ? 0 : there->revision}};
  std::vector<StoreChange> changes{
      {.key = claim.guard.key,
       .value = settings_.seal.seal(claim.guard.key, to_text(claim.mark), position_)}};
  const auto made = co_await store_->commit(claim.guard, std::move(changes));
  if (stopped_ || !leading_) co_return;
  if (!made) co_return failed(made.error());
  // A claim that follows one's own, after an answer was lost, has the same predecessor.
  if (!had_claim_ && (!predecessor_ || !before || before->manager != settings_.port_guid)) {
    predecessor_ = before.value_or(MasterClaim{});
    predecessor_said_ = said;
    predecessor_is_old_ = history_.why_old();
  }
  written_ = claim.guard.revision = *made;
  claim_ = std::move(claim);
  had_claim_ = true;
  announced_ = closed_ = false;
  write_fault_.reset();
  write_pause_.reset();
  changed();
}

asio::awaitable<void> StateReplica::Core::write_batch() {
  std::vector<StoreChange> changes;
  changes.reserve(std::min(kBatch, dirty_.size()));
  for (const std::string& key : dirty_) {
    if (changes.size() == kBatch) break;
    const auto own = own_.find(key);
    std::string at = full(key);
    std::optional<std::string> value;
    if (own != own_.end()) value = settings_.seal.seal(at, own->second, position_);
    changes.push_back({.key = std::move(at), .value = std::move(value)});
  }
  const auto made = co_await store_->commit(claim_->guard, std::move(changes));
  if (stopped_ || !claim_) co_return;
  if (!made) co_return failed(made.error());
  written_ = *made;
  succeeded();
}

asio::awaitable<void> StateReplica::Core::announce(bool for_good) {
  if (!for_good) {
    const auto lease = co_await store_->grant(settings_.announced_for);
    if (stopped_ || !claim_) co_return;
    if (!lease) co_return failed(lease.error());
    lease_ = *lease;
  }
  const Announcement announcement{
      .manager = settings_.port_guid, .term = claim_->mark.term, .lid = own_lid_};
  std::string at = full(kAnnouncementKey);
  std::string value = settings_.seal.seal(at, to_text(announcement), position_);
  std::vector<StoreChange> changes;
  changes.push_back({.key = std::move(at),
                     .value = std::move(value),
                     .lease = for_good ? StoreLease{0} : lease_});
  changes.push_back(position_mark());
  const auto made = co_await store_->commit(claim_->guard, std::move(changes));
  if (stopped_ || !claim_) co_return;
  if (!made) co_return failed(made.error());
  written_ = marked_ = *made;
  announced_ = true;
  closed_ = for_good;
  keep_due_ = runtime_.now() + settings_.announced_for / 3;
  write_fault_.reset();
  write_pause_.reset();
  changed();
}

asio::awaitable<void> StateReplica::Core::keep_announced() {
  const auto kept = co_await store_->keep_alive(lease_);
  if (stopped_ || !claim_) co_return;
  if (!kept) co_return failed(kept.error());
  keep_due_ = runtime_.now() + settings_.announced_for / 3;
  if (!*kept) announced_ = false;
  succeeded();
  if (!announced_ || written_ <= marked_ || position_ < written_) co_return;
  std::vector<StoreChange> changes;
  changes.push_back(position_mark());
  const auto made = co_await store_->commit(claim_->guard, std::move(changes));
  if (stopped_ || !claim_) co_return;
  if (!made) co_return failed(made.error());
  written_ = marked_ = *made;
}

StoreChange StateReplica::Core::position_mark() const {
  std::string at = full(kPositionKey);
  std::string value = settings_.seal.seal(at, position_text(claim_->mark), position_);
  return {.key = std::move(at), .value = std::move(value)};
}

void StateReplica::Core::succeeded() {
  write_pause_.reset();
  if (std::exchange(write_fault_, std::nullopt)) changed();
}

void StateReplica::Core::failed(StoreError error) {
  if (error.fault == StoreFault::fenced) return lost_claim();
  next_write_ = runtime_.now() + write_pause_.next();
  write_fault_ = std::move(error);
  changed();
}

/// The guard did not hold, or the store shows another claim.
void StateReplica::Core::lost_claim() {
  claim_.reset();
  announced_ = false;
  if (!leading_) forget_own();
  next_write_ = runtime_.now() + write_pause_.next();
  changed();
}

void StateReplica::Core::check_claim() {
  if (!claim_ || position_ < claim_->guard.revision) return;
  if (const auto now = content_.mastership(); now != claim_->mark) return lost_claim();
  by_other_ = false;
  // The lease ended, or it was deleted.
  if (announced_ && position_ >= written_ && !content_.announcement()) {
    announced_ = closed_ = false;
    write_wake_.signal();
  }
}

// ------------------------------------------------------------------------------------------
// Takeover

asio::awaitable<void> StateReplica::Core::found_by(mad::TimePoint deadline) {
  while (!stopped_ && leading_ && !was_found() && runtime_.now() < deadline)
    co_await found_wake_.wait_until(deadline);
}

FoundState StateReplica::Core::found() const {
  const std::optional<MasterClaim> before = was_found() ? predecessor_ : content_.mastership();
  const std::optional<Announcement> said =
      was_found() ? predecessor_said_ : content_.announcement();
  FoundState found{.missing = was_found() ? predecessor_is_old_ : history_.why_old()};
  if (!found.missing.empty()) return found;
  if (!synchronised_ || watch_fault_ || !was_found()) {
    found.missing = fault() ? fault()->text : "the state store has not answered yet";
  } else if (!content_.rejected().empty()) {
    found.missing =
        fmt::format("{} record{} of the state store rejected", content_.rejected().size(),
                    content_.rejected().size() == 1 ? " was" : "s were");
  } else if (before && before->term > history_.complete_term() &&
             (!said || said->term != before->term || said->manager != before->manager)) {
    found.missing = fmt::format(
        "the manager {} did not write all of its changes to the state store", before->manager);
  }
  if (!before || before->term <= history_.complete_term()) return found;
  found.manager = before->manager;
  if (said && said->manager == before->manager) found.manager_lid = said->lid;
  for (const auto& [key, value] : content_.all())
    if (value.text && key.find('/') != std::string::npos) found.records.emplace(key, *value.text);
  return found;
}

asio::awaitable<void> StateReplica::Core::close(mad::TimePoint deadline) {
  closing_ = true;
  write_wake_.signal();
  while (!stopped_ && leading_ && given_all_ && !(closed_ && position_ >= written_) &&
         runtime_.now() < deadline)
    co_await found_wake_.wait_until(deadline);
}

// ------------------------------------------------------------------------------------------
// For the operator

std::vector<Condition> StateReplica::Core::conditions() const {
  std::vector<Condition> active;
  if (const StoreError* const fault = this->fault()) {
    active.push_back(
        {.id = ConditionId::store_unreachable,
         .text = fmt::format("the state store cannot be used: {}; {}", fault->text,
                             leading_ ? "local files have all changes, which are written to it "
                                        "when it is back"
                                      : "changes of the master are not known here until it is "
                                        "back")});
  }
  ConditionList rejected(ConditionId::store_record_rejected);
  for (const auto& [key, why] : content_.rejected())
    rejected.add(fmt::format("record {}{} of the state store is rejected: {}; it is not used",
                             settings_.prefix, key, why));
  if (history_.is_old()) rejected.add(history_.why_old() + "; it is not used");
  std::ranges::move(rejected.take(), std::back_inserter(active));
  const std::optional<MasterClaim> now = content_.mastership();
  if (leading_ && by_other_ && now) {
    active.push_back({.id = ConditionId::store_behind,
                      .text = fmt::format("the manager {} has claimed the state store while this "
                                          "one is MASTER; nothing is written to it until one of "
                                          "the two hands over",
                                          now->manager),
                      .guid = now->manager});
  } else if (!leading_ && synchronised_ && now) {
    const std::optional<Announcement> said = content_.announcement();
    if (!said || said->term != now->term || said->manager != now->manager) {
      active.push_back(
          {.id = ConditionId::store_behind,
           .text = fmt::format("the state store lacks changes of the manager {}; clients would "
                               "have to register again after a takeover",
                               now->manager),
           .guid = now->manager});
    }
  }
  return active;
}

ReplicaStatus StateReplica::Core::status() const {
  const std::optional<MasterClaim> now = content_.mastership();
  const StoreError* const fault = this->fault();
  return {.leading = leading_ && claim_.has_value(),
          .reachable = synchronised_ && fault == nullptr,
          .master = now ? now->manager : mad::Guid{},
          .term = now ? now->term : 0,
          .records = content_.all().size(),
          .pending = dirty_.size(),
          .behind = dirty_.empty() ? mad::Duration{} : runtime_.now() - dirty_since_,
          .revision = position_,
          .last_error = fault == nullptr ? std::string() : fault->text};
}

// ------------------------------------------------------------------------------------------

StateReplica::StateReplica(mad::Runtime& runtime, std::shared_ptr<StateStore> store,
                           Settings settings)
    : core_(std::make_shared<Core>(runtime, std::move(store), std::move(settings))) {
  asio::co_spawn(runtime.executor(), Core::watch_loop(core_), asio::detached);
  asio::co_spawn(runtime.executor(), Core::write_loop(core_), asio::detached);
}
StateReplica::~StateReplica() { core_->stop(); }

void StateReplica::set_on_change(std::function<void()> on_change) {
  core_->on_change = std::move(on_change);
}
void StateReplica::follow() { core_->follow(); }
void StateReplica::lead() { core_->lead(); }
asio::awaitable<void> StateReplica::found_by(mad::TimePoint deadline) {
  return core_->found_by(deadline);
}
FoundState StateReplica::found() const { return core_->found(); }
void StateReplica::replace(std::string_view section, Records records) {
  core_->replace(section, std::move(records));
}
void StateReplica::set(const std::string& key, std::optional<std::string> text) {
  core_->set(key, std::move(text));
}
asio::awaitable<bool> StateReplica::stored(std::vector<std::string> keys, mad::TimePoint deadline) {
  return Core::stored(core_, std::move(keys), deadline);
}
tl::expected<void, std::string> StateReplica::local_files_are_complete() {
  return core_->local_files_are_complete();
}
void StateReplica::all_is_given(mad::Lid own_lid) { core_->all_is_given(own_lid); }
asio::awaitable<void> StateReplica::close(mad::TimePoint deadline) {
  return core_->close(deadline);
}
Records StateReplica::records(std::string_view section) const { return core_->records(section); }
const RecordSeal& StateReplica::seal() const { return core_->seal(); }
std::vector<Condition> StateReplica::conditions() const { return core_->conditions(); }
ReplicaStatus StateReplica::status() const { return core_->status(); }

}  // namespace sm
