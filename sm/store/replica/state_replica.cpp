#include "sm/store/replica/state_replica.h"

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <utility>

#include "mad/format.h"
#include "sm/store/replica/replica_conditions.h"

namespace sm {
namespace asio = boost::asio;

std::shared_ptr<StateReplica> StateReplica::start(mad::Runtime& runtime,
                                                  std::shared_ptr<StateStore> store,
                                                  Settings settings) {
  const Self replica(new StateReplica(runtime, std::move(store), std::move(settings)));
  asio::co_spawn(runtime.executor(), watch_loop(replica), asio::detached);
  asio::co_spawn(runtime.executor(), write_loop(replica), asio::detached);
  return {replica.get(), [replica](StateReplica*) { replica->stop(); }};
}

// ------------------------------------------------------------------------------------------
// Target content of the store

void StateReplica::follow() {
  if (!leading_) return;
  stored_wake_.signal();
  leading_ = by_other_ = false;
  if (!draining()) forget_own();
  changed();
}

void StateReplica::forget_own() {
  claim_.reset();
  own_.clear();
  given_.clear();
  dirty_.clear();
  announced_ = given_all_ = false;
}

void StateReplica::lead() {
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

void StateReplica::compare(const std::string& key) {
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

void StateReplica::replace(std::string_view section, Records records) {
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

void StateReplica::set(const std::string& key, std::optional<std::string> text) {
  if (!leading_ || !is_given(key)) return;
  if (text)
    own_.insert_or_assign(key, std::move(*text));
  else
    own_.erase(key);
  compare(key);
  write_wake_.signal();
}

asio::awaitable<bool> StateReplica::wait_until_stored(Self self, std::vector<std::string> keys,
                                                      mad::TimePoint deadline) {
  StateReplica& replica = *self;
  const auto is_pending = [&replica](const std::string& key) {
    return replica.dirty_.contains(key);
  };
  while (!replica.stopped_ && replica.leading_) {
    if (replica.claim_ && !replica.by_other_ && replica.synchronised_ &&
        std::ranges::none_of(keys, is_pending))
      co_return true;
    if (replica.runtime_.now() >= deadline) co_return false;
    co_await replica.stored_wake_.wait_until(deadline);
  }
  co_return false;
}

void StateReplica::finish_sections(mad::Lid own_lid) {
  if (!leading_) return;
  if (own_lid != own_lid_) announced_ = false;
  own_lid_ = own_lid;
  given_all_ = true;
  write_wake_.signal();
}

tl::expected<void, std::string> StateReplica::local_files_are_complete() {
  return leading_ && claim_ ? history_.complete_under(claim_->mark.term)
                            : tl::expected<void, std::string>();
}

// ------------------------------------------------------------------------------------------
// Takeover

asio::awaitable<void> StateReplica::found_by(mad::TimePoint deadline) {
  while (!stopped_ && leading_ && !was_found() && runtime_.now() < deadline)
    co_await found_wake_.wait_until(deadline);
}

FoundState StateReplica::found() const {
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

asio::awaitable<void> StateReplica::close(mad::TimePoint deadline) {
  closing_ = true;
  write_wake_.signal();
  while (!stopped_ && leading_ && given_all_ && !(closed_ && position_ >= written_) &&
         runtime_.now() < deadline)
    co_await found_wake_.wait_until(deadline);
}

// ------------------------------------------------------------------------------------------
// For the operator

std::vector<Condition> StateReplica::conditions() const {
  std::vector<Condition> active;
  if (const StoreError* const fault = this->fault()) {
    active.push_back(
        {.id = kReplicaConditions.store_unreachable,
         .text = fmt::format("the state store cannot be used: {}; {}", fault->text,
                             leading_ ? "local files have all changes, which are written to it "
                                        "when it is back"
                                      : "changes of the master are not known here until it is "
                                        "back")});
  }
  ConditionList rejected(kReplicaConditions.store_record_rejected);
  for (const auto& [key, why] : content_.rejected())
    rejected.add(fmt::format("record {}{} of the state store is rejected: {}; it is not used",
                             settings_.prefix, key, why));
  if (history_.is_old()) rejected.add(history_.why_old() + "; it is not used");
  std::ranges::move(rejected.take(), std::back_inserter(active));
  const std::optional<MasterClaim> now = content_.mastership();
  if (leading_ && by_other_ && now) {
    active.push_back({.id = kReplicaConditions.store_behind,
                      .text = fmt::format("the manager {} has claimed the state store while this "
                                          "one is MASTER; nothing is written to it until one of "
                                          "the two hands over",
                                          now->manager),
                      .guid = now->manager});
  } else if (!leading_ && synchronised_ && now) {
    const std::optional<Announcement> said = content_.announcement();
    if (!said || said->term != now->term || said->manager != now->manager) {
      active.push_back(
          {.id = kReplicaConditions.store_behind,
           .text = fmt::format("the state store lacks changes of the manager {}; clients would "
                               "have to register again after a takeover",
                               now->manager),
           .guid = now->manager});
    }
  }
  return active;
}

ReplicaStatus StateReplica::status() const {
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

}  // namespace sm
