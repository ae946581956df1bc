#pragma once
// A history of what clients changed through several managers and of what they read, and the check
// that no acknowledged change was lost. It knows nothing of managers: keys and values are texts.

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace history {

using TimePoint = std::chrono::steady_clock::time_point;
/// The value of a key; nothing means that the key does not exist.
using Value = std::optional<std::string>;

enum class Outcome : std::uint8_t {
  acknowledged,
  refused,  // the answer says that nothing was changed
  unknown,  // no answer: the change was made, or will be, or not
};

/// One change of one key by one client.
struct Operation {
  std::string key;
  Value value = {};
  Outcome outcome{};
  TimePoint invoked{};
  /// The time of the answer. Without an answer, the time from which the change cannot be made any
  /// more, such as the end of the process that had the request; TimePoint::max() if it still can.
  TimePoint ended = TimePoint::max();
  std::string manager = {};  // that was asked
  /// How many other managers hold the change, as the answer says; nothing if a store that all
  /// managers share has it.
  std::optional<unsigned> replicated = {};
};

/// The value of one key as a client read it between these times.
struct Read {
  std::string key;
  Value value = {};
  TimePoint invoked{}, ended{};
  std::string by = {};  // for the report
};

/// Checks the guarantee of managers that share their state: each acknowledged change is there, or
/// was overwritten by a later one that was acknowledged or has no answer. Exceptions are changes
/// that no other manager held ("replicated": 0) when their manager failed, and changes of keys that
/// a merge after a split names. Tables may lack for a while what one half of a divided fabric
/// deleted and the other one added.
class History {
 public:
  void add(Operation operation) { keys_[operation.key].operations.push_back(std::move(operation)); }
  void add(Read read) { keys_[read.key].reads.push_back(std::move(read)); }
  /// The fabric has a change this long after its answer.
  static constexpr std::chrono::seconds kFollows{3};
  /// Notes that a table of the fabric had the key, or did not have it. It may lack a key that it
  /// had before only because of a change that deletes it.
  void observe(const std::string& key, bool present, TimePoint at) {
    keys_[key].observations.push_back({present, at});
  }
  /// Notes that a manager ended, hung, or was not the only master: no other one knows what it
  /// alone had.
  void fail(const std::string& manager, TimePoint at) { failures_[manager].push_back(at); }
  /// Notes that a manager led beside another one, or followed one that may lack its changes. What
  /// it alone has is merged when one of both follows, at the latest kMerges afterwards.
  static constexpr std::chrono::seconds kMerges{50};
  void divide(const std::string& manager, TimePoint at) { divisions_[manager].push_back(at); }
  /// Notes that a manager has ceased to lead: what it answers at that moment may be in its own
  /// files alone.
  static constexpr std::chrono::seconds kResigns{1};
  void resign(const std::string& manager, TimePoint at) { resignations_[manager].push_back(at); }
  /// Notes that a merge of two histories of the state names this key as changed in both.
  void name(const std::string& key, TimePoint at) { keys_[key].named.push_back(at); }

  /// Returns the violations, each with the changes of its key; empty if nothing was lost.
  std::vector<std::string> violations() const;
  /// Returns the number of acknowledged changes.
  std::size_t acknowledged() const;

 private:
  struct Observation {
    bool present = false;
    TimePoint at{};
  };
  struct Key {
    std::vector<Operation> operations;
    std::vector<Read> reads;
    std::vector<Observation> observations;
    std::vector<TimePoint> named;
  };
  enum class Protection : std::uint8_t { replicated, all };

  bool is_protected(const Key& key, const Operation& operation, Protection protection,
                    TimePoint at) const;
  bool is_contested(const Key& key, const Operation& operation, TimePoint at) const;
  bool is_overwritten(const Key& key, TimePoint ended, Protection protection, TimePoint before,
                      TimePoint at) const;
  bool may_have(const Key& key, const Value& value, Protection protection, TimePoint before,
                TimePoint at) const;
  void check_reads(const Key& key, std::vector<std::string>& found) const;
  void check_observations(const std::string& name, const Key& key,
                          std::vector<std::string>& found) const;
  std::string describe(const Key& key, TimePoint at) const;

  std::map<std::string, Key> keys_;
  using Times = std::map<std::string, std::vector<TimePoint>>;  // by manager
  Times failures_, divisions_, resignations_;
};

}  // namespace history
