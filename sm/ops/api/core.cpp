#include "sm/ops/api/core.h"

#include <nlohmann/json.hpp>

#include "mad/format.h"
#include "sm/ops/api/parameters.h"
#include "sm/ops/api/topology_json.h"
#include "sm/ops/rows.h"

namespace sm::api {

void EventFeed::observe(std::shared_ptr<const View> view) {
  {
    const std::lock_guard lock(mutex_);
    observed_at_ = std::chrono::steady_clock::now();
    if (std::exchange(pending_, std::move(view))) return;  // compare() is under way to it
  }
  worker_.post([this] { compare(); });
}

std::chrono::steady_clock::time_point EventFeed::observed_at() const {
  const std::lock_guard lock(mutex_);
  return observed_at_;
}

void EventFeed::compare() {
  std::shared_ptr<const View> view;
  {
    const std::lock_guard lock(mutex_);
    view = std::exchange(pending_, nullptr);
  }
  // Requests may be answered in another order than they were made.
  if (last_ && view->status.now < last_->status.now) return;
  const auto snapshot = snapshots_.of(*view);
  if (last_)
    log_.add(events_between(*last_, *view), {.wall = wall_clock_(), .steady = view->status.now},
             *snapshot);
  last_ = std::move(view);
}

namespace asio = boost::asio;

namespace {

std::optional<RoutingQuality> quality_of(const Snapshot& snapshot) {
  if (!snapshot.subnet) return std::nullopt;
  const Subnet& subnet = *snapshot.subnet;
  return routing_quality(subnet.fabric, subnet.lids, subnet.lfts.get(), subnet.routing.get());
}

}  // namespace

Core::Core(Sources from)
    : sources(std::move(from)),
      snapshots(sources.start),
      topologies(topology_json),
      qualities(quality_of),
      events(sources.start),
      feed(snapshots, events, worker, sources.wall_clock) {}

asio::awaitable<SharedReading> read(SharedCore core, web::Request request) {
  auto view = co_await core->sources.views();
  auto snapshot = core->snapshots.of(*view);
  co_return std::make_shared<const Reading>(
      Reading{std::move(view), std::move(snapshot), std::move(request)});
}

web::Response answer(const Reading& reading, const nlohmann::json& body, bool etag) {
  return {.body = to_line(body) + "\n", .etag = etag ? reading.snapshot->id : std::string()};
}

web::Response not_found(std::string_view what, std::string_view remedy) {
  return web::problem(404, fmt::format("there is no {}", what), remedy);
}

bool has_already(const web::Request& request, const std::string& etag) {
  const auto known = request.header("if-none-match");
  return known && (*known == "*" || known->find('"' + etag + '"') != std::string_view::npos);
}

web::Handler reading(SharedCore core, Read make) {
  return [core = std::move(core), make](web::Request request) -> asio::awaitable<web::Response> {
    co_return make(co_await read(core, std::move(request)));
  };
}

web::Handler reading_snapshot(SharedCore core, Read make) {
  return [core = std::move(core), make](web::Request request) -> asio::awaitable<web::Response> {
    const SharedReading from = co_await read(core, std::move(request));
    if (has_already(from->request, from->snapshot->id))
      co_return web::Response{.status = 304, .etag = from->snapshot->id};
    co_return make(from);
  };
}

web::Route get(std::string path, std::string operation_id, std::string summary,
               std::string response_schema, std::vector<web::Route::Parameter> parameters) {
  web::Route route;
  route.path = std::move(path);
  route.operation_id = std::move(operation_id);
  route.summary = std::move(summary);
  route.response_schema = std::move(response_schema);
  route.parameters = std::move(parameters);
  return route;
}

void add(web::Resources& to, web::Route route, web::Handler handler) {
  route.handler = [known = route.parameters, handler = std::move(handler)](
                      web::Request request) -> asio::awaitable<web::Response> {
    if (auto unknown = unknown_parameter(request, known)) co_return std::move(*unknown);
    co_return co_await handler(std::move(request));
  };
  to.routes.push_back(std::move(route));
}

web::Route::Parameter query(std::string name, std::string_view schema, std::string description) {
  return {std::move(name), "query", read_schema(schema).dump(), std::move(description), false};
}

web::Route::Parameter in_path(std::string name, std::string_view schema, std::string description) {
  return {std::move(name), "path", read_schema(schema).dump(), std::move(description), true};
}

}  // namespace sm::api
