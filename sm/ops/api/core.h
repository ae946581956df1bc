#pragma once
// State that the resources of the API share.

#include <array>
#include <atomic>
#include <boost/asio/awaitable.hpp>
#include <chrono>
#include <cstddef>
#include <functional>
#include <initializer_list>
#include <memory>
#include <mutex>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sm/ops/api/event_log.h"
#include "sm/ops/api/routing_quality.h"
#include "sm/ops/api/snapshot.h"
#include "sm/ops/api/sources.h"
#include "sm/ops/web/client_shares.h"
#include "sm/ops/web/exchange.h"
#include "sm/ops/web/worker.h"

namespace sm::api {

class EventFeed {
 public:
  using WallClock = std::function<std::chrono::system_clock::time_point()>;
  /// Owns none of the references; `worker` ends before this.
  EventFeed(Snapshots& snapshots, EventLog& log, web::Worker& worker, WallClock wall_clock)
      : snapshots_(snapshots), log_(log), worker_(worker), wall_clock_(std::move(wall_clock)) {}

  /// Any thread, and quick: the comparison is made on the worker. If it is behind, the latest View
  /// counts.
  void observe(std::shared_ptr<const View> view);
  /// When the latest View was shown; the epoch: none was.
  std::chrono::steady_clock::time_point observed_at() const;

 private:
  void compare();

  Snapshots& snapshots_;
  EventLog& log_;
  web::Worker& worker_;
  const WallClock wall_clock_;
  mutable std::mutex mutex_;
  std::shared_ptr<const View> pending_;  // null: nothing is to be compared
  std::chrono::steady_clock::time_point observed_at_{};
  std::shared_ptr<const View> last_;  // the worker's
};

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

/// Limits plans: one is computed at a time, and their number in a minute is bounded.
class Planning {
 public:
  static constexpr std::size_t kPlansOfMinuteMax = 60;

  /// Reserves the computation; empty if another plan is computed, or too many were in a minute.
  class Place {
   public:
    explicit Place(Planning* of) : of_(of) {}
    Place(Place&& other) noexcept : of_(std::exchange(other.of_, nullptr)) {}
    Place& operator=(Place&&) = delete;
    ~Place() {
      if (of_ != nullptr) of_->busy_ = false;
    }
    bool is_empty() const { return of_ == nullptr; }

   private:
    Planning* of_;
  };
  Place take(std::chrono::steady_clock::time_point now) {
    const std::lock_guard lock(mutex_);
    auto& oldest = begun_[next_];
    if (busy_ || (oldest && now - *oldest < std::chrono::minutes(1))) return Place(nullptr);
    oldest = now;
    next_ = (next_ + 1) % begun_.size();
    busy_ = true;
    return Place(this);
  }

  web::Worker& worker() { return worker_; }

 private:
  std::mutex mutex_;
  std::atomic<bool> busy_ = false;
  std::array<std::optional<std::chrono::steady_clock::time_point>, kPlansOfMinuteMax> begun_{};
  std::size_t next_ = 0;
  web::Worker worker_;
};

/// A browser or a program follows events with one stream: 16 of a user leave room for others.
inline constexpr web::ClientShares::Bounds kEventStreams{
    .all = 64, .of_user = 16, .of_address = 32};

struct Core {
  explicit Core(Sources from);
  Sources sources;
  Snapshots snapshots;
  PerSnapshot<std::string> topologies;
  PerSnapshot<std::optional<RoutingQuality>> qualities;
  EventLog events;
  web::ClientShares streams{kEventStreams};  // clients that follow events
  EventFeed feed;
  Planning planning;
  web::Worker worker;  // ends before all that it works with
};
using SharedCore = std::shared_ptr<Core>;

/// A request, and the data that it is answered from. A producer of a body in parts holds it.
struct Reading {
  std::shared_ptr<const View> view;
  std::shared_ptr<const Snapshot> snapshot;
  web::Request request;

  /// Null before the first sweep.
  const Subnet* subnet() const { return snapshot->subnet.get(); }
};
using SharedReading = std::shared_ptr<const Reading>;

boost::asio::awaitable<SharedReading> read(SharedCore core, web::Request request);

/// Answers with the snapshot as ETag, unless the body depends on more than it (`etag` false).
web::Response answer(const Reading& reading, const nlohmann::json& body, bool etag = true);
/// Returns a 404 about `what`, such as "node 0x0002c90300000001".
web::Response not_found(std::string_view what, std::string_view remedy);

/// True if If-None-Match contains `etag` (RFC 9110, 13.1.2).
bool has_already(const web::Request& request, const std::string& etag);

/// Returns the handler of a GET of published data, which waits for nothing else.
using Read = web::Response (*)(const SharedReading&);
web::Handler reading(SharedCore core, Read read);
/// Returns the handler of an answer that depends on the snapshot alone. The answer is not made
/// again for a client that has it already (If-None-Match).
web::Handler reading_snapshot(SharedCore core, Read read);

/// Returns a GET route without a handler.
web::Route get(std::string path, std::string operation_id, std::string summary,
               std::string response_schema, std::vector<web::Route::Parameter> parameters = {});
/// Adds the route. Its handler is called with requests that have no query parameters but its own.
void add(web::Resources& to, web::Route route, web::Handler handler);

/// Returns a query parameter. `schema` is in the form that read_schema() takes.
web::Route::Parameter query(std::string name, std::string_view schema, std::string description);
web::Route::Parameter in_path(std::string name, std::string_view schema, std::string description);

}  // namespace sm::api
