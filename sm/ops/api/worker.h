#pragma once
// One thread beside the server's does what takes longer than a page.

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <string>

#include "sm/ops/api/snapshot.h"
#include "sm/ops/web/low_priority.h"

namespace sm::api {

class Worker {
 public:
  Worker() {
    boost::asio::post(pool_, [] { web::lower_priority_of_this_thread(); });
  }
  ~Worker() { pool_.join(); }

  /// As run(), without waiting for it. What `work` refers to must live as long as this.
  /// An exception of it (no memory, for example) is dropped: the next call does the work again.
  void post(std::function<void()> work) {
    boost::asio::post(pool_, [work = std::move(work)] {
      try {
        work();
      } catch (const std::exception&) {
        return;
      }
    });
  }

  /// One after another, in the order of the calls. The coroutine goes on where it was. What `work`
  /// refers to is its own: the coroutine may be destroyed during the work.
  template <class Value>
  boost::asio::awaitable<Value> run(std::function<Value()> work) {
    co_return co_await boost::asio::co_spawn(pool_, computed<Value>(std::move(work)),
                                             boost::asio::use_awaitable);
  }

 private:
  template <class Value>
  static boost::asio::awaitable<Value> computed(std::function<Value()> work) {
    co_return work();
  }

  boost::asio::thread_pool pool_{1};
};

/// A value that is computed of a snapshot when it is asked for first, and kept until another
/// snapshot is asked for. Any thread.
template <class Value>
class PerSnapshot {
 public:
  using Make = std::function<Value(const Snapshot&)>;
  explicit PerSnapshot(Make make) : make_(std::move(make)) {}

  boost::asio::awaitable<std::shared_ptr<const Value>> get(Worker& worker,
                                                           std::shared_ptr<const Snapshot> of) {
    if (auto known = find(*of)) co_return known;
    std::function<std::shared_ptr<const Value>()> work = [this, of] { return make_once(*of); };
    co_return co_await worker.run(std::move(work));
  }
  /// On the worker: without waiting.
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
