// /v1/congestion, congestion/suggestion: congestion control of devices, and options for it

#include <nlohmann/json.hpp>

#include "sm/congestion/congestion_suggestion.h"
#include "sm/ops/api/list.h"
#include "sm/ops/api/resources.h"
#include "sm/ops/rows.h"

namespace sm::api {

namespace {

web::Response list_congestion(const SharedReading& reading) {
  const ManagerStatus& status = reading->view->status;
  const Fabric* const fabric = reading->subnet() == nullptr ? nullptr : &reading->subnet()->fabric;
  const auto row = [&status, fabric](std::size_t i) -> std::optional<nlohmann::json> {
    return congestion_row(status.congestion->devices[i], fabric, status.now);
  };
  return list_all(reading, "congestion", status.congestion ? status.congestion->devices.size() : 0,
                  row);
}

struct Suggestion {
  CongestionFacts facts;
  std::vector<SuggestedLine> lines;
};

boost::asio::awaitable<web::Response> suggest(SharedCore core, web::Request request) {
  const SharedReading reading = co_await read(core, std::move(request));
  nlohmann::json body = envelope(*reading->snapshot);
  Suggestion suggestion;
  if (reading->subnet() != nullptr) {
    auto work = [reading] {
      Suggestion made{.facts = congestion_facts(*reading->subnet()), .lines = {}};
      made.lines = suggest_congestion(made.facts);
      return made;
    };
    suggestion = co_await core->worker.run(std::move(work));
  }
  body["hosts"] = suggestion.facts.hosts;
  body["slowest_gbps"] = suggestion.facts.slowest_gbps;
  body["fastest_gbps"] = suggestion.facts.fastest_gbps;
  body["mtu_bytes"] = suggestion.facts.mtu_bytes;
  body["diameter"] = suggestion.facts.diameter;
  nlohmann::json& lines = body["lines"] = nlohmann::json::array();
  for (const SuggestedLine& line : suggestion.lines)
    lines.push_back({{"option", line.option}, {"value", line.value}, {"why", line.why}});
  co_return answer(*reading, body, false);
}

constexpr std::array<FieldInfo, 6> kSuggestion{{
    {"hosts", value::kInteger, "CA ports at switches"},
    {"slowest_gbps", value::kNumber, "the slowest of their links, data in Gbit/s"},
    {"fastest_gbps", value::kNumber, "the fastest"},
    {"mtu_bytes", value::kInteger, "the largest NeighborMTU of these links"},
    {"diameter", value::kInteger, "switches on the longest shortest path between hosts"},
    {"lines",
     R"({"type":"array","items":{"type":"object","properties":{"option":{"type":"string"},
"value":{"type":"string"},"why":{"type":"string"}}}})",
     "of opensm.conf; none with fewer than two hosts"},
}};

}  // namespace

void add_congestion(web::Resources& to, const SharedCore& core) {
  add(to,
      get("/v1/congestion", "listCongestion",
          "Devices and their congestion control, by PortGUID; none unless congestion_control is "
          "TRUE",
          "CongestionList", list_parameters({})),
      reading(core, list_congestion));
  add(to,
      get("/v1/congestion/suggestion", "suggestCongestion",
          "Options of congestion control computed for this subnet; nothing is set",
          "CongestionSuggestion"),
      [core](web::Request request) { return suggest(core, std::move(request)); });
  to.schemas.emplace_back("CongestionSuggestion", answer_schema({}, kSuggestion));
  add_schemas(to, congestion_info(), "congestion");
}

}  // namespace sm::api
