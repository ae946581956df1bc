#pragma once
// Holds the partitions that the API creates in addition to partitions.conf, as a value with atomic
// changes, and its lines and records. Pure.

#include <algorithm>
#include <chrono>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <utility>
#include <variant>
#include <vector>

#include "mad/ids.h"

namespace partitions {

using UnixTime = std::chrono::sys_seconds;

/// Bounds what clients can store.
inline constexpr std::size_t kRuntimeMembersMax = 1'000'000;
inline constexpr std::size_t kNameBytesMax = 64, kOwnerBytesMax = 128;

/// The attributes of a new partition; they correspond to the flags of partitions.conf.
struct PartitionAttributes {
  std::string name;       // may be empty; at most kNameBytesMax
  bool ipoib = false;     // it has an IPoIB broadcast group
  std::uint8_t mtu = 4;   // of that group: code
  std::uint8_t rate = 3;  // code
  std::uint8_t sl = 0;
  bool operator==(const PartitionAttributes&) const = default;
};

struct RuntimePartition {
  PartitionAttributes attributes;
  std::uint64_t revision = 0;  // of the latest change, of its members as well
  std::size_t members = 0;     // how many
  bool operator==(const RuntimePartition&) const = default;
};

/// The membership of a port or vport, which need not be in the fabric yet.
struct RuntimeMember {
  bool full = true;
  bool index0 = false;      // the key belongs at index 0 of its table
  std::uint64_t order = 0;  // with index0: of several partitions of a port the highest one counts
  std::optional<UnixTime> expires = {};
  std::shared_ptr<const std::string> owner = {};  // null: none
  bool operator==(const RuntimeMember& other) const;
};

struct MembershipKey {
  std::uint16_t key = 0;  // the low 15 bits
  mad::Guid guid;
  auto operator<=>(const MembershipKey&) const = default;
};

/// The steps of a change; they are carried out in order.
namespace step {
/// Creates the partition, or changes the attributes that are given.
struct Define {
  enum class When : std::uint8_t { either, absent, present };
  std::uint16_t key = 0;
  When when = When::either;
  std::optional<std::string> name = {};
  std::optional<bool> ipoib = {};
  std::optional<std::uint8_t> mtu = {}, rate = {}, sl = {};
};
/// Deletes the partition and its members; an absent partition is no error.
struct Delete {
  std::uint16_t key = 0;
};
/// Adds a member or replaces it. Creates the partition if it does not exist.
struct Put {
  std::uint16_t key = 0;
  mad::Guid guid;
  bool full = true, index0 = false;
  std::optional<UnixTime> expires = {};
  std::string owner = {};  // empty: none
};
/// Removes a member; an absent member is no error.
struct Remove {
  std::uint16_t key = 0;
  mad::Guid guid;
};
/// Removes all members whose GUIDs are not in `guids` (ascending).
struct Keep {
  std::uint16_t key = 0;
  std::vector<mad::Guid> guids;
};
/// Deletes the partition if it has no members.
struct DeleteIfEmpty {
  std::uint16_t key = 0;
};
/// Requires the partition to be at one of these revisions (If-Match); if none is given, to exist.
struct Match {
  std::uint16_t key = 0;
  std::vector<std::uint64_t> revisions = {};
};
/// Removes memberships that have expired.
struct Expire {
  UnixTime now{};
};
}  // namespace step
using Step = std::variant<step::Define, step::Delete, step::Put, step::Remove, step::Keep,
                          step::DeleteIfEmpty, step::Match, step::Expire>;

/// A change takes effect as a whole or not at all.
struct Change {
  std::vector<Step> steps;
};

struct ChangeFault {
  enum class Kind : std::uint8_t { absent, exists, mismatch, full } kind{};
  std::size_t step = 0;  // index into Change::steps
  std::string text;      // one sentence
};

/// A sorted map as an immutable value: copies share their content, and a changed copy costs only
/// its changes. Any thread may read a map. It keeps entries in chunks of at most kChunkMax;
/// versions share the chunks that do not differ.
template <class Key, class Value>
class SharedMap {
 public:
  using Entry = std::pair<Key, Value>;
  struct Change {
    Key key;
    std::optional<Value> value;  // nullopt: erased
  };
  static constexpr std::size_t kChunkMax = 256;

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }

  /// Returns null if the key is absent. The pointer is valid while this version or a copy exists.
  const Value* find(const Key& key) const {
    const std::size_t chunk = chunk_of(key);
    if (chunk == chunks_.size()) return nullptr;
    const auto at = lower(*chunks_[chunk], key);
    return at != chunks_[chunk]->end() && at->first == key ? &at->second : nullptr;
  }

  class Iterator {
   public:
    const Entry& operator*() const { return (*chunks_)[chunk_]->at(entry_); }
    const Entry* operator->() const { return &**this; }
    Iterator& operator++() {
      if (++entry_ == (*chunks_)[chunk_]->size()) {
        ++chunk_;
        entry_ = 0;
      }
      return *this;
    }
    bool operator==(const Iterator& other) const {
      return chunk_ == other.chunk_ && entry_ == other.entry_;
    }

   private:
    friend class SharedMap;
    using Chunks = std::vector<std::shared_ptr<const std::vector<Entry>>>;
    Iterator(const Chunks& chunks, std::size_t chunk, std::size_t entry)
        : chunks_(&chunks), chunk_(chunk), entry_(entry) {}
    const Chunks* chunks_;
    std::size_t chunk_, entry_;
  };
  Iterator begin() const { return {chunks_, 0, 0}; }
  Iterator end() const { return {chunks_, chunks_.size(), 0}; }
  /// Returns the first entry whose key is not less than `key`.
  Iterator lower_bound(const Key& key) const {
    std::size_t chunk = chunk_of(key);
    if (chunk == chunks_.size()) return begin();
    const auto at = lower(*chunks_[chunk], key);
    if (at == chunks_[chunk]->end()) return {chunks_, chunk + 1, 0};
    return {chunks_, chunk, static_cast<std::size_t>(at - chunks_[chunk]->begin())};
  }

  /// Returns a changed copy. `changes` are ascending, each key once.
  SharedMap with(std::span<const Change> changes) const {
    SharedMap next;
    next.chunks_.reserve(chunks_.size() + 1);
    auto change = changes.begin();
    if (chunks_.empty()) next.add_merged({}, changes);
    for (std::size_t chunk = 0; chunk < chunks_.size(); ++chunk) {
      const auto first = change;
      const bool last = chunk + 1 == chunks_.size();
      while (change != changes.end() && (last || change->key < chunks_[chunk + 1]->front().first))
        ++change;
      if (first == change) {
        next.add(chunks_[chunk]);
      } else {
        next.add_merged(*chunks_[chunk], {first, change});
      }
    }
    return next;
  }

 private:
  using Chunk = std::vector<Entry>;

  static typename Chunk::const_iterator lower(const Chunk& chunk, const Key& key) {
    return std::lower_bound(chunk.begin(), chunk.end(), key,
                            [](const Entry& entry, const Key& k) { return entry.first < k; });
  }
  /// Returns the chunk in which the key is or would be; chunks_.size() if the key is less than all.
  std::size_t chunk_of(const Key& key) const {
    const auto after =
        std::upper_bound(chunks_.begin(), chunks_.end(), key,
                         [](const Key& k, const auto& chunk) { return k < chunk->front().first; });
    return after == chunks_.begin() ? chunks_.size()
                                    : static_cast<std::size_t>(after - chunks_.begin()) - 1;
  }
  void add(std::shared_ptr<const Chunk> chunk) {
    size_ += chunk->size();
    chunks_.push_back(std::move(chunk));
  }
  void add_merged(const Chunk& old, std::span<const Change> changes) {
    Chunk merged;
    merged.reserve(old.size() + changes.size());
    auto entry = old.begin();
    for (const Change& change : changes) {
      while (entry != old.end() && entry->first < change.key) merged.push_back(*entry++);
      if (entry != old.end() && entry->first == change.key) ++entry;
      if (change.value) merged.emplace_back(change.key, *change.value);
    }
    merged.insert(merged.end(), entry, old.end());
    if (merged.empty()) return;
    // A small remainder joins the previous chunk, so that deletions do not leave many small chunks.
    if (!chunks_.empty() && merged.size() + chunks_.back()->size() <= kChunkMax / 2) {
      size_ -= chunks_.back()->size();
      merged.insert(merged.begin(), chunks_.back()->begin(), chunks_.back()->end());
      chunks_.pop_back();
    }
    const std::size_t parts = (merged.size() + kChunkMax - 1) / kChunkMax;
    for (std::size_t part = 0; part < parts; ++part) {
      const auto from = merged.begin() + static_cast<std::ptrdiff_t>(merged.size() * part / parts);
      const auto to =
          merged.begin() + static_cast<std::ptrdiff_t>(merged.size() * (part + 1) / parts);
      add(std::make_shared<const Chunk>(from, to));
    }
  }

  std::vector<std::shared_ptr<const Chunk>> chunks_;  // none is empty
  std::size_t size_ = 0;
};

class RuntimePartitions;
using SharedRuntime = std::shared_ptr<const RuntimePartitions>;

/// An immutable value that is cheap to copy.
class RuntimePartitions {
 public:
  using ByKey = SharedMap<std::uint16_t, RuntimePartition>;
  using Members = SharedMap<MembershipKey, RuntimeMember>;
  struct GuidKey {
    mad::Guid guid;
    std::uint16_t key = 0;
    auto operator<=>(const GuidKey&) const = default;
  };
  using OfGuid = SharedMap<GuidKey, RuntimeMember>;
  struct Expiry {
    UnixTime at{};
    MembershipKey of;
    auto operator<=>(const Expiry&) const = default;
  };

  const ByKey& partitions() const { return partitions_; }
  const Members& members() const { return members_; }
  /// Returns the memberships in the order of their GUIDs.
  const OfGuid& of_guid() const { return of_guid_; }
  /// Returns the number of changes so far; a number never repeats, even after deletions.
  std::uint64_t revision() const { return revision_; }
  /// Returns when the first membership expires, or nullopt if none will.
  std::optional<UnixTime> next_expiry() const;
  /// Returns the memberships that have expired.
  std::vector<MembershipKey> expired(UnixTime now) const;

  /// Holds the effect of a change: entries as they are afterwards; without a value, deleted.
  struct Delta {
    std::vector<ByKey::Change> partitions;  // ascending
    std::vector<Members::Change> members;   // ascending
    std::uint64_t revision = 0;             // afterwards
    bool empty() const { return partitions.empty() && members.empty(); }
  };
  /// Returns the difference that a change makes; it is empty if the change asks for nothing new.
  tl::expected<Delta, ChangeFault> delta(const Change& change) const;
  RuntimePartitions with(const Delta& delta) const;

 private:
  ByKey partitions_;
  Members members_;
  OfGuid of_guid_;
  SharedMap<Expiry, bool> expiries_;
  std::uint64_t revision_ = 0;
};

// ---- lines of a journal, and records of a replicated store
//
// Numbers are hexadecimal; texts are the hexadecimal digits of their bytes, or "-" if empty.
// - partition <P_Key> <revision> <ipoib> <mtu> <rate> <SL> <name>
// - member <P_Key> <GUID> <full> <index0> <order> <expires, seconds since 1970; 0: never> <owner>
// - no-partition <P_Key> (and its members), no-member <P_Key> <GUID>
// - revision <revision>
// A line about an existing entry replaces it. If the format has a higher revision (newer), lines of
// unknown kinds are ignored, and so are words behind the known ones.

/// Returns the lines of a difference, each ended by '\n'; "" for an empty difference.
std::string to_lines(const RuntimePartitions::Delta& delta);
/// Returns lines that recreate all partitions when applied to an empty value.
std::string all_lines(const RuntimePartitions& partitions);

/// Applies lines in order.
class LineReader {
 public:
  explicit LineReader(bool newer = false) : newer_(newer) {}
  /// Applies one line. Errors: the defect, as the end of a sentence; nothing is changed then.
  tl::expected<void, std::string> apply(std::string_view line);
  /// Returns the result, without members that have no partition.
  RuntimePartitions take() &&;

 private:
  bool newer_;
  std::map<std::uint16_t, RuntimePartition> partitions_;
  std::map<MembershipKey, RuntimeMember> members_;
  std::map<std::string, std::shared_ptr<const std::string>, std::less<>> owners_;
  std::uint64_t revision_ = 0;
};

/// A line as a change of one record; no text means that the record is deleted.
struct RecordChange {
  std::string key;  // "<section>/<P_Key>", "<section>/<P_Key>/<GUID>", "<section>/revision"
  std::optional<std::string> text;
  bool operator==(const RecordChange&) const = default;
};
std::vector<RecordChange> record_changes(std::string_view section,
                                         const RuntimePartitions::Delta& delta);
std::vector<RecordChange> all_records(std::string_view section, const RuntimePartitions& all);

struct MergedPartitions {
  RuntimePartitions partitions;       // with a revision above those of both
  std::vector<std::string> rejected;  // records by key and defect; they are left out
  std::vector<MembershipKey> ended;   // that the other manager has deleted
};
/// Makes changes of records, by their keys, in `own`. They are those of a manager that did not know
/// the changes of this one; other sections are ignored.
MergedPartitions merge(
    std::string_view section, const RuntimePartitions& own,
    const std::map<std::string, std::optional<std::string>, std::less<>>& changes);

}  // namespace partitions
