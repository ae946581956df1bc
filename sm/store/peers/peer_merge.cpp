// Merges two branches of a store: the changes of managers that led at the same time.

#include <algorithm>
#include <array>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <chrono>
#include <ctime>
#include <iterator>
#include <sstream>
#include <utility>

#include "mad/format.h"
#include "sm/store/atomic_file.h"
#include "sm/store/peers/peer_store.h"
#include "sm/store/replica/conflicts.h"
#include "sm/store/replica/marks.h"
#include "sm/store/replica/record_seal.h"
#include "sm/store/replica/replica_conditions.h"

namespace sm::peers {
namespace asio = boost::asio;

namespace {

constexpr std::size_t kMergeSlice = 200;       // records of one turn: about 1 ms
constexpr std::size_t kConflictKeysMax = 100;  // that a condition may name
constexpr std::size_t kConflictsMax = 8;       // files that conditions name, the latest ones
constexpr std::size_t kConflictBytesMax = std::size_t{16} << 20;
constexpr std::string_view kConflictsName = "state-conflicts-",
                           kConflictsBegin = "# heddle-state-conflicts 1: ";

/// True for records by which managers coordinate: a person has not made them.
bool is_mark(std::string_view key) {
  return std::ranges::any_of(std::array{kMastershipKey, kAnnouncementKey, kPositionKey},
                             [&](std::string_view mark) {
                               return key == mark || key.ends_with(fmt::format("/{}", mark));
                             });
}

std::string time_text() {
  const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  std::tm parts{};
  ::gmtime_r(&now, &parts);
  return fmt::format("{:04}{:02}{:02}T{:02}{:02}{:02}Z", parts.tm_year + 1900, parts.tm_mon + 1,
                     parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec);
}

/// The first free name.
std::filesystem::path conflicts_path(const std::filesystem::path& directory) {
  const std::string name = std::string(kConflictsName) + time_text();
  std::filesystem::path path = directory / name;
  std::error_code ignored;
  for (unsigned number = 2; std::filesystem::exists(path, ignored); ++number)
    path = directory / fmt::format("{}-{}", name, number);
  return path;
}

/// The first line of a file says whose values are in force.
constexpr std::string_view kOwnCount = "this manager were", kOthersCount = "another manager were";

std::string value_text(const std::optional<std::string>& value) {
  std::string text(value ? RecordSeal::unverified_text(*value) : "(deleted)");
  std::ranges::replace_if(text, [](char c) { return static_cast<unsigned char>(c) < 0x20; }, ' ');
  return text;
}

std::string conflict_lines(const std::string& key, const std::optional<std::string>& kept,
                           const std::optional<std::string>& lost) {
  return fmt::format("{}\n  kept {}\n  lost {}\n", key, value_text(kept), value_text(lost));
}

}  // namespace

struct PeerStore::Merge {
  StoreCopy branch;  // the other one
  bool branch_is_full = false;
  TermHistory theirs;
  StoreRevision common = 0, own_head = 0;
  unsigned copies_replaced = 0;
  std::vector<std::string> keys{};  // of conflicts
  std::string lines{};

  /// Counts of managers are comments in the file.
  void add_conflict(const std::string& key, const std::optional<std::string>& kept,
                    const std::optional<std::string>& lost) {
    if (!is_count(key)) keys.push_back(key);
    lines += (is_count(key) ? "# " : "") + conflict_lines(key, kept, lost);
  }
};

void PeerStore::merge_if_possible() {
  if (!leading_ || is_merging_ || stopped_ || runtime_.now() < next_merge_) return;
  for (const auto& link : links()) {
    const bool is_other =
        link->leader != mad::Guid{} && link->leader != settings_.port_guid && !link->has_ended;
    if (is_other) return;  // until one of both has handed over
  }
  for (const auto& reader : readers_) {
    if (!reader->branch || !reader->is_complete || reader->receives_all || !reader->link) continue;
    is_merging_ = true;
    asio::co_spawn(runtime_.executor(), merge(shared_from_this(), reader), asio::detached);
    return;
  }
}

asio::awaitable<void> PeerStore::merge(Self self, std::shared_ptr<Reader> reader) {
  PeerStore& store = *self;
  Merge merge{.branch = *std::exchange(reader->branch, std::nullopt),
              .branch_is_full = reader->branch_is_full,
              .theirs = reader->theirs,
              .common = store.copy_.history.common(reader->theirs).revision,
              .own_head = store.copy_.head().revision,
              .copies_replaced = store.copies_replaced_};
  const std::shared_ptr<Link> link = reader->link;
  store.merged_.clear();
  bool is_done = store.begin_term();
  if (is_done) is_done = co_await store.merge_theirs(merge);
  if (is_done) is_done = co_await store.merge_own(merge);
  // Without the file the merge does not count, so that the values that lose are not forgotten.
  std::string why;
  if (is_done) why = co_await store.keep_conflicts(merge);
  store.merge_fault_ = why;
  if (!why.empty()) store.next_merge_ = store.runtime_.now() + store.merge_pause_.next();
  if (is_done && why.empty() && store.can_go_on(merge)) {
    store.merge_pause_.reset();
    // From here on a manager with either branch is behind this copy.
    Term term = store.copy_.history.terms().back();
    ++term.last;
    for (const Term& theirs : merge.theirs.terms()) store.copy_.history.add(theirs);
    store.copy_.history.add(term);
    store.committed_ = store.copy_.head().revision;
    if (store.file_->is_lost()) store.file_->replace();  // nothing is missing any more
    reader->why_not.clear();
  } else {
    if (why.empty()) why = "a merge was interrupted";
    store.end(*link, std::move(why));  // its branch is read again
  }
  store.is_merging_ = false;  // the watch that this wakes says that the merge has ended
  store.changed(true);
}

bool PeerStore::can_go_on(const Merge& merge) const {
  return !stopped_ && is_writer() && merge.copies_replaced == copies_replaced_;
}

/// Takes what changed in the other branch only. Returns false if another manager has changed the
/// copy.
asio::awaitable<bool> PeerStore::merge_theirs(Merge& merge) {
  for (StoreRevision cursor = 0;;) {
    if (!can_go_on(merge)) co_return false;
    std::vector<Record> slice = merge.branch.after(cursor, kMergeSlice);
    if (slice.empty()) break;
    cursor = slice.back().revision;
    for (Record& record : slice) {
      if (record.revision <= merge.common) continue;
      const StoreCopy::Entry* const own = copy_.find(record.key);
      if (is_mark(record.key)) {
        // The marks of this manager count; merge_own() repeats those that have changed.
        if (own == nullptr)
          stamp({.key = std::move(record.key)});
        else if (own->revision <= merge.common)
          stamp({.key = std::move(record.key), .value = own->value, .words = own->words});
        continue;
      }
      if (own == nullptr && record.is_known && !record.value) continue;
      if (own == nullptr || own->revision <= merge.common) {
        stamp(std::move(record));
        merged_.insert(copy_.head().revision);
      } else if (own->is_known != record.is_known ||
                 !say_the_same(record.key, own->value, record.value)) {
        merge.add_conflict(record.key, own->value, record.value);
      }
    }
    changed(true);
    co_await asio::post(runtime_.executor(), asio::use_awaitable);
  }
  if (!merge.branch_is_full || merge.common == 0) co_return true;
  // A full copy lacks what was deleted there so long ago that the deletion was forgotten.
  for (StoreRevision cursor = 0;;) {
    if (!can_go_on(merge)) co_return false;
    const std::vector<Record> slice = copy_.after(cursor, kMergeSlice);
    if (slice.empty() || slice.front().revision > merge.common) co_return true;
    cursor = slice.back().revision;
    for (const Record& record : slice) {
      const bool is_deleted = record.is_known && !record.value;
      if (record.revision > merge.common || is_deleted || is_mark(record.key) ||
          merge.branch.find(record.key) != nullptr)
        continue;
      stamp({.key = record.key});
      merged_.insert(copy_.head().revision);
    }
    co_await asio::post(runtime_.executor(), asio::use_awaitable);
  }
}

/// Gives this manager's changes revisions of the new term, so that they replace the other branch's.
asio::awaitable<bool> PeerStore::merge_own(Merge& merge) {
  for (StoreRevision cursor = merge.common;;) {
    if (!can_go_on(merge)) co_return false;
    std::vector<Record> slice = copy_.after(cursor, kMergeSlice);
    std::erase_if(slice, [&](const Record& r) { return r.revision > merge.own_head; });
    if (slice.empty()) co_return true;
    cursor = slice.back().revision;
    for (Record& record : slice) stamp(std::move(record));
    changed(true);
    co_await asio::post(runtime_.executor(), asio::use_awaitable);
  }
}

/// Writes the values that lost into a file. Returns why that failed; "" if it did not.
asio::awaitable<std::string> PeerStore::keep_conflicts(Merge& merge) {
  if (merge.keys.empty()) co_return "";
  Conflicts conflicts{.count = merge.keys.size(), .keys = std::move(merge.keys)};
  std::string why = co_await write_conflicts(std::move(conflicts), merge.lines);
  co_return why.empty() ? why : "a merge needs a file of the values that lose: " + why;
}

asio::awaitable<std::string> PeerStore::write_conflicts(Conflicts conflicts, std::string lines) {
  conflicts.keys.resize(std::min(conflicts.count, kConflictKeysMax));
  struct Written {
    std::filesystem::path path{};
    tl::expected<void, std::string> outcome{};
  };
  const auto written = std::make_shared<Written>();
  std::string text = fmt::format(
      "{}{} records that two managers changed while both led; the values of {} kept\n{}",
      kConflictsBegin, conflicts.count, conflicts.own_counts ? kOwnCount : kOthersCount, lines);
  const auto is_written = std::make_shared<mad::WakeUp>(runtime_);
  runtime_.run_aside(
      [written, text = std::move(text), directory = settings_.file.parent_path(),
       fsync = settings_.fsync] {
        written->path = conflicts_path(directory);
        written->outcome = write_file_atomically(written->path, text, fsync, 0600);
      },
      [is_written] { is_written->signal(); });
  co_await is_written->wait_until(mad::TimePoint::max());
  if (!written->outcome) co_return written->outcome.error();
  conflicts.file = written->path;
  add_conflicts(std::move(conflicts));
  co_return "";
}

void PeerStore::name_lost(bool own_counts, const std::vector<LostChange>& changes) {
  Lost lost{.conflicts = {.own_counts = own_counts, .count = changes.size()}, .lines = {}};
  for (const LostChange& change : changes) {
    lost.lines += conflict_lines(change.key, change.kept, change.lost);
    lost.conflicts.keys.push_back(change.key);
  }
  // The first one may be on its way to the disk. What comes while the disk takes none shares a
  // file.
  const auto first_waiting = lost_.begin() + (lost_.empty() ? 0 : 1);
  const auto same = std::find_if(first_waiting, lost_.end(), [&](const Lost& waiting) {
    return waiting.conflicts.own_counts == own_counts;
  });
  if (same == lost_.end()) {
    lost_.push_back(std::move(lost));
  } else {
    same->lines += lost.lines;
    same->conflicts.count += lost.conflicts.count;
    std::ranges::move(lost.conflicts.keys, std::back_inserter(same->conflicts.keys));
  }
  if (!std::exchange(is_writing_lost_, true))
    asio::co_spawn(runtime_.executor(), keep_lost(shared_from_this()), asio::detached);
}

/// Tries again until the disk takes the file. Until then a condition names the records.
asio::awaitable<void> PeerStore::keep_lost(Self self) {
  PeerStore& store = *self;
  mad::WakeUp pause(store.runtime_);
  while (!store.stopped_ && !store.lost_.empty()) {
    Lost lost = store.lost_.front();
    const std::string why =
        co_await store.write_conflicts(std::move(lost.conflicts), std::move(lost.lines));
    if (store.stopped_) break;
    if (why.empty()) {
      store.lost_.pop_front();
      store.watch_wake_.signal();
    } else {
      co_await pause.wait_until(store.runtime_.now() + kHeartbeat);
    }
  }
  store.is_writing_lost_ = false;
}

void PeerStore::add_conflicts(Conflicts conflicts) {
  if (conflicts_.size() >= kConflictsMax) conflicts_.erase(conflicts_.begin());
  conflicts_.push_back(std::move(conflicts));
}

/// Finds the files of earlier merges that are still in the directory, at the start.
void PeerStore::find_conflicts() {
  std::error_code error;
  std::vector<std::filesystem::path> files;
  for (std::filesystem::directory_iterator at(settings_.file.parent_path(), error), end;
       !error && at != end; at.increment(error))
    if (at->path().filename().string().starts_with(kConflictsName)) files.push_back(at->path());
  std::ranges::sort(files);
  if (files.size() > kConflictsMax)
    files.erase(files.begin(), files.end() - static_cast<std::ptrdiff_t>(kConflictsMax));
  for (const std::filesystem::path& path : files) {
    const auto text = read_file(path, kConflictBytesMax);
    Conflicts conflicts{.file = path};
    std::istringstream lines(text && *text ? **text : std::string());
    for (std::string line; std::getline(lines, line);) {
      if (line.starts_with(kConflictsBegin))
        conflicts.own_counts = line.find(kOthersCount) == std::string::npos;
      if (line.empty() || line.starts_with(' ') || line.starts_with('#')) continue;
      if (++conflicts.count <= kConflictKeysMax) conflicts.keys.push_back(std::move(line));
    }
    add_conflicts(std::move(conflicts));
  }
}

std::string PeerStore::describe(const Conflicts& conflicts) {
  if (conflicts.count == 0)
    return fmt::format("{} has records that two managers changed while both led",
                       conflicts.file.string());
  std::string keys;
  constexpr std::size_t kKeysShown = 10;
  for (std::size_t index = 0; index < std::min(kKeysShown, conflicts.keys.size()); ++index)
    (keys += index == 0 ? "" : ", ") += conflicts.keys[index];
  if (conflicts.count > kKeysShown) keys += ", ...";
  const bool is_one = conflicts.count == 1;
  return fmt::format(
      "{} record{} that this manager and another one changed while both led {} the value of {} "
      "one; {} has both: {}",
      conflicts.count, is_one ? "" : "s", is_one ? "has" : "have",
      conflicts.own_counts ? "this" : "the other",
      conflicts.file.empty() ? "a file that the disk does not take yet" : conflicts.file.string(),
      keys);
}

std::vector<fabric::Condition> PeerStore::conditions() const {
  std::vector<fabric::Condition> active;
  // A manager that leads shows it by its commits that fail.
  if (!leading_ && !file_->fault().empty())
    active.push_back(
        {.id = kReplicaConditions.store_unreachable,
         .text = fmt::format("{}; what other managers send is in memory alone", file_->fault())});
  if (const std::string fault = transport_->fault(); !fault.empty())
    active.push_back(
        {.id = kReplicaConditions.store_unreachable,
         .text = fmt::format("{}: other managers cannot read this copy; give this port its own "
                             "state_listen or subnet_prefix",
                             fault)});
  for (const Conflicts& conflicts : conflicts_)
    active.push_back({.id = kReplicaConditions.changes_lost, .text = describe(conflicts)});
  for (const Lost& lost : lost_)
    active.push_back({.id = kReplicaConditions.changes_lost, .text = describe(lost.conflicts)});
  return active;
}

}  // namespace sm::peers
