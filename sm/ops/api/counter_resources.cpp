// /v1/counters, /v1/topology/counters

#include <algorithm>
#include <array>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <tuple>
#include <vector>

#include "mad/link_speed.h"
#include "sm/ops/api/parameters.h"
#include "sm/ops/api/resources.h"
#include "sm/ops/api/topology_json.h"
#include "sm/ops/counter_rates.h"
#include "sm/ops/rows.h"

namespace sm::api {

namespace {

constexpr FieldInfo kAge{
    "age_s", value::kIntegerOrNull,
    "seconds since the latest poll ended; null: perfmgr is FALSE, or there was none yet"};

/// Columns of links.
constexpr auto kLinkCounters = std::to_array<FieldInfo>({
    {"gbps_ab", value::kNumbers,
     "Data sent from a to b, Gbit/s between the two latest readings; -1: not known"},
    {"gbps_ba", value::kNumbers},
    {"used_ab", value::kNumbers, "The same as a share of the link's rate, 0 to 1; -1: not known"},
    {"used_ba", value::kNumbers},
    {"errors_per_hour", value::kNumbers,
     "Symbol errors, recoveries, losses of the link, PortRcvErrors and discards; -1: not known"},
});

const PortCounters* counters_of(const PortCounterTable& table, const Fabric& fabric,
                                PortIndex index) {
  const PortCounters* const port =
      table.find(fabric.owning_node(index).guid, fabric.ports[index].number);
  const bool has_rates =
      port != nullptr && port->reading == PortReading::read && port->interval != mad::Duration{};
  return has_rates ? port : nullptr;
}

nlohmann::json age_s(const ManagerStatus& status) {
  if (!status.counters) return nullptr;
  return std::chrono::duration_cast<std::chrono::seconds>(status.now -
                                                          status.counters->latest.ended)
      .count();
}

/// Selects the value by which ports are sorted, worst first.
enum class Order : std::uint8_t { errors, discards, waits, load };
constexpr std::string_view kOrders = "errors|discards|waits|load";
constexpr std::size_t kPortsDefault = 20, kPortsMax = 10'000;

struct PortRates {
  PortIndex index;
  const PortCounters* counters;
};

double growth_by(Order order, const Fabric& fabric, const PortRates& of) {
  switch (order) {
    case Order::errors:
      return errors_per_hour(of.counters);
    case Order::discards:
      return of.counters->rate(Counter::xmit_discards);
    case Order::waits:
      return of.counters->rate(Counter::xmit_wait);
    case Order::load:
      return load_of_link(fabric.ports[of.index], *of.counters);
  }
  return 0;
}

/// Returns what the port shows of it, grown or not; load has no total.
std::uint64_t total_by(Order order, const PortCounters& counters) {
  switch (order) {
    case Order::errors:
      return total_errors(counters);
    case Order::discards:
      return counters.total(Counter::xmit_discards);
    case Order::waits:
      return counters.total(Counter::xmit_wait);
    case Order::load:
      return 0;
  }
  return 0;
}

std::vector<PortRates> ports_with_rates(const Fabric& fabric, const ManagerStatus& status) {
  std::vector<PortRates> ports;
  if (!status.counters) return ports;
  for (const PortIndex index : fabric.ports.indices())
    if (const PortCounters* const counters = counters_of(*status.counters, fabric, index))
      ports.push_back({index, counters});
  return ports;
}

web::Response port_counters(const SharedReading& reading) {
  static const Fabric kNone;
  Parameters parameters(reading->request);
  const auto order = static_cast<Order>(parameters.one_of("sort", kOrders).value_or(0));
  const std::size_t limit = parameters.number("limit", 1, kPortsMax).value_or(kPortsDefault);
  if (parameters.fault()) return *parameters.fault();
  const Fabric& fabric = reading->subnet() == nullptr ? kNone : reading->subnet()->fabric;
  const ManagerStatus& status = reading->view->status;
  const std::vector<PortRates> ports = ports_with_rates(fabric, status);
  struct Ranked {
    double growth;
    std::uint64_t total;
    std::size_t port;
  };
  std::vector<Ranked> worst;
  for (std::size_t i = 0; i < ports.size(); ++i) {
    const Ranked ranked{growth_by(order, fabric, ports[i]), total_by(order, *ports[i].counters), i};
    if (ranked.growth > 0 || ranked.total > 0) worst.push_back(ranked);
  }
  std::ranges::sort(worst, [](const Ranked& a, const Ranked& b) {
    return std::tuple(-a.growth, b.total, a.port) < std::tuple(-b.growth, a.total, b.port);
  });
  nlohmann::json body = envelope(*reading->snapshot);
  body["age_s"] = age_s(status);
  body["ports"] = ports.size();
  body["with_value"] = worst.size();
  body["growing"] = std::ranges::count_if(worst, [](const Ranked& of) { return of.growth > 0; });
  nlohmann::json& rows = body["counters"] = nlohmann::json::array();
  for (std::size_t i = 0; i < std::min(worst.size(), limit); ++i)
    rows.push_back(
        port_counters_row(fabric, ports[worst[i].port].index, *ports[worst[i].port].counters));
  return answer(*reading, body, false);
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
  body["age_s"] = age_s(status);
  body["links"] = {{"gbps_ab", gbps_ab},
                   {"gbps_ba", gbps_ba},
                   {"used_ab", used_ab},
                   {"used_ba", used_ba},
                   {"errors_per_hour", errors}};
  return answer(*reading, body, false);
}

constexpr std::array kPortCountersAnswer{
    kAge, FieldInfo{"ports", value::kInteger, "ports whose counters were read twice"},
    FieldInfo{"with_value", value::kInteger, "those of them that show any of what was asked for"},
    FieldInfo{"growing", value::kInteger,
              "those of them that have more of it than at the poll before"},
    FieldInfo{"counters", "PortCounters[]"}};

}  // namespace

void add_counters(web::Resources& to, const SharedCore& core) {
  add(to,
      get("/v1/counters", "listCounters",
          "Ports by the growth of their counters, then by their totals", "PortCountersList",
          {query("sort", R"({"enum":["errors","discards","waits","load"],"default":"errors"})",
                 "What is worst; ports without any of it are left out"),
           query("limit", R"({"type":"integer","minimum":1,"maximum":10000,"default":20})",
                 "Rows at most")}),
      reading(core, port_counters));
  add(to,
      get("/v1/topology/counters", "getTopologyCounters",
          "What the performance manager's counters say of each link, for maps", "LinkCounters"),
      reading(core, link_counters));
  to.schemas.emplace_back("PortCounters", object_schema(port_counters_info().fields));
  to.schemas.emplace_back("PortCountersList", answer_schema({}, kPortCountersAnswer));
  const std::string columns = object_schema(kLinkCounters);
  const std::array link_counters{
      kAge, FieldInfo{"links", columns,
                      "Columns in the order of the links of /v1/topology with the same snapshot"}};
  to.schemas.emplace_back("LinkCounters", answer_schema({}, link_counters));
}

}  // namespace sm::api
