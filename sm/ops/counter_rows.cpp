// Rows of ports with the growth of their counters.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>

#include "mad/format.h"
#include "mad/link_speed.h"
#include "sm/ops/counter_rates.h"
#include "sm/ops/rows.h"
#include "sm/performance/noise.h"

namespace sm {

namespace {

constexpr double kSecondsOfAnHour = 3600;

struct PortCountersSource {
  const Fabric& fabric;
  PortIndex index;
  const PortCounters& counters;
  const Port& port() const { return fabric.ports[index]; }
};

double seconds(const PortCounters& counters) {
  return std::chrono::duration<double>(counters.interval).count();
}

FieldValue number_or_null(std::optional<double> number) {
  return number ? nlohmann::json(*number) : nlohmann::json();
}

constexpr std::string_view kNumberOrNull = R"({"type":["number","null"]})";

std::string percent_text(const nlohmann::ordered_json& row) {
  return fmt::format("{:.0f} %", row.at("load").get<double>() * 100);
}
std::string whole_text(const nlohmann::ordered_json& row, const char* field) {
  return row.at(field).is_null() ? "-" : fmt::format("{:.0f}", row.at(field).get<double>());
}

std::string peer_text(const nlohmann::ordered_json& row) {
  return row.at("peer").is_null() ? "-" : row.at("peer").get<std::string>();
}

constexpr auto kPortCounters = std::to_array<Field<PortCountersSource>>({
    {{"node_guid", value::kGuid},
     [](auto& of) { return fmt::format("{}", of.fabric.owning_node(of.index).guid); }},
    {{"description", value::kText}, [](auto& of) { return of.fabric.description(of.port().node); }},
    {{"port", value::kInteger}, [](auto& of) { return of.port().number.value; }},
    {{"peer", value::kTextOrNull, "the port at the other end of the link"},
     [](auto& of) {
       return of.port().peer == kNoIndex ? nlohmann::json()
                                         : nlohmann::json(of.fabric.port_name(of.port().peer));
     }},
    {{"errors_per_hour", value::kNumber,
      "symbol errors, recoveries and losses of the link, PortRcvErrors and discards"},
     [](auto& of) { return errors_per_hour(&of.counters); }},
    {{"errors", value::kInteger,
      "all that were counted: what the port showed first, and the growth since"},
     [](auto& of) { return total_errors(of.counters); }},
    {{"errors_grown", value::kNumber, "those between the two latest readings"},
     [](auto& of) {
       return std::round(errors_per_hour(&of.counters) / kSecondsOfAnHour * seconds(of.counters));
     }},
    {{"interval_s", value::kNumber, "between the two latest readings"},
     [](auto& of) { return seconds(of.counters); }},
    {{"discards_per_hour", value::kNumber, "PortXmitDiscards"},
     [](auto& of) { return of.counters.rate(Counter::xmit_discards) * kSecondsOfAnHour; }},
    {{"waits_per_s", value::kNumber, "PortXmitWait, in ticks"},
     [](auto& of) { return of.counters.rate(Counter::xmit_wait); }},
    {{"gbps_out", kNumberOrNull, "data sent, Gbit/s between the two latest readings"},
     [](auto& of) { return number_or_null(gbps(&of.counters, nullptr)); }},
    {{"gbps_in", kNumberOrNull, "data received"},
     [](auto& of) { return number_or_null(gbps(nullptr, &of.counters)); }},
    {{"load", value::kNumber, "share of the link's rate, 0 to 1, of the busier direction"},
     [](auto& of) { return load_of_link(of.port(), of.counters); }},
});

}  // namespace

std::optional<double> gbps(const PortCounters* from, const PortCounters* to) {
  constexpr double kGiga = 1e9, kBitsPerUnit = 32;  // PortXmitData counts units of 4 bytes
  if (from != nullptr && from->has(Counter::xmit_data))
    return from->rate(Counter::xmit_data) * kBitsPerUnit / kGiga;
  if (to != nullptr && to->has(Counter::rcv_data))
    return to->rate(Counter::rcv_data) * kBitsPerUnit / kGiga;
  return std::nullopt;
}

double errors_per_hour(const PortCounters* port) {
  double all = 0;
  for (std::size_t i = 0; port != nullptr && i < kCounters; ++i)
    if (error_kind_of(static_cast<Counter>(i)) < kErrorKinds)
      all += port->rate(static_cast<Counter>(i)) * kSecondsOfAnHour;
  return all;
}

std::uint64_t total_errors(const PortCounters& port) {
  std::uint64_t all = 0;
  for (std::size_t i = 0; i < kCounters; ++i)
    if (error_kind_of(static_cast<Counter>(i)) < kErrorKinds)
      all += port.total(static_cast<Counter>(i));
  return all;
}

double load_of_link(const Port& port, const PortCounters& counters) {
  const double rate = mad::gbps(mad::active_rate(port.info));
  const double used =
      std::max(gbps(&counters, nullptr).value_or(0), gbps(nullptr, &counters).value_or(0));
  return rate <= 0 ? 0 : std::min(used / rate, 1.0);
}

RowInfo port_counters_info() {
  using Row = nlohmann::ordered_json;
  return {"PortCounters",
          "a port with the growth of its counters between the two latest polls",
          infos_of(kPortCounters),
          {{"node", {}, [](const Row& row) { return end_text(row); }},
           {"linked to", {}, peer_text},
           {"errors/h", {}, [](const Row& row) { return whole_text(row, "errors_per_hour"); }},
           {"errors", "errors"},
           {"discards/h", {}, [](const Row& row) { return whole_text(row, "discards_per_hour"); }},
           {"waits/s", {}, [](const Row& row) { return whole_text(row, "waits_per_s"); }},
           {"Gb/s out", {}, [](const Row& row) { return whole_text(row, "gbps_out"); }},
           {"Gb/s in", {}, [](const Row& row) { return whole_text(row, "gbps_in"); }},
           {"load", {}, percent_text}}};
}

nlohmann::json port_counters_row(const Fabric& fabric, PortIndex port,
                                 const PortCounters& counters) {
  return row_of(kPortCounters, PortCountersSource{fabric, port, counters});
}

}  // namespace sm
