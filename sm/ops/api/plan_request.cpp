// POST /v1/plan

#include <array>
#include <chrono>
#include <nlohmann/json.hpp>

#include "sm/ops/api/resources.h"
#include "sm/ops/api/routing_rows.h"
#include "sm/ops/api/what_if.h"

namespace sm::api {
namespace asio = boost::asio;

namespace {

constexpr auto kPlanRequest = std::to_array<FieldInfo>({
    {"without",
     R"({"type":"array","maxItems":1000,"items":{"type":"string","minLength":1,"maxLength":200}})",
     "Nodes, or links by one end: NODE or NODE:PORT, as heddlectl plan --without", true},
    {"routing_engine",
     R"({"type":"array","maxItems":16,"items":{"type":"string","minLength":1,"maxLength":40}})",
     "In the order in which they are tried; default: as configured", true},
    {"rebalance", value::kBoolean, "No route stays because it is there", true},
    {"partitions", R"({"type":"string","maxLength":1048576})",
     "Text of a partitions.conf; default: as configured", true},
    {"links", value::kBoolean, "Answer with the loads of each link", true},
});

constexpr std::array<FieldInfo, 1> kMs{{{"ms", value::kInteger}}};

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
  // The work owns the place: it stays taken until the work ends, even if the client disconnects.
  auto held = std::make_shared<Planning::Place>(std::move(place));
  Core* const of = core.get();
  auto work = [held, reading, change = *change, of]() mutable {
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
  to.schemas.emplace_back("PlanRequest", object_schema(kPlanRequest, true));
  to.schemas.emplace_back("PlanSide", object_schema(plan_side_info().fields));
  to.schemas.emplace_back("Plan", answer_schema(plan_info(), kMs));
}

}  // namespace sm::api
