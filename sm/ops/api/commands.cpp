// POST /v1/rebalance, /v1/resweep; PUT /v1/priority, /v1/log-level

#include <algorithm>
#include <nlohmann/json.hpp>

#include "mad/format.h"
#include "sm/ops/api/body.h"
#include "sm/ops/api/resources.h"
#include "sm/ops/rows.h"

namespace sm::api {
namespace asio = boost::asio;

namespace {

constexpr std::string_view kDoneSchema = R"({
"type":"object","required":["fabric_id"],"properties":{
"fabric_id":{"type":["string","null"]},"snapshot":{"type":"string"},
"priority":{"type":"integer"},"log_flags":{"type":"integer"}}})";
constexpr std::string_view kPrioritySchema = R"({
"type":"object","required":["priority"],"additionalProperties":false,"properties":{
"priority":{"type":"integer","minimum":0,"maximum":15}}})";
constexpr std::string_view kLogLevelSchema = R"({
"type":"object","required":["log_flags"],"additionalProperties":false,"properties":{
"log_flags":{"type":"integer","minimum":0,"maximum":255,"description":"As in opensm.conf"}}})";

/// Who is master, for a client that asked another one.
std::string master_text(const ManagerStatus& status) {
  const auto master = std::ranges::find_if(status.managers, [](const KnownManager& manager) {
    return manager.state == mad::SmState::master && manager.counts;
  });
  if (status.state == mad::SmState::master) return "";
  if (master == status.managers.end())
    return fmt::format("this manager is {}, and no master is known", mad::name(status.state));
  return fmt::format("this manager is {}; the master is {} (port {})", mad::name(status.state),
                     master->name, master->guid);
}

asio::awaitable<web::Response> carry_out(SharedCore core, web::Request request, std::string target,
                                         nlohmann::json more) {
  const auto done = co_await core->sources.command(target, request.caller);
  const SharedReading reading = co_await read(core, std::move(request));
  if (!done) co_return web::problem(501, fmt::format("{} is not available here", target));
  if (!*done) co_return web::problem(409, done->error(), master_text(reading->view->status));
  nlohmann::json body = envelope(*reading->snapshot);
  body.update(more);
  co_return answer(*reading, body, false);
}

/// PUT of one number.
web::Handler putting(SharedCore core, std::string member, std::uint64_t max, std::string command) {
  return [core = std::move(core), member = std::move(member), max,
          command = std::move(command)](web::Request request) -> asio::awaitable<web::Response> {
    Body body(request.body);
    const auto value = body.number(member, max, true);
    body.finish();
    if (body.fault()) co_return *body.fault();
    nlohmann::json more = nlohmann::json::object();
    more[member] = *value;
    std::string target = fmt::format("{}/{}", command, *value);
    co_return co_await carry_out(core, std::move(request), std::move(target), std::move(more));
  };
}

web::Handler posting(SharedCore core, std::string command) {
  return [core = std::move(core),
          command = std::move(command)](web::Request request) -> asio::awaitable<web::Response> {
    if (!request.body.empty() && request.body != "{}")
      co_return web::problem(400, "this request has a body", "no body");
    nlohmann::json more = nlohmann::json::object();
    co_return co_await carry_out(core, std::move(request), command, std::move(more));
  };
}

web::Route changing(web::Method method, std::string path, std::string operation_id,
                    std::string summary, std::string request_schema) {
  web::Route route = get(std::move(path), std::move(operation_id), std::move(summary), "Done");
  route.method = method;
  route.least = web::Role::admin;
  route.request_schema = std::move(request_schema);
  return route;
}

}  // namespace

void add_commands(web::Resources& to, const SharedCore& core) {
  if (!core->sources.command) return;
  add(to,
      changing(web::Method::post, "/v1/rebalance", "rebalance",
               "The next sweep chooses all routes anew", ""),
      posting(core, "/rebalance"));
  add(to,
      changing(web::Method::post, "/v1/resweep", "resweep",
               "Everything is read again, tables included, and what differs is written", ""),
      posting(core, "/resweep"));
  add(to,
      changing(web::Method::put, "/v1/priority", "setPriority",
               "The priority of this manager, until a reload or its end", "Priority"),
      putting(core, "priority", 15, "/priority"));
  add(to,
      changing(web::Method::put, "/v1/log-level", "setLogLevel",
               "log_flags of this process, until its line in the configuration is edited",
               "LogLevel"),
      putting(core, "log_flags", 255, "/log-level"));
  to.schemas.emplace_back("Done", kDoneSchema);
  to.schemas.emplace_back("Priority", kPrioritySchema);
  to.schemas.emplace_back("LogLevel", kLogLevelSchema);
}

}  // namespace sm::api
