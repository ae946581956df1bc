// Performance management (IBTA Vol 1, 16.1): the counters of one port, or of all ports of the node
// together.

#include <algorithm>

#include "sim/world/agents/agents.h"

namespace sim {
namespace {

using mad::Method;
using mad::PerformanceAttribute;
namespace status = mad::status;
using Data = std::span<std::uint8_t, mad::kGmpDataBytes>;

constexpr std::uint64_t sum(std::uint64_t a, std::uint64_t b) {
  return a > ~b ? ~std::uint64_t{0} : a + b;
}

struct Ports {
  PortIndex first{0};
  unsigned count = 0;  // none if the node has no such port
  PortIndex end() const { return first + count; }
};

/// Returns the ports that PortSelect selects: one port, or all ports (capability AllPortSelect).
/// Source: IBTA Vol 1, 16.1.3.5.
Ports selected(const Arrival& arrival, std::uint8_t port_select) {
  const Model& model = arrival.world.model;
  const NodeModel& node = arrival.at();
  if (port_select == mad::kAllPorts) {
    const unsigned first = node.is_switch() ? 0 : 1;
    return {node.first_port + first, node.port_count() + 1 - first};
  }
  const PortIndex port = model.port(arrival.node, port_select);
  return port == kNone ? Ports{} : Ports{port, 1};
}

/// Clears all data except the selection, as an answer needs it.
void clear(Data data, std::uint8_t port_select) {
  std::ranges::fill(data, std::uint8_t{0});
  mad::set_field<mad::PortCountersFields, "PortSelect">(data, port_select);
}

/// Serves PortCounters or PortCountersExtended: `field` and `select` choose between a counter's two
/// fields.
Verdict serve_counters(const Arrival& arrival, mad::MadView request, mad::Field CounterRow::* field,
                       unsigned CounterRow::* select, std::uint64_t chosen) {
  Model& model = arrival.world.model;
  const Data data = mad::gmp_data(request);
  const auto port_select =
      mad::get_field<std::uint8_t, mad::PortCountersFields, "PortSelect">(data);
  const Ports ports = selected(arrival, port_select);
  if (ports.count == 0) return status::kInvalidValue;
  if (request.method() == Method::set) {
    for (const CounterRow& row : counter_rows()) {
      if ((row.*field).width == 0 || (chosen >> row.*select & 1u) == 0) continue;
      const std::uint64_t value = mad::read(data, row.*field);
      for (PortIndex port = ports.first; port < ports.end(); ++port) {
        if (value != 0 || model.ports[port].extras) model.extras(port).counters.*row.member = value;
      }
    }
  }
  clear(data, port_select);
  for (const CounterRow& row : counter_rows()) {
    if ((row.*field).width == 0) continue;
    std::uint64_t total = 0;
    for (PortIndex port = ports.first; port < ports.end(); ++port) {
      if (const auto& extras = model.ports[port].extras)
        total = sum(total, extras->counters.*row.member);
    }
    mad::write(data, row.*field, std::min(total, (row.*field).value_max()));
  }
  return status::kOk;
}

Verdict serve_port_counters(const Arrival& arrival, mad::MadView request) {
  using Fields = mad::PortCountersFields;
  const Data data = mad::gmp_data(request);
  const auto chosen = mad::get_field<std::uint16_t, Fields, "CounterSelect">(data),
             chosen2 = mad::get_field<std::uint16_t, Fields, "CounterSelect2">(data);
  return serve_counters(arrival, request, &CounterRow::narrow, &CounterRow::narrow_select,
                        std::uint64_t{chosen2} << 16 | chosen);
}

Verdict serve_port_counters_extended(const Arrival& arrival, mad::MadView request) {
  using Fields = mad::PortCountersExtendedFields;
  const Data data = mad::gmp_data(request);
  const auto chosen = mad::get_field<std::uint16_t, Fields, "CounterSelect">(data);
  const auto chosen2 = mad::get_field<std::uint32_t, Fields, "CounterSelect2">(data);
  return serve_counters(arrival, request, &CounterRow::wide, &CounterRow::wide_select,
                        std::uint64_t{chosen2} << 16 | chosen);
}

Verdict serve_details(const Arrival& arrival, mad::MadView request, const CounterDetails& details) {
  Model& model = arrival.world.model;
  const Data data = mad::gmp_data(request);
  const auto port_select =
      mad::get_field<std::uint8_t, mad::PortCountersFields, "PortSelect">(data);
  const auto chosen = mad::get_field<std::uint16_t, mad::PortCountersFields, "CounterSelect">(data);
  const Ports ports = selected(arrival, port_select);
  if (ports.count == 0) return status::kInvalidValue;
  const std::pair<std::uint16_t, std::uint32_t> key{
      raw_key(mad::MgmtClass::performance, static_cast<std::uint16_t>(details.attribute)), 0};
  std::array<std::uint64_t, 16> totals{};
  for (PortIndex port = ports.first; port < ports.end(); ++port) {
    for (unsigned index = 0; index < details.fields.size(); ++index) {
      const mad::Field& field = details.fields[index];
      const bool overwrite = request.method() == Method::set && (chosen >> index & 1u) != 0;
      if (overwrite && (mad::read(data, field) != 0 || model.ports[port].extras))
        mad::write(model.extras(port).raw[key], field, mad::read(data, field));
      const auto& extras = model.ports[port].extras;
      if (!extras) continue;
      if (const auto kept = extras->raw.find(key); kept != extras->raw.end())
        totals[index] = sum(totals[index], mad::read(kept->second, field));
    }
  }
  clear(data, port_select);
  for (unsigned index = 0; index < details.fields.size(); ++index)
    mad::write(data, details.fields[index],
               std::min(totals[index], details.fields[index].value_max()));
  return status::kOk;
}

}  // namespace

Verdict serve_performance(const Arrival& arrival, mad::MadView request) {
  namespace has = mad::performance_capability;
  if (request.class_version() != mad::kPerformanceClassVersion) return status::kBadVersion;
  const auto attribute = static_cast<PerformanceAttribute>(request.attribute_id());
  switch (attribute) {
    case PerformanceAttribute::class_port_info:
      return serve_class_port_info(arrival, request,
                                   mad::class_capability::kCapabilityMask2 | has::kAllPortSelect |
                                       has::kExtendedWidth | has::kPortCountersXmitWait |
                                       has::kQp1Drop,
                                   has::kAdditionalPortCountersExtended);
    case PerformanceAttribute::port_counters:
      return serve_port_counters(arrival, request);
    case PerformanceAttribute::port_counters_extended:
      return serve_port_counters_extended(arrival, request);
    default:
      break;
  }
  for (const CounterDetails& details : counter_details()) {
    if (details.attribute == attribute) return serve_details(arrival, request, details);
  }
  return status::kMethodAttributeUnsupported;
}

}  // namespace sim
