// /v1/topology

#include "sm/ops/api/resources.h"
#include "sm/ops/api/topology_json.h"

namespace sm::api {
namespace asio = boost::asio;

namespace {

asio::awaitable<web::Response> topology(SharedCore core, web::Request request) {
  const SharedReading reading = co_await read(core, std::move(request));
  if (has_already(reading->request, reading->snapshot->id))
    co_return web::Response{.status = 304, .etag = reading->snapshot->id};
  const auto text = co_await core->topologies.get(core->worker, reading->snapshot);
  co_return web::Response{.body = *text, .etag = reading->snapshot->id};
}

}  // namespace

void add_topology(web::Resources& to, const SharedCore& core) {
  add(to,
      get("/v1/topology", "getTopology", "All nodes and links as columns, for maps", "Topology"),
      [core](web::Request request) { return topology(core, std::move(request)); });
  to.schemas.emplace_back("Topology", topology_schema());
}

}  // namespace sm::api
