// Merges two branches of a store: the changes of managers that led at the same time.

#include <algorithm>
#include <array>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <chrono>
#include <ctime>
#include <utility>

#include "mad/format.h"
#include "sm/store/atomic_file.h"
#include "sm/store/peers/peer_store.h"
#include "sm/store/replica/marks.h"
#include "sm/store/replica/record_seal.h"
#include "sm/store/replica/replica_conditions.h"

namespace sm::peers {
namespace asio = boost::asio;

namespace {

constexpr std::size_t kMergeSlice = 200;       // records of one turn: about 1 ms
constexpr std::size_t kConflictKeysMax = 100;  // that a condition may name

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
  const std::string name = fmt::format("state-conflicts-{}", time_text());
  std::filesystem::path path = directory / name;
  std::error_code ignored;
  for (unsigned number = 2; std::filesystem::exists(path, ignored); ++number)
    path = directory / fmt::format("{}-{}", name, number);
  return path;
}

std::string value_text(const std::optional<std::string>& value) {
  std::string text(value ? RecordSeal::unverified_text(*value) : "(deleted)");
  std::ranges::replace_if(text, [](char c) { return static_cast<unsigned char>(c) < 0x20; }, ' ');
  return text;
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
};

void PeerStore::merge_if_possible() {
  if (!leading_ || is_merging_ || stopped_) return;
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
  if (is_done && store.is_writer()) {
    // From here on a manager with either branch is behind this copy.
    Term term = store.copy_.history.terms().back();
    ++term.last;
    for (const Term& theirs : merge.theirs.terms()) store.copy_.history.add(theirs);
    store.copy_.history.add(term);
    store.committed_ = store.copy_.head().revision;
    store.keep_conflicts(merge);
    if (store.file_->is_lost()) store.file_->replace();  // nothing is missing any more
    reader->why_not.clear();
  } else {
    store.end(*link, "a merge was interrupted");  // its branch is read again
  }
  store.changed(true);
  store.is_merging_ = false;
}

/// Takes what changed in the other branch only. Returns false if another manager has changed the
/// copy.
asio::awaitable<bool> PeerStore::merge_theirs(Merge& merge) {
  const auto can_go_on = [&] {
    return !stopped_ && is_writer() && merge.copies_replaced == copies_replaced_;
  };
  for (StoreRevision cursor = 0;;) {
    if (!can_go_on()) co_return false;
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
      } else if (own->value != record.value || own->is_known != record.is_known) {
        merge.keys.push_back(record.key);
        merge.lines += fmt::format("{}\n  kept {}\n  lost {}\n", record.key, value_text(own->value),
                                   value_text(record.value));
      }
    }
    changed(true);
    co_await asio::post(runtime_.executor(), asio::use_awaitable);
  }
  if (!merge.branch_is_full || merge.common == 0) co_return true;
  // A full copy lacks what was deleted there so long ago that the deletion was forgotten.
  for (StoreRevision cursor = 0;;) {
    if (!can_go_on()) co_return false;
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
    if (stopped_ || !is_writer() || merge.copies_replaced != copies_replaced_) co_return false;
    std::vector<Record> slice = copy_.after(cursor, kMergeSlice);
    std::erase_if(slice, [&](const Record& r) { return r.revision > merge.own_head; });
    if (slice.empty()) co_return true;
    cursor = slice.back().revision;
    for (Record& record : slice) stamp(std::move(record));
    changed(true);
    co_await asio::post(runtime_.executor(), asio::use_awaitable);
  }
}

void PeerStore::keep_conflicts(Merge& merge) {
  if (merge.keys.empty()) return;
  const std::size_t count = merge.keys.size();
  merge.keys.resize(std::min(count, kConflictKeysMax));
  const std::filesystem::path path = conflicts_path(settings_.file.parent_path());
  conflicts_ = Conflicts{.file = path, .count = count, .keys = std::move(merge.keys)};
  auto text = std::make_shared<std::string>(
      fmt::format("# heddle-state-conflicts 1: {} records that two managers changed while both "
                  "led; the values of this manager were kept\n{}",
                  count, merge.lines));
  runtime_.run_aside(
      [text, path, fsync = settings_.fsync] {
        (void)write_file_atomically(path, *text, fsync, 0600);
      },
      [] {});
}

std::vector<fabric::Condition> PeerStore::conditions() const {
  std::vector<fabric::Condition> active;
  // A manager that leads shows it by its commits that fail.
  if (!leading_ && !file_->fault().empty())
    active.push_back(
        {.id = kReplicaConditions.store_unreachable,
         .text = fmt::format("{}; what other managers send is in memory alone", file_->fault())});
  if (!conflicts_) return active;
  std::string keys;
  constexpr std::size_t kKeysShown = 10;
  for (std::size_t index = 0; index < std::min(kKeysShown, conflicts_->keys.size()); ++index)
    (keys += index == 0 ? "" : ", ") += conflicts_->keys[index];
  if (conflicts_->count > kKeysShown) keys += ", ...";
  active.push_back({.id = kReplicaConditions.changes_lost,
                    .text = fmt::format(
                        "{} record{} that this manager and another one changed while both led "
                        "{} the value of this one; {} has both: {}",
                        conflicts_->count, conflicts_->count == 1 ? "" : "s",
                        conflicts_->count == 1 ? "has" : "have", conflicts_->file.string(), keys)});
  return active;
}

}  // namespace sm::peers
