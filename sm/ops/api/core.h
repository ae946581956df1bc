#pragma once
// The resources of the API share this.

#include <atomic>
#include <functional>
#include <initializer_list>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sm/ops/api/event_feed.h"
#include "sm/ops/api/event_log.h"
#include "sm/ops/api/per_snapshot.h"
#include "sm/ops/api/planning.h"
#include "sm/ops/api/routing_quality.h"
#include "sm/ops/api/snapshot.h"
#include "sm/ops/api/sources.h"
#include "sm/ops/web/exchange.h"

namespace sm::api {

inline constexpr std::size_t kStreamsMax = 64;

struct Core {
  explicit Core(Sources from);
  Sources sources;
  Snapshots snapshots;
  PerSnapshot<std::string> topologies;
  PerSnapshot<std::optional<RoutingQuality>> qualities;
  EventLog events;
  std::atomic<std::size_t> streams = 0;  // clients that follow events
  EventFeed feed;
  Planning planning;
  web::Worker worker;  // ends before all that it works with
};
using SharedCore = std::shared_ptr<Core>;

/// One request, and what it is answered from. Held by what produces a body in parts.
struct Reading {
  std::shared_ptr<const View> view;
  std::shared_ptr<const Snapshot> snapshot;
  web::Request request;

  /// Null before the first sweep.
  const Subnet* subnet() const { return snapshot->subnet.get(); }
};
using SharedReading = std::shared_ptr<const Reading>;

boost::asio::awaitable<SharedReading> read(SharedCore core, web::Request request);

/// With the snapshot as its ETag, unless `etag` is false: what depends on more than the snapshot.
web::Response answer(const Reading& reading, const nlohmann::json& body, bool etag = true);
/// 404. `what`: "node 0x0002c90300000001".
web::Response not_found(std::string_view what, std::string_view remedy);

/// If-None-Match names it (RFC 9110, 13.1.2).
bool has_already(const web::Request& request, const std::string& etag);

/// A GET of what was published, without waiting for anything else.
using Read = web::Response (*)(const SharedReading&);
web::Handler reading(SharedCore core, Read read);
/// Answers with something that depends on the snapshot alone: for a client that has it already
/// (If-None-Match) it is not made again.
web::Handler reading_snapshot(SharedCore core, Read read);

/// A route that reads. It has no handler yet.
web::Route get(std::string path, std::string operation_id, std::string summary,
               std::string response_schema, std::vector<web::Route::Parameter> parameters = {});
/// Adds the route. Its handler is called with requests that have no query parameters but its own.
void add(web::Resources& to, web::Route route, web::Handler handler);

/// A query parameter. `schema`: as read_schema() reads it.
web::Route::Parameter query(std::string name, std::string_view schema, std::string description);
web::Route::Parameter in_path(std::string name, std::string_view schema, std::string description);

}  // namespace sm::api
