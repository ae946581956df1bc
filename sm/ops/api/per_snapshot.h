#pragma once

#include <boost/asio/awaitable.hpp>
#include <memory>
#include <mutex>
#include <string>

#include "sm/ops/api/snapshot.h"
#include "sm/ops/web/worker.h"

namespace sm::api {

/// A value that is computed from a snapshot at the first request, and kept until another snapshot
/// is requested. Any thread.
template <class Value>
class PerSnapshot {
 public:
  using Make = Value (*)(const Snapshot&);
  explicit PerSnapshot(Make make) : make_(make) {}

  boost::asio::awaitable<std::shared_ptr<const Value>> get(web::Worker& worker,
                                                           std::shared_ptr<const Snapshot> of) {
    if (auto known = find(*of)) co_return known;
    auto work = [this, of] { return make_once(*of); };
    co_return co_await worker.run(std::move(work));
  }
  /// Computes the value on the worker, without waiting.
  std::shared_ptr<const Value> make_once(const Snapshot& of) {
    if (auto known = find(of)) return known;  // another request was before this one
    auto made = std::make_shared<const Value>(make_(of));
    const std::lock_guard lock(mutex_);
    id_ = of.id;
    value_ = made;
    return made;
  }

 private:
  std::shared_ptr<const Value> find(const Snapshot& of) {
    const std::lock_guard lock(mutex_);
    return id_ == of.id ? value_ : nullptr;
  }

  const Make make_;
  std::mutex mutex_;
  std::string id_;
  std::shared_ptr<const Value> value_;
};

}  // namespace sm::api
