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
#include "sm/store/journal.h"
#include "sm/store/replica/state_replica.h"

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
constexpr mad::Duration kRetryFirst = std::chrono::seconds(1),
                        kRetryLast = std::chrono::seconds(30);

struct Pending {
  partitions::Change change;
  std::string by;
  std::function<void(ChangeResult)> done;
};

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

}  // namespace

class PartitionStore::Core {
 public:
  Core(mad::Runtime& runtime, ConditionLog& conditions, spdlog::logger& log, Services services)
      : runtime_(runtime),
        conditions_(conditions),
        log_(log),
        services_(std::move(services)),
        wake_(runtime),
        expiry_timer_(runtime.make_timer([this] { expire(); })) {}

  static asio::awaitable<void> loop(std::shared_ptr<Core> self);
  void stop();
  void open(Stored stored);
  static asio::awaitable<void> opened(std::shared_ptr<Core> self);
  static asio::awaitable<ChangeResult> change(std::shared_ptr<Core> self, partitions::Change change,
                                              std::string by);
  void adopt(RuntimePartitions taken);
  void arm_expiry();

  std::optional<partitions::UnixTime> changed_at;
  partitions::SharedRuntime current = std::make_shared<const RuntimePartitions>();
  bool is_on_disk() const { return journal_ && !stale_ && !batch_; }

 private:
  /// Holds what one turn of the loop stores. The thread of the journal works on it.
  struct Batch {
    std::shared_ptr<Journal> journal;
    partitions::SharedRuntime base, next;
    std::vector<Pending> changes;
    std::vector<ChangeResult> results;  // parallel
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

  asio::awaitable<void> aside(std::function<void()> work) {
    return asio::async_initiate<const asio::use_awaitable_t<>&, void()>(
        [this](auto handler, std::function<void()> what) {
          auto shared = std::make_shared<decltype(handler)>(std::move(handler));
          runtime_.run_aside(mad::Runtime::Lane::journal, std::move(what),
                             [shared] { std::move (*shared)(); });
        },
        asio::use_awaitable, std::move(work));
  }
  asio::awaitable<void> store_batch(std::shared_ptr<Batch> batch);
  asio::awaitable<std::string> replicate(const Batch& batch);
  void publish(const Batch& batch);
  void report(const tl::expected<void, std::string>& result);
  void expire();
  asio::awaitable<ChangeResult> enqueue(partitions::Change change, std::string by);

  mad::Runtime& runtime_;
  ConditionLog& conditions_;
  spdlog::logger& log_;
  Services services_;
  mad::WakeUp wake_;
  std::unique_ptr<mad::Timer> expiry_timer_;
  std::shared_ptr<Journal> journal_;
  bool is_open_ = false;
  std::vector<std::shared_ptr<mad::WakeUp>> wait_for_open_;  // one for each coroutine that waits
  std::string why_no_journal_;                               // once it is open
  std::deque<Pending> waiting_;
  std::shared_ptr<Batch> batch_;  // null: none is under way
  bool stale_ = false;            // the journal lacks what adopt() gave
  bool fails_ = false;            // the disk took nothing the last time; it is tried again
  mad::Backoff retry_{kRetryFirst, kRetryLast};
  mad::TimePoint retry_at_{};
  bool stopped_ = false;
};

// ------------------------------------------------------------------------------------------
// On the thread of the journal

void PartitionStore::Core::Batch::decide() {
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
    results.emplace_back(delta->revision);
    if (delta->empty()) continue;
    for (const auto& change : delta->partitions) {
      const auto* const was = next->partitions().find(change.key);
      if (was == nullptr || !change.value || was->attributes != change.value->attributes)
        committed.partitions_changed = true;
    }
    for (const auto& change : delta->members) guids.insert(change.key.guid);
    next = std::make_shared<const RuntimePartitions>(next->with(*delta));
    deltas.push_back(std::move(*delta));
  }
  committed.guids.assign(guids.begin(), guids.end());
}

void PartitionStore::Core::Batch::write() {
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

void PartitionStore::Core::open(Stored stored) {
  is_open_ = true;
  for (const auto& waiter : std::exchange(wait_for_open_, {})) waiter->signal();
  if (!stored.journal) {
    why_no_journal_ = stored.journal.error();
    return report(tl::unexpected(why_no_journal_));
  }
  for (const std::string& message : stored.messages) log_.error("{}", message);
  current = std::move(stored.partitions);
  journal_ = *std::move(stored.journal);
  if (!current->partitions().empty())
    log_.info("partitions of the API: {} with {} memberships, revision {}",
              current->partitions().size(), current->members().size(), current->revision());
  arm_expiry();
}

asio::awaitable<void> PartitionStore::Core::opened(std::shared_ptr<Core> self) {
  if (self->is_open_ || self->stopped_) co_return;
  const auto wake = std::make_shared<mad::WakeUp>(self->runtime_);
  self->wait_for_open_.push_back(wake);
  while (!self->is_open_ && !self->stopped_) co_await wake->wait_until(mad::TimePoint::max());
}

void PartitionStore::Core::stop() {
  stopped_ = true;
  for (const auto& waiter : std::exchange(wait_for_open_, {})) waiter->signal();
  expiry_timer_->cancel();
  if (batch_ && batch_->writing) batch_->write();  // or waits for its end
  for (Pending& pending : std::exchange(waiting_, {}))
    pending.done(tl::unexpected(unavailable("the manager ends")));
  wake_.signal();
}

asio::awaitable<ChangeResult> PartitionStore::Core::change(std::shared_ptr<Core> self,
                                                           partitions::Change change,
                                                           std::string by) {
  const auto refuse = [](std::string why) {
    return ChangeResult(tl::unexpected(unavailable(std::move(why))));
  };
  co_await opened(self);
  if (self->stopped_) co_return refuse("the manager ends");
  if (!self->journal_) co_return refuse(self->why_no_journal_);
  if (self->waiting_.size() >= kWaitingMax)
    co_return refuse(fmt::format("{} changes wait already", self->waiting_.size()));
  co_return co_await self->enqueue(std::move(change), std::move(by));
}

asio::awaitable<ChangeResult> PartitionStore::Core::enqueue(partitions::Change change,
                                                            std::string by) {
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

asio::awaitable<void> PartitionStore::Core::loop(std::shared_ptr<Core> self) {
  Core& core = *self;
  while (!core.stopped_) {
    const bool retries = (core.stale_ || core.fails_) && core.journal_;
    if (core.waiting_.empty() && (!retries || core.runtime_.now() < core.retry_at_)) {
      co_await core.wake_.wait_until(retries ? core.retry_at_ : mad::TimePoint::max());
      continue;
    }
    auto batch = std::make_shared<Batch>();
    batch->journal = core.journal_;
    batch->base = batch->next = core.current;
    batch->everything = core.stale_ || core.fails_;
    while (!core.waiting_.empty() && batch->changes.size() < kBatchMax) {
      batch->changes.push_back(std::move(core.waiting_.front()));
      core.waiting_.pop_front();
    }
    core.batch_ = batch;
    co_await core.store_batch(batch);
    core.batch_.reset();
    for (std::size_t i = 0; i < batch->changes.size(); ++i)
      batch->changes[i].done(std::move(batch->results[i]));
  }
}

asio::awaitable<void> PartitionStore::Core::store_batch(std::shared_ptr<Batch> batch) {
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
    if (!batch->deltas.empty() && services_.replicate) {
      if (const std::string why = co_await replicate(*batch); !why.empty())
        co_return fail_all(unavailable(why));
      if (stopped_) co_return fail_all(unavailable("the manager ends"));
    }
  }
  if (current != batch->base) {
    // adopt() ran during the decision, which is about partitions that no longer count.
    co_return fail_all(
        unavailable("another manager's partitions were taken over while the change was decided"));
  }
  if (!batch->deltas.empty() || batch->everything) {
    batch->writing = true;
    std::function<void()> write = [batch] { batch->write(); };
    co_await aside(std::move(write));
    if (stopped_) co_return fail_all(unavailable("the manager ends"));
    report(batch->result);
    if (!batch->result) {
      if (services_.replicate && !batch->deltas.empty()) {
        std::vector<RecordChange> back = before_of(*batch->base, batch->deltas.front());
        for (std::size_t i = 1; i < batch->deltas.size(); ++i)
          std::ranges::move(before_of(*batch->base, batch->deltas[i]), std::back_inserter(back));
        static_cast<void>(co_await services_.replicate(back, back));
      }
      retry_at_ = runtime_.now() + retry_.next();
      co_return fail_all(unavailable(fmt::format(
          "{}: the change would be lost at the next start, and is refused until the disk takes it",
          batch->result.error())));
    }
    retry_.reset();
    if (batch->everything && current == batch->base) stale_ = false;
  }
  if (!batch->deltas.empty()) publish(*batch);
}

asio::awaitable<std::string> PartitionStore::Core::replicate(const Batch& batch) {
  std::vector<RecordChange> records, before;
  for (const Delta& delta : batch.deltas) {
    std::ranges::move(partitions::record_changes(section::kPartitions, delta),
                      std::back_inserter(records));
    std::ranges::move(before_of(*batch.base, delta), std::back_inserter(before));
  }
  co_return co_await services_.replicate(std::move(records), std::move(before));
}

void PartitionStore::Core::publish(const Batch& batch) {
  current = batch.next;
  changed_at = services_.wall_clock();
  std::string by;
  std::size_t others = 0;
  for (std::size_t i = 0; i < batch.changes.size(); ++i) {
    if (!batch.results[i]) continue;
    if (by.empty())
      by = batch.changes[i].by;
    else
      ++others;
  }
  log_.info("partitions of the API: revision {}, {} GUID{} changed, by {}{}", current->revision(),
            batch.committed.guids.size(), batch.committed.guids.size() == 1 ? "" : "s", by,
            others == 0 ? std::string() : fmt::format(" and {} more changes", others));
  arm_expiry();
  if (services_.stored) services_.stored(batch.committed);
}

void PartitionStore::Core::adopt(RuntimePartitions taken) {
  PartitionsStored committed{.guids = {}, .partitions_changed = true};
  std::set<mad::Guid> guids;
  for (const auto& [key, member] : current->members()) guids.insert(key.guid);
  for (const auto& [key, member] : taken.members()) guids.insert(key.guid);
  committed.guids.assign(guids.begin(), guids.end());
  current = std::make_shared<const RuntimePartitions>(std::move(taken));
  changed_at = services_.wall_clock();
  stale_ = true;
  retry_at_ = {};
  wake_.signal();
  arm_expiry();
  if (services_.stored) services_.stored(committed);
}

void PartitionStore::Core::report(const tl::expected<void, std::string>& result) {
  std::vector<Condition> active;
  fails_ = !result;
  if (fails_)
    active.push_back({.id = ConditionId::store_failed,
                      .text = fmt::format("{}; changes of partitions by the API are refused until "
                                          "this works again",
                                          result.error()),
                      .severity = fabric::Severity::critical});
  conditions_.set_active(ConditionSource::partition_store, std::move(active));
}

void PartitionStore::Core::arm_expiry() {
  const auto next = current->next_expiry();
  if (!next || stopped_) return expiry_timer_->cancel();
  const auto left =
      std::clamp(*next - services_.wall_clock(), std::chrono::seconds(0), kExpiryCheckMax);
  expiry_timer_->arm(runtime_.now() + left);
}

void PartitionStore::Core::expire() {
  if (stopped_) return;
  const partitions::UnixTime now = services_.wall_clock();
  const auto next = current->next_expiry();
  if (!next || *next > now) return arm_expiry();
  // The master removes expired entries of a standby; what cannot be removed now is tried again.
  expiry_timer_->arm(runtime_.now() + kExpiryCheckMax);
  if (!journal_ || (services_.refuses && !services_.refuses().empty())) return;
  waiting_.push_back(
      {{{partitions::step::Expire{now}}}, "their time is over", [](const ChangeResult&) {}});
  wake_.signal();
}

// ------------------------------------------------------------------------------------------

PartitionStore::PartitionStore(mad::Runtime& runtime, ConditionLog& conditions, spdlog::logger& log,
                               Services services)
    : core_(std::make_shared<Core>(runtime, conditions, log, std::move(services))) {
  asio::co_spawn(runtime.executor(), Core::loop(core_), asio::detached);
}
PartitionStore::~PartitionStore() { core_->stop(); }
void PartitionStore::open(Stored stored) { core_->open(std::move(stored)); }
partitions::SharedRuntime PartitionStore::current() const { return core_->current; }
asio::awaitable<ChangeResult> PartitionStore::change(partitions::Change change, std::string by) {
  return Core::change(core_, std::move(change), std::move(by));
}
asio::awaitable<void> PartitionStore::opened() { return Core::opened(core_); }
void PartitionStore::adopt(RuntimePartitions taken) { core_->adopt(std::move(taken)); }
std::optional<partitions::UnixTime> PartitionStore::changed_at() const { return core_->changed_at; }
bool PartitionStore::is_on_disk() const { return core_->is_on_disk(); }
void PartitionStore::check_expiry() { core_->arm_expiry(); }

}  // namespace sm
