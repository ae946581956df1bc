// StateReplica takes the content of the store from its watch.

#include <algorithm>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <functional>
#include <numeric>
#include <utility>

#include "sm/store/replica/conflicts.h"
#include "sm/store/replica/state_replica.h"

namespace sm {
namespace asio = boost::asio;

namespace {
constexpr std::size_t kSlice = 1000;  // records that are authenticated at a time: about 2 ms
}  // namespace

asio::awaitable<void> StateReplica::watch_loop(Self self) {
  StateReplica& replica = *self;
  const std::string prefix = replica.settings_.prefix;
  unsigned reads_in_vain = 0;  // after which the watch could not go on
  while (!replica.stopped_) {
    if (!replica.synchronised_) {
      auto content = co_await replica.store_->read(prefix);
      if (replica.stopped_) co_return;
      if (!content) {
        replica.watch_fault_ = content.error();
        replica.changed();
        co_await replica.pause_watch();
        continue;
      }
      co_await replica.take_content(std::move(*content));
      if (replica.stopped_) co_return;
    }
    const auto events = co_await replica.store_->watch(prefix, replica.position_);
    if (replica.stopped_) co_return;
    if (events) {
      reads_in_vain = 0;
      const bool recovered = replica.watch_fault_.has_value();
      replica.watch_fault_.reset();
      replica.watch_pause_.reset();
      for (const StoreEvent& event : events->events) replica.take_event(event);
      replica.position_ = events->revision;
      replica.collect_merged(*events);
      replica.check_claim();
      // The state of the other managers changes without an event.
      if (recovered || !events->events.empty() || replica.is_held_by_managers()) replica.changed();
    } else if (events.error().fault == StoreFault::compacted) {
      replica.synchronised_ = false;
      if (++reads_in_vain > 1) co_await replica.pause_watch();
    } else {
      replica.watch_fault_ = events.error();
      replica.changed();
      co_await replica.pause_watch();
      if (!replica.stopped_ && !co_await replica.resume()) replica.synchronised_ = false;
    }
  }
}

asio::awaitable<void> StateReplica::pause_watch() {
  const mad::TimePoint end = runtime_.now() + watch_pause_.next();
  while (!stopped_ && runtime_.now() < end) co_await watch_wake_.wait_until(end);
}

/// Resumes after the watch was interrupted. The watch can continue from its revision if the store
/// still has the same history; a store that has lost its data since has another one.
asio::awaitable<bool> StateReplica::resume() {
  const auto mark = co_await store_->read(full(kMastershipKey));
  if (stopped_ || !mark) co_return true;  // the next watch() says why
  const SharedRecords::Stored* const known = content_.find(kMastershipKey);
  if (mark->entries.empty()) co_return known == nullptr && mark->revision >= position_;
  co_return known != nullptr && known->revision == mark->entries.front().revision;
}

asio::awaitable<void> StateReplica::take_content(StoreContent content) {
  SharedRecords fresh(!is_held_by_managers());  // until it is complete, the one before counts
  // A heap gives the entries in the order of revisions, since a sort takes too long.
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
  std::set<std::string, std::less<>> own_orders;
  for (const std::string& key : orders_)
    if (is_pending(key)) own_orders.insert(key);
  std::swap(content_, fresh);
  note_other_claim(fresh);
  name_lost_orders();
  position_ = content.revision;
  synchronised_ = true;
  watch_fault_.reset();
  watch_pause_.reset();
  // The watch does not return writes from before this history began.
  written_ = std::min(written_, position_);
  const std::optional<mad::TimePoint> since =
      dirty_.empty() ? std::nullopt : std::optional(dirty_since_);
  dirty_.clear();
  for (const auto& [key, value] : content_.all()) compare(key);
  for (const auto& [key, value] : own_) compare(key);
  if (since) dirty_since_ = *since;
  for (const StoreEntry& entry : content.entries) {
    if (!leading_ || !entry.merged || !entry.key.starts_with(settings_.prefix)) continue;
    std::string key = entry.key.substr(settings_.prefix.size());
    const SharedRecords::Stored* const there = content_.find(key);
    if (own_orders.contains(key) && dirty_.contains(key))
      keep_own_order(key);
    else if (there != nullptr && there->text)
      merged_.insert_or_assign(std::move(key), there->text);
  }
  orders_that_stay_.clear();
  pass_merged();
  check_claim();
  changed();
}

void StateReplica::take_event(const StoreEvent& event) {
  const std::string key = event.key.starts_with(settings_.prefix)
                              ? event.key.substr(settings_.prefix.size())
                              : std::string();
  const bool is_own_order = orders_.contains(key) && is_pending(key);
  content_.put(settings_.prefix, settings_.seal, event.key, event.value, event.revision);
  if (key == kMastershipKey) {
    note_other_claim(content_);
    name_lost_orders();
  }
  if (key.empty()) return;
  compare(key);
  if (event.merged && leading_ && is_own_order && dirty_.contains(key)) keep_own_order(key);
}

/// Another manager changed what this one has an order for that the store has not taken yet: this
/// one's counts, as in every merge, and is written next.
void StateReplica::keep_own_order(const std::string& key) {
  orders_that_stay_.insert(key);
  const auto own = own_.find(key);
  const SharedRecords::Stored* const there = content_.find(key);
  LostChange change{.key = full(key), .kept = {}, .lost = {}};
  if (own != own_.end()) change.kept = own->second;
  if (there != nullptr) change.lost = there->text;
  if (!say_the_same(key, change.kept, change.lost)) store_->name_lost(true, {change});
}

/// Names orders that the store never took, once another manager has claimed it.
void StateReplica::name_lost_orders() {
  const std::optional<MasterClaim> now = content_.mastership();
  if (leading_ || lost_orders_.empty() || !now || now->manager == settings_.port_guid) return;
  std::vector<LostChange> changes;
  for (auto& [key, text] : std::exchange(lost_orders_, {})) {
    const SharedRecords::Stored* const there = content_.find(key);
    LostChange change{.key = full(key), .kept = {}, .lost = text};
    if (there != nullptr) change.kept = there->text;
    if (!say_the_same(key, change.kept, change.lost)) changes.push_back(std::move(change));
  }
  if (!changes.empty()) store_->name_lost(false, changes);
}

/// Collects what another manager changed while both led, and passes it on when the store has shown
/// all of it: members arrive with their partitions. Afterwards own_ decides what is written.
void StateReplica::collect_merged(const StoreEvents& events) {
  for (const StoreEvent& event : events.events) {
    if (!leading_ || !event.key.starts_with(settings_.prefix)) continue;
    std::string key = event.key.substr(settings_.prefix.size());
    if (!event.merged || orders_that_stay_.contains(key)) {
      merged_.erase(key);
      continue;
    }
    const SharedRecords::Stored* const there = content_.find(key);
    if (there == nullptr)
      merged_.insert_or_assign(std::move(key), std::nullopt);
    else if (there->text)
      merged_.insert_or_assign(std::move(key), there->text);
  }
  orders_that_stay_.clear();
  if (!events.more) pass_merged();
}

void StateReplica::pass_merged() {
  if (merged_.empty()) return;
  const MergedRecords merged = std::exchange(merged_, {});
  if (on_merged_) on_merged_(merged);
}

void StateReplica::changed() {
  if (synchronised_) history_.note(content_, runtime_.now(), is_held_by_managers());
  for (mad::WakeUp* const wake : {&write_wake_, &found_wake_}) wake->signal();
  wake_stored();
  if (on_change_) on_change_();
}

void StateReplica::stop() {
  if (std::exchange(stopped_, true)) return;
  history_.close();
  on_change_ = {};
  on_merged_ = {};
  store_->stop();
  for (mad::WakeUp* const wake : {&watch_wake_, &write_wake_, &found_wake_}) wake->signal();
  wake_stored();
}

}  // namespace sm
