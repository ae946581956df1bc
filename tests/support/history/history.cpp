#include "support/history/history.h"

#include <algorithm>

#include "mad/format.h"

namespace history {
namespace {

constexpr std::size_t kDescribed = 12;  // changes of a key in a report, the latest ones

std::string text(const Value& value) { return value ? fmt::format("'{}'", *value) : "nothing"; }
std::string text(TimePoint time) {
  if (time == TimePoint::max()) return "...";
  return fmt::format("{:.6f}", std::chrono::duration<double>(time.time_since_epoch()).count());
}
std::string_view text(Outcome outcome) {
  switch (outcome) {
    case Outcome::acknowledged:
      return "acknowledged";
    case Outcome::refused:
      return "refused";
    case Outcome::unknown:
      return "no answer";
  }
  return "";
}

}  // namespace

/// True if the change must not be lost up to `at`.
bool History::is_protected(const Key& key, const Operation& operation, Protection protection,
                           TimePoint at) const {
  if (operation.outcome != Outcome::acknowledged) return false;
  const auto since = [&](TimePoint time) { return time >= operation.invoked && time <= at; };
  // A table may show which of two changes won before a merge can name both.
  const TimePoint named_by = protection == Protection::all ? TimePoint::max() : at;
  if (std::ranges::any_of(
          key.named, [&](TimePoint time) { return time >= operation.invoked && time <= named_by; }))
    return false;
  if (protection == Protection::all) return !is_contested(key, operation, at);
  if (operation.replicated != 0u) return true;
  const auto happened = [&](const Times& times, const auto& condition) {
    const auto found = times.find(operation.manager);
    return found != times.end() && std::ranges::any_of(found->second, condition);
  };
  if (happened(failures_, since)) return false;
  // A merge takes what a manager has changed, but not requests for what it had already.
  const bool is_new = operation.value &&
                      std::ranges::count(key.operations, operation.value, &Operation::value) == 1;
  const auto divided = [&](TimePoint time) {
    return since(time) && (!is_new || at - time < kMerges);
  };
  const auto resigned = [&](TimePoint time) {
    return since(time) && time - kResigns <= operation.ended;
  };
  return !happened(divisions_, divided) && !happened(resignations_, resigned);
}

/// True if another manager acknowledged a deletion, and the one that was asked led beside another
/// one: until both have merged, the tables are as the manager has it that stays.
bool History::is_contested(const Key& key, const Operation& operation, TimePoint at) const {
  if (operation.replicated != 0u || !operation.value) return false;
  const auto divided = divisions_.find(operation.manager);
  if (divided == divisions_.end() || std::ranges::none_of(divided->second, [&](TimePoint time) {
        return time <= at && at - time < kMerges;
      }))
    return false;
  return std::ranges::any_of(key.operations, [&](const Operation& other) {
    return other.outcome == Outcome::acknowledged && !other.value && other.invoked <= at &&
           other.manager != operation.manager;
  });
}

/// True if a protected change began after `ended` and was acknowledged by `before`.
bool History::is_overwritten(const Key& key, TimePoint ended, Protection protection,
                             TimePoint before, TimePoint at) const {
  return std::ranges::any_of(key.operations, [&](const Operation& later) {
    return later.invoked > ended && later.ended <= before &&
           is_protected(key, later, protection, at);
  });
}

/// True if the key may have the value at `at`, where changes that were acknowledged by `before`
/// are in force. No key exists before the first change.
bool History::may_have(const Key& key, const Value& value, Protection protection, TimePoint before,
                       TimePoint at) const {
  if (!value && !is_overwritten(key, TimePoint::min(), protection, before, at)) return true;
  return std::ranges::any_of(key.operations, [&](const Operation& operation) {
    return operation.outcome != Outcome::refused && operation.value == value &&
           operation.invoked <= at && !is_overwritten(key, operation.ended, protection, before, at);
  });
}

void History::check_reads(const Key& key, std::vector<std::string>& found) const {
  for (const Read& read : key.reads) {
    if (may_have(key, read.value, Protection::replicated, read.invoked, read.ended)) continue;
    found.push_back(fmt::format("{}: {} read {} at {}{}", read.key, read.by, text(read.value),
                                text(read.invoked), describe(key, read.ended)));
  }
}

void History::check_observations(const std::string& name, const Key& key,
                                 std::vector<std::string>& found) const {
  std::optional<TimePoint> seen;
  for (const auto& [present, at] : key.observations) {
    if (!present && seen && !may_have(key, std::nullopt, Protection::all, *seen - kFollows, at))
      found.push_back(fmt::format("{}: gone at {}, the fabric had it at {}{}", name, text(at),
                                  text(*seen), describe(key, at)));
    seen = present ? std::optional(at) : std::nullopt;
  }
}

std::string History::describe(const Key& key, TimePoint at) const {
  std::vector<const Operation*> before;
  for (const Operation& operation : key.operations)
    if (operation.invoked <= at) before.push_back(&operation);
  std::ranges::sort(before, {}, &Operation::invoked);
  std::string lines;
  const std::size_t from = before.size() - std::min(before.size(), kDescribed);
  for (std::size_t index = from; index < before.size(); ++index) {
    const Operation& one = *before[index];
    lines += fmt::format("\n  {} .. {} {}: {}, {}", text(one.invoked), text(one.ended), one.manager,
                         text(one.value), text(one.outcome));
    if (one.replicated) lines += fmt::format(", replicated {}", *one.replicated);
  }
  for (const TimePoint named : key.named)
    lines += fmt::format("\n  {} named by a merge", text(named));
  return lines;
}

std::vector<std::string> History::violations() const {
  std::vector<std::string> found;
  for (const auto& [name, key] : keys_) {
    check_reads(key, found);
    check_observations(name, key, found);
  }
  return found;
}

std::size_t History::acknowledged() const {
  std::size_t count = 0;
  for (const auto& [name, key] : keys_)
    count += static_cast<std::size_t>(
        std::ranges::count(key.operations, Outcome::acknowledged, &Operation::outcome));
  return count;
}

}  // namespace history
