// /healthz, /readyz: for probes of orchestrators and load balancers, which send no credentials.

#include <array>
#include <nlohmann/json.hpp>

#include "mad/format.h"
#include "sm/ops/api/resources.h"
#include "sm/ops/row_declaration.h"

namespace sm::api {
namespace asio = boost::asio;

namespace {

constexpr std::array<FieldInfo, 1> kAlive{{{"alive", value::kBoolean}}};
constexpr std::array<FieldInfo, 2> kReady{{{"ready", value::kBoolean}, {"state", value::kSmState}}};

/// True for a MASTER that has written tables, and for a STANDBY that knows its master.
bool is_ready(const ManagerStatus& status) {
  if (status.state == mad::SmState::standby) return true;
  return status.state == mad::SmState::master && status.subnet != nullptr &&
         status.subnet->lfts != nullptr;
}

asio::awaitable<web::Response> ready(SharedCore core) {
  const std::shared_ptr<const View> view = co_await core->sources.views();
  const bool is_so = is_ready(view->status);
  web::Response response;
  response.status = is_so ? 200 : 503;
  response.body = nlohmann::json{{"ready", is_so}, {"state", mad::name(view->status.state)}}.dump();
  co_return response;
}

web::Route probe(std::string path, std::string operation_id, std::string summary,
                 std::string schema) {
  web::Route route =
      get(std::move(path), std::move(operation_id), std::move(summary), std::move(schema));
  route.least = web::Role::none;
  return route;
}

}  // namespace

void add_health(web::Resources& to, const SharedCore& core) {
  add(to, probe("/healthz", "isAlive", "The process answers", "Alive"),
      [body = nlohmann::json{{"alive", true}}.dump()](web::Request)
          -> asio::awaitable<web::Response> { co_return web::Response{.body = body}; });
  add(to,
      probe("/readyz", "isReady",
            "200 of a MASTER that has written tables and of a STANDBY, else 503", "Ready"),
      [core](web::Request) { return ready(core); });
  to.schemas.emplace_back("Alive", object_schema(kAlive));
  to.schemas.emplace_back("Ready", object_schema(kReady));
}

}  // namespace sm::api
