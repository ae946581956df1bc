#pragma once
// State that the resources of the API share.

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
