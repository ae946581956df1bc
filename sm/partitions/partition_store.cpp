#include "sm/partitions/partition_store.h"

#include <algorithm>
#include <boost/asio/async_result.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <deque>
#include <mutex>
#include <optional>
#include <set>
#include <utility>

#include "mad/backoff.h"
#include "mad/format.h"
#include "sm/conditions/manager_conditions.h"
#include "sm/store/journal.h"

namespace sm {
namespace asio = boost::asio;
using partitions::RecordChange;
using partitions::RuntimePartitions;
using Delta = RuntimePartitions::Delta;

namespace {

constexpr std::size_t kBatchMax = 1'000;
constexpr std::size_t kMessagesMax = 20;
/// The timer is limited because the wall clock may be set between two calls.
constexpr std::chrono::seconds kExpiryCheckMax{60};

ChangeFailure unavailable(std::string text) {
  return {.kind = ChangeFailure::Kind::unavailable, .fault = {}, .text = std::move(text)};
}

/// Returns the records of `base` for the keys of these changes.
std::vector<RecordChange> before_of(const RuntimePartitions& base, const Delta& delta) {
  Delta back{.partitions = {}, .members = {}, .revision = base.revision()};
  for (const auto& change : delta.partitions) {
    const auto* const was = base.partitions().find(change.key);
    back.partitions.push_back({change.key, was ? std::optional(*was) : std::nullopt});
  }
  for (const auto& change : delta.members) {
    const auto* const was = base.members().find(change.key);
    back.members.push_back({change.key, was ? std::optional(*was) : std::nullopt});
  }
  return partitions::record_changes(section::kPartitions, back);
}

/// Writes `records` to the replicated store before `deadline`, or restores `before`.
asio::awaitable<PartitionStore::Replicated> write_records(std::weak_ptr<StateReplica> shared,
                                                          mad::TimePoint deadline,
                                                          std::vector<RecordChange> records,
                                                          std::vector<RecordChange> before) {
  PartitionStore::Replicated outcome;
  std::shared_ptr<StateReplica> replica = shared.lock();
  if (!replica) co_return outcome;
  if (!replica->takes(section::kPartitions)) {
    outcome.failure = "this manager has become MASTER, and its state is not in the state store yet";
    co_return outcome;
  }
  std::vector<std::string> keys;
  for (RecordChange& record : records) {
    keys.push_back(record.key);
    replica->set(record.key, std::move(record.text));
  }
  asio::awaitable<StoredChanges> writing = replica->stored(std::move(keys), deadline);
  replica.reset();  // the manager may end during the wait
  const StoredChanges written = co_await std::move(writing);
  outcome.managers = written.replicated;
  replica = shared.lock();
  if (!replica) outcome.failure = "the manager ends";
  if (!replica || written.stored) co_return outcome;
  // The latest changes are undone first, so that the state before the batch remains.
  for (auto record = before.rbegin(); record != before.rend(); ++record)
    replica->set(record->key, std::move(record->text));
  const std::string why = replica->status().last_error;
  constexpr auto kSeconds =
      std::chrono::duration_cast<std::chrono::seconds>(PartitionStore::kReplicationTimeout);
  outcome.failure = fmt::format("the state store did not take the change within {} s{}{}",
                                kSeconds.count(), why.empty() ? "" : ": ", why);
  co_return outcome;
}

}  // namespace

/// Holds what one turn of the loop stores. The thread of the journal works on it.
struct PartitionStore::Batch {
  std::shared_ptr<Journal> journal;
  partitions::SharedRuntime base, next;
  std::vector<Pending> changes;
  std::vector<ChangeResult> results;  // parallel
  std::vector<std::size_t> changing;  // indices of those with a delta
  NamedChanges names;                 // of those, once they are decided
  std::vector<Delta> deltas;
  PartitionsStored committed;
  bool everything = false;  // the journal is replaced
  bool writing = false;     // write() is under way, or about to be

  void decide();
  void write();

  std::mutex mutex;  // of what follows
  bool written = false;
  tl::expected<void, std::string> result;
};

// ------------------------------------------------------------------------------------------
// On the thread of the journal

void PartitionStore::Batch::decide() {
  std::set<mad::Guid> guids;
  for (const Pending& pending : changes) {
    auto delta = next->delta(pending.change);
    if (!delta) {
      ChangeFailure failure{
          .kind = ChangeFailure::Kind::fault, .fault = std::move(delta.error()), .text = {}};
      failure.text = failure.fault.text;
      results.emplace_back(tl::unexpected(std::move(failure)));
      continue;
    }
    results.emplace_back(StoredChange{.revision = delta->revision});
    if (delta->empty()) continue;
    changing.push_back(results.size() - 1);
    for (const auto& change : delta->partitions) {
      const auto* const was = next->partitions().find(change.key);
      if (was == nullptr || !change.value || was->attributes != change.value->attributes)
        committed.partitions_changed = true;
    }
    for (const auto& change : delta->members) {
      guids.insert(change.key.guid);
      if (!change.value) committed.ended.push_back(change.key);
    }
    next = std::make_shared<const RuntimePartitions>(next->with(*delta));
    deltas.push_back(std::move(*delta));
  }
  committed.guids.assign(guids.begin(), guids.end());
}

void PartitionStore::Batch::write() {
  const std::lock_guard lock(mutex);
  if (std::exchange(written, true)) return;
  if (everything || journal->is_broken()) {
    result = journal->replace(partitions::all_lines(*next));
    return;
  }
  std::string lines;
  for (const Delta& delta : deltas) lines += partitions::to_lines(delta);
  if (lines.empty()) return;
  result = journal->append(lines);
  // The appended lines are durable; a long file is not a reason to fail.
  if (result && journal->needs_replacing())
    static_cast<void>(journal->replace(partitions::all_lines(*next)));
}

// ------------------------------------------------------------------------------------------
// On the runtime's thread

PartitionStore::PartitionStore(mad::Runtime& runtime, ConditionLog& conditions, spdlog::logger& log,
                               Services services)
    : runtime_(runtime),
      conditions_(conditions),
      log_(log),
      services_(std::move(services)),
      wake_(runtime),
      expiry_timer_(runtime.make_timer([this] { expire(); })) {}

PartitionStore::Replicate PartitionStore::replicate_to(mad::Runtime& runtime,
                                                       std::weak_ptr<StateReplica> replica) {
  return [&runtime, replica = std::move(replica)](std::vector<RecordChange> records,
                                                  std::vector<RecordChange> before) {
    return write_records(replica, runtime.now() + kReplicationTimeout, std::move(records),
                         std::move(before));
  };
}

std::shared_ptr<PartitionStore> PartitionStore::start(mad::Runtime& runtime,
                                                      ConditionLog& conditions, spdlog::logger& log,
                                                      Services services) {
  const Self store(new PartitionStore(runtime, conditions, log, std::move(services)));
  asio::co_spawn(runtime.executor(), loop(store), asio::detached);
  return {store.get(), [store](PartitionStore*) { store->stop(); }};
}

asio::awaitable<void> PartitionStore::aside(std::function<void()> work) {
  return asio::async_initiate<const asio::use_awaitable_t<>&, void()>(
      [this](auto handler, std::function<void()> what) {
        auto shared = std::make_shared<decltype(handler)>(std::move(handler));
        runtime_.run_aside(mad::Runtime::Lane::journal, std::move(what),
                           [shared] { std::move (*shared)(); });
      },
      asio::use_awaitable, std::move(work));
}

PartitionStore::Stored PartitionStore::read(const std::filesystem::path& dir, bool fsync) {
  const std::filesystem::path path = dir / kPartitionsFile;
  auto opened = Journal::open(path, fsync);
  if (!opened)
    return {.journal = tl::unexpected(std::move(opened.error())), .partitions = {}, .messages = {}};
  std::vector<std::string> messages = std::move(opened->messages);
  const JournalText text = parse_journal(opened->text);
  partitions::LineReader reader(text.version.revision > kJournalVersion.revision);
  std::size_t defects = 0;
  for (const JournalLine& line : text.lines) {
    const auto applied = reader.apply(line.text);
    if (!applied && ++defects <= kMessagesMax)
      messages.push_back(fmt::format("{}:{}: {}; the line is left out", path.string(), line.line,
                                     applied.error()));
  }
  if (defects > kMessagesMax)
    messages.push_back(fmt::format("{}: {} lines are left out in all", path.string(), defects));
  return {.journal = std::make_shared<Journal>(std::move(opened->journal)),
          .partitions = std::make_shared<const RuntimePartitions>(std::move(reader).take()),
          .messages = std::move(messages)};
}

void PartitionStore::open(Stored stored) {
  is_open_ = true;
  for (const auto& waiter : std::exchange(wait_for_open_, {})) waiter->signal();
  if (!stored.journal) {
    why_no_journal_ = stored.journal.error();
    return report(tl::unexpected(why_no_journal_));
  }
  for (const std::string& message : stored.messages) log_.error("{}", message);
  current_ = std::move(stored.partitions);
  journal_ = *std::move(stored.journal);
  if (!current_->partitions().empty())
    log_.info("partitions of the API: {} with {} memberships, revision {}",
              current_->partitions().size(), current_->members().size(), current_->revision());
  arm_expiry();
}

asio::awaitable<void> PartitionStore::wait_until_open(Self self) {
  if (self->is_open_ || self->stopped_) co_return;
  const auto wake = std::make_shared<mad::WakeUp>(self->runtime_);
  self->wait_for_open_.push_back(wake);
  while (!self->is_open_ && !self->stopped_) co_await wake->wait_until(mad::TimePoint::max());
}

void PartitionStore::stop() {
  stopped_ = true;
  for (const auto& waiter : std::exchange(wait_for_open_, {})) waiter->signal();
  expiry_timer_->cancel();
  if (batch_ && batch_->writing) batch_->write();  // or waits for its end
  for (Pending& pending : std::exchange(waiting_, {}))
    pending.done(tl::unexpected(unavailable("the manager ends")));
  wake_.signal();
}

asio::awaitable<ChangeResult> PartitionStore::change_when_open(Self self, partitions::Change change,
                                                               std::string by) {
  const auto refuse = [](std::string why) {
    return ChangeResult(tl::unexpected(unavailable(std::move(why))));
  };
  co_await wait_until_open(self);
  if (self->stopped_) co_return refuse("the manager ends");
  if (!self->journal_) co_return refuse(self->why_no_journal_);
  if (self->waiting_.size() >= kWaitingMax)
    co_return refuse(fmt::format("{} changes wait already", self->waiting_.size()));
  co_return co_await self->enqueue(std::move(change), std::move(by));
}

asio::awaitable<ChangeResult> PartitionStore::enqueue(partitions::Change change, std::string by) {
  return asio::async_initiate<const asio::use_awaitable_t<>&, void(ChangeResult)>(
      [this](auto handler, partitions::Change what, std::string who) {
        auto shared = std::make_shared<decltype(handler)>(std::move(handler));
        waiting_.push_back({std::move(what), std::move(who), [shared](ChangeResult result) {
                              const auto to = asio::get_associated_executor(*shared);
                              asio::post(to, [shared, result = std::move(result)]() mutable {
                                std::move (*shared)(std::move(result));
                              });
                            }});
        wake_.signal();
      },
      asio::use_awaitable, std::move(change), std::move(by));
}

asio::awaitable<void> PartitionStore::loop(Self self) {
  PartitionStore& store = *self;
  while (!store.stopped_) {
    const bool retries = (store.stale_ || store.fails_) && store.journal_;
    if (store.waiting_.empty() && (!retries || store.runtime_.now() < store.retry_at_)) {
      co_await store.wake_.wait_until(retries ? store.retry_at_ : mad::TimePoint::max());
      continue;
    }
    auto batch = std::make_shared<Batch>();
    batch->journal = store.journal_;
    batch->base = batch->next = store.current_;
    batch->everything = store.stale_ || store.fails_;
    while (!store.waiting_.empty() && batch->changes.size() < kBatchMax) {
      batch->changes.push_back(std::move(store.waiting_.front()));
      store.waiting_.pop_front();
    }
    store.batch_ = batch;
    co_await store.store_batch(batch);
    store.batch_.reset();
    for (std::size_t i = 0; i < batch->changes.size(); ++i)
      batch->changes[i].done(std::move(batch->results[i]));
  }
}

asio::awaitable<void> PartitionStore::store_batch(std::shared_ptr<Batch> batch) {
  const auto fail_all = [&](const ChangeFailure& failure) {
    batch->results.resize(batch->changes.size(), tl::unexpected(failure));
    for (ChangeResult& result : batch->results)
      if (result) result = tl::unexpected(failure);
  };
  const std::string refuses = services_.refuses ? services_.refuses() : std::string();
  if (!refuses.empty() && !batch->changes.empty()) {
    fail_all({.kind = ChangeFailure::Kind::not_master, .fault = {}, .text = refuses});
    if (!batch->everything) co_return;
  } else {
    std::function<void()> decide = [batch] { batch->decide(); };  // named: GCC 12 destroys
                                                                  // temporaries of a co_await twice
    co_await aside(std::move(decide));
    if (stopped_) co_return fail_all(unavailable("the manager ends"));
    batch->names = find_names(*batch);
    // Requests that change nothing need the claim, too: another manager may know partitions that
    // this one does not.
    const bool is_decided = std::ranges::any_of(
        batch->results, [](const ChangeResult& result) { return result.has_value(); });
    if (is_decided && services_.replicate) {
      const Replicated replicated = co_await replicate(*batch);
      if (!replicated.failure.empty()) {
        if (current_ != batch->base) co_await restore(*batch);
        co_return fail_all(unavailable(replicated.failure));
      }
      if (stopped_) co_return fail_all(unavailable("the manager ends"));
      for (const std::size_t at : batch->changing)
        batch->results[at]->replicated = replicated.managers;
    }
  }
  // After adopt() or merge() the decision is about partitions that no longer count.
  const ChangeFailure superseded =
      unavailable("another manager's partitions were taken over while the change was decided");
  if (current_ != batch->base) {
    co_await restore(*batch);
    co_return fail_all(superseded);
  }
  if (!batch->deltas.empty() || batch->everything) {
    batch->writing = true;
    std::function<void()> write = [batch] { batch->write(); };
    co_await aside(std::move(write));
    if (stopped_) co_return fail_all(unavailable("the manager ends"));
    report(batch->result);
    if (!batch->result) {
      co_await restore(*batch);
      retry_at_ = runtime_.now() + retry_.next();
      co_return fail_all(unavailable(fmt::format(
          "{}: the change would be lost at the next start, and is refused until the disk takes it",
          batch->result.error())));
    }
    retry_.reset();
    if (current_ != batch->base) {  // the journal is stale, and replaced next
      co_await restore(*batch);
      co_return fail_all(superseded);
    }
    if (batch->everything) stale_ = false;
  }
  if (!batch->deltas.empty()) publish(*batch);
}

/// Returns the records that the batch changes, as they are with these partitions.
std::vector<RecordChange> PartitionStore::records_at(const RuntimePartitions& base,
                                                     const Batch& batch) const {
  std::vector<RecordChange> records;
  for (const Delta& delta : batch.deltas)
    std::ranges::move(before_of(base, delta), std::back_inserter(records));
  const Records known = records_of(*changes_);
  for (const NamedChange& change : batch.names) {
    std::string key = record_of(change).key;
    const auto was = known.find(key);
    std::optional<std::string> text;
    if (was != known.end()) text = was->second;
    records.push_back({.key = std::move(key), .text = std::move(text)});
  }
  return records;
}

asio::awaitable<PartitionStore::Replicated> PartitionStore::replicate(const Batch& batch) {
  std::vector<RecordChange> records;
  for (const Delta& delta : batch.deltas)
    std::ranges::move(partitions::record_changes(section::kPartitions, delta),
                      std::back_inserter(records));
  for (const NamedChange& change : batch.names) records.push_back(record_of(change));
  std::vector<RecordChange> before = records_at(*batch.base, batch);
  co_return co_await services_.replicate(std::move(records), std::move(before));
}

/// Gives the replicated store the records of a batch that failed as they are now: values from
/// before the batch must not replace those that a merge has taken.
asio::awaitable<void> PartitionStore::restore(const Batch& batch) {
  partitions::SharedRuntime given;
  while (!stopped_ && services_.replicate && !batch.deltas.empty() && given != current_) {
    given = current_;
    std::vector<RecordChange> records = records_at(*given, batch);
    std::vector<RecordChange> same = records;
    static_cast<void>(co_await services_.replicate(std::move(records), std::move(same)));
  }
}

NamedChanges PartitionStore::find_names(const Batch& batch) const {
  NamedChanges changes;
  for (const std::size_t at : batch.changing)
    if (batch.results[at])
      changes.push_back({.revision = batch.results[at]->revision,
                         .at = services_.wall_clock(),
                         .by = batch.changes[at].by.substr(0, kNameOfChangeBytesMax)});
  return changes;
}

void PartitionStore::adopt(std::span<const NamedChange> changes) {
  changes_ = std::make_shared<const NamedChanges>();
  merge(changes);
}

void PartitionStore::merge(std::span<const NamedChange> changes) {
  changes_ = std::make_shared<const NamedChanges>(with_changes(*changes_, changes));
  if (!changes_->empty()) changed_at_ = changes_->back().at;
}

void PartitionStore::publish(const Batch& batch) {
  current_ = batch.next;
  changes_ = std::make_shared<const NamedChanges>(with_changes(*changes_, batch.names));
  changed_at_ = services_.wall_clock();
  std::string by;
  std::size_t others = 0;
  for (std::size_t i = 0; i < batch.changes.size(); ++i) {
    if (!batch.results[i]) continue;
    if (by.empty())
      by = batch.changes[i].by;
    else
      ++others;
  }
  log_.info("partitions of the API: revision {}, {} GUID{} changed, by {}{}", current_->revision(),
            batch.committed.guids.size(), batch.committed.guids.size() == 1 ? "" : "s", by,
            others == 0 ? std::string() : fmt::format(" and {} more changes", others));
  arm_expiry();
  if (services_.stored) services_.stored(batch.committed);
}

void PartitionStore::adopt(RuntimePartitions taken) { take(std::move(taken), {}); }

void PartitionStore::merge(RuntimePartitions merged, std::vector<partitions::MembershipKey> ended) {
  take(std::move(merged), std::move(ended));
}

void PartitionStore::take(RuntimePartitions taken, std::vector<partitions::MembershipKey> ended) {
  PartitionsStored committed{.guids = {}, .partitions_changed = true, .ended = std::move(ended)};
  std::set<mad::Guid> guids;
  for (const auto& [key, member] : current_->members()) guids.insert(key.guid);
  for (const auto& [key, member] : taken.members()) guids.insert(key.guid);
  for (const partitions::MembershipKey& key : committed.ended) guids.insert(key.guid);
  committed.guids.assign(guids.begin(), guids.end());
  current_ = std::make_shared<const RuntimePartitions>(std::move(taken));
  changed_at_ = services_.wall_clock();
  stale_ = true;
  retry_at_ = {};
  wake_.signal();
  arm_expiry();
  if (services_.stored) services_.stored(committed);
}

void PartitionStore::report(const tl::expected<void, std::string>& result) {
  std::vector<Condition> active;
  fails_ = !result;
  if (fails_)
    active.push_back({.id = kManagerConditions.store_failed,
                      .text = fmt::format("{}; changes of partitions by the API are refused until "
                                          "this works again",
                                          result.error()),
                      .severity = fabric::Severity::critical});
  conditions_.set_active(ConditionSource::partition_store, std::move(active));
}

void PartitionStore::arm_expiry() {
  const auto next = current_->next_expiry();
  if (!next || stopped_) return expiry_timer_->cancel();
  const auto left =
      std::clamp(*next - services_.wall_clock(), std::chrono::seconds(0), kExpiryCheckMax);
  expiry_timer_->arm(runtime_.now() + left);
}

void PartitionStore::expire() {
  if (stopped_) return;
  const partitions::UnixTime now = services_.wall_clock();
  const auto next = current_->next_expiry();
  if (!next || *next > now) return arm_expiry();
  // The master removes expired entries of a standby; what cannot be removed now is tried again.
  expiry_timer_->arm(runtime_.now() + kExpiryCheckMax);
  if (!journal_ || (services_.refuses && !services_.refuses().empty())) return;
  waiting_.push_back(
      {{{partitions::step::Expire{now}}}, "their time is over", [](const ChangeResult&) {}});
  wake_.signal();
}

}  // namespace sm
