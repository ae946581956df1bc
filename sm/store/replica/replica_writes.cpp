// A StateReplica of a MASTER claims the store and writes to it here.

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <ranges>
#include <utility>

#include "sm/store/replica/state_replica.h"

namespace sm {
namespace asio = boost::asio;

namespace {
constexpr std::size_t kBatch = 1024;  // records in one call
}  // namespace

asio::awaitable<void> StateReplica::write_loop(Self self) {
  while (!self->stopped_) co_await self->write_step();
}

asio::awaitable<void> StateReplica::write_step() {
  const mad::TimePoint now = runtime_.now();
  if (!leading_ && claim_ && !has_pending()) forget_own();
  // Nothing can be decided before the store shows its content, including this manager's last write
  // and all changes that a merge takes.
  const bool reads =
      !leads() || !synchronised_ || !merged_.empty() ||
      (claim_ && now >= next_write_ && (position_ < written_ || (is_late() && !given_all_)));
  if (reads) {
    co_await write_wake_.wait_until(mad::TimePoint::max());
  } else if (now < next_write_) {
    co_await write_wake_.wait_until(next_write_);
  } else if (!claim_) {
    co_await claim();
  } else if (is_late()) {
    take_late();
  } else if (announced_ && !closed_ && now >= keep_due_ && (!has_pending() || !write_fault_)) {
    co_await keep_announced();  // not while changes cannot be written
  } else if (has_pending()) {
    co_await write_batch();
  } else if (given_all_ && (!announced_ || (closing_ && !closed_))) {
    co_await announce(closing_);
  } else {
    co_await write_wake_.wait_until(announced_ && !closed_ ? keep_due_ : mad::TimePoint::max());
  }
}

asio::awaitable<void> StateReplica::claim() {
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
  // A claim that follows this manager's own, after an answer was lost, has the same predecessor.
  if (!predecessor_ || !before || before->manager != settings_.port_guid) {
    predecessor_ = before.value_or(MasterClaim{});
    predecessor_said_ = said;
    predecessor_is_old_ = history_.why_old();
  }
  const auto made = co_await store_->commit(claim.guard, std::move(changes));
  if (stopped_ || !leading_) co_return;
  if (!made) co_return failed(made.error());
  written_ = claim.guard.revision = *made;
  claim_ = std::move(claim);
  had_claim_ = true;
  announced_ = closed_ = false;
  write_fault_.reset();
  write_pause_.reset();
  changed();
}

/// Takes what another manager wrote, which was not found when this one began with its files, or
/// which came between two claims of this one: it counts where this manager has not changed its own
/// records since. Where it is known what the store had before, this includes deletions.
void StateReplica::take_late() {
  const bool lost_claim = std::exchange(late_, Late::no) == Late::lost_claim;
  const bool has_noted = std::exchange(has_noted_, false);
  const auto began = std::exchange(begun_with_, {});
  const auto changed_late = std::exchange(changed_late_, {});
  wake_stored();
  if (lost_claim && !has_noted) return;  // no other manager has claimed it
  if (!predecessor_ || predecessor_->manager == mad::Guid{} || !predecessor_is_old_.empty() ||
      files_cover(predecessor_))
    return;
  const bool is_complete = predecessor_said_ && predecessor_said_->term == predecessor_->term &&
                           predecessor_said_->manager == predecessor_->manager;
  MergedRecords found;
  for (const std::string& key : dirty_) {
    if (is_in(key, section::kRegistrations)) continue;  // clients register again
    const auto own = own_.find(key);
    const auto first = began.find(key);
    const bool is_changed = own == own_.end()
                                ? first != began.end()
                                : first == began.end() || first->second != own->second;
    // A partition that was changed and is as before was not: the change was undone.
    const bool was_undone = is_in(key, section::kPartitions);
    if (is_changed || (!was_undone && changed_late.contains(key))) continue;
    const SharedRecords::Stored* const there = content_.find(key);
    // Partitions count once the store has them: what it lacks was deleted there.
    const bool was_stored =
        lost_claim || is_complete || is_in(key, section::kPartitions) || had_stored_.contains(key);
    if (there != nullptr && there->text)
      found.emplace(key, there->text);
    else if (there == nullptr && was_stored)
      found.emplace(key, std::nullopt);
  }
  if (!found.empty() && on_merged_) on_merged_(found);
}

asio::awaitable<void> StateReplica::write_batch() {
  constexpr auto kFirst = static_cast<std::ptrdiff_t>(kBatch);
  std::ranges::set_union(dirty_ | std::views::take(kFirst), unconfirmed_ | std::views::take(kFirst),
                         std::back_inserter(in_flight_));
  in_flight_.resize(std::min(in_flight_.size(), kBatch));
  std::vector<StoreChange> changes;
  changes.reserve(in_flight_.size());
  for (const std::string& key : in_flight_) {
    const auto own = own_.find(key);
    std::string at = full(key);
    std::optional<std::string> value;
    if (own != own_.end()) value = settings_.seal.seal(at, own->second, position_);
    changes.push_back({.key = std::move(at), .value = std::move(value)});
  }
  const auto made = co_await store_->commit(claim_->guard, std::move(changes));
  const std::vector<std::string> keys = std::exchange(in_flight_, {});
  if (stopped_ || !claim_) co_return wake_stored();
  if (!made) {
    if (is_held_by_managers() && made.error().fault != StoreFault::fenced)
      unconfirmed_.insert(keys.begin(), keys.end());
    co_return failed(made.error());
  }
  for (const std::string& key : keys) {
    unconfirmed_.erase(key);
    if (!dirty_.contains(key)) orders_.erase(key);
  }
  written_ = *made;
  succeeded();
  wake_stored();
}

asio::awaitable<void> StateReplica::announce(bool for_good) {
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

asio::awaitable<void> StateReplica::keep_announced() {
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

StoreChange StateReplica::position_mark() const {
  std::string at = full(kPositionKey);
  std::string value = settings_.seal.seal(at, position_text(claim_->mark), position_);
  return {.key = std::move(at), .value = std::move(value)};
}

void StateReplica::succeeded() {
  write_pause_.reset();
  if (std::exchange(write_fault_, std::nullopt)) changed();
}

void StateReplica::failed(StoreError error) {
  if (error.fault == StoreFault::fenced) return lost_claim();
  next_write_ = runtime_.now() + write_pause_.next();
  write_fault_ = std::move(error);
  changed();
}

/// Handles the loss of the claim: the guard did not hold, or the store shows another claim.
void StateReplica::lost_claim() {
  claim_.reset();
  announced_ = false;
  if (!leading_) {
    forget_own();
    name_lost_orders();
  } else if (!is_held_by_managers() && !is_late()) {
    late_ = Late::lost_claim;
  }
  next_write_ = runtime_.now() + write_pause_.next();
  changed();
}

/// Notes what the store had under the latest claim of this manager, when it shows that another one
/// has claimed it: what differs afterwards was written by that one.
void StateReplica::note_other_claim(const SharedRecords& before) {
  const std::optional<MasterClaim> now = content_.mastership();
  const bool is_new = leading_ && had_claim_ && !has_noted_ && late_ != Late::began;
  if (!is_new || is_held_by_managers() || (now && now->manager == settings_.port_guid)) return;
  has_noted_ = true;
  begun_with_.clear();
  for (const auto& [key, value] : before.all())
    if (value.text && is_given(key)) begun_with_.emplace(key, *value.text);
}

void StateReplica::check_claim() {
  if (!claim_ || position_ < claim_->guard.revision) return;
  // A merge gives the claim another revision: the next one has a term above those of both managers.
  const SharedRecords::Stored* const mark = content_.find(kMastershipKey);
  if (content_.mastership() != claim_->mark || mark->revision != claim_->guard.revision)
    return lost_claim();
  by_other_ = false;
  // The lease of the announcement ended, or the announcement was deleted.
  if (announced_ && position_ >= written_ && !content_.announcement()) {
    announced_ = closed_ = false;
    write_wake_.signal();
  }
}

}  // namespace sm
