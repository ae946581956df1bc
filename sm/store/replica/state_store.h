#pragma once
// This file is the interface of a replicated key-value store, as far as subnet managers need one:
// reads of a prefix, transactions that only the claimed manager may make, a watch, a lease. Its
// model is etcd v3; sm/store/etcd implements it, and tests/support/fake_state_store.h simulates it
// with faults.

#include <boost/asio/awaitable.hpp>
#include <chrono>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "fabric/condition.h"
#include "mad/ids.h"
#include "mad/runtime.h"

namespace sm {

enum class StoreFault : std::uint8_t {
  unreachable,  // no connection, no answer in time, or no quorum
  refused,      // user, password, permission or certificate
  full,         // the store takes no more data
  compacted,    // the revision from which to go on is gone, or of another history of the store
  fenced,       // the guard of a transaction does not hold: another manager claimed the store
  malformed,    // an answer that cannot be parsed
};

struct StoreError {
  StoreFault fault{};
  std::string text;  // one line: which endpoint, what it says
};
template <class T>
using StoreResult = tl::expected<T, StoreError>;

/// Counts the transactions of the whole store from 1 on; 0 comes before all of them.
using StoreRevision = std::int64_t;
using StoreLease = std::int64_t;

struct StoreEntry {
  std::string key, value;
  StoreRevision revision = 0;  // of its latest change
  bool merged = false;         // that change is a merged one, as StoreEvent has it
};
struct StoreContent {
  std::vector<StoreEntry> entries;  // by key
  StoreRevision revision = 0;       // at which all of them were read
};

/// Sets or deletes a key.
struct StoreChange {
  std::string key;
  std::optional<std::string> value;  // nothing: deleted
  StoreLease lease = 0;              // with which the key ends; 0: none
};
struct StoreEvent {
  std::string key;
  std::optional<std::string> value;  // nothing: deleted
  StoreRevision revision = 0;
  /// Another manager changed this while both led; this manager had not changed it, and the store
  /// has taken the change under a new revision.
  bool merged = false;
};
struct StoreEvents {
  std::vector<StoreEvent> events;  // in order; may be empty: the store answers, nothing changed
  StoreRevision revision = 0;      // from which the next call goes on
  bool more = false;               // further events follow at once, or a merge is under way
};

/// Holds the precondition of a transaction: the latest change of the key has this revision (0: the
/// key does not exist).
struct StoreGuard {
  std::string key;
  StoreRevision revision = 0;
  bool operator==(const StoreGuard&) const = default;
};

/// Counts the other managers with a copy, of a store that the managers themselves hold.
struct StoreCopies {
  unsigned configured = 0, connected = 0;
  unsigned current = 0;  // have all changes up to the latest commit() that returned
};

/// Another manager that holds a copy of the store, or a program that was refused.
struct StorePeer {
  std::string address{};  // as configured
  /// False for a manager that reads this one's copy although no address of it is configured, and
  /// for a program that was refused: that one is not connected.
  bool is_configured = true;
  mad::Guid port_guid{};  // Guid{} if it was never connected
  bool connected = false;
  std::string why_not{};  // one line; "" if it is connected
  std::uint64_t behind_records = 0;
  mad::Duration behind{};  // for how long it has lacked some
};

/// Returns why this manager may lack changes, with its name, as a part of a sentence; "" if it has
/// them. A program that was refused is not a manager that lacks changes.
std::string find_lag(const StorePeer& peer);

/// A change of a record that was made and does not count. Texts are without seals; nothing:
/// deleted.
struct LostChange {
  std::string key;
  std::optional<std::string> kept, lost;
};

/// Two calls may run at a time: a read() or watch(), and one of the others. All coroutines run on
/// the executor of the runtime and return after a bounded time, whatever the store does.
class StateStore {
 public:
  virtual ~StateStore() = default;
  /// Reads all keys that begin with `prefix`, at one revision.
  virtual boost::asio::awaitable<StoreResult<StoreContent>> read(std::string prefix) = 0;
  /// Makes the changes in their order if the guard holds; several transactions, each with the
  /// guard, may be necessary. Returns the revision of the last one. After `fenced` the failing
  /// transaction has changed nothing; after `unreachable` that is not known.
  virtual boost::asio::awaitable<StoreResult<StoreRevision>> commit(
      StoreGuard guard, std::vector<StoreChange> changes) = 0;
  /// Waits for changes of keys with this prefix after revision `after`, for some seconds at most.
  /// Errors: `compacted` asks for read().
  virtual boost::asio::awaitable<StoreResult<StoreEvents>> watch(std::string prefix,
                                                                 StoreRevision after) = 0;
  virtual boost::asio::awaitable<StoreResult<StoreLease>> grant(std::chrono::seconds life) = 0;
  /// Returns false if the lease has ended before.
  virtual boost::asio::awaitable<StoreResult<bool>> keep_alive(StoreLease lease) = 0;
  /// Waiting calls return soon, with an error; the caller makes no later call.
  virtual void stop() = 0;

  // ---- a store that the managers themselves hold

  /// Returns how many managers have a copy; nothing if the store keeps its data by itself, as etcd
  /// does. commit() waits, for 2 s at most, until each connected manager has the changes.
  virtual std::optional<StoreCopies> copies() const { return std::nullopt; }
  virtual std::vector<StorePeer> peers() const { return {}; }
  /// Returns when this copy last had all that the manager at this port had shown to it; nothing if
  /// it never had.
  virtual std::optional<mad::TimePoint> copied_at(mad::Guid /*port*/) const { return {}; }
  /// Returns conditions of the store itself, such as changes that lost when two masters met.
  virtual std::vector<fabric::Condition> conditions() const { return {}; }
  /// This manager has become MASTER, or is no longer MASTER. When two managers have led apart from
  /// each other, the one that leads keeps its changes, and takes what only the other one changed.
  virtual void set_leading(bool) {}
  /// Names ports at which a survey or a poll has found other subnet managers of this subnet. The
  /// store adds them to those of earlier calls, also by an earlier process.
  virtual void set_known_managers(const std::set<mad::Guid>&) {}
  /// Names changes that did not get into the store before another value counted: those of another
  /// manager if `own_counts`, otherwise those of this one.
  virtual void name_lost(bool /*own_counts*/, const std::vector<LostChange>& /*changes*/) {}
};

}  // namespace sm
