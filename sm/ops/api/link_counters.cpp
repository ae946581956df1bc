// /v1/topology/counters

#include <algorithm>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "mad/link_speed.h"
#include "sm/ops/api/resources.h"
#include "sm/ops/api/topology_json.h"
#include "sm/performance/noise.h"

namespace sm::api {

namespace {

constexpr std::string_view kLinkCountersSchema = R"({
"type":"object","required":["fabric_id","snapshot","age_s","links"],"properties":{
"fabric_id":{"type":["string","null"]},"snapshot":{"type":"string"},
"age_s":{"type":["integer","null"],
"description":"Seconds since the latest poll ended; null: perfmgr is FALSE, or there was none yet"},
"links":{"type":"object",
"description":"Columns in the order of the links of /v1/topology with the same snapshot",
"required":["gbps_ab","gbps_ba","used_ab","used_ba","errors_per_hour"],"properties":{
"gbps_ab":{"type":"array","items":{"type":"number"},
"description":"Data sent from a to b, Gbit/s between the two latest readings; -1: not known"},
"gbps_ba":{"type":"array","items":{"type":"number"}},
"used_ab":{"type":"array","items":{"type":"number"},
"description":"The same as a share of the link's rate, 0 to 1; -1: not known"},
"used_ba":{"type":"array","items":{"type":"number"}},
"errors_per_hour":{"type":"array","items":{"type":"number"},"description":
"Symbol errors, recoveries, losses of the link, PortRcvErrors and discards; -1: not known"}}}}})";

constexpr double kBitsPerUnit = 32;  // PortXmitData counts units of 4 bytes

const PortCounters* counters_of(const PortCounterTable& table, const Fabric& fabric,
                                PortIndex index) {
  const PortCounters* const port =
      table.find(fabric.owning_node(index).guid, fabric.ports[index].number);
  const bool has_rates =
      port != nullptr && port->reading == PortReading::read && port->interval != mad::Duration{};
  return has_rates ? port : nullptr;
}

/// Returns what `from` has sent, or else `to` received, a second; nothing if neither is known.
std::optional<double> gbps(const PortCounters* from, const PortCounters* to) {
  constexpr double kGiga = 1e9;
  if (from != nullptr && from->has(Counter::xmit_data))
    return from->rate(Counter::xmit_data) * kBitsPerUnit / kGiga;
  if (to != nullptr && to->has(Counter::rcv_data))
    return to->rate(Counter::rcv_data) * kBitsPerUnit / kGiga;
  return std::nullopt;
}

double errors_per_hour(const PortCounters* port) {
  constexpr double kSecondsOfAnHour = 3600;
  double all = 0;
  for (std::size_t i = 0; port != nullptr && i < kCounters; ++i)
    if (error_kind_of(static_cast<Counter>(i)) < kErrorKinds)
      all += port->rate(static_cast<Counter>(i)) * kSecondsOfAnHour;
  return all;
}

web::Response link_counters(const SharedReading& reading) {
  static const Fabric kNone;
  const Fabric& fabric = reading->subnet() == nullptr ? kNone : reading->subnet()->fabric;
  const ManagerStatus& status = reading->view->status;
  std::vector<double> gbps_ab, gbps_ba, used_ab, used_ba, errors;
  for (const PortIndex index : links_in_order(fabric)) {
    const PortIndex far = fabric.ports[index].peer;
    const PortCounters *a = nullptr, *b = nullptr;
    if (status.counters) {
      a = counters_of(*status.counters, fabric, index);
      b = counters_of(*status.counters, fabric, far);
    }
    const double rate = mad::gbps(mad::active_rate(fabric.ports[index].info));
    const auto add = [rate](std::optional<double> sent, std::vector<double>& to,
                            std::vector<double>& used) {
      to.push_back(sent.value_or(-1));
      used.push_back(!sent || rate <= 0 ? -1 : std::min(*sent / rate, 1.0));
    };
    add(gbps(a, b), gbps_ab, used_ab);
    add(gbps(b, a), gbps_ba, used_ba);
    errors.push_back(a == nullptr && b == nullptr ? -1 : errors_per_hour(a) + errors_per_hour(b));
  }
  nlohmann::json body = envelope(*reading->snapshot);
  body["age_s"] = nullptr;
  if (status.counters)
    body["age_s"] =
        std::chrono::duration_cast<std::chrono::seconds>(status.now - status.counters->latest.ended)
            .count();
  body["links"] = {{"gbps_ab", gbps_ab},
                   {"gbps_ba", gbps_ba},
                   {"used_ab", used_ab},
                   {"used_ba", used_ba},
                   {"errors_per_hour", errors}};
  return answer(*reading, body, false);
}

}  // namespace

void add_link_counters(web::Resources& to, const SharedCore& core) {
  add(to,
      get("/v1/topology/counters", "getTopologyCounters",
          "What the performance manager's counters say of each link, for maps", "LinkCounters"),
      reading(core, link_counters));
  to.schemas.emplace_back("LinkCounters", kLinkCountersSchema);
}

}  // namespace sm::api
