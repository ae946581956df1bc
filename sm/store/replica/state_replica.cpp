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
  wake_stored();
  leading_ = by_other_ = false;
  late_ = Late::no;
  merged_.clear();
  store_->set_leading(false);
  if (!draining()) forget_own();
  name_lost_orders();
  changed();
}

void StateReplica::forget_own() {
  for (const std::string& key : orders_) {
    const auto own = own_.find(key);
    if (is_pending(key))
      lost_orders_.insert_or_assign(key,
                                    own == own_.end() ? std::nullopt : std::optional(own->second));
  }
  orders_.clear();
  claim_.reset();
  own_.clear();
  begun_with_.clear();
  changed_late_.clear();
  given_.clear();
  dirty_.clear();
  unconfirmed_.clear();
  announced_ = given_all_ = false;
}

void StateReplica::lead(std::optional<MasterAnswer> predecessor_answered) {
  if (leading_) return;
  predecessor_answered_ = predecessor_answered;
  forget_own();
  lost_orders_.clear();  // the local file may count
  had_stored_.clear();
  leading_ = true;
  store_->set_leading(true);
  had_claim_ = by_other_ = has_noted_ = false;
  late_ = Late::no;
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
    if (!is_pending(key)) orders_.erase(key);
  } else {
    if (dirty_.empty()) dirty_since_ = runtime_.now();
    dirty_.insert(key);
  }
}

void StateReplica::replace(std::string_view section, Records records) {
  if (!leading_) return;
  const bool is_first = given_.emplace(section).second;
  if (is_first && late_ == Late::began) begun_with_.insert(records.begin(), records.end());
  std::vector<std::string> gone;
  for (auto at = own_.lower_bound(section); at != own_.end() && at->first.starts_with(section);
       ++at) {
    if (is_in(at->first, section) && !records.contains(at->first)) gone.push_back(at->first);
  }
  const bool notes = is_late() && !is_first;
  const bool are_orders = section == section::kIsolations && !is_first;
  for (const std::string& key : gone) {
    if (notes) changed_late_.insert(key);
    if (are_orders) orders_.insert(key);
    own_.erase(key);
  }
  for (auto& [key, text] : records) {
    const auto own = own_.find(key);
    const bool is_changed = own == own_.end() || own->second != text;
    if (notes && is_changed) changed_late_.insert(key);
    if (are_orders && is_changed) orders_.insert(key);
    own_.insert_or_assign(key, std::move(text));
  }
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

/// True if the store has these keys as they are here, and so have the managers that it waits for:
/// the watch shows a change before commit() returns.
bool StateReplica::has_stored(std::span<const std::string> keys) const {
  return claim_ && !by_other_ && !is_late() && synchronised_ &&
         std::ranges::none_of(keys, [this](const std::string& key) { return is_pending(key); });
}

bool StateReplica::has_section(std::string_view section) const {
  const auto is_of = [&](const std::string& key) { return is_in(key, section); };
  return takes(section) && claim_ && !by_other_ && synchronised_ &&
         std::ranges::none_of(dirty_, is_of) && std::ranges::none_of(unconfirmed_, is_of) &&
         std::ranges::none_of(in_flight_, is_of);
}

asio::awaitable<StoredChanges> StateReplica::wait_until_stored(Self self,
                                                               std::vector<std::string> keys,
                                                               mad::TimePoint deadline) {
  StateReplica& replica = *self;
  const auto wake = std::make_shared<mad::WakeUp>(replica.runtime_);
  const auto at = replica.stored_waits_.insert(replica.stored_waits_.end(), wake);
  while (!replica.stopped_ && replica.leading_ && !replica.has_stored(keys) &&
         replica.runtime_.now() < deadline)
    co_await wake->wait_until(deadline);
  replica.stored_waits_.erase(at);
  StoredChanges outcome;
  outcome.stored = !replica.stopped_ && replica.leading_ && replica.has_stored(keys);
  if (outcome.stored) outcome.replicated = replica.replicated();
  co_return outcome;
}

void StateReplica::finish_sections(mad::Lid own_lid) {
  if (!leading_) return;
  if (own_lid != own_lid_) announced_ = false;
  own_lid_ = own_lid;
  given_all_ = true;
  write_wake_.signal();
}

tl::expected<void, std::string> StateReplica::local_files_are_complete() {
  return leading_ && claim_ && !is_late() ? history_.complete_under(claim_->mark.term)
                                          : tl::expected<void, std::string>();
}

// ------------------------------------------------------------------------------------------
// Takeover

asio::awaitable<void> StateReplica::found_by(mad::TimePoint deadline) {
  while (!stopped_ && leading_ && !was_found() && runtime_.now() < deadline)
    co_await found_wake_.wait_until(deadline);
  if (leading_ && !was_found() && !is_held_by_managers()) late_ = Late::began;
}

/// True if the local files were complete under this claim or a later one. Terms of managers that
/// have led apart from each other say nothing of one another.
bool StateReplica::files_cover(const std::optional<MasterClaim>& before) const {
  return !before || (before->term <= history_.complete_term() &&
                     (!is_held_by_managers() || before->manager == mad::Guid{} ||
                      before->manager == settings_.port_guid));
}

bool StateReplica::has_led_alone(mad::Guid manager) const {
  // A manager waits for so long for a copy before it answers without.
  constexpr mad::Duration kWaits = std::chrono::seconds(2);
  if (!predecessor_answered_) return false;
  if (predecessor_answered_->manager != manager) return true;
  if (!is_held_by_managers()) return false;
  const std::optional<mad::TimePoint> copied = store_->copied_at(manager);
  return !copied || predecessor_answered_->at - *copied > kWaits;
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
  } else if (before && !files_cover(before) &&
             (!said || said->term != before->term || said->manager != before->manager)) {
    found.missing = fmt::format(
        "the manager {} did not write all of its changes to the state store", before->manager);
  } else if (before && !files_cover(before) && has_led_alone(before->manager)) {
    found.missing = fmt::format(
        "the manager {} has answered as MASTER since, and this one does not know all of its "
        "changes",
        predecessor_answered_->manager);
  }
  if (files_cover(before)) return found;
  found.manager = before->manager;
  found.is_latest = was_latest(before->manager);
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

std::string find_lag(const StorePeer& peer) {
  constexpr mad::Duration kBehindMax = std::chrono::seconds(10);
  const std::string name = peer.port_guid == mad::Guid{}
                               ? fmt::format("the manager at {}", peer.address)
                               : fmt::format("the manager {} at {}", peer.port_guid, peer.address);
  if (!peer.connected && !peer.is_configured) return "";
  if (!peer.connected)
    return fmt::format("{} is not connected{}{}", name, peer.why_not.empty() ? "" : ": ",
                       peer.why_not);
  if (peer.behind_records == 0 || peer.behind <= kBehindMax) return "";
  return fmt::format("{} has lacked {} change{} for {} s", name, peer.behind_records,
                     peer.behind_records == 1 ? "" : "s",
                     std::chrono::duration_cast<std::chrono::seconds>(peer.behind).count());
}

std::vector<Condition> StateReplica::conditions() const {
  std::vector<Condition> active = store_->conditions();
  for (const StorePeer& peer : leading_ ? store_->peers() : std::vector<StorePeer>())
    if (const std::string lag = find_lag(peer); !lag.empty())
      active.push_back(
          {.id = kReplicaConditions.store_behind,
           .text = fmt::format("{}; if that one takes over now, changes of this manager are "
                               "lost",
                               lag),
           .guid = peer.port_guid});
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

bool StateReplica::has_records(std::string_view section) const {
  const auto first = content_.all().lower_bound(section);
  return !history_.is_old() && first != content_.all().end() && is_in(first->first, section);
}

ReplicaStatus StateReplica::status() const {
  const std::optional<MasterClaim> now = content_.mastership();
  const StoreError* const fault = this->fault();
  std::size_t pending = dirty_.size();
  for (const std::string& key : unconfirmed_)
    if (!dirty_.contains(key)) ++pending;
  return {.leading = leading_ && claim_.has_value(),
          .reachable = synchronised_ && fault == nullptr,
          .master = now ? now->manager : mad::Guid{},
          .term = now ? now->term : 0,
          .records = content_.all().size(),
          .pending = pending,
          .behind = pending == 0 ? mad::Duration{} : runtime_.now() - dirty_since_,
          .revision = position_,
          .last_error = fault == nullptr ? std::string() : fault->text,
          .has_configuration =
              now && now->manager != settings_.port_guid && has_records(section::kConfiguration),
          .copies = store_->copies(),
          .peers = store_->peers()};
}

}  // namespace sm
