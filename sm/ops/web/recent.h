#pragma once
// A bounded cache of values by key.

#include <cstddef>
#include <list>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace sm::web {

/// Drops the least recently used key beyond `keys_max` keys, so that invented keys cost no memory.
/// Not thread-safe.
template <class Value>
class Recent {
 public:
  explicit Recent(std::size_t keys_max) : keys_max_(keys_max) {}

  /// Returns null if there is no value. A hit counts as a use.
  Value* find(std::string_view key) {
    const auto known = by_key_.find(key);
    if (known == by_key_.end()) return nullptr;
    values_.splice(values_.begin(), values_, known->second);
    return &values_.front().second;
  }
  /// Adds the value of a key that has none.
  Value& add(std::string_view key, Value value) {
    if (values_.size() >= keys_max_) {
      by_key_.erase(values_.back().first);
      values_.pop_back();
    }
    values_.emplace_front(key, std::move(value));
    by_key_.emplace(values_.front().first, values_.begin());
    return values_.front().second;
  }
  void clear() {
    by_key_.clear();
    values_.clear();
  }
  std::size_t size() const { return values_.size(); }

 private:
  using Values = std::list<std::pair<std::string, Value>>;  // the one used latest first
  std::size_t keys_max_;
  Values values_;
  std::unordered_map<std::string_view, typename Values::iterator> by_key_;
};

}  // namespace sm::web
