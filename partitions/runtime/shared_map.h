#pragma once
// A sorted map as an immutable value: copies share their content, and a changed copy costs only its
// changes. Any thread may read a map.

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace partitions {

/// Keeps entries in chunks of at most kChunkMax; versions share the chunks that do not differ.
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

}  // namespace partitions
