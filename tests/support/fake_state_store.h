#pragma once
// A state store in memory, in virtual time: what all managers share, and the way of each of them
// to it, with faults.

#include <algorithm>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "mad/runtime.h"
#include "sm/store/replica/state_store.h"

namespace support {

/// The content, its history and its leases. It outlives its clients.
class FakeStore {
 public:
  struct Value {
    std::string value;
    sm::StoreRevision revision = 0;
    sm::StoreLease lease = 0;
  };

  explicit FakeStore(mad::Runtime& runtime)
      : runtime_(runtime), lease_timer_(runtime.make_timer([this] { end_leases(); })) {}

  bool full = false;          // takes no more data
  bool full_of_disk = false;  // makes and shows changes, and says that its disk does not have them
  /// Called when a manager begins to lead.
  std::function<void()> on_leading;
  /// Nothing: it keeps its data by itself. A client begins with this value.
  std::optional<sm::StoreCopies> held;
  std::vector<sm::StorePeer> others;  // of such a store; a client begins with these

  std::map<std::string, Value> content;
  sm::StoreRevision revision = 0;
  sm::StoreRevision compacted = 0;  // events up to here are gone
  std::vector<sm::StoreEvent> history;
  std::size_t commits = 0, changes = 0;

  void put(const std::string& key, const std::string& value, sm::StoreLease lease = 0) {
    content[key] = {value, revision, lease};
    history.push_back({.key = key, .value = value, .revision = revision});
  }
  void erase(const std::string& key) {
    if (content.erase(key) == 0) return;
    history.push_back({.key = key, .value = {}, .revision = revision});
  }
  /// As another program could.
  void write(const std::string& key, const std::string& value) {
    ++revision;
    put(key, value);
    wake();
  }
  /// As a merge takes what another manager wrote while both led.
  void merge(const std::vector<sm::StoreChange>& taken) {
    ++revision;
    for (const sm::StoreChange& change : taken) {
      if (change.value)
        put(change.key, *change.value);
      else
        erase(change.key);
      if (!history.empty() && history.back().key == change.key) history.back().merged = true;
    }
    wake();
  }
  /// True if a merge made the latest change of the key.
  bool is_merged(const std::string& key) const {
    const auto latest = std::find_if(history.rbegin(), history.rend(),
                                     [&](const sm::StoreEvent& event) { return event.key == key; });
    return latest != history.rend() && latest->merged;
  }
  void compact() {
    compacted = revision;
    history.clear();
  }
  /// Its data directory is gone.
  void wipe() {
    content.clear();
    history.clear();
    leases_.clear();
    revision = compacted = 0;
    wake();
  }
  sm::StoreLease grant(mad::Duration life) {
    leases_[++last_lease_] = {life, runtime_.now() + life};
    arm();
    return last_lease_;
  }
  bool keep_alive(sm::StoreLease lease) {
    const auto found = leases_.find(lease);
    if (found == leases_.end()) return false;
    found->second.second = runtime_.now() + found->second.first;
    arm();
    return true;
  }
  void wake() {
    for (mad::WakeUp* watcher : watchers_) watcher->signal();
  }
  std::size_t count(std::string_view part) const {
    std::size_t found = 0;
    for (const auto& [key, value] : content) found += key.find(part) != std::string::npos;
    return found;
  }
  std::list<mad::WakeUp*> watchers_;

 private:
  void arm() {
    mad::TimePoint next = mad::TimePoint::max();
    for (const auto& [lease, life] : leases_) next = std::min(next, life.second);
    if (next != mad::TimePoint::max()) lease_timer_->arm(next);
  }
  void end_leases() {
    std::vector<sm::StoreLease> ended;
    for (const auto& [lease, life] : leases_)
      if (life.second <= runtime_.now()) ended.push_back(lease);
    for (const sm::StoreLease lease : ended) {
      leases_.erase(lease);
      std::vector<std::string> keys;
      for (const auto& [key, value] : content)
        if (value.lease == lease) keys.push_back(key);
      ++revision;
      for (const std::string& key : keys) erase(key);
    }
    if (!ended.empty()) wake();
    arm();
  }

  mad::Runtime& runtime_;
  std::unique_ptr<mad::Timer> lease_timer_;
  std::map<sm::StoreLease, std::pair<mad::Duration, mad::TimePoint>> leases_;
  sm::StoreLease last_lease_ = 0;
};

/// One manager's connection.
class FakeStateStore final : public sm::StateStore {
 public:
  static constexpr mad::Duration kTimeout = std::chrono::seconds(2),
                                 kQuiet = std::chrono::seconds(5);

  FakeStateStore(mad::Runtime& runtime, FakeStore& store)
      : held(store.held),
        others(store.others),
        runtime_(runtime),
        store_(store),
        watcher_(runtime) {
    store_.watchers_.push_back(&watcher_);
  }
  ~FakeStateStore() override { store_.watchers_.remove(&watcher_); }

  mad::Duration latency = std::chrono::milliseconds(1);
  bool lose_answers = false;  // of writes: these are made
  void set_reachable(bool reachable) {
    reachable_ = reachable;
    watcher_.signal();
  }
  std::size_t reads = 0;
  std::optional<sm::StoreCopies> held;
  std::vector<sm::StorePeer> others;
  mad::Duration acknowledged_after{};  // for which commit() waits when the store has the changes
  bool leading = false;
  std::set<mad::Guid> known_managers;
  std::vector<std::pair<bool, sm::LostChange>> lost;  // that were named: whether the own one counts

  std::optional<sm::StoreCopies> copies() const override { return held; }
  std::vector<sm::StorePeer> peers() const override { return others; }
  void set_leading(bool leads) override {
    leading = leads;
    if (leads && store_.on_leading) store_.on_leading();
  }
  void set_known_managers(const std::set<mad::Guid>& ports) override {
    known_managers.insert(ports.begin(), ports.end());
  }
  void name_lost(bool own_counts, const std::vector<sm::LostChange>& changes) override {
    for (const sm::LostChange& change : changes) lost.emplace_back(own_counts, change);
  }

  boost::asio::awaitable<sm::StoreResult<sm::StoreContent>> read(std::string prefix) override {
    ++reads;
    if (const auto error = co_await travel()) co_return tl::unexpected(*error);
    sm::StoreContent out{.entries = {}, .revision = store_.revision};
    for (const auto& [key, value] : store_.content)
      if (key.starts_with(prefix))
        out.entries.push_back({key, value.value, value.revision, store_.is_merged(key)});
    co_return out;
  }
  boost::asio::awaitable<sm::StoreResult<sm::StoreRevision>> commit(
      sm::StoreGuard guard, std::vector<sm::StoreChange> changes) override {
    if (const auto error = co_await travel()) co_return tl::unexpected(*error);
    const auto found = store_.content.find(guard.key);
    const sm::StoreRevision at = found == store_.content.end() ? 0 : found->second.revision;
    if (at != guard.revision) co_return fault(sm::StoreFault::fenced, "the guard does not hold");
    const bool grows =
        std::ranges::any_of(changes, [](const auto& c) { return c.value.has_value(); });
    if (store_.full && grows) co_return fault(sm::StoreFault::full, "no space");
    ++store_.commits;
    store_.changes += changes.size();
    ++store_.revision;
    for (const sm::StoreChange& change : changes) {
      if (change.value)
        store_.put(change.key, *change.value, change.lease);
      else
        store_.erase(change.key);
    }
    store_.wake();
    const sm::StoreRevision made = store_.revision;
    if (acknowledged_after > mad::Duration{}) co_await wait(acknowledged_after);
    if (store_.full_of_disk) co_return fault(sm::StoreFault::full, "the disk is full");
    if (lose_answers) {
      co_await wait(kTimeout);
      co_return fault(sm::StoreFault::unreachable, "no answer");
    }
    co_return made;
  }
  boost::asio::awaitable<sm::StoreResult<sm::StoreEvents>> watch(std::string prefix,
                                                                 sm::StoreRevision after) override {
    const mad::TimePoint end = runtime_.now() + kQuiet;
    for (;;) {
      if (stopped_ || !reachable_) {
        if (!stopped_) co_await wait(kTimeout);
        co_return fault(sm::StoreFault::unreachable, "no connection");
      }
      if (after < store_.compacted || after > store_.revision)
        co_return fault(sm::StoreFault::compacted, "compacted");
      sm::StoreEvents out{.events = {}, .revision = store_.revision};
      for (const sm::StoreEvent& event : store_.history)
        if (event.revision > after && event.key.starts_with(prefix)) out.events.push_back(event);
      if (!out.events.empty() || runtime_.now() >= end) co_return out;
      co_await watcher_.wait_until(end);
      if (!stopped_) co_await wait(latency);
    }
  }
  boost::asio::awaitable<sm::StoreResult<sm::StoreLease>> grant(
      std::chrono::seconds life) override {
    if (const auto error = co_await travel()) co_return tl::unexpected(*error);
    if (store_.full) co_return fault(sm::StoreFault::full, "no space");
    co_return store_.grant(life);
  }
  boost::asio::awaitable<sm::StoreResult<bool>> keep_alive(sm::StoreLease lease) override {
    if (const auto error = co_await travel()) co_return tl::unexpected(*error);
    co_return store_.keep_alive(lease);
  }
  void stop() override {
    stopped_ = true;
    watcher_.signal();
  }

 private:
  static tl::unexpected<sm::StoreError> fault(sm::StoreFault fault, std::string text) {
    return tl::unexpected(sm::StoreError{fault, std::move(text)});
  }
  boost::asio::awaitable<void> wait(mad::Duration time) {
    mad::WakeUp pause(runtime_);
    co_await pause.wait_until(runtime_.now() + time);
  }
  boost::asio::awaitable<std::optional<sm::StoreError>> travel() {
    co_await wait(reachable_ ? latency : kTimeout);
    if (stopped_ || !reachable_)
      co_return sm::StoreError{sm::StoreFault::unreachable, "no connection"};
    co_return std::nullopt;
  }

  mad::Runtime& runtime_;
  FakeStore& store_;
  mad::WakeUp watcher_;
  bool reachable_ = true, stopped_ = false;
};

}  // namespace support
