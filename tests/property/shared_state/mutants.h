#pragma once
// Defects, which the check of histories must find: stores with one each, which stand between a
// manager and its store, and connections that change what managers send to each other.

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "sm/store/peers/peer_messages.h"
#include "sm/store/replica/state_store.h"

namespace shared_state {

/// True for the record of a member of a partition.
inline bool is_membership(const std::string& key) {
  const std::size_t at = key.find("/partitions/");
  return at != std::string::npos && key.find('/', at + 12) != std::string::npos;
}

/// Passes everything on.
class PassingStore : public sm::StateStore {
 public:
  explicit PassingStore(std::shared_ptr<sm::StateStore> store) : store_(std::move(store)) {}

  boost::asio::awaitable<sm::StoreResult<sm::StoreContent>> read(std::string prefix) override {
    return store_->read(std::move(prefix));
  }
  boost::asio::awaitable<sm::StoreResult<sm::StoreRevision>> commit(
      sm::StoreGuard guard, std::vector<sm::StoreChange> changes) override {
    return store_->commit(std::move(guard), std::move(changes));
  }
  boost::asio::awaitable<sm::StoreResult<sm::StoreEvents>> watch(std::string prefix,
                                                                 sm::StoreRevision after) override {
    return store_->watch(std::move(prefix), after);
  }
  boost::asio::awaitable<sm::StoreResult<sm::StoreLease>> grant(
      std::chrono::seconds life) override {
    return store_->grant(life);
  }
  boost::asio::awaitable<sm::StoreResult<bool>> keep_alive(sm::StoreLease lease) override {
    return store_->keep_alive(lease);
  }
  std::optional<sm::StoreCopies> copies() const override { return store_->copies(); }
  std::vector<sm::StorePeer> peers() const override { return store_->peers(); }
  std::optional<mad::TimePoint> copied_at(mad::Guid port) const override {
    return store_->copied_at(port);
  }
  std::vector<fabric::Condition> conditions() const override { return store_->conditions(); }
  void set_leading(bool leading) override { store_->set_leading(leading); }
  void set_known_managers(const std::set<mad::Guid>& ports) override {
    store_->set_known_managers(ports);
  }
  void stop() override { store_->stop(); }

 protected:
  std::shared_ptr<sm::StateStore> store_;
};

/// A master answers as if each manager that is configured had the change.
class HastyStore final : public PassingStore {
 public:
  using PassingStore::PassingStore;

  std::optional<sm::StoreCopies> copies() const override {
    auto copies = store_->copies();
    if (copies) copies->connected = copies->current = std::max(copies->configured, 1u);
    return copies;
  }
};

/// A standby loses one of three changes of memberships that others make.
class LosingStore final : public PassingStore {
 public:
  using PassingStore::PassingStore;

  boost::asio::awaitable<sm::StoreResult<sm::StoreContent>> read(std::string prefix) override {
    auto content = co_await store_->read(std::move(prefix));
    if (content)
      std::erase_if(content->entries,
                    [&](const sm::StoreEntry& entry) { return lost_.contains(entry.key); });
    co_return content;
  }
  boost::asio::awaitable<sm::StoreResult<sm::StoreRevision>> commit(
      sm::StoreGuard guard, std::vector<sm::StoreChange> changes) override {
    for (const sm::StoreChange& change : changes) own_.insert(change.key);
    return store_->commit(std::move(guard), std::move(changes));
  }
  boost::asio::awaitable<sm::StoreResult<sm::StoreEvents>> watch(std::string prefix,
                                                                 sm::StoreRevision after) override {
    auto events = co_await store_->watch(std::move(prefix), after);
    if (events) std::erase_if(events->events, [&](const auto& event) { return loses(event); });
    co_return events;
  }

 private:
  bool loses(const sm::StoreEvent& event) {
    lost_.erase(event.key);
    if (!is_membership(event.key) || own_.contains(event.key) || ++count_ % 3 != 0) return false;
    lost_.insert(event.key);
    return true;
  }
  std::set<std::string> own_, lost_;  // keys
  unsigned count_ = 0;
};

/// A standby applies some changes of a key in the wrong order: the earlier one last.
class ReorderingStore final : public PassingStore {
 public:
  using PassingStore::PassingStore;

  boost::asio::awaitable<sm::StoreResult<sm::StoreRevision>> commit(
      sm::StoreGuard guard, std::vector<sm::StoreChange> changes) override {
    for (const sm::StoreChange& change : changes) own_.insert(change.key);
    return store_->commit(std::move(guard), std::move(changes));
  }
  boost::asio::awaitable<sm::StoreResult<sm::StoreEvents>> watch(std::string prefix,
                                                                 sm::StoreRevision after) override {
    auto events = co_await store_->watch(std::move(prefix), after);
    if (!events) co_return events;
    std::vector<sm::StoreEvent> turned;
    for (sm::StoreEvent& event : events->events) {
      const bool counts = is_membership(event.key) && !own_.contains(event.key);
      const auto earlier = latest_.find(event.key);
      turned.push_back(event);
      if (counts && earlier != latest_.end()) {
        turned.push_back(earlier->second);
        turned.back().revision = event.revision;
      }
      if (counts) latest_.insert_or_assign(event.key, event);
    }
    events->events = std::move(turned);
    co_return events;
  }

 private:
  std::set<std::string> own_;
  std::map<std::string, sm::StoreEvent> latest_;  // by key
};

/// Edits the batches of records in what a manager sends, which ends with a whole frame.
template <class Edit>
void edit_batches(std::string& bytes, Edit edit) {
  sm::peers::FrameBuffer frames;
  frames.append(bytes);
  std::string out;
  for (;;) {
    const auto frame = frames.next();
    if (!frame) return;
    if (!*frame) break;
    auto message = sm::peers::parse_message(**frame);
    if (!message) return;
    if (auto* const batch = std::get_if<sm::peers::Batch>(&*message)) edit(*batch);
    out += sm::peers::to_frame(*message);
  }
  bytes = std::move(out);
}

/// A connection loses one of three records of memberships.
class LosingLink {
 public:
  bool operator()(const std::string&, const std::string&, std::string& bytes) {
    edit_batches(bytes, [this](sm::peers::Batch& batch) {
      std::erase_if(batch.records, [this](const sm::peers::Record& record) {
        return is_membership(record.key) && ++count_ % 3 == 0;
      });
    });
    return true;
  }

 private:
  unsigned count_ = 0;
};

/// A connection swaps two changes of a membership now and then: the earlier value comes last.
class ReorderingLink {
 public:
  bool operator()(const std::string&, const std::string& to, std::string& bytes) {
    edit_batches(bytes, [&](sm::peers::Batch& batch) {
      for (sm::peers::Record& record : batch.records) {
        if (!is_membership(record.key)) continue;
        const auto [at, is_first] = latest_.try_emplace({to, record.key}, record.value);
        if (is_first) continue;
        const bool is_swapped = at->second != record.value && ++count_ % 3 == 0;
        if (is_swapped)
          std::swap(at->second, record.value);
        else
          at->second = record.value;
      }
    });
    return true;
  }

 private:
  std::map<std::pair<std::string, std::string>, std::optional<std::string>> latest_;
  unsigned count_ = 0;
};

}  // namespace shared_state
