#include "fabric/plausible.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <string_view>

#include "fabric/fabric_conditions.h"
#include "mad/format.h"

namespace fabric {
namespace {

constexpr unsigned kMulticastLids = 0x4000;

constexpr std::array kPortHardware{
    mad::PortInfo::field<"LinkWidthSupported">(), mad::PortInfo::field<"LinkSpeedSupported">(),
    mad::PortInfo::field<"MTUCap">(), mad::PortInfo::field<"VLCap">(),
    mad::PortInfo::field<"GUIDCap">()};
constexpr std::array kSwitchHardware{mad::SwitchInfo::field<"LinearFDBCap">(),
                                     mad::SwitchInfo::field<"RandomFDBCap">(),
                                     mad::SwitchInfo::field<"MulticastFDBCap">(),
                                     mad::SwitchInfo::field<"PartitionEnforcementCap">()};

template <class Attribute, std::size_t n>
bool agree(const Attribute& a, const Attribute& b, const std::array<mad::Field, n>& fields) {
  return std::ranges::all_of(fields, [&](const mad::Field& field) {
    return mad::read(a.bytes(), field) == mad::read(b.bytes(), field);
  });
}

}  // namespace

std::uint16_t linear_fdb_top(const mad::SwitchInfo& info) {
  const std::uint16_t top = info.linear_fdb_top();
  return top > mad::kUnicastLidMax.value ? std::uint16_t{0} : top;
}

std::optional<std::string> defect_of(const mad::PortInfo& info, bool external) {
  const auto state = static_cast<unsigned>(info.port_state());
  if (state > 5 || (state < 1 && external))
    return fmt::format("PortState {} (1..5 are possible)", state);
  if (!external || info.port_state() == mad::PortState::down) return std::nullopt;
  const auto physical = static_cast<unsigned>(info.port_physical_state());
  if (physical > 7) return fmt::format("PortPhysicalState {} (1..7 are possible)", physical);
  const auto mtu = static_cast<unsigned>(info.mtu_cap());
  if (mtu > 5) return fmt::format("MTUCap {} (1..5 are possible)", mtu);
  if (info.vl_cap() > 5) return fmt::format("VLCap {} (1..5 are possible)", info.vl_cap());
  return std::nullopt;
}

std::optional<std::string> defect_of(const mad::SwitchInfo& info) {
  const unsigned cap = info.linear_fdb_cap();
  if (cap == 0) return "LinearFDBCap 0 (it cannot forward by linear table)";
  if (cap > mad::kUnicastLidMax.value + 1u)
    return fmt::format("LinearFDBCap {} (there are {} unicast LIDs)", cap,
                       mad::kUnicastLidMax.value);
  if (info.multicast_fdb_cap() > kMulticastLids)
    return fmt::format("MulticastFDBCap {} (there are {} multicast LIDs)", info.multicast_fdb_cap(),
                       kMulticastLids - 1);
  return std::nullopt;
}

namespace {

/// Returns "MTUCap 0, VLCap 0", for example; "" if the port shows no 0.
std::string zeros_of(const mad::PortInfo& info) {
  std::string zeros;
  const auto add = [&](std::string_view field) {
    zeros += fmt::format("{}{} 0", zeros.empty() ? "" : ", ", field);
  };
  if (info.mtu_cap() == mad::Mtu{}) add("MTUCap");
  if (info.vl_cap() == 0) add("VLCap");
  if (info.port_physical_state() == mad::PortPhysicalState::no_change) add("PortPhysicalState");
  return zeros;
}

void add_zeros(const Fabric& fabric, std::vector<Condition>& found) {
  ConditionList list(kFabricConditions.value_implausible);
  for (const PortIndex index : fabric.ports.indices()) {
    const Port& port = fabric.ports[index];
    if (!port.is_up() || (port.number.value == 0 && fabric.nodes[port.node].is_switch())) continue;
    if (const std::string zeros = zeros_of(port.info); !zeros.empty())
      list.add(fmt::format("{} answers with {}; the least possible value is used",
                           fabric.port_name(index), zeros));
  }
  std::ranges::move(list.take(), std::back_inserter(found));
}

}  // namespace

std::vector<Condition> implausible_values(const Fabric& fabric) {
  std::vector<Condition> found;
  for (const Switch& sw : fabric.switches) {
    const auto add = [&](std::string what) {
      found.push_back({.id = kFabricConditions.value_implausible,
                       .text = fmt::format("{} answers with {}", fabric.name(sw.node), what),
                       .guid = fabric.nodes[sw.node].guid});
    };
    const Port& port_0 = fabric.ports[fabric.nodes[sw.node].first_port];
    if (port_0.known && port_0.info.port_state() == mad::PortState::no_change)
      add("PortState 0 of port 0");
    if (const auto defect = defect_of(sw.info); defect && has_linear_table(sw.info)) add(*defect);
    if (sw.info.linear_fdb_top() > sw.info.linear_fdb_cap())
      add(fmt::format("LinearFDBTop {} above LinearFDBCap {}", sw.info.linear_fdb_top(),
                      sw.info.linear_fdb_cap()));
  }
  add_zeros(fabric, found);
  return found;
}

bool same_hardware(const mad::PortInfo& a, const mad::PortInfo& b) {
  return agree(a, b, kPortHardware);
}
bool same_hardware(const mad::SwitchInfo& a, const mad::SwitchInfo& b) {
  return agree(a, b, kSwitchHardware);
}

}  // namespace fabric
