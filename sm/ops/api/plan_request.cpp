// POST /v1/plan

#include <chrono>
#include <nlohmann/json.hpp>

#include "sm/ops/api/resources.h"
#include "sm/ops/api/routing_rows.h"
#include "sm/ops/api/what_if.h"

namespace sm::api {
namespace asio = boost::asio;

namespace {

constexpr std::string_view kPlanRequestSchema = R"({
"type":"object","additionalProperties":false,"properties":{
"without":{"type":"array","maxItems":1000,"items":{"type":"string","minLength":1,"maxLength":200},
"description":"Nodes, or links by one end: NODE or NODE:PORT, as heddlectl plan --without"},
"routing_engine":{"type":"array","maxItems":16,
"items":{"type":"string","minLength":1,"maxLength":40},
"description":"In the order in which they are tried; default: as configured"},
"rebalance":{"type":"boolean","description":"No route stays because it is there"},
"partitions":{"type":"string","maxLength":1048576,
"description":"Text of a partitions.conf; default: as configured"},
"links":{"type":"boolean","description":"Answer with the loads of each link"}}})";

std::string plan_side_schema() {
  std::vector<FieldInfo> fields = quality_info().fields;
  fields.push_back(
      {"hosts", value::kInteger, "end ports of hosts and routers that a switch is linked to"});
  return object_schema(fields);
}

constexpr std::string_view kPlanSchema = R"({
"type":"object","required":["fabric_id","snapshot","engine","before","after","paths","writes",
"forwarding_blocks","hosts_cut_off","conditions"],"properties":{
"fabric_id":{"type":["string","null"]},"snapshot":{"type":"string"},
"engine":{"type":"string"},"ms":{"type":"integer"},
"before":{"$ref":"#/components/schemas/PlanSide"},"after":{"$ref":"#/components/schemas/PlanSide"},
"paths":{"type":"object","properties":{"changed":{"type":"integer",
"description":"Pairs (host, LID of another) with another path"}}},
"lids_changed":{"type":"integer"},
"writes":{"type":"object","properties":{"all":{"type":"integer"},"stages":{"type":"array","items":{
"type":"object","properties":{"stage":{"type":"string"},"writes":{"type":"integer"}}}}}},
"forwarding_blocks":{"type":"object","properties":{"all":{"type":"integer"},
"switches_changed":{"type":"integer"},
"switches":{"type":"array","description":"The first 100, most blocks first","items":{
"type":"object","properties":{"node_guid":{"$ref":"#/components/schemas/Guid"},
"description":{"type":"string"},"blocks":{"type":"integer"}}}}}},
"hosts_cut_off":{"type":"object","description":"Hosts that no path leads to any more",
"properties":{"all":{"type":"integer"},"hosts":{"type":"array","description":"The first 100",
"items":{"type":"object","properties":{"node_guid":{"$ref":"#/components/schemas/Guid"},
"port_guid":{"$ref":"#/components/schemas/Guid"},"description":{"type":"string"}}}}}},
"conditions":{"type":"array","items":{"type":"object","properties":{"id":{"type":"string"},
"severity":{"type":"string"},"text":{"type":"string"}}}},
"links":{"type":"object","description":"In the order of /v1/topology of the same snapshot",
"properties":{"load_ab":{"type":"array","items":{"type":"integer"}},
"load_ba":{"type":"array","items":{"type":"integer"}},
"down":{"type":"array","items":{"type":"integer"},"description":"Links that are taken away"}}}}})";

web::Response compute_plan(const Reading& reading, const WhatIf& change, Core& core) {
  const auto begin = std::chrono::steady_clock::now();
  const Subnet& subnet = *reading.subnet();
  const auto before = core.qualities.make_once(*reading.snapshot);
  const auto result = what_if(subnet, *reading.view->context, change, **before);
  if (!result) return result.error();
  nlohmann::json body = envelope(*reading.snapshot);
  body.update(what_if_json(*result, subnet, change));
  body["ms"] = std::chrono::duration_cast<std::chrono::milliseconds>(
                   std::chrono::steady_clock::now() - begin)
                   .count();
  return answer(reading, body, false);
}

asio::awaitable<web::Response> plan(SharedCore core, web::Request request) {
  const auto change = read_what_if(request.body.empty() ? "{}" : request.body);
  if (!change) co_return change.error();
  auto place = core->planning.take(std::chrono::steady_clock::now());
  if (place.is_empty()) {
    web::Response busy = web::problem(
        429,
        fmt::format("another plan is being computed, or there were {} in the last minute",
                    Planning::kPlansOfMinuteMax),
        "try again later");
    busy.headers.emplace_back("Retry-After", "2");
    co_return busy;
  }
  const SharedReading reading = co_await read(core, std::move(request));
  if (reading->subnet() == nullptr || !reading->subnet()->lfts ||
      reading->subnet()->lfts->switches() != reading->subnet()->fabric.switches.size())
    co_return web::problem(503, "there are no forwarding tables yet",
                           "try again when /v1/routing names an engine");
  // The place is the work's: a client that goes away leaves it taken until the work ends.
  auto held = std::make_shared<Planning::Place>(std::move(place));
  Core* const of = core.get();
  std::function<web::Response()> work = [held, reading, change = *change, of]() mutable {
    web::Response response = compute_plan(*reading, change, *of);
    held.reset();
    return response;
  };
  co_return co_await core->planning.worker().run(std::move(work));
}

}  // namespace

void add_plan(web::Resources& to, const SharedCore& core) {
  web::Route route =
      get("/v1/plan", "plan", "What would change if nodes, links, engine or partitions were others",
          "Plan");
  route.method = web::Method::post;
  route.request_schema = "PlanRequest";
  add(to, std::move(route),
      [core](web::Request request) { return plan(core, std::move(request)); });
  to.schemas.emplace_back("PlanRequest", kPlanRequestSchema);
  to.schemas.emplace_back("PlanSide", plan_side_schema());
  to.schemas.emplace_back("Plan", kPlanSchema);
}

}  // namespace sm::api
